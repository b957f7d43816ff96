import { Live, NOW, TARGETS } from './_live';
import { Manifest } from '../../../src/core/manifest/manifest';
import { AssemblyTarget } from '../../../src/core/output/assembly';
import { checkWorld } from '../../../src/report/doctor/doctor';
import { readWorld } from '../../../src/report/doctor/live-world';
import { FakeCluster, fakeTargets } from '../../support/fake-cluster';

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

describe('load balancers whose Service is gone', () => {
  const ofService = (ipam?: string, address = '10.0.0.7'): Manifest => {
    const allocatedAddress = { ip: '10.0.0.7', ipPool: 'prod' };
    const made = balancer('shop', { allocatedAddress, address });
    Object.assign(made.metadata.labels!, {
      'cloudprovider.harvesterhci.io/serviceNamespace': 'default',
      'cloudprovider.harvesterhci.io/serviceName': 'web',
    });
    return { ...made, spec: { workloadType: 'cluster', ...(ipam ? { ipam } : {}) } };
  };
  const service = (type: string): Manifest => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'default' },
    spec: { type },
  });
  const pool = (allocated: object): Manifest => ({
    apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
    kind: 'IPPool',
    metadata: { name: 'prod' },
    spec: { ranges: [{ subnet: '10.0.0.0/24' }] },
    status: { allocated },
  });
  const GUEST: AssemblyTarget = {
    name: 'shop',
    kind: 'guest',
    version: 'v1.34.4+rke2r1',
    folder: 'shop',
    construct: 'shop',
    properties: { provisioningCluster: 'fleet-default/shop', harvester: 'dc1', rancher: 'rancher' },
  };

  async function diagnosed(seed: (live: Live, guest: FakeCluster) => void): Promise<string[]> {
    const live = new Live();
    const guest = new FakeCluster();
    live.dc1.seed(machine('web', { 'guestcluster.harvesterhci.io/name': 'shop' }));
    seed(live, guest);
    const bound = fakeTargets(
      { rancher: live.rancher, dc1: live.dc1, shop: guest },
      { ...TARGETS, shop: GUEST },
    );
    return checkWorld(await readWorld(bound, NOW))
      .filter(({ check }) => /^(load-balancer|ip-pool)\//.test(check))
      .map(({ check, object, message, fix }) => `${check} ${object}: ${message}; ${fix}`);
  }

  test('are reported with the command that deletes them', async () => {
    const reported = [
      'load-balancer/no-service LoadBalancer vms/shop-web: is of the Service default/web of the guest cluster shop, which is gone or no longer a load balancer, and holds the address 10.0.0.7 of the IP pool prod; delete it: kubectl delete loadbalancers.loadbalancer.harvesterhci.io shop-web -n vms',
    ];
    expect(await diagnosed(({ dc1 }) => dc1.seed(ofService('pool')))).toEqual(reported);
    expect(
      await diagnosed(({ dc1 }, guest) => {
        dc1.seed(ofService('pool'));
        guest.seed(service('ClusterIP'));
      }),
    ).toEqual(reported);
  });

  test('are not reported while the Service is there', async () => {
    expect(
      await diagnosed(({ dc1 }, guest) => {
        dc1.seed(ofService('pool'));
        guest.seed(service('LoadBalancer'));
      }),
    ).toEqual([]);
  });

  test('that will remain are reported while their Service is there', async () => {
    const announced = {
      ...service('LoadBalancer'),
      status: { loadBalancer: { ingress: [{ ip: '10.0.0.7' }] } },
    };
    const change =
      'change an annotation of the Service, after which the cloud provider records it: kubectl annotate services web -n default --overwrite recorded-address=true';
    const remains =
      'when the Service default/web of the guest cluster shop is deleted, the cloud provider keeps it, and its address';
    expect(
      await diagnosed(({ dc1 }, guest) => {
        dc1.seed(ofService('pool', ''));
        guest.seed(announced);
      }),
    ).toEqual([
      `load-balancer/unrecorded-address LoadBalancer vms/shop-web: has no address in its status, although its Service has 10.0.0.7: ${remains}; ${change}`,
    ]);
    expect(
      await diagnosed(({ dc1 }, guest) => {
        dc1.seed(ofService('pool', ''));
        guest.seed(service('LoadBalancer'));
      }),
    ).toEqual([
      `load-balancer/unrecorded-address LoadBalancer vms/shop-web: has an address that kube-vip did not announce, or the cloud provider did not record: ${remains}; if the Service has no address, correct kube-vip in the guest cluster; otherwise ${change}`,
    ]);
  });

  test('cannot go without the network of their pool', async () => {
    const seed = ({ dc1 }: Live, network: string): void => {
      dc1.seed({
        ...pool({ '10.0.0.7': 'vms/shop-web' }),
        spec: { selector: { network }, ranges: [{ subnet: '10.0.0.0/24' }] },
      });
      dc1.seed({
        apiVersion: 'k8s.cni.cncf.io/v1',
        kind: 'NetworkAttachmentDefinition',
        metadata: { name: 'vlan10', namespace: 'vms' },
        spec: { config: '{}' },
      });
      dc1.seed(ofService('pool'));
    };
    const foundWith = async (network: string): Promise<string[]> =>
      diagnosed((live, guest) => {
        seed(live, network);
        guest.seed(service('LoadBalancer'));
      });
    expect(await foundWith('vms/vlan20')).toEqual([
      'ip-pool/no-network IPPool prod: has the network vms/vlan20, which does not exist, so Harvester refuses every update of the pool: its addresses are never released (1 allocated), and their load balancers remain; create a network of that name again, delete the load balancers and the pool, and then the network',
    ]);
    expect(await foundWith('vms/vlan10')).toEqual([]);
  });

  test('without ipam keep their address: the command that releases it is named before and after', async () => {
    const command =
      "kubectl annotate ippools.loadbalancer.harvesterhci.io prod 'loadbalancer.harvesterhci.io/manuallyReleaseIP=10.0.0.7: vms/shop-web'";
    expect(
      await diagnosed(({ dc1 }, guest) => {
        dc1.seed(ofService());
        dc1.seed(pool({ '10.0.0.7': 'vms/shop-web' }));
        guest.seed(service('LoadBalancer'));
      }),
    ).toEqual([
      `load-balancer/no-ipam LoadBalancer vms/shop-web: has no ipam: Harvester never releases its address 10.0.0.7 of the IP pool prod; after you deleted it, run ${command}`,
    ]);
    expect(await diagnosed(({ dc1 }) => dc1.seed(pool({ '10.0.0.7': 'vms/shop-web' })))).toEqual([
      `ip-pool/leftover IPPool prod: has the address 10.0.0.7 allocated to the load balancer vms/shop-web, which does not exist: the address is lost, and the pool cannot be deleted; release it: ${command}`,
    ]);
  });
});
