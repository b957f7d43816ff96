import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import { Size } from 'cdk8s';
import { parseAllDocuments } from 'yaml';
import { HarvesterApp as UncheckedApp } from '#lib/core/app/harvester-app';
import { GuestCluster as UncheckedGuestCluster } from '#lib/guest/cluster/guest-cluster';
import { Kubernetes as UncheckedKubernetes } from '#lib/guest/kubernetes/kubernetes';
import { HarvesterChart as UncheckedHarvesterChart } from '#lib/harvester/harvester-chart';
import { VmImage as UncheckedImage } from '#lib/harvester/image/vm-image';
import { Disk as UncheckedDisk } from '#lib/harvester/machine/disk';
import { VmNetwork as UncheckedNetwork } from '#lib/harvester/network/vm-network';
import { HarvesterImport as UncheckedImport } from '#lib/rancher/import/harvester-import';
import { Principal as UncheckedPrincipal } from '#lib/rancher/members/principal';
import { ProjectMember as UncheckedMember } from '#lib/rancher/project/tenant-namespace';
import { TenantProject as UncheckedProject } from '#lib/rancher/project/tenant-project';
import { RancherChart as UncheckedRancherChart } from '#lib/rancher/rancher-chart';
import {
  CloudInit,
  CloudProvider,
  ClusterNetwork,
  Cpu,
  CsiDriver,
  Disk,
  GuestAgent,
  GuestCluster,
  GuestStorageClass,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  HarvesterStorageClass,
  Kubernetes,
  MachineRoles,
  OutputLayout,
  Principal,
  ProjectMember,
  RancherChart,
  TenantProject,
  VmImage,
  VmNetwork,
} from 'cdk8s-harvester';

const HARVESTERS = 5;

/** What a program creates a platform with. */
const LIBRARY = {
  Disk,
  GuestCluster,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  Kubernetes,
  Principal,
  ProjectMember,
  RancherChart,
  TenantProject,
  VmImage,
  VmNetwork,
};

/**
 * The same classes as the library's own modules use them: they do not check what a program gives
 * them against the public API.
 */
export const UNCHECKED: typeof LIBRARY = {
  Disk: UncheckedDisk,
  GuestCluster: UncheckedGuestCluster,
  HarvesterApp: UncheckedApp,
  HarvesterChart: UncheckedHarvesterChart,
  HarvesterImport: UncheckedImport,
  Kubernetes: UncheckedKubernetes,
  Principal: UncheckedPrincipal,
  ProjectMember: UncheckedMember,
  RancherChart: UncheckedRancherChart,
  TenantProject: UncheckedProject,
  VmImage: UncheckedImage,
  VmNetwork: UncheckedNetwork,
};

/**
 * A platform of tenants: each has a project, members, a quota, and on one of five Harvester
 * clusters a guest cluster of two machine pools, with cloud provider, CSI driver, storage class and
 * cloud-init.
 *
 * @param isEdited whether one tenant has another quota
 */
export function platformApp(
  tenants: number,
  outdir: string,
  library = LIBRARY,
  isEdited = false,
): HarvesterApp {
  const app = new library.HarvesterApp({
    outdir,
    layout: OutputLayout.FILE_PER_KIND,
    printWarnings: false,
  });
  const rancher = new library.RancherChart(app, 'rancher', {
    version: '2.13.8',
    serverUrl: 'https://rancher.example.com',
  });
  const places = Array.from({ length: HARVESTERS }, (_, index) => {
    const chart = new library.HarvesterChart(app, `dc${index}`, {
      version: '1.7.2',
      vip: `10.10.${index}.10`,
    });
    return {
      cluster: new library.HarvesterImport(rancher, `import-dc${index}`, { harvester: chart }),
      image: library.VmImage.download(chart, 'noble', {
        url: 'https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img',
      }),
      storage: HarvesterStorageClass.fromName(chart, 'fast', { name: 'longhorn-nvme' }),
      network: new library.VmNetwork(chart, 'vlan', {
        clusterNetwork: ClusterNetwork.mgmt(chart),
        vlan: 100,
      }),
    };
  });
  for (let index = 0; index < tenants; index++) {
    const { cluster, image, network, storage } = places[index % HARVESTERS];
    const name = `team-${index}`;
    const project = new library.TenantProject(rancher, name, {
      cluster,
      tenantNamespaces: [{ name: `${name}-vms` }],
      quota: {
        limitsCpu: Cpu.units(isEdited && index === 0 ? 48 : 40),
        limitsMemory: Size.gibibytes(128),
      },
      members: [
        library.ProjectMember.owner(library.Principal.user(`local://u-${name}`)),
        library.ProjectMember.readOnly(library.Principal.group('okta_group://audit')),
      ],
    });
    const cloudInit = CloudInit.of({
      guestAgent: GuestAgent.preinstalled(),
      sshAuthorizedKeys: [
        `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMZ9rcL4kmRrH0fXOKLqHZVlZCvAbFEqkRGPLaSTAmTq ${name}@example.com`,
      ],
      ntpServers: ['ntp.example.com'],
    });
    const pool = {
      cpus: 4,
      memory: Size.gibibytes(8),
      disks: [library.Disk.image(image, Size.gibibytes(40))],
      networks: [network],
      cloudInit,
    };
    const guest = new library.GuestCluster(rancher, `${name}-shop`, {
      harvesterImport: cluster,
      vmNamespace: project.declaredNamespace(`${name}-vms`),
      kubernetes: library.Kubernetes.rke2('v1.34.6+rke2r1'),
      cloudProvider: CloudProvider.harvester({
        csi: CsiDriver.install({ hostStorageClass: storage }),
      }),
      pools: [
        { name: 'control', quantity: 3, roles: MachineRoles.CONTROL_PLANE_ETCD, ...pool },
        { name: 'worker', quantity: 5, roles: MachineRoles.WORKER, ...pool },
      ],
    });
    new GuestStorageClass(guest.chart, 'fast', { hostStorageClass: storage });
  }
  return app;
}

/** The manifests that a synthesis wrote, by file. */
export function writtenBy(outdir: string): Map<string, object[]> {
  const files = readdirSync(outdir, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.yaml'),
  );
  return new Map(
    files.map((file) => [
      file,
      parseAllDocuments(readFileSync(join(outdir, file), 'utf8')).map(
        (document) => document.toJS() as object,
      ),
    ]),
  );
}
