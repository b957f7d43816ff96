import { GateId } from './gate-id';
import { Product } from './product';

/** A feature gate as data. Not exported by the folder. */
export interface GateRow {
  readonly id: GateId | string;
  readonly product: Product;
  /** First versions, one for each minor line; empty: always. */
  readonly since: readonly string[];
  /** First versions that lack it again. */
  readonly until?: readonly string[];
  /** What it is, as the subject of a sentence. */
  readonly what: string;
  readonly source: string;
  /** Only for what was inferred rather than read or seen. */
  readonly confirmed?: false;
  /** What to do with a version that lacks it. */
  readonly hint?: string;
}
