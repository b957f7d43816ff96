import { Manifest } from '../../../../src/core/manifest/manifest';

/** What became of changes that were tried: why they failed, or undefined where they work. */
export type Tried = ReadonlyMap<string, string | undefined>;

/** Who works with stored objects of some kinds. */
export interface Witness {
  tells(object: Manifest): boolean;
  /** Remembers what is wrong with an object that was not changed, and so is not about a change. */
  see(unchanged: Manifest): Promise<void>;
  /** Why a stored object fails; undefined where it works, or nothing is shown. */
  failureOf(changed: Manifest): Promise<string | undefined>;
}
