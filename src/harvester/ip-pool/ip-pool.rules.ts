import { checkPoolNamespaces, checkPoolProjects, checkPoolRanges, checkPoolSelector, checkPoolSize, checkReversedRanges } from './ip-pool.check';
import { KIND_IP_POOL } from './ip-pool.kind';
import { AddressRange, holds, printRange, readPool, scopesOverlap } from './pool-selection.facts';
import { overlaps, contains, parseCidr, printNetwork } from '../../core/go/go-ip';
import { isLate } from '../../core/late/late-token';
import { Manifest, valueAt, annotationsOf, namespacedName } from '../../core/manifest/manifest';
import { NAMESPACED_NAME } from '../../core/manifest/names';
import { NO_PROBLEMS, Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { byObject } from '../../core/text/values';
import { some, perTarget } from '../context.rules';
import { PlannedPool, addressPlan } from '../load-balancer/address-plan.facts';
import { API_LOAD_BALANCER, GROUP_LOAD_BALANCER, KIND_LOAD_BALANCER } from '../load-balancer/load-balancer.kind';
import { GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT, ANNOTATION_ROUTE } from '../network/vm-network.kind';

const KINDS = [`${GROUP_LOAD_BALANCER}/${KIND_IP_POOL}`];
const VALIDATOR = 'harvester/load-balancer-harvester:pkg/webhook/ippool/validator.go';

/** What the pools of a Harvester are to each other, found once for a world. */
interface Neighbours {
  readonly self: PlannedPool;
  /** The pools before it in the world: of two that collide, the later one is reported. */
  readonly earlier: readonly PlannedPool[];
  /** The first earlier range that overlaps one of its own. */
  readonly collision?: Collision;
}

interface Collision {
  readonly index: number;
  readonly range: AddressRange;
  readonly other: PlannedPool;
  readonly otherRange: AddressRange;
}

const neighboursIn = byObject((world: World): ReadonlyMap<JudgedObject, Neighbours> => {
  const byTarget = new Map<string, PlannedPool[]>();
  const found = new Map<JudgedObject, Neighbours>();
  for (const self of inOrder(world)) {
    const before = byTarget.get(self.object.target.name) ?? [];
    byTarget.set(self.object.target.name, before);
    const earlier = before.filter(({ pool }) => pool.name !== self.pool.name);
    const collision = collisionOf(self, earlier);
    found.set(self.object, { self, earlier, ...(collision ? { collision } : {}) });
    before.push(self);
  }
  return found;
});

// live pools come first, so that the one to change is reported
function inOrder(world: World): PlannedPool[] {
  const { pools } = addressPlan(world);
  return [...pools.filter(({ object }) => !world.isJudged(object)), ...pools.filter(({ object }) => world.isJudged(object))];
}

function collisionOf({ pool }: PlannedPool, earlier: readonly PlannedPool[]): Collision | undefined {
  for (const [index, range] of pool.ranges.entries()) {
    for (const other of earlier) {
      const otherRange = other.pool.ranges.find((candidate) => overlaps(candidate, range));
      if (otherRange) { return { index, range, other, otherRange }; }
    }
  }
  return undefined;
}

const OVERLAP: Rule = {
  id: 'ip-pool/overlap',
  level: 'error',
  kinds: KINDS,
  what: 'an address is in only one pool of a Harvester, regardless of the networks of the pools',
  says: 'overlap with other pools',
  source: `${VALIDATOR} checkRange`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const collision = neighboursIn(world).get(object)?.collision;
    if (!collision) { return NO_PROBLEMS; }
    const { index, range, other, otherRange } = collision;
    return [{
      path: `spec.ranges[${index}]`,
      value: printRange(range),
      message: `cannot overlap ${printRange(otherRange)} of pool ${other.pool.name}: a subnet alone covers all of its hosts`,
      fix: 'limit the ranges by rangeStart and rangeEnd, so that every address is in one pool',
      says: `can't create IP pool ${object.manifest.metadata.name} because the ranges overlap with other pools`,
    }];
  },
};

const SECOND_GLOBAL: Rule = {
  id: 'ip-pool/second-global',
  level: 'error',
  kinds: KINDS,
  what: 'a Harvester has at most one pool whose only scope is "*" three times',
  says: 'there is already a global IP pool',
  // release candidates of 1.9 allowed one for each network, which 1.9.0 does not @see harvester/load-balancer-harvester#194
  source: `${VALIDATOR} checkGlobalIPPool (1.2 to 1.9)`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { self, earlier } = neighboursIn(world).get(object) ?? {};
    const other = self?.pool.global ? earlier?.find(({ pool }) => pool.global) : undefined;
    if (!other) { return NO_PROBLEMS; }
    return [{
      path: 'spec.selector.scope',
      message: `cannot be global, as ${other.pool.name} is the global pool`,
      fix: 'limit one of them to a namespace, project or guest cluster',
      says: `there is already a global IP pool: ${other.pool.name}`,
    }];
  },
};

const SCOPE_TAKEN: Rule = {
  id: 'ip-pool/scope-taken',
  level: 'error',
  kinds: KINDS,
  what: 'pools of one network with priority 0 have scopes that do not overlap, and any other priority is unique',
  says: 'set a different priority or scope',
  source: `${VALIDATOR} checkSelectorWithOthers`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { self, earlier = [] } = neighboursIn(world).get(object) ?? {};
    if (!self || self.pool.global) { return; }
    const { priority, network, scope } = self.pool;
    for (const { pool: other } of earlier) {
      if (other.global || other.priority !== priority) { continue; }
      if (priority !== 0) {
        yield {
          path: 'spec.selector.priority',
          value: priority,
          message: `must be unique: pool ${other.name} has this priority`,
          fix: 'set a different priority; the higher one wins, and several pools can have 0',
          says: `the priority can't be the same as the pool ${other.name}`,
        };
        return;
      }
      const index = other.network === network ? scope.findIndex((tuple) => other.scope.some((taken) => scopesOverlap(taken, tuple))) : -1;
      if (index < 0) { continue; }
      const { project, namespace, guestCluster } = scope[index];
      yield {
        path: `spec.selector.scope[${index}]`,
        value: scope[index],
        message: `cannot overlap the scope of pool ${other.name}, which has priority 0 and the same network too`,
        fix: 'set a priority for one of them, or a different scope',
        says: `scope selector is same as the pool ${other.name} with priority 0 Project ${project} Namespace ${namespace} `
          + `GuestCluster ${guestCluster}, set a different priority or scope`,
      };
      return;
    }
  },
};

const NETWORK_MISSING: Rule = {
  id: 'ip-pool/network',
  level: 'error',
  kinds: KINDS,
  what: 'the network of a pool exists, before the pool',
  says: 'network-attachment-definitions.k8s.cni.cncf.io "…" not found',
  source: 'harvester/load-balancer-harvester:pkg/webhook/ippool/mutator.go; seen on load-balancer-harvester 1.9-dev',
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const network = valueAt(object.manifest, 'spec', 'selector', 'network');
    if (typeof network !== 'string' || isLate(network) || !NAMESPACED_NAME.test(network)) { return NO_PROBLEMS; }
    const [namespace, name] = network.split('/');
    const group = GROUP_ATTACHMENT;
    // a world without any network contains only pools
    const isKnown = world.knows(object, group, KIND_NETWORK_ATTACHMENT, namespace, name);
    if (isKnown || world.ofKind(group, KIND_NETWORK_ATTACHMENT).length === 0) { return NO_PROBLEMS; }
    return [{
      path: 'spec.selector.network',
      value: network,
      ...(world.isListed(object, group, KIND_NETWORK_ATTACHMENT, namespace) ? {} : { level: 'warning' as const }),
      message: 'must be an existing network on this Harvester',
      fix: 'declare the network, or correct the name',
      says: `network-attachment-definitions.k8s.cni.cncf.io "${name}" not found`,
    }];
  },
};

const NEVER_SELECTED: Rule = {
  id: 'ip-pool/never-selected',
  level: 'warning',
  kinds: KINDS,
  what: 'a pool has a scope, or a load balancer of virtual machines refers to it',
  says: 'no matched IPPool with requirement',
  source: 'harvester/load-balancer-harvester:pkg/ipam/selector.go Matches',
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { metadata: { name } } = object.manifest;
    if (scopeLength(object.manifest) > 0 || namedPools(world).has(`${object.target.name} ${name}`)) { return NO_PROBLEMS; }
    return [{
      path: 'spec.selector.scope',
      message: `is empty: no load balancer gets an address from ${name} unless it refers to the pool, which those of guest clusters cannot do`,
      fix: 'add a scope; with "*" for project, namespace and guestCluster the pool is global',
    }];
  },
};

function scopeLength(manifest: Manifest): number {
  const scope = valueAt(manifest, 'spec', 'selector', 'scope');
  // the rule on types of fields reports a mapping
  return Array.isArray(scope) ? scope.length : scope === undefined || scope === null ? 0 : 1;
}

/** The pools that load balancers of virtual machines refer to, by target. */
const namedPools = byObject((world: World) => new Set(world.ofKind(GROUP_LOAD_BALANCER, KIND_LOAD_BALANCER).map(({ manifest, target }) => {
  const pool = valueAt(manifest, 'spec', 'ipPool');
  return `${target.name} ${typeof pool === 'string' ? pool : ''}`;
})));

/** Whether a world has a pool of a name on the target of an object. */
export function isPoolKnown(object: JudgedObject, world: World, name: string): boolean {
  return world.knows(object, GROUP_LOAD_BALANCER, KIND_IP_POOL, undefined, name);
}

const EXCLUDED: Rule = {
  id: 'ip-pool/allocated-excluded',
  level: 'error',
  kinds: KINDS,
  what: 'the ranges of a pool keep all allocated addresses',
  says: 'allocated IP … is excluded',
  source: `${VALIDATOR} checkAllocated`,
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    const { ranges, complete } = readPool(manifest);
    if (!complete) { return; }
    const { allocated } = readPool(before);
    const lost = [...allocated.keys()].filter((ip) => !ranges.some((range) => holds(range, ip)));
    if (lost.length === 0) { return; }
    yield {
      path: 'spec.ranges',
      value: ranges.map(printRange),
      message: `must contain ${some(lost.map((ip) => `${ip} of ${allocated.get(ip)}`))}`,
      fix: 'keep these addresses in the pool until their load balancers are deleted',
      says: `can't update IP pool ${manifest.metadata.name} because allocated IP ${lost[0]} is excluded`,
    };
  },
};

const IN_USE: Rule = {
  id: 'ip-pool/in-use',
  level: 'error',
  kinds: KINDS,
  what: 'a pool can be deleted only after all load balancers with an address of it',
  says: 'can\'t delete pool before releasing all the allocated IP',
  source: `${VALIDATOR} Delete`,
  *judgeDeletion({ manifest }: JudgedObject): Iterable<Problem> {
    const { allocated } = readPool(manifest);
    if (allocated.size === 0) { return; }
    const given = some([...allocated].map(([ip, owner]) => `${ip} to ${owner}`));
    yield {
      path: 'status.allocated',
      message: `${manifest.metadata.name} cannot be deleted while it has allocated ${given}`,
      fix: 'delete the Services and load balancers first, and wait until their addresses are released',
      says: 'can\'t delete pool before releasing all the allocated IP',
    };
  },
};

const ALLOCATOR = 'harvester/load-balancer-harvester:pkg/ipam/allocator.go';
const SELECTION = 'harvester/load-balancer-harvester:pkg/ipam/selector.go';

const API_GROUP: Rule = {
  id: 'ip-pool/api-group',
  level: 'error',
  kinds: ['networking.harvesterhci.io/IPPool'],
  what: 'an IPPool is in the group loadbalancer.harvesterhci.io; the group in the examples of the documentation does not exist',
  source: 'harvester/load-balancer-harvester:manifests of IPPool; harvester/docs:docs/networking/ippool.md',
  judge({ manifest }: JudgedObject): Iterable<Problem> {
    return [{
      path: 'apiVersion',
      value: manifest.apiVersion,
      message: `must be ${API_LOAD_BALANCER}: the group in the documentation does not exist`,
      fix: `set ${API_LOAD_BALANCER}`,
      says: `no matches for kind "IPPool" in version "${manifest.apiVersion}"`,
    }];
  },
};

const RANGES: Rule = {
  id: 'ip-pool/ranges',
  level: 'error',
  kinds: KINDS,
  what: 'a pool has ranges whose start, end and gateway are host addresses of their subnet, and that do not overlap',
  says: 'can\'t create IP pool',
  source: `${VALIDATOR} checkRange; ${ALLOCATOR} MakeRange`,
  judge: ({ manifest }: JudgedObject) => checkPoolRanges(manifest),
};

const REVERSED: Rule = {
  id: 'ip-pool/reversed',
  level: 'warning',
  kinds: KINDS,
  what: 'a range starts with its lower address',
  source: 'seen on load-balancer-harvester 1.9-dev; its source puts the ends in order',
  judge: ({ manifest }: JudgedObject) => checkReversedRanges(manifest),
};

const NO_ADDRESS: Rule = {
  id: 'ip-pool/no-address',
  level: 'error',
  kinds: KINDS,
  what: 'a pool has an address other than its gateway, which is never allocated',
  says: 'no available IP',
  source: `${ALLOCATOR} countIP`,
  judge: ({ manifest }: JudgedObject) => checkPoolSize(manifest),
};

const SELECTOR: Rule = {
  id: 'ip-pool/selector',
  level: 'error',
  kinds: KINDS,
  what: 'the selector of a pool has a network as namespace/name, a valid priority, and scopes that do not overlap',
  source: `${VALIDATOR} checkSelectorItself`,
  judge: ({ manifest }: JudgedObject) => checkPoolSelector(manifest),
};

const PROJECT: Rule = {
  id: 'ip-pool/project',
  level: 'error',
  kinds: KINDS,
  what: 'a project in the scope of a pool is <cluster ID>/<project> with a slash; with a colon it is accepted, but never matches',
  says: 'no matched IPPool with requirement',
  source: 'harvester/load-balancer-harvester:pkg/webhook/loadbalancer/mutator.go findProject; seen on load-balancer-harvester 1.9-dev',
  judge: ({ manifest }: JudgedObject) => checkPoolProjects(manifest),
};

const NAMESPACE: Rule = {
  id: 'ip-pool/namespace',
  level: 'warning',
  kinds: KINDS,
  what: 'a namespace in the scope of a pool is that of a load balancer, or "*"; an empty one matches none',
  says: 'no matched IPPool with requirement',
  source: `${SELECTION} isMatch`,
  judge: ({ manifest }: JudgedObject) => checkPoolNamespaces(manifest),
};

/** Rules on IP pools. */
export const IP_POOL_RULES: readonly Rule[] = [
  API_GROUP, RANGES, REVERSED, NO_ADDRESS, SELECTOR, PROJECT, NAMESPACE,
  OVERLAP, SECOND_GLOBAL, SCOPE_TAKEN, NETWORK_MISSING, NEVER_SELECTED, EXCLUDED, IN_USE,
];

/** The ranges of networks that a user set, by the name of the network. */
export const networkRanges = perTarget(GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT, (networks) => new Map(networks.flatMap(({ manifest }) => {
  const route = annotationsOf(manifest)[ANNOTATION_ROUTE];
  const text = typeof route === 'string' ? /"cidr"\s*:\s*"([^"]+)"/.exec(route)?.[1] : undefined;
  const cidr = text === undefined || isLate(text) ? undefined : parseCidr(text);
  return cidr ? [[namespacedName(manifest), cidr] as const] : [];
})));

const VIP: Rule = {
  id: 'ip-pool/management-address',
  level: 'error',
  kinds: KINDS,
  what: 'no pool contains the management address of its Harvester cluster, which a load balancer would get',
  source: 'harvester/load-balancer-harvester:pkg/ipam/allocator.go, which knows only the gateway and its own allocations',
  judge({ manifest, target: { vip } }: JudgedObject): Iterable<Problem> {
    if (vip === undefined || isLate(vip)) { return NO_PROBLEMS; }
    const range = readPool(manifest).ranges.find((each) => holds(each, vip));
    if (!range) { return NO_PROBLEMS; }
    return [{
      path: 'spec.ranges',
      value: printRange(range),
      message: `must not contain ${vip}, the management address of the Harvester cluster: a load balancer would get it`,
      fix: 'exclude it with rangeStart and rangeEnd',
    }];
  },
};

const NETWORK_RANGE: Rule = {
  id: 'ip-pool/network-range',
  level: 'warning',
  kinds: KINDS,
  what: 'the addresses of a pool are in the range of its network, if that is known: others are not routed there',
  source: 'harvester/docs networking/ippool.md, networking/harvester-network.md',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { network, ranges } = readPool(object.manifest);
    const known = network === '' ? undefined : networkRanges(object, world).get(network);
    for (const range of known ? ranges : []) {
      const ends = [range.first, range.last].map((bits) => ({ family: range.family, bits }));
      if (known!.family !== range.family || ends.every((ip) => contains(known!, ip))) { continue; }
      yield {
        path: 'spec.ranges', value: printRange(range), message: `must be in ${printNetwork(known!)}, the range of the network ${network}`, fix: 'correct the range, or the route of the network',
      };
    }
  },
};

/** Rules for the place of a pool's addresses. */
export const POOL_PLACE_RULES: readonly Rule[] = [VIP, NETWORK_RANGE];
