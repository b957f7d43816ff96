import { ProductVersion, Since } from './product-version';

/** Names that a product has in the same versions, e.g. those of its settings. */
export interface VersionedNames {
  /** First versions, one for each minor line; empty: every version. */
  readonly since: readonly string[];
  /** First versions without them again. */
  readonly until?: readonly string[];
  /** The names, with spaces between them. */
  readonly names: string;
}

/** The versions that have a name. */
export interface NameVersions {
  readonly since: Since;
  readonly until?: Since;
}

/** The versions of each name of a table. */
export function versionsByName(rows: readonly VersionedNames[]): ReadonlyMap<string, NameVersions> {
  return new Map(
    rows.flatMap(({ since, until, names }) => {
      const first = since.length === 0 ? Since.always() : Since.of(...since);
      const versions: NameVersions = {
        since: first,
        ...(until ? { until: Since.of(...until) } : {}),
      };
      return names.split(' ').map((name) => [name, versions] as const);
    }),
  );
}

/** What to do about a name that a version lacks; undefined where it has the name. */
export function cureOfLack(
  { since, until }: NameVersions,
  version: ProductVersion,
): string | undefined {
  if (until?.includes(version)) {
    return `remove it: ${version.product.name} ${until} lack it`;
  }
  return since.includes(version)
    ? undefined
    : `remove it, or upgrade ${version.product.name} to ${since}`;
}

/** The versions that have a name, as in `Rancher 2.15.0 and later`; undefined where all have it. */
export function printVersions({ since, until }: NameVersions, product: string): string | undefined {
  const parts = [
    ...(since.versions.length > 0 ? [since.toString()] : []),
    ...(until ? [`before ${until.versions.join(', ')}`] : []),
  ];
  return parts.length > 0 ? `${product} ${parts.join(', ')}` : undefined;
}
