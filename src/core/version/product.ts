import { SemverRules } from './semver';

/** A product whose version decides what the library writes. Each slice describes its own. */
export interface Product extends SemverRules {
  /** E.g. `rancher`; a target declares its version as `rancherVersion`. */
  readonly id: string;
  /** The name in sentences. */
  readonly name: string;
  /** What precedes the version in the form of the product. @default - nothing */
  readonly prefix?: string;
}
