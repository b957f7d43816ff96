import { Size } from 'cdk8s';
import { kubeconfigOf } from './credentials';
import { Family } from './family';
import { SecretValue } from '../../../src/core/value/secret-value';
import { LiveObject } from '../../../src/engine/cluster/cluster';
import { GuestCluster } from '../../../src/guest/cluster/guest-cluster';
import { CustomCluster } from '../../../src/guest/custom/custom-cluster';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { MachinePool, MachineRoles } from '../../../src/guest/machine-pool/machine-pool';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { Disk } from '../../../src/harvester/machine/disk';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { CloudCredential } from '../../../src/rancher/credential/cloud-credential';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { Lab } from '../lab/lab';

const idOf = (name: string): string => `c-m-${name.replace(/-/g, '')}`;

type Kind = Pick<LiveObject, 'apiVersion' | 'kind'>;

const FLEET_DEFAULT = 'fleet-default';
const LOOK_MS = 2_000;
const PROVISIONING = { apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster' };
/** What Cluster API deletes with a cluster. */
const OF_CLUSTER_API = [
  { apiVersion: 'rke.cattle.io/v1', kind: 'RKECluster' },
  { apiVersion: 'rke.cattle.io/v1', kind: 'RKEControlPlane' },
  { apiVersion: 'rke.cattle.io/v1', kind: 'RKEBootstrapTemplate' },
  { apiVersion: 'rke-machine.cattle.io/v1', kind: 'HarvesterMachineTemplate' },
];

/**
 * Deletes what belongs to a Cluster that is being deleted, as Cluster API does, whose controllers a
 * lab without nodes lacks: until then Rancher 2.15 keeps its finalizer
 * `auth.cattle.io/capi-resources-cleanup` on the Cluster.
 *
 * @param prefix what the names of the Clusters begin with
 * @see rancher/rancher:pkg/controllers/management/authprovisioningv2/cluster.go OnCluster
 */
export async function standInForClusterApi(
  lab: Lab,
  prefix: string = lab.prefix,
): Promise<() => void> {
  const { cluster } = lab.server('rancher');
  const listed = async ({ apiVersion, kind }: Kind): Promise<LiveObject[]> => {
    const served = await cluster.kind(apiVersion, kind);
    const path = `/apis/${apiVersion}/namespaces/${FLEET_DEFAULT}/${served?.plural}`;
    const { items } = (await cluster.get(path)) as { readonly items: LiveObject[] };
    return items.filter(({ metadata: { name } }) => name.startsWith(prefix));
  };
  const look = async (): Promise<void> => {
    const clusters = await listed(PROVISIONING);
    for (const kind of OF_CLUSTER_API) {
      for (const { metadata } of await listed(kind)) {
        // the longest name: `shop` is also the beginning of what belongs to `shop-2`
        const [owner] = clusters
          .filter((each) => `${metadata.name}-`.startsWith(`${each.metadata.name}-`))
          .sort((a, b) => b.metadata.name.length - a.metadata.name.length);
        if (!owner || owner.metadata.deletionTimestamp !== undefined) {
          const { name, uid } = metadata;
          await cluster.delete({ ...kind, namespace: FLEET_DEFAULT, name }, uid);
        }
      }
    }
  };
  // someone else may be faster
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS);
  return () => clearInterval(timer);
}

/** Guest clusters without machines: nothing creates them in a lab without nodes, or with this credential. */
export const GUESTS: Family = {
  title: 'guests',
  prepare: async (lab) => standInForClusterApi(lab),
  base: (stage) => {
    const { rancher, dc1, fixed } = stage;
    new HarvesterImport(rancher, 'import', {
      harvester: dc1,
      name: fixed('dc1'),
      clusterId: ClusterId.fixed(idOf(fixed('h'))),
      register: false,
    });
    ['one', 'two'].forEach((name) => new HarvesterNamespace(dc1, name, { name: fixed(name) }));
    CloudCredential.external(rancher, 'credential', {
      name: fixed('driver'),
      kubeconfig: SecretValue.unsafePlainText(kubeconfigOf('none')),
    });
  },
  declare: (stage, copy) => {
    const { rancher, dc1, name, fixed, variation } = stage;
    const { isEdited, isReplaced, namespace: into, suffix } = variation;
    const shared = {
      harvesterImport: HarvesterImport.fromClusterId(rancher, `of-${copy}`, {
        clusterId: idOf(fixed('h')),
        harvester: dc1,
      }),
      vmNamespace: HarvesterNamespace.fromName(dc1, `in-${copy}`, { name: fixed(into) }),
      credential: CloudCredential.fromName(rancher, `with-${copy}`, { name: fixed('driver') }),
    };
    const pool: Omit<MachinePool, 'name' | 'roles'> = {
      cpus: isEdited ? 4 : 2,
      memory: Size.gibibytes(4),
      disks: [
        Disk.image(
          VmImage.fromName(dc1, `image-${copy}`, {
            name: isReplaced ? 'image-other' : 'image-one',
            namespace: 'harvester-public',
          }),
          Size.gibibytes(40),
        ),
      ],
      networks: [VmNetwork.fromName(dc1, `network-${copy}`, { name: 'lan' })],
    };
    // another construct for another cluster: apply refuses a rename, which would lose its machines
    const id = `${copy}-${suffix}`;
    new GuestCluster(rancher, `rke2-${id}`, {
      ...shared,
      name: name('rke2'),
      clusterId: ClusterId.fixed(idOf(name('r'))),
      description: isEdited ? 'edited' : undefined,
      kubernetes: Kubernetes.rke2('v1.34.4+rke2r1'),
      pools: [
        { ...pool, name: 'control', roles: MachineRoles.CONTROL_PLANE_ETCD },
        {
          ...pool,
          name: isReplaced ? 'others' : 'workers',
          roles: MachineRoles.WORKER,
          quantity: isEdited ? 2 : 1,
        },
      ],
    });
    new GuestCluster(rancher, `k3s-${id}`, {
      ...shared,
      name: name('k3s'),
      clusterId: ClusterId.fixed(idOf(name('k'))),
      kubernetes: Kubernetes.k3s('v1.34.4+k3s1', {
        disabledComponents: isEdited ? ['traefik'] : [],
      }),
      pools: [{ ...pool, name: 'all', roles: MachineRoles.ALL }],
    });
    new CustomCluster(rancher, `custom-${id}`, {
      name: name('custom'),
      clusterId: ClusterId.fixed(idOf(name('o'))),
      kubernetes: Kubernetes.rke2('v1.34.4+rke2r1', { tlsSans: isEdited ? ['edited'] : ['first'] }),
    });
  },
};
