import { Manifest } from '../../../src/core/manifest/manifest';
import { VALUE_RULES } from '../../../src/core/shape/shape.rules';
import { PROVISIONING_CLUSTER_RULES } from '../../../src/rancher/cluster/provisioning-cluster.rules';
import { Judging, brief, cluster, judgeOn } from '../../support/judging';

const VERSION = 'v1.33.6+rke2r1';
const shop = (rkeConfig: object = {}, spec: object = {}) =>
  cluster('shop', { kubernetesVersion: VERSION, rkeConfig, ...spec });
const findings = (manifests: Manifest[], judging?: Judging) =>
  judgeOn([...PROVISIONING_CLUSTER_RULES, ...VALUE_RULES], manifests, judging);
const rules = (manifests: Manifest[], judging?: Judging) => brief(findings(manifests, judging));
const update = (before: Manifest, after: Manifest, version?: string) =>
  findings([after], { before: [before], version });

test('a guest cluster as it should be has no finding', () => {
  const machinePools = [
    {
      name: 'all',
      quantity: 3,
      hostnameLengthLimit: 15,
      machineConfigRef: { kind: 'HarvesterConfig', name: 'shop-all' },
    },
  ];
  expect(rules([shop({ machinePools, dataDirectories: {} })], { version: '2.13.8' })).toEqual([]);
});

test.each([undefined, null, ''])(
  'only warns without a version (%j), which a live Rancher accepted',
  (kubernetesVersion) => {
    const [finding, ...others] = findings([shop({}, { kubernetesVersion })]);
    expect(finding).toMatchObject({
      rule: 'cluster/kubernetes-version',
      level: 'warning',
      path: 'spec.kubernetesVersion',
    });
    expect(finding).not.toHaveProperty('value');
    expect(others).toEqual([]);
  },
);

test('a template of pod security needs a version', () => {
  const defaultPodSecurityAdmissionConfigurationTemplateName = 'rancher-restricted';
  const [finding] = findings([
    shop({}, { kubernetesVersion: '', defaultPodSecurityAdmissionConfigurationTemplateName }),
  ]);
  expect(finding).toMatchObject({ rule: 'cluster/kubernetes-version', level: 'error' });
});

test.each(['1.33.6+rke2r1', 'v1.33', 'latest', 'v1.033.6'])(
  'kubernetes version %s is refused',
  (kubernetesVersion) => {
    const [finding] = findings([shop({}, { kubernetesVersion })]);
    expect(finding).toMatchObject({
      rule: 'cluster/kubernetes-version',
      level: 'error',
      path: 'spec.kubernetesVersion',
    });
    expect(finding?.message).toContain('is not valid k8s version');
  },
);

test('machine pools', () => {
  const machinePools = [
    { name: 'a' },
    { name: 'a' },
    { name: '' },
    { name: 'x'.repeat(64) },
    { name: 'b', quantity: -1 },
    { name: 'c', hostnameLengthLimit: 9 },
  ];
  const found = (version?: string) =>
    rules([shop({ machinePools, machinePoolDefaults: { hostnameLengthLimit: 64 } })], {
      version,
    }).filter((line) => line.includes('machine-pools') || line.includes('field-limit'));
  const names = [1, 2, 3].map(
    (index) => `error cluster/machine-pools spec.rkeConfig.machinePools[${index}].name`,
  );
  const limits = (level: string) =>
    [
      'machinePoolDefaults.hostnameLengthLimit',
      'machinePools[4].quantity',
      'machinePools[5].hostnameLengthLimit',
    ].map((path) => `${level} object/field-limit spec.rkeConfig.${path}`);
  expect(found('2.13.8')).toEqual([limits('error')[0], ...names, ...limits('error').slice(1)]);
  expect(found()).toEqual([...names, ...limits('warning')]);
  expect(found('2.11.16')).toEqual(names);
});

test.each([
  [undefined, 'warning'],
  ['2.11.16', undefined],
  ['2.12.0', 'error'],
])('a default of no limit on Rancher %s', (version, level) => {
  const path = 'object/field-limit spec.rkeConfig.machinePoolDefaults.hostnameLengthLimit';
  expect(rules([shop({ machinePoolDefaults: { hostnameLengthLimit: 0 } })], { version })).toEqual(
    level ? [`${level} ${path}`] : [],
  );
});

test("the length of a pool's name is asked at creation only", () => {
  const long = shop({ machinePools: [{ name: 'x'.repeat(64) }] });
  expect(rules([long], { live: [long] })).toEqual([]);
});

describe('data directories', () => {
  const directories = (dataDirectories: object, spec: object = {}) =>
    shop({ dataDirectories }, spec);

  test.each([
    [{ systemAgent: 'var/lib' }, 'error', 'System Agent data directory must be an absolute path'],
    [
      { systemAgent: '/var/lib/$X' },
      'error',
      'System Agent data directory cannot contain shell expressions',
    ],
    [{ systemAgent: '/var/lib/../x' }, 'error', 'System Agent data directory is not clean'],
    [{ systemAgent: '/var/lib/' }, 'error', 'System Agent data directory is not clean'],
    [{ systemAgent: '/a', k8sDistro: '/a' }, 'error', 'cannot be equal to'],
    [
      { systemAgent: '/a/b', k8sDistro: '/a' },
      'error',
      'System Agent data directory cannot be nested inside Distro data directory',
    ],
    [
      { systemAgent: '/a/b/c', k8sDistro: '/a' },
      'warning',
      'must not be inside spec.rkeConfig.dataDirectories.k8sDistro',
    ],
  ])('%j', (dataDirectories, level, words) => {
    const [finding, ...others] = findings([directories(dataDirectories)]);
    expect(finding).toMatchObject({ rule: 'cluster/data-directories', level });
    expect(finding?.message).toContain(words);
    expect(others).toEqual([]);
  });

  test.each([
    { systemAgent: '/a', k8sDistro: '/ab' },
    { systemAgent: '/', provisioning: '' },
  ])('%j is fine', (dataDirectories) => {
    expect(rules([directories(dataDirectories)])).toEqual([]);
  });

  test('before 2.9 they are ignored', () => {
    expect(rules([directories({ systemAgent: '/a' })], { version: '2.8.15' })).toEqual([
      'error cluster/data-directories spec.rkeConfig.dataDirectories',
    ]);
  });

  test('the variable in their place is refused at creation, but not for an import', () => {
    const agentEnvVars = [{ name: 'CATTLE_AGENT_VAR_DIR', value: '/a' }];
    expect(rules([directories({}, { agentEnvVars })])).toEqual([
      'error cluster/data-directories spec.agentEnvVars[0]',
    ]);
    expect(rules([cluster('dc1', { agentEnvVars })])).toEqual([]);
  });

  test.each([
    ['k8sDistro', 'Distro data directory cannot be changed after cluster creation'],
    ['provisioning', 'Provisioning data directory cannot be changed after cluster creation'],
    ['systemAgent', 'System Agent data directory cannot be changed after cluster creation'],
  ])('%s does not change', (field, says) => {
    const [finding] = update(directories({ [field]: '/a' }), directories({ [field]: '/b' }));
    expect(finding?.message).toContain(says);
    expect(update(directories({ [field]: '/a' }), directories({ [field]: '/a' }))).toEqual([]);
  });

  test('the variable moves to the field once, with its value', () => {
    const old = directories({}, { agentEnvVars: [{ name: 'CATTLE_AGENT_VAR_DIR', value: '/a' }] });
    expect(update(old, directories({ systemAgent: '/a' }))).toEqual([]);
    expect(update(old, directories({ systemAgent: '/b' }))[0]?.message).toContain(
      'must be identical to previous',
    );
    expect(update(old, directories({ systemAgent: '/b' }))[0]?.fix).not.toContain('/a');
    expect(update(old, directories({}))[0]?.message).toContain(
      'cannot be changed after cluster creation',
    );
    expect(update(directories({}), old)[0]?.message).toContain(
      'cannot be set after cluster creation',
    );
  });
});

test('an endpoint with caCerts needs an fqdn', () => {
  const endpoint = (localClusterAuthEndpoint: object) => shop({}, { localClusterAuthEndpoint });
  expect(rules([endpoint({ enabled: true, caCerts: 'x' })])).toEqual([
    'error cluster/auth-endpoint spec.localClusterAuthEndpoint.fqdn',
  ]);
  expect(
    rules(
      [
        endpoint({ enabled: true, caCerts: 'x', fqdn: 'a.b' }),
        endpoint({ enabled: false, caCerts: 'x' }),
      ].slice(0, 1),
    ),
  ).toEqual([]);
  expect(rules([endpoint({ enabled: false, caCerts: 'x' })])).toEqual([]);
});

test('pod security templates', () => {
  const path = 'spec.defaultPodSecurityAdmissionConfigurationTemplateName';
  const template = (name: string, kubernetesVersion = VERSION) =>
    shop({}, { kubernetesVersion, defaultPodSecurityAdmissionConfigurationTemplateName: name });
  expect(rules([template('rancher-restricted')])).toEqual([]);
  expect(rules([template('own')])).toEqual([`warning cluster/pod-security-template ${path}`]);
  expect(rules([template('rancher-restricted', 'v1.22.17+rke2r1')])).toEqual([
    `error cluster/pod-security-template ${path}`,
  ]);
});

test('the credential of etcd snapshots', () => {
  const s3 = (cloudCredentialName: string) => shop({ etcd: { s3: { cloudCredentialName } } });
  const secret = (name: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'cattle-global-data' },
  });
  const path = 'cluster/etcd-s3-credential spec.rkeConfig.etcd.s3.cloudCredentialName';
  expect(rules([s3('cattle-global-data:cc-1')])).toEqual([]);
  expect(rules([s3('cattle-global-data:cc-1'), secret('cc-1')])).toEqual([]);
  expect(rules([s3('cattle-global-data:cc-2'), secret('cc-1')])).toEqual([`warning ${path}`]);
  expect(rules([s3('elsewhere:cc-1')])).toEqual([`error ${path}`]);
});

test('a restore has a mode that Rancher knows', () => {
  const restore = (restoreRKEConfig: string) =>
    shop({ etcdSnapshotRestore: { name: 'snap', restoreRKEConfig } });
  expect(update(shop(), restore('everything')).map(({ rule }) => rule)).toEqual([
    'cluster/etcd-restore',
  ]);
  expect(update(shop(), restore('all'))).toEqual([]);
  expect(update(restore('everything'), restore('everything'))).toEqual([]);
});

test('a restore names a snapshot, where all are known', () => {
  const restore = (mode: string) =>
    shop({ etcdSnapshotRestore: { name: 'snap', restoreRKEConfig: mode } });
  const told = (mode: string, snapshot: string) =>
    findings([restore(mode)], {
      before: [shop()],
      live: [
        {
          apiVersion: 'rke.cattle.io/v1',
          kind: 'ETCDSnapshot',
          metadata: { name: snapshot, namespace: 'fleet-default' },
        },
      ],
    }).map(({ rule, path }) => `${rule} ${path}`);
  expect(told('all', 'other')).toEqual([
    'cluster/etcd-restore spec.rkeConfig.etcdSnapshotRestore.name',
  ]);
  expect([told('all', 'snap'), told('none', 'other')]).toEqual([[], []]);
});
