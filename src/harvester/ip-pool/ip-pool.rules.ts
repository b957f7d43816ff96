import { IP_POOL_FACTS, POOL_VALIDATOR } from './ip-pool.check';
import { KIND_IP_POOL } from './ip-pool.kind';
import {
  AddressRange,
  holdsAddress,
  printRange,
  readPool,
  scopesOverlap,
} from './pool-selection.facts';
import { overlaps, contains, parseCidr, printNetwork } from '../../core/go/go-ip';
import { isLate } from '../../core/late/late-token';
import { Manifest, valueAt, annotationsOf, namespacedName } from '../../core/manifest/manifest';
import { NAMESPACED_NAME, GROUP_LOAD_BALANCER } from '../../core/manifest/names';
import { ruleOf, rules } from '../../core/rule/kit/fact';
import { objectRules } from '../../core/rule/kit/object-fact';
import { levelIfMissing } from '../../core/rule/kit/relations';
import { text } from '../../core/rule/kit/values';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { perTarget } from '../../core/rule/world-lookup';
import { some, textOrEmpty } from '../../core/text/plain-text';
import { byObject } from '../../core/text/values';
import { PlannedPool, addressPlan } from '../load-balancer/address-plan.facts';
import { API_LOAD_BALANCER, KIND_LOAD_BALANCER } from '../load-balancer/load-balancer.kind';
import { ownerIsGone } from '../load-balancer/pool-owner.facts';
import {
  GROUP_ATTACHMENT,
  KIND_NETWORK_ATTACHMENT,
  ANNOTATION_ROUTE,
} from '../network/vm-network.kind';

const KINDS = [`${GROUP_LOAD_BALANCER}/${KIND_IP_POOL}`];

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
  return [
    ...pools.filter(({ object }) => !world.isJudged(object)),
    ...pools.filter(({ object }) => world.isJudged(object)),
  ];
}

function collisionOf(
  { pool }: PlannedPool,
  earlier: readonly PlannedPool[],
): Collision | undefined {
  for (const [index, range] of pool.ranges.entries()) {
    for (const other of earlier) {
      const otherRange = other.pool.ranges.find((candidate) => overlaps(candidate, range));
      if (otherRange) {
        return { index, range, other, otherRange };
      }
    }
  }
  return undefined;
}

function scopeLength(manifest: Manifest): number {
  const scope = valueAt(manifest, 'spec', 'selector', 'scope');
  // the rule on types of fields reports a mapping
  if (Array.isArray(scope)) {
    return scope.length;
  }
  if (scope === undefined || scope === null) {
    return 0;
  }
  return 1;
}

/** The pools that load balancers of virtual machines refer to, by target. */
const namedPools = byObject(
  (world: World) =>
    new Set(
      world.ofKind(GROUP_LOAD_BALANCER, KIND_LOAD_BALANCER).map(({ manifest, target }) => {
        const pool = valueAt(manifest, 'spec', 'ipPool');
        return `${target.name} ${textOrEmpty(pool)}`;
      }),
    ),
);

/** Whether a world has a pool of a name on the target of an object. */
export function isPoolKnown(object: JudgedObject, world: World, name: string): boolean {
  return world.knows(object, GROUP_LOAD_BALANCER, KIND_IP_POOL, undefined, name);
}

/** Rules on IP pools. */
export const IP_POOL_RULES: readonly Rule[] = [
  ruleOf({
    id: 'ip-pool/api-group',
    kinds: ['networking.harvesterhci.io/IPPool'],
    what: 'an IPPool is in the group loadbalancer.harvesterhci.io; the group in the examples of the documentation does not exist',
    source:
      'harvester/load-balancer-harvester:manifests of IPPool; harvester/docs:docs/networking/ippool.md',
    field: 'apiVersion',
    check: (_, version) => ({
      message: `must be ${API_LOAD_BALANCER}: the group in the documentation does not exist`,
      fix: `set ${API_LOAD_BALANCER}`,
      says: `no matches for kind "IPPool" in version "${version}"`,
    }),
  }),
  ...objectRules(KINDS, IP_POOL_FACTS),
  ...rules({ kinds: KINDS }, [
    {
      id: 'ip-pool/overlap',
      what: 'an address is in only one pool of a Harvester, regardless of the networks of the pools',
      says: 'overlap with other pools',
      source: `${POOL_VALIDATOR} checkRange`,
      judge: (object, world) => {
        const collision = neighboursIn(world).get(object)?.collision;
        if (!collision) {
          return undefined;
        }
        const { index, range, other, otherRange } = collision;
        return {
          path: `spec.ranges[${index}]`,
          value: printRange(range),
          message: `cannot overlap ${printRange(otherRange)} of pool ${other.pool.name}: a range without start and end covers the whole subnet`,
          fix: 'limit the ranges by a start and an end, so that every address is in one pool',
          says: `can't create IP pool ${object.manifest.metadata.name} because the ranges overlap with other pools`,
        };
      },
    },
    {
      id: 'ip-pool/second-global',
      what: 'a Harvester has at most one pool whose only scope is "*" three times',
      says: 'there is already a global IP pool',
      // release candidates of 1.9 allowed one for each network, which 1.9.0 does not @see
      // harvester/load-balancer-harvester#194
      source: `${POOL_VALIDATOR} checkGlobalIPPool (1.2 to 1.9)`,
      judge: (object, world) => {
        const { self, earlier } = neighboursIn(world).get(object) ?? {};
        const other = self?.pool.global ? earlier?.find(({ pool }) => pool.global) : undefined;
        return (
          other && {
            path: 'spec.selector.scope',
            message: `cannot be global, as ${other.pool.name} is the global pool`,
            fix: 'limit one of them to a namespace, project or guest cluster',
            says: `there is already a global IP pool: ${other.pool.name}`,
          }
        );
      },
    },
    {
      id: 'ip-pool/scope-taken',
      what: 'pools of one network with priority 0 have scopes that do not overlap, and any other priority is unique',
      says: 'set a different priority or scope',
      source: `${POOL_VALIDATOR} checkSelectorWithOthers`,
      judge: (object, world) => {
        const { self, earlier = [] } = neighboursIn(world).get(object) ?? {};
        if (!self || self.pool.global) {
          return undefined;
        }
        const { priority, network, scope } = self.pool;
        for (const { pool: other } of earlier) {
          if (other.global || other.priority !== priority) {
            continue;
          }
          if (priority !== 0) {
            return {
              path: 'spec.selector.priority',
              value: priority,
              message: `must be unique: pool ${other.name} has this priority`,
              fix: 'set a different priority; the higher one wins, and several pools can have 0',
              says: `the priority can't be the same as the pool ${other.name}`,
            };
          }
          const index =
            other.network === network
              ? scope.findIndex((tuple) => other.scope.some((taken) => scopesOverlap(taken, tuple)))
              : -1;
          if (index < 0) {
            continue;
          }
          const { project, namespace, guestCluster } = scope[index];
          return {
            path: `spec.selector.scope[${index}]`,
            value: scope[index],
            message: `cannot overlap the scope of pool ${other.name}, which has priority 0 and the same network too`,
            fix: 'set a priority for one of them, or a different scope',
            says:
              `scope selector is same as the pool ${other.name} with priority 0 Project ${project} Namespace ${namespace} ` +
              `GuestCluster ${guestCluster}, set a different priority or scope`,
          };
        }
        return undefined;
      },
    },
    {
      id: 'ip-pool/network',
      what: 'the network of a pool exists, before the pool',
      says: 'network-attachment-definitions.k8s.cni.cncf.io "…" not found',
      source:
        'harvester/load-balancer-harvester:pkg/webhook/ippool/mutator.go; seen on load-balancer-harvester 1.9-dev',
      field: 'spec.selector.network',
      check: text((_, network, object, world) => {
        if (!NAMESPACED_NAME.test(network)) {
          return undefined;
        }
        const [namespace, name] = network.split('/');
        const kind = [GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT] as const;
        const level = levelIfMissing(object, world, kind, namespace, name!);
        // a world without any network contains only pools
        return (
          level &&
          world.ofKind(...kind).length > 0 && {
            level,
            message: 'must be an existing network on this Harvester',
            fix: 'declare the network, or correct the name',
            says: `network-attachment-definitions.k8s.cni.cncf.io "${name}" not found`,
          }
        );
      }),
    },
    {
      id: 'ip-pool/never-selected',
      level: 'warning',
      what: 'a pool has a scope, or a load balancer of virtual machines refers to it',
      says: 'no matched IPPool with requirement',
      source: 'harvester/load-balancer-harvester:pkg/ipam/selector.go Matches',
      judge: (object, world) => {
        const { name } = object.manifest.metadata;
        return (
          scopeLength(object.manifest) === 0 &&
          !namedPools(world).has(`${object.target.name} ${name}`) && {
            path: 'spec.selector.scope',
            message: `is empty: no load balancer gets an address from ${name} unless it refers to the pool, which those of guest clusters cannot do`,
            fix: 'add a scope; with "*" for project, namespace and guestCluster the pool is global',
          }
        );
      },
    },
    {
      id: 'ip-pool/allocated-excluded',
      what: 'the ranges of a pool keep all allocated addresses',
      says: 'allocated IP … is excluded',
      source: `${POOL_VALIDATOR} checkAllocated`,
      judgeUpdate: ({ manifest }, before) => {
        const { ranges, complete } = readPool(manifest);
        const { allocated } = readPool(before);
        const lost = [...allocated.keys()].filter(
          (ip) => !ranges.some((range) => holdsAddress(range, ip)),
        );
        return (
          complete &&
          lost.length > 0 && {
            path: 'spec.ranges',
            value: ranges.map(printRange),
            message: `must contain ${some(lost.map((ip) => `${ip} of ${allocated.get(ip)}`))}`,
            fix: 'keep these addresses in the pool until their load balancers are deleted',
            says: `can't update IP pool ${manifest.metadata.name} because allocated IP ${lost[0]} is excluded`,
          }
        );
      },
    },
    {
      id: 'ip-pool/in-use',
      what: 'a pool can be deleted only after all load balancers with an address of it',
      says: "can't delete pool before releasing all the allocated IP",
      source: `${POOL_VALIDATOR} Delete`,
      judgeDeletion: ({ manifest, target }, world) => {
        // a deletion waits for those that are deleted in the same change
        const kept = [...readPool(manifest).allocated].filter(
          ([, owner]) => !ownerIsGone(owner, target, world),
        );
        const given = some(kept.map(([ip, owner]) => `${ip} to ${owner}`));
        return (
          kept.length > 0 && {
            path: 'status.allocated',
            message: `${manifest.metadata.name} cannot be deleted while it has allocated ${given}`,
            fix: 'delete the Services and load balancers first, and wait until their addresses are released',
          }
        );
      },
    },
  ]),
];

/** The ranges of networks that a user set, by the name of the network. */
export const networkRanges = perTarget(
  GROUP_ATTACHMENT,
  KIND_NETWORK_ATTACHMENT,
  (networks) =>
    new Map(
      networks.flatMap(({ manifest }) => {
        const route = annotationsOf(manifest)[ANNOTATION_ROUTE];
        const range =
          typeof route === 'string' ? /"cidr"\s*:\s*"([^"]+)"/.exec(route)?.[1] : undefined;
        const cidr = range === undefined || isLate(range) ? undefined : parseCidr(range);
        return cidr ? [[namespacedName(manifest), cidr] as const] : [];
      }),
    ),
);

/** Rules for the place of a pool's addresses. */
export const POOL_PLACE_RULES = rules({ kinds: KINDS }, [
  {
    id: 'ip-pool/management-address',
    what: 'no pool contains the management address of its Harvester cluster, which a load balancer would get',
    source:
      'harvester/load-balancer-harvester:pkg/ipam/allocator.go, which knows only the gateway and its own allocations',
    judge: ({ manifest, target }) => {
      const { vip } = target;
      if (vip === undefined || isLate(vip)) {
        return undefined;
      }
      const range = readPool(manifest).ranges.find((each) => holdsAddress(each, vip));
      return (
        range && {
          path: 'spec.ranges',
          value: printRange(range),
          message: `must not contain ${vip}, the management address of the Harvester cluster: a load balancer would get it`,
          fix: 'exclude it by the start and end of the range',
        }
      );
    },
  },
  {
    id: 'ip-pool/network-range',
    level: 'warning',
    what: 'the addresses of a pool are in the range of its network, if that is known: others are not routed there',
    source: 'harvester/docs networking/ippool.md, networking/harvester-network.md',
    *judge(object, world) {
      const { network, ranges } = readPool(object.manifest);
      const known = network === '' ? undefined : networkRanges(object, world).get(network);
      for (const range of known ? ranges : []) {
        const ends = [range.first, range.last].map((bits) => ({ family: range.family, bits }));
        if (known!.family !== range.family || ends.every((ip) => contains(known!, ip))) {
          continue;
        }
        const message = `must be in ${printNetwork(known!)}, the range of the network ${network}`;
        yield {
          path: 'spec.ranges',
          value: printRange(range),
          message,
          fix: 'correct the range, or the route of the network',
        };
      }
    },
  },
]);
