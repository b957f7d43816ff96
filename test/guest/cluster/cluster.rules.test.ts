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
import { judgeOn } from '../../support/judging';

const config = machineConfig();
const all = (...others: object[]) =>
  [config, cloudConfig(), credential(), ...others] as Parameters<typeof told>[0];
/** The findings about a cluster next to all that it needs. */
const one = (rkeConfig: object, spec: object = {}, metadata: object = {}, version = '2.13.8') =>
  told([...all(), guest(rkeConfig, spec, metadata)], { version });
const K3S = { kubernetesVersion: 'v1.33.6+k3s1' };

/** The findings of every rule, except those about the plain Secrets of these tests. */
const byAll = (cluster_: object) =>
  judgeOn(ALL_RULES, all(cluster_), { version: '2.13.8' }).filter(
    ({ rule }) => !/^(guest-secret\/plain|object\/plain-secret)$/.test(rule),
  );

test('a cluster as the UI makes it is fine, by every rule', () => {
  expect(byAll(guest())).toEqual([]);
});

test('a cluster alone, whose other objects are not known, is fine', () => {
  expect(told([guest()])).toEqual([]);
});

describe('what real users get wrong, with the whole message', () => {
  test('a number in machineGlobalConfig', () => {
    expect(
      one({
        machineGlobalConfig: {
          'cni': 'calico',
          'etcd-arg': { a: 1 },
          'service-node-port-range': 30000,
        },
      }),
    ).toEqual([
      'error cluster/node-config-value spec.rkeConfig.machineGlobalConfig.etcd-arg: must be a string, a boolean or a list, got {"a":1}: Rancher drops maps silently. Fix: write a list of "name=value" strings',
      'error cluster/node-config-value spec.rkeConfig.machineGlobalConfig.service-node-port-range: must be a string, a boolean or a list, got 30000: Rancher drops numbers silently. Fix: write it in quotes: "30000"',
    ]);
  });

  test.each([
    ['0640', 0o640],
    ['0600', 0o600],
    ['0640', 640],
  ])('permissions %s that YAML read as a number', (text, mode) => {
    expect(
      one({ machineGlobalConfig: { 'cni': 'calico', 'write-kubeconfig-mode': mode } }),
    ).toContainEqual(expect.stringContaining(`Fix: write it in quotes: "${text}"`));
  });

  test('a cloud-config Secret without the annotation', () => {
    expect(told([config, cloudConfig(kubeconfig(), {}), credential(), guest()])).toEqual([
      'error cluster/cloud-config spec.rkeConfig.machineSelectorConfig[0].config.cloud-provider-config: ' +
        'must name a Secret with annotation v2prov-secret-authorized-for-cluster, got "secret://fleet-default:harvesterconfig-shop" (the server: "the secret \'secret://fleet-default:harvesterconfig-shop\' provided within the ' +
        'cloud-provider-config does not belong to cluster \'shop\'"). Fix: set annotation v2prov-secret-authorized-for-cluster of the Secret to "shop"',
    ]);
  });

  test('the chart key that does nothing', () => {
    const values = {
      clusterName: 'shop',
      cloudConfigPath: '/var/lib/rancher/rke2/etc/config-files/cloud-provider-config',
      global: { cattle: { clusterName: 'shop' } },
    };
    expect(one({ chartValues: { 'harvester-cloud-provider': values } })).toEqual([
      'warning cluster/cloud-cluster-name spec.rkeConfig.chartValues.harvester-cloud-provider.clusterName: has no effect in charts 0.2.0 and later, got "shop". Fix: ' +
        'write global: {cattle: {clusterName: …}} instead',
    ]);
  });

  test('NO_PROXY with spaces', () => {
    const findings = byAll(
      guest({}, { agentEnvVars: [{ name: 'NO_PROXY', value: '10.0.0.0/8, localhost' }] }),
    );
    expect(
      findings.map(
        ({ level, rule, path, message, fix }) =>
          `${level} ${rule} ${path}: ${message}. Fix: ${fix}`,
      ),
    ).toEqual([
      'error cluster/no-proxy spec.agentEnvVars[0].value: cannot contain whitespace (the server: "Malformed NO_PROXY environment variable value format: ' +
        'detected whitespace in value"). Fix: separate the entries by commas only',
    ]);
  });
});

describe('machine pools', () => {
  test.each([
    [
      [pool({ machineConfigRef: {} })],
      'machineConfigRef: must name a machine configuration (the server: "invalid machinePool [all] missing name or valid config")',
    ],
    [
      [pool({ machineConfigRef: { kind: 'HarvesterConfig', name: 'nc-other' } })],
      'warning cluster/pool-config spec.rkeConfig.machinePools[0].machineConfigRef.name: does not match any known machine configuration, got "nc-other"',
    ],
    [
      [
        pool({
          machineConfigRef: { kind: 'HarvesterConfig', name: 'nc-shop', namespace: 'elsewhere' },
        }),
      ],
      'warning cluster/pool-config spec.rkeConfig.machinePools[0].machineConfigRef.namespace: has no effect, got "elsewhere"',
    ],
    [
      [pool(), pool({ name: 'none', etcdRole: false, controlPlaneRole: false, workerRole: false })],
      'at least one role of etcd, control-plane or worker must be assigned to machinePool [none]',
    ],
    [
      [pool({ workerRole: false })],
      'must have every role: no pool has the role worker, so the cluster never becomes ready (the server: "waiting for at least one control plane, etcd, and worker node to be registered"). Fix: give each role to at least one pool',
    ],
    [
      [pool({ quantity: 2 })],
      'warning cluster/pool-roles spec.rkeConfig.machinePools: must have an odd number of machines with etcd, got 2: one more machine does not let etcd survive more failures. Fix: use 1, 3 or 5',
    ],
    [
      [pool({ quantity: undefined, autoscalingMinSize: 1 })],
      'error object/field-limit spec.rkeConfig.machinePools[0]: must set both autoscalingMinSize and autoscalingMaxSize: they only work together',
    ],
    [
      [pool({ quantity: undefined, autoscalingMinSize: 5, autoscalingMaxSize: 3 })],
      'error object/field-limit spec.rkeConfig.machinePools[0].autoscalingMinSize: must be at most autoscalingMaxSize, got 5',
    ],
    [
      [
        pool(),
        pool({
          name: 'b',
          quantity: undefined,
          controlPlaneRole: false,
          autoscalingMinSize: 0,
          autoscalingMaxSize: 3,
        }),
      ],
      'must be at least 1 for a pool with the role etcd, got 0 (the server: "spec.rkeConfig.machinePools[1]: Invalid value: "object": AutoscalingMinSize must be greater than 0 when EtcdRole is true")',
    ],
    [
      [pool({ autoscalingMinSize: 3, autoscalingMaxSize: 5 })],
      'warning cluster/pool-autoscaling spec.rkeConfig.machinePools[0].quantity: cannot be set together with autoscaling, got 3',
    ],
    [
      [pool({ name: 'a'.repeat(50) })],
      `warning cluster/machine-names spec.rkeConfig.machinePools[0].name: must be shorter, got "${'a'.repeat(50)}": virtual machines are named`,
    ],
    [
      [pool({ drainBeforeDeleteTimeout: '5 minutes' })],
      'must be a duration, got "5 minutes" (the server: "time: invalid duration "5 minutes""). Fix: write hours, minutes and seconds, e.g. 5m or 1h30m',
    ],
    [[pool({ taints: [{ key: 'a' }] })], 'taints[0].effect: must be set'],
    [
      [pool({ taints: [{ key: 'a', effect: 'NoSchedul' }] })],
      'warning cluster/pool-fields spec.rkeConfig.machinePools[0].taints[0].effect: must be one of NoSchedule, PreferNoSchedule, NoExecute, got "NoSchedul"',
    ],
  ])('%#: %s', (machinePools, text) => {
    expect(one({ machinePools }).filter((line) => !line.includes('machine-config/unused'))).toEqual(
      [expect.stringContaining(text)],
    );
  });

  describe('host names that are cut', () => {
    const limited = (fields: object, rke: object = {}) =>
      one({ machinePools: [pool(fields)], ...rke });
    const text =
      'cuts the names of the nodes of pool all, which have 20 characters, got 15: the cloud provider looks for the virtual machine by the name of its ' +
      'node and does not find it. Fix: remove it';
    test.each([
      [
        { hostnameLengthLimit: 15 },
        {},
        [
          `warning cluster/machine-names spec.rkeConfig.machinePools[0].hostnameLengthLimit: ${text}`,
        ],
      ],
      [
        {},
        { machinePoolDefaults: { hostnameLengthLimit: 15 } },
        [
          `warning cluster/machine-names spec.rkeConfig.machinePoolDefaults.hostnameLengthLimit: ${text}`,
        ],
      ],
      [{ hostnameLengthLimit: 20 }, { machinePoolDefaults: { hostnameLengthLimit: 15 } }, []],
      // without a cloud provider the name of a node is not a key
      [{ hostnameLengthLimit: 15 }, { machineSelectorConfig: [], chartValues: {} }, []],
    ])('%j %j', (fields, rke, findings) => {
      expect(limited(fields, rke)).toEqual(findings);
    });
  });

  test('a configuration in another namespace is not found', () => {
    expect(
      told([
        machineConfig({}, 'nc-shop', { namespace: 'default' }),
        cloudConfig(),
        credential(),
        guest(),
      ]),
    ).toContain(
      'error cluster/pool-config spec.rkeConfig.machinePools[0].machineConfigRef.name: must be in the namespace of the Cluster, fleet-default, got "nc-shop": it is in default ' +
        '(the server: "harvesterconfigs.rke-machine-config.cattle.io "nc-shop" not found"). Fix: move both to the same namespace',
    );
  });

  test('concurrency', () => {
    expect(
      one({ upgradeStrategy: { controlPlaneConcurrency: 'two', workerConcurrency: '25%' } }),
    ).toEqual([
      'error cluster/pool-fields spec.rkeConfig.upgradeStrategy.controlPlaneConcurrency: must be a number or a percentage of nodes, got "two" (the server: "concurrency must be a number or a percentage"). Fix: ' +
        'write a number such as "1", a percentage from "1%" to "100%", or "0" for all nodes at once',
    ]);
  });

  test('a pool of no machines is left alone, and a cluster without pools has machines from elsewhere', () => {
    expect(
      one({
        machinePools: [
          pool(),
          pool({
            name: 'idle',
            quantity: 0,
            etcdRole: false,
            controlPlaneRole: false,
            workerRole: false,
            machineConfigRef: undefined,
          }),
        ],
      }),
    ).toEqual([]);
    expect(told([cloudConfig(), credential(), guest({ machinePools: [] })])).toEqual([]);
  });

  test.each([
    [{ machineSelectorFiles: [{}] }, '2.7.1', 'machineSelectorFiles needs Rancher 2.7.2'],
    [
      { networking: { stackPreference: 'dual' } },
      '2.7.9',
      'networking.stackPreference needs Rancher 2.8.0',
    ],
    [
      {
        machinePools: [pool({ quantity: undefined, autoscalingMinSize: 1, autoscalingMaxSize: 3 })],
      },
      '2.12.3',
      'needs Rancher 2.13.0 or later, got 2.12.3. Fix: use annotations cluster.x-k8s.io/',
    ],
  ])('%j on %s', (rkeConfig, version, text) => {
    expect(
      one(rkeConfig, {}, {}, version).filter((line) => /field-version|autoscaling/.test(line)),
    ).toEqual([expect.stringContaining(text)]);
  });
});

describe('the owner of a machine configuration', () => {
  const other = guest({}, {}, { name: 'other' });
  test('two Clusters cannot share one', () => {
    expect(told([...all(), guest(), other])).toContain(
      // words-ok: the words of the server
      'error machine-config/owner metadata.name: must be used by one Cluster, got "nc-shop": it is used by shop, other (the server: "can not use fleet-default/nc-shop ' +
        '[rke-machine-config.cattle.io/v1, Kind=HarvesterConfig] because it is already owned by cluster shop"). Fix: create one machine configuration for each Cluster',
    );
  });

  test('a kubeconfig of its own can replace a credential', () => {
    const bare = guest({}, { cloudCredentialSecretName: undefined });
    const text =
      'cluster/cloud-credential spec.cloudCredentialSecretName: must be set: without it Rancher cannot reach Harvester. Fix: write cattle-global-data:<name of the credential>';
    expect(told([config, cloudConfig(), bare])).toEqual([`error ${text}`]);
    expect(
      told([machineConfig({ kubeconfigContent: kubeconfig() }), cloudConfig(), bare]),
    ).toContain(`warning ${text}`);
  });

  test('two pools of one Cluster may', () => {
    expect(one({ machinePools: [pool(), pool({ name: 'more', etcdRole: false })] })).toEqual([]);
  });

  test.each([
    [
      { apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster', name: 'other', controller: true },
      'because it is already owned by cluster other',
    ],
    [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', controller: true },
      'because it is already owned by Deployment web',
    ],
  ])('an owner %j is refused', (owner, text) => {
    expect(
      told([
        machineConfig({}, 'nc-shop', { ownerReferences: [owner] }),
        cloudConfig(),
        credential(),
        guest(),
      ]),
    ).toEqual([expect.stringContaining(text)]);
  });

  test('one that no pool uses is deleted', () => {
    expect(told([...all(machineConfig({}, 'nc-unused')), guest()])).toEqual([
      expect.stringContaining(
        'warning machine-config/unused metadata.name: must be used by a pool, got "nc-unused"',
      ),
    ]);
  });

  test('a fixed address is for one machine', () => {
    const fixed = machineConfig({
      networkData: 'version: 2\nethernets: {eth0: {addresses: [10.0.0.2/24]}}\n',
    });
    expect(told([fixed, cloudConfig(), credential(), guest()])).toEqual([
      expect.stringContaining(
        'error machine-config/static-address networkData: cannot set a fixed address for several machines, which would all have it, got 3',
      ),
    ]);
    expect(
      told([fixed, cloudConfig(), credential(), guest({ machinePools: [pool({ quantity: 1 })] })]),
    ).toEqual([expect.stringContaining('warning machine-config/static-address')]);
    const rolling = (rollingUpdate: object): string[] =>
      told([
        fixed,
        cloudConfig(),
        credential(),
        guest({ machinePools: [pool({ quantity: 1, rollingUpdate })] }),
      ]);
    for (const maxSurge of [0, '0', '0%']) {
      expect(rolling({ maxSurge, maxUnavailable: 1 })).toEqual([]);
    }
    expect(rolling({ maxUnavailable: 1 })).toHaveLength(1);
  });

  test('a machine configuration without a namespace', () => {
    expect(told([machineConfig({ vmNamespace: undefined })])).toEqual([
      expect.stringContaining(
        'warning machine-config/vm-namespace vmNamespace: must be set: without it the virtual machines are created in the namespace default of the Harvester cluster',
      ),
    ]);
  });
});

describe('the configuration of nodes', () => {
  test.each([
    [
      { machineGlobalConfig: { 'flannel-backend': 'vxlan' } },
      {},
      'warning cluster/node-config-key spec.rkeConfig.machineGlobalConfig.flannel-backend: must be a key of RKE2, not of K3s, got "vxlan": Rancher drops it. Fix: remove it',
    ],
    [
      { machineGlobalConfig: { '--cni': 'canal' } },
      {},
      'warning cluster/node-config-key spec.rkeConfig.machineGlobalConfig.--cni: is not a known key of RKE2, got "canal": Rancher drops keys that it does not know',
    ],
    [
      { machineGlobalConfig: { cni: null } },
      {},
      'warning cluster/node-config-value spec.rkeConfig.machineGlobalConfig.cni: must be a string, a boolean or a list: Rancher drops null silently',
    ],
    [
      {
        machineSelectorConfig: [
          { config: { 'cloud-provider-config': 'secret://fleet-default:harvesterconfig-shop' } },
        ],
      },
      {},
      '(the server: "--cloud-provider-config requires --cloud-provider-name to be provided")',
    ],
    [
      {
        chartValues: {},
        machineSelectorConfig: [{ config: { 'cloud-provider-name': 'harvestr' } }],
      },
      {},
      'warning cluster/cloud-provider-keys spec.rkeConfig.machineSelectorConfig[0].config.cloud-provider-name: must be one of aws, azure, gcp, rancher-vsphere, harvester, external, got "harvestr"',
    ],
    [
      { machineSelectorConfig: [{ config: { 'node-label': ['tier=web'] } }] },
      {},
      'warning cluster/node-config-key spec.rkeConfig.machineSelectorConfig[0].config.node-label: has no effect, got ["tier=web"]: Rancher takes the labels of nodes from their machine pool. Fix: set labels of the machine pool',
    ],
    [
      { machineGlobalConfig: { 'node-taint': ['gpu=yes:NoSchedule'] } },
      {},
      'warning cluster/node-config-key spec.rkeConfig.machineGlobalConfig.node-taint: has no effect, got ["gpu=yes:NoSchedule"]: Rancher takes the taints of nodes from their machine pool. Fix: set taints of the machine pool',
    ],
    [
      { chartValues: {}, machineGlobalConfig: { cni: 'calico' }, machineSelectorConfig: [] },
      K3S,
      'warning cluster/node-config-key spec.rkeConfig.machineGlobalConfig.cni: must be a key of K3s, not of RKE2, got "calico": Rancher drops it',
    ],
    [
      {
        chartValues: {},
        machineGlobalConfig: {},
        machineSelectorConfig: [{ config: { 'cloud-provider-name': 'harvester' } }],
      },
      K3S,
      'error cluster/cloud-provider-keys spec.rkeConfig.machineSelectorConfig[0].config.cloud-provider-name: is not a key of K3s: Rancher drops it, and the cluster has no cloud provider',
    ],
  ])('%j', (rkeConfig, spec, text) => {
    expect(one(rkeConfig, spec).filter((line) => !line.includes('cluster/cloud-config '))).toEqual([
      expect.stringContaining(text),
    ]);
  });

  test('a list for some machines replaces that for all of them', () => {
    const args = (list: unknown, selector?: object) => ({
      ...(selector ? { machineLabelSelector: selector } : {}),
      config: { 'kubelet-arg': list },
    });
    const k3s = (...entries: object[]) =>
      one({ chartValues: {}, machineGlobalConfig: {}, machineSelectorConfig: entries }, K3S);
    const gpu = { matchLabels: { pool: 'gpu' } };
    expect(k3s(args(['cloud-provider=external']), args(['max-pods=50'], gpu))).toEqual([
      'warning cluster/kubelet-arg-replaced spec.rkeConfig.machineSelectorConfig[1].config.kubelet-arg: must contain cloud-provider=external, ' +
        'which the cloud provider needs, since it replaces the list for all machines, got ["max-pods=50"]. Fix: add cloud-provider=external to it',
    ]);
    expect(
      k3s(args(['cloud-provider=external']), args(['max-pods=50', 'cloud-provider=external'], gpu)),
    ).toEqual([]);
    expect(k3s(args('cloud-provider=external'), args('${late:a.b}', gpu))).toEqual([]);
    expect(k3s(args(['max-pods=50'], gpu), args(['cloud-provider=external']))).toEqual([]);
  });

  test.each([
    [
      {},
      ['traefik', 'servicelb'],
      [
        'must be a component of RKE2, got "traefik": otherwise it has no effect. Fix: write rke2-traefik',
        'must be a component of RKE2, got "servicelb": otherwise it has no effect. Fix: remove it',
      ],
    ],
    [{}, ['rke2-ingress-nginx', 'harvester-csi-driver', 'my-addon'], []],
    [
      K3S,
      'rke2-coredns',
      [
        'must be a component of K3s, got "rke2-coredns": otherwise it has no effect. Fix: write coredns',
      ],
    ],
    [
      K3S,
      ['rke2-ingress-nginx', 'traefik'],
      [
        'must be a component of K3s, got "rke2-ingress-nginx": otherwise it has no effect. Fix: remove it',
      ],
    ],
  ])('%j: components of the other distribution: %j', (spec, disable, texts) => {
    expect(
      one({ chartValues: {}, machineGlobalConfig: { disable }, machineSelectorConfig: [] }, spec),
    ).toEqual(
      texts.map(
        (text) =>
          `warning cluster/disabled-component spec.rkeConfig.machineGlobalConfig.disable: ${text}`,
      ),
    );
  });

  test('ingress-controller, lists and booleans are passed on', () => {
    expect(
      one({
        machineGlobalConfig: {
          'ingress-controller': 'traefik',
          'tls-san': ['a'],
          'disable-kube-proxy': false,
        },
      }),
    ).toEqual([]);
  });
});

describe('objects next to the Cluster', () => {
  const files = (name: string) => ({
    machineSelectorFiles: [{ fileSources: [{ secret: { name } }] }],
  });
  const beside = (annotations: { [key: string]: string }, fields: object = {}) => ({
    ...secret('files', 'fleet-default', { a: 'b' }, annotations),
    ...fields,
  });
  test('files for nodes need an annotation', () => {
    expect(told([...all(beside({})), guest(files('files'))])).toEqual([
      'error cluster/node-files spec.rkeConfig.machineSelectorFiles[0].fileSources[0].secret.name: must name a Secret that is authorized for the Cluster, got "files": otherwise ' +
        'no node gets a plan. Fix: set its annotation rke.cattle.io/object-authorized-for-clusters to "shop"',
    ]);
    expect(
      told([
        ...all(beside({ 'rke.cattle.io/object-authorized-for-clusters': 'other,shop' })),
        guest(files('files')),
      ]),
    ).toEqual([]);
    expect(one(files('nobody'))).toEqual([expect.stringContaining('warning cluster/node-files')]);
  });

  test('registries take three types of Secrets', () => {
    const registries = {
      registries: {
        configs: { 'docker.io': { authConfigSecretName: 'files', tlsSecretName: 'other' } },
      },
    };
    expect(told([...all(beside({})), guest(registries)])).toEqual([
      expect.stringContaining(
        'spec.rkeConfig.registries.configs.docker.io.authConfigSecretName: must name a Secret of type rke.cattle.io/auth-config or kubernetes.io/basic-auth or kubernetes.io/dockerconfigjson, got "files": its type is "Opaque". Fix: use a Secret of such a type',
      ),
    ]);
    expect(
      told([...all(beside({}, { type: 'kubernetes.io/basic-auth' })), guest(registries)]),
    ).toEqual([]);
  });

  test.each([
    [
      { etcd: { s3: { bucket: 'b'.repeat(64) } } },
      'error object/field-limit spec.rkeConfig.etcd.s3.bucket: must have at most 63 characters: it has 64',
    ],
    [
      { etcd: { s3: { retention: -1 } } },
      'error object/field-limit spec.rkeConfig.etcd.s3.retention: must be 0 or more, got -1',
    ],
  ])('sizes: %j', (rkeConfig, text) => {
    expect(one(rkeConfig, {}, {}, '2.14.0')).toEqual([expect.stringContaining(text)]);
  });
});

describe('what machines refer to on the Harvester', () => {
  const image = (name: string, url: string) => ({
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'VirtualMachineImage',
    metadata: { name, namespace: 'default' },
    spec: { displayName: 'noble', url },
  });
  test('an image by the name that the UI shows', () => {
    expect(told([config, image('image-x7k2p', 'https://a/noble.img')])).toEqual([
      'warning machine-config/references diskInfo: must be the name of an object, got "default/noble": it is the display name of VirtualMachineImage image-x7k2p ' +
        '(the server: "virtualmachineimages.harvesterhci.io "noble" not found"). Fix: write default/image-x7k2p',
    ]);
  });

  test('an ISO', () => {
    expect(told([config, image('noble', 'https://a/noble.ISO?x=1')])).toEqual([
      expect.stringContaining(
        'warning machine-config/references diskInfo: must be a cloud image, got "default/noble": an ISO holds an installer, so the machine never becomes ready',
      ),
    ]);
    expect(told([config, image('noble', 'https://a/noble.img')])).toEqual([]);
  });

  test('a creator', () => {
    const by = (annotations: object) =>
      machineConfig({}, 'nc-shop', {
        annotations: { 'field.cattle.io/creatorId': 'user-abcde', ...annotations },
      });
    expect(told([by({})])).toEqual([expect.stringContaining('warning machine-config/creator')]);
    expect(told([by({ 'field.cattle.io/no-creator-rbac': 'true' })])).toEqual([
      expect.stringContaining(
        '(the server: "cannot have creatorID annotation when no-creator-rbac is set")',
      ),
    ]);
    expect(told([by({})], { live: [config] })).toEqual([]);
  });
});
