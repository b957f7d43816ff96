import { Manifest } from '../../../src/core/manifest/manifest';
import { JudgedObject, World } from '../../../src/core/rule/rule';
import { addressTable, printAddresses } from '../../../src/report/addresses/address-table';
import {
  ALL_SCOPE,
  GUEST,
  HARVESTER,
  HARVESTER_1_9,
  RANCHER,
  guest,
  on,
  pool,
  service,
  twins,
  vmBalancer,
  vmNamespace,
} from '../../support/balancers';
import { shown } from '../../support/shown';

const VLAN = 'default/vlan10';
const SHOP = [...on(RANCHER, ...guest()), ...on(HARVESTER, vmNamespace('c-m-a:pay'))];
const inShop = { network: VLAN, scope: [{ ...ALL_SCOPE, guestCluster: 'shop' }] };
// of the second Harvester, all but the pools that the table would list
const worldOf = (objects: JudgedObject[]) =>
  new World(
    objects,
    twins(objects).filter(({ manifest }) =>
      ['Namespace', 'NetworkAttachmentDefinition'].includes(manifest.kind),
    ),
  );
const tableOf = (objects: JudgedObject[]) => addressTable(worldOf(objects));
const rows = (...objects: JudgedObject[]) =>
  tableOf(objects).balancers.map(({ balancer, mode, pool: from, reason, address }) => [
    balancer,
    mode,
    from,
    reason,
    address,
  ]);

test('shows which pool each address comes from, and the address where a pool has only one', () => {
  expect(
    rows(
      ...SHOP,
      ...on(
        GUEST,
        service('web'),
        service('dhcp', { ipam: 'dhcp' }),
        service('ssh', { 'primary-service': 'default/web' }),
        service('plain', {}),
      ),
      ...on(
        HARVESTER,
        pool('one', ['10.0.0.5/32'], { ...inShop, priority: 9 }),
        vmBalancer('db', { ipPool: 'named' }),
        pool('named', ['10.0.1.0/30'], {}),
      ),
    ),
  ).toEqual([
    ['vms/db', 'pool', 'named', 'it names the pool', '10.0.1.2'],
    ['default/dhcp', 'dhcp', null, 'the DHCP server of its network', null],
    ['default/plain', 'pool', 'one', 'by its scope', '10.0.0.5'],
    ['default/ssh', 'shared', null, 'the address of Service default/web', null],
    ['default/web', 'pool', null, 'pool one has no address left', null],
  ]);
});

test.each<[string, JudgedObject[], string | null, string]>([
  [
    'the global pool',
    [...SHOP, ...on(HARVESTER, pool('all', ['10.0.0.0/24']))],
    'all',
    'the global pool, since nothing else fits',
  ],
  [
    'a pool of its namespace',
    [
      ...SHOP,
      ...on(
        HARVESTER,
        pool('ns', ['10.0.0.0/24'], { network: VLAN, scope: [{ namespace: 'vms' }] }),
      ),
    ],
    'ns',
    'by its namespace, since nothing else fits',
  ],
  [
    'no pool',
    [...SHOP, ...on(HARVESTER, pool('x', ['10.0.0.0/24'], { ...inShop, network: 'a/b' }))],
    null,
    'no pool takes network default/vlan10, project c-m-a/pay, namespace vms, guest cluster shop',
  ],
  [
    'not known',
    on(HARVESTER, pool('a', ['10.0.0.0/24'], inShop)),
    null,
    'one of a; its network, project, namespace are not known',
  ],
  ['on no Harvester', [], null, 'which Harvester it is on is not known'],
])('explains the choice: %s', (_, others, from, reason) => {
  expect(rows(...others, ...on(GUEST, service('web')))).toEqual([
    ['default/web', 'pool', from, reason, null],
  ]);
});

test('takes the global pool for any network, on Harvester 1.9 as well', () => {
  const shop = [
    ...on(RANCHER, ...guest()),
    ...on(
      HARVESTER_1_9,
      vmNamespace('c-m-a:pay'),
      pool('all', ['10.0.0.0/24'], { network: 'default/other', scope: [ALL_SCOPE] }),
    ),
  ];
  expect(rows(...shop, ...on(GUEST, service('web')))).toEqual([
    ['default/web', 'pool', 'all', 'the global pool, since nothing else fits', null],
  ]);
});

test('shows the address that a load balancer has, or had and gets again', () => {
  const status = {
    allocated: { '10.0.0.7': 'vms/shop-default-web-0a1b2c3d' },
    allocatedHistory: { '10.0.0.9': 'vms/db', '10.0.0.8': 'vms/other' },
  };
  expect(
    rows(
      ...SHOP,
      ...on(GUEST, service('web'), service('new')),
      ...on(
        HARVESTER,
        pool('p', ['10.0.0.0/24'], inShop, { status }),
        vmBalancer('db', { ipPool: 'p' }),
      ),
    ).map(([balancer, , , , address]) => [balancer, address]),
  ).toEqual([
    ['vms/db', '10.0.0.9'],
    ['default/new', null],
    ['default/web', '10.0.0.7'],
  ]);
});

test('counts what is left, of what is known', () => {
  const allocated = { status: { allocated: { '10.0.0.7': 'vms/other-default-x-0a1b2c3d' } } };
  const { pools } = addressTable(
    worldOf([
      ...SHOP,
      ...on(GUEST, service('web')),
      ...on(
        HARVESTER,
        pool('b', ['10.0.0.0/24'], inShop, allocated),
        pool('a', ['${late:net}/24'], {}),
        pool('c', ['fd00::/64'], {}),
      ),
    ]),
  );
  expect(pools.map(({ pool: name, size, free }) => [name, size, free])).toEqual([
    ['a', null, null],
    ['b', '253', '251'],
    ['c', '18446744073709551614', '18446744073709551614'],
  ]);
});

describe('the table', () => {
  const table = addressTable(
    worldOf([
      ...SHOP,
      ...on(GUEST, service('web')),
      ...on(HARVESTER, pool('one', ['10.0.0.5/32'], inShop)),
    ]),
  );

  test('as text has columns', () => {
    expect(shown(printAddresses(table, 'text')))
      .toBe(`HARVESTER  POOL  NETWORK         RANGES    SIZE  FREE
dc1        one   default/vlan10  10.0.0.5  1     0

TARGET  LOAD BALANCER  PORTS   MODE  POOL  ADDRESS   WHY
shop    default/web    80/TCP  pool  one   10.0.0.5  by its scope`);
  });

  test('as Markdown is a table', () => {
    expect(shown(printAddresses(table, 'markdown')))
      .toBe(`| Harvester | Pool | Network | Ranges | Size | Free |
|---|---|---|---|---|---|
| dc1 | one | default/vlan10 | 10.0.0.5 | 1 | 0 |

| Target | Load balancer | Ports | Mode | Pool | Address | Why |
|---|---|---|---|---|---|---|
| shop | default/web | 80/TCP | pool | one | 10.0.0.5 | by its scope |`);
  });

  test('as JSON has every field', () => {
    expect(JSON.parse(shown(printAddresses(table, 'json')))).toEqual({
      pools: [
        {
          harvester: 'dc1',
          pool: 'one',
          ranges: ['10.0.0.5'],
          network: VLAN,
          size: '1',
          free: '0',
        },
      ],
      balancers: [
        {
          target: 'shop',
          balancer: 'default/web',
          ports: ['80/TCP'],
          mode: 'pool',
          harvester: 'dc1',
          pool: 'one',
          reason: 'by its scope',
          address: '10.0.0.5',
        },
      ],
    });
  });

  test('reports an empty table', () => {
    expect(shown(printAddresses(addressTable(new World([])), 'text'))).toBe(
      'no IP pools\n\nno load balancers',
    );
  });
});

describe('the network that Harvester finds for a guest cluster', () => {
  const pools = [
    pool('ten', ['10.0.10.0/24'], { ...inShop, scope: [ALL_SCOPE, { namespace: 'x' }] }),
    pool('none', ['10.0.11.0/24'], { scope: [{ ...ALL_SCOPE, namespace: 'vms' }] }),
  ];
  const chosen = (...clusters: Manifest[]) =>
    rows(
      ...on(RANCHER, ...clusters),
      ...on(HARVESTER, vmNamespace('c-m-a:pay'), ...pools),
      ...on(GUEST, service('web')),
    ).map(([, , from]) => from);

  test('is that of its machines', () => {
    expect(chosen(...guest())).toEqual(['ten']);
  });

  test('is none where the cloud provider uses a name that no machine begins with', () => {
    const chartValues = { global: { cattle: { clusterName: 'post' } } };
    expect(chosen(...guest('shop', { chartValues }))).toEqual(['none']);
  });

  test('is not known where machines of another cluster begin with the name, on another network', () => {
    const other = guest('shop-test', { network: 'default/vlan20' });
    expect(chosen(...guest(), ...other)).toEqual([null]);
    expect(chosen(...guest(), ...guest('shop-test'))).toEqual(['ten']);
    expect(chosen(...guest(), ...guest('other', { network: 'default/vlan20' }))).toEqual(['ten']);
  });

  test('is a text: a name without its namespace is that of no pool', () => {
    expect(chosen(...guest('shop', { network: 'vlan10' }))).toEqual([null]);
  });
});

// seen on Harvester 1.8.2 with the cloud provider 0.2.7
test('an address that is allocated is kept, although another pool has a higher priority now', () => {
  const first = pool('first', ['10.0.0.0/24'], inShop);
  const second = pool('second', ['10.0.1.0/24'], { ...inShop, priority: 9 });
  const declared = [...SHOP, ...on(GUEST, service('web'), service('api'))];
  const live = on(HARVESTER, {
    ...first,
    metadata: { ...first.metadata, uid: '1', resourceVersion: '1' },
    status: { allocated: { '10.0.0.7': 'vms/shop-default-web-0a1b2c3d' } },
  });
  const table = addressTable(new World([...declared, ...on(HARVESTER, first, second)], live));
  expect(
    table.balancers.map(({ balancer, pool: from, reason, address }) => [
      balancer,
      from,
      reason,
      address,
    ]),
  ).toEqual([
    ['default/api', 'second', 'by its scope', null],
    ['default/web', 'first', 'it has an address of it already', '10.0.0.7'],
  ]);
  expect(table.pools.map(({ pool: name, free }) => [name, free])).toEqual([
    ['first', '252'],
    ['second', '252'],
  ]);
});
