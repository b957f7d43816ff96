import { AddressPool, printRange, readPool, scopesOverlap } from './pool-selection.facts';
import { overlaps } from '../../core/go/go-ip';
import { REFUSED } from '../../core/kind/description/refusals';
import { deletes } from '../../core/kind/description/removal';
import { KindDescription, ON_HARVESTER } from '../../core/kind/kind';
import { whenTrue } from '../../core/kind/ready/health';
import { byConditions } from '../../core/kind/ready/readiness';
import { Manifest, kindKey } from '../../core/manifest/manifest';
import { GROUP_LOAD_BALANCER } from '../../core/manifest/names';

/** The kind of pools of addresses. */
export const KIND_IP_POOL = 'IPPool';

/**
 * Annotation of an IPPool: an address to release manually. The controller removes the annotation.
 * @see harvester/load-balancer-harvester:pkg/controller/ippool/controller.go
 */
export const ANNOTATION_RELEASE_IP = 'loadbalancer.harvesterhci.io/manuallyReleaseIP';

/**
 * Harvester's IPPool.
 * @see harvester/load-balancer-harvester:pkg/apis/loadbalancer.harvesterhci.io/v1beta1
 */
export const IP_POOL_DESCRIPTION: KindDescription = {
  group: GROUP_LOAD_BALANCER,
  version: 'v1beta1',
  kind: KIND_IP_POOL,
  part: { noun: 'IP pool', order: 80 },
  scope: 'Cluster',
  targets: ON_HARVESTER,
  rank: 26,
  stage: 'pools',
  deletion: deletes(
    'Harvester refuses it while an address is allocated: delete the Services and load balancers first',
  ),
  passing: [
    {
      status: [...REFUSED, 404],
      words: /network-attachment-definitions\.k8s\.cni\.cncf\.io "([^"]+)" not found/,
      missing: ([, name]) => ({
        kind: kindKey('k8s.cni.cncf.io', 'NetworkAttachmentDefinition'),
        name,
      }),
      source: 'seen on Harvester 1.7.2',
    },
    {
      // seconds after the load balancers are gone
      status: REFUSED,
      words: /can't delete pool before releasing all the allocated IP/,
      source: 'seen on Harvester 1.7.2',
    },
  ],
  ready: byConditions('Ready'),
  health: { healthy: whenTrue('Ready') },
  namedBy: { fields: { ipPool: 'name' } },
  writtenByOthers: [
    'metadata.labels',
    'metadata.labels[loadbalancer.harvesterhci.io/global-ip-pool]',
    'metadata.labels[loadbalancer.harvesterhci.io/vid]',
    `metadata.annotations[${ANNOTATION_RELEASE_IP}]`,
  ],
  // @see harvester/load-balancer-harvester:pkg/webhook/ippool/validator.go
  unique: {
    what: 'what one pool has alone:',
    shared: sharedValues,
    stays: (pool) => {
      const count = readPool(pool).allocated.size;
      return count === 0
        ? undefined
        : `${count} of its addresses ${count === 1 ? 'is' : 'are'} in use by load balancers`;
    },
    fix: 'keep the previous IPPool in the program with the addresses that are in use, and give the new one other addresses and another priority',
  },
};

/** What the webhook refuses in one pool because of another one. */
function sharedValues(a: Manifest, b: Manifest): string[] {
  const [pool, other] = [readPool(a), readPool(b)];
  return [
    ...pool.ranges
      .filter((range) => other.ranges.some((taken) => overlaps(range, taken)))
      .map((range) => `addresses ${printRange(range)}`),
    ...sharedSelection(pool, other),
  ];
}

function sharedSelection(pool: AddressPool, other: AddressPool): string[] {
  if (pool.global || other.global) {
    return pool.global && other.global ? ['the scope of all load balancers'] : [];
  }
  if (pool.priority !== other.priority) {
    return [];
  }
  const isTaken =
    pool.priority !== 0 ||
    (pool.network === other.network &&
      pool.scope.some((tuple) => other.scope.some((taken) => scopesOverlap(taken, tuple))));
  return isTaken ? [`priority ${pool.priority}`] : [];
}
