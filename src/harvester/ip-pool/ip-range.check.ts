import { Cidr, IpAddress, contains, isIpv4, parseCidr, parseIp, printIp, printNetwork } from '../../core/go/go-ip';
import { isLate } from '../../core/late/late-token';
import { isRecord } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';

/** The addresses of one entry of a pool. */
export interface AddressRange {
  readonly family: 4 | 6;
  /** The lower end, also if it was set as rangeEnd. */
  readonly first: bigint;
  readonly last: bigint;
  /** Never allocated. Undefined for a subnet of one address. */
  readonly gateway?: bigint;
  /** Whether the start is after the end. */
  readonly reversed: boolean;
}

/** A parsed entry of a pool, or the problems that prevent it. */
interface ReadRange {
  readonly range?: AddressRange;
  readonly problems: readonly Problem[];
}

const EXAMPLE = '192.168.1.0/24';
/** A point-to-point subnet, of IPv4 only. */
const ONE_ADDRESS = 32;

/**
 * Reads an entry of a pool as the server does: by default from first to last host, with the first host as gateway.
 *
 * @param path the path of the entry, e.g. `spec.ranges[0]`
 * @see harvester/load-balancer-harvester:pkg/ipam/allocator.go MakeRange
 */
export function readRange(path: string, entry: unknown): ReadRange {
  if (!isRecord(entry)) {
    return {
      problems: [{
        path,
        value: entry,
        message: 'must be a mapping with a subnet',
        fix: `set a subnet such as ${EXAMPLE}`,
      }],
    };
  }
  const { subnet } = entry;
  if (Object.values(entry).some(isLate)) { return { problems: [] }; }
  const network = typeof subnet === 'string' ? parseCidr(subnet) : undefined;
  if (!network) {
    return {
      problems: [{
        path: `${path}.subnet`,
        value: subnet,
        message: 'must be a CIDR',
        fix: `set a CIDR such as ${EXAMPLE}`,
        says: `invalid CIDR address: ${text(subnet)}, a valid example is ${EXAMPLE}`,
      }],
    };
  }
  const problems: Problem[] = [];
  const address = (field: string, says: string, otherwise: bigint | undefined): bigint | undefined => {
    const value = entry[field];
    if (value === undefined || value === null || value === '') { return otherwise; }
    const read = readAddress(network, value);
    if (typeof read === 'bigint') { return read; }
    problems.push({
      path: `${path}.${field}`,
      value,
      message: `must be a host address of ${printNetwork(network)}`,
      fix: addressFix(network),
      says: `invalid ${says} ${text(value)}: ${read}`,
    });
    return otherwise;
  };
  const single = network.family === 4 && network.prefix === ONE_ADDRESS;
  const firstHost = network.first + 1n;
  const start = address('rangeStart', 'range start', single ? network.first : firstHost)!;
  const end = address('rangeEnd', 'range end', single ? network.first : network.family === 4 ? network.last - 1n : network.last)!;
  const gateway = address('gateway', 'gateway', single ? undefined : firstHost);
  if (problems.length > 0) { return { problems }; }
  const given = isGiven(entry.rangeStart) || isGiven(entry.rangeEnd);
  const [first, last] = start <= end ? [start, end] : [end, start];
  // for a subnet of two addresses, the server derives start and end in reverse order, and corrects them
  const reversed = start > end && given;
  return { problems, range: { family: network.family, first, last, reversed, ...(gateway === undefined ? {} : { gateway }) } };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

// the address, or the server's reason for refusing it
function readAddress(network: Cidr, value: unknown): bigint | string {
  const ip = typeof value === 'string' ? parseIp(value) : undefined;
  if (!ip) { return `invalid IP ${text(value)}`; }
  if (!contains(network, ip)) { return `IP ${text(value)} is out of subnet ${printNetwork(network)}`; }
  const bits = bitsIn(network, ip);
  if (bits === network.first) { return `IP ${text(value)} is the network address`; }
  return bits === network.last ? `IP ${text(value)} is the broadcast address` : bits;
}

function bitsIn({ family }: Cidr, ip: IpAddress): bigint {
  return family === 4 && ip.family === 6 && isIpv4(ip) ? ip.bits % 2n ** 32n : ip.bits;
}

function addressFix(network: Cidr): string {
  if (network.last - network.first < 3n) { return 'remove it: a subnet this small has no addresses to choose from'; }
  const [first, last] = [network.first + 1n, network.last - 1n].map((bits) => printIp({ family: network.family, bits }));
  return `use one of ${first} to ${last}, not the first or last address of the subnet`;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value) ?? '';
}

/** The number of addresses that a range can allocate. A reversed one allocates none, as seen on a running server. */
export function sizeOf({ first, last, gateway, reversed }: AddressRange): bigint {
  if (reversed) { return 0n; }
  const withGateway = gateway !== undefined && first <= gateway && gateway <= last;
  return last - first + 1n - (withGateway ? 1n : 0n);
}

/** The number of addresses that the ranges of a pool can allocate together. */
export function sizeOfAll(ranges: readonly AddressRange[]): bigint {
  return ranges.reduce((sum, range) => sum + sizeOf(range), 0n);
}

/** Whether a range contains an address, including its gateway. */
export function holds({ family, first, last }: AddressRange, address: string): boolean {
  const ip = parseIp(address);
  if (!ip) { return false; }
  const bits = family === 4 && isIpv4(ip) ? ip.bits % 2n ** 32n : ip.bits;
  return (family === 4) === isIpv4(ip) && first <= bits && bits <= last;
}

/** The only address of a pool. Undefined for larger pools. */
export function onlyAddress(ranges: readonly AddressRange[]): string | undefined {
  if (sizeOfAll(ranges) !== 1n) { return undefined; }
  const range = ranges.find((candidate) => sizeOf(candidate) === 1n)!;
  return printIp({ family: range.family, bits: range.first === range.gateway ? range.last : range.first });
}

/** A range as text. */
export function printRange({ family, first, last }: AddressRange): string {
  return first === last ? printIp({ family, bits: first }) : `${printIp({ family, bits: first })}-${printIp({ family, bits: last })}`;
}
