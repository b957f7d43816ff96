import { Product, Semver, compareSemver, minorOf, parseSemver, printSemver } from './semver';
import { byText, attempt } from '../text/values';

/**
 * A version of one product, ordered by the rules of semantic versioning.
 *
 * Made by the `parse` methods of the subclasses. Pre-releases come before their release:
 * `2.14.0-rc1` is not at least `2.14.0`, but at least `2.13.8`.
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
  /** The pre-release, e.g. `rc1` of `2.14.0-rc1`. @default - undefined for a release */
  public readonly preRelease?: string;
  /** The minor line, e.g. `2.13` of `2.13.8`. */
  public readonly minor: string;
  /** @internal */
  public readonly _semver: Semver;

  protected constructor(product: Product, version: string) {
    const semver = parseSemver(version, product);
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
      throw new Error(
        `version: must be a version of ${this.product.name}, got ${other.product.name} ${other}`,
      );
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
    return `${this.product.prefix ?? ''}${printSemver(this._semver)}`;
  }

  /** @internal */
  protected _other(text: string): Semver {
    return parseSemver(text, this.product);
  }
}

const RULES = { what: 'since', example: '2.13.8', distributions: true };

/**
 * From which versions on something is so, with backports: `Since.of('2.13.8', '2.14.4', '2.15.0')`
 * is 2.13.8 and later in 2.13, 2.14.4 and later in 2.14, and everything from 2.15.0 on.
 *
 * A minor line that is not named has it only when it comes after the last one named.
 */
export class Since {
  /**
   * From these versions on.
   *
   * @param versions the first version of each minor line, in rising order, at most one for each line
   */
  public static of(...versions: string[]): Since {
    if (versions.length === 0) {
      throw new Error(
        'since: must contain a version. Fix: use Since.always() for features of every version',
      );
    }
    return new Since(versions);
  }

  /** In every version there is. */
  public static always(): Since {
    return new Since([]);
  }

  private readonly lines: readonly Semver[];

  private constructor(versions: string[]) {
    this.lines = versions.map((version) => parseSemver(version, RULES));
    for (let i = 1; i < this.lines.length; i++) {
      if (
        compareSemver(this.lines[i - 1], this.lines[i]) >= 0 ||
        minorOf(this.lines[i - 1]) === minorOf(this.lines[i])
      ) {
        throw new Error(
          `since: must be rising versions, one for each minor line, got ${versions.map((v) => JSON.stringify(v)).join(', ')}`,
        );
      }
    }
  }

  /**
   * The first version of each line, e.g. `2.13.8`, `2.14.4`, `2.15.0`; empty if it was always so.
   */
  public get versions(): string[] {
    return this.lines.map(printSemver);
  }

  /** Whether it is so in a version. */
  public includes(version: ProductVersion): boolean {
    return this._includes(version._semver);
  }

  /** @internal */
  public _includes(version: Semver): boolean {
    if (this.lines.length === 0) {
      return true;
    }
    const own = this.lines.find(
      ({ major, minor }) => major === version.major && minor === version.minor,
    );
    return compareSemver(version, own ?? this.lines[this.lines.length - 1]) >= 0;
  }

  /** In words, e.g. `2.13.8, 2.14.4, 2.15.0 and later`. */
  public toString(): string {
    return this._words('and');
  }

  /** @internal */
  public _words(conjunction: string): string {
    return this.lines.length === 0
      ? 'every version'
      : `${this.versions.join(', ')} ${conjunction} later`;
  }
}

/** A function that parses versions, once for each text: what it returns is shared and frozen. */
export function versionParser<T>(parse: (text: string) => T): (text: string) => T {
  const ofText = byText(parse);
  // in a language without types, a version may be anything
  return (text) => (typeof text === 'string' ? ofText(text) : parse(text));
}

/**
 * A version, for rules, which judge manifests: an invalid one is reported where it is set, and
 * undefined here.
 */
export function knownVersion<T>(
  parse: (version: string) => T,
  version: string | undefined,
): T | undefined {
  return version === undefined ? undefined : attempt(() => parse(version));
}
