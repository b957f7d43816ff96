import { readFileSync } from 'fs';
import { provePlan } from './plan-proof';
import { adoptPlatform, AdoptResult, madeOf } from './run-adopt';
import { TargetKind } from '../../core/construct/target';
import { FoundCluster } from '../../core/draft/draft';
import { Manifest, objectLabel } from '../../core/manifest/manifest';
import { TARGET_KINDS } from '../../core/output/assembly';
import { some } from '../../core/text/plain-text';
import { OpenCluster, openContexts, openGuest, OpenOptions } from '../../engine/auth/bind-targets';
import { readConfigFile } from '../../engine/auth/config-file';
import { ReadOptions } from '../../engine/files/find-files';
import { inParallel } from '../../engine/transport/pace';
import { isCluster } from '../../guest/cluster/cluster.kind';
import { isProvisioned } from '../../rancher/cluster/cluster.facts';
import { readFolder } from '../read/folder';
import { importNames, importsNamed } from '../read/imports';
import { readLive } from '../read/live';
import { readState, TerraformResource } from '../read/terraform';

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

/**
 * Reads live clusters and folders, and writes the program that declares what was found. Nothing is
 * written to a cluster or a file.
 */
export async function adoptClusters(options: AdoptSources): Promise<AdoptResult> {
  const resources = (options.terraform ?? []).flatMap(readStateFile);
  const { config, cwd = process.cwd(), select, include } = options;
  // read first: it may be wrong
  const ignore = config === undefined ? [] : readConfigFile(config, cwd).ignore;
  return withAll(options, async (clusters, opened) =>
    proved(adoptPlatform({ clusters, select, include, ignore, resources }), opened, options),
  );
}

/** A program with what its first plan shows, where all clusters were read live. */
async function proved(
  result: AdoptResult,
  opened: readonly OpenCluster[],
  { from = {}, signal }: AdoptSources,
): Promise<AdoptResult> {
  const made = madeOf(result);
  if (!made || Object.keys(from).length > 0 || result.errors.length > 0) {
    return result;
  }
  try {
    const { problems, takeOver } = await provePlan(made.adopted, made.clusters, opened, {
      signal,
    });
    return { ...result, takeOver, differences: [...result.differences, ...problems] };
  } catch (error) {
    if (signal?.aborted) {
      throw error;
    }
    const reason = `the first plan could not be made: ${(error as Error).message}`;
    const [{ name: target }] = opened;
    return { ...result, unread: [...result.unread, { target, kind: 'plan', reason }] };
  }
}

/** Reads all clusters; the live ones are open as long as they are used. */
async function withAll<T>(
  options: AdoptSources,
  use: (clusters: readonly FoundCluster[], opened: readonly OpenCluster[]) => Promise<T>,
): Promise<T> {
  const { signal, from = {}, context, config } = options;
  if (Object.keys(from).length === 0 && (context?.size ?? 0) === 0 && config === undefined) {
    throw new Error(NO_CLUSTER);
  }
  const folders = Object.entries(from).map(([name, folder]) =>
    folderCluster(name, folder, options),
  );
  const opened: OpenCluster[] = [...(await openContexts(options))];
  try {
    const twice = opened.find(({ name }) => Object.hasOwn(from, name));
    if (twice) {
      throw new Error(readTwice(twice.name));
    }
    const live = await Promise.all(
      opened.map(async ({ name, by, cluster }) => readLive({ name, cluster, by, signal })),
    );
    const managed = options.guests
      ? await readGuests(opened, [...live, ...folders], options)
      : { clusters: live, opened: [] };
    opened.push(...managed.opened);
    const clusters = [...managed.clusters, ...folders];
    if (clusters.length === 0) {
      throw new Error(NO_CLUSTER);
    }
    const known = clusters.map((cluster) => withGiven(cluster, options));
    checkKnown(known, from);
    checkImports(known, options.imports);
    return await use(known, opened);
  } finally {
    opened.forEach(({ cluster }) => cluster.close());
  }
}

/** Clusters that were read, and those of them that are opened for it. */
interface ReadClusters {
  readonly clusters: readonly FoundCluster[];
  readonly opened: readonly OpenCluster[];
}

/** The live clusters with the guest clusters that their Ranchers manage, which remain open. */
async function readGuests(
  opened: readonly OpenCluster[],
  clusters: readonly FoundCluster[],
  options: AdoptSources,
): Promise<ReadClusters> {
  const ranchers = opened.flatMap((open) => {
    const found = clusters.find(
      ({ name, kind }) => name === open.name && kind === TargetKind.RANCHER,
    );
    return found ? [{ open, found }] : [];
  });
  if (ranchers.length === 0) {
    throw new Error(NO_RANCHER);
  }
  const taken = new Set(clusters.map(({ name }) => name));
  const read = new Map(
    await Promise.all(
      ranchers.map(
        async ({ open, found }) =>
          [open.name, await guestsOf(open, found, taken, options)] as const,
      ),
    ),
  );
  const live = clusters.filter(({ name }) => opened.some((open) => open.name === name));
  const all = [...read.values()];
  return {
    clusters: [
      ...live.map((each) => ({
        ...each,
        unread: [...each.unread, ...(read.get(each.name)?.unread ?? [])],
      })),
      ...all.flatMap(({ guests }) => guests),
    ],
    opened: all.flatMap((each) => each.opened),
  };
}

const NO_RANCHER =
  '--guests: no Rancher is read from a context. Fix: set --context <target>=<context> for Rancher, or leave --guests out';

const NO_CLUSTER =
  'no cluster was given. Fix: set --context <target>=<context> for each cluster, or --from <target>=<folder>';

/** The error for a cluster that two options name. */
export function readTwice(name: string): string {
  return `--from: ${name} is read twice. Fix: give each cluster another name`;
}

function folderCluster(
  name: string,
  { folder, kind, version }: ManifestFolder,
  options: AdoptSources,
): FoundCluster {
  if (kind !== undefined && !TARGET_KINDS.includes(kind)) {
    throw new Error(
      `--from: the kind of ${name} must be one of ${TARGET_KINDS.join(', ')}, got ${String(kind)}`,
    );
  }
  const { maxFileSize, followLinks, exclude, serverUrl } = options;
  const found = readFolder({
    maxFileSize,
    followLinks,
    exclude,
    name,
    folder,
    kind: kind as TargetKind | undefined,
  });
  if (kind === undefined && found.kind === TargetKind.GUEST && !isOfKubernetes(version)) {
    throw new Error(
      `--from: the kind of ${name} does not follow from its objects, and ${version!} is not a version of Kubernetes. Fix: set --from ${name}:<kind>@${version!}=<folder> with one of ${TARGET_KINDS.join(', ')}`,
    );
  }
  return {
    ...found,
    version: version ?? found.version,
    serverUrl: found.serverUrl ?? (found.kind === TargetKind.RANCHER ? serverUrl : undefined),
  };
}

/** Whether a version, if there is one, may be that of a guest cluster: Kubernetes has been 1 so far. */
function isOfKubernetes(version = 'v1'): boolean {
  return /^v?1(\.|$)/.test(version) && !/^1\.\d\.\d+$/.test(version);
}

/** A cluster with the version and the URL that options give where its objects have none. */
function withGiven(
  cluster: FoundCluster,
  { versions, serverUrl, imports }: AdoptSources,
): FoundCluster {
  const { name, kind, version = versions?.[name] } = cluster;
  const url = cluster.serverUrl ?? (kind === TargetKind.RANCHER ? serverUrl : undefined);
  return { ...cluster, version, serverUrl: url, importedAs: imports?.[name] };
}

/** An import names a Harvester and a Cluster of Rancher that were read. */
function checkImports(
  clusters: readonly FoundCluster[],
  imports: AdoptSources['imports'] = {},
): void {
  const harvesters = clusters
    .filter(({ kind }) => kind === TargetKind.HARVESTER)
    .map(({ name }) => name);
  const names = importNames(clusters);
  const problems = Object.entries(imports).flatMap(([target, cluster]) => [
    ...(harvesters.includes(target)
      ? []
      : [
          `--import: ${target} must be a Harvester that is read, one of ${some(harvesters, MAX_NAMED)}. Fix: use the name of its target`,
        ]),
    ...importProblems(importsNamed(clusters, cluster), cluster, names),
  ]);
  if (problems.length > 0) {
    throw new Error(problems.join('\n'));
  }
}

function importProblems(
  ids: readonly (string | undefined)[],
  cluster: string,
  names: ReturnType<typeof importNames>,
): readonly string[] {
  if (ids.length > 1) {
    return [
      `--import: ${cluster} must name one Cluster of Rancher, got that of ${ids.map(String).join(', ')}. Fix: use the management cluster ID`,
    ];
  }
  const known = [...new Set(names.map(({ name }) => name))];
  return ids.length === 1
    ? []
    : [
        `--import: ${cluster} must be an imported Cluster of Rancher, one of ${some(known, MAX_NAMED)}. Fix: use its name, its display name, or its management cluster ID`,
      ];
}

/** How many names an error lists. */
const MAX_NAMED = 10;

/** A program names the version of each cluster, and the URL of Rancher. */
function checkKnown(clusters: readonly FoundCluster[], from: AdoptSources['from'] = {}): void {
  const problems = clusters.flatMap(({ name, kind, version, serverUrl }) => [
    ...(version === undefined
      ? [
          Object.hasOwn(from, name)
            ? `--from: the version of ${name} is not in its manifests. Fix: set --from ${name}:${kind}@${EXAMPLE_VERSIONS[kind]}=<folder> with its version`
            : `--target-version: the version of ${name} is not known: its Setting server-version names no release, as that of a development build. Fix: set --target-version ${name}=${EXAMPLE_VERSIONS[kind]} with its version`,
        ]
      : []),
    ...(kind === TargetKind.RANCHER && serverUrl === undefined
      ? [
          `--server-url: the URL of ${name} is not known. Fix: set --server-url https://rancher.example.com with its URL`,
        ]
      : []),
  ]);
  if (problems.length > 0) {
    throw new Error(problems.join('\n'));
  }
}

const EXAMPLE_VERSIONS: { readonly [kind in TargetKind]: string } = {
  [TargetKind.RANCHER]: '2.15.0',
  [TargetKind.HARVESTER]: '1.9.0',
  [TargetKind.GUEST]: 'v1.34.10+rke2r1',
};

function readStateFile(file: string): readonly TerraformResource[] {
  try {
    return readState(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`);
  }
}

/** The guest clusters of a Rancher, and those that could not be read. */
interface ReadGuests {
  readonly guests: readonly FoundCluster[];
  /** The connections to them: close each. */
  readonly opened: readonly OpenCluster[];
  readonly unread: FoundCluster['unread'];
}

/** Clusters at a time. */
const CONCURRENCY = 4;

/**
 * Reads the guest clusters that a Rancher manages, by the Secrets with their kubeconfigs.
 *
 * @param taken the names of clusters that are read otherwise
 */
export async function guestsOf(
  rancher: OpenCluster,
  { objects, serverUrl }: FoundCluster,
  taken: ReadonlySet<string>,
  options: OpenOptions & { readonly signal?: AbortSignal },
): Promise<ReadGuests> {
  const { signal } = options;
  const unread: { kind: string; reason: string }[] = [];
  const named = objects
    .map(({ manifest }) => manifest)
    .filter((manifest) => isCluster(manifest) && isProvisioned(manifest));
  const own = new Set<string>();
  const clusters = named.filter((cluster) => {
    const { name } = cluster.metadata;
    const reason = `another cluster has the name ${name}. Fix: set --context <target>=<context> for one of them`;
    if (own.has(name)) {
      unread.push({ kind: objectLabel(cluster), reason });
    }
    return !taken.has(name) && !own.has(name) && own.add(name);
  });
  const open: OpenCluster[] = [];
  const guests = await inParallel(
    clusters,
    () => rancher.name,
    CONCURRENCY,
    async (cluster: Manifest): Promise<readonly FoundCluster[]> => {
      const { name, namespace = '' } = cluster.metadata;
      let opened: OpenCluster | undefined;
      try {
        opened = await openGuest(name, { namespace, name }, rancher, serverUrl, options, signal);
        const found = await readLive({ name, cluster: opened.cluster, by: opened.by, signal });
        open.push(opened);
        return [found];
      } catch (error) {
        opened?.cluster.close();
        if (signal?.aborted) {
          open.forEach(({ cluster: each }) => each.close());
          throw error;
        }
        unread.push({
          kind: objectLabel(cluster),
          reason: `what is in the cluster could not be read: ${(error as Error).message}`,
        });
        return [];
      }
    },
    signal,
  );
  return { guests: guests.flat(), opened: open, unread };
}
