import { checkNetworkData, hasStaticAddress } from './cloud-init.check';
import { sortedKeys } from '../../core/manifest/manifest';
import { Problem, problemText } from '../../core/problem/problem';
import { defined, filledList } from '../../core/text/values';
import { toYaml } from '../../core/yaml/yaml-writer';

/** A subnet of a network interface, version 1. */
export interface PhysicalSubnet {
  /** The address with its prefix length, e.g. `10.0.0.5/24`. @default - by DHCP */
  readonly address?: string;
  /** The default gateway, on at most one of all interfaces. Only with `address`: DHCP sets its own. @default - no gateway */
  readonly gateway?: string;
}

/** A network interface, version 1. */
export interface PhysicalInterface {
  /** The name of the interface in the system, e.g. `enp1s0`. */
  readonly name: string;
  /** The subnets of the interface. @default - one by DHCP */
  readonly subnets?: PhysicalSubnet[];
  /** The MAC address by which the interface is matched. @default - matched by name */
  readonly macAddress?: string;
  /** The MTU, in bytes. @default - 1500 */
  readonly mtu?: number;
}

/** Network configuration of cloud-init, version 1. */
export interface NetworkDataV1Props {
  /** The network interfaces. */
  readonly interfaces: PhysicalInterface[];
  /**
   * IP addresses of name servers. Required unless an interface uses DHCP.
   * @default - the ones that DHCP gives
   */
  readonly nameservers?: string[];
  /** Search domains for short names. @default - no search domains */
  readonly searchDomains?: string[];
}

/** A route, version 2. */
export interface NetworkRoute {
  /** The destination, e.g. `default` or `10.1.0.0/16`. Distributions with netplan before 22.04 accept only `0.0.0.0/0`. */
  readonly to: string;
  /** The IP address of the gateway. */
  readonly via: string;
}

/** A network interface, version 2. */
export interface NetworkDevice {
  /** Whether the interface gets an IPv4 address by DHCP. @default - the default of the system */
  readonly dhcp4?: boolean;
  /** Whether the interface gets an IPv6 address by DHCP. @default - the default of the system */
  readonly dhcp6?: boolean;
  /** Static addresses with their prefix lengths, e.g. `10.0.0.5/24`. @default - no static addresses */
  readonly addresses?: string[];
  /** Static routes. @default - only those of its addresses and of DHCP */
  readonly routes?: NetworkRoute[];
  /** IP addresses of name servers. @default - the ones that DHCP gives */
  readonly nameservers?: string[];
  /** Search domains for short names. @default - no search domains */
  readonly searchDomains?: string[];
  /** The MTU, in bytes. @default - 1500 */
  readonly mtu?: number;
  /** The MAC address by which the interface is matched. @default - matched by name */
  readonly macAddress?: string;
}

/** Network configuration of cloud-init, version 2. */
export interface NetworkDataV2Props {
  /** The network interfaces by their name in the system, e.g. `enp1s0`. */
  readonly ethernets: { readonly [name: string]: NetworkDevice };
}

/**
 * Network data for cloud-init: the configuration of a machine's network interfaces. Interfaces that it does not contain get no address.
 *
 * Static addresses are for a single machine. The node driver refuses version 1 without a gateway or DHCP, without a name server, or with two gateways.
 *
 * @see https://cloudinit.readthedocs.io/en/latest/reference/network-config.html
 */
export class NetworkData {
  /** Network data of version 1, which every cloud-init accepts. */
  public static v1(config: NetworkDataV1Props): NetworkData {
    const { interfaces, nameservers = [], searchDomains = [] } = config;
    // the node driver requires a list of addresses, even an empty one
    const names = {
      type: 'nameserver',
      address: [...nameservers],
      search: filledList(searchDomains),
    };
    const entries = [
      ...interfaces.map(physicalFields),
      ...(nameservers.length + searchDomains.length > 0 ? [names] : []),
    ];
    return new NetworkData(
      'NetworkData.v1',
      toYaml({ version: 1, config: entries.map(defined) }),
      interfaces.flatMap(gatewaysWithoutAddress),
    );
  }

  /** Network data of version 2, the format of netplan. */
  public static v2(props: NetworkDataV2Props): NetworkData {
    const devices = Object.entries(sortedKeys(props.ethernets)).map(([name, device]) => [
      name,
      deviceFields(device),
    ]);
    const problems: Problem[] =
      devices.length > 0
        ? []
        : [
            {
              path: 'ethernets',
              message: 'must contain an interface: otherwise none gets an address',
              fix: 'add an interface, or remove the network data',
            },
          ];
    return new NetworkData(
      'NetworkData.v2',
      toYaml({ version: 2, ethernets: Object.fromEntries(devices) }),
      problems,
    );
  }

  /**
   * Network data from text, which is kept unchanged.
   *
   * @param text YAML, with or without `network:` around it
   */
  public static fromYaml(text: string): NetworkData {
    return new NetworkData('NetworkData.fromYaml', text);
  }

  /**
   * Empty network data, as Harvester's UI writes it for a VM without any: the VM refers to it, and the image decides. Only for a VM that exists so.
   */
  public static empty(): NetworkData {
    return new NetworkData('NetworkData.empty', '', [], []);
  }

  private constructor(
    where: string,
    private readonly text: string,
    problems: readonly Problem[] = [],
    found: Iterable<Problem> = checkNetworkData('', text),
  ) {
    const errors = [...problems, ...found].filter(({ level }) => level !== 'warning');
    if (errors.length > 0) {
      throw new Error(errors.map((problem) => `${where}: ${problemText(problem)}`).join('\n'));
    }
  }

  /** The network data as text. */
  public toText(): string {
    return this.text;
  }

  /** Whether it contains a static address, which only one machine may have. @internal */
  public get _isStatic(): boolean {
    return hasStaticAddress(this.text);
  }
}

function gatewaysWithoutAddress({ subnets = [] }: PhysicalInterface, nic: number): Problem[] {
  return subnets.flatMap(({ address, gateway }, index) => {
    if (address !== undefined || gateway === undefined) {
      return [];
    }
    return [
      {
        path: `interfaces[${nic}].subnets[${index}].gateway`,
        value: gateway,
        message: 'has no effect without address: DHCP sets its own gateway',
        fix: 'set address too, or remove gateway',
      },
    ];
  });
}

function physicalFields(nic: PhysicalInterface): { [key: string]: unknown } {
  const subnets = nic.subnets && nic.subnets.length > 0 ? nic.subnets : [{}];
  return {
    type: 'physical',
    name: nic.name,
    mac_address: nic.macAddress?.toLowerCase(),
    mtu: nic.mtu,
    subnets: subnets.map(({ address, gateway }: PhysicalSubnet) =>
      defined(address === undefined ? { type: 'dhcp' } : { type: 'static', address, gateway }),
    ),
  };
}

function deviceFields(device: NetworkDevice): { [key: string]: unknown } {
  const nameservers = defined({
    addresses: filledList(device.nameservers),
    search: filledList(device.searchDomains),
  });
  return defined({
    match: device.macAddress && { macaddress: device.macAddress.toLowerCase() },
    dhcp4: device.dhcp4,
    dhcp6: device.dhcp6,
    addresses: filledList(device.addresses),
    routes: filledList(device.routes?.map(({ to, via }) => ({ to, via }))),
    nameservers: Object.keys(nameservers).length > 0 ? nameservers : undefined,
    mtu: device.mtu,
  });
}
