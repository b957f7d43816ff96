import { contains, parseCidr, parseIp, printIp } from '../../core/go/go-ip';
import { isLate } from '../../core/late/late-token';
import { NO_PROBLEMS, Problem } from '../../core/problem/problem';

/** The networks of a Subnet: one of IPv4, one of IPv6, or both with a comma. */
export function cidrsOf(value: unknown): readonly string[] {
  return typeof value === 'string' && value !== '' && !isLate(value) ? value.split(',') : [];
}

/** Checks the networks of a Subnet. @see kubeovn/kube-ovn:pkg/util/validator.go ValidateSubnet */
export function checkSubnetCidrs(path: string, value: string): readonly Problem[] {
  const networks = cidrsOf(value).map((cidr) => parseCidr(cidr));
  const isWrong =
    networks.some(
      (network) => network === undefined || network.prefix >= (network.family === 4 ? 32 : 128),
    ) ||
    networks.length > 2 ||
    (networks.length === 2 && networks[0]!.family === networks[1]!.family) ||
    (!isLate(value) && /[A-F]/.test(value));
  if (isWrong) {
    return [
      {
        path,
        value,
        message:
          'must be a network in CIDR form, lower case, or one of IPv4 and one of IPv6 with a comma',
        fix: 'write e.g. 10.20.0.0/24',
        says: 'is invalid',
      },
    ];
  }
  return NO_PROBLEMS;
}

/** Checks that each address of a text with commas is in the networks of its Subnet. */
export function checkInCidrs(path: string, value: string, cidrBlock: unknown): readonly Problem[] {
  const cidrs = cidrsOf(cidrBlock);
  const networks = cidrs.map((cidr) => parseCidr(cidr));
  const isIn = (text: string): boolean => {
    const ip = parseIp(text);
    return (
      ip !== undefined && networks.some((network) => network !== undefined && contains(network, ip))
    );
  };
  const wrong = isLate(value) ? undefined : value.split(',').find((ip) => !isIn(ip));
  if (cidrs.length > 0 && wrong !== undefined) {
    return [
      {
        path,
        value: wrong,
        message: `must be an address of ${cidrs.join(', ')}`,
        fix: 'use an address of cidrBlock',
        says: `${wrong} is not in cidr ${cidrs.join(',')}`,
      },
    ];
  }
  return NO_PROBLEMS;
}

/** Checks addresses that a Subnet leaves out. */
export function checkExcluded(path: string, range: unknown): readonly Problem[] {
  if (typeof range !== 'string' || isLate(range) || isRange(range)) {
    return NO_PROBLEMS;
  }
  return [
    {
      path,
      value: range,
      message: 'must be an address, or a range such as 10.0.0.1..10.0.0.9',
      fix: 'correct it',
      says: 'in excludeIps is not a valid',
    },
  ];
}

function isRange(range: string): boolean {
  const [first, last = first, ...more] = range.split('..').map(parseIp);
  return (
    first !== undefined &&
    last !== undefined &&
    more.length === 0 &&
    first.family === last.family &&
    first.bits <= last.bits
  );
}

/**
 * The addresses of a network between two VPCs, for the first and the second one; undefined for what
 * is not such a network.
 */
export function peerAddresses(
  network: string,
): readonly [first: PeerAddress, second: PeerAddress] | undefined {
  const cidr = parseCidr(network);
  if (!cidr || cidr.last - cidr.first < 3n) {
    return undefined;
  }
  const [first, second] = [1n, 2n].map((index) =>
    printIp({ family: cidr.family, bits: cidr.first + index }),
  ) as [string, string];
  return [
    { own: `${first}/${cidr.prefix}`, nextHop: second },
    { own: `${second}/${cidr.prefix}`, nextHop: first },
  ];
}

/** The addresses that one of two VPCs has in the network between them. */
export interface PeerAddress {
  /** Its own address, with the length of the prefix. */
  readonly own: string;
  /** The address of the other one. */
  readonly nextHop: string;
}
