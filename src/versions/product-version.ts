import { Product } from './product';
import { PRODUCT_NAMES, VERSION_RULES } from './product-rules';
import { compareSemver, minorOf, parseSemver, printSemver, Semver } from './semver';

/**
 * A version of one product, ordered by the rules of semantic versioning.
 *
 * Made by the `parse` methods of the subclasses. Pre-releases come before their release: `2.14.0-rc1` is not at least
 * `2.14.0`, but at least `2.13.8`.
 *
 * @see https://semver.org/spec/v2.0.0.html
 */
export abstract class ProductVersion {
  /** The product this is a version of. */
  public readonly product: Product;

  /** The first number, e.g. 2 of `2.13.8`. */
  public readonly majorNumber: number;

  /** The second number, e.g. 13 of `2.13.8`. */
  public readonly minorNumber: number;

  /** The third number, e.g. 8 of `2.13.8`. */
  public readonly patchNumber: number;

  /**
   * The pre-release, e.g. `rc1` of `2.14.0-rc1`.
   *
   * @default - undefined for a release
   */
  public readonly preRelease?: string;

  /** The minor line, e.g. `2.13` of `2.13.8`. */
  public readonly minor: string;

  /** @internal */
  public readonly _semver: Semver;

  protected constructor(product: Product, version: string) {
    const semver = parseSemver(version, VERSION_RULES[product]);
    this.product = product;
    this._semver = semver;
    this.majorNumber = semver.major;
    this.minorNumber = semver.minor;
    this.patchNumber = semver.patch;
    this.preRelease = semver.preRelease.length > 0 ? semver.preRelease.join('.') : undefined;
    this.minor = minorOf(semver);
  }

  /**
   * Orders this version against another of the same product.
   *
   * @returns a negative number if this is the earlier one, a positive number if it is the later one, else 0
   */
  public compareTo(other: ProductVersion): number {
    if (other.product !== this.product) {
      throw new Error(`version: got ${PRODUCT_NAMES[other.product]} ${other}, expected a version of ${PRODUCT_NAMES[this.product]}`);
    }
    return compareSemver(this._semver, other._semver);
  }

  /**
   * Whether this version is the given one or a later one.
   *
   * @param version a full version of the same product, e.g. `2.8.0`
   */
  public isAtLeast(version: string): boolean {
    return compareSemver(this._semver, this._other(version)) >= 0;
  }

  /**
   * Whether this version is earlier than the given one.
   *
   * @param version a full version of the same product, e.g. `2.8.0`
   */
  public isBefore(version: string): boolean {
    return !this.isAtLeast(version);
  }

  /** The version in its normal form. */
  public toString(): string {
    return printSemver(this._semver);
  }

  /** @internal */
  protected _other(text: string): Semver {
    return parseSemver(text, VERSION_RULES[this.product]);
  }
}
