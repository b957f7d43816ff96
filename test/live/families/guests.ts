import { Size } from 'cdk8s';
import { kubeconfigOf } from './credentials';
import { Family } from './family';
import { SecretValue } from '../../../src/core/late/secret-value';
import { GuestCluster } from '../../../src/guest/cluster/guest-cluster';
import { CustomCluster } from '../../../src/guest/custom/custom-cluster';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { MachinePool, MachineRoles } from '../../../src/guest/machine-pool/machine-pool';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { Disk } from '../../../src/harvester/machine/disk';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { ManagementClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { CloudCredential } from '../../../src/rancher/credential/cloud-credential';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';

const idOf = (name: string): string => `c-m-${name.replace(/-/g, '')}`;

/** Guest clusters without machines: nothing creates them in a lab without nodes, or with this credential. */
export const GUESTS: Family = {
  title: 'guests',
  base: (stage) => {
    const { rancher, dc1, fixed } = stage;
    new HarvesterImport(rancher, 'import', {
      harvester: dc1,
      name: fixed('dc1'),
      managementClusterId: ManagementClusterId.fixed(idOf(fixed('h'))),
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
      managementClusterId: ManagementClusterId.fixed(idOf(name('r'))),
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
      managementClusterId: ManagementClusterId.fixed(idOf(name('k'))),
      kubernetes: Kubernetes.k3s('v1.34.4+k3s1', { disable: isEdited ? ['traefik'] : [] }),
      pools: [{ ...pool, name: 'all', roles: MachineRoles.ALL }],
    });
    new CustomCluster(rancher, `custom-${id}`, {
      name: name('custom'),
      managementClusterId: ManagementClusterId.fixed(idOf(name('o'))),
      kubernetes: Kubernetes.rke2('v1.34.4+rke2r1', { tlsSan: isEdited ? ['edited'] : ['first'] }),
    });
  },
};
