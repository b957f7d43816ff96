import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { IpPool, IpPoolProps, IpPoolScope } from '../../../src/harvester/ip-pool/ip-pool';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { messageOf } from '../../support/message-of';
import { newApp, newHarvester } from '../../support/programs';
import { assemblyOf } from '../../support/written';

function objectsOf(build: (dc1: HarvesterChart) => void): any[] {
  const app = newApp();
  const dc1 = newHarvester(app);
  build(dc1);
  app.synth();
  return dc1.toJson();
}

const poolOf = (props: Partial<IpPoolProps>): any =>
  objectsOf((dc1) => {
    new IpPool(dc1, 'pool', { ranges: [{ subnet: '10.0.0.0/24' }], ...props });
  })[0];
const failing = (props: Partial<IpPoolProps>): string => messageOf(() => poolOf(props));

test('is judged by its props', () => {
  const app = newApp();
  new IpPool(newHarvester(app), 'pool', { ranges: [{ subnet: '10.0.0.0/24' }] });
  expect(app.validate().map(({ rule, prop }) => `${rule} ${prop}`)).toEqual([
    'ip-pool/never-selected scopes',
  ]);
});

test('writes a cluster-scoped object in the right group, with a list of scopes', () => {
  const [, network, pool] = objectsOf((dc1) => {
    const namespace = new HarvesterNamespace(dc1, 'vms');
    const vlan10 = new VmNetwork(dc1, 'vlan10', {
      clusterNetwork: ClusterNetwork.mgmt(dc1),
      vlan: 10,
    });
    new IpPool(dc1, 'prod', {
      description: 'production',
      ranges: [
        {
          subnet: '192.168.100.0/24',
          start: '192.168.100.50',
          end: '192.168.100.99',
          gateway: '192.168.100.1',
        },
      ],
      network: vlan10,
      scopes: [
        IpPoolScope.namespace(namespace),
        IpPoolScope.of({ project: 'c-m-a/pay', namespace: 'pay', guestCluster: 'shop' }),
      ],
      priority: 10,
    });
  });
  expect(network.kind).toBe('NetworkAttachmentDefinition');
  expect(pool).toEqual({
    apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
    kind: 'IPPool',
    metadata: { name: 'prod', annotations: { 'field.cattle.io/description': 'production' } },
    spec: {
      description: 'production',
      ranges: [
        {
          subnet: '192.168.100.0/24',
          rangeStart: '192.168.100.50',
          rangeEnd: '192.168.100.99',
          gateway: '192.168.100.1',
        },
      ],
      selector: {
        priority: 10,
        network: 'default/vlan10',
        scope: [
          { project: '*', namespace: 'vms', guestCluster: '*' },
          { project: 'c-m-a/pay', namespace: 'pay', guestCluster: 'shop' },
        ],
      },
    },
  });
});

test('writes a single address as a /32 subnet', () => {
  const [pool] = objectsOf((dc1) => {
    IpPool.singleAddress(dc1, 'web', {
      address: '10.0.0.5',
      scopes: [IpPoolScope.of({ guestCluster: 'shop' })],
    });
  });
  expect(pool.spec).toEqual({
    ranges: [{ subnet: '10.0.0.5/32' }],
    selector: { scope: [{ project: '*', namespace: '*', guestCluster: 'shop' }] },
  });
});

test.each(['fd00::5', '10.0.0.5/24', 'one'])(
  'refuses %s as the address of a pool with one IPv4 address',
  (address) => {
    expect(() => IpPool.singleAddress(newHarvester(newApp()), 'web', { address })).toThrow(
      `[dc1/web] address: must be an IPv4 address, got "${address}". Fix: set an address such as 10.0.0.5`,
    );
  },
);

test('reports a wrong address with the other problems of the pool', () => {
  expect(
    messageOf(() =>
      IpPool.singleAddress(newHarvester(newApp()), 'web', { address: 'fd00::5', name: 'Web' }),
    ).split('\n'),
  ).toEqual([
    expect.stringContaining('[dc1/web] name: '),
    expect.stringContaining('[dc1/web] address: '),
  ]);
});

test('writes the global pool with three wildcards', () => {
  const build = (...ids: string[]) =>
    objectsOf((dc1) =>
      ids.forEach((id, index) => {
        IpPool.globalPool(dc1, id, { ranges: [{ subnet: `10.${index}.0.0/24` }] });
      }),
    );
  expect(build('all')[0].spec.selector).toEqual({
    scope: [{ project: '*', namespace: '*', guestCluster: '*' }],
  });
  expect(() => build('a', 'b')).toThrow(/ip-pool\/second-global/);
});

test('waits for its network', () => {
  const app = newApp();
  const dc1 = newHarvester(app);
  new IpPool(dc1, 'a-pool', {
    ranges: [{ subnet: '10.0.0.0/24' }],
    network: new VmNetwork(dc1, 'vlan10', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 10 }),
    scopes: [IpPoolScope.everything()],
  });
  app.synth();
  expect(assemblyOf(app).edges).toContainEqual({
    from: 'dc1/loadbalancer.harvesterhci.io/IPPool//a-pool',
    to: 'dc1/k8s.cni.cncf.io/NetworkAttachmentDefinition/default/vlan10',
    type: 'applied',
  });
});

test.each([
  [{ ranges: [] }, 'ranges: must contain a range', "range can't be empty"],
  [
    { ranges: [{ subnet: '10.0.0.0' }] },
    'ranges[0].subnet: must be a CIDR, got "10.0.0.0"',
    'set a CIDR such as 192.168.1.0/24',
  ],
  [
    { ranges: [{ subnet: '10.0.0.0/24', start: '10.1.0.1' }] },
    'ranges[0].start: must be a host address of 10.0.0.0/24, got "10.1.0.1"',
    'IP 10.1.0.1 is out of subnet 10.0.0.0/24',
  ],
  [
    { ranges: [{ subnet: '10.0.0.0/24', start: '10.0.0.1', end: '10.0.0.1' }] },
    'ranges: must contain an address other than the gateway',
    'no available IP',
  ],
  [
    { scopes: [IpPoolScope.everything(), IpPoolScope.of({ namespace: 'a' })] },
    'scopes[1]: cannot overlap scope[0], got {"project":"*","namespace":"a","guestCluster":"*"}',
    'scope overlaps',
  ],
  [
    { scopes: [IpPoolScope.of({ project: 'c-m-a:pay' })] },
    'scopes[0].project: must be <cluster ID>/<project>, got "c-m-a:pay"',
    'set "c-m-a/pay"',
  ],
  [
    { priority: -1 },
    'priority: must be a whole number from 0 to 2147483647, got -1',
    'the higher one wins',
  ],
  [
    { name: 'Bad_Name' },
    'name: must be a valid object name, got "Bad_Name"',
    'must be a valid object name',
  ],
])('refuses %j', (props, what, fix) => {
  const message = failing(props);
  expect(message).toContain('[dc1/pool]');
  expect(message).toContain(what);
  expect(message).toContain(fix);
});

test('refuses a network of another Harvester', () => {
  const app = newApp();
  const [dc1, dc2] = ['dc1', 'dc2'].map((id) => newHarvester(app, '1.7.2', id));
  const network = new VmNetwork(dc2, 'vlan10', { clusterNetwork: ClusterNetwork.mgmt(dc2) });
  expect(() => new IpPool(dc1, 'pool', { ranges: [{ subnet: '10.0.0.0/24' }], network })).toThrow(
    '[dc1/pool] network: must be on the same Harvester, dc1, got "default/vlan10": it is on dc2',
  );
});

test('refers to an existing object by its name', () => {
  const dc1 = newHarvester(newApp());
  expect(IpPool.fromName(dc1, 'p', { name: 'prod' }).name).toBe('prod');
  expect(dc1.toJson()).toEqual([]);
});

test('refuses a scope with a namespace of another Harvester', () => {
  const app = newApp();
  const [dc1, dc2] = ['dc1', 'dc2'].map((id) => newHarvester(app, '1.7.2', id));
  const scopes = [IpPoolScope.namespace(HarvesterNamespace.fromName(dc2, 'ns', { name: 'vms' }))];
  expect(() => new IpPool(dc1, 'pool', { ranges: [{ subnet: '10.0.0.0/24' }], scopes })).toThrow(
    '[dc1/pool] scopes[0].namespace: must be on the same Harvester, dc1, got "vms": it is on dc2. Fix: use one on dc1',
  );
});
