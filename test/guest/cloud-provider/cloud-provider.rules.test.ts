import { judge } from '../../../src/core/rule/judge';
import { JudgedObject, World } from '../../../src/core/rule/rule';
import { ALL_RULES } from '../../../src/registry/all-rules';
import {
  cloudConfig,
  credential,
  guest,
  kubeconfig,
  machineConfig,
  pool,
  secret,
  told,
} from '../../support/guest';
import { cluster } from '../../support/judging';

const config = machineConfig();
const all = (...others: object[]) =>
  [config, cloudConfig(), credential(), ...others] as Parameters<typeof told>[0];
/** The findings about a cluster next to all that it needs. */
const one = (rkeConfig: object, spec: object = {}, metadata: object = {}) =>
  told([...all(), guest(rkeConfig, spec, metadata)]);

describe('the cloud provider', () => {
  const named = (text: string, others: object = {}) => ({
    machineSelectorConfig: [
      { config: { 'cloud-provider-config': text, 'cloud-provider-name': 'harvester', ...others } },
    ],
  });
  const values = (fields: object) => ({
    chartValues: {
      'harvester-cloud-provider': {
        cloudConfigPath: '/var/lib/rancher/rke2/etc/config-files/cloud-provider-config',
        global: { cattle: { clusterName: 'shop' } },
        ...fields,
      },
    },
  });
  test.each([
    [
      named('secret://harvesterconfig-shop'),
      '(the server: "provided value for cloud-provider-config secret is malformed, must be of the format secret://namespace:name")',
    ],
    [
      named('apiVersion: v1\ntoken: hunter2\n'),
      'warning cluster/cloud-config spec.rkeConfig.machineSelectorConfig[0].config.cloud-provider-config: must not be the kubeconfig itself: Rancher moves it into a Secret and rewrites the field only once',
    ],
    [
      named('secret://fleet-default:nobody'),
      'warning cluster/cloud-config spec.rkeConfig.machineSelectorConfig[0].config.cloud-provider-config: does not match any known Secret, got "secret://fleet-default:nobody": unless it exists, no node gets a plan',
    ],
    [
      values({ global: { cattle: { clusterName: 'c-m-abcdefgh' } } }),
      'warning cluster/cloud-cluster-name spec.rkeConfig.chartValues.harvester-cloud-provider.global.cattle.clusterName: must be the name of the Cluster, shop, which the labels of the virtual machines contain, got "c-m-abcdefgh"',
    ],
    [
      values({ global: {} }),
      'warning cluster/cloud-cluster-name spec.rkeConfig.chartValues.harvester-cloud-provider.global.cattle.clusterName: must be set: otherwise all clusters are named "kubernetes", and the names of their load balancers collide',
    ],
    [
      values({ cloudConfigPath: '/etc/kubernetes/cloud-config' }),
      'error cluster/cloud-config-path spec.rkeConfig.chartValues.harvester-cloud-provider.cloudConfigPath: must be the path at which Rancher writes the file, got "/etc/kubernetes/cloud-config": otherwise the pods of the cloud provider wait for it indefinitely',
    ],
    [
      { dataDirectories: { k8sDistro: '/data' }, ...values({}) },
      'write /data/etc/config-files/cloud-provider-config',
    ],
    [
      { dataDirectories: { k8sDistro: '/data' }, ...values({ cloudConfigPath: undefined }) },
      'error cluster/cloud-config-path spec.rkeConfig.chartValues.harvester-cloud-provider.cloudConfigPath: must be set together with the data directory /data: the chart looks below /var/lib/rancher/rke2',
    ],
  ])('%j', (rkeConfig, text) => {
    const findings = one(rkeConfig);
    expect(findings).toEqual([expect.stringContaining(text)]);
    expect(findings.join()).not.toContain('hunter2');
  });

  test('the name of another Cluster is an error', () => {
    const other = cluster('bank', { rkeConfig: {}, kubernetesVersion: 'v1.33.6+rke2r1' });
    expect(
      told([...all(other), guest(values({ global: { cattle: { clusterName: 'bank' } } }))]),
    ).toEqual([
      'error cluster/cloud-cluster-name spec.rkeConfig.chartValues.harvester-cloud-provider.global.cattle.clusterName: must be shop, got "bank": it is the name of another Cluster, ' +
        'and the load balancers of the two would collide. Fix: write "shop"',
    ]);
  });

  test('accepts a name of digits without quotes', () => {
    expect(
      one(values({ global: { cattle: { clusterName: 51 } } }), {}, { name: '51' }).filter((line) =>
        line.includes('cluster-name'),
      ),
    ).toEqual([]);
  });

  test.each([
    ['v1.22.9+rke2r1', ['1.22.12+rke2r1, 1.23.9+rke2r1, 1.24.3+rke2r1']],
    ['v1.24.3+rke2r1', []],
  ])('zones of machines on %s', (kubernetesVersion, texts) => {
    const affinity = {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, podAffinityTerm: { topologyKey: 'topology.kubernetes.io/zone' } },
        ],
      },
    };
    for (const vmAffinity of [
      JSON.stringify(affinity),
      Buffer.from(JSON.stringify(affinity)).toString('base64'),
    ]) {
      const findings = told([
        machineConfig({ vmAffinity }),
        cloudConfig(),
        credential(),
        guest({}, { kubernetesVersion }),
      ]).filter((line) => line.includes('topology-labels'));
      expect(findings).toEqual(
        texts.map(() =>
          expect.stringContaining(
            'warning cluster/topology-labels spec.kubernetesVersion: does not label nodes with zones, by which machines of pool all are placed: the zone and region of the Harvester node on nodes of the guest cluster needs Kubernetes 1.22.12+rke2r1, 1.23.9+rke2r1, 1.24.3+rke2r1 or later',
          ),
        ),
      );
    }
    expect(
      one({}, { kubernetesVersion }).filter((line) => line.includes('topology-labels')),
    ).toEqual(
      texts.map((text) =>
        expect.stringContaining(
          `does not label nodes with the zones of their machines: the zone and region of the Harvester node on nodes of the guest cluster needs Kubernetes ${text}`,
        ),
      ),
    );
  });

  test('zones of machines that can move to another host, before cloud provider 0.2.0', () => {
    const drift = (fields: object, rkeConfig: object, kubernetesVersion: string) =>
      told([
        machineConfig(fields),
        cloudConfig(),
        credential(),
        guest(rkeConfig, { kubernetesVersion }),
      ]).filter((line) => line.includes('topology-drift'));
    const placed = {
      vmAffinity: JSON.stringify({
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
      }),
    };
    const message =
      'labels a node with its zone only once: machines of pool all have no affinity to hosts, so they can move to another zone';
    expect(drift({}, {}, 'v1.24.3+rke2r1')).toEqual([
      expect.stringContaining(`warning cluster/topology-drift spec.kubernetesVersion: ${message}`),
    ]);
    expect([
      drift(placed, {}, 'v1.24.3+rke2r1'),
      drift({}, {}, 'v1.24.15+rke2r1'),
      drift({}, {}, 'v1.24.2+rke2r1'),
    ]).toEqual([[], [], []]);
    const chart = (version: string) => ({
      machineSelectorConfig: [],
      additionalManifest: JSON.stringify({
        apiVersion: 'helm.cattle.io/v1',
        kind: 'HelmChart',
        metadata: { name: 'harvester-cloud-provider', namespace: 'kube-system' },
        spec: { chart: 'harvester-cloud-provider', version },
      }),
    });
    expect(drift({}, chart('0.1.14'), 'v1.33.6+k3s1')).toEqual([
      expect.stringContaining('use chart 0.2.0 or later'),
    ]);
    expect(drift({}, chart('0.2.2'), 'v1.33.6+k3s1')).toEqual([]);
  });

  test('zones of machines with a chart that writes none, whatever places the machines', () => {
    const additionalManifest = JSON.stringify({
      apiVersion: 'helm.cattle.io/v1',
      kind: 'HelmChart',
      metadata: { name: 'harvester-cloud-provider', namespace: 'kube-system' },
      spec: { chart: 'harvester-cloud-provider', version: '0.1.3' },
    });
    const findings = told([
      machineConfig({}),
      guest(
        { additionalManifest, machineSelectorConfig: [] },
        { kubernetesVersion: 'v1.33.6+k3s1' },
      ),
    ]);
    expect(findings.filter((line) => line.includes('topology'))).toEqual([
      expect.stringContaining(
        'does not label nodes with the zones of their machines: this needs chart 0.1.4 or later, got 0.1.3. Fix: use chart 0.1.4 or later',
      ),
    ]);
  });

  test.each([
    ['0.1.3', ['got 0.1.3']],
    ['103.0.0+up0.1.3', ['got 103.0.0+up0.1.3']],
    ['0.1.4', []],
    ['latest', []],
  ])('zones of machines with chart %s', (version, texts) => {
    const affinity = {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, podAffinityTerm: { topologyKey: 'topology.kubernetes.io/region' } },
        ],
      },
    };
    const additionalManifest = JSON.stringify({
      apiVersion: 'helm.cattle.io/v1',
      kind: 'HelmChart',
      metadata: { name: 'harvester-cloud-provider', namespace: 'kube-system' },
      spec: { chart: 'harvester-cloud-provider', version },
    });
    const findings = told([
      machineConfig({ vmAffinity: JSON.stringify(affinity) }),
      guest({ additionalManifest, machineSelectorConfig: [] }),
    ]);
    expect(findings.filter((line) => line.includes('topology-labels'))).toEqual(
      texts.map((text) =>
        expect.stringContaining(
          `warning cluster/topology-labels spec.rkeConfig.additionalManifest[0].spec.version: does not label nodes with zones, by which machines of pool all are placed: this needs chart 0.1.4 or later, ${text}. ` +
            'Fix: use chart 0.1.4 or later',
        ),
      ),
    );
  });

  test('a Secret that another tool makes is not missing', () => {
    const sealed = {
      apiVersion: 'bitnami.com/v1alpha1',
      kind: 'SealedSecret',
      metadata: { name: 'nobody', namespace: 'fleet-default' },
    };
    expect(told([...all(sealed), guest(named('secret://fleet-default:nobody'))])).toEqual([]);
  });

  test('a newer key with a version counts too', () => {
    const chart = {
      'harvester-cloud-provider-0.2.1100': {
        cloudConfigPath: '/var/lib/rancher/rke2/etc/config-files/cloud-provider-config',
        global: { cattle: { clusterName: 'shop' } },
      },
    };
    expect(one({ chartValues: chart })).toEqual([]);
  });

  test('user data may write the file where the chart looks', () => {
    const writing = machineConfig({
      userData:
        '#cloud-config\npackages: [qemu-guest-agent]\nwrite_files: [{path: /etc/kubernetes/cloud-config}]\n',
    });
    expect(
      told([
        writing,
        cloudConfig(),
        credential(),
        guest(values({ cloudConfigPath: '/etc/kubernetes/cloud-config' })),
      ]),
    ).toEqual([]);
  });

  test.each([
    [
      cloudConfig(kubeconfig('other')),
      'error cluster/cloud-namespace spec.rkeConfig.machineSelectorConfig[0].config.cloud-provider-config: must be the namespace of the machines, vms, in the kubeconfig, got "other": otherwise the cloud provider does not find them. Fix: set the namespace of the kubeconfig\'s context to vms',
    ],
    [
      cloudConfig(kubeconfig('')),
      'error cluster/cloud-namespace spec.rkeConfig.machineSelectorConfig[0].config.cloud-provider-config: must be the namespace of the machines, vms, in the kubeconfig, which names none, got "default": otherwise the cloud provider does not find them',
    ],
    [
      cloudConfig(kubeconfig('vms', 'https://127.0.0.1:6443')),
      'must not be a local address in the kubeconfig, at which machines do not reach Harvester, got "https://127.0.0.1:6443"',
    ],
    [
      cloudConfig('hunter2'),
      'error cluster/cloud-namespace spec.rkeConfig.machineSelectorConfig[0].config.cloud-provider-config: must name a Secret with a kubeconfig',
    ],
    [
      cloudConfig(kubeconfig(), { 'v2prov-secret-authorized-for-cluster': 'other' }),
      'error cluster/cloud-config spec.rkeConfig.machineSelectorConfig[0].config.cloud-provider-config: must name a Secret for this Cluster, got "secret://fleet-default:harvesterconfig-shop": its annotation names other (the server: "the secret \'secret://fleet-default:harvesterconfig-shop\' provided within the cloud-provider-config does not belong to cluster \'shop\'")',
    ],
    [
      secret(
        'harvesterconfig-shop',
        'fleet-default',
        { kubeconfig: 'x' },
        { 'v2prov-secret-authorized-for-cluster': 'a,shop' },
      ),
      '(the server: "the cloud-provider-config specified a secret, but no config could be found within the secret \'secret://fleet-default:harvesterconfig-shop\'")',
    ],
    [
      cloudConfig(kubeconfig(), {
        'v2prov-secret-authorized-for-cluster': 'a,shop',
        'v2prov-authorized-secret-deletes-on-cluster-removal': 'true',
      }),
      'warning cluster/cloud-config',
    ],
  ])('%#: the Secret', (config_, text) => {
    const findings = told([config, config_, credential(), guest()]);
    expect(findings).toEqual([expect.stringContaining(text)]);
    expect(findings.join()).not.toMatch(/hunter2|secret-token/);
  });

  test('does not judge a kubeconfig that is a late value', () => {
    const late = { ...cloudConfig(), data: { credential: '${late:kubeconfig|base64}' } };
    expect(told([config, late, credential(), guest()])).toEqual([]);
  });

  test('all machines are in one namespace', () => {
    const pools = [
      pool(),
      pool({
        name: 'more',
        etcdRole: false,
        machineConfigRef: { kind: 'HarvesterConfig', name: 'nc-more' },
      }),
    ];
    expect(
      told([
        ...all(machineConfig({ vmNamespace: 'elsewhere' }, 'nc-more')),
        guest({ machinePools: pools }),
      ]),
    ).toEqual([
      'error cluster/cloud-namespace spec.rkeConfig.machinePools[1].machineConfigRef: must be vms, as for pool all, got "elsewhere": ' +
        'the cloud provider and the CSI driver use only one namespace. Fix: use one vmNamespace for all machine configurations of a cluster',
    ]);
  });

  const versionFindings = (objects: JudgedObject[]) =>
    judge(ALL_RULES, new World(objects)).filter(({ rule }) => rule === 'cluster/harvester-version');

  // 1.31.1+rke2r2 bundles the CSI driver 0.1.20, the releases next to it 0.1.18 and 0.1.21
  test.each([
    ['1.1.2', 'v1.31.1+rke2r2', 2],
    ['1.3.2', 'v1.31.1+rke2r2', 1],
    ['1.4.0', 'v1.31.1+rke2r2', 0],
    ['1.1.2', 'v1.33.6+rke2r1', 1],
    ['1.2.2', 'v1.31.0+rke2r1', 0],
    ['1.2.2', 'v1.31.4+rke2r1', 0],
    ['1.3.2', 'v1.33.6+rke2r1', 0],
  ])(
    'judges the charts that RKE2 bundles: Harvester %s, RKE2 %s',
    (harvesterVersion, kubernetesVersion, count) => {
      const target = {
        name: 'rancher',
        kind: 'rancher' as const,
        rancherVersion: '2.13.8',
        harvesterVersion,
      };
      expect(
        versionFindings(
          [...all(), guest({}, { kubernetesVersion })].map((manifest) => ({ manifest, target })),
        ),
      ).toHaveLength(count);
    },
  );

  test('of two Harvesters the one counts that the cluster runs on', () => {
    const on = (name: string, harvesterVersion: string): JudgedObject => ({
      target: { name, kind: 'harvester', harvesterVersion, managedAs: `rancher/c-m-${name}` },
      manifest: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'vms' } },
    });
    const target = { name: 'rancher', kind: 'rancher' as const, rancherVersion: '2.13.8' };
    const clusterOn = (id: string) => [
      config,
      cloudConfig(),
      credential({ 'harvestercredentialConfig-clusterId': id }),
      guest({}, { kubernetesVersion: 'v1.31.1+rke2r2' }),
    ];
    const count = (id: string) =>
      versionFindings([
        on('old', '1.3.2'),
        on('new', '1.7.2'),
        ...clusterOn(id).map((manifest) => ({ manifest, target })),
      ]).length;
    expect([count('c-m-old'), count('c-m-new')]).toEqual([1, 0]);
  });
});
