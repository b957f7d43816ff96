import { compare, remembered } from '../text/values';

/**
 * The version arithmetic that every product of this folder shares: the three numbers, the
 * pre-release and, for Kubernetes, the release of the distribution behind the plus sign. Not
 * exported by the folder. Not by the package semver: it ignores what follows the plus sign, which
 * orders the releases of RKE2 and K3s.
 *
 * @see https://semver.org/spec/v2.0.0.html
 */

/** A version taken apart. */
export interface Semver {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** Pre-release identifiers, numbers where they are numeric; empty for a release. */
  readonly preRelease: readonly (string | number)[];
  /** `rke2` or `k3s`; only Kubernetes versions have one. */
  readonly distribution?: string;
  /** The N of `rke2rN` or `k3sN`; 0 without a distribution. */
  readonly release: number;
}

/**
 * Whether the text after the plus sign is a release of a Kubernetes distribution or not allowed at
 * all.
 */
export interface SemverRules {
  /** How error texts call the version, e.g. `rancher version`. */
  readonly what: string;
  /** A version that would be accepted, e.g. `2.13.8`. */
  readonly example: string;
  /** Whether `+rke2rN` and `+k3sN` may follow. */
  readonly distributions: boolean;
}

// Numbers without leading zeros, as the specification wants them; nine digits keep them exact.
const NUMBER = '(?:0|[1-9][0-9]{0,8})';
const PRE_RELEASE = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const FULL = new RegExp(
  `^v?(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})(?:-(${PRE_RELEASE}))?(?:\\+(.*))?$`,
  's',
);
const BUILD = new RegExp('^(?:rke2r|k3s)([1-9][0-9]{0,8})$');
const NO_PATCH = new RegExp(`^v?${NUMBER}\\.${NUMBER}$`);

// each feature gate parses the version of its target
const parsed = new Map<string, Map<string, Semver>>();

/**
 * Parses a version. @throws if the text is not a version; the message states what was given, what
 * is allowed and how to fix it
 */
export function parseSemver(text: string, rules: SemverRules): Semver {
  if (typeof text !== 'string') {
    throw refusal(rules, text);
  }
  return remembered(
    remembered(parsed, rules.what, () => new Map<string, Semver>()),
    text,
    () => parse(text, rules),
  );
}

function parse(text: string, rules: SemverRules): Semver {
  const match = FULL.exec(text);
  if (!match) {
    throw refusal(rules, text, hintFor(text));
  }
  const [, major, minor, patch, pre, build] = match;
  const preRelease =
    pre === undefined
      ? []
      : pre.split('.').map((id) => (/^[0-9]+$/.test(id) ? numeric(id, text, rules) : id));
  const core = { major: Number(major), minor: Number(minor), patch: Number(patch), preRelease };
  if (build === undefined) {
    return { ...core, release: 0 };
  }
  if (!rules.distributions) {
    throw refusal(rules, text, 'leave out the part from the plus sign on');
  }
  const release = BUILD.exec(build);
  if (!release) {
    throw refusal(rules, text, 'write rke2rN or k3sN after the plus sign');
  }
  return {
    ...core,
    distribution: build.startsWith('rke2') ? 'rke2' : 'k3s',
    release: Number(release[1]),
  };
}

/**
 * Orders two versions: negative, zero or positive, as `Array.sort` wants it. Zero only for equal
 * versions. One version of Kubernetes without a distribution comes before its k3s releases, these
 * before its RKE2 releases.
 */
export function compareSemver(a: Semver, b: Semver): number {
  return (
    a.major - b.major ||
    a.minor - b.minor ||
    a.patch - b.patch ||
    comparePreRelease(a.preRelease, b.preRelease) ||
    compare(a.distribution ?? '', b.distribution ?? '') ||
    a.release - b.release
  );
}

/** The version without a leading v, e.g. `1.33.6+rke2r1`. */
export function printSemver(version: Semver): string {
  const core = `${version.major}.${version.minor}.${version.patch}`;
  const pre = version.preRelease.length > 0 ? `-${version.preRelease.join('.')}` : '';
  const separator = version.distribution === 'rke2' ? 'r' : '';
  const build = version.distribution
    ? `+${version.distribution}${separator}${version.release}`
    : '';
  return `${core}${pre}${build}`;
}

/** The minor line of a version, e.g. `2.13`. */
export function minorOf(version: Semver): string {
  return `${version.major}.${version.minor}`;
}

// A release comes after its pre-releases; numbers before words; more identifiers after fewer.
function comparePreRelease(
  a: readonly (string | number)[],
  b: readonly (string | number)[],
): number {
  if (a.length === 0 || b.length === 0) {
    return (a.length === 0 ? 1 : 0) - (b.length === 0 ? 1 : 0);
  }
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = compareIdentifier(a[i], b[i]);
    if (order !== 0) {
      return order;
    }
  }
  return a.length - b.length;
}

function compareIdentifier(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') {
    return a - b;
  }
  if (typeof a === 'number' || typeof b === 'number') {
    return typeof a === 'number' ? -1 : 1;
  }
  return compare(a, b);
}

function numeric(id: string, text: string, rules: SemverRules): number {
  if (!new RegExp(`^${NUMBER}$`).test(id)) {
    throw refusal(rules, text, 'remove the leading zeros of numbers in the pre-release');
  }
  return Number(id);
}

function hintFor(text: string): string | undefined {
  if (text !== text.trim()) {
    return 'remove the spaces around it';
  }
  if (NO_PATCH.test(text)) {
    return 'name the patch version too, since features and image tags differ between patch versions';
  }
  if (/-head$|^(head|latest|stable|master)$/.test(text)) {
    return 'name a release, not a channel or a build of a branch';
  }
  return undefined;
}

function refusal(rules: SemverRules, text: unknown, hint?: string): Error {
  const given = typeof text === 'string' ? JSON.stringify(text) : String(text);
  return new Error(
    `${rules.what}: must be a full version such as "${rules.example}", got ${given}${hint ? `. Fix: ${hint}` : ''}`,
  );
}

/** A product whose version decides what the library writes. Each slice describes its own. */
export interface Product extends SemverRules {
  /** E.g. `rancher`; a target declares its version as `rancherVersion`. */
  readonly id: string;
  /** The name in sentences. */
  readonly name: string;
  /** What precedes the version in the form of the product. @default - nothing */
  readonly prefix?: string;
  /**
   * The minor lines whose rules this release of the library knows.
   * @default - versions of the product are not declared
   */
  readonly known?: KnownLines;
}

/**
 * The minor lines of a product that were read: the first and the last one, e.g. `2.8` and `2.15`,
 * and where.
 */
export interface KnownLines {
  readonly first: string;
  readonly last: string;
  readonly source: string;
  /** The last patch version that is known of minor lines. @default - not known */
  readonly patches?: { readonly [minor: string]: number };
}

/**
 * Whether a version is of a minor line before the known ones (negative), of one of them (0), or of
 * a later one (positive). A pre-release is of its minor line.
 */
export function compareToKnown(version: Semver, { first, last }: KnownLines): number {
  const beyond = (line: string): number => {
    const [major, minor] = line.split('.').map(Number);
    return version.major - major || version.minor - minor;
  };
  return Math.min(beyond(first), 0) || Math.max(beyond(last), 0);
}
