import { TargetKind } from '../../core/construct/target';
import { FoundCluster } from '../../core/draft/draft';
import { some } from '../../core/text/plain-text';
import { OpenOptions } from '../../engine/auth/bind-targets';
import { ReadOptions } from '../../engine/files/find-files';
import { importNames, importsNamed } from '../read/imports';

/**
 * A cluster whose objects are in files: a GitOps repository, or the output of `kubectl get -o
 * yaml`.
 */
export interface ManifestFolder {
  /** A folder, or a file. */
  readonly folder: string;
  /**
   * Whether it is a Rancher, a Harvester, or a guest cluster.
   * @default - by the kinds of its objects
   */
  readonly kind?: 'rancher' | 'harvester' | 'guest';
  /**
   * The version of Rancher, Harvester, or Kubernetes.
   * @default - by its objects, which must contain it
   */
  readonly version?: string;
}

/** What to adopt, and from where. */
export interface AdoptSources extends OpenOptions, ReadOptions {
  /**
   * The clusters that are read from files, by the names of their targets.
   * @default - only live clusters are read
   */
  readonly from?: { readonly [target: string]: ManifestFolder };
  /**
   * The versions of live clusters that do not report theirs, by the names of their targets.
   * @default - by their objects
   */
  readonly versions?: { readonly [target: string]: string };
  /**
   * The Clusters of Rancher that import Harvester clusters, by the names of their targets: each is the
   * name of the Cluster, its display name, or its management cluster ID.
   * @default - by the objects of the Harvester, otherwise a Cluster with the name of its target
   */
  readonly imports?: { readonly [target: string]: string };
  /** The URL of Rancher, where its objects do not contain it. @default - by its objects */
  readonly serverUrl?: string;
  /**
   * Files with a Terraform state: the output of `terraform show -json` or `terraform state pull`.
   * @default - what Terraform owns is unknown
   */
  readonly terraform?: readonly string[];
  /**
   * What is adopted, each as `<key>=<value>`; the keys are namespace, project, label, cluster, and
   * kind.
   * @default - all that belongs to no product
   */
  readonly select?: readonly string[];
  /**
   * IDs of objects that are adopted although it is unclear whether a user or a product created them.
   * @default - these are listed only
   */
  readonly include?: readonly string[];
  /**
   * Whether the guest clusters of Rancher are read too, by the Secrets with their kubeconfigs that
   * Rancher keeps. Clusters that `context` or `from` names are read by these. @default false - the
   * Secrets are not used
   */
  readonly guests?: boolean;
  /** Aborts the reading. */
  readonly signal?: AbortSignal;
}

/** The error where no option names a cluster. */
export const NO_CLUSTER =
  'no cluster was given. Fix: set --context <target>=<context> for each cluster, or --from <target>=<folder>';

/** The error for a cluster that two options name. */
export function readTwiceMessage(name: string): string {
  return `--from: ${name} is read twice. Fix: give each cluster another name`;
}

/** How many names an error lists. */
const MAX_NAMED = 10;

/**
 * Clusters with what options give where their objects lack it. Throws for a cluster without a
 * version, a Rancher without a URL, and an import of something else.
 */
export function completedClusters(
  clusters: readonly FoundCluster[],
  options: AdoptSources,
): readonly FoundCluster[] {
  const completed = clusters.map((cluster) => completedCluster(cluster, options));
  throwProblems(completed.flatMap((cluster) => factProblems(cluster, options)));
  throwProblems(importProblems(completed, options));
  return completed;
}

function completedCluster(cluster: FoundCluster, options: AdoptSources): FoundCluster {
  const { name, kind } = cluster;
  const givenUrl = kind === TargetKind.RANCHER ? options.serverUrl : undefined;
  return {
    ...cluster,
    version: cluster.version ?? options.versions?.[name],
    serverUrl: cluster.serverUrl ?? givenUrl,
    importedAs: options.imports?.[name],
  };
}

function throwProblems(problems: readonly string[]): void {
  if (problems.length > 0) {
    throw new Error(problems.join('\n'));
  }
}

/** A program names the version of each cluster, and the URL of Rancher. */
function factProblems(cluster: FoundCluster, { from = {} }: AdoptSources): string[] {
  const { name, kind, version, serverUrl } = cluster;
  const problems: string[] = [];
  if (version === undefined) {
    const isFolder = Object.hasOwn(from, name);
    problems.push(isFolder ? folderVersionMessage(cluster) : liveVersionMessage(cluster));
  }
  if (kind === TargetKind.RANCHER && serverUrl === undefined) {
    problems.push(
      `--server-url: the URL of ${name} is not known. Fix: set --server-url https://rancher.example.com with its URL`,
    );
  }
  return problems;
}

const EXAMPLE_VERSIONS: { readonly [kind in TargetKind]: string } = {
  [TargetKind.RANCHER]: '2.15.0',
  [TargetKind.HARVESTER]: '1.9.0',
  [TargetKind.GUEST]: 'v1.34.10+rke2r1',
};

function folderVersionMessage({ name, kind }: FoundCluster): string {
  return (
    `--from: the version of ${name} is not in its manifests. ` +
    `Fix: set --from ${name}:${kind}@${EXAMPLE_VERSIONS[kind]}=<folder> with its version`
  );
}

function liveVersionMessage({ name, kind }: FoundCluster): string {
  return (
    `--target-version: the version of ${name} is not known: its Setting server-version names no release, as that of a development build. ` +
    `Fix: set --target-version ${name}=${EXAMPLE_VERSIONS[kind]} with its version`
  );
}

/** An import names a Harvester and a Cluster of Rancher that were read. */
function importProblems(
  clusters: readonly FoundCluster[],
  { imports = {} }: AdoptSources,
): string[] {
  const problems: string[] = [];
  for (const [target, cluster] of Object.entries(imports)) {
    problems.push(...harvesterProblems(target, clusters));
    problems.push(...importedClusterProblems(cluster, clusters));
  }
  return problems;
}

function harvesterProblems(target: string, clusters: readonly FoundCluster[]): string[] {
  const harvesters = clusters
    .filter(({ kind }) => kind === TargetKind.HARVESTER)
    .map(({ name }) => name);
  if (harvesters.includes(target)) {
    return [];
  }
  const names = some(harvesters, MAX_NAMED);
  return [
    `--import: ${target} must be a Harvester that is read, one of ${names}. Fix: use the name of its target`,
  ];
}

/** @param cluster a name of a Cluster of Rancher, or its management cluster ID */
function importedClusterProblems(cluster: string, clusters: readonly FoundCluster[]): string[] {
  const ids = importsNamed(clusters, cluster);
  if (ids.length > 1) {
    return [
      `--import: ${cluster} must name one Cluster of Rancher, got that of ${ids.map(String).join(', ')}. Fix: use the management cluster ID`,
    ];
  }
  if (ids.length === 1) {
    return [];
  }
  const known = new Set(importNames(clusters).map(({ name }) => name));
  return [
    `--import: ${cluster} must be an imported Cluster of Rancher, one of ${some([...known], MAX_NAMED)}. Fix: use its name, its display name, or its management cluster ID`,
  ];
}
