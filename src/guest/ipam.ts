import { IGuestLoadBalancer } from './guest-load-balancer';
import { IIpPool } from '../harvester';
import { IPAM_DHCP, IPAM_POOL } from '../model/load-balancer/names';

/**
 * What a load balancer asks the DHCP server of its network for.
 */
export interface DhcpIpamOptions {
  /** The address to ask for; the server may give another. @default - none */
  readonly requestedIp?: string;
  /** The MAC address to ask with, so that a reservation holds, e.g. `00:00:6c:4f:18:68`. @default - kube-vip's own, another one each time */
  readonly hardwareAddress?: string;
}

interface IpamDetails {
  readonly dhcp?: DhcpIpamOptions;
  readonly pool?: IIpPool;
  readonly primary?: IGuestLoadBalancer;
  readonly primaryId?: string;
}

/**
 * Where the address of a load balancer comes from. It can not change between DHCP and pool while the load balancer exists.
 */
export class Ipam {
  /**
   * The DHCP server of the network. Of a guest cluster the images need the kernel module macvlan, which minimal SLE and openSUSE images lack.
   *
   * @param options what to ask for; for Services of guest clusters only
   */
  public static dhcp(options: DhcpIpamOptions = {}): Ipam {
    return new Ipam(IPAM_DHCP, { dhcp: options });
  }

  /**
   * An IP pool of the Harvester.
   *
   * A Service of a guest cluster can not choose a pool: Harvester takes the one whose network and scope fit, `cdk8s-harvester addresses` tells
   * which. Naming the pool that is meant puts it first, so that it is there when the Service comes. A VmLoadBalancer gets its address of the very
   * pool that it names, whatever the scope.
   *
   * @param pool the pool that is meant
   */
  public static pool(pool?: IIpPool): Ipam {
    return new Ipam(IPAM_POOL, { pool });
  }

  /**
   * The address of another load balancer of the same guest cluster: the ports of all that share it must differ, whatever their protocols.
   *
   * @param other one that has an address of its own
   */
  public static shareWith(other: IGuestLoadBalancer): Ipam {
    return new Ipam('shared', { primary: other, primaryId: other.serviceId });
  }

  /**
   * The address of a Service that the program does not declare.
   *
   * @param serviceId its `<namespace>/<name>`
   */
  public static shareWithService(serviceId: string): Ipam {
    return new Ipam('shared', { primaryId: serviceId });
  }

  private constructor(
    /** @internal */
    public readonly _mode: 'pool' | 'dhcp' | 'shared',
    /** @internal */
    public readonly _details: IpamDetails,
  ) {}
}
