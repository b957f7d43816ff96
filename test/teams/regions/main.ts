import { ApiObject, Duration, Size } from 'cdk8s';
import {
  CloudInit,
  CloudInitFile,
  ClusterNetwork,
  Delivery,
  Disk,
  GuestCluster,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  HelmChartAddon,
  Kubernetes,
  MachineRoles,
  ClusterId,
  Principal,
  ProjectMember,
  RancherChart,
  SecretDelivery,
  SecretValue,
  TenantProject,
  TokenSource,
  VmImage,
  VmNetwork,
} from 'cdk8s-harvester';

/** Each region has a Rancher and a Harvester, with the same names of everything else. */
const REGIONS = [
  { name: 'emea', vip: '10.40.0.10', vlan: 400, machines: 3 },
  { name: 'apac', vip: '10.50.0.10', vlan: 500, machines: 1 },
];

const app = new HarvesterApp({
  idSalt: 'salt-of-the-regions',
  delivery: Delivery.fleet({ repository: 'https://git.example.com/regions.git', branch: 'main' }),
  secrets: SecretDelivery.externalSecrets({ store: 'vault', keyOf: 'regions/{target}/{name}' }),
});

for (const { name, vip, vlan, machines } of REGIONS) {
  const rancher = new RancherChart(app, `rancher-${name}`, {
    version: '2.15.0',
    serverUrl: `https://rancher.${name}.example.com`,
  });
  const harvester = new HarvesterChart(app, `harvester-${name}`, { version: '1.8.2', vip });
  const cluster = new HarvesterImport(rancher, 'import', {
    harvester,
    name: 'harvester',
    clusterId: ClusterId.fixed('c-m-harvest1'),
    registrationToken: TokenSource.secret(),
  });
  const project = new TenantProject(rancher, 'stores', {
    cluster,
    tenantNamespaces: [{ name: 'stores-vms' }],
    members: [ProjectMember.owner(Principal.group('okta_group://stores'))],
  });
  const vmNamespace = project.declaredNamespace('stores-vms');
  const image = VmImage.download(harvester, 'micro', {
    url: 'https://images.example.com/sle-micro-6.1.qcow2',
  });
  const network = new VmNetwork(harvester, 'stores', {
    namespace: vmNamespace,
    clusterNetwork: ClusterNetwork.mgmt(harvester),
    vlan,
  });
  const stores = new GuestCluster(rancher, 'stores-cluster', {
    name: 'stores',
    // Fleet and the folders of the output know both clusters
    targetName: `stores-${name}`,
    harvesterImport: cluster,
    vmNamespace,
    kubernetes: Kubernetes.rke2('v1.35.2+rke2r1'),
    pools: [
      {
        name: 'all',
        quantity: machines,
        roles: MachineRoles.ALL,
        cpus: 4,
        memory: Size.gibibytes(8),
        disks: [Disk.image(image, Size.gibibytes(60))],
        networks: [network],
        cloudInit: CloudInit.of({
          files: [
            CloudInitFile.secret('/etc/scanner/license', SecretValue.fromEnv('SCANNER_LICENSE')),
          ],
        }),
      },
    ],
  });
  const registry = new ApiObject(stores.chart, 'registry', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'registry', namespace: 'default' },
    stringData: { password: SecretValue.fromEnv('REGISTRY_PASSWORD').token },
  });
  const tills = new HelmChartAddon(stores.chart, 'tills', {
    repository: 'https://charts.example.com',
    chart: 'tills',
    version: '4.2.0',
    targetNamespace: 'default',
    timeout: Duration.minutes(10),
    values: { region: name, imagePullSecrets: [{ name: registry.name }] },
  });
  tills.node.addDependency(registry);
}

app.synth();
