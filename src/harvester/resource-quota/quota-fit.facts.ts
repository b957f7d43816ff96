import {
  Demand,
  OverheadSettings,
  VIRTUAL_MACHINES,
  configDemand,
  hasDevices,
  isStopped,
  machineDemand,
  volumeDemand,
  DEFAULT_OVERHEAD_RATIO,
  MIB,
  fixedOverhead,
} from './machine-demand.check';
import { labelsOf, Manifest, objectLabel, valueAt, itemsAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { JudgedObject, JudgedTarget, World } from '../../core/rule/rule';
import { byObject, quantityOf, grouped, remembered, jsonOf } from '../../core/text/values';
import { GuestHarvesters } from '../../guest/cloud-provider/guest-harvester.facts';
import { configOf, poolsOf, vmNamespaceOf } from '../../guest/cluster/cluster-reader.facts';
import {
  isScaled,
  leastOf,
  mostOf,
  poolSizeOf,
  surgeOf,
} from '../../guest/machine-pool/pool-size.facts';
import { knownProjects, projectsOfRanchers } from '../../rancher/project/known-projects.facts';
import {
  EXTENDED_PREFIX,
  QuotaLimit,
  amountInUnitOf,
  amountOf,
  bytesText,
  quotaLimitOf,
} from '../../rancher/quota/quota.check';
import { QUOTA_PATH, namespaceQuota, quotaOf } from '../../rancher/quota/quota.facts';
import { addressPlan } from '../load-balancer/address-plan.facts';
import { valueBeside, settingContext } from '../settings/entry/setting.facts';
import {
  GROUP_KUBEVIRT,
  KIND_VIRTUAL_MACHINE,
  isHarvesters,
} from '../virtual-machine/machine-manifest.facts';

/**
 * The label of the ResourceQuota that Rancher writes from the annotation of a Namespace.
 * @see rancher/rancher:pkg/controllers/managementuser/resourcequota
 */
const LABEL_RANCHERS_QUOTA = 'resourcequota.management.cattle.io/default-resource-quota';

/**
 * The resources of a Kubernetes ResourceQuota, and of `extended` in Rancher's, by their names in
 * Rancher's quotas.
 */
const BY_KUBERNETES_NAME: { readonly [name: string]: string } = {
  'limits.cpu': 'limitsCpu',
  'limits.memory': 'limitsMemory',
  'cpu': 'requestsCpu',
  'requests.cpu': 'requestsCpu',
  'memory': 'requestsMemory',
  'requests.memory': 'requestsMemory',
  'requests.storage': 'requestsStorage',
  'persistentvolumeclaims': 'persistentVolumeClaims',
  'count/persistentvolumeclaims': 'persistentVolumeClaims',
  'pods': 'pods',
  'count/pods': 'pods',
  'services': 'services',
  'count/services': 'services',
  'services.loadbalancers': 'servicesLoadBalancers',
  'services.nodeports': 'servicesNodePorts',
  'count/virtualmachines.kubevirt.io': VIRTUAL_MACHINES,
};

/** Resources that the second pod of a machine takes while it migrates. */
const OF_PODS = ['limitsCpu', 'limitsMemory', 'requestsCpu', 'requestsMemory', 'pods'];

/**
 * What Harvester adds to the quota of Rancher's while a machine migrates.
 * @see harvester/harvester:pkg/util/resourcequota/calculator.go
 */
const SCALED = ['limitsCpu', 'limitsMemory'];

/** Machines, volumes or load balancers that use a quota. */
interface Consumer {
  readonly object: JudgedObject;
  /** The name of a pool of the object; undefined for the object itself. */
  readonly pool?: string;
  readonly demand: Demand;
  /** How many there are, at least and at most. */
  readonly count: number;
  readonly most: number;
  /** How many more a rolling update creates. */
  readonly surge: number;
  readonly migrates: boolean;
}

/**
 * Whether machines fit: `probably not` where a setting of the Harvester decides that is not
 * declared.
 */
export type Fits = 'no' | 'probably not' | 'without surge' | 'yes';

/** The reasons why the demand rises to the peak. */
export const MORE_BY = {
  autoscaler: 'the machines that the autoscaler may create',
  migration: 'the second pod of a machine that migrates',
  surge: 'the machines that a rolling update creates first',
} as const;

/** A resource of a quota, and the demand for it. */
export interface QuotaFit {
  /** The object that holds the quota: a Namespace, ResourceQuota or Project. */
  readonly object: JudgedObject;
  /** The path of the limit in the object. Undefined if it is the default of the project. */
  readonly path?: string;
  /** The name of the resource in the object. */
  readonly resource: string;
  /** The limit as written. */
  readonly limit: string;
  readonly has: number;
  /** The demand of all machines, and that with a rolling update or a live migration. */
  readonly needs: number;
  readonly peak: number;
  /** The reason why the demand rises to the peak. */
  readonly peakBy: (typeof MORE_BY)[keyof typeof MORE_BY];
  readonly fits: Fits;
  /** An amount of the resource in the unit of the limit, to be read next to it. */
  readonly textOf: (amount: number) => string;
  /** The consumers of the resource, with their amounts. */
  readonly users: () => readonly string[];
  /** The pools among the consumers, with the demand of one machine. */
  readonly pools: () => readonly {
    readonly cluster: JudgedObject;
    readonly pool: string;
    readonly demand: number;
  }[];
  /** The judged object that a finding is about. */
  readonly home?: JudgedObject;
}

/** The quota of a namespace or project, and the namespaces that it is for. */
interface Room {
  readonly object: JudgedObject;
  readonly limit: QuotaLimit;
  readonly pathOf: (resource: string, object: JudgedObject) => string | undefined;
  /** Whether Harvester raises limits while a machine migrates. */
  readonly isScaled: boolean;
  /** What uses it, for each of its namespaces. */
  readonly consumers: readonly (readonly Consumer[])[];
}

/** The demand for a resource of a quota. */
interface ResourceDemand {
  readonly users: number;
  readonly least: number;
  readonly needs: number;
  readonly most: number;
  /** What a rolling update needs in addition, and a live migration. */
  readonly surge: number;
  readonly migration: number;
}

/**
 * The quotas of a world and the demand for them, computed once. Quotas without machines are left
 * out.
 */
export const fitPlan = byObject((world: World): readonly QuotaFit[] =>
  new FitPlanner(world).rows(() => true),
);

class FitPlanner {
  private readonly consumers = new Map<string, Consumer[]>();
  private readonly settings = new Map<string, OverheadSettings>();

  constructor(private readonly world: World) {}

  /** The resources of quotas of which machines use some, where a verdict is asked for. */
  public rows(isAsked: (fits: Fits) => boolean): QuotaFit[] {
    const rooms = [...this.namespaceRooms(), ...this.kubernetesRooms(), ...this.projectRooms()];
    if (rooms.length === 0) {
      return [];
    }
    this.collect(
      rooms.some(({ limit }) =>
        Object.keys(limit).some((key) => keyOf(key).startsWith('services')),
      ),
    );
    const rows: QuotaFit[] = [];
    for (const room of rooms) {
      for (const resource of Object.keys(room.limit)) {
        const row = this.rowOf(room, resource, isAsked);
        if (row) {
          rows.push(row);
        }
      }
    }
    return rows;
  }

  private namespaceRooms(): Room[] {
    const pathOf = (resource: string, namespace: JudgedObject): string | undefined =>
      resource in namespaceQuota(namespace, this.world).own
        ? `${QUOTA_PATH}.limit.${resource}`
        : undefined;
    const rooms: Room[] = [];
    for (const object of this.world.ofKind('', 'Namespace')) {
      const { limit } = namespaceQuota(object, this.world);
      if (Object.keys(limit).length === 0) {
        continue;
      }
      rooms.push({
        object,
        limit,
        pathOf,
        isScaled: true,
        consumers: [this.consumersIn(object.target, object.manifest.metadata.name)],
      });
    }
    return rooms;
  }

  private kubernetesRooms(): Room[] {
    return this.world.ofKind('', 'ResourceQuota').flatMap((object): Room[] => {
      const { manifest, target } = object;
      const [scopes, scopeSelector, hard] = ['scopes', 'scopeSelector', 'hard'].map((field) =>
        valueAt(manifest, 'spec', field),
      );
      // one with a scope is for other pods; that of Rancher's follows from the annotation of the
      // Namespace
      if (
        scopes !== undefined ||
        scopeSelector !== undefined ||
        labelsOf(manifest)[LABEL_RANCHERS_QUOTA] === 'true'
      ) {
        return [];
      }
      const consumers = [this.consumersIn(target, manifest.metadata.namespace ?? 'default')];
      return [
        {
          object,
          limit: quotaLimitOf(hard),
          pathOf: (resource) => `spec.hard[${resource}]`,
          isScaled: false,
          consumers,
        },
      ];
    });
  }

  private projectRooms(): Room[] {
    return projectsOfRanchers(this.world).flatMap((known) => this.roomsIn(known));
  }

  private roomsIn({ projects, namespaces }: ReturnType<typeof knownProjects>): Room[] {
    const pathOf = (resource: string): string => `spec.resourceQuota.limit.${resource}`;
    const rooms: Room[] = [];
    for (const [id, object] of projects) {
      const limit = quotaOf(object.manifest);
      const consumers =
        limit &&
        namespaces
          .get(id)
          ?.map(({ manifest, target }) => this.consumersIn(target, manifest.metadata.name));
      if (consumers) {
        rooms.push({ object, limit, pathOf, isScaled: true, consumers });
      }
    }
    return rooms;
  }

  /** What uses the quota of a namespace; it is found out after all quotas are known. */
  private consumersIn(target: JudgedTarget, namespace: string): readonly Consumer[] {
    return remembered(this.consumers, placeOf(target, namespace), () => []);
  }

  private collect(withBalancers: boolean): void {
    const volumes = new Set<string>();
    for (const object of this.world.ofKind('', 'PersistentVolumeClaim')) {
      const { target } = object;
      const { metadata, spec } = object.manifest;
      const place = placeOf(target, metadata.namespace ?? 'default');
      const consumers = this.consumers.get(place);
      if (!consumers) {
        continue;
      }
      volumes.add(`${place}/${metadata.name}`);
      consumers.push(
        single(
          object,
          volumeDemand(1, quantityOf(valueAt(spec, 'resources', 'requests', 'storage')) ?? 0),
        ),
      );
    }
    for (const object of this.world.ofKind(GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE)) {
      const { manifest, target } = object;
      const place = placeOf(target, manifest.metadata.namespace ?? 'default');
      const consumers = this.consumers.get(place);
      if (!consumers || (target.kind !== undefined && !isHarvesters(object))) {
        continue;
      }
      const demand = machineDemand(manifest, this.settingsOf(target), (claim) =>
        volumes.has(`${place}/${claim}`),
      );
      consumers.push({
        ...single(object, demand),
        migrates: !isStopped(manifest) && !hasDevices(manifest),
      });
    }
    this.addPools();
    if (!withBalancers) {
      return;
    }
    const { balancers, harvesters } = addressPlan(this.world);
    for (const { object, manifest, mode, harvester, requirement } of balancers) {
      const { namespace } = requirement;
      const target =
        harvester === undefined ? undefined : (harvesters.get(harvester) ?? object.target);
      if (!target || namespace === undefined || mode === 'shared') {
        continue;
      }
      // Harvester creates a Service of type LoadBalancer with the same ports
      const amounts = {
        services: 1,
        servicesLoadBalancers: 1,
        servicesNodePorts: itemsAt(
          valueAt(manifest, 'spec', 'ports') ?? valueAt(manifest, 'spec', 'listeners'),
        ).length,
      };
      this.consumers
        .get(placeOf(target, namespace))
        ?.push(single(object, { least: amounts, needs: amounts }));
    }
  }

  private addPools(): void {
    const harvesters = GuestHarvesters.in(this.world);
    for (const cluster of this.world.ofKind(GROUPS.PROVISIONING, 'Cluster')) {
      for (const pool of poolsOf(cluster.manifest)) {
        const config = configOf(cluster, pool, this.world);
        const namespace = config && vmNamespaceOf(config);
        // manifests in a folder for unknown clusters
        const target =
          config &&
          (harvesters.targets.size === 0 && config.target.kind === undefined
            ? config.target
            : harvesters.of(cluster));
        const consumers =
          namespace !== undefined && target && this.consumers.get(placeOf(target, namespace));
        if (!consumers) {
          continue;
        }
        const size = poolSizeOf(pool);
        const count = leastOf(size);
        const most = isScaled(size) && Number.isFinite(mostOf(size)) ? mostOf(size) : count;
        consumers.push({
          object: cluster,
          pool: pool.name,
          demand: configDemand(config.manifest, this.settingsOf(target)),
          count,
          most,
          surge: surgeOf(pool.fields.rollingUpdate, most),
          migrates: count > 0 && config.manifest.vgpuInfo === undefined,
        });
      }
    }
  }

  private settingsOf(target: JudgedTarget): OverheadSettings {
    return remembered(this.settings, target.name, () => overheadSettings(target, this.world));
  }

  private rowOf(
    room: Room,
    resource: string,
    isAsked: (fits: Fits) => boolean,
  ): QuotaFit | undefined {
    const { object, limit } = room;
    const has = amountOf(limit[resource]);
    if (has === undefined || has < 0) {
      return undefined;
    }
    const { users, least, needs, most, surge, migration } = demandIn(room, resource);
    const peak = most + Math.max(surge, migration);
    const fits = fitsIn(has, { least, needs, peak });
    if (users === 0 || !isAsked(fits)) {
      return undefined;
    }
    const byMove = migration > surge ? MORE_BY.migration : MORE_BY.surge;
    const key = keyOf(resource);
    const textOf = (amount: number): string =>
      amountInUnitOf(limit[resource], amount, key.endsWith('Cpu')) ?? amountText(key, amount);
    const usersOf = (): Consumer[] =>
      room.consumers.flat().filter(({ demand }) => (demand.needs[key] ?? 0) > 0);
    return {
      object,
      path: room.pathOf(resource, object),
      resource,
      limit: limit[resource],
      has,
      needs,
      peak,
      peakBy: isMore(most, has) ? MORE_BY.autoscaler : byMove,
      fits,
      textOf,
      users: () =>
        usersOf().map(
          (consumer) =>
            `${consumerText(consumer)} (${textOf(consumer.demand.needs[key] * consumer.count)})`,
        ),
      pools: () =>
        usersOf().flatMap(({ object: cluster, pool, demand }) =>
          pool ? [{ cluster, pool, demand: demand.needs[key] }] : [],
        ),
      home: this.world.isJudged(object)
        ? object
        : usersOf().find((consumer) => this.world.isJudged(consumer.object))?.object,
    };
  }
}

// one pass without lists: a platform has thousands of quotas
function demandIn({ consumers, isScaled: isRaised }: Room, resource: string): ResourceDemand {
  const key = keyOf(resource);
  const hasSecondPod = OF_PODS.includes(key) && !(isRaised && SCALED.includes(key));
  let users = 0;
  let least = 0;
  let needs = 0;
  let most = 0;
  let surge = 0;
  let migration = 0;
  for (const inNamespace of consumers) {
    for (const { demand, count, most: atMost, surge: more, migrates } of inNamespace) {
      const amount = demand.needs[key] ?? 0;
      if (amount <= 0) {
        continue;
      }
      users++;
      least += demand.least[key] * count;
      needs += amount * count;
      most += amount * atMost;
      surge = Math.max(surge, amount * more);
      if (hasSecondPod && migrates) {
        migration = Math.max(migration, amount);
      }
    }
  }
  return { users, least, needs, most, surge, migration };
}

function consumerText({ object, pool, count }: Consumer): string {
  const { manifest } = object;
  const name =
    pool === undefined ? objectLabel(manifest) : `pool ${pool} of ${manifest.metadata.name}`;
  return count === 1 ? name : `${count} machines of ${name}`;
}

function single(object: JudgedObject, demand: Demand): Consumer {
  return { object, demand, count: 1, most: 1, surge: 0, migrates: false };
}

function placeOf({ name }: JudgedTarget, namespace: string): string {
  return `${name} ${namespace}`;
}

// the resource of a quota in the terms of demands
function keyOf(resource: string): string {
  const name = resource.startsWith(EXTENDED_PREFIX)
    ? resource.slice(EXTENDED_PREFIX.length)
    : resource;
  return Object.hasOwn(BY_KUBERNETES_NAME, name) ? BY_KUBERNETES_NAME[name] : name;
}

/** An amount of a resource whose limit has no unit to print it in: memory in whole MiB. */
function amountText(key: string, amount: number): string {
  return /(Memory|Storage)$/.test(key)
    ? bytesText(Math.ceil(Math.round(amount) / MIB) * MIB)
    : String(amount);
}

// sums of decimal fractions are inexact; Kubernetes counts in thousandths
function isMore(one: number, other: number): boolean {
  return Math.round(one * 1000) > Math.round(other * 1000);
}

const NO_MANIFEST: Manifest = { apiVersion: '', kind: '', metadata: { name: '' } };

function overheadSettings(target: JudgedTarget, world: World): OverheadSettings {
  const textOf = (name: string): string =>
    valueBeside({ target, manifest: NO_MANIFEST }, world, name) ?? '';
  const { atLeast } = settingContext(target);
  const ratio = quantityOf(textOf('additional-guest-memory-overhead-ratio'));
  const overcommit = parsedOvercommit(textOf('overcommit-config'));
  return {
    ...(ratio === undefined ? {} : { ratio }),
    ...overcommit,
    defaults: {
      ratio: atLeast('1.4.0') === false ? 0 : DEFAULT_OVERHEAD_RATIO,
      cpuOvercommit: atLeast('1.8.0') ? 1000 : 1600,
      fixed: fixedOverhead(atLeast),
    },
  };
}

function parsedOvercommit(text: string): Pick<OverheadSettings, 'overcommit' | 'cpuOvercommit'> {
  // the rules on settings report what is not JSON, and a late value is not known
  const value = jsonOf(text);
  const [cpu, memory] = [valueAt(value, 'cpu'), valueAt(value, 'memory')];
  return {
    ...(typeof memory === 'number' && memory >= 100 ? { overcommit: memory } : {}),
    ...(typeof cpu === 'number' && cpu >= 100 ? { cpuOvercommit: cpu } : {}),
  };
}

/** The rows of a world for which there is too little, by the object that their finding is about. */
export const rowsByHome = byObject((world: World) =>
  grouped(
    new FitPlanner(world).rows((fits) => fits !== 'yes'),
    ({ home }) => home,
  ),
);

/** Whether a limit is enough for the least demand, the expected one, and its peak. */
function fitsIn(
  limit: number,
  { least, needs, peak }: { readonly least: number; readonly needs: number; readonly peak: number },
): Fits {
  if (isMore(least, limit)) {
    return 'no';
  }
  if (isMore(needs, limit)) {
    return 'probably not';
  }
  return isMore(peak, limit) ? 'without surge' : 'yes';
}
