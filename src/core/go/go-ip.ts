/**
 * Addresses and networks as Go's net package reads them.
 *
 * @see https://pkg.go.dev/net#ParseCIDR
 */
export interface IpAddress {
  readonly family: 4 | 6;
  /** The address as a number; an IPv4 address written in IPv6 form counts as IPv6 here, as its prefix lengths do. */
  readonly bits: bigint;
}

/** A CIDR as it was written, and the network it lies in. */
export interface Cidr {
  readonly family: 4 | 6;
  readonly prefix: number;
  /** The address before the slash. */
  readonly address: bigint;
  /** The first address of the network. */
  readonly first: bigint;
  /** The last address of the network. */
  readonly last: bigint;
}

const IPV4_SIZE = 2n ** 32n;

/** `net.ParseIP`: no zone, no leading zeros in IPv4. */
export function parseIp(text: string): IpAddress | undefined {
  const v4 = ipv4(text);
  if (v4 !== undefined) { return { family: 4, bits: v4 }; }
  const v6 = ipv6(text);
  return v6 === undefined ? undefined : { family: 6, bits: v6 };
}

/** Whether Go's `To4` takes it: IPv4, also when it is written in IPv6 form. */
export function isIpv4(ip: IpAddress): boolean {
  return ip.family === 4 || ip.bits / IPV4_SIZE === 0xffffn;
}

/** `net.ParseCIDR`. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  const ip = slash < 0 ? undefined : parseIp(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (!ip || !/^[0-9]{1,7}$/.test(length)) { return undefined; }
  const width = widthOf(ip.family);
  const prefix = Number(length);
  if (prefix > width) { return undefined; }
  const size = 2n ** BigInt(width - prefix);
  const first = ip.bits - ip.bits % size;
  return { family: ip.family, prefix, address: ip.bits, first, last: first + size - 1n };
}

export function overlaps(a: Cidr, b: Cidr): boolean {
  return a.family === b.family && a.first <= b.last && b.first <= a.last;
}

export function contains(network: Cidr, ip: IpAddress): boolean {
  const bits = network.family === 4 && ip.family === 6 && isIpv4(ip) ? ip.bits % IPV4_SIZE : ip.bits;
  return (network.family === ip.family || bits !== ip.bits) && network.first <= bits && bits <= network.last;
}

/** A network as Go prints it, e.g. `10.0.0.0/24`. */
export function printNetwork({ family, first, prefix }: Cidr): string {
  return `${printIp({ family, bits: first })}/${prefix}`;
}

export function printIp({ family, bits }: IpAddress): string {
  if (family === 4) { return digits(bits, 256n, 4).join('.'); }
  const groups = digits(bits, 65536n, 8).map((group) => group.toString(16));
  const zeros = [...groups.join(':').matchAll(/(?:^|:)0(?::0)+(?=:|$)/g)].sort((a, b) => b[0].length - a[0].length)[0];
  if (!zeros) { return groups.join(':'); }
  const text = groups.join(':');
  return `${text.slice(0, zeros.index)}::${text.slice(zeros.index + zeros[0].length).replace(/^:/, '')}`;
}

// the digits of a number to some base, the highest first
function digits(bits: bigint, base: bigint, count: number): bigint[] {
  return Array.from({ length: count }, (_, index) => (bits / base ** BigInt(count - 1 - index)) % base);
}

function widthOf(family: 4 | 6): number {
  return family === 4 ? 32 : 128;
}

function ipv4(text: string): bigint | undefined {
  if (!/^(0|[1-9][0-9]{0,2})(\.(0|[1-9][0-9]{0,2})){3}$/.test(text)) { return undefined; }
  const octets = text.split('.').map(Number);
  return octets.every((octet) => octet <= 255) ? octets.reduce((bits, octet) => bits * 256n + BigInt(octet), 0n) : undefined;
}

function ipv6(text: string): bigint | undefined {
  // the last two groups may be an IPv4 address
  const tail = /^(.*:)([0-9.]*\.[0-9.]*)$/.exec(text);
  const v4 = tail ? ipv4(tail[2]!) : undefined;
  if (tail && v4 === undefined) { return undefined; }
  const hex = tail ? `${tail[1]}${digits(v4!, 65536n, 2).map((group) => group.toString(16)).join(':')}` : text;
  const halves = hex.split('::');
  if (!hex.includes(':') || halves.length > 2) { return undefined; }
  const [head, rest] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const given = [...head!, ...(rest ?? [])];
  if (!given.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) { return undefined; }
  if (rest === undefined ? given.length !== 8 : given.length > 7) { return undefined; }
  const groups = rest === undefined ? given : [...head!, ...Array<string>(8 - given.length).fill('0'), ...rest];
  return groups.reduce((bits, group) => bits * 65536n + BigInt(`0x${group}`), 0n);
}
