import { Manifest } from '../../../src/core/manifest/manifest';
import { ALL_RULES } from '../../../src/registry/all-rules';
import {
  DISKS,
  cloudConfig,
  credential,
  guest,
  kubeconfig,
  machineConfig,
  pool,
  told,
} from '../../support/guest';
import { cluster, judgeOn } from '../../support/judging';

/** The findings of every rule, except those about the plain Secrets of these tests. */
function all(manifests: readonly Manifest[], version = '2.13.8'): string[] {
  return judgeOn(ALL_RULES, manifests, { version })
    .filter(({ rule }) => rule !== 'guest-secret/plain')
    .map(({ level, rule, path, message }) => `${level} ${rule} ${path}: ${message}`);
}

const beside = (guests: Manifest): Manifest[] => [
  machineConfig(),
  cloudConfig(),
  credential(),
  guests,
];
const disks = (...list: object[]): object => ({ diskInfo: JSON.stringify({ disks: list }) });
const DISK = { imageName: 'default/noble', size: 40, bootOrder: 1 };
const USER = '#cloud-config\npackages: [qemu-guest-agent]\n';

describe('machine configurations', () => {
  test.each<[string, object, string]>([
    [
      'GiB with their unit',
      { memorySize: '8Gi' },
      'error machine-config/numbers memorySize: must be a whole number',
    ],
    [
      'MiB for GiB',
      { memorySize: '8192' },
      'warning machine-config/numbers memorySize: must be in GiB, not MiB: each machine would have 8192 GiB of memory',
    ],
    [
      'GiB for MiB',
      { reservedMemorySize: '1' },
      'warning machine-config/numbers reservedMemorySize: must be in MiB, not GiB: it reserves 1 MiB',
    ],
    ['a number', { cpuCount: 4 }, 'cpuCount'],
    [
      'a fraction',
      { cpuCount: '0.5' },
      'error machine-config/numbers cpuCount: must be a whole number',
    ],
    [
      'a port as a name',
      { sshPort: 'ssh' },
      'error machine-config/numbers sshPort: must be a whole number',
    ],
    ['a word for a switch', { enableEfi: 'true' }, 'enableEfi'],
    ['a field that is none', { cpus: '4' }, 'cpus'],
    [
      'secure boot alone',
      { enableSecureBoot: true },
      'error machine-config/switches enableSecureBoot: cannot be set without enableEfi',
    ],
    [
      'a list for the map of disks',
      { diskInfo: '[{"imageName":"a","size":40}]' },
      'error machine-config/disks diskInfo: must be a list of disks: must be an object',
    ],
    [
      'YAML for JSON',
      { diskInfo: 'disks:\n- {imageName: a, size: 40}\n' },
      'error machine-config/disks diskInfo: must be a list of disks: must be JSON',
    ],
    ['disks that are not text', { diskInfo: { disks: [DISK] } }, 'diskInfo'],
    [
      'a size as text',
      disks({ ...DISK, size: '40' }),
      'error machine-config/disks diskInfo: must be a list of disks: disks[0].size must be a whole number',
    ],
    [
      'a size with its unit',
      disks({ ...DISK, size: '40Gi' }),
      'error machine-config/disks diskInfo: must be a list of disks: disks[0].size must be a whole number',
    ],
    [
      'a size of a fraction',
      disks({ ...DISK, size: 0.5 }),
      'error machine-config/disks diskInfo: must be a list of disks: disks[0].size must be a whole number',
    ],
    [
      'a negative place',
      disks({ ...DISK, bootOrder: -1 }),
      'error machine-config/disks diskInfo: must be a list of disks: disks[0].bootOrder must be a whole number of 0 or more',
    ],
    [
      'one place for two disks',
      disks(DISK, { storageClassName: 'longhorn', size: 1, bootOrder: 1 }),
      'error machine-config/disks diskInfo.disks[1].bootOrder: must be unique: another disk has the same position (the server: "Boot order for spec.template.spec.domain.devices.disks[1].bootOrder already set for a different device.")',
    ],
    [
      'a CD-ROM on the default bus',
      disks(DISK, { imageName: 'default/iso', size: 1, type: 'cd-rom' }),
      'error machine-config/disks diskInfo.disks[1].bus: must be set for a CD-ROM: the default is virtio (the server: "Bus type virtio is invalid for CD-ROM device")',
    ],
    [
      'a CD-ROM on virtio',
      disks(DISK, { imageName: 'default/iso', size: 1, type: 'cd-rom', bus: 'virtio' }),
      'error machine-config/disks diskInfo.disks[1].bus: must be sata or scsi for a CD-ROM',
    ],
    [
      'no size',
      disks({ imageName: 'default/noble' }),
      'error machine-config/disks diskInfo.disks[0].size: must be a number of GiB of 1 or more',
    ],
    [
      'a field of virtual machines',
      disks({ image: 'default/noble', size: 40 }),
      'error machine-config/disks diskInfo.disks[0]: must have an image or a storage class',
    ],
    [
      'the name that the UI shows',
      disks({ ...DISK, imageName: 'default/Ubuntu 24.04' }),
      'warning machine-config/disks diskInfo.disks[0].imageName: must be the name of an object, not the name that the UI shows',
    ],
    [
      'a path with slashes',
      disks({ ...DISK, imageName: 'local/default/noble' }),
      'error machine-config/disks diskInfo.disks[0].imageName: must have at most one slash',
    ],
    ['no disks', disks(), 'error machine-config/disks diskInfo: must have at least one disk'],
    [
      'null for disks',
      { diskInfo: '{"disks":null}' },
      'error machine-config/disks diskInfo: must have at least one disk',
    ],
    [
      'a name for the name of a network',
      { networkInfo: '{"interfaces":[{"name":"default/prod"}]}' },
      'error machine-config/networks networkInfo.interfaces[0].networkName: must be set: machines cannot use the management network',
    ],
    [
      'the management network',
      { networkInfo: '{"interfaces":[{"networkName":"","type":"masquerade"}]}' },
      'error machine-config/networks networkInfo.interfaces[0].networkName: must be set: machines cannot use the management network',
    ],
    [
      'masquerade',
      { networkInfo: '{"interfaces":[{"networkName":"default/prod","type":"masquerade"}]}' },
      'error machine-config/networks networkInfo.interfaces[0].type: must be bridge: the node driver uses masquerade for any other type, which only the management network supports (the server: "Masquerade interface only implemented with pod network")',
    ],
    [
      'another type',
      { networkInfo: '{"interfaces":[{"networkName":"default/prod","type":"sriov"}]}' },
      'error machine-config/networks networkInfo.interfaces[0].type',
    ],
    [
      'half an address',
      { networkInfo: '{"interfaces":[{"networkName":"default/prod","macAddress":"52:54:00"}]}' },
      'error machine-config/networks networkInfo.interfaces[0].macAddress: must be a MAC address',
    ],
    [
      'networks and no interfaces',
      { networkInfo: '{"networks":[{"networkName":"default/prod"}]}' },
      'error machine-config/networks networkInfo: must have at least one interface: otherwise the machine gets no address',
    ],
    [
      'GPUs as a list',
      { vgpuInfo: '["nvidia.com/A2"]' },
      'error machine-config/vgpus vgpuInfo: must be a list of GPUs as JSON',
    ],
    [
      'a GPU without its device',
      { vgpuInfo: '{"vGPURequests":[{"name":"a"}]}' },
      'error machine-config/vgpus vgpuInfo.vGPURequests[0].deviceName: must be set',
    ],
    [
      'an affinity as YAML',
      { vmAffinity: 'nodeAffinity: {}\n' },
      'error machine-config/affinity vmAffinity: must be JSON, plain or in base64',
    ],
    ['an affinity of null', { vmAffinity: 'null' }, 'error machine-config/affinity vmAffinity'],
    [
      'an affinity below its name',
      { vmAffinity: '{"affinity":{"nodeAffinity":{}}}' },
      'warning machine-config/affinity vmAffinity.affinity: is not a field of an affinity and is dropped',
    ],
    [
      'a node affinity alone',
      { vmAffinity: '{"nodeAffinity":{}}' },
      'warning machine-config/affinity vmAffinity: must have a podAntiAffinity: an affinity replaces the default of the node driver, which spreads machines over the hosts',
    ],
    [
      'a weight of 0',
      {
        vmAffinity:
          '{"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":0,"podAffinityTerm":{"topologyKey":"a"}}]}}',
      },
      'weight: must be a whole number from 1 to 100 (the server: "must be in the range 1-100")',
    ],
    [
      'a script',
      { userData: '#!/bin/bash\napt install qemu-guest-agent\n' },
      'error machine-config/user-data userData: must be a YAML map, not a script: the node driver parses it',
    ],
    [
      'an archive',
      { userData: 'MIME-Version: 1.0\nContent-Type: multipart/mixed\n\nqemu-guest-agent\n' },
      'error machine-config/user-data userData: must be a YAML map, not a MIME archive: the node driver parses it',
    ],
    [
      'a tab',
      { userData: `${USER}runcmd:\n\t- a\n` },
      'error machine-config/user-data userData: is not valid YAML: a tab as indentation at line 4, column 1',
    ],
    [
      'a command that is not a list',
      { userData: `${USER}runcmd: reboot\n` },
      'error machine-config/user-data userData.runcmd: must be a list',
    ],
    [
      'an early command that is not a list',
      { userData: `${USER}bootcmd: reboot\n` },
      'warning machine-config/user-data userData.bootcmd: must be a list: otherwise cloud-init runs no command',
    ],
    [
      'permissions as a number',
      { userData: `${USER}write_files: [{path: /a, permissions: 644}]\n` },
      'warning machine-config/user-data userData.write_files[0].permissions',
    ],
    [
      'no guest agent',
      { userData: '#cloud-config\npackages: [vim]\n' },
      'warning machine-config/user-data userData: must install qemu-guest-agent: without it the machine reports no address, and Rancher replaces it after ten minutes',
    ],
    [
      'network data without a version',
      { networkData: 'ethernets: {eth0: {dhcp4: true}}\n' },
      'error machine-config/network-data networkData.version',
    ],
    [
      'a version as text',
      { networkData: 'version: "1"\nconfig: []\n' },
      'error machine-config/network-data networkData.version: must be a number: otherwise the node driver crashes',
    ],
    [
      'a key pair',
      { keyPairName: 'default/ana' },
      'error machine-config/filled-by-rancher keyPairName',
    ],
    [
      'a path for cloud-config',
      { cloudConfig: '/etc/cloud-config' },
      'error machine-config/filled-by-rancher cloudConfig',
    ],
    [
      'fields below spec',
      {
        spec: { cpuCount: '4' },
        diskInfo: undefined,
        networkInfo: undefined,
        userData: undefined,
        vmNamespace: undefined,
        cpuCount: undefined,
      },
      'error machine-config/spec spec: cannot be set: the server drops it with cpuCount, so that machines have 2 CPUs, 4 GiB and no disk',
    ],
  ])('%s', (_, fields, text) => {
    expect(all([machineConfig(fields)])).toContainEqual(expect.stringContaining(text));
  });
});

describe('Clusters', () => {
  const cloud = (config: object): object => ({ machineSelectorConfig: [{ config }] });
  test.each<[string, object, object, string]>([
    [
      'pools of no use',
      { machinePools: [pool({ controlPlaneRole: undefined })] },
      {},
      'error cluster/pool-roles spec.rkeConfig.machinePools: must have every role: no pool has the role control plane, so the cluster never becomes ready',
    ],
    [
      'roles as words',
      { machinePools: [pool({ etcdRole: 'true', controlPlaneRole: 'true', workerRole: 'true' })] },
      {},
      'Role',
    ],
    [
      'one name for two pools',
      { machinePools: [pool(), pool()] },
      {},
      'error cluster/machine-pools spec.rkeConfig.machinePools[1].name: must be unique: two pools of one name would be one',
    ],
    [
      'a negative quantity',
      { machinePools: [pool({ quantity: -1 })] },
      {},
      'error object/field-limit spec.rkeConfig.machinePools[0].quantity',
    ],
    [
      'a release without its distribution',
      {},
      { kubernetesVersion: 'v1.33.6' },
      'warning cluster/kubernetes-version spec.kubernetesVersion: must name a distribution: Rancher has no such release to install',
    ],
    [
      'half a release',
      {},
      { kubernetesVersion: '1.33+rke2r1' },
      'error cluster/kubernetes-version spec.kubernetesVersion: must be a full version of Kubernetes',
    ],
    [
      'no release',
      {},
      { kubernetesVersion: undefined },
      'cluster/kubernetes-version spec.kubernetesVersion: must be set: Rancher may refuse the Cluster, and has no version to install',
    ],
    [
      'a reference with one part',
      cloud({
        'cloud-provider-config': 'secret://harvesterconfig-shop',
        'cloud-provider-name': 'harvester',
      }),
      {},
      'error cluster/cloud-config',
    ],
    [
      'a reference with a slash',
      cloud({
        'cloud-provider-config': 'secret://fleet-default/harvesterconfig-shop',
        'cloud-provider-name': 'harvester',
      }),
      {},
      'error cluster/cloud-config',
    ],
    [
      'a cloud config without a provider',
      cloud({ 'cloud-provider-config': 'secret://fleet-default:harvesterconfig-shop' }),
      {},
      'error cluster/cloud-provider-keys',
    ],
    [
      'a provider without its cloud config',
      cloud({ 'cloud-provider-name': 'harvester' }),
      {},
      'warning cluster/cloud-config spec.rkeConfig.machineSelectorConfig: must set cloud-provider-config for the cloud provider harvester: its pods wait for that file',
    ],
    [
      'a number',
      { machineGlobalConfig: { 'kubelet-arg': 110 } },
      {},
      'error cluster/node-config-value spec.rkeConfig.machineGlobalConfig.kubelet-arg: must be a string, a boolean or a list: Rancher drops numbers silently',
    ],
    [
      'a map',
      { machineGlobalConfig: { 'kubelet-arg': { 'max-pods': '110' } } },
      {},
      'error cluster/node-config-value spec.rkeConfig.machineGlobalConfig.kubelet-arg: must be a string, a boolean or a list: Rancher drops maps silently',
    ],
    [
      'hyphens before a key',
      { machineGlobalConfig: { '--tls-san': ['a'] } },
      {},
      'warning cluster/node-config-key spec.rkeConfig.machineGlobalConfig.--tls-san',
    ],
    [
      'K3s with the keys of RKE2',
      cloud({ 'cloud-provider-name': 'harvester' }),
      { kubernetesVersion: 'v1.33.6+k3s1' },
      'error cluster/cloud-provider-keys',
    ],
    [
      'a time span in words',
      { machinePools: [pool({ unhealthyNodeTimeout: '5 min' })] },
      {},
      'error cluster/pool-fields spec.rkeConfig.machinePools[0].unhealthyNodeTimeout: must be a duration',
    ],
    [
      'a quantity beyond 32 bits',
      { machinePools: [pool({ quantity: 2 ** 31 })] },
      {},
      'error cluster/pool-fields spec.rkeConfig.machinePools[0].quantity: must be at most 2147483647',
    ],
    [
      'a rolling update beyond 32 bits',
      { machinePools: [pool({ rollingUpdate: { maxUnavailable: 2 ** 40 } })] },
      {},
      'error cluster/pool-fields spec.rkeConfig.machinePools[0].rollingUpdate.maxUnavailable: must be at most 2147483647',
    ],
    [
      'an empty time span',
      { machinePools: [pool({ nodeStartupTimeout: '' })] },
      {},
      'error cluster/pool-fields spec.rkeConfig.machinePools[0].nodeStartupTimeout: must be a duration',
    ],
    [
      'a certificate that is not base64',
      { registries: { configs: { 'registry.example.com': { caBundle: 'Not_Valid!' } } } },
      {},
      'error object/field-limit spec.rkeConfig.registries.configs.registry.example.com.caBundle: must be base64 (the server: "in body must be of type byte")',
    ],
    [
      'an effect of no taint',
      { machinePools: [pool({ taints: [{ key: 'a', effect: 'Never' }] })] },
      {},
      'warning cluster/pool-fields spec.rkeConfig.machinePools[0].taints[0].effect',
    ],
    [
      'host names of 5',
      { machinePoolDefaults: { hostnameLengthLimit: 5 } },
      {},
      'error object/field-limit spec.rkeConfig.machinePoolDefaults.hostnameLengthLimit',
    ],
    [
      'a credential without its name',
      {},
      { cloudCredentialSecretName: 'cattle-global-data:' },
      'error cluster/cloud-credential spec.cloudCredentialSecretName: can name no Secret',
    ],
    [
      'a credential with a slash',
      {},
      { cloudCredentialSecretName: 'cattle-global-data/cc-dc1' },
      'cluster/cloud-credential spec.cloudCredentialSecretName',
    ],
    [
      'no credential',
      {},
      { cloudCredentialSecretName: null },
      'error cluster/cloud-credential spec.cloudCredentialSecretName: must be set: without it Rancher cannot reach Harvester',
    ],
    [
      'another path than Rancher writes',
      {
        chartValues: {
          'harvester-cloud-provider': {
            cloudConfigPath: '/etc/kubernetes/cloud-config',
            global: { cattle: { clusterName: 'shop' } },
          },
        },
      },
      {},
      'error cluster/cloud-config-path',
    ],
    [
      'a directory for K3s',
      {
        chartValues: {
          'harvester-cloud-provider': {
            cloudConfigPath: '/var/lib/rancher/k3s/etc/config-files/cloud-provider-config',
            global: { cattle: { clusterName: 'shop' } },
          },
        },
      },
      {},
      'error cluster/cloud-config-path',
    ],
    [
      'the key that has no effect in charts 0.2.0 and later',
      { chartValues: { 'harvester-cloud-provider': { clusterName: 'shop' } } },
      {},
      'warning cluster/cloud-cluster-name spec.rkeConfig.chartValues.harvester-cloud-provider.clusterName: has no effect in charts 0.2.0 and later',
    ],
    [
      'relative directories',
      { dataDirectories: { k8sDistro: 'data' } },
      {},
      'error cluster/data-directories spec.rkeConfig.dataDirectories.k8sDistro',
    ],
    [
      'one directory for two',
      { dataDirectories: { k8sDistro: '/data', provisioning: '/data' } },
      {},
      'data directory cannot be equal to',
    ],
    [
      'whitespace in NO_PROXY',
      {},
      { agentEnvVars: [{ name: 'no_proxy', value: 'a, b' }] },
      'error cluster/no-proxy spec.agentEnvVars[0].value: cannot contain whitespace',
    ],
    [
      'manifests as a list',
      { additionalManifest: '- apiVersion: v1\n' },
      {},
      'error cluster/additional-manifest',
    ],
    ['a port of no registry', { registries: { mirrors: [] } }, {}, 'registries'],
  ])('%s', (_, rkeConfig, spec, text) => {
    expect(all(beside(guest(rkeConfig, spec)))).toContainEqual(expect.stringContaining(text));
  });

  test.each<[string, object, object, string]>([
    [
      'a long name of a pool',
      { machinePools: [pool({ name: 'a'.repeat(64) })] },
      {},
      'pool name must be 63 characters or fewer',
    ],
    [
      'two pools of one name',
      { machinePools: [pool(), pool()] },
      {},
      'spec.rkeConfig.machinePools[1]: Duplicate value',
    ],
    [
      'no S3 credential',
      { etcd: { s3: { cloudCredentialName: 'cattle-global-data:cc-none' } } },
      {},
      'etcd s3 cloud credential secret cattle-global-data/cc-none is not found',
    ],
    [
      'no name for the cloud provider',
      { chartValues: {} },
      {},
      'The --cluster-name is empty or default; please ensure a unique name is set to avoid resource conflicts.',
    ],
    [
      'CACerts alone',
      {},
      { localClusterAuthEndpoint: { enabled: true, caCerts: 'x' } },
      'CACerts defined but FQDN is not defined',
    ],
    [
      'one directory in another',
      { dataDirectories: { k8sDistro: '/data/a', provisioning: '/data' } },
      {},
      'data directory cannot be nested inside',
    ],
    [
      'a variable for a directory',
      {},
      { agentEnvVars: [{ name: 'CATTLE_AGENT_VAR_DIR', value: '/a' }] },
      '"CATTLE_AGENT_VAR_DIR" cannot be set within "cluster.Spec.RKEConfig.AgentEnvVars"',
    ],
  ])('%s, in the words of the server', (_, rkeConfig, spec, says) => {
    expect(all(beside(guest(rkeConfig, spec)))).toContainEqual(
      expect.stringMatching(/\(the server: /),
    );
    expect(all(beside(guest(rkeConfig, spec))).join('\n')).toContain(says);
  });

  test.each<[string, Manifest, Manifest, string]>([
    [
      'an import that becomes a cluster',
      cluster('shop', {}),
      guest(),
      'RKEConfig cannot be changed from null after cluster creation',
    ],
    [
      'a cluster that becomes an import',
      guest(),
      cluster('shop', {}),
      'RKEConfig cannot be made null after cluster creation',
    ],
    [
      'another directory',
      guest({ dataDirectories: { k8sDistro: '/a' } }),
      guest({ dataDirectories: { k8sDistro: '/b' } }),
      'Distro data directory cannot be changed after cluster creation',
    ],
    [
      'another creator',
      guest({}, {}, { annotations: { 'field.cattle.io/creatorId': 'u-a' } }),
      guest({}, {}, { annotations: { 'field.cattle.io/creatorId': 'u-b' } }),
      'creatorID annotation cannot be changed',
    ],
  ])('%s, in the words of the server', (_, before, after, says) => {
    expect(
      judgeOn(ALL_RULES, [after], { version: '2.13.8', before: [before] }).map(
        ({ message }) => message,
      ),
    ).toContainEqual(expect.stringContaining(says));
  });

  test("a creator of one's own, in the words of the server", () => {
    const by = {
      ...machineConfig(),
      metadata: {
        name: 'nc-shop',
        namespace: 'fleet-default',
        annotations: { 'field.cattle.io/creatorId': 'u-a' },
      },
    };
    expect(all([by])).toContainEqual(
      expect.stringContaining('(the server: "creatorID annotation does not match user")'),
    );
  });

  test("a duplicate pool, a Cluster that is not the Secret's, and a namespace of no machine are reported at once", () => {
    const findings = told([
      machineConfig({ vmNamespace: 'other' }),
      cloudConfig(kubeconfig('vms'), { 'v2prov-secret-authorized-for-cluster': 'bank' }),
      credential({}, undefined),
      guest({ machinePools: [pool({ drainBeforeDeleteTimeout: 'x' })] }),
    ]);
    expect(findings.map((line) => line.split(' ', 2)[1]).sort()).toEqual([
      'cluster/cloud-config',
      'cluster/cloud-namespace',
      'cluster/pool-fields',
    ]);
  });
});

test('disks of the helper are fine, so that each row above changes one value', () => {
  expect(all([machineConfig({ diskInfo: DISKS })])).toEqual([]);
});
