import { Size } from 'cdk8s';
import { World } from '../../../src/core/rule/rule';
import { readInput } from '../../../src/engine/read/read-input';
import { HarvesterLoadBalancer } from '../../../src/guest/balancer/harvester-load-balancer';
import { Ipam } from '../../../src/guest/balancer/service-address';
import { GuestCluster } from '../../../src/guest/cluster/guest-cluster';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { MachineRoles } from '../../../src/guest/machine-pool/machine-pool';
import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { IpPool, IpPoolScope } from '../../../src/harvester/ip-pool/ip-pool';
import { Disk } from '../../../src/harvester/machine/disk';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { HarvesterImport, IHarvesterImport } from '../../../src/rancher/import/harvester-import';
import { TenantProject } from '../../../src/rancher/project/tenant-project';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import { addressTable } from '../../../src/report/addresses/address-table';
import { newApp, newHarvester, newRancher } from '../../support/programs';

type ImportOf = (rancher: RancherChart, id: string, harvester: HarvesterChart) => IHarvesterImport;
const declared: ImportOf = (rancher, id, harvester) =>
  new HarvesterImport(rancher, id, { harvester });
const fromId: ImportOf = (rancher, id, harvester) =>
  HarvesterImport.fromClusterId(rancher, id, {
    clusterId: `c-m-${harvester.targetName}`,
    harvester,
  });

/**
 * Two Harvesters that share names, and a tenant with a guest cluster and a pool on one of them for
 * those that the test names.
 */
function platform(
  scopeOf: (project: TenantProject, shop: GuestCluster) => IpPoolScope,
  subnet = '10.0.0.0/24',
  importOf = declared,
) {
  const app = newApp();
  const rancher = newRancher(app);
  const dc1 = newHarvester(app);
  const dc2 = newHarvester(app, '1.7.2', 'dc2');
  const harvester = importOf(rancher, 'import-dc1', dc1);
  const other = importOf(rancher, 'import-dc2', dc2);
  new TenantProject(rancher, 'payments-2', {
    cluster: other,
    tenantNamespaces: [{ name: 'payments-vms' }],
  });
  new VmNetwork(dc2, 'vlan10', { clusterNetwork: ClusterNetwork.mgmt(dc2), vlan: 10 });
  const network = new VmNetwork(dc1, 'vlan10', {
    clusterNetwork: ClusterNetwork.mgmt(dc1),
    vlan: 10,
  });
  const project = new TenantProject(rancher, 'payments', {
    cluster: harvester,
    tenantNamespaces: [{ name: 'payments-vms' }],
  });
  const shop = new GuestCluster(rancher, 'shop', {
    harvesterImport: harvester,
    vmNamespace: project.declaredNamespace('payments-vms'),
    kubernetes: Kubernetes.rke2('v1.33.6+rke2r1'),
    pools: [
      {
        name: 'all',
        quantity: 1,
        roles: MachineRoles.ALL,
        cpus: 4,
        memory: Size.gibibytes(8),
        sshUser: 'ubuntu',
        networks: [network],
        disks: [Disk.image(VmImage.fromName(dc1, 'image', { name: 'noble' }), Size.gibibytes(40))],
      },
    ],
  });
  const pool = new IpPool(dc1, 'payments', {
    ranges: [{ subnet }],
    network,
    scopes: [scopeOf(project, shop)],
  });
  new HarvesterLoadBalancer(shop.chart, 'web', {
    ipam: Ipam.pool(pool),
    ports: [{ port: 443 }],
    selector: { app: 'web' },
  });
  return app;
}

test.each<[string, (project: TenantProject, shop: GuestCluster) => IpPoolScope, ImportOf]>([
  ['its project', (project) => IpPoolScope.project(project), declared],
  [
    'its namespace',
    (project) => IpPoolScope.namespace(project.declaredNamespace('payments-vms')),
    declared,
  ],
  ['itself', (_, shop) => IpPoolScope.guestCluster(shop), declared],
  [
    'itself, on a Harvester that is imported already',
    (_, shop) => IpPoolScope.guestCluster(shop),
    fromId,
  ],
])(
  'a Service of a guest cluster gets an address of the pool for %s, and everything that decides is known',
  (_, scopeOf, importOf) => {
    const app = platform(scopeOf, '10.0.0.5/32', importOf);
    app.synth();
    expect(
      app.findings.filter(({ rule }) => /^(ip-pool|load-balancer|service)\//.test(rule)),
    ).toEqual([]);
    expect(addressTable(new World(readInput([app.outdir], {}).objects)).balancers).toEqual([
      {
        target: 'shop',
        balancer: 'default/web',
        ports: ['443/TCP'],
        mode: 'pool',
        harvester: 'dc1',
        pool: 'payments',
        reason: 'by its scope',
        address: '10.0.0.5',
      },
    ]);
  },
);

test('and cannot name another pool, which Harvester would not select', () => {
  const app = platform(IpPoolScope.project, '10.0.0.0/28', declared);
  const dc1 = app.node.findChild('dc1') as HarvesterChart;
  const { chart } = app.node.findChild('rancher').node.findChild('shop') as GuestCluster;
  const other = new IpPool(dc1, 'other', {
    ranges: [{ subnet: '10.9.0.0/24' }],
    scopes: [IpPoolScope.of({ namespace: 'other' })],
  });
  new HarvesterLoadBalancer(chart, 'api', {
    ipam: Ipam.pool(other),
    ports: [{ port: 6443 }],
    selector: { app: 'api' },
  });
  expect(() => app.synth()).toThrow(
    'ipam: must be the pool that Harvester selects by network and scope, payments, got "other": a Service cannot select another one',
  );
});

test('and none of a pool for others, which synthesis reports', () => {
  const app = platform(() => IpPoolScope.of({ namespace: 'other' }));
  app.synth();
  const [finding] = app.findings.filter(({ rule }) => rule === 'load-balancer/no-pool');
  expect(finding.message).toMatch(
    /matches network default\/vlan10, project c-m-[a-z0-9]+\/payments, namespace payments-vms, guest cluster shop/,
  );
});
