import {
  Cidr,
  IpAddress,
  contains,
  isIpv4,
  parseCidr,
  parseIp,
  printIp,
  printNetwork,
} from '../../core/go/go-ip';
import { isLate } from '../../core/late/late-token';
import { Fields, isRecord, Manifest, valueAt, itemsAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/problem/problem';
import { textOrEmpty } from '../../core/text/plain-text';

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
 * Reads an entry of a pool as the server does: by default from first to last host, with the first
 * host as gateway.
 *
 * @param path the path of the entry, e.g. `spec.ranges[0]`
 * @see harvester/load-balancer-harvester:pkg/ipam/allocator.go MakeRange
 */
export function readRange(path: string, entry: unknown): ReadRange {
  if (!isRecord(entry)) {
    return {
      problems: [
        {
          path,
          value: entry,
          message: 'must be a mapping with a subnet',
          fix: `set a subnet such as ${EXAMPLE}`,
        },
      ],
    };
  }
  if (Object.values(entry).some(isLate)) {
    return { problems: [] };
  }
  const { subnet } = entry;
  const network = typeof subnet === 'string' ? parseCidr(subnet) : undefined;
  if (!network) {
    return {
      problems: [
        {
          path: `${path}.subnet`,
          value: subnet,
          message: 'must be a CIDR',
          fix: `set a CIDR such as ${EXAMPLE}`,
          says: `invalid CIDR address: ${text(subnet)}, a valid example is ${EXAMPLE}`,
        },
      ],
    };
  }
  const { addresses, problems } = readAddresses(path, entry, network);
  return problems.length > 0 ? { problems } : { problems, range: rangeOf(addresses, network) };
}

/** The fields with an address, in the words of the server. */
const ADDRESS_FIELDS = [
  ['rangeStart', 'range start'],
  ['rangeEnd', 'range end'],
  ['gateway', 'gateway'],
] as const;

/** The addresses that an entry gives. */
type GivenAddresses = { readonly [field in (typeof ADDRESS_FIELDS)[number][0]]?: bigint };

function readAddresses(
  path: string,
  entry: Fields,
  network: Cidr,
): { readonly addresses: GivenAddresses; readonly problems: readonly Problem[] } {
  const addresses: { -readonly [field in keyof GivenAddresses]: GivenAddresses[field] } = {};
  const problems: Problem[] = [];
  for (const [field, name] of ADDRESS_FIELDS) {
    const value = entry[field];
    if (!isGiven(value)) {
      continue;
    }
    const read = readAddress(network, value);
    if (typeof read === 'bigint') {
      addresses[field] = read;
      continue;
    }
    problems.push({
      path: `${path}.${field}`,
      value,
      message: `must be a host address of ${printNetwork(network)}`,
      fix: addressFix(network),
      says: `invalid ${name} ${text(value)}: ${read}`,
    });
  }
  return { addresses, problems };
}

function rangeOf({ rangeStart, rangeEnd, gateway }: GivenAddresses, network: Cidr): AddressRange {
  const defaults = defaultAddresses(network);
  const start = rangeStart ?? defaults.start;
  const end = rangeEnd ?? defaults.end;
  const way = gateway ?? defaults.gateway;
  const [first, last] = start <= end ? [start, end] : [end, start];
  const isChosen = rangeStart !== undefined || rangeEnd !== undefined;
  return {
    family: network.family,
    first,
    last,
    // for a subnet of two addresses, the server derives start and end in reverse order, and
    // corrects them
    reversed: start > end && isChosen,
    ...(way === undefined ? {} : { gateway: way }),
  };
}

function defaultAddresses({ family, prefix, first, last }: Cidr): {
  readonly start: bigint;
  readonly end: bigint;
  readonly gateway?: bigint;
} {
  if (family === 4 && prefix === ONE_ADDRESS) {
    return { start: first, end: first };
  }
  const firstHost = first + 1n;
  // the last address of an IPv4 subnet is its broadcast address
  const lastHost = family === 4 ? last - 1n : last;
  return { start: firstHost, end: lastHost, gateway: firstHost };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

// the address, or the server's reason for refusing it
function readAddress(network: Cidr, value: unknown): bigint | string {
  const ip = typeof value === 'string' ? parseIp(value) : undefined;
  if (!ip) {
    return `invalid IP ${text(value)}`;
  }
  if (!contains(network, ip)) {
    return `IP ${text(value)} is out of subnet ${printNetwork(network)}`;
  }
  const bits = bitsIn(network, ip);
  if (bits === network.first) {
    return `IP ${text(value)} is the network address`;
  }
  return bits === network.last ? `IP ${text(value)} is the broadcast address` : bits;
}

function bitsIn({ family }: Cidr, ip: IpAddress): bigint {
  return family === 4 && ip.family === 6 && isIpv4(ip) ? ip.bits % 2n ** 32n : ip.bits;
}

function addressFix(network: Cidr): string {
  if (network.last - network.first < 3n) {
    return 'remove it: a subnet this small has no addresses to choose from';
  }
  const [first, last] = [network.first + 1n, network.last - 1n].map((bits) =>
    printIp({ family: network.family, bits }),
  );
  return `use one of ${first} to ${last}, not the first or last address of the subnet`;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/**
 * The number of addresses that a range can allocate. A reversed one allocates none, as seen on a
 * running server.
 */
export function addressCount({ first, last, gateway, reversed }: AddressRange): bigint {
  if (reversed) {
    return 0n;
  }
  const withGateway = gateway !== undefined && first <= gateway && gateway <= last;
  return last - first + 1n - (withGateway ? 1n : 0n);
}

/** The number of addresses that the ranges of a pool can allocate together. */
export function sizeOfAll(ranges: readonly AddressRange[]): bigint {
  return ranges.reduce((sum, range) => sum + addressCount(range), 0n);
}

/** Whether a range contains an address, including its gateway. */
export function holdsAddress({ family, first, last }: AddressRange, address: string): boolean {
  const ip = parseIp(address);
  if (!ip) {
    return false;
  }
  const bits = family === 4 && isIpv4(ip) ? ip.bits % 2n ** 32n : ip.bits;
  return (family === 4) === isIpv4(ip) && first <= bits && bits <= last;
}

/** The only address of a pool. Undefined for larger pools. */
export function onlyAddress(ranges: readonly AddressRange[]): string | undefined {
  if (sizeOfAll(ranges) !== 1n) {
    return undefined;
  }
  const range = ranges.find((candidate) => addressCount(candidate) === 1n)!;
  return printIp({
    family: range.family,
    bits: range.first === range.gateway ? range.last : range.first,
  });
}

/** A range as text. */
export function printRange({ family, first, last }: AddressRange): string {
  return first === last
    ? printIp({ family, bits: first })
    : `${printIp({ family, bits: first })}-${printIp({ family, bits: last })}`;
}

/**
 * Matches every value in the scope of a pool.
 * @see harvester/load-balancer-harvester:pkg/ipam/selector.go All
 */
export const ANY_OF_SCOPE = '*';

/** The fields of a tuple of a pool's selector. */
export const SCOPE_DIMENSIONS = ['project', 'namespace', 'guestCluster'] as const;

/** One tuple of a pool's selector. Empty is a value of its own. */
export interface PoolScope {
  readonly project: string;
  readonly namespace: string;
  readonly guestCluster: string;
}

/** An IPPool as the selection reads it. */
export interface AddressPool {
  readonly name: string;
  readonly ranges: readonly AddressRange[];
  /** Whether all ranges could be parsed, so that its size is known. */
  readonly complete: boolean;
  readonly network: string;
  readonly priority: number;
  readonly scope: readonly PoolScope[];
  /** Whether it is the fallback for load balancers without another pool. */
  readonly global: boolean;
  /**
   * Allocated addresses with the `<namespace>/<name>` of the load balancer, if the manifest was
   * read from a server.
   */
  readonly allocated: ReadonlyMap<string, string>;
  /**
   * The address of each load balancer, also by the part of a name from the cloud provider that
   * precedes its hash.
   */
  readonly owners: ReadonlyMap<string, string>;
  /** The address that each load balancer had before, and would get again. */
  readonly formerOwners: ReadonlyMap<string, string>;
}

/**
 * The length of the hash at the end of such a name. It contains the UID of the Service, which is
 * not known here.
 */
export const HASH_LENGTH = 8;

/** Reads an IPPool. Ignores fields of a wrong type. */
export function readPool(manifest: Manifest): AddressPool {
  const entries = itemsAt(manifest, 'spec', 'ranges');
  const ranges = entries.map((entry) => readRange('', entry).range);
  const known = ranges.filter((range): range is AddressRange => range !== undefined);
  const priority = valueAt(manifest, 'spec', 'selector', 'priority');
  const scope = poolScopesOf(manifest);
  const allocated = addressesOf(manifest, 'allocated');
  return {
    name: manifest.metadata.name,
    ranges: known,
    complete: known.length === entries.length,
    network: textOrEmpty(valueAt(manifest, 'spec', 'selector', 'network')),
    priority: typeof priority === 'number' ? priority : 0,
    scope,
    global: isGlobal(scope),
    allocated,
    owners: new Map(
      [...allocated].flatMap(
        ([ip, owner]) =>
          [
            [owner, ip],
            [owner.slice(0, -HASH_LENGTH), ip],
          ] as const,
      ),
    ),
    formerOwners: new Map(
      [...addressesOf(manifest, 'allocatedHistory')].map(([ip, owner]) => [owner, ip]),
    ),
  };
}

/** The tuples of a pool's selector. */
export function poolScopesOf(manifest: Manifest): PoolScope[] {
  return itemsAt(manifest, 'spec', 'selector', 'scope').map((tuple) => ({
    project: textOrEmpty(valueAt(tuple, 'project')),
    namespace: textOrEmpty(valueAt(tuple, 'namespace')),
    guestCluster: textOrEmpty(valueAt(tuple, 'guestCluster')),
  }));
}

/**
 * Exactly one tuple, of three wildcards.
 * @see harvester/load-balancer-harvester:pkg/webhook/ippool isGlobalIPPool
 */
export function isGlobal(scope: readonly PoolScope[]): boolean {
  return (
    scope.length === 1 &&
    scope[0].project === ANY_OF_SCOPE &&
    scope[0].namespace === ANY_OF_SCOPE &&
    scope[0].guestCluster === ANY_OF_SCOPE
  );
}

/** Whether two tuples can match one load balancer. */
export function scopesOverlap(a: PoolScope, b: PoolScope): boolean {
  const same = (one: string, other: string) =>
    one === ANY_OF_SCOPE || other === ANY_OF_SCOPE || one === other;
  return (
    same(a.project, b.project) &&
    same(a.namespace, b.namespace) &&
    same(a.guestCluster, b.guestCluster)
  );
}

function addressesOf(
  manifest: Manifest,
  field: 'allocated' | 'allocatedHistory',
): ReadonlyMap<string, string> {
  const addresses = valueAt(manifest, 'status', field);
  return new Map(
    isRecord(addresses)
      ? Object.entries(addresses).map(([ip, owner]) => [ip, textOrEmpty(owner)])
      : [],
  );
}

/**
 * The requirement of a load balancer. Undefined is not known, empty is a value of its own.
 * @see harvester/load-balancer-harvester:pkg/ipam/selector.go Requirement
 */
export interface PoolRequirement {
  /** `<namespace>/<name>` of the network of its address. */
  readonly network?: string;
  /** `<cluster ID>/<project>` of its namespace on the Harvester. */
  readonly project?: string;
  readonly namespace?: string;
  /** The name of the guest cluster. Empty for load balancers of virtual machines. */
  readonly cluster?: string;
}

/** How a version of the server matches pools. */
interface SelectionMode {
  /**
   * Whether empty projects and clusters of a tuple match any if nothing else matches. Undefined if
   * not known.
   */
  readonly loose: boolean | undefined;
}

/** The pool of a load balancer. */
export type PoolSelection =
  | {
      readonly kind: 'pool';
      readonly pool: AddressPool;
      /** `held`: the load balancer has an address of it already. */
      readonly by: 'scope' | 'loose scope' | 'global' | 'held';
    }
  | { readonly kind: 'none' }
  /** Not all inputs are known, or the server's choice is arbitrary. */
  | { readonly kind: 'unknown'; readonly candidates: readonly AddressPool[] };

type Match = 'yes' | 'no' | 'maybe';

/**
 * Selects the pool of a load balancer that refers to none: the matching one of the highest
 * priority, otherwise the global one, otherwise one that matches if empty fields match any.
 *
 * @see harvester/load-balancer-harvester:pkg/controller/loadbalancer/controller.go selectIPPool; pkg/ipam/selector.go Select
 */
export function selectPool(
  pools: readonly AddressPool[],
  requirement: PoolRequirement,
  { loose }: SelectionMode,
): PoolSelection {
  const strict = best(pools, requirement, false);
  if (strict.kind !== 'none') {
    return strict;
  }
  const global = pools.find((pool) => pool.global);
  if (global) {
    return { kind: 'pool', pool: global, by: 'global' };
  }
  if (loose === false) {
    return strict;
  }
  const relaxed = best(pools, requirement, true);
  return loose === undefined && relaxed.kind === 'pool'
    ? { kind: 'unknown', candidates: [relaxed.pool] }
    : relaxed;
}

function best(
  pools: readonly AddressPool[],
  requirement: PoolRequirement,
  loose: boolean,
): PoolSelection {
  const matches = pools
    .filter((pool) => !pool.global)
    .map((pool) => ({ pool, match: matchPool(pool, requirement, loose) }));
  const sure = matches.filter(({ match }) => match === 'yes').map(({ pool }) => pool);
  const priority = Math.max(...sure.map((pool) => pool.priority));
  const first = sure.filter((pool) => pool.priority === priority);
  const perhaps = matches
    .filter(
      ({ match, pool }) => match === 'maybe' && (sure.length === 0 || pool.priority >= priority),
    )
    .map(({ pool }) => pool);
  // of several, the server takes the last in its cache
  if (perhaps.length > 0 || first.length > 1) {
    const global = pools.filter((pool) => pool.global && sure.length === 0);
    return { kind: 'unknown', candidates: [...first, ...perhaps, ...global] };
  }
  return first.length === 0
    ? { kind: 'none' }
    : { kind: 'pool', pool: first[0], by: loose ? 'loose scope' : 'scope' };
}

function matchPool(pool: AddressPool, requirement: PoolRequirement, loose: boolean): Match {
  const network = matchField(pool.network, requirement.network, false);
  if (network === 'no') {
    return 'no';
  }
  const scopes = pool.scope.map((tuple) => matchScope(tuple, requirement, loose));
  if (!scopes.some((match) => match !== 'no')) {
    return 'no';
  }
  return network === 'yes' && scopes.includes('yes') ? 'yes' : 'maybe';
}

function matchScope(
  tuple: PoolScope,
  { project, namespace, cluster }: PoolRequirement,
  loose: boolean,
): Match {
  const field = (given: string, asked: string | undefined, emptyIsAny: boolean) =>
    given === ANY_OF_SCOPE ? 'yes' : matchField(given, asked, emptyIsAny);
  const fields = [
    field(tuple.project, project, loose),
    field(tuple.namespace, namespace, false),
    field(tuple.guestCluster, cluster, loose),
  ];
  if (fields.includes('no')) {
    return 'no';
  }
  if (fields.includes('maybe')) {
    return 'maybe';
  }
  return 'yes';
}

function matchField(given: string, asked: string | undefined, emptyIsAny: boolean): Match {
  if (emptyIsAny && given === '') {
    return 'yes';
  }
  if (asked === undefined || isLate(asked) || isLate(given)) {
    return given === asked ? 'yes' : 'maybe';
  }
  return given === asked ? 'yes' : 'no';
}

/** A requirement as text, for messages. */
export function printRequirement({
  network,
  project,
  namespace,
  cluster,
}: PoolRequirement): string {
  const part = (name: string, value = 'not known'): string => `${name} ${value || 'none'}`;
  return [
    part('network', network),
    part('project', project),
    part('namespace', namespace),
    part('guest cluster', cluster),
  ].join(', ');
}
