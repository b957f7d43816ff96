import { providerValuesOf } from './guest-cluster-cloud';
import { configOf, poolsOf } from './guest-cluster-parts';
import { JudgedObject } from './rule';
import { World } from './world';
import { filledText } from '../model/checks/plain-text';
import { isRecord, Manifest, valueAt } from '../model/manifest';

/** What is known of a guest cluster that decides about addresses. */
export interface GuestFacts {
  /** The provisioning Cluster that it is. */
  readonly object: JudgedObject;
  /** The name that the cloud provider knows it by. */
  readonly cluster: string;
  /** The namespace of its machines, and of its load balancers, on the Harvester. */
  readonly vmNamespace?: string;
  /** The first network of its machines; undefined where machines differ or it is not known. */
  readonly network?: string;
  /** The values of the cloud provider's chart, as Rancher is told them. */
  readonly values: unknown;
  /** Whether its machines are virtual machines of Harvester's node driver. */
  readonly onHarvester: boolean;
}

const RKE_CONFIG = ['spec', 'rkeConfig'] as const;

/** The guest clusters of a world, to be found by the target of what lies in them. */
export class Guests {
  private readonly byKey = new Map<string, GuestFacts>();
  private readonly byCluster = new Map<string, GuestFacts | undefined>();
  private readonly byName = new Map<string, GuestFacts | undefined>();

  constructor(world: World) {
    for (const object of world.ofKind('provisioning.cattle.io', 'Cluster')) {
      const { manifest, target } = object;
      if (!isRecord(valueAt(manifest, ...RKE_CONFIG))) { continue; }
      const { name } = manifest.metadata;
      const facts = factsOf(object, world);
      this.byKey.set(`${target.name} ${keyOf(manifest)}`, facts);
      // two of one name differ by their namespaces or Ranchers only
      this.byCluster.set(keyOf(manifest), this.byCluster.has(keyOf(manifest)) ? undefined : facts);
      this.byName.set(name, this.byName.has(name) ? undefined : facts);
    }
  }

  /** The guest cluster that an object lies in; undefined where the world does not have it. */
  public of({ target }: JudgedObject): GuestFacts | undefined {
    const { provisioningCluster, rancher } = target;
    if (provisioningCluster === undefined) { return this.byName.get(target.name); }
    return rancher === undefined ? this.byCluster.get(provisioningCluster) : this.byKey.get(`${rancher} ${provisioningCluster}`);
  }
}

function factsOf(object: JudgedObject, world: World): GuestFacts {
  const { manifest: cluster } = object;
  const configs = poolsOf(cluster).map((pool) => configOf(object, pool, world)?.manifest);
  const values = providerValuesOf(cluster)[0]?.values;
  const clusterName = valueAt(values, 'global', 'cattle', 'clusterName');
  return {
    object,
    cluster: typeof clusterName === 'string' && clusterName !== '' ? clusterName : cluster.metadata.name,
    vmNamespace: common(configs.map((config) => filledText(valueAt(config, 'vmNamespace')))),
    network: managementNetworkOf(values) ?? common(configs.map((config) => (config ? firstNetworkOf(config) : undefined))),
    values,
    onHarvester: configs.some((config) => config !== undefined),
  };
}

function firstNetworkOf(config: Manifest): string | undefined {
  const info = filledText(config.networkInfo);
  try {
    const interfaces = info === undefined ? undefined : valueAt(JSON.parse(info), 'interfaces');
    if (Array.isArray(interfaces) && interfaces.length > 0) { return qualified(config, filledText(valueAt(interfaces[0], 'networkName'))); }
  } catch {
    // told where machine configurations are judged
    return undefined;
  }
  return qualified(config, filledText(config.networkName));
}

function qualified(config: Manifest, network: string | undefined): string | undefined {
  return network === undefined || network.includes('/') ? network : `${filledText(config.vmNamespace) ?? 'default'}/${network}`;
}

// the network that the cloud provider asks for where a Service names none: its argument --management-network
function managementNetworkOf(values: unknown): string | undefined {
  const args = valueAt(values, 'extraArgs');
  const flag = '--management-network=';
  const given = (Array.isArray(args) ? args : []).filter((arg): arg is string => typeof arg === 'string' && arg.startsWith(flag));
  const network = given[0]?.slice(flag.length);
  return network === undefined || network === '' || network.includes('/') ? network : `default/${network}`;
}

// the value that all have; undefined where one has another or none
function common(values: readonly (string | undefined)[]): string | undefined {
  return values.length > 0 && values.every((value) => value === values[0]) ? values[0] : undefined;
}

function keyOf({ metadata: { namespace, name } }: Manifest): string {
  return `${namespace ?? ''}/${name}`;
}
