import { contextOf, outcome } from './_checking';
import {
  NetworkConfig,
  shareAddresses,
  usableCount,
} from '../../../../src/harvester/settings/catalogue/addresses.check';
import { networkOf } from '../../../../src/harvester/settings/catalogue/network.check';

const network = (fields: object) =>
  JSON.stringify({ vlan: 100, clusterNetwork: 'mgmt', range: '192.168.0.0/24', ...fields });

describe.each(['storage-network', 'vm-migration-network'])('%s', (name) => {
  test.each([
    network({}),
    network({ exclude: ['192.168.0.1/32', '192.168.0.64/26'] }),
    network({ clusterNetwork: 'storage', vlan: 0 }),
    network({ range: '10.0.0.0/16' }),
    network({ vlan: 4094 }),
    '{"VLAN":2,"clusternetwork":"mgmt","Range":"10.0.0.0/24"}',
    network({ exclude: null }),
    network({ exclude: ['192.168.0.5/30'] }),
    network({ range: '${late:net.range}', exclude: ['${late:net.used}'] }),
  ])('accepts %s', (value) => expect(outcome(name, value, '1.7.2')).toEqual([]));

  test.each([
    [network({ vlan: 4095 }), 'error value.vlan: the valid value range for VLAN IDs is 0 to 4094'],
    [network({ vlan: 65536 }), 'error value.vlan'],
    [network({ vlan: 1 }), 'error value.vlan: network with vlan id 1 not allowed on mgmt cluster'],
    [
      network({ vlan: undefined }),
      'error value.vlan: network with vlan id 0 not allowed on mgmt cluster',
    ],
    [
      network({ clusterNetwork: undefined }),
      expect.stringMatching(/^error value.clusterNetwork: cluster network  not found because/),
    ],
    [network({ range: undefined }), 'error value.range: invalid CIDR address: '],
    [
      network({ range: '192.168.0.5/24' }),
      'error value.range: range should be subnet CIDR 192.168.0.0/24',
    ],
    [
      network({ range: '10.0.0.0/15' }),
      'error value.range: min supported prefix length for network is 16, include Range PrefixLen received 15',
    ],
    [network({ range: '192.168.0.0/32' }), 'warning value.range'],
    [network({ exclude: ['x'] }), 'error value.exclude[0]: invalid CIDR address: x'],
    [
      network({ exclude: ['10.0.0.0/8'] }),
      'error value.exclude[0]: min supported prefix length for network is 16, exclude Range PrefixLen received 8',
    ],
    [
      network({ exclude: ['10.0.0.1/32'] }),
      'error value.exclude[0]: exclude range 10.0.0.1/32 do not overlap include range 192.168.0.0/24',
    ],
    [
      network({ exclude: ['192.168.0.0/24'] }),
      'error value.exclude[0]: exclude Range 192.168.0.0/24 includes include Range 192.168.0.0/24, no allocatable ip addresses',
    ],
    [
      network({ exclude: ['192.168.0.0/25', '192.168.0.1/32'] }),
      'error value.exclude[1]: exclude ranges have overlapping subnets 192.168.0.1/32 192.168.0.0/25',
    ],
    // the server accepts IPv6 until it knows two stacks
    [network({ range: 'fd00::/64' }), 'warning value.range'],
    ['{"invalid"}', 'error value'],
  ])('refuses %s', (value, expected) => expect(outcome(name, value, '1.7.2')[0]).toEqual(expected));
});

test('refuses an exclusive VLAN that is not tagged', () => {
  const value = network({ clusterNetwork: 'storage', vlan: 1, exclusiveVlan: true });
  expect(outcome('storage-network', value, '1.9.0')).toEqual([
    'error value.exclusiveVlan: exclusive vlan cannot be enabled for vlan 1',
  ]);
  expect(outcome('storage-network', value, '1.8.0')).toEqual(['warning value.exclusiveVlan']);
  expect(outcome('storage-network', network({ exclusiveVlan: true }), '1.9.0')).toEqual([]);
});

test('accepts two stacks from 1.9.0 on', () => {
  const v6 = { rangeV6: 'fd00::/64', rangeV6Start: 'fd00::10', rangeV6End: 'fd00::20' };
  expect(outcome('storage-network', network(v6), '1.9.0')).toEqual([]);
  expect(
    outcome('storage-network', network(v6), '1.8.0').map((line) => line.split(' ')[0]),
  ).toEqual(['warning', 'warning', 'warning']);
  expect(outcome('storage-network', network({ range: 'fd00::/64' }), '1.9.0')[0]).toMatch(
    /^error value.range: range must be an IPv4 CIDR/,
  );
  for (const [fields, says] of [
    [{ rangeV6: 'x' }, /invalid rangeV6/],
    [{ rangeV6: '10.0.0.0/24' }, /must be an IPv6 CIDR/],
    [{ rangeV6: 'fd00::5/64' }, /must be a subnet CIDR/],
    [{ rangeV6Start: '' }, /required alongside/],
    [{ rangeV6Start: 'fd01::1' }, /^error value.rangeV6$/],
    [{ rangeV6Start: 'fd00::21' }, /^error value.rangeV6$/],
  ] as const) {
    expect(outcome('storage-network', network({ ...v6, ...fields }), '1.9.0')).toEqual([
      expect.stringMatching(says),
    ]);
  }
});

describe('rwx-network', () => {
  const dedicated = (fields: object = {}, more: object = {}) =>
    `{"share-storage-network":false,"network":${network(fields)}${JSON.stringify(more).replace('{', ',').replace(/,}$/, '}')}`;

  test.each([
    dedicated(),
    '{"share-storage-network":true}',
    '{"share-storage-network":false}',
    '{}',
    `${dedicated()} anything may follow`,
  ])('accepts %s', (value) => {
    expect(outcome('rwx-network', value, '1.8.0')).toEqual([]);
  });

  test.each([
    ['{"share":true}', 'error value.share'],
    [dedicated({ vlans: 1 }), 'error value.network.vlans'],
    [dedicated({}, { hostIPRange: '192.168.0.16/28' }), 'error value.hostIPRange'],
    [' ', 'error value'],
    ['{"network":', 'error value'],
    [
      '{"share-storage-network":true,"network":{}}',
      expect.stringMatching(/^error value.network.clusterNetwork/),
    ],
    [
      dedicated({ vlan: 5000 }),
      'error value.network.vlan: the valid value range for VLAN IDs is 0 to 4094',
    ],
    [
      dedicated({ range: '192.168.0.0/27' }),
      expect.stringMatching(/^error value.network.range: allocatable IP address range is < 32/),
    ],
  ])('refuses %s', (value, expected) =>
    expect(outcome('rwx-network', value, '1.8.0')[0]).toEqual(expected),
  );

  test.each([
    [{ hostIPRange: '192.168.0.224/28', vipRange: '192.168.0.192/27' }, undefined],
    [{ hostIPRange: '192.168.0.224/28' }, 'hostIPRange and vipRange must be set together'],
    [{ hostIPRange: 'x', vipRange: '192.168.0.192/27' }, 'invalid hostIPRange "x"'],
    [
      { hostIPRange: 'fd00::/64', vipRange: '192.168.0.192/27' },
      'hostIPRange fd00::/64 must be an IPv4 CIDR',
    ],
    [
      { hostIPRange: '192.168.0.225/28', vipRange: '192.168.0.192/27' },
      'hostIPRange should be subnet CIDR 192.168.0.224/28',
    ],
    [
      { hostIPRange: '192.168.1.224/28', vipRange: '192.168.0.192/27' },
      'hostIPRange 192.168.1.224/28 is not within range 192.168.0.0/24',
    ],
    [
      { hostIPRange: '192.168.0.0/28', vipRange: '192.168.0.192/27' },
      'hostIPRange 192.168.0.0/28 must not include the network or broadcast address of 192.168.0.0/24',
    ],
    [
      { hostIPRange: '192.168.0.192/28', vipRange: '192.168.0.192/27' },
      'hostIPRange 192.168.0.192/28 overlaps vipRange 192.168.0.192/27',
    ],
  ])('reserves ranges from 1.9.0 on: %j', (ranges, says) => {
    expect(outcome('rwx-network', dedicated({}, ranges), '1.9.0')).toEqual(
      says ? [expect.stringContaining(says)] : [],
    );
  });

  test('refuses reserved ranges that overlap exclusions or are on an untagged network', () => {
    const ranges = { hostIPRange: '192.168.0.224/28', vipRange: '192.168.0.192/27' };
    expect(
      outcome('rwx-network', dedicated({ exclude: ['192.168.0.230/32'] }, ranges), '1.9.0')[0],
    ).toContain('hostIPRange 192.168.0.224/28 overlaps exclude entry 192.168.0.230/32');
    expect(
      outcome('rwx-network', dedicated({ vlan: 0, clusterNetwork: 'rwx' }, ranges), '1.9.0')[0],
    ).toContain('hostIPRange and vipRange require a tagged VLAN (2-4094), got 0');
    expect(
      outcome(
        'rwx-network',
        JSON.stringify({ 'share-storage-network': false, ...ranges }),
        '1.9.0',
      )[0],
    ).toContain('require a dedicated network');
    expect(
      outcome('rwx-network', JSON.stringify({ 'share-storage-network': true, ...ranges }), '1.9.0'),
    ).toEqual([]);
  });
});

describe('addresses of networks', () => {
  const config = (range: string, ...exclude: string[]): NetworkConfig => ({
    clusterNetwork: 'mgmt',
    vlan: 2,
    exclusiveVlan: false,
    range,
    exclude,
    rangeV6: '',
    rangeV6Start: '',
    rangeV6End: '',
  });

  test.each([
    ['10.0.0.0/24', [], 254],
    ['10.0.0.0/24', ['10.0.0.0/25'], 126],
    ['10.0.0.0/31', [], 0],
    ['10.0.0.0/32', [], 0],
    ['fd00::/126', [], 3],
    ['10.0.0.0/30', ['10.0.0.1/32', '10.0.0.2/32'], 0],
  ] as const)('counts the addresses of %s without %j: %d', (range, exclude, count) =>
    expect(usableCount(config(range, ...exclude))).toBe(count),
  );

  test.each([
    [config('10.0.0.0/24'), config('10.0.1.0/24'), false],
    [config('10.0.0.0/24'), config('10.0.0.0/25'), true],
    [config('192.168.1.0/30', '192.168.1.1/32', '192.168.1.2/32'), config('192.168.1.0/30'), false],
    [config('10.0.0.0/24', '10.0.0.128/25'), config('10.0.0.128/25'), false],
    [config('10.0.0.0/24', '10.0.0.0/25'), config('10.0.0.0/25', '10.0.0.64/26'), false],
    [config('10.0.0.0/24', '10.0.0.0/26'), config('10.0.0.0/25'), true],
    // an exclusion begins at the address that was written
    [config('10.0.0.0/29', '10.0.0.2/29'), config('10.0.0.0/29'), true],
    [config('10.0.0.0/24'), config('fd00::/64'), false],
    [config('x'), config('10.0.0.0/24'), false],
  ])('compares %j with %j: %s', (a, b, shared) => {
    expect([shareAddresses(a, b), shareAddresses(b, a)]).toEqual([shared, shared]);
  });

  test('reads the network of a setting', () => {
    const context = contextOf('1.8.0');
    expect(networkOf('storage-network', network({}), context)).toMatchObject({
      range: '192.168.0.0/24',
    });
    expect(
      networkOf('rwx-network', `{"share-storage-network":true,"network":${network({})}}`, context),
    ).toBeUndefined();
    expect(networkOf('rwx-network', `{"network":${network({})}}`, context)).toMatchObject({
      vlan: 100,
    });
    expect([
      networkOf('storage-network', '', context),
      networkOf('storage-network', '{', context),
      networkOf('rwx-network', '{', context),
    ]).toEqual([undefined, undefined, undefined]);
  });
});
