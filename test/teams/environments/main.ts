import { readFileSync } from 'fs';
import { join } from 'path';
import { Size } from 'cdk8s';
import {
  ClusterNetwork,
  Disk,
  GuestCluster,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  Kubernetes,
  MachinePool,
  MachineRoles,
  Principal,
  ProjectMember,
  RancherChart,
  TenantProject,
  VmImage,
  VmNetwork,
  VmQuota,
} from 'cdk8s-harvester';

/** What differs between environments. */
interface Environment {
  readonly rancher: { readonly version: string; readonly serverUrl: string };
  readonly harvester: { readonly version: string; readonly vip: string };
  readonly idSalt: string;
  readonly vlan: number;
  readonly kubernetes: string;
  readonly machines: number;
}

const ENVIRONMENTS = ['dev', 'stage', 'prod'];

/** Writes one environment to an output folder of its own. */
function writeEnvironment(name: string): void {
  const file = join(__dirname, 'environments', `${name}.json`);
  const environment = JSON.parse(readFileSync(file, 'utf8')) as Environment;
  const app = new HarvesterApp({ outdir: join('dist', name), idSalt: environment.idSalt });
  // objects have the same names in each environment: only their clusters differ
  const rancher = new RancherChart(app, 'rancher', environment.rancher);
  const dc1 = new HarvesterChart(app, 'dc1', environment.harvester);
  addShop(rancher, dc1, environment);
  app.synth();
}

function addShop(rancher: RancherChart, dc1: HarvesterChart, environment: Environment): void {
  const cluster = new HarvesterImport(rancher, 'import-dc1', { harvester: dc1 });
  const image = VmImage.download(dc1, 'noble', {
    url: 'https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img',
  });
  const network = new VmNetwork(dc1, 'shop', {
    clusterNetwork: ClusterNetwork.mgmt(dc1),
    vlan: environment.vlan,
  });
  const pools: MachinePool[] = [
    {
      name: 'all',
      quantity: environment.machines,
      roles: MachineRoles.ALL,
      cpus: 4,
      memory: Size.gibibytes(8),
      disks: [Disk.image(image, Size.gibibytes(40))],
      networks: [network],
    },
  ];
  const { limitsCpu, limitsMemory } = VmQuota.forMachinePools(pools);
  const project = new TenantProject(rancher, 'shop', {
    cluster,
    tenantNamespaces: [{ name: 'shop-vms' }],
    quota: { limitsCpu, limitsMemory },
    members: [ProjectMember.owner(Principal.group('okta_group://shop'))],
  });
  new GuestCluster(rancher, 'shop-cluster', {
    name: 'shop',
    harvesterImport: cluster,
    vmNamespace: project.declaredNamespace('shop-vms'),
    kubernetes: Kubernetes.rke2(environment.kubernetes),
    pools,
  });
}

// ENVIRONMENT=prod writes one of them, and leaves the others alone
const { ENVIRONMENT } = process.env;
for (const name of ENVIRONMENT === undefined ? ENVIRONMENTS : [ENVIRONMENT]) {
  writeEnvironment(name);
}
