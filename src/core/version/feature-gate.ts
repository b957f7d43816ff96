import { ProductVersion, Since } from './product-version';
import { Product, Semver } from './semver';
import { NO_PROBLEMS, Problem } from '../problem/problem';

/**
 * ID of a feature that depends on a version, in kebab case. Each slice lists those of its product.
 */
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
  /** Of a kind: what to do where a version does not serve it. @default - upgrade the product */
  readonly hint?: string;
}

/** Makes the rows of a product's gates. */
export function rowsOf(product: Product): (...row: GateArguments) => GateRow {
  return (id, since, what, source, more = {}) => ({ id, product, since, what, source, ...more });
}

type GateArguments = [
  id: GateId,
  since: readonly string[],
  what: string,
  source: string,
  more?: Pick<GateRow, 'until' | 'confirmed' | 'hint'>,
];

/**
 * A feature of a product and the versions that have it, with the source of that knowledge.
 *
 * Got from `FeatureGates`.
 */
export class FeatureGate {
  /** @internal */
  public static _from(row: GateRow): FeatureGate {
    return new FeatureGate(row);
  }

  /** The id, in kebab case, e.g. `management-cluster-name`. */
  public readonly id: string;
  /** The product whose version decides. */
  public readonly product: Product;
  /** From which versions on it is there. */
  public readonly since: Since;
  /** From which versions on it is gone again. @default - it is there in every later version */
  public readonly until?: Since;
  /** What it is, as the subject of a sentence. */
  public readonly what: string;
  /** Where this was read or seen. */
  public readonly source: string;
  /**
   * Whether it was read in the source of the releases or seen on a running system, rather than
   * inferred.
   */
  public readonly confirmed: boolean;
  /** Of a kind: what to do where a version does not serve it. @default - upgrade the product */
  public readonly hint?: string;
  // a program has few versions, and asks for each object
  private readonly known = new WeakMap<ProductVersion, boolean>();
  // a gate with +rke2rN in its versions is about a component that RKE2 bundles and K3s does not
  private readonly isOfRke2: boolean;

  private constructor(row: GateRow) {
    this.isOfRke2 = row.since.some((first) => first.includes('+rke2r'));
    this.id = row.id;
    this.product = row.product;
    this.since = row.since.length > 0 ? Since.of(...row.since) : Since.always();
    this.until = row.until ? Since.of(...row.until) : undefined;
    this.what = row.what;
    this.source = row.source;
    this.confirmed = row.confirmed ?? true;
    this.hint = row.hint;
  }

  /**
   * Whether a version has the feature.
   *
   * @param version a version of the product of this gate
   */
  public supports(version: ProductVersion): boolean {
    if (version.product !== this.product) {
      throw new Error(
        `${this.id}: must be a version of ${this.product.name}, got ${version.product.name} ${version}`,
      );
    }
    let supported = this.known.get(version);
    if (supported === undefined) {
      supported = this._includes(version._semver);
      this.known.set(version, supported);
    }
    return supported;
  }

  /** @internal */
  public _includes(version: Semver): boolean {
    return (
      this.hasDistribution(version) &&
      this.since._includes(version) &&
      !this.until?._includes(version)
    );
  }

  /** What is wrong with a version; undefined if it has the feature. @internal */
  public _lack(version: ProductVersion): string | undefined {
    return this.supports(version) ? undefined : `${this._requirement()}, got ${version}`;
  }

  /** Checks that a version has what a prop needs; an unknown version does. @internal */
  public _check(
    path: string,
    version: ProductVersion | undefined,
    fix: string,
  ): readonly Problem[] {
    return version === undefined || this.supports(version)
      ? NO_PROBLEMS
      : [{ path, message: this._lack(version)!, fix }];
  }

  /** @internal */
  public _requirement(): string {
    return `${this.what} needs ${this.needs()}`;
  }

  /** The feature and the versions that have it, in words. */
  public toString(): string {
    return `${this.what} (${this.needs()})`;
  }

  private needs(): string {
    const { name } = this.product;
    const gone = this.until ? `before ${this.until.versions.join(', ')}` : '';
    if (this.since.versions.length === 0) {
      return gone ? `${name} ${gone}` : `any version of ${name}`;
    }
    return `${name} ${this.since._words('or')}${gone ? ` and ${gone}` : ''}`;
  }

  private hasDistribution(version: Semver): boolean {
    return !this.isOfRke2 || version.distribution === 'rke2';
  }
}
