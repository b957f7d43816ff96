import { RouteConfig } from '../model/networks/route';

/**
 * How Harvester knows the addresses of a network of virtual machines: for its check whether the nodes reach it, and for load balancers.
 *
 * @see https://docs.harvesterhci.io/latest/networking/harvester-network
 */
export class VmNetworkRoute {
  /**
   * Asked of a DHCP server of the network.
   *
   * @param dhcpServer address of the server; the default is whichever answers
   */
  public static auto(dhcpServer?: string): VmNetworkRoute {
    return new VmNetworkRoute({ mode: 'auto', serverIPAddr: dhcpServer });
  }

  /**
   * As it is given.
   *
   * @param cidr the addresses, e.g. `10.20.0.0/24`
   * @param gateway address of the gateway in it
   */
  public static manual(cidr: string, gateway: string): VmNetworkRoute {
    return new VmNetworkRoute({ mode: 'manual', cidr, gateway });
  }

  private constructor(
    /** @internal */
    public readonly _config: RouteConfig,
  ) {}
}
