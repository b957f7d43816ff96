import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import { ApiObject, App, Chart, Size } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { parseAllDocuments } from 'yaml';
import {
  ClusterNetwork, Disk, GuestCluster, HarvesterApp, HarvesterChart, HarvesterImport, Kubernetes, MachineRoles, OutputLayout, Principal, ProjectMember,
  RancherChart, TenantProject, VmImage, VmNetwork,
} from 'cdk8s-harvester';

const HARVESTERS = 5;

/** A platform of tenants: each has a project, members, a quota, and a guest cluster of two machine pools on one of five Harvester clusters. */
export function platformApp(tenants: number, outdir: string): HarvesterApp {
  const app = new HarvesterApp({ outdir, layout: OutputLayout.FILE_PER_KIND, printWarnings: false });
  const rancher = new RancherChart(app, 'rancher', { version: '2.13.8', serverUrl: 'https://rancher.example.com' });
  const places = Array.from({ length: HARVESTERS }, (_, index) => {
    const chart = new HarvesterChart(app, `dc${index}`, { version: '1.7.2', vip: `10.10.${index}.10` });
    return {
      cluster: new HarvesterImport(rancher, `import-dc${index}`, { harvester: chart }),
      image: VmImage.download(chart, 'noble', { url: 'https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img' }),
      network: new VmNetwork(chart, 'vlan', { clusterNetwork: ClusterNetwork.mgmt(chart), vlan: 100 }),
    };
  });
  for (let index = 0; index < tenants; index++) {
    const { cluster, image, network } = places[index % HARVESTERS];
    const name = `team-${index}`;
    const project = new TenantProject(rancher, name, {
      cluster,
      namespaces: [{ name: `${name}-vms` }],
      quota: { limitsCpu: Cpu.units(40), limitsMemory: Size.gibibytes(128) },
      members: [ProjectMember.owner(Principal.user(`local://u-${name}`)), ProjectMember.readOnly(Principal.group('okta_group://audit'))],
    });
    const pool = { cpus: 4, memory: Size.gibibytes(8), disks: [Disk.image(image, Size.gibibytes(40))], networks: [network] };
    new GuestCluster(rancher, `${name}-shop`, {
      harvesterImport: cluster,
      namespace: project.namespace(`${name}-vms`),
      kubernetes: Kubernetes.rke2('v1.34.6+rke2r1'),
      pools: [{ name: 'control', quantity: 3, roles: MachineRoles.CONTROL_PLANE_ETCD, ...pool }, { name: 'worker', quantity: 5, roles: MachineRoles.WORKER, ...pool }],
    });
  }
  return app;
}

/** The manifests that a synthesis wrote, by file. */
export function writtenBy(outdir: string): Map<string, object[]> {
  const files = readdirSync(outdir, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
  return new Map(files.map((file) => [file, parseAllDocuments(readFileSync(join(outdir, file), 'utf8')).map((document) => document.toJS() as object)]));
}

/** A program of stock cdk8s that writes the same manifests. */
export function stockPlatform(files: ReadonlyMap<string, object[]>, outdir: string): App {
  const app = new App({ outdir });
  for (const [file, manifests] of files) {
    const chart = new Chart(app, file.replace(/[^a-z0-9]+/g, '-'));
    manifests.forEach((manifest, index) => new ApiObject(chart, `o${index}`, manifest as never));
  }
  return app;
}
