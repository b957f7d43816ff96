import { Manifest, isManifest } from '../../../src/core/manifest/manifest';
import { ALL_RULES } from '../../../src/registry/all-rules';
import { JUNK, replaced } from '../../support/any-json';
import { cloudConfig, credential, guest, kubeconfig, machineConfig, pool, secret } from '../../support/guest';
import { brief, judgeOn } from '../../support/judging';

const FAMILIES = /^(cluster|credential|guest|guest-secret|helm-chart|machine-config)\//;
const RULES = ALL_RULES.filter(({ id }) => FAMILIES.test(id));
const UPDATE_RULES = RULES.filter(({ judgeUpdate, judgeDeletion }) => judgeUpdate ?? judgeDeletion);

const chart = { apiVersion: 'helm.cattle.io/v1', kind: 'HelmChart', metadata: { name: 'harvester-cloud-provider', namespace: 'kube-system' } };
const spec = { chart: 'harvester-cloud-provider', version: '0.2.12', valuesContent: 'a: {b: 1}\n', set: { 'a.c': 1 }, values: { cloudConfig: { secretName: 'x' } } };
const full = {
  reservedMemorySize: '64',
  vgpuInfo: '{"vGPURequests":[{"name":"","deviceName":"a/b"}]}',
  vmAffinity: '{"podAntiAffinity":{}}',
  networkData: 'version: 1\nconfig: []\n',
  enableEfi: true,
  keyPairName: 'a/b',
};
const MANIFESTS: readonly Manifest[] = [
  machineConfig(full, 'nc-shop', { ownerReferences: [{ apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster', name: 'shop', controller: true }], annotations: { 'field.cattle.io/creatorId': 'u' } }),
  guest({
    additionalManifest: JSON.stringify({ ...chart, spec }),
    machinePools: [pool({
      taints: [{ key: 'a', effect: 'NoSchedule' }], hostnameLengthLimit: 15, autoscalingMinSize: 1, autoscalingMaxSize: 2, drainBeforeDeleteTimeout: '5m', cloudCredentialSecretName: 'a',
    })],
    machineGlobalConfig: { 'disable': ['traefik'], 'kubelet-arg': ['cloud-provider=external'], 'etcd-arg': { a: 1 } },
    machineSelectorFiles: [{ fileSources: [{ secret: { name: 'files', items: [{ key: 'a', path: '/a' }] } }] }],
    registries: { configs: { 'docker.io': { authConfigSecretName: 'files' } } },
    etcd: { s3: { bucket: 'b', retention: 1 } },
    networking: { stackPreference: 'dual' },
    machinePoolDefaults: { hostnameLengthLimit: 15 },
    dataDirectories: { k8sDistro: '/data' },
    upgradeStrategy: { controlPlaneConcurrency: '1' },
  }),
  cloudConfig(),
  credential(),
  secret('files', 'fleet-default', { password: 'x' }, { 'rke.cattle.io/object-authorized-for-clusters': 'shop' }),
  { ...chart, spec },
  { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'x' }, provisioner: 'driver.harvesterhci.io', parameters: { hostStorageClass: 'a' } },
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name: 'x' }, roleRef: { name: 'harvesterhci.io:cloudprovider' }, subjects: [{ name: 'a' }] },
];

test('the manifests that are turned over reach most of the rules', () => {
  const rules = new Set(judgeOn(RULES, MANIFESTS, { version: '2.7.1' }).map(({ rule }) => rule));
  expect(rules.size).toBeGreaterThanOrEqual(15);
});

test.each(JUNK)('no rule throws if %j replaces any value', (junk) => {
  let count = 0;
  for (const [index, manifest] of MANIFESTS.entries()) {
    for (const odd of replaced(manifest, junk)) {
      // a name and a namespace of text is what reading a file sees to
      if (!isManifest(odd) || typeof (odd.metadata.namespace ?? '') !== 'string') { continue; }
      const odds = MANIFESTS.map((other, at) => (at === index ? odd : other));
      judgeOn(RULES, odds, { version: '2.7.1', before: MANIFESTS });
      judgeOn(UPDATE_RULES, MANIFESTS, { version: '2.13.8', before: odds });
      judgeOn(UPDATE_RULES, [], { before: odds });
      count++;
    }
  }
  expect(count).toBeGreaterThan(100);
});

// JSON in text, YAML in text and base64: every place of it, too
const INNER: ReadonlyArray<readonly [string, unknown, (text: string) => Manifest[]]> = [
  ['diskInfo', { disks: [{ imageName: 'a/b', size: 40, bootOrder: 1, bus: 'virtio', type: 'disk', hotPlugAble: true }] }, (text) => [machineConfig({ diskInfo: text })]],
  ['networkInfo', { interfaces: [{ networkName: 'a/b', macAddress: '52:54:00:00:00:01', model: 'virtio', type: 'bridge' }] }, (text) => [machineConfig({ networkInfo: text })]],
  ['vgpuInfo', { vGPURequests: [{ name: '', deviceName: 'a/b' }] }, (text) => [machineConfig({ vgpuInfo: text })]],
  ['vmAffinity', {
    nodeAffinity: {}, podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 'a' } }], requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'a' }] },
  }, (text) => [machineConfig({ vmAffinity: text })]],
  ['userData', { hostname: 'a', users: [{}], write_files: [{ path: '/a', permissions: '0644' }], runcmd: ['a'] }, (text) => [machineConfig({ userData: text })]],
  ['networkData', { version: 1, config: [{ type: 'physical', subnets: [{ type: 'static', gateway: 'a' }] }, { type: 'nameserver', address: ['a'] }] }, (text) => [machineConfig({ networkData: text })]],
  ['networkData 2', { network: { version: 2, ethernets: { a: { addresses: ['a'] } } } }, (text) => [machineConfig({ networkData: text }), guest()]],
  ['kubeconfig', {
    'clusters': [{ name: 'a', cluster: { server: 'https://a' } }], 'contexts': [{ name: 'a', context: { cluster: 'a', user: 'a', namespace: 'a' } }], 'current-context': 'a', 'users': [{ name: 'a', user: { token: 'kubeconfig-u-a:b' } }],
  }, (text) => [machineConfig(), guest(), cloudConfig(text), credential({ 'harvestercredentialConfig-kubeconfigContent': text })]],
  ['additionalManifest', { ...chart, spec }, (text) => [machineConfig(), guest({ additionalManifest: text }, { kubernetesVersion: 'v1.33.6+k3s1' })]],
];

test.each(INNER)('no rule throws for any value within %s', (_, value, manifests) => {
  for (const junk of JUNK) {
    for (const odd of replaced(value, junk)) {
      const text = JSON.stringify(odd);
      judgeOn(RULES, manifests(text), { version: '2.13.8' });
      judgeOn(RULES, manifests(Buffer.from(text).toString('base64')), { version: '2.13.8' });
      judgeOn(RULES, manifests(text.slice(0, -1)), { version: '2.13.8' });
    }
  }
});

test('no message shows the content of a kubeconfig', () => {
  const findings = judgeOn(RULES, [machineConfig(), guest(), cloudConfig(kubeconfig('other', 'https://127.0.0.1:6443', 'hunter2')), credential({ 'harvestercredentialConfig-kubeconfigContent': kubeconfig('a', 'https://localhost', 'hunter2') })]);
  expect(brief(findings)).toEqual(expect.arrayContaining([expect.stringMatching(/^error credential\/kubeconfig/), expect.stringMatching(/^error cluster\/cloud-namespace/)]));
  expect(JSON.stringify(findings)).not.toContain('hunter2');
});
