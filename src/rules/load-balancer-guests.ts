import { providerValuesOf } from './guest-cluster-cloud';
import { JudgedObject } from './rule';
import { World } from './world';
import { filledText, plainText } from '../model/checks/plain-text';
import { isRecord, Manifest, valueAt } from '../model/manifest';

/** What is known of a guest cluster that decides about addresses. */
export interface GuestFacts {
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
  private readonly byName = new Map<string, GuestFacts | undefined>();

  constructor(world: World) {
    const machines = new Map(world.ofKind('rke-machine-config.cattle.io', 'HarvesterConfig').map(({ manifest }) => [keyOf(manifest), manifest]));
    for (const { manifest } of world.ofKind('provisioning.cattle.io', 'Cluster')) {
      if (!isRecord(valueAt(manifest, ...RKE_CONFIG))) { continue; }
      const { name } = manifest.metadata;
      const facts = factsOf(manifest, machines);
      this.byKey.set(keyOf(manifest), facts);
      // two of one name are told apart by their namespaces only
      this.byName.set(name, this.byName.has(name) ? undefined : facts);
    }
  }

  /** The guest cluster that an object lies in; undefined where the world does not have it. */
  public of({ target }: JudgedObject): GuestFacts | undefined {
    return target.provisioningCluster === undefined ? this.byName.get(target.name) : this.byKey.get(target.provisioningCluster);
  }
}

function factsOf(cluster: Manifest, machines: ReadonlyMap<string, Manifest>): GuestFacts {
  const pools = valueAt(cluster, ...RKE_CONFIG, 'machinePools');
  const configs = (Array.isArray(pools) ? pools : []).map((pool) => {
    const [kind, name] = ['kind', 'name'].map((key) => valueAt(pool, 'machineConfigRef', key));
    return kind === 'HarvesterConfig' ? machines.get(`${cluster.metadata.namespace ?? ''}/${plainText(name)}`) : undefined;
  });
  const values = providerValuesOf(cluster)[0]?.values;
  const clusterName = valueAt(values, 'global', 'cattle', 'clusterName');
  return {
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
