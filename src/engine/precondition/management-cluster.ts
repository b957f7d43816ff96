import { isLate } from '../../core/late/late-token';
import { acceptedRemoval } from '../../core/leaving/removal-pattern';
import {
  annotationsOf,
  Manifest,
  objectId,
  objectLabel,
  printName,
  valueAt,
} from '../../core/manifest/manifest';
import { API_VERSIONS, ANNOTATION_PROJECT_ID } from '../../core/manifest/names';
import { AssemblyRemoval } from '../../core/output/assembly';
import { isMadeByRancher } from '../../rancher/binding/made-binding.facts';
import {
  isProvisioned,
  keepName,
  managementClusterIdOf,
} from '../../rancher/cluster/cluster.facts';
import { TENANT_KINDS } from '../../rancher/cluster/management-cluster.kind';
import { isProjectOfRancher } from '../../rancher/project/project.kind';
import { Cluster, LiveObject, ObjectRef } from '../cluster/cluster';
import { APPLY_SET, appOfManager } from '../fields/apply-set';
import { isManagement, isProvisioningCluster, isRegistration } from '../graph/object-index';
import { onFailure } from '../transport/api';

/** The Clusters of a Rancher. */
export interface LiveClusters {
  readonly live: readonly LiveObject[];
  /** Why not all Clusters are known. */
  readonly unknown?: string;
}

/**
 * Whether a manifest is a Cluster with a fixed management cluster ID, which another Cluster may
 * already have.
 */
export function asksForId(manifest: Manifest): boolean {
  const id =
    manifest.apiVersion === API_VERSIONS.PROVISIONING && manifest.kind === 'Cluster'
      ? managementClusterIdOf(manifest)
      : undefined;
  return id !== undefined && !isLate(id);
}

/**
 * The problem of a new Cluster whose management cluster already belongs to another live Cluster: of
 * this app under another name, of another app, or from the UI. Rancher gives both the same
 * management cluster, and deleting either deletes it with all projects, members and tokens.
 *
 * @see rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go createNewCluster
 */
export function sharedId(manifest: Manifest, live: readonly LiveObject[]): string | undefined {
  const other = otherOf(manifest, live);
  if (!other) {
    return undefined;
  }
  const { name, namespace } = other.metadata;
  const owner = ownerText(other);
  const by = owner === '' ? '' : ` (${owner})`;
  return (
    `management cluster ID ${managementClusterIdOf(manifest)} already belongs to ${objectLabel(other)}${by}: both would share one management cluster, and ` +
    `deleting either deletes the projects, members and tokens of both. Fix: ${keepName(name, namespace === manifest.metadata.namespace ? undefined : namespace)}`
  );
}

/** The app that wrote an object, e.g. `of app shop`; empty if none is known. */
export function ownerText({ metadata }: LiveObject): string {
  const { managedFields = [], labels = {} } = metadata;
  const app = managedFields
    .map(({ manager }) => appOfManager(manager))
    .find((each) => each !== undefined);
  if (app) {
    return `of app ${app.id}`;
  }
  return APPLY_SET.PART_OF in labels ? 'of another app' : '';
}

/** Another live Cluster with the management cluster of this one. */
export async function sharesWith(
  live: LiveObject,
  cluster: Pick<Cluster, 'list'>,
  signal?: AbortSignal,
): Promise<LiveObject | undefined> {
  return managementClusterIdOf(live) === undefined
    ? undefined
    : otherOf(live, await cluster.list(live.apiVersion, live.kind, { signal }));
}

function otherOf(manifest: Manifest, live: readonly LiveObject[]): LiveObject | undefined {
  const { namespace, name } = manifest.metadata;
  const id = managementClusterIdOf(manifest);
  return live.find(
    (each) =>
      managementClusterIdOf(each) === id &&
      !(each.metadata.namespace === namespace && each.metadata.name === name),
  );
}

interface TenantOptions {
  /** The field manager of this app, whose objects are not those of others. @default - no app */
  readonly fieldManager?: string;
  /** Whether the run deletes an object itself. */
  readonly isGoing: (live: LiveObject) => boolean;
  readonly signal?: AbortSignal;
}

/**
 * The management cluster that Rancher deletes with an import; undefined for another object, and for
 * a cluster that Rancher provisioned, which is lost with its machines.
 */
export function importedId(live: LiveObject): string | undefined {
  if (isManagement(live, 'Cluster')) {
    return live.metadata.name;
  }
  return isProvisioningCluster(live) && !isProvisioned(live)
    ? managementClusterIdOf(live)
    : undefined;
}

/**
 * The projects and bindings of a management cluster that this app did not apply, and that Rancher
 * did not make itself. A binding of a project that the run deletes is deleted with that project.
 */
export async function tenantsOfOthers(
  id: string,
  cluster: Pick<Cluster, 'list'>,
  { fieldManager, isGoing, signal }: TenantOptions,
): Promise<readonly LiveObject[]> {
  const [projects, projectBindings, clusterBindings] = await Promise.all(
    TENANT_KINDS.map(async (kind) => cluster.list(API_VERSIONS.MANAGEMENT, kind, { signal })),
  );
  const isOfOthers = (live: LiveObject): boolean =>
    !isGoing(live) &&
    !(live.metadata.managedFields ?? []).some(({ manager }) => manager === fieldManager);
  const inCluster = projects.filter(({ spec }) => valueAt(spec, 'clusterName') === id);
  const remaining = new Set<unknown>(
    inCluster
      .filter((project) => !isGoing(project))
      .map(({ metadata }) => `${id}:${metadata.name}`),
  );
  const bindings = [
    ...projectBindings.filter(({ projectName }) => remaining.has(projectName)),
    ...clusterBindings.filter(({ clusterName }) => clusterName === id),
  ];
  return [
    ...inCluster.filter((project) => !isProjectOfRancher(project)),
    ...bindings.filter((binding) => !isMadeByRancher(binding)),
  ].filter(isOfOthers);
}

/** @param applied Clusters that this app applied: they are read if listing is forbidden */
export async function liveClusters(
  cluster: Pick<Cluster, 'list' | 'read'>,
  applied: readonly ObjectRef[],
  signal?: AbortSignal,
): Promise<LiveClusters> {
  return cluster.list(API_VERSIONS.PROVISIONING, 'Cluster', { signal }).then(
    (live) => ({ live }),
    onFailure(['forbidden'], async ({ message }) => {
      const live = await Promise.all(applied.map(async (ref) => cluster.read(ref, { signal })));
      return {
        live: live.flatMap((each) => each ?? []),
        unknown: `cannot check whether another Cluster has the management cluster ID of a new one: ${message}. Fix: allow this identity to list Clusters`,
      };
    }),
  );
}

/**
 * The live state of an object that the program declares on a Harvester, and which names a
 * management cluster.
 */
interface NamingObject {
  /** The name of the Harvester. */
  readonly on: string;
  readonly live?: LiveObject;
}

interface FormerOptions {
  /** The name of the Rancher. */
  readonly target: string;
  /** Lists the Clusters on it. */
  readonly live: () => Promise<readonly LiveObject[]>;
  /** Whether the program declares a Cluster. */
  readonly isDeclared: (cluster: LiveObject) => boolean;
  readonly removals: readonly AssemblyRemoval[];
}

/** Whether an object names the management cluster that it belongs to. */
export function namesCluster(object: ObjectRef): boolean {
  return isRegistration(object) || (object.apiVersion === 'v1' && object.kind === 'Namespace');
}

/**
 * Why a new Cluster must not be created: live objects of the Harvester name the management cluster
 * of another live Cluster. The Harvester would be registered again, and its namespaces would leave
 * their projects. This needs no inventory, so it also finds what an engine or another app applied.
 *
 * @param naming by what a Harvester is known
 */
export async function formerImport(
  manifest: Manifest,
  naming: readonly NamingObject[],
  { target, live, isDeclared, removals }: FormerOptions,
): Promise<string | undefined> {
  const own = managementClusterIdOf(manifest);
  const named = naming.flatMap(({ on, live: by }) => {
    const former = by && namedCluster(by);
    return former === undefined || former === own ? [] : [{ on, by: by!, former }];
  });
  if (named.length === 0) {
    return undefined;
  }
  const clusters = await live();
  if (clusters.some((each) => objectId(target, each) === objectId(target, manifest))) {
    return undefined;
  }
  for (const { on, by, former } of named) {
    const other = clusters.find(
      (each) =>
        managementClusterIdOf(each) === former && each.metadata.deletionTimestamp === undefined,
    );
    const otherId = other && objectId(target, other);
    if (
      !other ||
      otherId === undefined ||
      isDeclared(other) ||
      acceptedRemoval(removals, otherId)
    ) {
      continue;
    }
    const { name, namespace } = other.metadata;
    return (
      `would be another cluster than ${objectLabel(other)}, whose management cluster ${former} is named by ${objectLabel(by)} on ${on}: ` +
      'Harvester would be registered again, and its namespaces would leave their projects, with members and quotas. ' +
      `Fix: to rename only the construct, set its prop name to ${JSON.stringify(name)}; to replace ${printName({ namespace, name })}, add app.acceptRemoval('${otherId}', '<why>')`
    );
  }
  return undefined;
}

/** The management cluster ID in a registration URL, or in the project of a Namespace. */
export function namedCluster(manifest: Manifest): string | undefined {
  if (manifest.kind === 'Namespace') {
    const project = annotationsOf(manifest)[ANNOTATION_PROJECT_ID];
    return typeof project === 'string' && project.includes(':')
      ? project.slice(0, project.indexOf(':'))
      : undefined;
  }
  return /_([a-z0-9-]+)\.yaml/.exec(String(manifest.value ?? ''))?.[1];
}
