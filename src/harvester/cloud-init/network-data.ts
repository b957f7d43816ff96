import { checkNetworkData, hasStaticAddress } from './network-data.check';
import { sortedKeys } from '../../core/manifest/manifest';
import { Problem, problemText } from '../../core/rule/problem';
import { defined, filledList } from '../../core/text/values';
import { toYaml } from '../../core/yaml/yaml-writer';

/**
 * A subnet of a network card, version 1.
 */
export interface PhysicalSubnet {
  /** The address with its prefix, e.g. `10.0.0.5/24`. @default - by DHCP */
  readonly address?: string;
  /** The default gateway; one of all cards may have one. Only with `address`: DHCP brings its own. @default - none */
  readonly gateway?: string;
}

/**
 * A network card, version 1.
 */
export interface PhysicalInterface {
  /** The name that the system gives it, e.g. `enp1s0`. */
  readonly name: string;
  /** Its subnets. @default - one by DHCP */
  readonly subnets?: PhysicalSubnet[];
  /** The hardware address that it is found by. @default - found by its name */
  readonly macAddress?: string;
  /** The size of its packets, in bytes. @default - 1500 */
  readonly mtu?: number;
}

/**
 * Network configuration of cloud-init, version 1.
 */
export interface NetworkDataV1Config {
  /** The network cards. */
  readonly interfaces: PhysicalInterface[];
  /** Addresses of name servers; needed unless a card has DHCP. @default - those of DHCP */
  readonly nameservers?: string[];
  /** Domains that short names are looked up in. @default - none */
  readonly searchDomains?: string[];
}

/**
 * A route, version 2.
 */
export interface NetworkRoute {
  /** Where it leads, e.g. `default` or `10.1.0.0/16`. Distributions with netplan before 22.04 know `0.0.0.0/0` only. */
  readonly to: string;
  /** The gateway. */
  readonly via: string;
}

/**
 * A network card, version 2.
 */
export interface NetworkDevice {
  /** Whether it gets an IPv4 address by DHCP. @default - as the system has it */
  readonly dhcp4?: boolean;
  /** Whether it gets an IPv6 address by DHCP. @default - as the system has it */
  readonly dhcp6?: boolean;
  /** Addresses with their prefixes, e.g. `10.0.0.5/24`. @default - none */
  readonly addresses?: string[];
  /** Routes. @default - none but those of its addresses and of DHCP */
  readonly routes?: NetworkRoute[];
  /** Addresses of name servers. @default - those of DHCP */
  readonly nameservers?: string[];
  /** Domains that short names are looked up in. @default - none */
  readonly searchDomains?: string[];
  /** The size of its packets, in bytes. @default - 1500 */
  readonly mtu?: number;
  /** The hardware address that it is found by. @default - found by its name */
  readonly macAddress?: string;
}

/**
 * Network configuration of cloud-init, version 2.
 */
export interface NetworkDataV2Props {
  /** The network cards, by the name that the system gives them, e.g. `enp1s0`. */
  readonly ethernets: { readonly [name: string]: NetworkDevice };
}

/**
 * How a machine configures its network cards: network data for cloud-init. Cards that it does not name stay without an address.
 *
 * Static addresses are for a single machine. The node driver refuses version 1 without a gateway or DHCP, without a name server, or with two gateways.
 *
 * @see https://cloudinit.readthedocs.io/en/latest/reference/network-config.html
 */
export class NetworkData {
  /** Version 1, which every cloud-init reads. */
  public static v1(config: NetworkDataV1Config): NetworkData {
    const { interfaces, nameservers = [], searchDomains = [] } = config;
    // the node driver asks for a list of addresses, be it empty
    const names = { type: 'nameserver', address: [...nameservers], search: filledList(searchDomains) };
    const entries = [...interfaces.map(physicalFields), ...(nameservers.length + searchDomains.length > 0 ? [names] : [])];
    return new NetworkData('NetworkData.v1', toYaml({ version: 1, config: entries.map(defined) }), interfaces.flatMap(gatewaysWithoutAddress));
  }

  /** Version 2, the form of netplan. */
  public static v2(props: NetworkDataV2Props): NetworkData {
    const devices = Object.entries(sortedKeys(props.ethernets)).map(([name, device]) => [name, deviceFields(device)]);
    const problems: Problem[] = devices.length > 0 ? [] : [{
      path: 'ethernets', message: 'names no network card, so that none gets an address', fix: 'name one, or leave the network data out',
    }];
    return new NetworkData('NetworkData.v2', toYaml({ version: 2, ethernets: Object.fromEntries(devices) }), problems);
  }

  /**
   * Network data that is there as text, as it stands.
   *
   * @param text YAML, with or without `network:` around it
   */
  public static fromYaml(text: string): NetworkData {
    return new NetworkData('NetworkData.fromYaml', text);
  }

  private constructor(where: string, private readonly text: string, problems: readonly Problem[] = []) {
    const errors = [...problems, ...checkNetworkData('', text)].filter(({ level }) => level !== 'warning');
    if (errors.length > 0) { throw new Error(errors.map((problem) => `${where}: ${problemText(problem)}`).join('\n')); }
  }

  /** The network data as text. */
  public toText(): string {
    return this.text;
  }

  /** Whether a machine gets an address that no second one may have. @internal */
  public get _isStatic(): boolean {
    return hasStaticAddress(this.text);
  }
}

function gatewaysWithoutAddress({ subnets = [] }: PhysicalInterface, card: number): Problem[] {
  return subnets.flatMap(({ address, gateway }, index) => (address !== undefined || gateway === undefined ? [] : [{
    path: `interfaces[${card}].subnets[${index}].gateway`,
    value: gateway,
    message: 'has no effect without address: DHCP brings a gateway of its own',
    fix: 'set address too, or leave gateway out',
  }]));
}

function physicalFields(card: PhysicalInterface): { [key: string]: unknown } {
  const subnets = card.subnets && card.subnets.length > 0 ? card.subnets : [{}];
  return {
    type: 'physical',
    name: card.name,
    mac_address: card.macAddress?.toLowerCase(),
    mtu: card.mtu,
    subnets: subnets.map(({ address, gateway }: PhysicalSubnet) => defined(address === undefined ? { type: 'dhcp' } : { type: 'static', address, gateway })),
  };
}

function deviceFields(device: NetworkDevice): { [key: string]: unknown } {
  const nameservers = defined({ addresses: filledList(device.nameservers), search: filledList(device.searchDomains) });
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
