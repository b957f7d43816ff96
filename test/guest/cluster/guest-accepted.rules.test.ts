import { Manifest } from '../../../src/core/manifest/manifest';
import { ALL_RULES } from '../../../src/registry/all-rules';
import {
  DISKS,
  NETWORKS,
  cloudConfig,
  credential,
  guest,
  kubeconfig,
  machineConfig,
  pool,
  secret,
} from '../../support/guest';
import { judgeOn } from '../../support/judging';

/** Errors of every rule: what servers accept and carry out has none. */
function errors(manifests: readonly Manifest[], version = '2.13.8'): string[] {
  return judgeOn(ALL_RULES, manifests, { version })
    .filter(({ level }) => level === 'error')
    .map(({ rule, path, message }) => `${rule} ${path}: ${message}`);
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const beside = (cluster: Manifest, config = machineConfig()): Manifest[] => [
  config,
  cloudConfig(),
  credential(),
  cluster,
];

/** What a Rancher 2.13.8 returns for a HarvesterConfig, its defaults filled in. */
const FILLED = {
  cloudConfig: '',
  clusterId: '',
  clusterName: '',
  clusterType: '',
  cpuModel: '',
  cpuPinning: false,
  diskBus: '',
  diskSize: '0',
  enableEfi: false,
  enableSecureBoot: false,
  enableTpm: false,
  imageName: '',
  isolateEmulatorThread: false,
  keyPairName: '',
  kubeconfigContent: '',
  networkData: '',
  networkModel: '',
  networkName: '',
  networkType: '',
  reservedMemorySize: '-1',
  sshPassword: '',
  sshPort: '22',
  sshPrivateKeyPath: '',
  vgpuInfo: '',
  vmAffinity: '',
};
const OWNED = {
  annotations: { 'field.cattle.io/creatorId': 'user-jqhxk', 'ownerBindingsCreated': 'true' },
  creationTimestamp: '2026-11-21T10:00:00Z',
  generateName: 'nc-shop-pool1-',
  generation: 3,
  ownerReferences: [
    {
      apiVersion: 'provisioning.cattle.io/v1',
      kind: 'Cluster',
      name: 'shop',
      uid: 'x',
      controller: true,
      blockOwnerDeletion: true,
    },
  ],
  resourceVersion: '1234',
  uid: 'y',
};
const AFFINITY = JSON.stringify({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        {
          matchExpressions: [
            { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['zone1'] },
            { key: 'network.harvesterhci.io/mgmt', operator: 'In', values: ['true'] },
          ],
        },
      ],
    },
  },
});
const UI_DATA =
  "#cloud-config\npackage_update: true\npackages:\n  - qemu-guest-agent\nruncmd:\n  - - systemctl\n    - enable\n    - '--now'\n    - qemu-guest-agent.service\n";

describe('machine configurations', () => {
  test.each<[string, object, object?, string?]>([
    ['as a server returns it', FILLED, OWNED],
    [
      'as a server returns a minimal one with fields of before',
      {
        ...FILLED,
        cpuCount: '2',
        memorySize: '4',
        diskInfo: '',
        networkInfo: '',
        imageName: 'default/image-x7k2p',
        diskSize: '40',
        networkName: 'default/prod',
        sshUser: 'root',
      },
    ],
    [
      'of one disk and one network',
      {
        diskInfo: undefined,
        networkInfo: undefined,
        imageName: 'default/noble',
        diskSize: '40',
        diskBus: 'virtio',
        networkName: 'default/prod',
        networkModel: 'virtio',
        networkType: 'dhcp',
      },
    ],
    [
      'with old fields next to newer ones',
      {
        imageName: 'default/noble',
        diskSize: '40',
        networkName: 'default/prod',
        networkType: 'dhcp',
      },
    ],
    ['user data in base64, as the UI writes it', { userData: base64(UI_DATA) }],
    [
      'user data in base64 with line breaks',
      { userData: `${base64(UI_DATA).replace(/(.{60})/g, '$1\n')}\n` },
    ],
    [
      'user data without a header, as Terraform examples have it',
      { userData: UI_DATA.replace('#cloud-config\n', '') },
    ],
    [
      "user data with the one word for the image's users",
      { userData: `${UI_DATA}users: default\n` },
    ],
    ['a bootcmd that is not a list', { userData: `${UI_DATA}bootcmd: echo\n` }],
    ['user data with a host name', { userData: `${UI_DATA}hostname: web\n` }],
    ['user data with a jinja header', { userData: `## template: jinja\n${UI_DATA}` }],
    ['user data in Windows lines', { userData: UI_DATA.replace(/\n/g, '\r\n') }],
    ['user data with unknown keys', { userData: `${UI_DATA}x-mine: {a: 1}\n` }],
    ['no user data at all', { userData: '' }],
    ['an affinity in base64', { vmAffinity: base64(AFFINITY) }],
    ['a plain affinity', { vmAffinity: AFFINITY }],
    ['an empty affinity', { vmAffinity: '{}' }],
    [
      'an affinity of Terraform, indented',
      { vmAffinity: JSON.stringify(JSON.parse(AFFINITY), undefined, 2) },
    ],
    [
      'disks as Terraform examples have them',
      {
        diskInfo:
          '    {\n        "disks": [{\n            "imageName": "harvester-public/image-57hzg",\n            "size": 40,\n            "bootOrder": 1\n        }]\n    }\n',
      },
    ],
    [
      'no places of disks',
      {
        diskInfo:
          '{"disks":[{"imageName":"default/noble","size":40,"bootOrder":0},{"storageClassName":"longhorn","size":1,"bootOrder":0}]}',
      },
    ],
    [
      'a name that another tool fills in',
      {
        diskInfo: DISKS.replace('default/noble', '${image}'),
        networkInfo: NETWORKS.replace('default/prod', 'default/{{ network }}'),
      },
    ],
    [
      'a data disk by its storage class',
      {
        diskInfo:
          '{"disks":[{"imageName":"default/noble","size":40,"bootOrder":1},{"storageClassName":"harvester-longhorn","size":100,"bootOrder":2,"hotPlugAble":true}]}',
      },
    ],
    [
      'an image next to the storage class that the UI writes',
      {
        diskInfo:
          '{"disks":[{"imageName":"default/noble","storageClassName":"longhorn-noble","size":40,"bootOrder":1}]}',
      },
    ],
    [
      'no image at all, to start from the network',
      { diskInfo: '{"disks":[{"storageClassName":"harvester-longhorn","size":40,"bootOrder":1}]}' },
    ],
    [
      'a CD-ROM',
      {
        diskInfo:
          '{"disks":[{"imageName":"default/noble","size":40,"bootOrder":1},{"imageName":"default/virtio","size":1,"bus":"sata","type":"cd-rom"}]}',
      },
    ],
    [
      'an unknown key in disks',
      {
        diskInfo:
          '{"disks":[{"imageName":"default/noble","size":40,"bootOrder":1,"volumeMode":"Block"}]}',
      },
    ],
    [
      'names without a namespace',
      {
        diskInfo: '{"disks":[{"imageName":"noble","size":40}]}',
        networkInfo: '{"interfaces":[{"networkName":"prod"}]}',
      },
    ],
    [
      'an interface as the UI writes it',
      { networkInfo: '{"interfaces":[{"networkName":"default/prod","macAddress":""}]}' },
    ],
    [
      'an address of a card',
      {
        networkInfo:
          '{"interfaces":[{"networkName":"default/prod","macAddress":"52:54:00:aa:bb:CC","model":"e1000","type":"bridge"}]}',
      },
    ],
    [
      'keys of JSON in capitals, which Go reads',
      { networkInfo: '{"Interfaces":[{"NetworkName":"default/prod"}]}' },
    ],
    [
      'a virtual GPU of the UI',
      {
        vgpuInfo:
          '{"vGPURequests":[{"name":"provisioned","deviceName":"nvidia.com/NVIDIA_A2-2Q"}]}',
      },
    ],
    ['an empty list of virtual GPUs', { vgpuInfo: '{"vGPURequests":[]}' }],
    [
      'network data with a network above',
      { networkData: 'network:\n  version: 2\n  ethernets: {enp1s0: {dhcp4: true}}\n' },
    ],
    [
      'network data in base64',
      {
        networkData: base64(
          'version: 1\nconfig:\n- {type: physical, name: enp1s0, subnets: [{type: dhcp}]}\n',
        ),
      },
    ],
    [
      'network data of bonds',
      {
        networkData: 'version: 2\nbonds: {bond0: {interfaces: [a, b], addresses: [10.0.0.2/24]}}\n',
      },
    ],
    ['reserved memory of none', { reservedMemorySize: '0' }],
    ['much memory', { memorySize: '1024' }],
    ['no CPU, which the driver takes for its default', { cpuCount: '' }],
    ['a machine of Rancher 2.6', { sshPort: '2222', sshUser: 'opensuse' }, {}, '2.6.14'],
    [
      'fields that the driver of this Rancher lacks',
      { cpuModel: 'host-passthrough', enableTpm: true },
      {},
      '2.8.3',
    ],
    ['a kubeconfig of its own', { kubeconfigContent: kubeconfig() }],
    ['a password', { sshPassword: 'hunter2' }],
    ['the namespace default, explicitly', { vmNamespace: 'default' }],
    [
      'labels and annotations of GitOps engines',
      {},
      {
        labels: { 'app.kubernetes.io/instance': 'shop' },
        annotations: { 'argocd.argoproj.io/sync-wave': '1' },
      },
    ],
  ])('%s', (_, fields, metadata = {}, version = '2.13.8') => {
    expect(errors([machineConfig(fields, 'nc-shop', metadata)], version)).toEqual([]);
    // the namespaces of the cloud config and of the machines differ in one of them, which is not an
    // error of the machine
    if (!('vmNamespace' in fields)) {
      expect(errors(beside(guest(), machineConfig(fields, 'nc-shop', metadata)), version)).toEqual(
        [],
      );
    }
  });
});

describe('Clusters', () => {
  const DRAIN = {
    deleteEmptyDirData: true,
    disableEviction: false,
    enabled: false,
    force: false,
    gracePeriod: -1,
    ignoreDaemonSets: true,
    ignoreErrors: false,
    postDrainHooks: null,
    preDrainHooks: null,
    skipWaitForDeleteTimeoutSeconds: 0,
    timeout: 120,
  };
  const UI = {
    chartValues: {
      'harvester-cloud-provider': {
        cloudConfigPath: '/var/lib/rancher/rke2/etc/config-files/cloud-provider-config',
        global: { cattle: { clusterName: 'shop' } },
      },
      'rke2-calico': {},
    },
    dataDirectories: {},
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
      'ingress-controller': 'traefik',
    },
    machinePoolDefaults: {},
    machinePools: [
      pool({
        drainBeforeDelete: true,
        unhealthyNodeTimeout: '0s',
        dynamicSchemaSpec: '{"resourceFields":{}}',
        displayName: 'x',
        labels: {},
        machineOS: 'linux',
        hostnameLengthLimit: null,
        autoscalingMinSize: null,
        autoscalingMaxSize: null,
      }),
    ],
    machineSelectorConfig: [
      {
        config: {
          'cloud-provider-config': 'secret://fleet-default:harvesterconfig-shop',
          'cloud-provider-name': 'harvester',
          'protect-kernel-defaults': false,
        },
      },
    ],
    networking: {},
    registries: {},
    upgradeStrategy: {
      controlPlaneConcurrency: '1',
      controlPlaneDrainOptions: DRAIN,
      workerConcurrency: '1',
      workerDrainOptions: DRAIN,
    },
  };
  const METADATA = {
    annotations: {
      'field.cattle.io/creatorId': 'user-jqhxk',
      'provisioning.cattle.io/management-cluster-display-name': 'shop',
    },
    creationTimestamp: '2026-11-21T10:00:00Z',
    finalizers: [
      'wrangler.cattle.io/provisioning-cluster-remove',
      'wrangler.cattle.io/cloud-config-secret-remover',
      'wrangler.cattle.io/rke-cluster-remove',
    ],
    generation: 5,
    managedFields: [],
    resourceVersion: '1234',
    uid: 'x',
  };
  const K3S_VERSION = { kubernetesVersion: 'v1.33.6+k3s1' };
  const DOCUMENTED_K3S = [
    'apiVersion: helm.cattle.io/v1',
    'kind: HelmChart',
    'metadata: {name: harvester-cloud-provider, namespace: kube-system}',
    'spec:',
    '  targetNamespace: kube-system',
    '  bootstrap: true',
    '  repo: https://charts.harvesterhci.io/',
    '  chart: harvester-cloud-provider',
    '  version: 0.2.2',
    '  helmVersion: v3',
    '',
  ].join('\n');
  const K3S_NODES = {
    chartValues: null,
    machineGlobalConfig: { 'disable': ['servicelb'], 'disable-cloud-controller': true },
    machineSelectorConfig: [
      { config: { 'kubelet-arg': ['cloud-provider=external'], 'protect-kernel-defaults': false } },
    ],
  };

  test.each<[string, object, object?, object?, string?]>([
    ['as the UI of 2.14 writes it', UI, { localClusterAuthEndpoint: {} }],
    [
      'as a server returns it',
      UI,
      {
        localClusterAuthEndpoint: {},
        enableNetworkPolicy: false,
        clusterAgentDeploymentCustomization: null,
        agentEnvVars: null,
      },
      METADATA,
    ],
    [
      'empty values of a server',
      {
        chartValues: null,
        machineGlobalConfig: null,
        machineSelectorConfig: null,
        additionalManifest: '',
        etcd: null,
        registries: null,
      },
    ],
    [
      'the name of the Cluster where an earlier chart read it',
      {
        chartValues: {
          'harvester-cloud-provider': {
            clusterName: 'shop',
            cloudConfigPath: '/var/lib/rancher/rke2/etc/config-files/cloud-provider-config',
          },
        },
      },
    ],
    ['no name of the Cluster', { chartValues: {} }],
    [
      'another name of the Cluster',
      {
        chartValues: {
          'harvester-cloud-provider': {
            cloudConfigPath: '/var/lib/rancher/rke2/etc/config-files/cloud-provider-config',
            global: { cattle: { clusterName: 'c-m-x7k2p9ab' } },
          },
        },
      },
    ],
    [
      'a name with the version of the chart',
      {
        chartValues: {
          'harvester-cloud-provider-0.2.1100': (UI.chartValues as any)['harvester-cloud-provider'],
          'rke2-calico-v3.30': {},
        },
      },
    ],
    [
      'the kubeconfig in the Cluster',
      {
        machineSelectorConfig: [
          { config: { 'cloud-provider-config': kubeconfig(), 'cloud-provider-name': 'harvester' } },
        ],
      },
    ],
    [
      'a cloud config in machineGlobalConfig',
      {
        machineSelectorConfig: [],
        machineGlobalConfig: {
          'cloud-provider-config': 'secret://fleet-default:harvesterconfig-shop',
          'cloud-provider-name': 'harvester',
        },
      },
    ],
    [
      'a cloud config of a selector',
      {
        machineSelectorConfig: [
          {
            config: (UI.machineSelectorConfig[0] as any).config,
            machineLabelSelector: { matchLabels: { 'rke.cattle.io/cluster-name': 'shop' } },
          },
        ],
      },
    ],
    [
      'a Secret that is not here',
      {
        machineSelectorConfig: [
          {
            config: {
              'cloud-provider-config': 'secret://fleet-default:other',
              'cloud-provider-name': 'harvester',
            },
          },
        ],
      },
    ],
    [
      'no cloud provider',
      {
        chartValues: {},
        machineSelectorConfig: [{ config: { 'protect-kernel-defaults': false } }],
      },
    ],
    [
      'an external cloud provider',
      {
        chartValues: {},
        machineSelectorConfig: [{ config: { 'cloud-provider-name': 'external' } }],
      },
    ],
    [
      'K3s as the UI writes it',
      {
        chartValues: {},
        machineGlobalConfig: {
          'disable-apiserver': false,
          'disable-cloud-controller': false,
          'disable-etcd': false,
          'secrets-encryption': false,
        },
        machineSelectorConfig: [{ config: { docker: false, selinux: false } }],
      },
      K3S_VERSION,
    ],
    [
      "K3s as Harvester's documentation has it",
      { ...K3S_NODES, additionalManifest: DOCUMENTED_K3S },
      K3S_VERSION,
    ],
    [
      'K3s with the disable of RKE2',
      { ...K3S_NODES, machineGlobalConfig: { disable: ['rke2-ingress-nginx'] } },
      K3S_VERSION,
    ],
    [
      "a HelmChart of Rancher's charts",
      {
        ...K3S_NODES,
        machineSelectorConfig: [{ config: { 'cloud-provider-name': 'external' } }],
        additionalManifest: DOCUMENTED_K3S.replace('0.2.2', '104.0.2+up0.2.6').replace(
          'https://charts.harvesterhci.io/',
          'https://raw.githubusercontent.com/rancher/charts/dev-v2.9',
        ),
      },
    ],
    ['a manifest of comments', { additionalManifest: '# nothing yet\n' }],
    [
      'the prefix that harvester/tests send',
      { machinePools: [pool({ hostnamePrefix: 'shop-' })] },
      {},
      {},
      '2.11.3',
    ],
    [
      'keys that no release is known to have',
      { machineGlobalConfig: { 'cni': 'calico', 'new-key': 'x' } },
    ],
    ['null among the keys', { machineGlobalConfig: { cni: null } }],
    ['empty Multus', { machineGlobalConfig: { cni: 'multus,canal' } }],
    ['an even number of machines with etcd', { machinePools: [pool({ quantity: 2 })] }],
    ['a pool of none', { machinePools: [pool(), pool({ name: 'idle', quantity: 0 })] }],
    [
      'pools of each role, one machine configuration',
      {
        machinePools: [
          pool({ name: 'a', workerRole: false }),
          pool({ name: 'b', etcdRole: false, controlPlaneRole: false }),
        ],
      },
    ],
    [
      'a credential for each pool',
      { machinePools: [pool({ cloudCredentialSecretName: 'cattle-global-data:cc-dc1' })] },
      { cloudCredentialSecretName: undefined },
    ],
    ['a credential next to the Cluster', {}, { cloudCredentialSecretName: 'cc-mine' }],
    [
      'a credential that is not here',
      {},
      { cloudCredentialSecretName: 'cattle-global-data:cc-x7k2p' },
    ],
    [
      'names that are cut',
      {
        machinePools: [pool({ name: 'p'.repeat(45) })],
        machinePoolDefaults: { hostnameLengthLimit: 15 },
      },
    ],
    [
      'time spans of Go',
      {
        machinePools: [
          pool({
            unhealthyNodeTimeout: '5m0s',
            nodeStartupTimeout: '1h30m',
            drainBeforeDeleteTimeout: '90s',
          }),
        ],
      },
    ],
    [
      'a surge in percent',
      {
        machinePools: [
          pool({
            rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 },
            maxUnhealthy: '40%',
            unhealthyRange: '[1-3]',
          }),
        ],
      },
    ],
    [
      'all nodes at once',
      { upgradeStrategy: { controlPlaneConcurrency: '0', workerConcurrency: '10%' } },
    ],
    [
      'a taint without a value',
      { machinePools: [pool({ taints: [{ key: 'a', effect: 'NoSchedule' }] })] },
    ],
    [
      'a namespace in the reference',
      {
        machinePools: [
          pool({
            machineConfigRef: {
              apiVersion: 'rke-machine-config.cattle.io/v1',
              kind: 'HarvesterConfig',
              name: 'nc-shop',
              namespace: 'fleet-default',
            },
          }),
        ],
      },
    ],
    [
      'machines of another driver',
      {
        machinePools: [pool({ machineConfigRef: { kind: 'Amazonec2Config', name: 'nc-aws' } })],
        chartValues: {},
        machineSelectorConfig: [{ config: { 'cloud-provider-name': 'aws' } }],
      },
    ],
    [
      'one-shot operations',
      {
        etcdSnapshotCreate: { generation: 1 },
        rotateCertificates: { generation: 2, services: ['kubelet'] },
        rotateEncryptionKeys: { generation: 1 },
        provisionGeneration: 3,
      },
    ],
    [
      'a template for pods, as a webhook returns the Cluster',
      {
        machineSelectorFiles: [
          {
            fileSources: [
              {
                secret: {
                  name: 'shop-admission-configuration-psact',
                  items: [
                    {
                      key: 'admission-config-psact',
                      path: '/etc/rancher/rke2/config/rancher-psact.yaml',
                      dynamic: true,
                      hash: 'x',
                    },
                  ],
                },
              },
            ],
            machineLabelSelector: { matchLabels: { 'rke.cattle.io/control-plane-role': 'true' } },
          },
        ],
        machineGlobalConfig: {
          'kube-apiserver-arg': [
            'admission-control-config-file=/etc/rancher/rke2/config/rancher-psact.yaml',
          ],
        },
      },
      { defaultPodSecurityAdmissionConfigurationTemplateName: 'rancher-restricted' },
    ],
    [
      'data directories',
      {
        dataDirectories: {
          systemAgent: '/data/agent',
          provisioning: '/data/provisioning',
          k8sDistro: '/data/rke2',
        },
        chartValues: {
          'harvester-cloud-provider': {
            cloudConfigPath: '/data/rke2/etc/config-files/cloud-provider-config',
            global: { cattle: { clusterName: 'shop' } },
          },
        },
      },
    ],
    [
      'a cluster without machine pools',
      { machinePools: [] },
      { cloudCredentialSecretName: undefined },
    ],
    ['labels that Terraform writes', {}, {}, { labels: { 'provider.cattle.io': 'rke2' } }],
    [
      'agents with a proxy',
      {},
      {
        agentEnvVars: [
          { name: 'HTTPS_PROXY', value: 'http://proxy:3128' },
          { name: 'NO_PROXY', value: '10.0.0.0/8,.svc,.cluster.local' },
        ],
      },
    ],
  ])('%s', (_, rkeConfig, spec = {}, metadata = {}, version = '2.14.1') => {
    expect(errors(beside(guest(rkeConfig, spec, metadata)), version)).toEqual([]);
  });

  test('two clusters with a cloud config, a credential and a machine configuration each', () => {
    const other = guest(
      {
        chartValues: {
          'harvester-cloud-provider': {
            ...(UI.chartValues as any)['harvester-cloud-provider'],
            global: { cattle: { clusterName: 'bank' } },
          },
        },
        machinePools: [pool({ machineConfigRef: { kind: 'HarvesterConfig', name: 'nc-bank' } })],
        machineSelectorConfig: [
          {
            config: {
              'cloud-provider-config': 'secret://fleet-default:harvesterconfig-bank',
              'cloud-provider-name': 'harvester',
            },
          },
        ],
      },
      {},
      { name: 'bank' },
    );
    const config = secret(
      'harvesterconfig-bank',
      'fleet-default',
      { credential: kubeconfig() },
      { 'v2prov-secret-authorized-for-cluster': 'bank' },
    );
    expect(errors([...beside(guest()), machineConfig({}, 'nc-bank'), config, other])).toEqual([]);
  });
});

describe('Secrets', () => {
  const key = 'harvestercredentialConfig-';
  test.each<[string, Manifest[]]>([
    [
      'a credential of the Norman API',
      [
        {
          ...credential(),
          metadata: {
            ...credential().metadata,
            labels: { 'cattle.io/creator': 'norman' },
            finalizers: ['management.cattle.io/harvester-token-cleanup'],
          },
        },
      ],
    ],
    [
      'a credential of the test suites of Rancher',
      [credential({}, { 'provisioning.cattle.io/driver': 'harvester' })],
    ],
    [
      "a credential with another's annotation only",
      [credential({}, { 'kubectl.kubernetes.io/last-applied-configuration': '{}' })],
    ],
    [
      'a credential of a Harvester that is not imported',
      [credential({ [`${key}clusterType`]: 'external', [`${key}clusterId`]: '' })],
    ],
    [
      'a credential in plain text',
      [
        {
          ...credential(),
          data: undefined,
          stringData: {
            [`${key}kubeconfigContent`]: kubeconfig(),
            [`${key}clusterType`]: 'imported',
          },
        },
      ],
    ],
    [
      'a credential through Rancher',
      [
        credential({
          [`${key}kubeconfigContent`]: kubeconfig(
            '',
            'https://rancher.example.com/k8s/clusters/c-m-abcdefgh',
            'kubeconfig-user-x7k2p:abc',
          ),
        }),
      ],
    ],
    [
      'a kubeconfig without contexts',
      [
        credential({
          [`${key}kubeconfigContent`]:
            'clusters: [{name: a, cluster: {server: "https://a:6443"}}]\n',
        }),
      ],
    ],
    [
      'a cloud config of the UI',
      [
        {
          ...cloudConfig(),
          type: 'secret',
          metadata: { ...cloudConfig().metadata, generateName: 'harvesterconfig' },
        },
      ],
    ],
    [
      'a cloud config for several clusters',
      [
        machineConfig(),
        credential(),
        guest(),
        cloudConfig(kubeconfig(), { 'v2prov-secret-authorized-for-cluster': 'bank,shop' }),
      ],
    ],
    ['another Secret with a credential key', [secret('x', 'default', { credential: 'x' })]],
  ])('%s', (_, manifests) => {
    expect(errors(manifests)).toEqual([]);
  });
});
