import { Judging, judgeOn } from './judging';
import { Manifest } from '../../src/core/manifest/manifest';
import { oneLine } from '../../src/core/problem/problem';
import { Finding } from '../../src/core/rule/finding';
import { VALUE_RULES } from '../../src/core/shape/shape.rules';
import { GUEST_CLUSTER_RULES } from '../../src/guest/cluster/cluster.rules';

export const USER_DATA = '#cloud-config\npackages: [qemu-guest-agent]\n';
export const DISKS =
  '{"disks":[{"imageName":"default/noble","size":40,"bootOrder":1,"bus":"virtio","type":"disk"}]}';
export const NETWORKS = '{"interfaces":[{"networkName":"default/prod"}]}';

/** A machine configuration without findings. */
export function machineConfig(
  fields: object = {},
  name = 'nc-shop',
  metadata: object = {},
): Manifest {
  return {
    apiVersion: 'rke-machine-config.cattle.io/v1',
    kind: 'HarvesterConfig',
    metadata: { name, namespace: 'fleet-default', ...metadata },
    vmNamespace: 'vms',
    cpuCount: '4',
    memorySize: '8',
    diskInfo: DISKS,
    networkInfo: NETWORKS,
    sshUser: 'ubuntu',
    userData: USER_DATA,
    ...fields,
  };
}

/** A machine pool with all roles. */
export function pool(fields: object = {}): object {
  return {
    name: 'all',
    quantity: 3,
    etcdRole: true,
    controlPlaneRole: true,
    workerRole: true,
    machineConfigRef: { kind: 'HarvesterConfig', name: 'nc-shop' },
    ...fields,
  };
}

const CLOUD_PATH = '/var/lib/rancher/rke2/etc/config-files/cloud-provider-config';

/** A guest cluster on RKE2 with the cloud provider, as the UI makes it. */
export function guest(rkeConfig: object = {}, spec: object = {}, metadata: object = {}): Manifest {
  return {
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: { name: 'shop', namespace: 'fleet-default', ...metadata },
    spec: {
      cloudCredentialSecretName: 'cattle-global-data:cc-dc1',
      kubernetesVersion: 'v1.33.6+rke2r1',
      rkeConfig: {
        chartValues: {
          'harvester-cloud-provider': {
            cloudConfigPath: CLOUD_PATH,
            global: { cattle: { clusterName: 'shop' } },
          },
        },
        machineGlobalConfig: { cni: 'calico' },
        machineSelectorConfig: [
          {
            config: {
              'cloud-provider-config': 'secret://fleet-default:harvesterconfig-shop',
              'cloud-provider-name': 'harvester',
            },
          },
        ],
        machinePools: [pool()],
        ...rkeConfig,
      },
      ...spec,
    },
  };
}

export function kubeconfig(
  namespace: string | undefined = 'vms',
  server = 'https://10.10.0.10:6443',
  token = 'secret-token',
): string {
  return [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    '- name: default',
    `  cluster: {server: "${server}"}`,
    'contexts:',
    '- name: default',
    `  context: {cluster: default, user: default${namespace === '' ? '' : `, namespace: ${namespace}`}}`,
    'current-context: default',
    'users:',
    '- name: default',
    `  user: {token: "${token}"}`,
    '',
  ].join('\n');
}

export function secret(
  name: string,
  namespace: string,
  data: { [key: string]: string },
  annotations?: { [key: string]: string },
): Manifest {
  const encoded = Object.fromEntries(
    Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  );
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, ...(annotations ? { annotations } : {}) },
    data: encoded,
  };
}

/** The Secret that the cloud provider of `guest` is given. */
export function cloudConfig(
  text = kubeconfig(),
  annotations: { [key: string]: string } = { 'v2prov-secret-authorized-for-cluster': 'shop' },
): Manifest {
  return secret('harvesterconfig-shop', 'fleet-default', { credential: text }, annotations);
}

/** The credential that `guest` names. */
export function credential(
  data: object = {},
  annotations: { [key: string]: string } | undefined = CREDENTIAL_ANNOTATIONS,
  name = 'cc-dc1',
): Manifest {
  return secret(
    name,
    'cattle-global-data',
    {
      'harvestercredentialConfig-clusterId': 'c-m-abcdefgh',
      'harvestercredentialConfig-clusterType': 'imported',
      'harvestercredentialConfig-kubeconfigContent': kubeconfig(),
      ...data,
    },
    annotations,
  );
}

export const CREDENTIAL_ANNOTATIONS = {
  'field.cattle.io/name': 'dc1',
  'provisioning.cattle.io/driver': 'harvester',
  'field.cattle.io/creatorId': 'user-abcde',
};

/** The findings of the guest cluster rules, and of those on limits of definitions. */
export function findingsOf(manifests: readonly Manifest[], judging: Judging = {}): Finding[] {
  return judgeOn([...GUEST_CLUSTER_RULES, ...VALUE_RULES], manifests, {
    version: '2.13.8',
    ...judging,
  });
}

/** One finding as a text: `level rule path: message; fix`. */
export function told(manifests: readonly Manifest[], judging: Judging = {}): string[] {
  return findingsOf(manifests, judging).map(
    (finding) => `${finding.level} ${finding.rule} ${finding.path ? '' : ': '}${oneLine(finding)}`,
  );
}
