import { AddressRange, readRange } from './ip-range.check';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, valueAt } from '../../core/manifest/manifest';

/** Matches every value in the scope of a pool. @see harvester/load-balancer-harvester:pkg/ipam/selector.go All */
export const ANY = '*';

/** One tuple of a pool's selector. Empty is a value of its own. */
export interface PoolScope {
  readonly project: string;
  readonly namespace: string;
  readonly guestCluster: string;
}

/** An IPPool as the selection reads it. */
export interface Pool {
  readonly name: string;
  readonly ranges: readonly AddressRange[];
  /** Whether all ranges could be parsed, so that its size is known. */
  readonly complete: boolean;
  readonly network: string;
  readonly priority: number;
  readonly scope: readonly PoolScope[];
  /** Whether it is the fallback for load balancers without another pool. */
  readonly global: boolean;
  /** Allocated addresses with the `<namespace>/<name>` of the load balancer, if the manifest was read from a server. */
  readonly allocated: ReadonlyMap<string, string>;
  /** The address of each load balancer, also by the part of a name from the cloud provider that precedes its hash. */
  readonly owners: ReadonlyMap<string, string>;
  /** The address that each load balancer had before, and would get again. */
  readonly formerOwners: ReadonlyMap<string, string>;
}

/** The length of the hash at the end of such a name. It contains the UID of the Service, which is not known here. */
const HASH_LENGTH = 8;

/** Reads an IPPool. Ignores fields of a wrong type. */
export function readPool(manifest: Manifest): Pool {
  const entries = listOf(valueAt(manifest, 'spec', 'ranges'));
  const ranges = entries.map((entry) => readRange('', entry).range);
  const known = ranges.filter((range): range is AddressRange => range !== undefined);
  const priority = valueAt(manifest, 'spec', 'selector', 'priority');
  const scope = scopeOf(manifest);
  const allocated = addressesOf(manifest, 'allocated');
  return {
    name: manifest.metadata.name,
    ranges: known,
    complete: known.length === entries.length,
    network: textOf(valueAt(manifest, 'spec', 'selector', 'network')),
    priority: typeof priority === 'number' ? priority : 0,
    scope,
    global: isGlobal(scope),
    allocated,
    owners: new Map([...allocated].flatMap(([ip, owner]) => [[owner, ip], [owner.slice(0, -HASH_LENGTH), ip]] as const)),
    formerOwners: new Map([...addressesOf(manifest, 'allocatedHistory')].map(([ip, owner]) => [owner, ip])),
  };
}

/** The tuples of a pool's selector. */
export function scopeOf(manifest: Manifest): PoolScope[] {
  return listOf(valueAt(manifest, 'spec', 'selector', 'scope')).map((tuple) => ({
    project: textOf(valueAt(tuple, 'project')), namespace: textOf(valueAt(tuple, 'namespace')), guestCluster: textOf(valueAt(tuple, 'guestCluster')),
  }));
}

/** Exactly one tuple, of three wildcards. @see harvester/load-balancer-harvester:pkg/webhook/ippool isGlobalIPPool */
export function isGlobal(scope: readonly PoolScope[]): boolean {
  return scope.length === 1 && scope[0].project === ANY && scope[0].namespace === ANY && scope[0].guestCluster === ANY;
}

/** Whether two tuples can match one load balancer. */
export function scopesOverlap(a: PoolScope, b: PoolScope): boolean {
  const same = (one: string, other: string) => one === ANY || other === ANY || one === other;
  return same(a.project, b.project) && same(a.namespace, b.namespace) && same(a.guestCluster, b.guestCluster);
}

function addressesOf(manifest: Manifest, field: 'allocated' | 'allocatedHistory'): ReadonlyMap<string, string> {
  const addresses = valueAt(manifest, 'status', field);
  return new Map(isRecord(addresses) ? Object.entries(addresses).map(([ip, owner]) => [ip, textOf(owner)]) : []);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
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
  /** Whether empty projects and clusters of a tuple match any if nothing else matches. Undefined if not known. */
  readonly loose: boolean | undefined;
}

/** The pool of a load balancer. */
export type Selection =
  | { readonly kind: 'pool'; readonly pool: Pool; readonly by: 'scope' | 'loose scope' | 'global' }
  | { readonly kind: 'none' }
  /** Not all inputs are known, or the server's choice is arbitrary. */
  | { readonly kind: 'unknown'; readonly candidates: readonly Pool[] };

type Match = 'yes' | 'no' | 'maybe';

/**
 * Selects the pool of a load balancer that refers to none: the matching one of the highest priority, otherwise the global one, otherwise one that
 * matches if empty fields match any.
 *
 * @see harvester/load-balancer-harvester:pkg/controller/loadbalancer/controller.go selectIPPool; pkg/ipam/selector.go Select
 */
export function selectPool(pools: readonly Pool[], requirement: PoolRequirement, { loose }: SelectionMode): Selection {
  const strict = best(pools, requirement, false);
  if (strict.kind !== 'none') { return strict; }
  const global = pools.find((pool) => pool.global);
  if (global) { return { kind: 'pool', pool: global, by: 'global' }; }
  if (loose === false) { return strict; }
  const relaxed = best(pools, requirement, true);
  return loose === undefined && relaxed.kind === 'pool' ? { kind: 'unknown', candidates: [relaxed.pool] } : relaxed;
}

function best(pools: readonly Pool[], requirement: PoolRequirement, loose: boolean): Selection {
  const matches = pools.filter((pool) => !pool.global).map((pool) => ({ pool, match: matchPool(pool, requirement, loose) }));
  const sure = matches.filter(({ match }) => match === 'yes').map(({ pool }) => pool);
  const priority = Math.max(...sure.map((pool) => pool.priority));
  const first = sure.filter((pool) => pool.priority === priority);
  const perhaps = matches.filter(({ match, pool }) => match === 'maybe' && (sure.length === 0 || pool.priority >= priority)).map(({ pool }) => pool);
  // of several, the server takes the last in its cache
  if (perhaps.length > 0 || first.length > 1) {
    const global = pools.filter((pool) => pool.global && sure.length === 0);
    return { kind: 'unknown', candidates: [...first, ...perhaps, ...global] };
  }
  return first.length === 0 ? { kind: 'none' } : { kind: 'pool', pool: first[0], by: loose ? 'loose scope' : 'scope' };
}

function matchPool(pool: Pool, requirement: PoolRequirement, loose: boolean): Match {
  const network = matchField(pool.network, requirement.network, false);
  if (network === 'no') { return 'no'; }
  const scopes = pool.scope.map((tuple) => matchScope(tuple, requirement, loose));
  if (!scopes.some((match) => match !== 'no')) { return 'no'; }
  return network === 'yes' && scopes.includes('yes') ? 'yes' : 'maybe';
}

function matchScope(tuple: PoolScope, { project, namespace, cluster }: PoolRequirement, loose: boolean): Match {
  const field = (given: string, asked: string | undefined, emptyIsAny: boolean) => (given === ANY ? 'yes' : matchField(given, asked, emptyIsAny));
  const fields = [field(tuple.project, project, loose), field(tuple.namespace, namespace, false), field(tuple.guestCluster, cluster, loose)];
  return fields.includes('no') ? 'no' : fields.includes('maybe') ? 'maybe' : 'yes';
}

function matchField(given: string, asked: string | undefined, emptyIsAny: boolean): Match {
  if (emptyIsAny && given === '') { return 'yes'; }
  if (asked === undefined || isLate(asked) || isLate(given)) { return given === asked ? 'yes' : 'maybe'; }
  return given === asked ? 'yes' : 'no';
}

/** A requirement as text, for messages. */
export function printRequirement({ network, project, namespace, cluster }: PoolRequirement): string {
  const part = (name: string, value: string | undefined) => `${name} ${value === undefined ? 'not known' : value === '' ? 'none' : value}`;
  return [part('network', network), part('project', project), part('namespace', namespace), part('guest cluster', cluster)].join(', ');
}
