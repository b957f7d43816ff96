import { IConstruct } from 'constructs';
import { EdgeType, Edges } from '../late';
import { DEFAULT_MTU } from '../model/checks/mtu';
import { IHarvesterTarget } from '../model/target';

const HOST_NETWORKS = Symbol.for('cdk8s-harvester.HostNetworks');

/** What carries a network: its ClusterNetwork, or a VlanConfig that gives it uplinks. */
interface Carrier {
  readonly construct: IConstruct;
  readonly kind: 'network' | 'uplink';
  readonly mtu?: number;
}

interface User {
  readonly construct: IConstruct;
  /** How far the uplinks must have come; undefined where only the ClusterNetwork counts. */
  readonly uplinks?: EdgeType;
}

/**
 * The cluster networks that a program declares on one Harvester, and what lies on them, in whatever order they are declared.
 */
export class HostNetworks {
  public static of(harvester: IHarvesterTarget): HostNetworks {
    const holder = harvester as unknown as { [HOST_NETWORKS]?: HostNetworks };
    if (!holder[HOST_NETWORKS]) { Object.defineProperty(holder, HOST_NETWORKS, { value: new HostNetworks() }); }
    return holder[HOST_NETWORKS]!;
  }

  private readonly carriers = new Map<string, Carrier[]>();
  private readonly users = new Map<string, User[]>();

  /** Declares a ClusterNetwork or an uplink; all that lies on it waits for it. */
  public declare(clusterNetwork: string, carrier: Carrier): void {
    this.carriers.set(clusterNetwork, [...this.carriers.get(clusterNetwork) ?? [], carrier]);
    for (const user of this.users.get(clusterNetwork) ?? []) { order(user, carrier); }
  }

  /** Declares what lies on a cluster network. */
  public use(clusterNetwork: string, user: User): void {
    this.users.set(clusterNetwork, [...this.users.get(clusterNetwork) ?? [], user]);
    for (const carrier of this.carriers.get(clusterNetwork) ?? []) { order(user, carrier); }
  }

  /** The MTU of a cluster network's uplinks where the program declares them and it is not the usual one. */
  public mtuOf(clusterNetwork: string): number | undefined {
    const mtu = this.carriers.get(clusterNetwork)?.find((carrier) => carrier.mtu)?.mtu;
    return mtu === DEFAULT_MTU ? undefined : mtu;
  }
}

function order(user: User, carrier: Carrier): void {
  const type = carrier.kind === 'network' ? EdgeType.APPLIED : user.uplinks;
  if (type && user.construct !== carrier.construct) { Edges.of(user.construct)._add(carrier.construct, type); }
}
