import { isClusterBalancer } from './load-balancer.check';
import { IPAM_DHCP, IPAM_MODES, KIND_LOAD_BALANCER } from './load-balancer.kind';
import { isLate } from '../../core/late/late-token';
import {
  annotationsOf,
  isRecord,
  Manifest,
  valueAt,
  namespacedName,
  itemsAt,
} from '../../core/manifest/manifest';
import { GROUP_LOAD_BALANCER, ANNOTATION_PROJECT_ID } from '../../core/manifest/names';
import { JudgedObject, JudgedTarget, World } from '../../core/rule/rule';
import { filledText } from '../../core/text/plain-text';
import { compare, grouped, lazily, byObject, jsonOf } from '../../core/text/values';
import { hasFeature } from '../../core/version/target-features';
import {
  ingressServiceOf,
  isLoadBalancer,
  primaryOf,
  ANNOTATION_IPAM,
  ANNOTATION_NETWORK,
} from '../../guest/balancer/load-balancer-service.check';
import { GuestHarvesters } from '../../guest/cloud-provider/guest-harvester.facts';
import { providerValuesOf, configOf, poolsOf } from '../../guest/cluster/cluster-reader.facts';
import { addressesOf } from '../../guest/machine-address/machine-addresses.facts';
import {
  GROUP_MACHINE_CONFIG,
  HARVESTER_CONFIG_KIND,
} from '../../guest/machine-config/machine-config.kind';
import { MIRRORED_CLUSTER_ID } from '../../rancher/cluster/cluster.facts';
import { KIND_IP_POOL } from '../ip-pool/ip-pool.kind';
import {
  holdsAddress,
  onlyAddress,
  sizeOfAll,
  AddressPool,
  PoolRequirement,
  PoolSelection,
  readPool,
  selectPool,
} from '../ip-pool/pool-selection.facts';
import { GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT } from '../network/vm-network.kind';
import { HarvesterGate } from '../version/harvester-version';

/** The facts about a guest cluster that its addresses depend on. */
interface GuestFacts {
  /** The provisioning Cluster. */
  readonly object: JudgedObject;
  /** The name of the cluster that the cloud provider uses. */
  readonly cluster: string;
  /** The namespace of its machines, and of its load balancers, on the Harvester. */
  readonly vmNamespace?: string;
  /** The first network of its machines. Undefined if machines differ, or it is not known. */
  readonly network?: string;
  /** The values of the cloud provider's chart. */
  readonly values: unknown;
  /** Whether its machines are virtual machines of Harvester's node driver. */
  readonly onHarvester: boolean;
}

const RKE_CONFIG = ['spec', 'rkeConfig'] as const;

/** The guest clusters of a world, by the target of the objects inside them. */
class Guests {
  private readonly byKey = new Map<string, GuestFacts>();
  private readonly byCluster = new Map<string, GuestFacts | undefined>();
  private readonly byName = new Map<string, GuestFacts | undefined>();

  constructor(world: World) {
    for (const object of world.ofKind('provisioning.cattle.io', 'Cluster')) {
      const { manifest, target } = object;
      if (!isRecord(valueAt(manifest, ...RKE_CONFIG))) {
        continue;
      }
      const { name } = manifest.metadata;
      const facts = factsOf(object, world);
      this.byKey.set(`${target.name} ${keyOf(manifest)}`, facts);
      // two of one name differ only by their namespaces or Ranchers
      this.byCluster.set(keyOf(manifest), this.byCluster.has(keyOf(manifest)) ? undefined : facts);
      this.byName.set(name, this.byName.has(name) ? undefined : facts);
    }
  }

  /** The guest cluster of an object. Undefined if the world does not contain it. */
  public of({ target }: JudgedObject): GuestFacts | undefined {
    const { provisioningCluster, rancher } = target;
    if (provisioningCluster === undefined) {
      return this.byName.get(target.name);
    }
    return rancher === undefined
      ? this.byCluster.get(provisioningCluster)
      : this.byKey.get(`${rancher} ${provisioningCluster}`);
  }
}

function factsOf(object: JudgedObject, world: World): GuestFacts {
  const { manifest: cluster } = object;
  const configs = poolsOf(cluster).map((pool) => configOf(object, pool, world)?.manifest);
  const values = providerValuesOf(cluster)[0]?.values;
  const name = filledText(valueAt(values, 'global', 'cattle', 'clusterName'));
  const vmNamespace = common(configs.map((config) => filledText(valueAt(config, 'vmNamespace'))));
  return {
    object,
    cluster: name ?? cluster.metadata.name,
    vmNamespace,
    network:
      managementNetworkOf(values) ??
      networkOfMachines(object, name ?? cluster.metadata.name, vmNamespace, world),
    values,
    onHarvester: configs.some((config) => config !== undefined),
  };
}

/**
 * The network that Harvester finds for a guest cluster: the first one of any machine of the namespace whose name begins with the name that the cloud
 * provider uses. Without such a machine it is empty.
 *
 * @see harvester/load-balancer-harvester:pkg/webhook/loadbalancer/mutator.go findNetwork
 */
function networkOfMachines(
  object: JudgedObject,
  provider: string,
  vmNamespace: string | undefined,
  world: World,
): string | undefined {
  const pools = poolsOf(object.manifest);
  if (pools.length === 0) {
    return undefined;
  }
  const own = machinesOf(object, world);
  const otherClusters = world
    .ofKind('provisioning.cattle.io', 'Cluster')
    .filter((other) => other !== object && keyOf(other.manifest) !== keyOf(object.manifest));
  const others = otherClusters
    .flatMap((other) => machinesOf(other, world))
    .filter(({ namespace }) => namespace !== undefined && namespace === vmNamespace);
  const found = [...own, ...others].filter(({ start }) => start.startsWith(provider));
  return found.length === 0 ? '' : common(found.map(({ network }) => network));
}

/** The machines of each pool of a cluster: how their names begin, their namespace, and their first network. */
function machinesOf(object: JudgedObject, world: World) {
  return poolsOf(object.manifest).map((pool) => {
    const config = configOf(object, pool, world)?.manifest;
    return {
      start: `${object.manifest.metadata.name}-${pool.name}-`.replace(/\./g, '-'),
      namespace: filledText(valueAt(config, 'vmNamespace')),
      network: config ? firstNetworkOf(config) : undefined,
    };
  });
}

function firstNetworkOf(config: Manifest): string | undefined {
  const info = filledText(config.networkInfo);
  const value = jsonOf(info);
  // the rules on machine configurations report what is not JSON
  if (info !== undefined && value === undefined) {
    return undefined;
  }
  const [first] = itemsAt(value, 'interfaces');
  // a name without a namespace remains one, which no pool can have: Harvester compares the texts
  return filledText(first === undefined ? config.networkName : valueAt(first, 'networkName'));
}

// the network that the cloud provider requests for a Service without one: its argument
// --management-network
function managementNetworkOf(values: unknown): string | undefined {
  const flag = '--management-network=';
  const given = itemsAt(values, 'extraArgs').filter(
    (arg): arg is string => typeof arg === 'string' && arg.startsWith(flag),
  );
  const network = given[0]?.slice(flag.length);
  return network === undefined || network === '' || network.includes('/')
    ? network
    : `default/${network}`;
}

// the value that all share
function common(values: readonly (string | undefined)[]): string | undefined {
  return values.length > 0 && values.every((value) => value === values[0]) ? values[0] : undefined;
}

function keyOf({ metadata }: Manifest): string {
  const { namespace, name } = metadata;
  return `${namespace ?? ''}/${name}`;
}

/** A load balancer that needs an address of a Harvester. */
export interface Balancer {
  /** The Service, the HelmChartConfig that creates one, or the LoadBalancer. */
  readonly object: JudgedObject;
  /** The Service or LoadBalancer itself. */
  readonly manifest: Manifest;
  readonly mode: 'pool' | 'dhcp' | 'shared';
  /** The Service whose address it shares. */
  readonly primary?: string;
  /** The Harvester that allocates the address. Undefined if not known. */
  readonly harvester?: string;
  readonly requirement: PoolRequirement;
  /** The selected pool, for the mode pool only. */
  readonly selection?: PoolSelection;
  /** The pool that it refers to, if any. */
  readonly named?: string;
  /** Whether the pool has allocated its address. */
  readonly holds: boolean;
  /**
   * Its current or previous address, or the only one of its pool. Undefined if the server chooses.
   */
  readonly address?: string;
  /** Whether the pool has no address left for it. */
  exhausted: boolean;
}

/** A fixed address of a machine. */
interface FixedAddress {
  readonly address: string;
  readonly network?: string;
  readonly config: JudgedObject;
}

/** A pool and the demand for its addresses. */
export interface PlannedPool {
  readonly object: JudgedObject;
  readonly pool: AddressPool;
  /** The number of its addresses. Undefined if not all ranges are known. */
  readonly size?: bigint;
  /** The number of load balancers that are known to use it. */
  readonly asking: number;
  /** The machines with a fixed address in its ranges, which Harvester does not know of. */
  readonly machines: readonly FixedAddress[];
  /** The number of addresses left once all of them have one. */
  readonly free?: bigint;
}

/** The pools of a world and the load balancers that use them. */
interface AddressPlan {
  readonly pools: readonly PlannedPool[];
  readonly balancers: readonly Balancer[];
  /** The balancer of an object. Undefined for other objects. */
  readonly balancerOf: (object: JudgedObject) => Balancer | undefined;
  readonly plannedOf: (pool: AddressPool) => PlannedPool | undefined;
  /** The pools of a Harvester, by the name of its target. */
  readonly poolsOn: (harvester: string | undefined) => readonly PlannedPool[];
  /** The guest cluster of an object, if the world contains it. */
  readonly guestOf: (object: JudgedObject) => GuestFacts | undefined;
  readonly harvesters: ReadonlyMap<string, JudgedTarget>;
}

/** The pool of a Harvester that gives an address to load balancers. */
export function poolGiving(
  address: string,
  harvester: string | undefined,
  world: World,
): AddressPool | undefined {
  return addressPlan(world)
    .poolsOn(harvester)
    .find(
      ({ pool, asking }) =>
        (pool.scope.length > 0 || pool.global || asking > 0) &&
        pool.ranges.some((range) => holdsAddress(range, address)),
    )?.pool;
}

/** The plan of a world, computed once. */
export const addressPlan = byObject((world: World): AddressPlan => new Planner(world).plan());

/** A network of a Harvester by its `<namespace>/<name>`, declared or live. */
export function networkOn(
  target: JudgedTarget,
  network: string,
  world: World,
): Manifest | undefined {
  const [namespace, name] = network.split('/');
  return world.find({ target }, GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT, namespace, name)
    ?.manifest;
}

// the length of the name that the cloud provider generates, without its hash, which contains the
// UID of the Service
export const NAME_WITHOUT_HASH = 55;

/** The facts about a balancer before its pool is selected. */
type Asking = Pick<Balancer, 'object' | 'manifest' | 'harvester' | 'requirement' | 'named'>;

class Planner {
  private readonly pools = new Map<string, JudgedObject[]>();
  private readonly read = new Map<JudgedObject, AddressPool>();
  private readonly harvesters: ReadonlyMap<string, JudgedTarget>;
  private readonly guestHarvesters: GuestHarvesters;
  private readonly guests: Guests;
  private readonly fixed = lazily(() => this.fixedAddresses());

  constructor(private readonly world: World) {
    this.guests = new Guests(world);
    this.guestHarvesters = GuestHarvesters.in(world);
    this.harvesters = this.guestHarvesters.targets;
    for (const object of world.ofKind(GROUP_LOAD_BALANCER, KIND_IP_POOL)) {
      const others = this.pools.get(object.target.name) ?? [];
      others.push(object);
      this.pools.set(object.target.name, others);
      this.read.set(object, readPool(withStatus(object, world)));
    }
  }

  public plan(): AddressPlan {
    const balancers = [
      ...this.world
        .ofKind('', 'Service')
        .flatMap((object) => this.service(object, object.manifest)),
      ...this.world
        .ofKind('helm.cattle.io', 'HelmChartConfig')
        .flatMap((object) => this.service(object, ingressServiceOf(object.manifest))),
      ...this.world
        .ofKind(GROUP_LOAD_BALANCER, KIND_LOAD_BALANCER)
        .flatMap((object) => this.forMachines(object)),
    ].sort(
      (a, b) =>
        compare(a.object.target.name, b.object.target.name) ||
        compare(namespacedName(a.manifest), namespacedName(b.manifest)),
    );
    const served = new Map<AddressPool, Balancer[]>();
    for (const balancer of balancers) {
      if (balancer.selection?.kind !== 'pool') {
        continue;
      }
      const list = served.get(balancer.selection.pool) ?? [];
      list.push(balancer);
      served.set(balancer.selection.pool, list);
    }
    const byHarvester = new Map(
      [...this.pools].map(([name, objects]) => [
        name,
        objects.map((object) => this.planned(object, served)),
      ]),
    );
    const pools = [...byHarvester.values()].flat();
    const byService = new Map(balancers.map((balancer) => [balancer.object, balancer]));
    const byPool = new Map(pools.map((planned) => [planned.pool, planned]));
    return {
      pools,
      balancers,
      balancerOf: (object) => byService.get(object),
      plannedOf: (pool) => byPool.get(pool),
      poolsOn: (harvester) => byHarvester.get(harvester ?? '') ?? [],
      guestOf: (object) => this.guests.of(object),
      harvesters: this.harvesters,
    };
  }

  private service(object: JudgedObject, manifest: Manifest | undefined): Balancer[] {
    if (
      !manifest ||
      !isLoadBalancer(manifest) ||
      object.target.kind === 'harvester' ||
      object.target.kind === 'rancher'
    ) {
      return [];
    }
    const guest = this.guests.of(object);
    const ipam = annotationsOf(manifest)[ANNOTATION_IPAM];
    const primary = primaryOf(manifest);
    // without an annotation of the cloud provider, it may belong to any controller
    if (primary === undefined && ipam === undefined && !guest?.onHarvester) {
      return [];
    }
    if (primary !== undefined) {
      const shared = { mode: 'shared', requirement: {}, holds: false, exhausted: false } as const;
      const harvester = this.harvesterOf(object, guest);
      return [
        { object, manifest, primary, ...shared, ...(harvester === undefined ? {} : { harvester }) },
      ];
    }
    if (
      ipam !== undefined &&
      ipam !== '' &&
      (typeof ipam !== 'string' || !IPAM_MODES.includes(ipam))
    ) {
      return [];
    }
    const harvester = this.harvesterOf(object, guest);
    const requirement = this.requirementOf(object, manifest, guest, harvester);
    return [
      this.balancer(
        { object, manifest, requirement, ...(harvester === undefined ? {} : { harvester }) },
        ipam === IPAM_DHCP,
      ),
    ];
  }

  private forMachines(object: JudgedObject): Balancer[] {
    const { manifest, target } = object;
    // the cloud provider writes those of guest clusters, from the Services above
    if (isClusterBalancer(manifest)) {
      return [];
    }
    const named = valueAt(manifest, 'spec', 'ipPool');
    const plain = hasFeature(target, HarvesterGate.LOAD_BALANCER_LOOSE_POOLS);
    const namespace = manifest.metadata.namespace ?? 'default';
    return [
      this.balancer(
        {
          object,
          manifest,
          harvester: target.name,
          requirement: plain ? { network: '', project: '', namespace, cluster: '' } : { namespace },
          ...(typeof named === 'string' && named !== '' ? { named } : {}),
        },
        valueAt(manifest, 'spec', 'ipam') === IPAM_DHCP,
      ),
    ];
  }

  private balancer(asking: Asking, dhcp: boolean): Balancer {
    if (dhcp) {
      return { ...asking, mode: 'dhcp', holds: false, exhausted: false };
    }
    const { object, harvester, requirement, named } = asking;
    const owner = ownerOf(asking);
    const held = named === undefined ? this.poolHeldBy(owner, harvester) : undefined;
    const selection =
      harvester === undefined
        ? undefined
        : (held ?? this.select(harvester, requirement, named, isCluster(object)));
    const pool = selection?.kind === 'pool' ? selection.pool : undefined;
    const only = pool?.complete ? onlyAddress(pool.ranges) : undefined;
    const address = pool?.owners.get(owner) ?? pool?.formerOwners.get(owner) ?? only;
    const found = {
      ...(selection ? { selection } : {}),
      ...(address === undefined ? {} : { address }),
    };
    return {
      ...asking,
      ...found,
      mode: 'pool',
      holds: pool?.owners.has(owner) ?? false,
      exhausted: false,
    };
  }

  /**
   * The pool that a load balancer has an address of, and keeps it whatever other pools match at the time.
   *
   * @see harvester/load-balancer-harvester:pkg/controller/loadbalancer/controller.go ensureAllocatedAddressPool
   */
  private poolHeldBy(owner: string, harvester: string | undefined): PoolSelection | undefined {
    const pool = (this.pools.get(harvester ?? '') ?? [])
      .map((object) => this.read.get(object)!)
      .find(({ owners }) => owners.has(owner));
    return pool && { kind: 'pool', pool, by: 'held' };
  }

  private select(
    harvester: string,
    requirement: PoolRequirement,
    named: string | undefined,
    cluster: boolean,
  ): PoolSelection {
    const pools = (this.pools.get(harvester) ?? []).map((object) => this.read.get(object)!);
    if (named === undefined) {
      const loose = cluster
        ? hasFeature(this.harvesters.get(harvester), HarvesterGate.LOAD_BALANCER_LOOSE_POOLS)
        : false;
      return selectPool(pools, requirement, { loose });
    }
    const pool = pools.find(({ name }) => name === named);
    if (pool) {
      return { kind: 'pool', pool, by: 'scope' };
    }
    if (isLate(named)) {
      return { kind: 'unknown', candidates: [] };
    }
    return { kind: 'none' };
  }

  private requirementOf(
    { target }: JudgedObject,
    manifest: Manifest,
    guest: GuestFacts | undefined,
    harvester: string | undefined,
  ): PoolRequirement {
    const namespace = guest?.vmNamespace;
    // a cluster that the world does not contain is known only by name; the cloud provider does not
    // use an ID as name, as RKE1 has
    const name = target.provisioningCluster?.split('/').pop();
    const cluster =
      guest?.cluster ?? (name !== undefined && MIRRORED_CLUSTER_ID.test(name) ? undefined : name);
    return {
      network: this.networkOf(manifest, guest, harvester),
      project: this.projectOf(harvester, namespace),
      namespace,
      cluster,
    };
  }

  private networkOf(
    manifest: Manifest,
    guest: GuestFacts | undefined,
    harvester: string | undefined,
  ): string | undefined {
    const asked = annotationsOf(manifest)[ANNOTATION_NETWORK];
    const honoured = hasFeature(
      harvester === undefined ? undefined : this.harvesters.get(harvester),
      HarvesterGate.LOAD_BALANCER_NETWORK,
    );
    if (typeof asked !== 'string' || asked === '' || honoured === false) {
      return guest?.network;
    }
    return honoured || asked === guest?.network ? asked : undefined;
  }

  // the project of a namespace that the world does not contain is not known
  private projectOf(
    harvester: string | undefined,
    namespace: string | undefined,
  ): string | undefined {
    const target = harvester === undefined ? undefined : this.harvesters.get(harvester);
    if (!target || namespace === undefined) {
      return undefined;
    }
    const object = this.world.find({ target }, '', 'Namespace', undefined, namespace);
    if (!object) {
      return undefined;
    }
    const project = annotationsOf(object.manifest)[ANNOTATION_PROJECT_ID];
    // a late ID contains a colon
    return typeof project === 'string' ? project.replace(/:(?=[^:]*$)/, '/') : '';
  }

  private harvesterOf({ target }: JudgedObject, guest: GuestFacts | undefined): string | undefined {
    return this.guestHarvesters.of(guest?.object, target)?.name;
  }

  private fixedAddresses(): Map<string, FixedAddress[]> {
    const all = this.world.ofKind(GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND).flatMap((config) => {
      const { addresses, harvester, network } = addressesOf(config, this.world);
      return addresses.map((address) => ({
        harvester: harvester ?? '',
        address,
        config,
        ...(network === undefined ? {} : { network }),
      }));
    });
    return grouped(all, ({ harvester }) => harvester);
  }

  private planned(
    object: JudgedObject,
    byPool: ReadonlyMap<AddressPool, readonly Balancer[]>,
  ): PlannedPool {
    const pool = this.read.get(object)!;
    const served = byPool.get(pool) ?? [];
    const asking = served.length;
    const machines = (this.fixed().get(object.target.name) ?? []).filter(
      ({ address, network }) =>
        (network === undefined || pool.network === '' || network === pool.network) &&
        pool.ranges.some((range) => holdsAddress(range, address)),
    );
    if (!pool.complete) {
      return { object, pool, asking, machines };
    }
    const size = sizeOfAll(pool.ranges);
    let free = size - BigInt(pool.allocated.size) - BigInt(machines.length);
    for (const balancer of served.filter((each) => !each.holds)) {
      free -= 1n;
      balancer.exhausted = free < 0n;
    }
    return { object, pool, asking, machines, size, free: free < 0n ? 0n : free };
  }
}

// a declared pool has no status, but the server's may be known
function withStatus(object: JudgedObject, world: World): Manifest {
  const { manifest } = object;
  const status = manifest.status ?? world.beforeOf(object)?.status;
  return status === undefined ? manifest : { ...manifest, status };
}

function isCluster({ manifest }: JudgedObject): boolean {
  return manifest.kind !== KIND_LOAD_BALANCER;
}

// the name of the load balancer on the Harvester; for guest clusters without the hash
// @see harvester/cloud-provider-harvester:pkg/cloud-controller-manager/loadbalancer.go loadBalancerName
function ownerOf({ object, manifest, requirement }: Asking): string {
  const { namespace, cluster } = requirement;
  if (!isCluster(object)) {
    return namespacedName(manifest);
  }
  const { namespace: ofService = 'default', name } = manifest.metadata;
  // a name must begin with a letter
  const start = cluster === undefined || /^[a-z]/.test(cluster) ? cluster : `a${cluster}`;
  return `${namespace}/${`${start}-${ofService}-${name}-`.slice(0, NAME_WITHOUT_HASH)}`;
}
