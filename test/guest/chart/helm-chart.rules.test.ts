import {
  cloudConfig,
  credential,
  findingsOf,
  guest,
  machineConfig,
  told,
} from '../../support/guest';
import { brief } from '../../support/judging';

const config = machineConfig();
const K3S = { kubernetesVersion: 'v1.33.6+k3s1' };
/** The findings about a cluster next to all that it needs. */
const one = (rkeConfig: object, spec: object) =>
  told([config, cloudConfig(), credential(), guest(rkeConfig, spec)]);

describe('K3s with the chart of the cloud provider', () => {
  const chart = (content: string, version = '0.2.12', name = 'harvester-cloud-provider') =>
    JSON.stringify({
      apiVersion: 'helm.cattle.io/v1',
      kind: 'HelmChart',
      metadata: { name, namespace: 'kube-system' },
      spec: { chart: name, version, valuesContent: content },
    });
  const NODES = {
    chartValues: {},
    machineGlobalConfig: { 'disable': ['servicelb'], 'disable-cloud-controller': true },
    machineSelectorConfig: [{ config: { 'kubelet-arg': ['cloud-provider=external'] } }],
  };
  const GOOD =
    'cloudConfigPath: /etc/kubernetes/cloud-config\nglobal: {cattle: {clusterName: shop}}\n';
  const k3s = (additionalManifest: string, rke: object = {}) =>
    one({ ...NODES, additionalManifest, ...rke }, K3S);

  test('as it should be', () => {
    expect(k3s(chart(GOOD))).toEqual([]);
  });

  test('accepts a name of digits without quotes', () => {
    const nameless = chart(
      'cloudConfigPath: /etc/kubernetes/cloud-config\nglobal: {cattle: {clusterName: 51}}\n',
    );
    expect(
      told([
        config,
        credential(),
        guest({ ...NODES, additionalManifest: nameless }, K3S, { name: '51' }),
      ]),
    ).toEqual([]);
  });

  test.each([
    [
      chart('global: {cattle: {clusterName: shop}}\n'),
      'error cluster/additional-manifest spec.rkeConfig.additionalManifest[0].spec.valuesContent: cloudConfigPath: must be set: charts 0.2.10 and later look for the file at the path of RKE2, and the pods wait for it indefinitely',
    ],
    [
      chart('cloudConfigPath: /etc/kubernetes/cloud-config\n'),
      'warning cluster/additional-manifest spec.rkeConfig.additionalManifest[0].spec.valuesContent: global.cattle.clusterName: must be set: otherwise all clusters are named "kubernetes", and the names of their load balancers collide',
    ],
    [
      chart(GOOD.replace('shop', '"shop\'s"')),
      'error cluster/additional-manifest spec.rkeConfig.additionalManifest[0].spec.valuesContent: global.cattle.clusterName: must be an RFC 1123 label, got "shop\'s"',
    ],
    [
      chart(GOOD.replace('shop', 'other')),
      'warning cluster/additional-manifest spec.rkeConfig.additionalManifest[0].spec.valuesContent: global.cattle.clusterName: must be the name of the Cluster, shop, which the labels of its virtual machines contain, got "other"',
    ],
    [
      chart(`${GOOD}clusterName: shop\n`),
      'warning cluster/additional-manifest spec.rkeConfig.additionalManifest[0].spec.valuesContent: clusterName: has no effect in charts 0.2.0 and later, got "shop"',
    ],
    [
      chart('cloudConfig: {secretName: hcp}\nglobal: {cattle: {clusterName: shop}}\n', '0.2.9'),
      'error cluster/additional-manifest spec.rkeConfig.additionalManifest[0].spec.valuesContent: cloudConfig.secretName: has no effect in chart 0.2.9: it needs 0.2.12',
    ],
    [
      chart(`${GOOD}extraArgs: [--node-ip-cidr=10.0.0.0/8]\n`, '0.2.11'),
      'warning cluster/additional-manifest spec.rkeConfig.additionalManifest[0].spec.valuesContent: extraArgs: has no effect in chart 0.2.11: it needs 0.2.12. Fix: use chart 0.2.12 or later',
    ],
    [
      chart(`${GOOD}extraArgs: [a]\n`, '104.0.2+up0.2.6'),
      'warning cluster/additional-manifest spec.rkeConfig.additionalManifest[0].spec.valuesContent: extraArgs: has no effect in chart 104.0.2+up0.2.6: it needs 0.2.12',
    ],
    [chart('a: ['), 'spec.valuesContent: must be valid YAML'],
    [
      chart('{}', '0.1.25', 'harvester-csi-driver'),
      'warning cluster/additional-manifest spec.rkeConfig.additionalManifest[0].spec.version: cannot be installed on K3s without the definition of VolumeSnapshotClass, which K3s does not bundle, got "0.1.25"',
    ],
    [
      'a: [',
      'error cluster/additional-manifest spec.rkeConfig.additionalManifest: must be valid YAML: bad indent at line 1, column 5',
    ],
    ['foo: bar\n', 'spec.rkeConfig.additionalManifest[0]: must be a Kubernetes object'],
    [
      `${chart('cloudConfig: {secretName: hcp}', '0.1.24', 'harvester-csi-driver')}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: hcp}\ndata: {cloud-config: eA==}\n`,
      'error cluster/additional-manifest spec.rkeConfig.additionalManifest[0].spec.valuesContent: cloudConfig.secretName: must name a Secret with the key cloud-provider-config, got "hcp": otherwise the driver looks for /etc/kubernetes/cloud-config',
    ],
  ])('%#: %s', (manifest, text) => {
    expect(k3s(manifest)).toEqual([expect.stringContaining(text)]);
  });

  test('refuses a chart that K3s bundles', () => {
    expect(k3s(chart(GOOD), { machineGlobalConfig: {}, machineSelectorConfig: [] })).toEqual([
      expect.stringContaining(
        "machineGlobalConfig.disable: must contain servicelb: otherwise K3s' own load balancer handles the same Services",
      ),
      expect.stringContaining(
        "disable-cloud-controller: must be true: otherwise K3s' own cloud controller uses port 10258, which Harvester's needs",
      ),
      expect.stringContaining(
        'warning cluster/additional-manifest spec.rkeConfig.machineSelectorConfig: must configure the kubelets for the cloud provider',
      ),
    ]);
  });

  test('on RKE2 the recipe writes the file where later charts do not look', () => {
    const recipe = machineConfig({
      userData:
        '#cloud-config\npackages: [qemu-guest-agent]\nwrite_files: [{path: /etc/kubernetes/cloud-config}]\n',
    });
    const external = guest({
      chartValues: {},
      machineSelectorConfig: [],
      additionalManifest: chart('global: {cattle: {clusterName: shop}}\n'),
    });
    expect(told([recipe, credential(), external])).toEqual([
      expect.stringContaining(
        'error cluster/additional-manifest spec.rkeConfig.additionalManifest[0].spec.valuesContent: cloudConfigPath: must be set: charts 0.2.10 and later look for the file at the path of RKE2, and the pods wait for it indefinitely',
      ),
    ]);
    expect(told([config, credential(), external])).toEqual([]);
  });

  test('a HelmChart of its own on a guest is judged too', () => {
    const findings = findingsOf([JSON.parse(chart(`${GOOD}clusterName: shop\n`))], {
      kind: 'guest',
    });
    expect(brief(findings)).toEqual([
      'warning helm-chart/harvester spec.valuesContent: clusterName',
    ]);
  });
});

describe('StorageClasses and bindings', () => {
  test('parameters that the CSI driver ignores', () => {
    const storageClass = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'x' },
      provisioner: 'driver.harvesterhci.io',
      parameters: { hostStorageClass: 'ssd', numberOfReplicas: '2' },
    };
    expect(told([storageClass], { kind: 'guest' })).toEqual([
      expect.stringContaining(
        'warning guest/storage-class parameters.numberOfReplicas: has no effect, got "2": the CSI driver does not read it',
      ),
    ]);
  });

  test('two service accounts by one binding', () => {
    const binding = (namespace: string) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'shop' },
      roleRef: { kind: 'ClusterRole', name: 'harvesterhci.io:cloudprovider' },
      subjects: [{ kind: 'ServiceAccount', name: 'shop', namespace }],
    });
    expect(told([binding('a'), binding('b')], { kind: 'harvester' })[0]).toContain(
      'error guest/cloud-provider-binding metadata.name: must be the binding of one service account, got "shop": of two, only the last one applied has permissions',
    );
  });
});
