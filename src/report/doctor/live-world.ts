import { isRecord, valueAt, itemsAt } from '../../core/manifest/manifest';
import { API_VERSIONS, SETTING_REGISTRATION_URL } from '../../core/manifest/names';
import { AssemblyTarget, TARGET_KINDS } from '../../core/output/assembly';
import { textOrEmpty } from '../../core/text/plain-text';
import { readLogs, reasonOf } from '../../engine/agents/agent-pods';
import {
  BoundTarget,
  BoundTargets,
  Cluster,
  LiveObject,
  RequestOptions,
  clusterUid,
} from '../../engine/cluster/cluster';
import { App } from '../../engine/fields/apply-set';
import { readInventory, withTrustedUids } from '../../engine/inventory/inventory';
import { removedTargets, waysToRemove } from '../../engine/inventory/removed-targets';
import { otherClusters } from '../../engine/precondition/run-preconditions';
import { ApiError } from '../../engine/transport/api';
import { inParallel } from '../../engine/transport/pace';
import { HARVESTER_SYSTEM } from '../../guest/cloud-provider/cloud-provider.kind';
import { KIND_IP_POOL } from '../../harvester/ip-pool/ip-pool.kind';
import {
  API_LOAD_BALANCER,
  KIND_LOAD_BALANCER,
} from '../../harvester/load-balancer/load-balancer.kind';
import { API_ATTACHMENT, KIND_NETWORK_ATTACHMENT } from '../../harvester/network/vm-network.kind';
import { LABEL_LATEST_UPGRADE } from '../../harvester/node/node.kind';
import { registeredBy } from '../../harvester/settings/catalogue/registration.facts';
import { API_CATALOG, UI_PLUGIN_NAMESPACE } from '../../rancher/catalog/catalog.kind';
import { CLUSTER_AGENT, FLEET_AGENT } from '../../rancher/cluster/cluster.facts';
import { GLOBAL_DATA } from '../../rancher/credential/secret.kind';
import { NODE_DRIVER } from '../../rancher/rancher.kind';

/** What was read of one target. */
export interface SeenTarget {
  readonly target: AssemblyTarget;
  /** How it was reached, for people. */
  readonly by: string;
  /** Why nothing could be read at all. */
  readonly unreachable?: string;
  /** The cluster is yet to be made, so nothing is wrong with it. */
  readonly absent?: boolean;
  readonly seen: ReadonlyMap<ReadName, readonly LiveObject[]>;
  /** Why something could not be read. */
  readonly notSeen: ReadonlyMap<ReadName, string>;
}

/** One condition of an object's status. */
interface Condition {
  readonly status: string;
  readonly message: string;
}

/** All that was read, of all targets, at one time. */
export class LiveWorld {
  public constructor(
    public readonly targets: readonly SeenTarget[],
    public readonly now: Date,
  ) {}

  public ofKind(kind: AssemblyTarget['kind']): readonly SeenTarget[] {
    return this.targets.filter(({ target }) => target.kind === kind);
  }

  /** Milliseconds since a time that the server reported. Undefined if it is not a time. */
  public since(time: unknown): number | undefined {
    const at = typeof time === 'string' ? Date.parse(time) : NaN;
    return Number.isNaN(at) ? undefined : this.now.getTime() - at;
  }
}

/** Whether all of this was read of a target. */
export function knows({ seen }: SeenTarget, ...reads: readonly ReadName[]): boolean {
  return reads.every((read) => seen.has(read));
}

/** What was read; nothing where it could not be. */
export function listOf({ seen }: SeenTarget, read: ReadName): readonly LiveObject[] {
  return seen.get(read) ?? [];
}

/**
 * The value of a Setting of a target, of Rancher's or Harvester's kind; its default where it has
 * none.
 */
export function settingOf(target: SeenTarget, name: string): string {
  const live = listOf(target, 'settings').find(({ metadata }) => metadata.name === name);
  return (
    [live?.value, live?.default].find(
      (text): text is string => typeof text === 'string' && text !== '',
    ) ?? ''
  );
}

/** A condition of an object; undefined where it has none of that type. */
export function liveCondition(object: LiveObject, type: string): Condition | undefined {
  const found: unknown = itemsAt(object, 'status', 'conditions').find(
    (condition) => valueAt(condition, 'type') === type,
  );
  return isRecord(found)
    ? { status: String(found.status), message: textOrEmpty(found.message) }
    : undefined;
}

/** A text below some keys; empty where there is none. */
export function liveTextAt(value: unknown, ...keys: string[]): string {
  return textOrEmpty(valueAt(value, ...keys));
}

/** What a Secret holds under a key, as text; undefined where it has none. */
export function secretText(secret: LiveObject, key: string): string | undefined {
  const encoded = valueAt(secret, 'data', key);
  return typeof encoded === 'string' && encoded !== ''
    ? Buffer.from(encoded, 'base64').toString('utf8')
    : undefined;
}

/**
 * The management cluster ID of a provisioning Cluster; empty where Rancher has given it none yet.
 */
export function clusterIdOf(cluster: LiveObject): string {
  return liveTextAt(cluster, 'status', 'clusterName');
}

type Kind = AssemblyTarget['kind'];

/** One list that checks look at. */
export type ReadName =
  | 'settings'
  | 'clusters'
  | 'management-clusters'
  | 'tokens'
  | 'registration-tokens'
  | 'projects'
  | 'machine-configs'
  | 'credentials'
  | 'token-secrets'
  | 'namespaces'
  | 'agent-pods'
  | 'fleet-pods'
  | 'agent-deployments'
  | 'load-balancers'
  | 'pools'
  | 'networks'
  | 'services'
  | 'nodes'
  | 'instances'
  | 'upgrades'
  | 'node-drivers'
  | 'ui-plugins'
  | 'machines'
  | 'claims';

interface Read {
  readonly name: ReadName;
  readonly on: readonly Kind[];
  readonly apiVersion: string | ((kind: Kind) => string);
  readonly kind: string;
  readonly namespace?: string;
  readonly labelSelector?: string;
}

const MANAGED: readonly Kind[] = ['harvester', 'guest'];

/** The kinds that are listed per kind of target, with one request each. */
export const READS: readonly Read[] = [
  {
    name: 'settings',
    on: ['rancher', 'harvester'],
    apiVersion: (kind) => (kind === 'rancher' ? API_VERSIONS.MANAGEMENT : API_VERSIONS.HARVESTER),
    kind: 'Setting',
  },
  { name: 'clusters', on: ['rancher'], apiVersion: API_VERSIONS.PROVISIONING, kind: 'Cluster' },
  {
    name: 'management-clusters',
    on: ['rancher'],
    apiVersion: API_VERSIONS.MANAGEMENT,
    kind: 'Cluster',
  },
  { name: 'tokens', on: ['rancher'], apiVersion: API_VERSIONS.MANAGEMENT, kind: 'Token' },
  {
    name: 'registration-tokens',
    on: ['rancher'],
    apiVersion: API_VERSIONS.MANAGEMENT,
    kind: 'ClusterRegistrationToken',
  },
  { name: 'projects', on: ['rancher'], apiVersion: API_VERSIONS.MANAGEMENT, kind: 'Project' },
  {
    name: 'machine-configs',
    on: ['rancher'],
    apiVersion: 'rke-machine-config.cattle.io/v1',
    kind: 'HarvesterConfig',
  },
  {
    name: 'credentials',
    on: ['rancher'],
    apiVersion: API_VERSIONS.CORE,
    kind: 'Secret',
    namespace: GLOBAL_DATA,
  },
  { name: 'namespaces', on: TARGET_KINDS, apiVersion: API_VERSIONS.CORE, kind: 'Namespace' },
  {
    name: 'agent-pods',
    on: MANAGED,
    apiVersion: API_VERSIONS.CORE,
    kind: 'Pod',
    namespace: CLUSTER_AGENT.namespace,
    labelSelector: CLUSTER_AGENT.selector,
  },
  {
    name: 'fleet-pods',
    on: MANAGED,
    apiVersion: API_VERSIONS.CORE,
    kind: 'Pod',
    namespace: FLEET_AGENT.namespace,
    labelSelector: FLEET_AGENT.selector,
  },
  {
    name: 'agent-deployments',
    on: MANAGED,
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    namespace: CLUSTER_AGENT.namespace,
  },
  { name: 'node-drivers', on: ['rancher'], apiVersion: API_VERSIONS.MANAGEMENT, kind: NODE_DRIVER },
  {
    name: 'ui-plugins',
    on: ['rancher'],
    apiVersion: API_CATALOG,
    kind: 'UIPlugin',
    namespace: UI_PLUGIN_NAMESPACE,
  },
  {
    name: 'load-balancers',
    on: ['harvester'],
    apiVersion: API_LOAD_BALANCER,
    kind: KIND_LOAD_BALANCER,
  },
  {
    name: 'pools',
    on: ['harvester'],
    apiVersion: API_LOAD_BALANCER,
    kind: KIND_IP_POOL,
  },
  {
    name: 'networks',
    on: ['harvester'],
    apiVersion: API_ATTACHMENT,
    kind: KIND_NETWORK_ATTACHMENT,
  },
  { name: 'services', on: ['guest'], apiVersion: API_VERSIONS.CORE, kind: 'Service' },
  { name: 'nodes', on: MANAGED, apiVersion: API_VERSIONS.CORE, kind: 'Node' },
  {
    name: 'instances',
    on: ['harvester'],
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
  },
  { name: 'machines', on: ['harvester'], apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine' },
  {
    name: 'claims',
    on: ['harvester'],
    apiVersion: API_VERSIONS.CORE,
    kind: 'PersistentVolumeClaim',
  },
  {
    name: 'upgrades',
    on: ['harvester'],
    apiVersion: API_VERSIONS.HARVESTER,
    kind: 'Upgrade',
    namespace: HARVESTER_SYSTEM,
    labelSelector: `${LABEL_LATEST_UPGRADE}=true`,
  },
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

/**
 * Reads all that checks look at, from all targets. What cannot be read is reported, and the rest is
 * still read.
 */
export async function readWorld(
  targets: BoundTargets,
  now: Date,
  options: RequestOptions = {},
): Promise<LiveWorld> {
  const looking = await Promise.all(
    [...targets.values()].map(async (bound) => open(bound, options)),
  );
  const jobs = looking
    .filter(({ cluster }) => cluster)
    .flatMap((each) =>
      READS.filter(({ on }) => on.includes(each.bound.target.kind)).map((read) => ({ each, read })),
    );
  await inParallel(
    jobs,
    ({ each }) => each.bound.target.name,
    CONCURRENCY,
    async ({ each, read }) => {
      const { namespace, labelSelector } = read;
      const apiVersion =
        typeof read.apiVersion === 'string'
          ? read.apiVersion
          : read.apiVersion(each.bound.target.kind);
      await note(each, read.name, async () =>
        each.cluster!.list(apiVersion, read.kind, { ...options, namespace, labelSelector }),
      );
    },
    options.signal,
  );
  await Promise.all(
    looking.map(
      async ({ cluster, seen: lists }) =>
        cluster &&
        readLogs(
          [...(lists.get('agent-pods') ?? []), ...(lists.get('fleet-pods') ?? [])],
          cluster,
          false,
          options,
        ),
    ),
  );
  const seen = looking.map(seenOf);
  const ids = registeredIds(seen);
  await Promise.all(
    looking
      .filter(({ bound, cluster }) => cluster && bound.target.kind === 'rancher')
      .map(async (each) => {
        await note(each, 'token-secrets', async () => tokenSecrets(each.cluster!, ids, options));
      }),
  );
  return new LiveWorld(seen, now);
}

async function open(bound: BoundTarget, { signal }: RequestOptions): Promise<Looking> {
  const looking = { bound, seen: new Map(), notSeen: new Map() };
  try {
    return { ...looking, cluster: await bound.cluster(signal) };
  } catch (error) {
    stopIfAborted(error, signal);
    // a guest that Rancher is yet to make
    const absent =
      bound.target.kind === 'guest' &&
      error instanceof ApiError &&
      (error.failure === 'blocked' || error.failure === 'not-found');
    return { ...looking, unreachable: reasonOf(error as Error, bound), absent };
  }
}

async function note(
  { seen, notSeen }: Looking,
  name: ReadName,
  read: () => Promise<readonly LiveObject[]>,
): Promise<void> {
  try {
    seen.set(name, await read());
  } catch (error) {
    if (!(error instanceof ApiError) || error.failure === 'aborted') {
      throw error;
    }
    notSeen.set(name, error.message);
  }
}

function stopIfAborted(error: unknown, signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    throw error;
  }
}

function seenOf({ bound, unreachable, absent, seen, notSeen }: Looking): SeenTarget {
  const { target, by } = bound;
  return {
    target,
    by,
    seen,
    notSeen,
    ...(unreachable === undefined ? {} : { unreachable }),
    ...(absent ? { absent } : {}),
  };
}

/**
 * The management cluster IDs that Harvesters register as: the namespaces in which Rancher looks
 * their tokens up.
 */
function registeredIds(targets: readonly SeenTarget[]): string[] {
  const ids = targets
    .filter(({ target }) => target.kind === 'harvester')
    .flatMap((target) =>
      listOf(target, 'settings')
        .filter(({ metadata }) => metadata.name === SETTING_REGISTRATION_URL)
        .flatMap((setting) => registeredBy(setting.value)?.clusterId ?? []),
    );
  return [...new Set(ids)];
}

async function tokenSecrets(
  cluster: Cluster,
  ids: readonly string[],
  options: RequestOptions,
): Promise<LiveObject[]> {
  const lists = await Promise.all(
    ids.map(async (namespace) =>
      cluster.list(API_VERSIONS.CORE, 'Secret', { ...options, namespace }),
    ),
  );
  return lists.flat();
}

/** What the inventories of an app say of its targets. */
interface KnownTargets {
  /** Targets that are bound to another cluster than before: the message and the target of each. */
  readonly others: ReadonlyMap<string, string>;
  /** Names of targets of the app that are no longer in the program. */
  readonly removed: readonly string[];
}

export interface KnownTargetsOptions extends RequestOptions {
  /** Targets whose cluster may be another one than before. @default - none */
  readonly acceptNewCluster?: readonly string[];
}

/**
 * Compares the clusters that targets are bound to with those of earlier runs. What cannot be read
 * is left out: other checks report that.
 */
export async function knownTargets(
  declared: readonly AssemblyTarget[],
  targets: BoundTargets,
  app: App,
  options: KnownTargetsOptions = {},
): Promise<KnownTargets> {
  const { signal } = options;
  const seen = await Promise.all(
    [...targets.values()].map(async ({ target, by, cluster: connect }) => {
      const cluster = await orNothing(async () => connect(signal), signal);
      const stored =
        cluster &&
        (await orNothing(async () => readInventory(cluster, app, { target, signal }), signal));
      return {
        name: target.name,
        by,
        clusterUid: cluster && (await orNothing(async () => clusterUid(cluster, options), signal)),
        inventories: stored ? [withTrustedUids(stored, target)] : [],
      };
    }),
  );
  const inventories = seen.flatMap((each) => each.inventories);
  const others = otherClusters(inventories, seen, options.acceptNewCluster);
  return { others, removed: removedTargets(inventories, declared).map(({ name }) => name) };
}

const SOURCE = 'the inventories of this app, and the uid of the namespace kube-system';

/** What doctor reports of targets as a whole. */
export function targetDiagnoses({ others, removed }: KnownTargets): Diagnosis[] {
  return [
    ...[...others].map(([text, target]): Diagnosis => {
      const [message, fix] = text.split('. Fix: ');
      return {
        check: 'target/other-cluster',
        level: 'error',
        target,
        message,
        fix,
        source: SOURCE,
      };
    }),
    ...removed.map((target): Diagnosis => ({
      check: 'target/removed',
      level: 'info',
      target,
      message: 'is no longer in this program',
      fix: waysToRemove(target),
      source: SOURCE,
    })),
  ];
}

async function orNothing<T>(read: () => Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (signal?.aborted) {
      throw error;
    }
    return undefined;
  }
}

/**
 * `error`: something does not work, or will be lost; `warning`: it soon will, or looks wrong;
 * `info`: good to know.
 */
export type DiagnosisLevel = 'error' | 'warning' | 'info';

/** A problem of a live cluster. Holds no secret. */
export interface Diagnosis {
  /** Id of the check, e.g. `agent/image-pull`. */
  readonly check: string;
  readonly level: DiagnosisLevel;
  readonly target: string;
  /** `Kind namespace/name`; none where it is about the cluster as a whole. */
  readonly object?: string;
  readonly message: string;
  /** What to do. */
  readonly fix: string;
  /** Where the check is known from. */
  readonly source: string;
}

/** What a check found. */
export interface Symptom {
  readonly object?: LiveObject;
  readonly message: string;
  readonly fix: string;
  /** @default - the level of the check */
  readonly level?: DiagnosisLevel;
}

/** A check of live objects: a pure function over what was read. */
export interface DoctorCheck {
  readonly id: string;
  readonly level: DiagnosisLevel;
  /** What is looked for. */
  readonly what: string;
  readonly source: string;
  /** The kinds of targets that it looks at. */
  readonly on: readonly AssemblyTarget['kind'][];
  /** The lists that must have been read from the target; the check is skipped without them. */
  readonly needs: readonly ReadName[];
  look(target: SeenTarget, world: LiveWorld): Iterable<Symptom>;
}
