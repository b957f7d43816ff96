import { LiveWorld, listOf, SeenTarget, textAt } from './live-world';
import { reasonOf } from './words';
import { AssemblyTarget } from '../../model/assembly';
import { IMPORT_PATH, registrationOf } from '../../model/harvester-settings/registration';
import { CLUSTER_AGENT, FLEET_AGENT } from '../../model/live-names';
import { API_VERSIONS, GLOBAL_DATA, SETTING_REGISTRATION_URL } from '../../model/names';
import { readLogs } from '../agents/agent-pods';
import { BoundTarget, BoundTargets } from '../bind/targets';
import { Cluster, LiveObject, RequestOptions } from '../cluster/cluster';
import { inParallel } from '../plan/in-parallel';
import { ApiError } from '../transport/api';

type Kind = AssemblyTarget['kind'];

/** One list that checks look at. */
export type ReadName =
  | 'settings' | 'clusters' | 'management-clusters' | 'tokens' | 'registration-tokens' | 'projects' | 'machine-configs' | 'credentials' | 'token-secrets'
  | 'namespaces' | 'agent-pods' | 'fleet-pods' | 'agent-deployments' | 'load-balancers';

interface Read {
  readonly name: ReadName;
  readonly on: readonly Kind[];
  readonly apiVersion: string | ((kind: Kind) => string);
  readonly kind: string;
  readonly namespace?: string;
  readonly labelSelector?: string;
}

const EVERYWHERE: readonly Kind[] = ['rancher', 'harvester', 'guest'];
const MANAGED: readonly Kind[] = ['harvester', 'guest'];

/** What is listed of each kind of target: one request each. */
export const READS: readonly Read[] = [
  { name: 'settings', on: ['rancher', 'harvester'], apiVersion: (kind) => (kind === 'rancher' ? API_VERSIONS.MANAGEMENT : API_VERSIONS.HARVESTER), kind: 'Setting' },
  { name: 'clusters', on: ['rancher'], apiVersion: API_VERSIONS.PROVISIONING, kind: 'Cluster' },
  { name: 'management-clusters', on: ['rancher'], apiVersion: API_VERSIONS.MANAGEMENT, kind: 'Cluster' },
  { name: 'tokens', on: ['rancher'], apiVersion: API_VERSIONS.MANAGEMENT, kind: 'Token' },
  { name: 'registration-tokens', on: ['rancher'], apiVersion: API_VERSIONS.MANAGEMENT, kind: 'ClusterRegistrationToken' },
  { name: 'projects', on: ['rancher'], apiVersion: API_VERSIONS.MANAGEMENT, kind: 'Project' },
  { name: 'machine-configs', on: ['rancher'], apiVersion: 'rke-machine-config.cattle.io/v1', kind: 'HarvesterConfig' },
  { name: 'credentials', on: ['rancher'], apiVersion: API_VERSIONS.CORE, kind: 'Secret', namespace: GLOBAL_DATA },
  { name: 'namespaces', on: EVERYWHERE, apiVersion: API_VERSIONS.CORE, kind: 'Namespace' },
  { name: 'agent-pods', on: MANAGED, apiVersion: API_VERSIONS.CORE, kind: 'Pod', namespace: CLUSTER_AGENT.namespace, labelSelector: CLUSTER_AGENT.selector },
  { name: 'fleet-pods', on: MANAGED, apiVersion: API_VERSIONS.CORE, kind: 'Pod', namespace: FLEET_AGENT.namespace, labelSelector: FLEET_AGENT.selector },
  { name: 'agent-deployments', on: MANAGED, apiVersion: 'apps/v1', kind: 'Deployment', namespace: CLUSTER_AGENT.namespace },
  { name: 'load-balancers', on: ['harvester'], apiVersion: 'loadbalancer.harvesterhci.io/v1beta1', kind: 'LoadBalancer' },
];

const CONCURRENCY = 4;

/** A target while it is read. */
interface Looking {
  readonly bound: BoundTarget;
  readonly cluster?: Cluster;
  readonly unreachable?: string;
  readonly absent?: boolean;
  readonly seen: Map<ReadName, readonly LiveObject[]>;
  readonly notSeen: Map<ReadName, string>;
}

/** Reads all that checks look at, from all targets. What can't be read is told, and the rest is read all the same. */
export async function readWorld(targets: BoundTargets, now: Date, options: RequestOptions = {}): Promise<LiveWorld> {
  const looking = await Promise.all([...targets.values()].map(async (bound) => open(bound, options)));
  const jobs = looking.filter(({ cluster }) => cluster)
    .flatMap((each) => READS.filter(({ on }) => on.includes(each.bound.target.kind)).map((read) => ({ each, read })));
  await inParallel(jobs, ({ each }) => each.bound.target.name, CONCURRENCY, async ({ each, read }) => {
    const { namespace, labelSelector } = read;
    const apiVersion = typeof read.apiVersion === 'string' ? read.apiVersion : read.apiVersion(each.bound.target.kind);
    await note(each, read.name, async () => each.cluster!.list(apiVersion, read.kind, { ...options, namespace, labelSelector }));
  }, options.signal);
  await Promise.all(looking.map(async ({ cluster, seen: lists }) => (
    cluster && readLogs([...lists.get('agent-pods') ?? [], ...lists.get('fleet-pods') ?? []], cluster, false, options))));
  const seen = looking.map(seenOf);
  const ids = registeredIds(seen);
  await Promise.all(looking.filter(({ bound, cluster }) => cluster && bound.target.kind === 'rancher').map(async (each) => {
    await note(each, 'token-secrets', async () => tokenSecrets(each.cluster!, ids, options));
  }));
  return new LiveWorld(seen, now);
}

async function open(bound: BoundTarget, { signal }: RequestOptions): Promise<Looking> {
  const looking = { bound, seen: new Map(), notSeen: new Map() };
  try {
    return { ...looking, cluster: await bound.cluster(signal) };
  } catch (error) {
    stopIfAborted(error, signal);
    // a guest that Rancher is yet to make
    const absent = bound.target.kind === 'guest' && error instanceof ApiError && (error.failure === 'blocked' || error.failure === 'not-found');
    return { ...looking, unreachable: reasonOf(error as Error, bound), absent };
  }
}

async function note({ seen, notSeen }: Looking, name: ReadName, read: () => Promise<readonly LiveObject[]>): Promise<void> {
  try {
    seen.set(name, await read());
  } catch (error) {
    if (!(error instanceof ApiError) || error.failure === 'aborted') { throw error; }
    notSeen.set(name, error.message);
  }
}

function stopIfAborted(error: unknown, signal: AbortSignal | undefined): void {
  if (signal?.aborted) { throw error; }
}

function seenOf({ bound: { target, by }, unreachable, absent, seen, notSeen }: Looking): SeenTarget {
  return { target, by, seen, notSeen, ...(unreachable === undefined ? {} : { unreachable }), ...(absent ? { absent } : {}) };
}

/** The ids of the management clusters that Harvesters register as: the namespaces in which Rancher looks their tokens up. */
function registeredIds(targets: readonly SeenTarget[]): string[] {
  const ids = targets.filter(({ target }) => target.kind === 'harvester').flatMap((target) => listOf(target, 'settings')
    .filter(({ metadata }) => metadata.name === SETTING_REGISTRATION_URL)
    .flatMap((setting) => {
      const { url } = registrationOf(textAt(setting, 'value'));
      const match = URL.canParse(url) ? IMPORT_PATH.exec(new URL(url).pathname) : null;
      return match ? [match[2]] : [];
    }));
  return [...new Set(ids)];
}

async function tokenSecrets(cluster: Cluster, ids: readonly string[], options: RequestOptions): Promise<LiveObject[]> {
  const lists = await Promise.all(ids.map(async (namespace) => cluster.list(API_VERSIONS.CORE, 'Secret', { ...options, namespace })));
  return lists.flat();
}
