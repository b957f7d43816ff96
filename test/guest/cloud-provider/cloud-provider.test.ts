import { Construct } from 'constructs';
import { TolerationOperator } from '../../../src/core/manifest/taint';
import {
  CloudConfigDelivery,
  HarvesterCloudProviderOptions,
} from '../../../src/guest/cloud-provider/bundled-provider';
import { CloudConfigSecret } from '../../../src/guest/cloud-provider/cloud-config-secret';
import { CloudProvider } from '../../../src/guest/cloud-provider/cloud-provider';
import { CsiDriver } from '../../../src/guest/csi/csi-driver';
import { KubernetesVersion } from '../../../src/guest/kubernetes/kubernetes-version';
import {
  ClusterContext,
  ClusterParts,
  ClusterFields,
} from '../../../src/guest/parts/cluster-parts';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { HarvesterVersion } from '../../../src/harvester/version/harvester-version';
import { RancherVersion } from '../../../src/rancher/version/rancher-version';
import { newApp, newRancher } from '../../support/programs';
import { rendered } from '../../support/rendered';

const RKE2 = 'v1.33.6+rke2r1';
const K3S = 'v1.33.6+k3s1';

interface Place {
  readonly harvester?: string;
  readonly name?: string;
  readonly rancher?: string;
  readonly dataDirectory?: string;
  readonly user?: ClusterFields;
  readonly nowhere?: boolean;
}

function contribute(provider: CloudProvider, kubernetes: string, place: Place = {}) {
  const app = newApp();
  const rancher = newRancher(app, place.rancher);
  const dc1 = new HarvesterChart(app, 'dc1', {
    version: place.harvester ?? '1.7.2',
    vip: '10.10.0.10',
  });
  const kubernetesVersion = KubernetesVersion.parse(kubernetes);
  const context: ClusterContext = {
    scope: new Construct(rancher, 'shop'),
    name: place.name ?? 'shop',
    fleetWorkspace: 'fleet-default',
    rancher,
    rancherVersion: RancherVersion.parse(rancher.version),
    kubernetesVersion,
    ...(place.nowhere
      ? {}
      : {
          harvester: dc1,
          harvesterVersion: HarvesterVersion.parse(dc1.version),
          vmNamespace: 'vms',
          namespace: HarvesterNamespace.fromName(dc1, 'vms', { name: 'vms' }),
        }),
    dataDirectory: place.dataDirectory ?? `/var/lib/rancher/${kubernetesVersion.distribution}`,
  };
  const parts = new ClusterParts();
  Object.assign(parts.globalConfig, place.user);
  provider._contribute(parts, context);
  return { app, rancher, dc1, parts, context };
}

function harvester(options: HarvesterCloudProviderOptions, kubernetes = RKE2, place: Place = {}) {
  return contribute(CloudProvider.harvester(options), kubernetes, place);
}
const partsOf = (...args: Parameters<typeof contribute>) => contribute(...args).parts;

const LATE = '${late:dc1.cloudconfig-vms-shop.kubeconfig|base64}';

describe('with RKE2', () => {
  test("writes what Rancher's UI writes", () => {
    const { app, parts } = contribute(CloudProvider.harvester(), RKE2);
    expect(parts.selectorConfig).toEqual({
      'cloud-provider-config': 'secret://fleet-default:harvesterconfig-shop',
      'cloud-provider-name': 'harvester',
    });
    expect(JSON.stringify(parts.chartValues)).toBe(
      '{"harvester-cloud-provider":{"cloudConfigPath":"/var/lib/rancher/rke2/etc/config-files/cloud-provider-config","global":{"cattle":{"clusterName":"shop"}}}}',
    );
    expect(parts.globalConfig).toEqual({});
    expect([parts.manifests, parts.files, parts.selectorFiles]).toEqual([[], [], []]);
    expect(parts.before.map(({ node }) => node.path)).toEqual(['rancher/shop/CloudConfig']);
    expect(Object.keys(rendered(app))).toEqual(
      expect.arrayContaining(['rancher/Secret/harvesterconfig-shop', 'dc1/ServiceAccount/shop']),
    );
  });

  test('follows a data directory, in both charts', () => {
    const { chartValues } = partsOf(CloudProvider.harvester(), RKE2, {
      dataDirectory: '/data/rke2',
    });
    expect(chartValues).toEqual({
      'harvester-cloud-provider': {
        cloudConfigPath: '/data/rke2/etc/config-files/cloud-provider-config',
        global: { cattle: { clusterName: 'shop' } },
      },
      'harvester-csi-driver': { cloudConfig: { hostPath: '/data/rke2/etc/config-files/' } },
    });
  });

  test('has an option for what matters, and lets values win', () => {
    const { chartValues } = harvester({
      replicas: 2,
      limits: { memory: '64Mi' },
      nodeSelector: { zone: 'a' },
      tolerations: [{ operator: TolerationOperator.EXISTS }],
      kubeVip: { networkInterface: 'enp1s0', env: { vip_arp: 'false' }, tolerations: [] },
      values: {
        replicasCount: 3,
        global: { cattle: { systemDefaultRegistry: 'registry.example.com' } },
      },
    }).parts;
    expect(chartValues['harvester-cloud-provider']).toEqual({
      'cloudConfigPath': '/var/lib/rancher/rke2/etc/config-files/cloud-provider-config',
      'global': { cattle: { clusterName: 'shop', systemDefaultRegistry: 'registry.example.com' } },
      'replicasCount': 3,
      'resources': { limits: { memory: '64Mi' } },
      'nodeSelector': { zone: 'a' },
      'tolerations': [{ operator: 'Exists' }],
      'kube-vip': { env: { vip_interface: 'enp1s0', vip_arp: 'false' } },
    });
  });

  test('gives the network and the addresses of nodes as arguments, with a chart that has them', () => {
    const app = newApp();
    const dc1 = new HarvesterChart(app, 'dc1', { version: '1.9.0' });
    const network = VmNetwork.fromName(dc1, 'net', { name: 'prod', namespace: 'nets' });
    const options = {
      managementNetwork: network,
      nodeIpCidrs: ['10.10.0.0/24', 'fd00::/64'],
      nodeExcludeIpRanges: ['10.10.0.200', '10.10.0.224/28'],
      extraArgs: ['--v=4'],
    };
    const { chartValues } = partsOf(CloudProvider.harvester(options), 'v1.34.10+rke2r1', {
      harvester: '1.9.0',
    });
    expect(chartValues['harvester-cloud-provider'].extraArgs).toEqual([
      '--management-network=nets/prod',
      '--node-ip-cidr=10.10.0.0/24,fd00::/64',
      '--node-exclude-ip-ranges=10.10.0.200,10.10.0.224/28',
      '--v=4',
    ]);
  });

  test('sets the storage class of the CSI driver, or turns the driver off', () => {
    const { chartValues } = harvester({
      csi: CsiDriver.install({
        replicas: 1,
        kubeletRootDirectory: '/data/kubelet',
        values: { nodeSelector: { a: 'b' } },
      }),
    }).parts;
    expect(chartValues['harvester-csi-driver']).toEqual({
      nodeSelector: { a: 'b' },
      replicasCount: 1,
      kubeletRootDir: '/data/kubelet',
    });
    const off = harvester({ csi: CsiDriver.none() }, RKE2, {
      user: { disable: ['rke2-ingress-nginx'] },
    }).parts;
    expect(off.globalConfig).toEqual({ disable: ['rke2-ingress-nginx', 'harvester-csi-driver'] });
    expect(off.chartValues['harvester-csi-driver']).toBeUndefined();
  });

  test('takes a cloud config that is there', () => {
    const rancher = newRancher(newApp());
    const { parts, app } = harvester({
      existingCloudConfig: CloudConfigSecret.fromName(rancher, 'there', {
        name: 'harvesterconfigndk26',
      }),
    });
    expect(parts.selectorConfig['cloud-provider-config']).toBe(
      'secret://fleet-default:harvesterconfigndk26',
    );
    expect(Object.keys(rendered(app)).filter((key) => key.startsWith('dc1/'))).toEqual([]);
  });

  test.each<[string, HarvesterCloudProviderOptions, Place & { kubernetes?: string }, string]>([
    [
      'a chart version',
      { chartVersion: '0.2.14' },
      {},
      'cloudProvider.chartVersion: cannot be set: RKE2 v1.33.6+rke2r1 bundles its charts and upgrades them. Fix: ' +
        'remove it and use another Kubernetes version, or use CloudProvider.helmChart()',
    ],
    [
      'a chart version of the CSI driver',
      { csi: CsiDriver.install({ chartVersion: '0.1.30' }) },
      {},
      'cloudProvider.csi.chartVersion: cannot be set: RKE2 v1.33.6+rke2r1 bundles its charts and upgrades them',
    ],
    [
      'a delivery',
      { delivery: CloudConfigDelivery.MACHINE_FILES },
      {},
      'cloudProvider.delivery: cannot be set: RKE2 v1.33.6+rke2r1 bundles its charts and upgrades them',
    ],
    [
      'arguments that its chart ignores',
      { extraArgs: ['--v=4'] },
      {},
      'cloudProvider.extraArgs: has no effect in chart harvester-cloud-provider 0.2.11: it needs 0.2.12',
    ],
    [
      'an argument that is an option',
      { extraArgs: ['--cluster-name=x'] },
      { kubernetes: 'v1.34.10+rke2r1' },
      'cloudProvider.extraArgs[0]: cannot be set here, got "--cluster-name=x": an option sets it. Fix: use that option',
    ],
    [
      'quotes',
      { extraArgs: ['--v="4"'] },
      { kubernetes: 'v1.34.10+rke2r1' },
      'must not contain quotes, which would be part of the value, got "--v=\\"4\\"". Fix: remove them',
    ],
    [
      'two networks of one family',
      { nodeIpCidrs: ['10.0.0.0/8', '10.1.0.0/16'] },
      { kubernetes: 'v1.34.10+rke2r1' },
      'cloudProvider.nodeIpCidrs[1]: must be the only IPv4 entry, got "10.1.0.0/16" (the server: "invalid configuration for --node-ip-cidr: multiple IPv4 entries"). Fix: remove one of them',
    ],
    [
      'a network of no node',
      { nodeIpCidrs: ['169.254.0.0/16'] },
      { kubernetes: 'v1.34.10+rke2r1' },
      'must be a network with addresses of nodes, got "169.254.0.0/16"',
    ],
    [
      'a range of addresses',
      { nodeExcludeIpRanges: ['10.0.0.1-10.0.0.9'] },
      { kubernetes: 'v1.34.10+rke2r1' },
      'cloudProvider.nodeExcludeIpRanges[0]: must be an address or a CIDR, got "10.0.0.1-10.0.0.9"',
    ],
    [
      'an old release without charts',
      {},
      { kubernetes: 'v1.20.15+rke2r2' },
      'cloudProvider: a bundled Harvester cloud provider and CSI driver needs Kubernetes',
    ],
    [
      'a Harvester that is too old for its chart',
      {},
      { harvester: '1.1.3' },
      'cloudProvider: the cloud provider chart 0.2.2 and later needs Harvester 1.2.0 or later, got 1.1.3. Fix: upgrade Harvester first',
    ],
    [
      'a CSI driver that does not work with the Harvester',
      {},
      { harvester: '1.3.2', kubernetes: 'v1.31.1+rke2r2' },
      'cloudProvider.csi: must be a CSI driver for Harvester 1.3.2, got "0.1.20": it needs Harvester 1.4.0 or later (harvester/docs#670)',
    ],
    [
      'the name of every cluster without one',
      {},
      { name: 'kubernetes' },
      'name: must not be the default name of the cloud provider, with which load balancers of clusters collide, got "kubernetes"',
    ],
    [
      'a key that it writes',
      {},
      { user: { 'cloud-provider-name': 'external' } },
      'kubernetes.config[cloud-provider-name]: cannot be set: cloudProvider sets it in machineGlobalConfig. Fix: remove it, or use CloudProvider.none()',
    ],
    [
      'a cluster that is nowhere',
      {},
      { nowhere: true },
      '[rancher/shop] cloudProvider: must have an account on Harvester, for which the cluster must set harvesterImport and vmNamespace',
    ],
    [
      'replicas that are none',
      { replicas: 1.5 },
      {},
      'cloudProvider.replicas: must be a whole number of 0 or more, got 1.5',
    ],
  ])('refuses %s', (_, options, place, message) => {
    expect(() => harvester(options, place.kubernetes ?? RKE2, place)).toThrow(message);
  });

  test('works with the CSI driver off where that does not work with the Harvester', () => {
    expect(
      harvester({ csi: CsiDriver.none() }, 'v1.31.1+rke2r2', { harvester: '1.3.2' }).parts
        .globalConfig.disable,
    ).toEqual(['harvester-csi-driver']);
  });

  test.each(['v1.31.0+rke2r1', 'v1.31.4+rke2r1', 'v1.33.6+rke2r1'])(
    'works on Harvester 1.3 with the CSI driver of %s',
    (kubernetes) => {
      expect(harvester({}, kubernetes, { harvester: '1.3.2' }).parts.globalConfig).toEqual({});
    },
  );
});

describe('with K3s', () => {
  test("is the documented recipe: a HelmChart, a file on every node, and nothing of K3s' own in its way", () => {
    const { app, parts } = contribute(CloudProvider.harvester(), K3S);
    expect(parts.globalConfig).toEqual({
      'disable': ['servicelb'],
      'disable-cloud-controller': true,
    });
    expect(parts.selectorConfig).toEqual({ 'kubelet-arg': ['cloud-provider=external'] });
    expect(parts.files).toEqual([
      {
        path: '/var/lib/rancher/k3s/etc/config-files/cloud-provider-config',
        content: LATE,
        encoding: 'b64',
        owner: 'root:root',
        permissions: '0644',
      },
    ]);
    expect(parts.manifests).toEqual([
      {
        apiVersion: 'helm.cattle.io/v1',
        kind: 'HelmChart',
        metadata: { name: 'harvester-cloud-provider', namespace: 'kube-system' },
        spec: {
          targetNamespace: 'kube-system',
          bootstrap: true,
          repo: 'https://charts.harvesterhci.io/',
          chart: 'harvester-cloud-provider',
          version: '0.2.11',
          valuesContent:
            'cloudConfigPath: /var/lib/rancher/k3s/etc/config-files/cloud-provider-config\nglobal:\n  cattle:\n    clusterName: shop\n',
        },
      },
    ]);
    expect([parts.chartValues, parts.selectorFiles]).toEqual([{}, []]);
    // no Secret on Rancher: nothing there would read it
    expect(parts.before.map(({ node }) => node.path)).toEqual(['dc1/CloudConfig-vms-shop']);
    expect(Object.keys(rendered(app)).filter((key) => key.startsWith('rancher/'))).toEqual([]);
  });

  test('adds to lists of the user in place, since Rancher replaces one by the other', () => {
    const { globalConfig, selectorConfig } = partsOf(CloudProvider.harvester(), K3S, {
      user: { 'disable': ['traefik'], 'kubelet-arg': ['max-pods=200'] },
    });
    expect(globalConfig).toEqual({
      'disable': ['traefik', 'servicelb'],
      'disable-cloud-controller': true,
      'kubelet-arg': ['max-pods=200', 'cloud-provider=external'],
    });
    expect(selectorConfig).toEqual({});
  });

  test.each([
    ['1.2.2', '0.2.2'],
    ['1.3.1', '0.2.2'],
    ['1.4.1', '0.2.9'],
    ['1.5.1', '0.2.11'],
    ['1.6.0', '0.2.11'],
    ['1.9.0', '0.2.12'],
  ])('on Harvester %s takes chart %s', (version, chart) => {
    expect(
      partsOf(CloudProvider.harvester(), K3S, { harvester: version }).manifests[0],
    ).toMatchObject({ spec: { version: chart } });
  });

  test("has the file written by Rancher's agent", () => {
    const { app, parts } = harvester({ delivery: CloudConfigDelivery.MACHINE_FILES }, K3S);
    expect(parts.files).toEqual([]);
    expect(parts.selectorFiles).toEqual([
      {
        fileSources: [
          {
            secret: {
              name: 'harvesterconfig-shop',
              items: [
                {
                  key: 'credential',
                  path: '/var/lib/rancher/k3s/etc/config-files/cloud-provider-config',
                  dynamic: true,
                },
              ],
            },
          },
        ],
      },
    ]);
    expect(rendered(app)['rancher/Secret/harvesterconfig-shop'].metadata.annotations).toMatchObject(
      { 'rke.cattle.io/object-authorized-for-clusters': 'shop' },
    );
  });

  test('has a Secret in the guest cluster, with a key for each chart', () => {
    const { manifests, files } = harvester(
      {
        delivery: CloudConfigDelivery.GUEST_SECRET,
        chartVersion: '0.2.15',
        csi: CsiDriver.install(),
      },
      K3S,
    ).parts;
    expect(files).toEqual([]);
    expect(manifests).toMatchObject([
      {
        kind: 'Secret',
        metadata: { name: 'hcp-cloud-config', namespace: 'kube-system' },
        type: 'Opaque',
        data: { 'cloud-config': LATE, 'cloud-provider-config': LATE },
      },
      {
        spec: {
          version: '0.2.15',
          valuesContent:
            'cloudConfig:\n  secretName: hcp-cloud-config\n  secretKey: cloud-config\nglobal:\n  cattle:\n    clusterName: shop\n',
        },
      },
      {
        metadata: { name: 'harvester-csi-driver' },
        spec: {
          version: '0.1.24',
          valuesContent: 'cloudConfig:\n  secretName: hcp-cloud-config\n',
        },
      },
    ]);
  });

  test('installs the CSI driver if an option asks for it: the last one that needs no definitions of snapshots', () => {
    const { manifests } = harvester({ csi: CsiDriver.install({ replicas: 1 }) }, K3S).parts;
    expect(manifests[1]).toEqual({
      apiVersion: 'helm.cattle.io/v1',
      kind: 'HelmChart',
      metadata: { name: 'harvester-csi-driver', namespace: 'kube-system' },
      spec: {
        targetNamespace: 'kube-system',
        repo: 'https://charts.harvesterhci.io/',
        chart: 'harvester-csi-driver',
        version: '0.1.24',
        valuesContent:
          'replicasCount: 1\ncloudConfig:\n  hostPath: /var/lib/rancher/k3s/etc/config-files/\n',
      },
    });
    const newest = harvester({ csi: CsiDriver.install({ snapshotDefinitions: true }) }, K3S, {
      harvester: '1.9.0',
    }).parts;
    expect(newest.manifests[1]).toMatchObject({ spec: { version: '0.1.30' } });
  });

  test('uses the kubeconfig of a cloud config that was made apart', () => {
    const app = newApp();
    const rancher = newRancher(app);
    const dc2 = new HarvesterChart(app, 'dc2', { version: '1.7.2' });
    const own = new CloudConfigSecret(rancher, 'own', {
      vmNamespace: HarvesterNamespace.fromName(dc2, 'vms', { name: 'vms' }),
      clusterName: 'shop',
    });
    const { parts } = harvester({ existingCloudConfig: own }, K3S);
    expect(parts.files[0].content).toBe(own.kubeconfig!.base64);
    expect(parts.before).toEqual([own]);
  });

  test.each<[string, HarvesterCloudProviderOptions, Place, string]>([
    [
      'a Secret with a chart that ignores it',
      { delivery: CloudConfigDelivery.GUEST_SECRET },
      {},
      'cloudProvider.delivery: needs chart harvester-cloud-provider 0.2.12 or later, got "guest-secret": ' +
        '0.2.11 ignores cloudConfig.secretName. Fix: use another delivery or a later chartVersion',
    ],
    [
      'files with a Rancher that has none',
      { delivery: CloudConfigDelivery.MACHINE_FILES },
      { rancher: '2.7.1' },
      'cloudProvider.delivery: machineSelectorFiles needs Rancher 2.7.2 or later, got 2.7.1. Fix: use another delivery',
    ],
    [
      'a CSI driver that is not installed',
      { csi: CsiDriver.install({ chartVersion: '0.1.25' }) },
      {},
      'cloudProvider.csi.chartVersion: cannot be installed on K3s without the definition of VolumeSnapshotClass, got "0.1.25". Fix: ' +
        'install the definitions of snapshots and set snapshotDefinitions to true, or use 0.1.24',
    ],
    [
      'a version that is none',
      { chartVersion: 'latest' },
      {},
      '[rancher/shop] cloudProvider.chartVersion: chart version: must be a full version such as "0.2.11", got "latest"',
    ],
    [
      'kube-vip off with a chart that ignores it',
      { chartVersion: '0.2.6', kubeVip: { enabled: false } },
      {},
      'cloudProvider.kubeVip.enabled: has no effect in chart harvester-cloud-provider 0.2.6: it needs 0.2.7',
    ],
    [
      'its own controller next to it',
      {},
      { user: { 'disable-cloud-controller': false } },
      'kubernetes.config[disable-cloud-controller]: must be true, got false: otherwise the controller of the distribution initializes nodes before the cloud provider does',
    ],
    [
      'a Harvester without a known chart',
      {},
      { harvester: '1.1.3' },
      'cloudProvider.chartVersion: must be set: the chart version for Harvester 1.1.3 is unknown. Fix: set chartVersion',
    ],
    [
      'a new chart on an old Harvester',
      { chartVersion: '0.2.2' },
      { harvester: '1.1.3' },
      'cloudProvider: the cloud provider chart 0.2.2 and later needs Harvester 1.2.0 or later, got 1.1.3',
    ],
  ])('refuses %s', (_, options, place, message) => {
    expect(() => harvester(options, K3S, place)).toThrow(message);
  });

  test('refuses user data from a cloud config of which the name is known only', () => {
    const existingCloudConfig = CloudConfigSecret.fromName(newRancher(newApp()), 'there', {
      name: 'x',
    });
    expect(() => harvester({ existingCloudConfig }, K3S)).toThrow(
      'cloudProvider.delivery: needs the kubeconfig itself, got "user-data": only the name of an existing cloud config is known',
    );
    const { parts } = harvester(
      { existingCloudConfig, delivery: CloudConfigDelivery.MACHINE_FILES },
      K3S,
    );
    expect(parts.selectorFiles).toMatchObject([{ fileSources: [{ secret: { name: 'x' } }] }]);
  });
});

describe('external, with RKE2', () => {
  test("is a HelmChart of a version of one's own, with RKE2's own controller off", () => {
    const options = {
      chartVersion: '108.0.1+up0.2.12',
      chartRepository: 'https://charts.rancher.io',
      extraArgs: ['--v=4'],
    };
    const { parts } = contribute(CloudProvider.helmChart(options), RKE2);
    expect(parts.selectorConfig).toEqual({ 'cloud-provider-name': 'external' });
    expect(parts.globalConfig).toEqual({ 'disable-cloud-controller': true });
    expect(parts.files).toMatchObject([
      { path: '/var/lib/rancher/rke2/etc/config-files/cloud-provider-config' },
    ]);
    expect(parts.manifests).toMatchObject([
      {
        spec: {
          version: '108.0.1+up0.2.12',
          repo: 'https://charts.rancher.io',
          valuesContent:
            'cloudConfigPath: /var/lib/rancher/rke2/etc/config-files/cloud-provider-config\nglobal:\n  cattle:\n    clusterName: shop\nextraArgs:\n  - --v=4\n',
        },
      },
    ]);
    expect(parts.chartValues).toEqual({});
  });

  test('has the newest CSI driver of its Harvester, since RKE2 has the definitions of snapshots', () => {
    expect(
      partsOf(CloudProvider.helmChart({ csi: CsiDriver.install() }), RKE2).manifests[1],
    ).toMatchObject({ spec: { version: '0.1.25' } });
  });
});

describe('the permission of the CSI driver to patch virtual machines', () => {
  const granted = (provider: CloudProvider, kubernetes: string, place: Place = {}) => {
    const objects = rendered(contribute(provider, kubernetes, place).app);
    return {
      role: objects['dc1/Role/shop-csi-volumes'],
      binding: objects['dc1/RoleBinding/shop-csi-volumes'],
    };
  };

  test('is a Role in the namespace of the machines', () => {
    expect(granted(CloudProvider.harvester(), 'v1.34.7+rke2r1')).toMatchObject({
      role: {
        metadata: { namespace: 'vms' },
        rules: [{ apiGroups: ['kubevirt.io'], resources: ['virtualmachines'], verbs: ['patch'] }],
      },
      binding: {
        metadata: { namespace: 'vms' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'shop-csi-volumes' },
        subjects: [{ kind: 'ServiceAccount', name: 'shop', namespace: 'vms' }],
      },
    });
  });

  const rke2 = (csi?: CsiDriver) => CloudProvider.harvester({ csi });
  const chart = (version: string) =>
    CsiDriver.install({ chartVersion: version, snapshotDefinitions: true });
  test.each([
    [rke2(), 'v1.33.11+rke2r1', '1.7.2', true],
    [rke2(), 'v1.33.10+rke2r1', '1.7.2', false],
    [rke2(), 'v1.33.11+rke2r1', '1.8.0', false],
    [rke2(), 'v1.34.7+rke2r1', '1.6.1', true],
    [rke2(), 'v1.34.6+rke2r1', '1.7.2', false],
    [rke2(), 'v1.35.4+rke2r1', '1.4.0', true],
    [rke2(), 'v1.35.3+rke2r1', '1.7.2', false],
    [rke2(), 'v1.36.0+rke2r1', '1.7.3', true],
    [rke2(), 'v1.36.0+rke2r1', '1.9.0', false],
    // later than what is known of RKE2
    [rke2(), 'v1.37.0+rke2r1', '1.7.2', true],
    [rke2(CsiDriver.none()), 'v1.34.7+rke2r1', '1.7.2', false],
    [rke2(chart('0.1.27')), K3S, '1.7.2', true],
    [rke2(chart('0.1.26')), K3S, '1.7.2', false],
    [rke2(chart('0.1.30')), K3S, '1.8.0', false],
    [rke2(CsiDriver.install()), K3S, '1.7.2', false],
    [CloudProvider.helmChart({ csi: chart('108.0.0+up0.1.28') }), RKE2, '1.7.2', true],
  ])('%#: on %2$s with Harvester %3$s', (provider, kubernetes, version, expected) => {
    const { role, binding } = granted(provider, kubernetes, { harvester: version });
    expect([role !== undefined, binding !== undefined]).toEqual([expected, expected]);
  });

  test.each(Object.values(CloudConfigDelivery))('comes with delivery %s', (delivery) => {
    const provider = CloudProvider.harvester({
      csi: chart('0.1.28'),
      delivery,
      chartVersion: '0.2.15',
    });
    expect(granted(provider, K3S).role.rules).toEqual([
      { apiGroups: ['kubevirt.io'], resources: ['virtualmachines'], verbs: ['patch'] },
    ]);
  });
});

test('none adds nothing', () => {
  expect(partsOf(CloudProvider.none(), RKE2)).toEqual(new ClusterParts());
});
