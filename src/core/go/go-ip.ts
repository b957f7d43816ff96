import { isIPv4, isIPv6 } from 'net';
import { byText } from '../text/values';

/** An IP address as Go's net package reads it. @see https://pkg.go.dev/net#ParseIP */
export interface IpAddress {
  readonly family: 4 | 6;
  /**
   * The address as a number. An IPv4 address in IPv6 form counts as IPv6, as its prefix lengths do.
   */
  readonly bits: bigint;
}

/** Addresses of one family, from the first to the last. */
interface Span {
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly last: bigint;
}

/** A network in CIDR form. */
export interface Cidr extends Span {
  readonly prefix: number;
  /** The address before the slash. */
  readonly address: bigint;
}

const IPV4_SIZE = 2n ** 32n;

/**
 * Reads an address: no zone, no leading zeros in IPv4. Not by ipaddr.js, which reads octal and
 * short forms that Go refuses.
 */
export function parseIp(text: string): IpAddress | undefined {
  if (isIPv4(text)) {
    return { family: 4, bits: numberOf(text.split('.').map(Number), 256n) };
  }
  if (!isIPv6(text) || text.includes('%')) {
    return undefined;
  }
  const [head, tail] = canonical(text)
    .split('::')
    .map((half) => half.split(':').filter(Boolean));
  const groups = tail
    ? [...head!, ...Array<string>(8 - head!.length - tail.length).fill('0'), ...tail]
    : head!;
  return {
    family: 6,
    bits: numberOf(
      groups.map((group) => parseInt(group, 16)),
      65536n,
    ),
  };
}

/** Whether an address is of IPv4, also in IPv6 form. */
export function isIpv4(ip: IpAddress): boolean {
  return ip.family === 4 || ip.bits / IPV4_SIZE === 0xffffn;
}

/** Reads a network, with any address of it before the slash. */
export const parseCidr = byText((text: string): Cidr | undefined => {
  const [, before, length] = /^([^/]*)\/(\d{1,7})$/.exec(text) ?? [];
  const ip = before === undefined ? undefined : parseIp(before);
  const prefix = Number(length);
  const width = ip?.family === 4 ? 32 : 128;
  if (!ip || prefix > width) {
    return undefined;
  }
  const size = 2n ** BigInt(width - prefix);
  const first = ip.bits - (ip.bits % size);
  return { family: ip.family, prefix, address: ip.bits, first, last: first + size - 1n };
});

/** Whether two networks or ranges have an address in common. */
export function overlaps(a: Span, b: Span): boolean {
  return a.family === b.family && a.first <= b.last && b.first <= a.last;
}

/** Whether an address is of a network. */
export function contains(network: Cidr, ip: IpAddress): boolean {
  const bits =
    network.family === 4 && ip.family === 6 && isIpv4(ip) ? ip.bits % IPV4_SIZE : ip.bits;
  return (
    (network.family === ip.family || bits !== ip.bits) &&
    network.first <= bits &&
    bits <= network.last
  );
}

/** A network in CIDR form, e.g. `10.0.0.0/24`. */
export function printNetwork({ family, first, prefix }: Cidr): string {
  return `${printIp({ family, bits: first })}/${prefix}`;
}

/** An address in its shortest form. */
export function printIp({ family, bits }: IpAddress): string {
  return family === 4
    ? digits(bits, 256n, 4).join('.')
    : canonical(
        digits(bits, 65536n, 8)
          .map((group) => group.toString(16))
          .join(':'),
      );
}

// the URL standard shortens an IPv6 address as Go does
function canonical(ipv6: string): string {
  return new URL(`http://[${ipv6}]`).hostname.slice(1, -1);
}

function numberOf(all: readonly number[], base: bigint): bigint {
  return all.reduce((bits, digit) => bits * base + BigInt(digit), 0n);
}

// the digits of a number to some base, the highest first
function digits(bits: bigint, base: bigint, count: number): bigint[] {
  return Array.from(
    { length: count },
    (_, index) => (bits / base ** BigInt(count - 1 - index)) % base,
  );
}
