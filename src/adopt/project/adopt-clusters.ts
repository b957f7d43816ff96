import { readFileSync } from 'fs';
import {
  AdoptSources,
  completedClusters,
  ManifestFolder,
  NO_CLUSTER,
  readTwiceMessage,
} from './adopt-sources';
import { provePlan } from './plan-proof';
import { adoptPlatform, AdoptResult, madeOf } from './run-adopt';
import { TargetKind } from '../../core/construct/target';
import { FoundCluster } from '../../core/draft/draft';
import { TARGET_KINDS } from '../../core/output/assembly';
import { OpenCluster, openContexts } from '../../engine/auth/bind-targets';
import { readConfigFile } from '../../engine/auth/config-file';
import { readFolder } from '../read/folder';
import { LiveCluster, ReadClusters, readGuests } from '../read/guests';
import { readLive } from '../read/live';
import { readState, TerraformResource } from '../read/terraform';

/**
 * Reads live clusters and folders, and writes the program that declares what was found. Nothing is
 * written to a cluster or a file.
 */
export async function adoptClusters(options: AdoptSources): Promise<AdoptResult> {
  const { config, cwd = process.cwd(), from = {}, select, include } = options;
  // what may be wrong in files is found before clusters are read
  const resources = (options.terraform ?? []).flatMap(readStateFile);
  const ignore = config === undefined ? [] : readConfigFile(config, cwd).ignore;
  requireSource(options);
  const folders = Object.entries(from).map(([name, folder]) =>
    readClusterFolder(name, folder, options),
  );
  const opened = [...(await openContexts(options))];
  try {
    refuseReadTwice(opened, from);
    const live = await readClusters(opened, folders, options);
    opened.push(...live.opened);
    const all = [...live.clusters, ...folders];
    if (all.length === 0) {
      throw new Error(NO_CLUSTER);
    }
    const clusters = completedClusters(all, options);
    const result = adoptPlatform({ clusters, select, include, ignore, resources });
    return await withFirstPlan(result, opened, options);
  } finally {
    opened.forEach(({ cluster }) => cluster.close());
  }
}

function readStateFile(file: string): readonly TerraformResource[] {
  try {
    return readState(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`);
  }
}

/** Throws if no option names a cluster; a config file may. */
function requireSource({ from = {}, context, config }: AdoptSources): void {
  if (Object.keys(from).length === 0 && (context?.size ?? 0) === 0 && config === undefined) {
    throw new Error(NO_CLUSTER);
  }
}

function refuseReadTwice(
  opened: readonly OpenCluster[],
  from: NonNullable<AdoptSources['from']>,
): void {
  const twice = opened.find(({ name }) => Object.hasOwn(from, name));
  if (twice) {
    throw new Error(readTwiceMessage(twice.name));
  }
}

/** Reads the live clusters, with the guest clusters that their Ranchers manage if they are asked for. */
async function readClusters(
  opened: readonly OpenCluster[],
  folders: readonly FoundCluster[],
  options: AdoptSources,
): Promise<ReadClusters> {
  const { signal } = options;
  const live = await Promise.all(
    opened.map(async (open): Promise<LiveCluster> => {
      const { name, by, cluster } = open;
      return { open, found: await readLive({ name, cluster, by, signal }) };
    }),
  );
  if (!options.guests) {
    return { clusters: live.map(({ found }) => found), opened: [] };
  }
  const namesInFolders = folders.map(({ name }) => name);
  return readGuests(live, namesInFolders, options);
}

function readClusterFolder(
  name: string,
  source: ManifestFolder,
  options: AdoptSources,
): FoundCluster {
  const { folder, kind, version } = source;
  if (kind !== undefined && !TARGET_KINDS.includes(kind)) {
    throw new Error(
      `--from: the kind of ${name} must be one of ${TARGET_KINDS.join(', ')}, got ${String(kind)}`,
    );
  }
  const { maxFileSize, followLinks, exclude } = options;
  const givenKind = kind as TargetKind | undefined;
  const found = readFolder({ maxFileSize, followLinks, exclude, name, folder, kind: givenKind });
  if (kind === undefined && found.kind === TargetKind.GUEST && !isOfKubernetes(version)) {
    throw new Error(
      `--from: the kind of ${name} does not follow from its objects, and ${version!} is not a version of Kubernetes. ` +
        `Fix: set --from ${name}:<kind>@${version!}=<folder> with one of ${TARGET_KINDS.join(', ')}`,
    );
  }
  return { ...found, version: version ?? found.version };
}

/** Whether a version, if there is one, may be that of a guest cluster: Kubernetes has been 1 so far. */
function isOfKubernetes(version = 'v1'): boolean {
  return /^v?1(\.|$)/.test(version) && !/^1\.\d\.\d+$/.test(version);
}

/** A program with what its first plan shows, where all clusters were read live. */
async function withFirstPlan(
  result: AdoptResult,
  opened: readonly OpenCluster[],
  { from = {}, signal }: AdoptSources,
): Promise<AdoptResult> {
  const made = madeOf(result);
  if (!made || Object.keys(from).length > 0 || result.errors.length > 0) {
    return result;
  }
  try {
    const proof = await provePlan(made.adopted, made.clusters, opened, { signal });
    const differences = [...result.differences, ...proof.problems];
    return { ...result, takeOver: proof.takeOver, differences };
  } catch (error) {
    if (signal?.aborted) {
      throw error;
    }
    const reason = `the first plan could not be made: ${(error as Error).message}`;
    const unread = { target: opened[0].name, kind: 'plan', reason };
    return { ...result, unread: [...result.unread, unread] };
  }
}
