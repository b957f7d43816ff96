import { Manifest } from '../../src/core/manifest/manifest';

/** The user data that the form of Rancher's UI sends. */
export const USER_DATA = `#cloud-config
package_update: true
packages:
  - qemu-guest-agent
runcmd:
  - - systemctl
    - enable
    - '--now'
    - qemu-guest-agent.service
`;

const NO_DRAIN = {
  deleteEmptyDirData: true,
  disableEviction: false,
  enabled: false,
  force: false,
  gracePeriod: -1,
  ignoreDaemonSets: true,
  skipWaitForDeleteTimeoutSeconds: 0,
  timeout: 120,
};

/**
 * What the form of Rancher's UI sends.
 * @see rancher/dashboard:shell/edit/provisioning.cattle.io.cluster/rke2.vue
 */
export const CLUSTER = (overrides: object = {}, pool: object = {}): Manifest => ({
  apiVersion: 'provisioning.cattle.io/v1',
  kind: 'Cluster',
  metadata: {
    name: 'shop',
    namespace: 'fleet-default',
    annotations: { 'field.cattle.io/creatorId': 'user-abcde' },
  },
  spec: {
    cloudCredentialSecretName: 'cattle-global-data:cc-abcde',
    defaultPodSecurityAdmissionConfigurationTemplateName: '',
    kubernetesVersion: 'v1.33.6+rke2r1',
    localClusterAuthEndpoint: { enabled: false, caCerts: '', fqdn: '' },
    rkeConfig: {
      chartValues: {
        'rke2-calico': {},
        'harvester-cloud-provider': {
          cloudConfigPath: '/var/lib/rancher/rke2/etc/config-files/cloud-provider-config',
          global: { cattle: { clusterName: 'shop' } },
        },
      },
      dataDirectories: { systemAgent: '', provisioning: '', k8sDistro: '' },
      etcd: {
        disableSnapshots: false,
        s3: null,
        snapshotRetention: 5,
        snapshotScheduleCron: '0 */5 * * *',
      },
      machineGlobalConfig: {
        'cni': 'calico',
        'disable-kube-proxy': false,
        'etcd-expose-metrics': false,
      },
      machinePoolDefaults: {},
      machinePools: [
        {
          name: 'pool1',
          controlPlaneRole: true,
          etcdRole: true,
          workerRole: true,
          hostnamePrefix: '',
          quantity: 3,
          unhealthyNodeTimeout: '0m',
          drainBeforeDelete: true,
          machineConfigRef: { kind: 'HarvesterConfig', name: 'nc-shop-pool1-abcde' },
          labels: {},
          machineOS: 'linux',
          dynamicSchemaSpec: '{"resourceFields":{}}',
          ...pool,
        },
      ],
      machineSelectorConfig: [
        {
          config: {
            'protect-kernel-defaults': false,
            'cloud-provider-name': 'harvester',
            'cloud-provider-config': 'secret://fleet-default:harvesterconfigabcde',
          },
        },
      ],
      registries: { configs: {}, mirrors: {} },
      upgradeStrategy: {
        controlPlaneConcurrency: '1',
        controlPlaneDrainOptions: NO_DRAIN,
        workerConcurrency: '1',
        workerDrainOptions: NO_DRAIN,
      },
      ...overrides,
    },
  },
  status: { clusterName: 'c-m-x7k2p9ab' },
});

/**
 * What the form of a machine pool sends.
 * @see rancher/dashboard:pkg/harvester-manager/machine-config/harvester.vue
 */
export const CONFIG = (overrides: object = {}): Manifest => ({
  apiVersion: 'rke-machine-config.cattle.io/v1',
  kind: 'HarvesterConfig',
  metadata: {
    name: 'nc-shop-pool1-abcde',
    namespace: 'fleet-default',
    annotations: { 'field.cattle.io/creatorId': 'user-abcde', 'ownerBindingsCreated': 'true' },
  },
  cloudConfig: '',
  cpuCount: '4',
  diskBus: '',
  diskInfo: '{"disks":[{"imageName":"default/image-abcde","bootOrder":1,"size":40}]}',
  diskSize: '0',
  memorySize: '8',
  networkInfo: '{"interfaces":[{"networkName":"default/prod","macAddress":""}]}',
  reservedMemorySize: '-1',
  sshPort: '22',
  sshUser: 'ubuntu',
  userData: USER_DATA,
  vmNamespace: 'shop-vms',
  ...overrides,
});

/** The cloud credential and the cloud config of the cluster. */
export const SECRETS: readonly Manifest[] = [
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'cc-abcde',
      namespace: 'cattle-global-data',
      annotations: { 'provisioning.cattle.io/driver': 'harvester' },
    },
    data: {
      'harvestercredentialConfig-clusterId': Buffer.from('c-m-harvdc01').toString('base64'),
      'harvestercredentialConfig-kubeconfigContent': '',
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'harvesterconfigabcde',
      namespace: 'fleet-default',
      annotations: { 'v2prov-secret-authorized-for-cluster': 'shop' },
    },
    data: { credential: '' },
  },
];
