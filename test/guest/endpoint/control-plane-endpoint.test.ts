import { judge } from '../../../src/core/rule/judge';
import { World } from '../../../src/core/rule/rule';
import { GuestCluster, GuestClusterProps } from '../../../src/guest/cluster/guest-cluster';
import { ControlPlaneEndpoint } from '../../../src/guest/endpoint/control-plane-endpoint';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { FixedAddresses } from '../../../src/guest/machine-pool/fixed-addresses';
import { MachinePool, MachineRoles } from '../../../src/guest/machine-pool/machine-pool';
import { IpPool } from '../../../src/harvester/ip-pool/ip-pool';
import { LOAD_BALANCER_RULES } from '../../../src/harvester/load-balancer/load-balancer.rules';
import { CA } from '../../support/certificates';
import { messageOf } from '../../support/message-of';
import { assemblyOf, written } from '../../support/written';
import { RKE2, platform, poolsOn } from '../cluster/_clusters';

type Change = (all: ReturnType<typeof platform>) => Partial<GuestClusterProps>;

const POOLS: readonly Partial<MachinePool>[] = [
  { name: 'control', quantity: 3, roles: MachineRoles.CONTROL_PLANE_ETCD },
  { name: 'work', roles: MachineRoles.WORKER },
];

function shop(change: Change, pools = POOLS) {
  const all = platform();
  new GuestCluster(all.rancher, 'shop', {
    harvesterImport: all.harvester,
    vmNamespace: all.namespace,
    kubernetes: Kubernetes.rke2(RKE2),
    pools: poolsOn(all.dc1, ...pools),
    ...change(all),
  });
  return all;
}

const output = (change: Change, pools = POOLS) => written(shop(change, pools).app);

test('writes a load balancer of the machines with the control plane, and its address', () => {
  const objects = output(() => ({
    endpoint: ControlPlaneEndpoint.address('10.0.0.5', { fqdn: 'shop.example.com' }),
  }));
  expect(objects['dc1/LoadBalancer/shop-control-plane']).toMatchObject({
    metadata: { namespace: 'vms' },
    spec: {
      ipam: 'pool',
      ipPool: 'shop-control-plane',
      workloadType: 'vm',
      listeners: [{ name: 'api', port: 6443, backendPort: 6443, protocol: 'TCP' }],
      backendServerSelector: { 'harvesterhci.io/machineSetName': ['vms-shop-control'] },
      healthCheck: { port: 6443 },
    },
  });
  expect(objects['dc1/IPPool/shop-control-plane'].spec.ranges).toEqual([{ subnet: '10.0.0.5/32' }]);
  const { spec } = objects['rancher/Cluster/shop'];
  expect(spec.rkeConfig.machineGlobalConfig['tls-san']).toEqual(['shop.example.com', '10.0.0.5']);
  expect(spec.localClusterAuthEndpoint).toEqual({ enabled: true });
});

test('names the endpoint in kubeconfigs once its certificates are known', () => {
  const of = (port?: number) =>
    output(() => ({
      endpoint: ControlPlaneEndpoint.address('10.0.0.5', {
        fqdn: 'shop.example.com',
        port,
        caCertificates: CA,
      }),
    }));
  expect(of()['rancher/Cluster/shop'].spec.localClusterAuthEndpoint).toEqual({
    enabled: true,
    fqdn: 'shop.example.com:6443',
    caCerts: CA,
  });
  const objects = of(443);
  expect(objects['rancher/Cluster/shop'].spec.localClusterAuthEndpoint.fqdn).toBe(
    'shop.example.com',
  );
  expect(objects['dc1/LoadBalancer/shop-control-plane'].spec.listeners).toEqual([
    { name: 'api', port: 443, backendPort: 6443, protocol: 'TCP' },
  ]);
});

test('takes an address of a pool, by which only the name is known, and adds to the names of the program', () => {
  const objects = output(({ dc1 }) => ({
    kubernetes: Kubernetes.rke2(RKE2, { tlsSans: ['api.example.com'] }),
    endpoint: ControlPlaneEndpoint.pool(IpPool.fromName(dc1, 'public', { name: 'public' }), {
      fqdn: 'shop.example.com',
    }),
  }));
  expect(objects['dc1/LoadBalancer/shop-control-plane'].spec.ipPool).toBe('public');
  expect(objects['rancher/Cluster/shop'].spec.rkeConfig.machineGlobalConfig['tls-san']).toEqual([
    'api.example.com',
    'shop.example.com',
  ]);
});

test('selects every pool of a control plane with fixed addresses', () => {
  const fixedAddresses = FixedAddresses.of({
    addresses: ['10.0.0.11', '10.0.0.12', '10.0.0.13'],
    subnet: '10.0.0.0/24',
    nameservers: ['10.0.0.2'],
  });
  const objects = output(
    () => ({ endpoint: ControlPlaneEndpoint.address('10.0.0.5') }),
    [{ ...POOLS[0], quantity: undefined, fixedAddresses }, POOLS[1]],
  );
  expect(
    objects['dc1/LoadBalancer/shop-control-plane'].spec.backendServerSelector[
      'harvesterhci.io/machineSetName'
    ],
  ).toEqual(['vms-shop-control-11', 'vms-shop-control-12', 'vms-shop-control-13']);
});

test('makes no finding: its machines are those of the pools', () => {
  const { app } = shop(() => ({ endpoint: ControlPlaneEndpoint.address('10.0.0.5') }));
  app.synth();
  expect(
    assemblyOf(app).findings.filter(
      ({ rule }: { rule: string }) => !rule.startsWith('late-value/'),
    ),
  ).toEqual([]);
});

test('reports a load balancer that selects none of the machines of the node driver', () => {
  const objects = output(() => ({ endpoint: ControlPlaneEndpoint.address('10.0.0.5') }));
  const balancer = objects['dc1/LoadBalancer/shop-control-plane'];
  const wrong = {
    ...balancer,
    spec: { ...balancer.spec, backendServerSelector: { app: ['web'] } },
  };
  const target = (key: string) => ({
    name: key.split('/')[0],
    kind: key.startsWith('dc1') ? ('harvester' as const) : ('rancher' as const),
    harvesterVersion: '1.7.2',
  });
  const world = new World(
    Object.entries({ ...objects, 'dc1/LoadBalancer/shop-control-plane': wrong }).map(
      ([key, manifest]) => ({ manifest, target: target(key) }),
    ),
  );
  expect(
    judge(LOAD_BALANCER_RULES, world)
      .filter(({ rule }) => rule === 'load-balancer/backends')
      .map(({ message }) => message),
  ).toEqual([
    expect.stringContaining('matches none of the 2 known virtual machines of namespace vms'),
  ]);
});

test.each<[string, Change, string]>([
  [
    'an address that is none',
    () => ({ endpoint: ControlPlaneEndpoint.address('shop') }),
    'endpoint.address: must be an IPv4 address, got "shop"',
  ],
  [
    'a URL',
    () => ({ endpoint: ControlPlaneEndpoint.address('10.0.0.5', { fqdn: 'https://shop' }) }),
    'endpoint.fqdn: must be a DNS name',
  ],
  [
    'a port that is none',
    () => ({ endpoint: ControlPlaneEndpoint.address('10.0.0.5', { port: 0 }) }),
    'endpoint.port: must be a port, got 0',
  ],
  [
    'certificates that are none',
    () => ({ endpoint: ControlPlaneEndpoint.address('10.0.0.5', { caCertificates: 'x' }) }),
    'endpoint.caCertificates: ',
  ],
  [
    'an authorized endpoint of its own',
    () => ({ endpoint: ControlPlaneEndpoint.address('10.0.0.5'), authorizedEndpoint: {} }),
    'authorizedEndpoint: cannot be set together with endpoint',
  ],
])('refuses %s', (_, change, message) => {
  expect(messageOf(() => shop(change))).toContain(message);
});
