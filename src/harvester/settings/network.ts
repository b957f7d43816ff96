/**
 * A network that some of Harvester's own traffic is moved to.
 *
 * @see https://docs.harvesterhci.io/v1.7/advanced/storagenetwork
 */
export interface TrafficNetworkProps {
  /** The name of a ClusterNetwork that spans all nodes, e.g. `mgmt`. */
  readonly clusterNetwork: string;

  /**
   * The VLAN id, 0 to 4094; on the cluster network `mgmt` 2 to 4094.
   * @default - untagged
   */
  readonly vlan?: number;

  /** The addresses to give out: an IPv4 network in CIDR form, /16 or smaller, e.g. `192.168.0.0/24`. */
  readonly range: string;

  /**
   * Parts of the range that are in use elsewhere, in CIDR form, e.g. `192.168.0.1/32`.
   * @default - none
   */
  readonly exclude?: string[];
}

/**
 * The network of Longhorn's traffic.
 */
export interface StorageNetworkProps extends TrafficNetworkProps {
  /**
   * Whether no network of virtual machines may use the VLAN; needs a VLAN id of 2 or more.
   * @default false
   */
  readonly exclusiveVlan?: boolean;
}

/**
 * The network of volumes that many pods mount at once (ReadWriteMany). Needs Harvester 1.8.0.
 */
export class RwxNetwork {
  /** The storage network is used; it must be set. */
  public static shared(): RwxNetwork {
    return new RwxNetwork({ 'share-storage-network': true });
  }

  /**
   * A network of its own, with 32 addresses and one for each node.
   *
   * @param network where the traffic goes
   */
  public static dedicated(network: TrafficNetworkProps): RwxNetwork {
    return new RwxNetwork({ 'share-storage-network': false, 'network': trafficNetwork(network) });
  }

  /** The traffic stays on the network of the pods. */
  public static none(): RwxNetwork {
    return new RwxNetwork({ 'share-storage-network': false });
  }

  /** @internal */
  private constructor(private readonly config: { readonly [key: string]: unknown }) {}

  /** @internal */
  public _toConfig(): { readonly [key: string]: unknown } {
    return this.config;
  }
}

/** The JSON of a network, its keys in a fixed order. */
export function trafficNetwork({ clusterNetwork, vlan, range, exclude }: TrafficNetworkProps): { readonly [key: string]: unknown } {
  return { vlan, clusterNetwork, range, exclude };
}

/** The JSON of the storage network. */
export function storageNetwork(props: StorageNetworkProps): { readonly [key: string]: unknown } {
  return { ...trafficNetwork(props), exclusiveVlan: props.exclusiveVlan };
}

/** The JSON of pools, by namespace. */
export function vipPools(pools: { readonly [namespace: string]: readonly string[] }): { readonly [key: string]: unknown } {
  return Object.fromEntries(Object.entries(pools).map(([namespace, entries]) => [namespace, entries.join(',')]));
}
