import { GuestCluster } from '../../../src/guest/cluster/guest-cluster';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import {
  FixedAddresses,
  FixedAddressesProps,
} from '../../../src/guest/machine-pool/fixed-addresses';
import { MachinePool } from '../../../src/guest/machine-pool/machine-pool';
import { VmAffinity, VmSelector } from '../../../src/harvester/affinity/vm-affinity';
import { NetworkData } from '../../../src/harvester/cloud-init/network-data';
import { IpPool, IpPoolScope } from '../../../src/harvester/ip-pool/ip-pool';
import { messageOf } from '../../support/message-of';
import { assemblyOf, written } from '../../support/written';
import { RKE2, platform, poolsOn } from '../cluster/_clusters';

const FIXED: FixedAddressesProps = {
  addresses: ['10.0.0.11', '10.0.0.12', '10.0.0.13'],
  subnet: '10.0.0.0/24',
  gateway: '10.0.0.1',
  nameservers: ['10.0.0.2'],
};

type Change = (all: ReturnType<typeof platform>) => Partial<MachinePool>;

function shop(change: Change | Partial<MachinePool>) {
  const all = platform();
  const pools = poolsOn(all.dc1, {
    name: 'control',
    ...(typeof change === 'function' ? change(all) : change),
  });
  new GuestCluster(all.rancher, 'shop', {
    harvesterImport: all.harvester,
    vmNamespace: all.namespace,
    kubernetes: Kubernetes.rke2(RKE2),
    pools,
  });
  return all;
}

const fixed = (props: Partial<FixedAddressesProps> = {}): Partial<MachinePool> => ({
  fixedAddresses: FixedAddresses.of({ ...FIXED, ...props }),
});

/** The pools of the Cluster, and the HarvesterConfigs by name. */
function output(change: Change | Partial<MachinePool>) {
  const objects = written(shop(change).app);
  return {
    pools: objects['rancher/Cluster/shop'].spec.rkeConfig.machinePools as {
      [field: string]: unknown;
    }[],
    configs: Object.fromEntries(
      Object.entries(objects)
        .filter(([, { kind }]) => kind === 'HarvesterConfig')
        .map(([, { metadata, ...fields }]) => [metadata.name, fields]),
    ),
  };
}

test('makes a pool of one machine for each address, which is deleted before the new one starts', () => {
  const { pools, configs } = output(fixed());
  expect(pools.map(({ name }) => name)).toEqual(['control-11', 'control-12', 'control-13']);
  expect(pools[0]).toMatchObject({
    quantity: 1,
    etcdRole: true,
    machineConfigRef: { name: 'nc-shop-control-11' },
    rollingUpdate: { maxSurge: 0, maxUnavailable: 1 },
  });
  expect(configs['nc-shop-control-12'].networkData).toBe(
    [
      'version: 2',
      'ethernets:',
      '  enp1s0:',
      '    addresses:',
      '      - 10.0.0.12/24',
      '    routes:',
      '      - to: default',
      '        via: 10.0.0.1',
      '    nameservers:',
      '      addresses:',
      '        - 10.0.0.2',
      '',
    ].join('\n'),
  );
});

test('keeps every other machine when an address is added or removed', () => {
  const before = output(fixed());
  const after = output(fixed({ addresses: ['10.0.0.20', '10.0.0.13', '10.0.0.11'] }));
  expect(after.pools.map(({ name }) => name)).toEqual(['control-20', 'control-13', 'control-11']);
  for (const address of [11, 13]) {
    expect(after.configs[`nc-shop-control-${address}`]).toEqual(
      before.configs[`nc-shop-control-${address}`],
    );
  }
});

test.each([
  ['10.1.0.0/16', ['10.1.2.3', '10.1.3.3'], ['control-2-3', 'control-3-3']],
  ['10.0.0.0/8', ['10.1.2.3'], ['control-1-2-3']],
  ['10.0.0.0/26', ['10.0.0.9'], ['control-9']],
])('names machines by what differs in %s', (subnet, addresses, names) => {
  expect(
    output(fixed({ subnet, addresses, gateway: undefined })).pools.map(({ name }) => name),
  ).toEqual(names);
});

test('pauses the machines that are not replaced yet', () => {
  expect(output(fixed({ rollOut: ['10.0.0.12'] })).pools.map(({ paused }) => paused)).toEqual([
    true,
    undefined,
    true,
  ]);
});

test('configures other interfaces, and another name of the first', () => {
  const { configs } = output(
    fixed({
      interfaceName: 'eth0',
      otherInterfaces: { eth1: { dhcp4: true } },
      searchDomains: ['example.com'],
    }),
  );
  expect(configs['nc-shop-control-11'].networkData).toContain(
    '  eth0:\n    addresses:\n      - 10.0.0.11/24',
  );
  expect(configs['nc-shop-control-11'].networkData).toContain('  eth1:\n    dhcp4: true');
  expect(configs['nc-shop-control-11'].networkData).toContain('search:\n        - example.com');
});

describe('from a pool', () => {
  const ranges = [
    { subnet: '10.0.0.0/24', start: '10.0.0.1', end: '10.0.0.4', gateway: '10.0.0.1' },
  ];
  const from =
    (quantity: number, more: Partial<ConstructorParameters<typeof IpPool>[2]> = {}): Change =>
    ({ dc1 }) => ({
      quantity,
      fixedAddresses: FixedAddresses.pool(new IpPool(dc1, 'machines', { ranges, ...more }), {
        nameservers: ['10.0.0.2'],
      }),
    });

  test('takes the first addresses but its gateway', () => {
    const { pools, configs } = output(from(3));
    expect(pools.map(({ name }) => name)).toEqual(['control-2', 'control-3', 'control-4']);
    expect(configs['nc-shop-control-2'].networkData).toContain('via: 10.0.0.1');
  });

  test('refuses one that is too small, or that load balancers use', () => {
    expect(messageOf(() => shop(from(5)))).toContain(
      'must have an address for each of 5 machines in its first range, got "machines": it has 3',
    );
    expect(messageOf(() => shop(from(1, { scopes: [IpPoolScope.everything()] })))).toContain(
      'must be a pool without scopes, got "machines": load balancers get its addresses',
    );
  });
});

test.each<[string, Change | Partial<MachinePool>, string]>([
  ['no addresses', fixed({ addresses: [] }), 'fixedAddresses.addresses: must contain an address'],
  [
    'an address elsewhere',
    fixed({ addresses: ['10.0.1.1'] }),
    'fixedAddresses.addresses[0]: must be an IPv4 address of a host in 10.0.0.0/24, got "10.0.1.1"',
  ],
  [
    'the address of the network',
    fixed({ addresses: ['10.0.0.0'] }),
    'must be an IPv4 address of a host',
  ],
  [
    'an address with a prefix',
    fixed({ addresses: ['10.0.0.9/24'] }),
    'write the address without its prefix length',
  ],
  [
    'the gateway',
    fixed({ addresses: ['10.0.0.1'] }),
    'fixedAddresses.addresses[0]: cannot be the gateway, got "10.0.0.1"',
  ],
  [
    'an address twice',
    fixed({ addresses: ['10.0.0.9', '10.0.0.9'] }),
    'fixedAddresses.addresses[1]: must be unique',
  ],
  [
    'a subnet that is none',
    fixed({ subnet: '10.0.0.0' }),
    'fixedAddresses.subnet: must be an IPv4 CIDR',
  ],
  [
    'a gateway elsewhere',
    fixed({ gateway: '10.1.0.1' }),
    'fixedAddresses.gateway: must be an address in 10.0.0.0/24, got "10.1.0.1"',
  ],
  [
    'an unknown address to replace',
    fixed({ rollOut: ['10.0.0.9'] }),
    'fixedAddresses.rollOut[0]: must be one of the addresses, got "10.0.0.9"',
  ],
  [
    'a quantity',
    { ...fixed(), quantity: 3 },
    'pools[control].quantity: cannot be set together with fixedAddresses.of',
  ],
  [
    'autoscaling',
    { ...fixed(), autoscaling: { min: 1, max: 3 } },
    'pools[control].autoscaling: cannot be set together with fixedAddresses',
  ],
  [
    'network data',
    { ...fixed(), networkData: NetworkData.v2({ ethernets: { a: { dhcp4: true } } }) },
    'pools[control].networkData: cannot be set together',
  ],
  [
    'a shared machine config',
    { ...fixed(), machineConfigName: 'a' },
    'pools[control].machineConfigName: cannot be set together',
  ],
  [
    'an affinity to the pool',
    { ...fixed(), affinity: VmAffinity.spreadOverHosts() },
    'pools[control].affinity: cannot select machines of the same pool',
  ],
])('refuses %s', (_, change, message) => {
  expect(messageOf(() => shop(change))).toContain(message);
});

test('accepts an affinity to the cluster', () => {
  expect(
    output({
      ...fixed(),
      affinity: VmAffinity.of({ preferredApart: [{ vms: VmSelector.sameCluster() }] }),
    }).pools,
  ).toHaveLength(3);
});

test('makes no finding', () => {
  const { app } = shop(fixed());
  app.synth();
  expect(
    assemblyOf(app).findings.filter(
      ({ rule }: { rule: string }) => !rule.startsWith('late-value/'),
    ),
  ).toEqual([]);
});
