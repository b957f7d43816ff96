import { Live } from './_live';
import { Manifest } from '../../../src/core/manifest/manifest';

const found = async (live: Live): Promise<string[]> =>
  (await live.diagnose())
    .filter(({ check }) => check.endsWith('/leftover'))
    .map(({ level, check, object, message }) => `${level} ${check} ${object}: ${message}`);

const CLAIM = 'pvc-0a1b2c3d-1111-2222-3333-444455556666';

const balancer = (cluster: string, status: object = {}): Manifest => ({
  apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
  kind: 'LoadBalancer',
  metadata: {
    name: `${cluster}-web`,
    namespace: 'vms',
    labels: { 'cloudprovider.harvesterhci.io/cluster': cluster },
  },
  spec: { workloadType: 'cluster' },
  status: { conditions: [{ type: 'Ready', status: 'True' }], ...status },
});
const claim = (name: string, namespace = 'vms'): Manifest => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace },
  spec: {},
  status: { capacity: { storage: '10Gi' } },
});
const machine = (name: string, labels: object, volumes: object[] = []): Manifest =>
  ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace: 'vms' },
    spec: { template: { metadata: { labels }, spec: { volumes } } },
  }) as Manifest;

test('reports load balancers of guest clusters without machines, and the addresses that they hold', async () => {
  const live = new Live();
  live.dc1.seed(balancer('shop', { allocatedAddress: { ip: '10.0.0.7', ipPool: 'prod' } }));
  live.dc1.seed(balancer('dhcp', { address: '0.0.0.0' }));
  expect(await found(live)).toEqual([
    'warning load-balancer/leftover LoadBalancer vms/shop-web: belongs to the guest cluster shop, which has no virtual machine, and holds the address 10.0.0.7 of the IP pool prod',
    'warning load-balancer/leftover LoadBalancer vms/dhcp-web: belongs to the guest cluster dhcp, which has no virtual machine',
  ]);
});

test.each([
  [
    'a labeled machine',
    (live: Live) => {
      live.dc1.seed(machine('web', { 'guestcluster.harvesterhci.io/name': 'shop' }));
    },
  ],
  [
    'a machine of an old node driver',
    (live: Live) => {
      live.dc1.seed(machine('shop-pool-abcde-fghij', {}));
    },
  ],
  [
    'a Cluster in Rancher',
    (live: Live) => {
      live.rancher.seed({
        apiVersion: 'provisioning.cattle.io/v1',
        kind: 'Cluster',
        metadata: { name: 'shop', namespace: 'fleet-default' },
        spec: {},
        status: { clusterName: 'c-m-harvdc01' },
      });
    },
  ],
])('keeps silent about a load balancer whose cluster has %s', async (_, seed) => {
  const live = new Live();
  live.dc1.seed(balancer('shop'));
  seed(live);
  expect(await found(live)).toEqual([]);
});

test('reports volumes of guest clusters that no machine has attached', async () => {
  const live = new Live();
  for (const manifest of [
    claim(CLAIM),
    claim('data'),
    claim('pvc-99999999-1111-2222-3333-444455556666'),
  ]) {
    live.dc1.seed(manifest);
  }
  live.dc1.seed(
    machine('bastion', {}, [
      {
        name: 'a',
        persistentVolumeClaim: { claimName: 'pvc-99999999-1111-2222-3333-444455556666' },
      },
    ]),
  );
  expect(await found(live)).toEqual([
    `warning volume/leftover PersistentVolumeClaim vms/${CLAIM}: is a volume of a guest cluster (10Gi) that no virtual machine has attached, and its namespace has no machine of a guest cluster`,
  ]);
  live.dc1.seed(machine('web', { 'harvesterhci.io/creator': 'docker-machine-driver-harvester' }));
  expect(await found(live)).toEqual([
    `info volume/leftover PersistentVolumeClaim vms/${CLAIM}: is a volume of a guest cluster (10Gi) that no virtual machine has attached`,
  ]);
});
