import { Manifest } from '../../../src/core/manifest/manifest';
import { JudgedObject, JudgedTarget } from '../../../src/core/rule/rule';
import {
  GUEST,
  HARVESTER_1_9,
  RANCHER as BALANCED,
  guest as balanced,
  on,
  pool as ipPool,
  service,
  vmBalancer,
  vmNamespace,
} from '../../support/balancers';
import {
  DISKS,
  NETWORKS,
  cloudConfig,
  credential,
  guest,
  machineConfig,
  pool,
  secret,
} from '../../support/guest';
import {
  clusterNetwork,
  hostNetwork,
  image,
  network,
  node,
  storageClass,
  vlanConfig,
} from '../../support/infrastructure';
import { cluster, managementCluster, setting } from '../../support/judging';
import { claim, machine, schedule, volume } from '../../support/machines';
import {
  HARVESTER,
  ID,
  IMPORT,
  RANCHER,
  crtb,
  globalRole,
  grb,
  namespace,
  project,
  prtb,
  role,
  tenant,
  user,
} from '../../support/tenancy';

const QUOTA = { limit: { limitsCpu: '1' }, usedLimit: { limitsCpu: '1' } };
const RULE = { apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: ['a'] };

const TENANTS_ON_RANCHER: readonly Manifest[] = [
  IMPORT,
  project(
    'payments',
    {
      resourceQuota: QUOTA,
      namespaceDefaultResourceQuota: QUOTA,
      containerDefaultResourceLimit: { limitsCpu: '1' },
    },
    {
      annotations: { 'field.cattle.io/creatorId': 'u', 'field.cattle.io/no-creator-rbac': 'true' },
      labels: { 'authz.management.cattle.io/system-project': 'true' },
    },
  ),
  prtb({ userName: 'u', groupName: 'g' }),
  crtb(),
  grb({ userPrincipalName: 'local://u' }),
  role('r', {
    rules: [RULE],
    externalRules: [RULE],
    roleTemplateNames: ['read-only'],
    builtin: true,
    external: true,
    displayName: 'R',
  }),
  globalRole('g', {
    rules: [RULE],
    namespacedRules: { a: [RULE] },
    inheritedNamespacedRules: { a: [RULE] },
    inheritedClusterRoles: ['r'],
    inheritedFleetWorkspacePermissions: { resourceRules: [RULE], workspaceVerbs: ['get'] },
  }),
  user('u', { username: 'u', password: 'x', principalIds: ['local://u'] }),
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'u',
      namespace: 'cattle-local-user-passwords',
      annotations: { 'cattle.io/password-hash': 'pbkdf2sha3512' },
    },
    data: { password: 'x', salt: 'y' },
    stringData: { password: 'x' },
  },
];
const TENANTS_ON_HARVESTER: readonly Manifest[] = [
  tenant('a', `${ID}:payments`, {
    'field.cattle.io/resourceQuota': '{"limit":{}}',
    'field.cattle.io/containerDefaultResourceLimit': '{}',
  }),
  namespace('b', {}, { labels: { 'field.cattle.io/projectId': 'p' } }),
  {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Setting',
    metadata: { name: 'cluster-registration-url' },
    value: `https://r.example.com/v3/import/t_${ID}.yaml`,
  },
  {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'ResourceQuota',
    metadata: { name: 'x', namespace: 'a' },
    spec: {
      snapshotLimit: { namespaceTotalSnapshotSizeQuota: 1, vmTotalSnapshotSizeQuota: { a: 1 } },
    },
  },
];
const CHART = {
  apiVersion: 'helm.cattle.io/v1',
  kind: 'HelmChart',
  metadata: { name: 'harvester-cloud-provider', namespace: 'kube-system' },
};
const CHART_SPEC = {
  chart: 'harvester-cloud-provider',
  version: '0.2.12',
  valuesContent: 'a: {b: 1}\n',
  set: { 'a.c': 1 },
  values: { cloudConfig: { secretName: 'x' } },
};
const MACHINE_CONFIG = {
  reservedMemorySize: '64',
  vgpuInfo: '{"vGPURequests":[{"name":"","deviceName":"a/b"}]}',
  vmAffinity: '{"podAntiAffinity":{}}',
  networkData: 'version: 1\nconfig: []\n',
  enableEfi: true,
  keyPairName: 'a/b',
};
const GUESTS: readonly Manifest[] = [
  machineConfig(MACHINE_CONFIG, 'nc-shop', {
    ownerReferences: [
      { apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster', name: 'shop', controller: true },
    ],
    annotations: { 'field.cattle.io/creatorId': 'u' },
  }),
  guest({
    additionalManifest: JSON.stringify({ ...CHART, spec: CHART_SPEC }),
    machinePools: [
      pool({
        taints: [{ key: 'a', effect: 'NoSchedule' }],
        hostnameLengthLimit: 15,
        autoscalingMinSize: 1,
        autoscalingMaxSize: 2,
        drainBeforeDeleteTimeout: '5m',
        cloudCredentialSecretName: 'a',
      }),
    ],
    machineGlobalConfig: {
      'disable': ['traefik'],
      'kubelet-arg': ['cloud-provider=external'],
      'etcd-arg': { a: 1 },
    },
    machineSelectorFiles: [
      { fileSources: [{ secret: { name: 'files', items: [{ key: 'a', path: '/a' }] } }] },
    ],
    registries: { configs: { 'docker.io': { authConfigSecretName: 'files' } } },
    etcd: { s3: { bucket: 'b', retention: 1 } },
    networking: { stackPreference: 'dual' },
    machinePoolDefaults: { hostnameLengthLimit: 15 },
    dataDirectories: { k8sDistro: '/data' },
    upgradeStrategy: { controlPlaneConcurrency: '1' },
  }),
  cloudConfig(),
  credential(),
  secret(
    'files',
    'fleet-default',
    { password: 'x' },
    { 'rke.cattle.io/object-authorized-for-clusters': 'shop' },
  ),
  { ...CHART, spec: CHART_SPEC },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'x' },
    provisioner: 'driver.harvesterhci.io',
    parameters: { hostStorageClass: 'a' },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'x' },
    roleRef: { name: 'harvesterhci.io:cloudprovider' },
    subjects: [{ name: 'a' }],
  },
];

const CLAIMS = 'harvesterhci.io/volumeClaimTemplates';

const MACHINES: readonly Manifest[] = [
  machine('a', {
    annotations: {
      [CLAIMS]: JSON.stringify([claim('a-a', { imageId: 'default/noble', storageClassName: 'x' })]),
      'harvesterhci.io/reservedMemory': '1Mi',
      'harvesterhci.io/removedPersistentVolumeClaims': 'a-a',
    },
    labels: {
      'guestcluster.harvesterhci.io/name': 'orders',
      'harvesterhci.io/maintain-mode-strategy': 'Migrate',
    },
    domain: {
      firmware: { bootloader: { efi: { secureBoot: true } } },
      features: { smm: { enabled: true } },
      memory: { guest: '1Gi' },
    },
    instance: {
      terminationGracePeriodSeconds: 1,
      volumes: [
        { name: 'a', persistentVolumeClaim: { claimName: 'a-a' } },
        { name: 'c', cloudInitNoCloud: { secretRef: { name: 's' }, userData: 'x' } },
      ],
    },
  }),
  {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'VirtualMachineImage',
    metadata: { name: 'noble', namespace: 'default' },
    spec: { backend: 'cdi' },
    status: { storageClassName: 'y' },
  },
  {
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: {
      name: 'prod',
      namespace: 'default',
      labels: { 'network.harvesterhci.io/clusternetwork': 'mgmt' },
    },
    spec: {},
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace: 'default' },
    data: { userdata: '' },
  },
  {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Setting',
    metadata: { name: 'backup-target' },
    value: '',
  },
  schedule('b', {
    vmbackup: {
      type: 'backup',
      source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'a' },
    },
  }),
  volume('c', {}, { 'harvesterhci.io/imageId': 'default/noble' }),
];

const made = (
  apiVersion: string,
  kind: string,
  name: string,
  fields: object,
  metadata: object = { namespace: 'default' },
): Manifest => ({
  apiVersion,
  kind,
  metadata: { name, ...metadata },
  ...fields,
});
const CRYPTO = {
  'encrypted': 'true',
  'csi.storage.k8s.io/provisioner-secret-name': 'key',
  'csi.storage.k8s.io/provisioner-secret-namespace': 'default',
};

const INFRASTRUCTURE: readonly JudgedObject[] = [
  ...on(
    BALANCED,
    ...balanced('shop', {
      chartValues: {
        global: { cattle: { clusterName: 'shop' } },
        extraArgs: ['--management-network=vlan10'],
      },
    }),
  ),
  ...on(
    GUEST,
    ...[
      service(
        'web',
        { 'ipam': 'pool', 'network': 'default/vlan10', 'kube-vip.io/loadbalancerIPs': '10.0.0.1' },
        { externalTrafficPolicy: 'Local' },
      ),
      service('dns', { 'primary-service': 'default/web' }, { ports: [{ port: 53 }] }),
      made(
        'helm.cattle.io/v1',
        'HelmChartConfig',
        'rke2-traefik',
        { spec: { valuesContent: 'service: {type: LoadBalancer}' } },
        { namespace: 'kube-system' },
      ),
    ],
  ),
  ...on(
    HARVESTER_1_9,
    ...[
      vmNamespace('c-m-a:pay'),
      ipPool(
        'p',
        [
          {
            subnet: '10.0.0.0/24',
            rangeStart: '10.0.0.9',
            rangeEnd: '10.0.0.99',
            gateway: '10.0.0.1',
          },
        ],
        { priority: 3, network: 'default/vlan10', scope: [{ namespace: 'vms' }] },
        {
          status: {
            allocated: { '10.0.0.9': 'vms/a' },
            allocatedHistory: { '10.0.0.10': 'vms/b' },
          },
        },
      ),
      vmBalancer('lb', { ipPool: 'p', healthCheck: { port: 8080 } }),
      made(
        'kubevirt.io/v1',
        'VirtualMachine',
        'vm',
        {
          spec: {
            template: {
              metadata: { labels: { app: 'web' } },
              spec: { networks: [{ multus: { networkName: 'vlan10' } }] },
            },
          },
        },
        { namespace: 'vms', annotations: { 'harvesterhci.io/volumeClaimTemplates': '[]' } },
      ),
      image(
        'image',
        {
          retry: 3,
          checksum: '',
          securityParameters: {
            cryptoOperation: 'encrypt',
            sourceImageName: 'a',
            sourceImageNamespace: 'default',
          },
        },
        { annotations: { 'harvesterhci.io/storageClassName': 'fast' } },
      ),
      made('harvesterhci.io/v1beta1', 'KeyPair', 'key', {
        spec: { publicKey: 'ssh-ed25519 AAAA' },
      }),
      clusterNetwork('prod', { 'network.harvesterhci.io/uplink-mtu': '1500' }),
      vlanConfig('a', 'prod', {
        nodeSelector: { rack: 'a' },
        uplink: {
          nics: ['e1'],
          linkAttributes: { mtu: 1500 },
          bondOptions: { mode: '802.3ad', miimon: 100 },
        },
      }),
      network(
        'vlan10',
        { bridge: 'prod-br', vlan: 10, vlanTrunk: [{ minID: 1, maxID: 2 }] },
        { annotations: { 'network.harvesterhci.io/route': '{"mode":"auto"}' } },
      ),
      hostNetwork('host', {
        mode: 'static',
        ips: { n1: '10.0.0.1/24' },
        nodeSelector: { matchLabels: { rack: 'a' } },
      }),
      node('n1', { rack: 'a' }),
      storageClass(
        'fast',
        {
          parameters: CRYPTO,
          allowedTopologies: [{ matchLabelExpressions: [{ key: 'a', values: ['b'] }] }],
        },
        { 'cdi.harvesterhci.io/filesystemOverhead': '0.1' },
      ),
      made('v1', 'Secret', 'key', {
        data: { CRYPTO_KEY_VALUE: 'YQ==' },
        stringData: { CRYPTO_KEY_CIPHER: 'x' },
      }),
      made('harvesterhci.io/v1beta1', 'Addon', 'a', {
        spec: { repo: 'r', chart: 'c', version: '1', enabled: true, valuesContent: 'a: b' },
      }),
      made('harvesterhci.io/v1beta1', 'ResourceQuota', 'default-resource-quota', {
        spec: { snapshotLimit: { vmTotalSnapshotSizeQuota: { a: 1 } } },
      }),
      made(
        'node.harvesterhci.io/v1beta1',
        'CloudInit',
        'ntp',
        { spec: { matchSelector: { a: 'b' }, filename: 'a.yaml', contents: 'stages: {}' } },
        {},
      ),
    ],
  ),
];

const ANNOTATIONS = {
  'provisioning.cattle.io/management-cluster-name': 'c-m-a',
  'field.cattle.io/creatorId': 'u',
  'field.cattle.io/creator-principal-name': 'local://u',
  'rancher.io/imported-cluster-version-management': 'x',
  'objectset.rio.cattle.io/owner-name': 'dc0',
  'cattle.io/force': 'false',
};
const AFFINITY = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }],
    },
  },
  podAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      {
        labelSelector: {
          matchLabels: { a: 'b' },
          matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }],
        },
      },
    ],
  },
};
const CLUSTER_SPEC = {
  kubernetesVersion: 'v1.33.6+rke2r1',
  displayName: 'dc1',
  fleetWorkspaceName: 'fleet-default',
  defaultPodSecurityAdmissionConfigurationTemplateName: 'x',
  localClusterAuthEndpoint: { enabled: true, caCerts: 'x', fqdn: 'y' },
  agentEnvVars: [
    { name: 'NO_PROXY', value: 'a, b' },
    { name: 'CATTLE_AGENT_VAR_DIR', value: '/a' },
  ],
  clusterAgentDeploymentCustomization: {
    appendTolerations: [{ key: 'a' }],
    overrideAffinity: AFFINITY,
    overrideResourceRequirements: { requests: { cpu: '2' }, limits: { cpu: '1' } },
    schedulingCustomization: {
      podDisruptionBudget: { minAvailable: '1', maxUnavailable: '0' },
      priorityClass: { value: 1, preemptionPolicy: 'Never' },
    },
  },
  webhookDeploymentCustomization: {
    replicaCount: 1,
    podDisruptionBudget: { minAvailable: '1' },
    appendTolerations: [{ key: 'a' }],
  },
  rkeConfig: {
    machinePools: [{ name: 'a', quantity: 1, hostnameLengthLimit: 15 }],
    machinePoolDefaults: { hostnameLengthLimit: 15 },
    dataDirectories: { systemAgent: '/a', k8sDistro: '/b' },
    etcd: { s3: { cloudCredentialName: 'a' } },
    etcdSnapshotRestore: { name: 'a', restoreRKEConfig: 'x' },
  },
};
const METADATA = {
  annotations: ANNOTATIONS,
  labels: { a: 'b' },
  namespace: 'c-m-a',
  ownerReferences: [{ kind: 'X' }],
  uid: 'a',
};
const STATUS = {
  clusterName: 'c-m-b',
  driver: 'k3s',
  conditions: [{ type: 'AgentTlsStrictCheck', status: 'True' }],
};
const CLUSTERS: readonly Manifest[] = [
  { ...cluster('dc1', CLUSTER_SPEC, METADATA), status: STATUS },
  {
    ...managementCluster('c-m-a'),
    metadata: { name: 'c-m-a', annotations: ANNOTATIONS },
    spec: CLUSTER_SPEC,
    status: STATUS,
  },
  {
    apiVersion: 'management.cattle.io/v3',
    kind: 'User',
    metadata: { name: 'u' },
    principalIds: ['local://x'],
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'crt-token-a', ...METADATA },
    stringData: { token: 'x' },
    data: { token: 'eA==' },
    immutable: true,
  },
  {
    apiVersion: 'management.cattle.io/v3',
    kind: 'ClusterRegistrationToken',
    metadata: { name: 'a', ...METADATA },
    spec: { clusterName: 'c-m-a', ttl: 1, gracePeriod: 1 },
    status: { token: 'x_y', tokenSecretName: 'b' },
  },
  ...[
    'server-url',
    'cacerts',
    'agent-tls-mode',
    'auth-user-session-ttl-minutes',
    'auth-token-max-ttl-minutes',
  ].map((name) => setting(name, 'strict', { default: 'system-store', source: 'env' })),
];

const RKE1: readonly Manifest[] = [
  {
    apiVersion: 'management.cattle.io/v3',
    kind: 'Cluster',
    metadata: { name: 'c-shop1' },
    spec: {
      displayName: 'shop',
      rancherKubernetesEngineConfig: {
        kubernetesVersion: 'v1.27.16-rancher1-1',
        cloudProvider: { name: 'harvester', harvesterCloudProvider: { cloudConfig: 'x' } },
        privateRegistries: [{ url: 'a', password: 'x' }],
      },
    },
  },
  {
    apiVersion: 'management.cattle.io/v3',
    kind: 'NodeTemplate',
    metadata: { name: 'nt-shop', namespace: 'cattle-global-nt' },
    spec: { driver: 'harvester', cloudCredentialName: 'cattle-global-data:cc-dc1' },
    harvesterConfig: { cpuCount: '4', diskInfo: DISKS, networkInfo: NETWORKS, sshPassword: 'x' },
  },
  {
    apiVersion: 'management.cattle.io/v3',
    kind: 'NodePool',
    metadata: { name: 'np-all', namespace: 'c-shop1' },
    spec: {
      clusterName: 'c-shop1',
      nodeTemplateName: 'cattle-global-nt:nt-shop',
      hostnamePrefix: 'shop-all-',
      quantity: 3,
      etcd: true,
      controlPlane: true,
      worker: true,
    },
  },
  {
    apiVersion: 'management.cattle.io/v3',
    kind: 'ClusterTemplate',
    metadata: { name: 'x', namespace: 'cattle-global-data' },
    spec: { displayName: 'x' },
  },
];

const rancherOf = (rancherVersion: string): JudgedTarget => ({ ...RANCHER, rancherVersion });
const PLAIN_HARVESTER: JudgedTarget = { name: 'dc1', kind: 'harvester' };

/** Objects that refer to each other, by what they are about. */
export const WORLDS = {
  'tenants': [...on(RANCHER, ...TENANTS_ON_RANCHER), ...on(HARVESTER, ...TENANTS_ON_HARVESTER)],
  'guest clusters': on(rancherOf('2.7.1'), ...GUESTS),
  'machines': on(PLAIN_HARVESTER, ...MACHINES),
  'infrastructure': INFRASTRUCTURE,
  'clusters': on(rancherOf('2.15.0'), ...CLUSTERS),
  'RKE1': on(rancherOf('2.10.3'), ...RKE1),
  'RKE1 on a Rancher without it': on(rancherOf('2.13.8'), ...RKE1),
} satisfies { readonly [name: string]: readonly JudgedObject[] };
