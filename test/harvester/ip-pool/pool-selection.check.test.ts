import { overlaps } from '../../../src/core/go/go-ip';
import {
  holdsAddress,
  onlyAddress,
  printRange,
  readRange,
  addressCount,
  sizeOfAll,
  PoolRequirement,
  printRequirement,
  readPool,
  selectPool,
} from '../../../src/harvester/ip-pool/pool-selection.facts';

const read = (range: object) => readRange('r', range);
const rangeOf = (range: object) => read(range).range!;
const faults = (range: unknown) =>
  readRange('r', range).problems.map(({ path, says }) => `${path}: ${says}`);

describe('the addresses of a range', () => {
  test.each([
    [{ subnet: '192.168.100.0/24' }, '192.168.100.1-192.168.100.254', 253n],
    [
      {
        subnet: '192.168.100.0/24',
        rangeStart: '192.168.100.1',
        rangeEnd: '192.168.100.10',
        gateway: '192.168.100.11',
      },
      '192.168.100.1-192.168.100.10',
      10n,
    ],
    [
      { subnet: '192.168.100.0/24', rangeStart: '192.168.100.1', rangeEnd: '192.168.100.10' },
      '192.168.100.1-192.168.100.10',
      9n,
    ],
    [
      { subnet: '192.168.100.0/24', rangeStart: '192.168.100.251' },
      '192.168.100.251-192.168.100.254',
      4n,
    ],
    [
      { subnet: '192.168.100.0/24', rangeEnd: '192.168.100.10' },
      '192.168.100.1-192.168.100.10',
      9n,
    ],
    [{ subnet: '192.168.100.10/32' }, '192.168.100.10', 1n],
    [{ subnet: '10.2.0.5/24' }, '10.2.0.1-10.2.0.254', 253n],
    [{ subnet: '10.0.0.0/30' }, '10.0.0.1-10.0.0.2', 1n],
    [{ subnet: '10.0.0.0/31' }, '10.0.0.0-10.0.0.1', 1n],
    [{ subnet: 'fd00::/120' }, 'fd00::1-fd00::ff', 254n],
    [
      { subnet: '10.0.0.0/24', rangeStart: '', rangeEnd: null, gateway: '' },
      '10.0.0.1-10.0.0.254',
      253n,
    ],
    [
      { subnet: '10.0.0.0/24', rangeStart: '::ffff:10.0.0.9', rangeEnd: '10.0.0.9' },
      '10.0.0.9',
      1n,
    ],
  ])('of %j are %s, with %s to allocate', (range, text, size) => {
    expect([
      faults(range),
      printRange(rangeOf(range)),
      addressCount(rangeOf(range)),
      rangeOf(range).reversed,
    ]).toEqual([[], text, size, false]);
  });

  test('that starts after its end are accepted, with none to allocate', () => {
    const range = rangeOf({
      subnet: '10.0.0.0/24',
      rangeStart: '10.0.0.20',
      rangeEnd: '10.0.0.10',
    });
    expect([printRange(range), range.reversed, addressCount(range)]).toEqual([
      '10.0.0.10-10.0.0.20',
      true,
      0n,
    ]);
  });

  test('with a late value are not known', () => {
    expect(read({ subnet: '${late:net}/24' })).toEqual({ problems: [] });
  });
});

describe('an invalid range', () => {
  test.each([
    [
      { subnet: '10.0.0.0' },
      'r.subnet: invalid CIDR address: 10.0.0.0, a valid example is 192.168.1.0/24',
    ],
    [{}, 'r.subnet: invalid CIDR address: , a valid example is 192.168.1.0/24'],
    [
      { subnet: '10.3.0.0/24', gateway: '10.9.0.1' },
      'r.gateway: invalid gateway 10.9.0.1: IP 10.9.0.1 is out of subnet 10.3.0.0/24',
    ],
    [
      { subnet: '10.3.0.7/24', rangeStart: '10.3.0.0' },
      'r.rangeStart: invalid range start 10.3.0.0: IP 10.3.0.0 is the network address',
    ],
    [
      { subnet: '10.3.0.0/24', rangeEnd: '10.3.0.255' },
      'r.rangeEnd: invalid range end 10.3.0.255: IP 10.3.0.255 is the broadcast address',
    ],
    [
      { subnet: '10.3.0.0/24', rangeEnd: '10.3.0.300' },
      'r.rangeEnd: invalid range end 10.3.0.300: invalid IP 10.3.0.300',
    ],
    [
      { subnet: '10.3.0.5/32', rangeStart: '10.3.0.5' },
      'r.rangeStart: invalid range start 10.3.0.5: IP 10.3.0.5 is the network address',
    ],
    [{ subnet: '10.3.0.0/24', rangeStart: 7 }, 'r.rangeStart: invalid range start 7: invalid IP 7'],
  ])('%j', (range, says) => {
    expect(faults(range)).toEqual([says]);
  });

  test.each([[null], ['10.0.0.0/24'], [[]], [3]])('refuses %j as a range', (range) => {
    expect(readRange('r', range).problems[0].message).toBe('must be a mapping with a subnet');
  });

  test('is reported with path, value and fix', () => {
    expect(read({ subnet: '10.3.0.0/24', gateway: '10.9.0.1' }).problems[0]).toMatchObject({
      path: 'r.gateway',
      value: '10.9.0.1',
      message: 'must be a host address of 10.3.0.0/24',
      fix: expect.stringContaining('10.3.0.1 to 10.3.0.254'),
    });
  });
});

describe('several ranges', () => {
  const range = (rangeStart: string, rangeEnd: string) =>
    rangeOf({ subnet: '10.0.0.0/24', rangeStart, rangeEnd });

  test('overlap if they share an address, regardless of their subnets', () => {
    expect(overlaps(range('10.0.0.10', '10.0.0.20'), range('10.0.0.20', '10.0.0.30'))).toBe(true);
    expect(overlaps(range('10.0.0.10', '10.0.0.20'), range('10.0.0.21', '10.0.0.30'))).toBe(false);
    expect(overlaps(rangeOf({ subnet: '10.0.0.0/16' }), range('10.0.0.10', '10.0.0.20'))).toBe(
      true,
    );
    expect(overlaps(rangeOf({ subnet: '::/96' }), rangeOf({ subnet: '0.0.0.0/1' }))).toBe(false);
  });

  test('contain addresses of their family', () => {
    expect(
      ['10.0.0.10', '10.0.0.9', '::ffff:10.0.0.15', 'fd00::1', 'none'].map((ip) =>
        holdsAddress(range('10.0.0.10', '10.0.0.20'), ip),
      ),
    ).toEqual([true, false, true, false, false]);
  });

  test('name their only address', () => {
    expect(onlyAddress([rangeOf({ subnet: '10.0.0.5/32' })])).toBe('10.0.0.5');
    expect(onlyAddress([rangeOf({ subnet: '10.0.0.0/30' })])).toBe('10.0.0.2');
    expect(
      onlyAddress([
        rangeOf({
          subnet: '10.0.0.0/24',
          rangeStart: '10.0.0.8',
          rangeEnd: '10.0.0.9',
          gateway: '10.0.0.9',
        }),
      ]),
    ).toBe('10.0.0.8');
    expect(
      onlyAddress([rangeOf({ subnet: '10.0.0.5/32' }), rangeOf({ subnet: '10.0.0.6/32' })]),
    ).toBeUndefined();
    expect(
      sizeOfAll([rangeOf({ subnet: '10.0.0.5/32' }), rangeOf({ subnet: '10.0.0.6/32' })]),
    ).toBe(2n);
  });
});

interface Scope {
  readonly project?: string;
  readonly namespace?: string;
  readonly guestCluster?: string;
}

const pool = (name: string, scope: Scope[], rest: { network?: string; priority?: number } = {}) =>
  readPool({
    apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
    kind: 'IPPool',
    metadata: { name },
    spec: { ranges: [], selector: { scope, ...rest } },
  });
const VLAN = 'default/vlan10';
const ALL = { project: '*', namespace: '*', guestCluster: '*' };
const ask = (rest: PoolRequirement = {}): PoolRequirement => ({
  network: VLAN,
  project: '',
  namespace: 'default',
  cluster: '',
  ...rest,
});

function chosen(
  pools: ReturnType<typeof pool>[],
  requirement: PoolRequirement,
  mode: { loose: boolean | undefined } = { loose: true },
): string {
  const selection = selectPool(pools, requirement, mode);
  if (selection.kind === 'pool') {
    return `${selection.pool.name} by ${selection.by}`;
  }
  return selection.kind === 'none'
    ? 'none'
    : `one of ${selection.candidates.map(({ name }) => name).join()}`;
}

// the cases of load-balancer-harvester's own tests of its selector, in our words
const byNamespace = pool('by-namespace', [{ ...ALL, namespace: 'default' }], { network: VLAN });
const urgent = pool('urgent', [{ ...ALL, namespace: 'default' }], { network: VLAN, priority: 100 });
const global = pool('global', [ALL]);
const noScope = pool('namespace-only', [{ namespace: 'default' }], { network: VLAN });
const exact = pool(
  'exact',
  [{ project: 'project1', namespace: 'default', guestCluster: 'cluster1' }],
  { network: VLAN },
);

test.each([
  [
    'a pool of its namespace before the global one',
    [byNamespace, global],
    ask(),
    'by-namespace by scope',
  ],
  [
    'the global pool where the namespace is another',
    [byNamespace, global],
    ask({ namespace: 'test' }),
    'global by global',
  ],
  [
    'the global pool, whose network has no effect',
    [byNamespace, global],
    ask({ network: 'other/net' }),
    'global by global',
  ],
  ['no pool where none fits', [byNamespace], ask({ namespace: 'test' }), 'none'],
  ['no pool of another network', [byNamespace], ask({ network: '' }), 'none'],
  ['the pool of higher priority', [urgent, byNamespace], ask(), 'urgent by scope'],
  [
    'the pool that fits exactly',
    [exact, noScope],
    ask({ project: 'project1', cluster: 'cluster1' }),
    'exact by scope',
  ],
  [
    'a pool that names a namespace only, where nothing else fits',
    [exact, noScope],
    ask({ project: 'unknown', cluster: 'cluster1' }),
    'namespace-only by loose scope',
  ],
  [
    'a pool that names a namespace only, strictly, for what has no project and cluster',
    [noScope],
    ask(),
    'namespace-only by scope',
  ],
  [
    'the global pool before one that fits loosely',
    [noScope, global],
    ask({ project: 'p', cluster: 'c' }),
    'global by global',
  ],
  [
    'nothing of a pool whose namespace is empty',
    [pool('empty', [{ project: '*', guestCluster: '*' }], { network: VLAN })],
    ask({ cluster: 'c' }),
    'none',
  ],
  ['nothing of a pool without a scope', [pool('none', [], { network: VLAN })], ask(), 'none'],
])('gets %s', (_, pools, requirement, expected) => {
  expect(chosen(pools, requirement)).toBe(expected);
});

test('does not select pools with only a namespace for guest clusters before Harvester 1.7, or if its version is not known', () => {
  const guest = ask({ project: 'p', cluster: 'c' });
  expect(chosen([noScope], guest, { loose: false })).toBe('none');
  expect(chosen([noScope], guest, { loose: undefined })).toBe('one of namespace-only');
});

describe('an unknown requirement', () => {
  test('has no effect if a pool matches all', () => {
    expect(
      chosen([pool('any', [ALL, { namespace: 'x' }], { network: VLAN })], { network: VLAN }),
    ).toBe('any by scope');
  });

  test('leaves several candidates', () => {
    expect(chosen([exact, byNamespace], { network: VLAN, namespace: 'default' })).toBe(
      'one of by-namespace,exact',
    );
    expect(chosen([exact, global], { network: VLAN })).toBe('one of exact,global');
    expect(chosen([urgent, exact], { network: VLAN, namespace: 'default' })).toBe(
      'urgent by scope',
    );
    expect(
      chosen(
        [pool('late', [{ ...ALL, project: '${late:id}/p' }], { network: VLAN })],
        ask({ project: 'c-m-a/p' }),
      ),
    ).toBe('one of late');
  });

  test('is what equal pools leave, since the server chooses at random', () => {
    const [a, b] = ['a', 'b'].map((name) =>
      pool(name, [{ namespace: 'default' }], { network: VLAN }),
    );
    expect(chosen([a, b], ask({ cluster: 'c' }))).toBe('one of a,b');
  });
});

test('prints a requirement that is empty or not known', () => {
  expect(printRequirement({ network: VLAN, project: '', cluster: 'shop' })).toBe(
    'network default/vlan10, project none, namespace not known, guest cluster shop',
  );
});
