import { Manifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { JudgedObject, World } from '../../../src/core/rule/rule';
import { CONFIG_ADDRESS_RULES } from '../../../src/guest/machine-address/machine-address.rules';
import { guest, machineConfig, pool } from '../../support/guest';

const RANCHER = { name: 'rancher', kind: 'rancher' } as const;
const DC1 = { name: 'dc1', kind: 'harvester', harvesterVersion: '1.7.2' } as const;
const networkData = (address: string) =>
  `version: 2\nethernets:\n  enp1s0:\n    addresses: [${address}/24]\n`;
const FIRST = { maxSurge: 0, maxUnavailable: 1 };

const onRancher = (manifest: Manifest): JudgedObject => ({ manifest, target: RANCHER });
const onHarvester = (manifest: Manifest): JudgedObject => ({ manifest, target: DC1 });
const findings = (judged: readonly JudgedObject[], before: readonly Manifest[] = []) =>
  judge(CONFIG_ADDRESS_RULES, new World(judged, [], before.map(onRancher))).map(
    ({ level, rule, value, message }) => `${level} ${rule} ${value ?? ''}: ${message}`,
  );

/** A Cluster with a pool for each address, and the HarvesterConfigs of the pools. */
function machines(
  addresses: readonly string[],
  { fields = {}, poolFields = {} }: { fields?: object; poolFields?: object } = {},
): Manifest[] {
  return [
    guest({
      machinePools: addresses.map((_, index) =>
        pool({
          name: `p${index}`,
          quantity: 1,
          machineConfigRef: { kind: 'HarvesterConfig', name: `nc-${index}` },
          rollingUpdate: FIRST,
          ...poolFields,
        }),
      ),
    }),
    ...addresses.map((address, index) =>
      machineConfig({ networkData: networkData(address), ...fields }, `nc-${index}`),
    ),
  ];
}

const ipPool = (name: string, scope: readonly object[]): Manifest => ({
  apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
  kind: 'IPPool',
  metadata: { name },
  spec: {
    ranges: [
      {
        subnet: '10.0.0.0/24',
        rangeStart: '10.0.0.10',
        rangeEnd: '10.0.0.20',
        gateway: '10.0.0.1',
      },
    ],
    selector: { scope },
  },
});
const ANY = [{ project: '*', namespace: '*', guestCluster: '*' }];

describe('an address', () => {
  test('belongs to one machine of a network', () => {
    const twice = [
      ...machines(['10.0.0.11', '10.0.0.12', '10.0.0.11']).map(onRancher),
      onHarvester(ipPool('a', [])),
    ];
    expect(findings(twice)).toEqual([
      'error machine-config/address "10.0.0.11": cannot be the address of these machines: those of nc-0 have it in the same network',
    ]);
  });

  test.each<[string, object]>([
    ['in another network', { networkInfo: '{"interfaces":[{"networkName":"default/other"}]}' }],
    ['by DHCP', { networkData: 'version: 2\nethernets:\n  enp1s0:\n    dhcp4: true\n' }],
  ])('is free if the other machine has it %s', (_, fields) => {
    const [cluster, first, second] = machines(['10.0.0.11', '10.0.0.11']);
    expect(
      findings([
        ...[cluster, first, { ...second, ...fields }].map(onRancher),
        onHarvester(ipPool('a', [])),
      ]),
    ).toEqual([]);
  });

  test('is not in a pool for load balancers, but may be in one that reserves it', () => {
    const [cluster, config] = machines(['10.0.0.11']).map(onRancher);
    expect(findings([cluster, config, onHarvester(ipPool('web', ANY))])).toEqual([
      'warning machine-config/address "10.0.0.11": is an address of IP pool web, which gives it to a load balancer, too',
    ]);
    expect(findings([cluster, config, onHarvester(ipPool('machines', []))])).toEqual([]);
    const outside = machines(['10.0.0.30']).map(onRancher);
    expect(findings([...outside, onHarvester(ipPool('web', ANY))])).toEqual([]);
  });
});

describe('an edit of machines with etcd', () => {
  const ADDRESSES = ['10.0.0.11', '10.0.0.12', '10.0.0.13'];
  const before = machines(ADDRESSES);
  const edited = (poolFields: object = {}) =>
    machines(ADDRESSES, { fields: { memorySize: '16' }, poolFields });

  test('is reported once if it replaces the majority at the same time', () => {
    expect(findings(edited().map(onRancher), before)).toEqual([
      'warning machine-config/etcd-at-once : replaces machines of the pools p0, p1, p2 at the same time, each deleted before its replacement starts: 0 of 3 machines with etcd remain',
    ]);
  });

  test.each<[string, Manifest[]]>([
    ['new machines start first', edited({ rollingUpdate: { maxSurge: 1 } })],
    ['the pools have no etcd', edited({ etcdRole: false })],
    [
      'the other pools are paused',
      edited().map((manifest, index) =>
        index > 0
          ? manifest
          : guest({
              machinePools: ADDRESSES.map((_, number) =>
                pool({
                  name: `p${number}`,
                  quantity: 1,
                  machineConfigRef: { kind: 'HarvesterConfig', name: `nc-${number}` },
                  rollingUpdate: FIRST,
                  ...(number > 0 ? { paused: true } : {}),
                }),
              ),
            }),
      ),
    ],
    ['one machine changes', [...edited().slice(0, 2), ...before.slice(2)]],
    [
      'only labels change',
      before.map((manifest) => ({
        ...manifest,
        metadata: { ...manifest.metadata, labels: { a: 'b' } },
      })),
    ],
  ])('is fine if %s', (_, now) => {
    expect(findings(now.map(onRancher), before)).toEqual([]);
  });
});
