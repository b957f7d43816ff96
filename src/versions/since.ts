import { ProductVersion } from './product-version';
import { compareSemver, minorOf, parseSemver, printSemver, Semver } from './semver';

const RULES = { what: 'since', example: '2.13.8', distributions: true };

/**
 * From which versions on something is so, with backports: `Since.of('2.13.8', '2.14.4', '2.15.0')` is 2.13.8 and later in
 * 2.13, 2.14.4 and later in 2.14, and everything from 2.15.0 on.
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
      throw new Error('since: got no version, expected at least one; use Since.always() for what was always there');
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
      if (compareSemver(this.lines[i - 1], this.lines[i]) >= 0 || minorOf(this.lines[i - 1]) === minorOf(this.lines[i])) {
        throw new Error(`since: got ${versions.map((v) => JSON.stringify(v)).join(', ')}, `
          + 'expected rising versions, one for each minor line');
      }
    }
  }

  /** The first version of each line, e.g. `2.13.8`, `2.14.4`, `2.15.0`; empty if it was always so. */
  public get versions(): string[] {
    return this.lines.map(printSemver);
  }

  /** Whether it is so in a version. */
  public includes(version: ProductVersion): boolean {
    if (this.lines.length === 0) {
      return true;
    }
    const own = this.lines.find((line) => minorOf(line) === version.minor);
    return compareSemver(version._semver, own ?? this.lines[this.lines.length - 1]) >= 0;
  }

  /** In words, e.g. `2.13.8, 2.14.4, 2.15.0 and later`. */
  public toString(): string {
    return this._words('and');
  }

  /** @internal */
  public _words(conjunction: string): string {
    return this.lines.length === 0 ? 'every version' : `${this.versions.join(', ')} ${conjunction} later`;
  }
}
