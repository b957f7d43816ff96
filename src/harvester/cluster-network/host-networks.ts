import { IConstruct } from 'constructs';
import { DEFAULT_MTU } from './cluster-network.check';
import { Ordering, OrderingType } from '../../core/construct/edge';
import { IHarvesterTarget } from '../../core/construct/target';

const HOST_NETWORKS = Symbol.for('cdk8s-harvester.HostNetworks');

/** A ClusterNetwork, or a VlanConfig with its uplinks. */
interface Carrier {
  readonly construct: IConstruct;
  readonly kind: 'network' | 'uplink';
  readonly mtu?: number;
}

interface User {
  readonly construct: IConstruct;
  /** The state of the uplinks to wait for. Undefined if only the ClusterNetwork matters. */
  readonly uplinks?: OrderingType;
}

/**
 * The cluster networks that a program declares on one Harvester, and the objects that use them, in
 * any order.
 */
export class HostNetworks {
  /** The cluster networks of a Harvester. */
  public static of(harvester: IHarvesterTarget): HostNetworks {
    const holder = harvester as unknown as { [HOST_NETWORKS]?: HostNetworks };
    if (!holder[HOST_NETWORKS]) {
      Object.defineProperty(holder, HOST_NETWORKS, { value: new HostNetworks() });
    }
    return holder[HOST_NETWORKS]!;
  }

  private readonly carriers = new Map<string, Carrier[]>();
  private readonly users = new Map<string, User[]>();

  /** Declares a ClusterNetwork or an uplink, for which its users wait. */
  public declare(clusterNetwork: string, carrier: Carrier): void {
    this.carriers.set(clusterNetwork, [...(this.carriers.get(clusterNetwork) ?? []), carrier]);
    for (const user of this.users.get(clusterNetwork) ?? []) {
      order(user, carrier);
    }
  }

  /** Declares a user of a cluster network. */
  public use(clusterNetwork: string, user: User): void {
    this.users.set(clusterNetwork, [...(this.users.get(clusterNetwork) ?? []), user]);
    for (const carrier of this.carriers.get(clusterNetwork) ?? []) {
      order(user, carrier);
    }
  }

  /** The MTU of a cluster network's uplinks, if the program declares one other than the default. */
  public mtuOf(clusterNetwork: string): number | undefined {
    const mtu = this.carriers.get(clusterNetwork)?.find((carrier) => carrier.mtu)?.mtu;
    return mtu === DEFAULT_MTU ? undefined : mtu;
  }
}

function order(user: User, carrier: Carrier): void {
  const type = carrier.kind === 'network' ? OrderingType.APPLIED : user.uplinks;
  if (type && user.construct !== carrier.construct) {
    Ordering.of(user.construct)._add(carrier.construct, type);
  }
}
