import { ANY } from './names';
import { Pool, PoolScope } from './pool';
import { isLate } from '../late-token';

/**
 * What a load balancer asks of a pool; undefined is not known, empty is a value of its own.
 * @see harvester/load-balancer-harvester:pkg/ipam/selector.go Requirement
 */
export interface PoolRequirement {
  /** `<namespace>/<name>` of the network of its address. */
  readonly network?: string;
  /** `<cluster id>/<project>` of the namespace that it is in on the Harvester. */
  readonly project?: string;
  readonly namespace?: string;
  /** The name of the guest cluster; empty for load balancers of virtual machines. */
  readonly cluster?: string;
}

/** How the server tells pools apart beyond what they say. */
export interface SelectionMode {
  /** Whether empty projects and clusters of a tuple mean any, where nothing else matches; undefined where that is not known. */
  readonly loose: boolean | undefined;
}

/** Which pool a load balancer gets. */
export type Selection =
  | { readonly kind: 'pool'; readonly pool: Pool; readonly by: 'scope' | 'loose scope' | 'global' }
  | { readonly kind: 'none' }
  /** Some of what decides is not known, or the server's choice is arbitrary. */
  | { readonly kind: 'unknown'; readonly candidates: readonly Pool[] };

type Match = 'yes' | 'no' | 'maybe';

/**
 * Which pool a load balancer without one of its own gets: the matching one of the highest priority, else the global one, else one that matches
 * when empty fields mean any.
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
  // of several the server takes whichever its cache lists last
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

/** A requirement in words, for messages. */
export function printRequirement({ network, project, namespace, cluster }: PoolRequirement): string {
  const part = (name: string, value: string | undefined) => `${name} ${value === undefined ? 'not known' : value === '' ? 'none' : value}`;
  return [part('network', network), part('project', project), part('namespace', namespace), part('guest cluster', cluster)].join(', ');
}
