import { adopt } from '../../src/adopt/adopt';
import { PatchOperation } from '../../src/adopt/evaluate/patch';
import { TargetKind } from '../../src/core/app/target';
import { FoundCluster } from '../../src/core/draft/inverse';
import { Manifest } from '../../src/core/manifest/manifest';
import { collect } from '../../src/core/synthesis/collect';

const USER_DATA = `#cloud-config
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

/** What the form of Rancher's UI sends. @see rancher/dashboard:shell/edit/provisioning.cattle.io.cluster/rke2.vue */
const CLUSTER = (overrides: object = {}, pool: object = {}): Manifest => ({
  apiVersion: 'provisioning.cattle.io/v1',
  kind: 'Cluster',
  metadata: { name: 'shop', namespace: 'fleet-default', annotations: { 'field.cattle.io/creatorId': 'user-abcde' } },
  spec: {
    cloudCredentialSecretName: 'cattle-global-data:cc-abcde',
    defaultPodSecurityAdmissionConfigurationTemplateName: '',
    kubernetesVersion: 'v1.33.6+rke2r1',
    localClusterAuthEndpoint: { enabled: false, caCerts: '', fqdn: '' },
    rkeConfig: {
      chartValues: {
        'rke2-calico': {},
        'harvester-cloud-provider': { cloudConfigPath: '/var/lib/rancher/rke2/etc/config-files/cloud-provider-config', global: { cattle: { clusterName: 'shop' } } },
      },
      dataDirectories: { systemAgent: '', provisioning: '', k8sDistro: '' },
      etcd: { disableSnapshots: false, s3: null, snapshotRetention: 5, snapshotScheduleCron: '0 */5 * * *' },
      machineGlobalConfig: { 'cni': 'calico', 'disable-kube-proxy': false, 'etcd-expose-metrics': false },
      machinePoolDefaults: {},
      machinePools: [{
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
      }],
      machineSelectorConfig: [{
        config: {
          'protect-kernel-defaults': false, 'cloud-provider-name': 'harvester', 'cloud-provider-config': 'secret://fleet-default:harvesterconfigabcde',
        },
      }],
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

/** What the form of a machine pool sends. @see rancher/dashboard:pkg/harvester-manager/machine-config/harvester.vue */
const CONFIG = (overrides: object = {}): Manifest => ({
  apiVersion: 'rke-machine-config.cattle.io/v1',
  kind: 'HarvesterConfig',
  metadata: { name: 'nc-shop-pool1-abcde', namespace: 'fleet-default', annotations: { 'field.cattle.io/creatorId': 'user-abcde', 'ownerBindingsCreated': 'true' } },
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

const SECRETS: readonly Manifest[] = [
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'cc-abcde', namespace: 'cattle-global-data', annotations: { 'provisioning.cattle.io/driver': 'harvester' } },
    data: { 'harvestercredentialConfig-clusterId': Buffer.from('c-m-harvdc01').toString('base64'), 'harvestercredentialConfig-kubeconfigContent': '' },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'harvesterconfigabcde', namespace: 'fleet-default', annotations: { 'v2prov-secret-authorized-for-cluster': 'shop' } },
    data: { credential: '' },
  },
];

function found(name: string, kind: TargetKind, version: string, objects: readonly Manifest[]): FoundCluster {
  return { name, kind, version, unread: [], objects: objects.map((manifest) => ({ target: name, manifest, from: 'a test' })) };
}

/** Adopts a cluster, and gives the statement of it with what the program renders for its Cluster and its machine config. */
function adopted(cluster: Manifest, config: Manifest) {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop-vms' } };
  const result = adopt([
    { ...found('rancher', TargetKind.RANCHER, '2.13.8', [...SECRETS, cluster, config]), serverUrl: 'https://rancher.example.com' },
    { ...found('dc1', TargetKind.HARVESTER, '1.7.2', [namespace]), vip: '10.10.0.10' },
  ]);
  const statement = result.statements.all().find(({ draft: { declares: [first] } }) => first.manifest === cluster)!;
  const { objects } = collect(result.evaluated.app);
  const rendered = (kind: string) => objects.find(({ manifest }) => manifest.kind === kind)!.manifest;
  const shown = { type: statement.draft.type, patches: shortly(statement.patches), parts: statement.parts.flatMap((part) => shortly(part.patches)) };
  return { ...result, statement, shown, machine: rendered('HarvesterConfig'), shop: rendered('Cluster') };
}

function shortly(patches: readonly PatchOperation[]): string[] {
  return patches.map(({ op, path }) => `${op} ${path}`);
}

/** The construct without patches. */
const WHOLE = { type: 'GuestCluster', patches: [], parts: [] };

const TEXTS = ['diskInfo', 'networkInfo', 'vmAffinity', 'userData', 'networkData', 'vgpuInfo'];

/** The texts of a machine config, other bytes of which replace machines. */
function textsOf(config: Manifest): { readonly [field: string]: unknown } {
  return Object.fromEntries(TEXTS.filter((field) => config[field]).map((field) => [field, config[field]]));
}

test('adopts a cluster of the UI without patches, with its machine config under its name', () => {
  const { shown, machine, dropped } = adopted(CLUSTER(), CONFIG());
  expect({ ...shown, dropped: [...dropped.values()] }).toEqual({ ...WHOLE, dropped: [] });
  expect(machine.metadata.name).toBe('nc-shop-pool1-abcde');
  expect(textsOf(machine)).toEqual(textsOf(CONFIG()));
});

test('refers to the credential and the cloud config of the UI, and declares neither', () => {
  const { statements, leftOut } = adopted(CLUSTER(), CONFIG());
  expect(statements.all().flatMap(({ draft: { declares } }) => declares.map(({ manifest: { kind } }) => kind))).not.toContain('Secret');
  expect([...leftOut.keys()]).toEqual(expect.arrayContaining(['rancher//Secret/cattle-global-data/cc-abcde', 'rancher//Secret/fleet-default/harvesterconfigabcde']));
});

const OTHER_TEXTS: readonly (readonly [name: string, config: object])[] = [
  ['sorted keys, as Terraform writes them', {
    diskInfo: '{"disks":[{"bootOrder":1,"imageName":"default/image-abcde","size":40},{"bootOrder":2,"hotPlugAble":true,"size":10,"storageClassName":"ssd"}]}',
    networkInfo: '{"interfaces":[{"macAddress":"","networkName":"default/prod"}]}',
  }],
  ['an indented text with blanks, as people write it', { diskInfo: '{\n  "disks": [\n    { "imageName": "default/image-abcde", "bootOrder": 1, "size": 40 }\n  ]\n}' }],
  ['user data with comments', { userData: `${USER_DATA}# the end\n` }],
  ['user data in base64', { userData: Buffer.from(USER_DATA).toString('base64') }],
  ['user data without the guest agent', { userData: '#cloud-config\nssh_authorized_keys: [ "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhcwd/x9Ho4Oi0xP1PjZNdXnTnFHMy9jKxKEHYJvVZa ana" ]\n' }],
  ['network data with a comment', { networkData: '# all by DHCP\nversion: 2\nethernets:\n    enp1s0: {dhcp4: true}\n' }],
  ['an affinity in base64, as the UI writes it', {
    vmAffinity: Buffer.from(JSON.stringify({
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{
          podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchExpressions: [{ operator: 'Exists', key: 'harvesterhci.io/creator' }] } }, weight: 100,
        }],
      },
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }] },
      },
    })).toString('base64'),
  }],
];

test.each(OTHER_TEXTS)('keeps every byte of %s', (_, config) => {
  const { shown, machine } = adopted(CLUSTER(), CONFIG(config));
  expect(shown).toEqual(WHOLE);
  expect(textsOf(machine)).toEqual(textsOf(CONFIG(config)));
});

test('patches a machine config where props cannot express a text, and keeps the construct', () => {
  const config = CONFIG({ userData: '#!/bin/sh\necho ready\n' });
  const { shown, machine } = adopted(CLUSTER(), config);
  expect(shown).toEqual({ ...WHOLE, parts: ['replace /userData'] });
  expect(textsOf(machine)).toEqual(textsOf(config));
});

test('patches the whole affinity where props cannot express a part of it', () => {
  const required = { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] }] };
  const config = CONFIG({ vmAffinity: JSON.stringify({ nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } }) });
  const { shown, machine, statement } = adopted(CLUSTER(), config);
  expect(shown).toEqual({ ...WHOLE, parts: ['add /vmAffinity'] });
  expect(JSON.stringify(statement.props)).not.toMatch(/affinity/i);
  expect(textsOf(machine)).toEqual(textsOf(config));
});

test('patches the Cluster for what no prop expresses', () => {
  const { shown, shop } = adopted(CLUSTER({ etcd: undefined, infrastructureRef: { kind: 'HarvesterCluster' } }), CONFIG());
  expect(shown).toEqual({ ...WHOLE, patches: ['remove /spec/rkeConfig/etcd', 'add /spec/rkeConfig/infrastructureRef'] });
  expect(shop.spec).toMatchObject({ rkeConfig: { infrastructureRef: { kind: 'HarvesterCluster' } } });
});

test('adopts a cluster of Terraform, which leaves out what is false', () => {
  const { shown } = adopted(CLUSTER({}, { drainBeforeDelete: undefined, unhealthyNodeTimeout: undefined, machineOS: undefined }), CONFIG());
  expect(shown).toEqual(WHOLE);
});
