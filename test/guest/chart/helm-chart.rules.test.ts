import { cloudConfig, credential, findingsOf, guest, machineConfig, told } from '../../support/guest';
import { brief } from '../../support/judging';

const config = machineConfig();
const K3S = { kubernetesVersion: 'v1.33.6+k3s1' };
/** What is said of a cluster beside all that it needs. */
const one = (rkeConfig: object, spec: object) => told([config, cloudConfig(), credential(), guest(rkeConfig, spec)]);

describe('K3s with the chart of the cloud provider', () => {
  const chart = (content: string, version = '0.2.12', name = 'harvester-cloud-provider') => JSON.stringify({
    apiVersion: 'helm.cattle.io/v1', kind: 'HelmChart', metadata: { name, namespace: 'kube-system' }, spec: { chart: name, version, valuesContent: content },
  });
  const NODES = {
    chartValues: {}, machineGlobalConfig: { 'disable': ['servicelb'], 'disable-cloud-controller': true }, machineSelectorConfig: [{ config: { 'kubelet-arg': ['cloud-provider=external'] } }],
  };
  const GOOD = 'cloudConfigPath: /etc/kubernetes/cloud-config\nglobal: {cattle: {clusterName: shop}}\n';
  const k3s = (additionalManifest: string, rke: object = {}) => one({ ...NODES, additionalManifest, ...rke }, K3S);

  test('as it should be', () => { expect(k3s(chart(GOOD))).toEqual([]); });

  test('a name of digits may stand without quotes', () => {
    const nameless = chart('cloudConfigPath: /etc/kubernetes/cloud-config\nglobal: {cattle: {clusterName: 51}}\n');
    expect(told([config, credential(), guest({ ...NODES, additionalManifest: nameless }, K3S, { name: '51' })])).toEqual([]);
  });

  test.each([
    [chart('global: {cattle: {clusterName: shop}}\n'), 'error cluster/additional-manifest spec.rkeConfig.additionalManifest[0].spec.valuesContent: cloudConfigPath: is missing: charts from 0.2.10 on look where RKE2 has the file'],
    [chart('cloudConfigPath: /etc/kubernetes/cloud-config\n'), 'warning cluster/additional-manifest spec.rkeConfig.additionalManifest[0].spec.valuesContent: global.cattle.clusterName: is missing: all clusters are "kubernetes", and their load balancers take each other\'s names'],
    [chart(GOOD.replace('shop', '"shop\'s"')), 'is no name of a cluster'],
    [chart(GOOD.replace('shop', 'other')), 'warning cluster/additional-manifest spec.rkeConfig.additionalManifest[0].spec.valuesContent: global.cattle.clusterName: got "other", is not the name of the Cluster, shop'],
    [chart(`${GOOD}clusterName: shop\n`), 'warning cluster/additional-manifest spec.rkeConfig.additionalManifest[0].spec.valuesContent: clusterName: got "shop", does nothing'],
    [chart('cloudConfig: {secretName: hcp}\nglobal: {cattle: {clusterName: shop}}\n', '0.2.9'), 'error cluster/additional-manifest spec.rkeConfig.additionalManifest[0].spec.valuesContent: cloudConfig.secretName: counts for nothing'],
    [chart(`${GOOD}extraArgs: [--node-ip-cidr=10.0.0.0/8]\n`, '0.2.11'), 'warning cluster/additional-manifest spec.rkeConfig.additionalManifest[0].spec.valuesContent: extraArgs: counts for nothing in chart 0.2.11: it needs 0.2.12; use chart 0.2.12 or later'],
    [chart(`${GOOD}extraArgs: [a]\n`, '104.0.2+up0.2.6'), 'counts for nothing in chart 104.0.2+up0.2.6'],
    [chart('a: ['), 'spec.valuesContent: is no YAML'],
    [chart('{}', '0.1.25', 'harvester-csi-driver'), 'warning cluster/additional-manifest spec.rkeConfig.additionalManifest[0].spec.version: got "0.1.25", makes a VolumeSnapshotClass, whose definition K3s does not bring along'],
    ['a: [', 'error cluster/additional-manifest spec.rkeConfig.additionalManifest: is no YAML: '],
    ['foo: bar\n', 'spec.rkeConfig.additionalManifest[0]: is no Kubernetes object'],
    [`${chart('cloudConfig: {secretName: hcp}', '0.1.24', 'harvester-csi-driver')}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: hcp}\ndata: {cloud-config: eA==}\n`, 'names a Secret without the key cloud-provider-config'],
  ])('%#: %s', (manifest, text) => { expect(k3s(manifest)).toEqual([expect.stringContaining(text)]); });

  test('what K3s brings along is in the way', () => {
    expect(k3s(chart(GOOD), { machineGlobalConfig: {}, machineSelectorConfig: [] })).toEqual([
      expect.stringContaining('machineGlobalConfig.disable: does not name servicelb'), expect.stringContaining('disable-cloud-controller: is not true'), expect.stringContaining('tells no kubelet'),
    ]);
  });

  test('on RKE2 the recipe writes the file where later charts do not look', () => {
    const recipe = machineConfig({ userData: '#cloud-config\npackages: [qemu-guest-agent]\nwrite_files: [{path: /etc/kubernetes/cloud-config}]\n' });
    const external = guest({ chartValues: {}, machineSelectorConfig: [], additionalManifest: chart('global: {cattle: {clusterName: shop}}\n') });
    expect(told([recipe, credential(), external])).toEqual([expect.stringContaining('cloudConfigPath: is missing: charts from 0.2.10 on look where RKE2 has the file')]);
    expect(told([config, credential(), external])).toEqual([]);
  });

  test('a HelmChart of its own on a guest is judged too', () => {
    const findings = findingsOf([JSON.parse(chart(`${GOOD}clusterName: shop\n`))], { kind: 'guest' });
    expect(brief(findings)).toEqual(['warning helm-chart/harvester spec.valuesContent: clusterName']);
  });
});

describe('StorageClasses and bindings', () => {
  test('parameters that the CSI driver ignores', () => {
    const storageClass = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'x' }, provisioner: 'driver.harvesterhci.io', parameters: { hostStorageClass: 'ssd', numberOfReplicas: '2' } };
    expect(told([storageClass], { kind: 'guest' })).toEqual([expect.stringContaining('warning guest/storage-class parameters.numberOfReplicas: got "2", is ignored by the CSI driver')]);
  });

  test('two service accounts by one binding', () => {
    const binding = (namespace: string) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name: 'shop' }, roleRef: { kind: 'ClusterRole', name: 'harvesterhci.io:cloudprovider' }, subjects: [{ kind: 'ServiceAccount', name: 'shop', namespace }],
    });
    expect(told([binding('a'), binding('b')], { kind: 'harvester' })[0]).toContain('error guest/cloud-provider-binding metadata.name: got "shop", is the binding of two service accounts');
  });
});
