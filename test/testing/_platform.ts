import { Size } from 'cdk8s';
import { HarvesterApp } from '../../src/core/app/harvester-app';
import { SecretValue } from '../../src/core/value/secret-value';
import {
  CloudInit,
  CloudInitFile,
  ClusterNetwork,
  Disk,
  GuestCluster,
  HarvesterChart,
  HarvesterImport,
  Kubernetes,
  MachineRoles,
  RancherChart,
  TenantProject,
  VmImage,
  VmNetwork,
} from '../../src/index';

/** What an edit of the platform changes. */
export interface PlatformEdit {
  readonly memory?: number;
  readonly package?: string;
  readonly quantity?: number;
}

/** A platform whose machines have a secret in their cloud-init, as a program has it. */
export function platform(
  app: HarvesterApp,
  { memory = 8, package: added = 'nfs-common', quantity = 3 }: PlatformEdit = {},
): void {
  const rancher = new RancherChart(app, 'rancher', {
    version: '2.13.8',
    serverUrl: 'https://rancher.example.com',
  });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
  const harvesterImport = new HarvesterImport(rancher, 'import-dc1', { harvester: dc1 });
  const project = new TenantProject(rancher, 'shop-project', {
    cluster: harvesterImport,
    tenantNamespaces: [{ name: 'shop-vms' }],
  });
  new GuestCluster(rancher, 'shop', {
    harvesterImport,
    vmNamespace: project.declaredNamespace('shop-vms'),
    kubernetes: Kubernetes.rke2('v1.34.6+rke2r1'),
    pools: [
      {
        name: 'all',
        quantity,
        roles: MachineRoles.ALL,
        cpus: 4,
        memory: Size.gibibytes(memory),
        disks: [
          Disk.image(
            VmImage.download(dc1, 'noble', { url: 'https://example.com/noble.img' }),
            Size.gibibytes(40),
          ),
        ],
        networks: [
          new VmNetwork(dc1, 'prod', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 100 }),
        ],
        cloudInit: CloudInit.of({
          packages: [added],
          users: [{ name: 'ops', passwordHash: SecretValue.fromEnv('OPS_PASSWORD_HASH') }],
          files: [CloudInitFile.secret('/etc/license', SecretValue.fromEnv('LICENSE'))],
        }),
      },
    ],
  });
}
