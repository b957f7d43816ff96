import { ProductVersion, versionParser } from '../../core/version/product-version';
import { Semver, printSemver } from '../../core/version/semver';
import { KUBERNETES_PRODUCT } from '../version/guest-gates.data';

/** The distributions of Kubernetes that Rancher provisions on Harvester. */
export enum KubernetesDistribution {
  /** RKE2, whose releases end in `+rke2rN`. */
  RKE2 = 'rke2',
  /** K3s, whose releases end in `+k3sN`. */
  K3S = 'k3s',
}

/**
 * A version of Kubernetes, with or without a distribution: `v1.33.6+rke2r1`, `v1.34.4+k3s1`,
 * `1.34.4`.
 *
 * Versions are ordered with the release of the distribution: `v1.33.6+rke2r2` follows
 * `v1.33.6+rke2r1`, and both follow `1.33.6`.
 *
 * @see https://docs.rke2.io/release-notes
 * @see https://docs.k3s.io/release-notes
 */
export class KubernetesVersion extends ProductVersion {
  /**
   * Reads a version.
   *
   * @param version three numbers, an optional pre-release, optionally `+rke2rN` or `+k3sN`, with or without a leading v
   */
  public static readonly parse = versionParser((version) => new KubernetesVersion(version));
  /** The distribution that made this release. @default - undefined for a version without one */
  public readonly distribution?: KubernetesDistribution;
  /**
   * The release of the distribution, e.g. 1 of `v1.33.6+rke2r1`.
   * @default - undefined for a version without a distribution
   */
  public readonly release?: number;

  private constructor(version: string) {
    super(KUBERNETES_PRODUCT, version);
    this.distribution = this._semver.distribution as KubernetesDistribution | undefined;
    this.release = this._semver.distribution ? this._semver.release : undefined;
  }

  /** Another release of the same minor line and distribution. @internal */
  public _sibling(patch: number, release: number): string {
    const suffix = this.distribution === KubernetesDistribution.RKE2 ? 'rke2r' : 'k3s';
    return `v${this.minor}.${patch}+${suffix}${release}`;
  }

  /** Releases of two distributions have no order, so comparing them is an error. @internal */
  protected _other(text: string): Semver {
    const other = super._other(text);
    if (other.distribution && this.distribution && other.distribution !== this.distribution) {
      throw new Error(
        `kubernetes version: must be a plain version or one of ${this.distribution}, got "v${printSemver(other)}": ` +
          `releases of two distributions have no order. Fix: compare ${this} with "${other.major}.${other.minor}.${other.patch}"`,
      );
    }
    return other;
  }
}
