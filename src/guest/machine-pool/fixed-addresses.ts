import { Cidr, contains, parseCidr, parseIp, printIp } from '../../core/go/go-ip';
import { Problem } from '../../core/problem/problem';
import { NetworkData, NetworkDevice } from '../../harvester/cloud-init/network-data';
import { IpPool } from '../../harvester/ip-pool/ip-pool';
import { readRange } from '../../harvester/ip-pool/pool-selection.facts';

/** Options of machines with fixed addresses. */
export interface FixedAddressOptions {
  /** IP addresses of name servers. */
  readonly nameservers: string[];
  /** Search domains for short names. @default - no search domains */
  readonly searchDomains?: string[];
  /**
   * The name of the interface in the system of the machines, which is that of the first network.
   * @default 'enp1s0'
   */
  readonly interfaceName?: string;
  /**
   * The other interfaces, by their name in the system. Those that are not set get no address.
   * @default - no other interfaces
   */
  readonly otherInterfaces?: { readonly [name: string]: NetworkDevice };
  /**
   * The addresses whose machines are replaced by an edit of the pool; all others are paused.
   * Rancher would replace all machines with fixed addresses at the same time, each before its
   * replacement starts. List one address, apply and wait, then the next one; remove the list when
   * all are replaced.
   * @default - no machine is paused
   */
  readonly rollOut?: string[];
}

/** Fixed addresses of machines. */
export interface FixedAddressesProps extends FixedAddressOptions {
  /** The IPv4 addresses, one for each machine, e.g. `10.0.0.11`. */
  readonly addresses: string[];
  /** The subnet of the addresses as a CIDR, e.g. `10.0.0.0/24`. */
  readonly subnet: string;
  /** The default gateway. @default - no default route */
  readonly gateway?: string;
}

/**
 * Fixed addresses for the machines of a pool. Network data belongs to a pool of Rancher, so each
 * machine becomes a pool of its own, named after its address: `control` becomes `control-11` for
 * 10.0.0.11 in a /24. Adding or removing an address changes no other machine.
 *
 * @see https://docs.harvesterhci.io/v1.7/rancher/node/rke2-cluster
 */
export class FixedAddresses {
  /**
   * The given addresses, one for each machine. No IP pool of the Harvester may contain them, unless
   * it is a pool without scopes, which reserves them.
   */
  public static of(props: FixedAddressesProps): FixedAddresses {
    return new FixedAddresses(props.addresses, props.subnet, props.gateway, props);
  }

  /**
   * The first addresses of an IP pool: one for each machine of the `quantity`. The pool has no
   * scopes: Harvester gives none of its addresses to load balancers, and refuses other pools that
   * contain them.
   *
   * @param pool of the program, on the Harvester of the machines
   */
  public static pool(pool: IpPool, options: FixedAddressOptions): FixedAddresses {
    return new FixedAddresses(pool, pool.ranges[0]?.subnet ?? '', pool.ranges[0]?.gateway, options);
  }

  private constructor(
    private readonly source: readonly string[] | IpPool,
    private readonly subnet: string,
    private readonly gateway: string | undefined,
    private readonly options: FixedAddressOptions,
  ) {}

  /** What is wrong with the addresses, by the props of `of`. @internal */
  public *_check(quantity: number | undefined): Iterable<Problem> {
    const network = this.network();
    if (!network) {
      yield {
        path: 'fixedAddresses.subnet',
        value: this.subnet,
        message: 'must be an IPv4 CIDR with room for machines',
        fix: 'set a network such as 10.0.0.0/24',
      };
      return;
    }
    if (this.source instanceof IpPool) {
      yield* this.checkPool(this.source, quantity);
    } else if (quantity !== undefined) {
      yield {
        path: 'quantity',
        value: quantity,
        message:
          'cannot be set together with fixedAddresses.of: there is a machine for each address',
        fix: 'remove quantity',
      };
    }
    const addresses = this.addresses(quantity);
    yield* this.checkAddresses(addresses, network);
    yield* this.checkGateway(network);
    yield* this.checkRollOut(addresses);
  }

  /** The machines. Only after _check. @internal */
  public _machines(quantity: number | undefined) {
    const {
      interfaceName = 'enp1s0',
      otherInterfaces = {},
      nameservers,
      searchDomains,
      rollOut,
    } = this.options;
    const prefix = this.network()!.prefix;
    return this.addresses(quantity).map((address) => ({
      // the octets that differ within the subnet, and at least one, for the name of its pool
      suffix: address
        .split('.')
        .slice(Math.min(3, Math.floor(prefix / 8)))
        .join('-'),
      networkData: NetworkData.v2({
        ethernets: {
          ...otherInterfaces,
          [interfaceName]: {
            addresses: [`${address}/${prefix}`],
            routes: this.gateway === undefined ? undefined : [{ to: 'default', via: this.gateway }],
            nameservers,
            searchDomains,
          },
        },
      }),
      paused: rollOut !== undefined && !rollOut.includes(address),
    }));
  }

  /** The number of machines. @internal */
  public _count(quantity: number | undefined): number {
    return this.source instanceof IpPool ? (quantity ?? 1) : this.source.length;
  }

  private network(): Cidr | undefined {
    const network = parseCidr(this.subnet);
    return network?.family === 4 && network.prefix <= 30 ? network : undefined;
  }

  private addresses(quantity = 1): readonly string[] {
    if (!(this.source instanceof IpPool)) {
      return this.source;
    }
    const [{ subnet, start: rangeStart, end: rangeEnd, gateway }] = this.source.ranges;
    const { range } = readRange('ranges[0]', { subnet, rangeStart, rangeEnd, gateway });
    const found: string[] = [];
    for (
      let bits = range?.first ?? 1n;
      range && bits <= range.last && found.length < quantity;
      bits++
    ) {
      if (bits !== range.gateway) {
        found.push(printIp({ family: 4, bits }));
      }
    }
    return found;
  }

  private *checkAddresses(addresses: readonly string[], network: Cidr): Iterable<Problem> {
    if (addresses.length === 0) {
      yield {
        path: 'fixedAddresses.addresses',
        message: 'must contain an address',
        fix: 'add an address for each machine',
      };
    }
    for (const [index, address] of addresses.entries()) {
      const at = { path: `fixedAddresses.addresses[${index}]`, value: address };
      if (!isHostAddress(address, network)) {
        yield {
          ...at,
          message: `must be an IPv4 address of a host in ${this.subnet}`,
          fix: 'write the address without its prefix length, or correct subnet',
        };
      } else if (address === this.gateway) {
        yield { ...at, message: 'cannot be the gateway', fix: 'use another address' };
      } else if (addresses.indexOf(address) < index) {
        yield { ...at, message: 'must be unique', fix: 'list each address once' };
      }
    }
  }

  private *checkGateway(network: Cidr): Iterable<Problem> {
    if (this.gateway === undefined) {
      return;
    }
    const gateway = parseIp(this.gateway);
    if (!gateway || !contains(network, gateway)) {
      yield {
        path: 'fixedAddresses.gateway',
        value: this.gateway,
        message: `must be an address in ${this.subnet}`,
        fix: 'set the default gateway of the subnet',
      };
    }
  }

  private *checkRollOut(addresses: readonly string[]): Iterable<Problem> {
    const { rollOut = [] } = this.options;
    for (const [index, address] of rollOut.entries()) {
      if (!addresses.includes(address)) {
        yield {
          path: `fixedAddresses.rollOut[${index}]`,
          value: address,
          message: 'must be one of the addresses',
          fix: `use some of ${addresses.join(', ')}`,
        };
      }
    }
  }

  private *checkPool(pool: IpPool, quantity = 1): Iterable<Problem> {
    const at = { path: 'fixedAddresses.pool', value: pool.name };
    if (pool._isScoped) {
      yield {
        ...at,
        message: 'must be a pool without scopes: load balancers get its addresses',
        fix: 'remove scopes from the pool, or use FixedAddresses.of with others',
      };
    }
    const { length } = this.addresses(quantity);
    if (length < quantity) {
      yield {
        ...at,
        message: `must have an address for each of ${quantity} machines in its first range: it has ${length}`,
        fix: 'enlarge the range, or lower quantity',
      };
    }
  }
}

/** Whether text is an address of a network apart from the first and the last one. */
function isHostAddress(text: string, network: Cidr): boolean {
  const address = parseIp(text);
  return (
    address?.family === 4 &&
    contains(network, address) &&
    address.bits !== network.first &&
    address.bits !== network.last
  );
}
