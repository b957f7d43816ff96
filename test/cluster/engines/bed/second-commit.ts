import { join } from 'path';
import { ApiObject, Size } from 'cdk8s';
import { Manifest } from '../../../../src/core/manifest/manifest';
import { Delivery } from '../../../../src/delivery/delivery';
import { loadAssembly } from '../../../../src/engine/read/load-assembly';
import { ClusterNetwork } from '../../../../src/harvester/cluster-network/cluster-network';
import { VlanConfig } from '../../../../src/harvester/cluster-network/vlan-config';
import { HarvesterChart } from '../../../../src/harvester/harvester-chart';
import { HarvesterNamespace } from '../../../../src/harvester/harvester-namespace';
import { VmImage } from '../../../../src/harvester/image/vm-image';
import { IpPool } from '../../../../src/harvester/ip-pool/ip-pool';
import { KeyPair } from '../../../../src/harvester/key-pair/key-pair';
import { Disk } from '../../../../src/harvester/machine/disk';
import { Nic } from '../../../../src/harvester/machine/nic';
import { VmNetwork } from '../../../../src/harvester/network/vm-network';
import { HarvesterSetting } from '../../../../src/harvester/settings/harvester-setting';
import { HarvesterStorageClass } from '../../../../src/harvester/storage/harvester-storage-class';
import { VirtualMachine } from '../../../../src/harvester/virtual-machine/virtual-machine';
import { Client } from '../../client';
import { writeObjects } from '../../doubles/program';

const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl test@example.com';

/** What a commit of the shop contains. */
export type Commit = 'a tenant' | 'a tenant with more' | 'the same without the pool';

/** The pool, which is alone in its stage. */
export const POOL: Manifest = {
  apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
  kind: 'IPPool',
  metadata: { name: 'addresses' },
};

/**
 * Synthesizes a tenant on a Harvester, or the same with an image, a network, a machine and a pool,
 * each in stages that the tenant alone does not have.
 *
 * @returns what is then in files
 */
export function writeCommit(folder: string, commit: Commit, delivery: Delivery): Manifest[] {
  const outdir = writeObjects(
    folder,
    'shop',
    (dc1) => {
      const namespace = tenant(dc1);
      if (commit !== 'a tenant') {
        more(dc1, namespace, commit === 'a tenant with more');
      }
    },
    { delivery },
  );
  const { assembly, manifests } = loadAssembly(join(outdir));
  return assembly.objects
    .filter(({ file }) => file !== undefined)
    .map(({ id }) => manifests.get(id)!);
}

function tenant(dc1: HarvesterChart): HarvesterNamespace {
  HarvesterSetting.ntpServers(dc1, 'ntp', ['0.pool.ntp.org']);
  const namespace = new HarvesterNamespace(dc1, 'shop-vms');
  const metadata = { name: 'robot', namespace: 'shop-vms' };
  new ApiObject(dc1, 'account', { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  new ApiObject(dc1, 'settings', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata,
    ...{ data: { level: 'info' } },
  });
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata };
  new ApiObject(dc1, 'role', {
    ...role,
    kind: 'Role',
    ...{ rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }] },
  });
  new ApiObject(dc1, 'binding', {
    ...role,
    kind: 'RoleBinding',
    ...{
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'robot' },
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'shop-vms' }],
    },
  });
  new VmNetwork(dc1, 'prod', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 100 });
  return namespace;
}

function more(dc1: HarvesterChart, namespace: HarvesterNamespace, hasPool: boolean): void {
  const fabric = new ClusterNetwork(dc1, 'tenants');
  new VlanConfig(dc1, 'tenants-uplinks', { clusterNetwork: fabric, nics: ['ens1f0', 'ens1f1'] });
  const network = new VmNetwork(dc1, 'shop-net', { clusterNetwork: fabric, vlan: 110, namespace });
  if (hasPool) {
    new IpPool(dc1, 'addresses', {
      name: POOL.metadata.name,
      network,
      ranges: [{ subnet: '10.20.110.0/24' }],
    });
  }
  VmImage.download(dc1, 'ubuntu', { url: 'https://images.example.com/noble.img' });
  new KeyPair(dc1, 'ops', { name: 'ops', publicKey: KEY });
  // with a storage class that is known, since a machine of an image that is yet to be imported
  // waits for a late value
  const noble = VmImage.fromName(dc1, 'noble', {
    name: 'noble',
    namespace: 'default',
    volumeStorageClass: HarvesterStorageClass.fromName(dc1, 'noble-class', {
      name: 'longhorn-noble',
    }),
  });
  new VirtualMachine(dc1, 'web', {
    name: 'web',
    namespace,
    cpus: 1,
    memory: Size.gibibytes(1),
    disks: [Disk.image(noble, Size.gibibytes(10))],
    nics: [Nic.network(network)],
  });
}

/** The UIDs of objects on a server, in their order; undefined for one that does not exist. */
export async function uidsOf(
  client: Client,
  manifests: readonly Manifest[],
): Promise<(string | undefined)[]> {
  const answers = await Promise.all(manifests.map(async (manifest) => client.read(manifest)));
  return answers.map(({ status, body }) =>
    status === 200 ? ((body as Manifest).metadata.uid as string) : undefined,
  );
}
