import { Size } from 'cdk8s';
import { HarvesterApp } from '../../../src/core/app/harvester-app';
import { INamespace } from '../../../src/core/construct/target';
import { GuestCluster, GuestClusterProps } from '../../../src/guest/cluster/guest-cluster';
import { CustomCluster, CustomClusterProps } from '../../../src/guest/custom/custom-cluster';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { MachinePool, MachineRoles } from '../../../src/guest/machine-pool/machine-pool';
import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { Disk } from '../../../src/harvester/machine/disk';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import { messageOf } from '../../support/message-of';
import { newApp, newHarvester, newRancher } from '../../support/programs';
import { written } from '../../support/written';

export { assemblyOf as assembly, written } from '../../support/written';

export const RKE2 = 'v1.33.6+rke2r1';
export const K3S = 'v1.33.6+k3s1';

/** A Harvester that is imported into a Rancher, with a namespace for machines. */
export interface Platform {
  readonly app: HarvesterApp;
  readonly rancher: RancherChart;
  readonly dc1: HarvesterChart;
  readonly harvester: HarvesterImport;
  readonly namespace: INamespace;
}

export function platform(
  versions: {
    readonly rancher?: string;
    readonly harvester?: string;
    readonly clusterId?: ClusterId;
  } = {},
): Platform {
  const app = newApp();
  const rancher = newRancher(app, versions.rancher);
  const dc1 = new HarvesterChart(app, 'dc1', {
    version: versions.harvester ?? '1.7.2',
    vip: '10.10.0.10',
  });
  const harvester = new HarvesterImport(rancher, 'import-dc1', {
    harvester: dc1,
    clusterId: versions.clusterId ?? ClusterId.fixed('c-m-harvdc01'),
  });
  return { app, rancher, dc1, harvester, namespace: new HarvesterNamespace(dc1, 'vms') };
}

/** Pools of machines, each with defaults for what is not given. */
export function poolsOn(dc1: HarvesterChart, ...pools: Partial<MachinePool>[]): MachinePool[] {
  const image = VmImage.download(dc1, 'noble', { url: 'https://images.example.com/noble.img' });
  const network = new VmNetwork(dc1, 'prod', {
    clusterNetwork: ClusterNetwork.mgmt(dc1),
    vlan: 100,
  });
  return pools.map((pool) => ({
    name: 'all',
    roles: MachineRoles.ALL,
    cpus: 4,
    memory: Size.gibibytes(8),
    disks: [Disk.image(image, Size.gibibytes(40))],
    networks: [network],
    ...pool,
  }));
}

/** A cluster of the node driver. */
export function guestCluster(
  props: Partial<GuestClusterProps> = {},
  versions: { readonly rancher?: string; readonly harvester?: string } = {},
): Platform & { readonly cluster: GuestCluster } {
  const all = platform(versions);
  const { rancher, dc1, harvester, namespace } = all;
  const cluster = new GuestCluster(rancher, 'shop', {
    harvesterImport: harvester,
    vmNamespace: namespace,
    kubernetes: Kubernetes.rke2(RKE2),
    pools: poolsOn(dc1, { quantity: 3 }),
    ...props,
  });
  return { ...all, cluster };
}

/** A custom cluster that stands alone: what all guest clusters have in common. */
export function customCluster(
  props: Partial<CustomClusterProps> = {},
  version?: string,
  caCertificates?: string,
): { app: HarvesterApp; cluster: CustomCluster } {
  const app = newApp();
  const rancher = newRancher(app, version, { caCertificates });
  newHarvester(app);
  return {
    app,
    cluster: new CustomCluster(rancher, 'shop', { kubernetes: Kubernetes.rke2(RKE2), ...props }),
  };
}

/** The spec of the Cluster `shop`. */
export function specOf(props: Partial<CustomClusterProps> = {}, version?: string): any {
  return written(customCluster(props, version).app)['rancher/Cluster/shop'].spec;
}

/** The message that making a custom cluster throws. */
export function refusal(props: Partial<CustomClusterProps>, version?: string): string {
  return messageOf(() => customCluster(props, version));
}
