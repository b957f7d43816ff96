import { ScenarioCluster, ScenarioPool } from './scenario';

/** Guest clusters and pools, next to each other on one Harvester. */
export interface Scenario {
  readonly title: string;
  readonly clusters: readonly ScenarioCluster[];
  readonly pools: readonly ScenarioPool[];
}

const [VLAN10, VLAN20] = ['lb-choice-vms/vlan10', 'lb-choice-vms/vlan20'];

/** In a project, with a network. */
const SHOP: ScenarioCluster = {
  name: 'shop',
  namespace: 'lb-choice-vms',
  project: 'c-m-harvdc01/p-one',
  network: VLAN10,
};
/** In no project, in another namespace. */
const PAY: ScenarioCluster = { name: 'pay', namespace: 'lb-choice-pay', network: VLAN20 };
/** Next to the first one, with a name that begins with its name. */
const SHOP_TEST: ScenarioCluster = { ...SHOP, name: 'shop-test', network: VLAN20 };
/** With a provider that uses another name. */
const RENAMED: ScenarioCluster = { ...SHOP, name: 'mail', providerName: 'post' };

const ALL = '*';
const EVERYTHING = { project: ALL, namespace: ALL, guestCluster: ALL };

/** A pool; no two of a scenario have the same number. */
function pool(number: number, selector: ScenarioPool['selector']): ScenarioPool {
  return { name: `lb-choice-${number}`, subnet: `10.77.${number}.0/24`, selector };
}

/** Scenarios that each show one way to a pool. */
const CHOSEN: readonly Scenario[] = [
  { title: 'no pool', clusters: [SHOP], pools: [] },
  {
    title: 'a global pool, whatever its network',
    clusters: [SHOP, PAY],
    pools: [pool(1, { network: VLAN20, scope: [EVERYTHING] })],
  },
  {
    title: 'a scope of the namespace',
    clusters: [SHOP, PAY],
    pools: [pool(1, { network: VLAN10, scope: [{ ...EVERYTHING, namespace: SHOP.namespace }] })],
  },
  {
    title: 'a scope of the project, as it is written in Rancher, and with a slash',
    clusters: [SHOP],
    pools: [
      pool(1, { network: VLAN10, scope: [{ ...EVERYTHING, project: 'c-m-harvdc01:p-one' }] }),
      pool(2, { network: VLAN10, scope: [{ ...EVERYTHING, project: 'c-m-harvdc01/p-one' }] }),
    ],
  },
  {
    title: 'a scope of the guest cluster',
    clusters: [SHOP, SHOP_TEST],
    pools: [
      pool(1, { network: VLAN20, scope: [{ ...EVERYTHING, guestCluster: 'shop-test' }] }),
      pool(2, { network: VLAN10, scope: [{ ...EVERYTHING, guestCluster: 'shop' }] }),
    ],
  },
  {
    title: 'the priority of two pools',
    clusters: [SHOP],
    pools: [
      pool(1, { network: VLAN10, priority: 5, scope: [{ ...EVERYTHING, guestCluster: 'shop' }] }),
      pool(2, {
        network: VLAN10,
        priority: 9,
        scope: [{ ...EVERYTHING, namespace: SHOP.namespace }],
      }),
    ],
  },
  {
    title: 'only a namespace, with and without a global pool',
    clusters: [SHOP],
    pools: [pool(1, { network: VLAN10, scope: [{ namespace: SHOP.namespace }] })],
  },
  {
    title: 'only a namespace next to a global pool',
    clusters: [SHOP],
    pools: [
      pool(1, { network: VLAN10, scope: [{ namespace: SHOP.namespace }] }),
      pool(2, { network: VLAN10, scope: [EVERYTHING] }),
    ],
  },
  {
    title: 'a network that is not that of the machines',
    clusters: [SHOP],
    pools: [pool(1, { network: VLAN20, scope: [{ ...EVERYTHING, guestCluster: 'shop' }] })],
  },
  {
    title: 'no network, for machines that have one',
    clusters: [SHOP],
    pools: [pool(1, { scope: [{ ...EVERYTHING, guestCluster: 'shop' }] })],
  },
  {
    title: 'a network without its namespace',
    clusters: [{ ...SHOP, network: 'vlan10' }],
    pools: [
      pool(1, { network: VLAN10, scope: [{ ...EVERYTHING, namespace: SHOP.namespace }] }),
      pool(2, { scope: [{ ...EVERYTHING, namespace: SHOP.namespace }] }),
    ],
  },
  {
    title: 'two clusters of a namespace, one with the first part of the name of the other',
    clusters: [SHOP, SHOP_TEST],
    pools: [
      pool(1, {
        network: VLAN10,
        priority: 1,
        scope: [{ ...EVERYTHING, namespace: SHOP.namespace }],
      }),
      pool(2, {
        network: VLAN20,
        priority: 2,
        scope: [{ ...EVERYTHING, namespace: SHOP.namespace }],
      }),
    ],
  },
  {
    title: 'a cluster whose provider uses another name',
    clusters: [RENAMED],
    pools: [
      pool(1, { network: VLAN10, scope: [{ ...EVERYTHING, guestCluster: 'post' }] }),
      pool(2, { scope: [{ ...EVERYTHING, namespace: SHOP.namespace }] }),
    ],
  },
];

const SEED = 20_260_730;
const GENERATED = 20;

/** A generator of numbers from 0 to 1 that gives the same ones at every run: mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed;
  /* eslint-disable no-bitwise */
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /* eslint-enable no-bitwise */
}

/** Scenarios of clusters with pools of any scope. */
function generated(): readonly Scenario[] {
  const random = randomOf(SEED);
  const one = <T>(...list: readonly T[]): T => list[Math.floor(random() * list.length)];
  const scope = () => ({
    project: one(ALL, '', 'c-m-harvdc01/p-one', 'c-m-harvdc01/p-two'),
    namespace: one(ALL, SHOP.namespace, PAY.namespace, ''),
    guestCluster: one(ALL, '', 'shop', 'pay', 'shop-test'),
  });
  return Array.from({ length: GENERATED }, (_, index) => ({
    title: `generated ${index}`,
    clusters: one([SHOP], [PAY], [SHOP, PAY], [SHOP, SHOP_TEST, PAY]),
    pools: Array.from({ length: 1 + Math.floor(random() * 4) }, (__, number) =>
      pool(number + 1, {
        network: one(VLAN10, VLAN10, VLAN20, ''),
        // unique, or the server refuses the pool
        priority: 10 * (number + 1) + Math.floor(random() * 10),
        scope: [scope()],
      }),
    ),
  }));
}

export const SCENARIOS: readonly Scenario[] = [...CHOSEN, ...generated()];
