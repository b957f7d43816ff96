import { Product } from './product';

/** ID of a feature that depends on a version, in kebab case. Each slice lists those of its product. */
export type GateId = string;

/** A feature gate as data. */
export interface GateRow {
  readonly id: GateId;
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
