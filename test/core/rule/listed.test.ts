import { Manifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { JudgedTarget, KnownIdentity, World } from '../../../src/core/rule/rule';
import { ALL_RULES } from '../../../src/registry/all-rules';
import {
  clusterNetwork,
  hostNetwork,
  image,
  network,
  storageClass,
  vlanConfig,
} from '../../support/infrastructure';
import { cluster } from '../../support/judging';
import { ID, project, role } from '../../support/tenancy';

const RANCHER: JudgedTarget = { name: 'rancher', kind: 'rancher', rancherVersion: '2.13.8' };
const DC1: JudgedTarget = { name: 'dc1', kind: 'harvester', harvesterVersion: '1.8.2' };
const DC2: JudgedTarget = { ...DC1, name: 'dc2' };

const object = (
  apiVersion: string,
  kind: string,
  name: string,
  fields: object = {},
  namespace?: string,
): Manifest => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace ? { namespace } : {}) },
  ...fields,
});
const harvesterSetting = (name: string, value: string) =>
  object('harvesterhci.io/v1beta1', 'Setting', name, { value });
const management = (kind: string, name: string, fields: object = {}, namespace?: string) =>
  object('management.cattle.io/v3', kind, name, fields, namespace);
const volume = (name: string) => object('v1', 'PersistentVolumeClaim', name, {}, 'team');
const clusterRole = (name: string) => object('rbac.authorization.k8s.io/v1', 'ClusterRole', name);
const snapshotClass = (name: string) =>
  object('snapshot.storage.k8s.io/v1', 'VolumeSnapshotClass', name);

interface Case {
  readonly target: JudgedTarget;
  readonly judged: Manifest;
  /** What every server has of the kind. */
  readonly listed: Manifest;
  /** The object that is referred to. */
  readonly missing: Manifest;
}

const CASES: Record<string, Case> = {
  'vlan-config/cluster-network': {
    target: DC1,
    judged: vlanConfig('up', 'prod'),
    listed: clusterNetwork('mgmt'),
    missing: clusterNetwork('prod'),
  },
  'network-attachment/cluster-network': {
    target: DC1,
    judged: network('a', { bridge: 'prod-br', vlan: 5 }),
    listed: clusterNetwork('mgmt'),
    missing: clusterNetwork('prod'),
  },
  'host-network/cluster-network': {
    target: DC1,
    judged: hostNetwork('a', { clusterNetwork: 'prod' }),
    listed: clusterNetwork('mgmt'),
    missing: clusterNetwork('prod'),
  },
  'harvester-setting/cluster-network': {
    target: DC1,
    judged: harvesterSetting(
      'storage-network',
      JSON.stringify({ vlan: 100, clusterNetwork: 'prod', range: '10.0.0.0/24' }),
    ),
    listed: clusterNetwork('mgmt'),
    missing: clusterNetwork('prod'),
  },
  'ip-pool/network': {
    target: DC1,
    judged: object('loadbalancer.harvesterhci.io/v1beta1', 'IPPool', 'p', {
      spec: { ranges: [{ subnet: '10.0.0.0/24' }], selector: { network: 'default/a', scope: [] } },
    }),
    listed: network('b', {}),
    missing: network('a', {}),
  },
  'image/storage-class': {
    target: DC1,
    judged: image('i', {}, { annotations: { 'harvesterhci.io/storageClassName': 'fast' } }),
    listed: storageClass('harvester-longhorn'),
    missing: storageClass('fast'),
  },
  'storage-class/snapshot-class': {
    target: DC1,
    judged: storageClass(
      'a',
      { parameters: { dataEngine: 'v2' } },
      { 'cdi.harvesterhci.io/storageProfileVolumeSnapshotClass': 'fast' },
    ),
    listed: snapshotClass('longhorn'),
    missing: snapshotClass('fast'),
  },
  'harvester-setting/snapshot-class': {
    target: DC1,
    judged: harvesterSetting('volume-snapshot-class', 'fast'),
    listed: snapshotClass('longhorn'),
    missing: snapshotClass('fast'),
  },
  'image/exported-volume': {
    target: DC1,
    judged: image('i', {
      sourceType: 'export-from-volume',
      url: '',
      pvcName: 'disk',
      pvcNamespace: 'team',
    }),
    listed: volume('other'),
    missing: volume('disk'),
  },
  'role-template/external': {
    target: RANCHER,
    judged: role('outer', { external: true }),
    listed: clusterRole('cluster-admin'),
    missing: clusterRole('outer'),
  },
  'global-role-binding/role': {
    target: RANCHER,
    judged: management('GlobalRoleBinding', 'b', { globalRoleName: 'mine', userName: 'u-ana' }),
    listed: management('GlobalRole', 'admin'),
    missing: management('GlobalRole', 'mine'),
  },
  'project/unknown-cluster': {
    target: RANCHER,
    judged: project('pay'),
    listed: management('Cluster', 'local'),
    missing: management('Cluster', ID),
  },
  'cluster-binding/unknown-cluster': {
    target: RANCHER,
    judged: management(
      'ClusterRoleTemplateBinding',
      'b',
      { clusterName: ID, roleTemplateName: 'cluster-owner', userPrincipalName: 'local://u-ana' },
      ID,
    ),
    listed: management('Cluster', 'local'),
    missing: management('Cluster', ID),
  },
  'cluster-binding/role': {
    target: RANCHER,
    judged: management(
      'ClusterRoleTemplateBinding',
      'b',
      { clusterName: ID, roleTemplateName: 'mine', userPrincipalName: 'local://u-ana' },
      ID,
    ),
    listed: management('RoleTemplate', 'cluster-owner', { context: 'cluster' }),
    missing: management('RoleTemplate', 'mine', { context: 'cluster' }),
  },
  'cluster/pod-security-template': {
    target: RANCHER,
    judged: cluster('shop', {
      kubernetesVersion: 'v1.33.6+rke2r1',
      rkeConfig: {},
      defaultPodSecurityAdmissionConfigurationTemplateName: 'mine',
    }),
    listed: management('PodSecurityAdmissionConfigurationTemplate', 'rancher-privileged'),
    missing: management('PodSecurityAdmissionConfigurationTemplate', 'mine'),
  },
  'role-template/inherited': {
    target: RANCHER,
    judged: role('r', { roleTemplateNames: ['mine'] }),
    listed: management('RoleTemplate', 'cluster-owner', { context: 'cluster' }),
    missing: role('mine'),
  },
  'user-password/unknown-user': {
    target: RANCHER,
    judged: object(
      'v1',
      'Secret',
      'u-ana',
      { stringData: { password: 'x' } },
      'cattle-local-user-passwords',
    ),
    listed: management('User', 'user-abcde', { username: 'admin' }),
    missing: management('User', 'u-ana', { username: 'ana' }),
  },
};

function levels(
  rule: string,
  { target, judged }: Case,
  live: readonly Manifest[],
  of = target,
  known: readonly KnownIdentity[] = [],
): string[] {
  const world = new World(
    [{ manifest: judged, target }],
    live.map((manifest) => ({ manifest, target: of })),
    [],
    known,
  );
  return judge(ALL_RULES, world)
    .filter((finding) => finding.rule === rule)
    .map(({ level }) => level);
}

describe.each(Object.entries(CASES))('%s', (rule, each) => {
  const { target, listed, missing } = each;

  test('is an error where all objects of the kind are known', () => {
    expect(levels(rule, each, [listed])).toEqual(['error']);
  });

  test('is not an error if the object exists', () => {
    expect(levels(rule, each, [listed, missing])).not.toContain('error');
  });

  test('reports nothing if the program declares that the object exists', () => {
    const {
      apiVersion,
      kind,
      metadata: { namespace, name },
    } = missing;
    expect(
      levels(rule, each, [listed], target, [
        { target: target.name, apiVersion, kind, name, ...(namespace ? { namespace } : {}) },
      ]),
    ).toEqual([]);
  });

  test('is not an error if the objects of another cluster are known', () => {
    expect(levels(rule, each, [listed], DC2)).not.toContain('error');
  });
});

test('a list without the object that every server has is a part, so what is not in it is a warning', () => {
  expect(
    levels('vlan-config/cluster-network', CASES['vlan-config/cluster-network'], [
      clusterNetwork('dev'),
    ]),
  ).toEqual(['warning']);
  expect(
    levels('project/unknown-cluster', CASES['project/unknown-cluster'], [
      management('Cluster', 'c-m-other'),
    ]),
  ).toEqual(['warning']);
});

describe('the objects of all namespaces are known', () => {
  const machine = object(
    'kubevirt.io/v1',
    'VirtualMachine',
    'web',
    {
      spec: {
        template: {
          spec: {
            domain: { devices: { interfaces: [] } },
            networks: [{ name: 'nic', multus: { networkName: 'team/vlan' } }],
          },
        },
      },
    },
    'default',
  );
  const pool = object('loadbalancer.harvesterhci.io/v1beta1', 'IPPool', 'p', {
    spec: { ranges: [{ subnet: '10.0.0.0/24' }], selector: { network: 'team/vlan', scope: [] } },
  });
  const served = (manifest: Manifest, uid?: string): Manifest => ({
    ...manifest,
    metadata: { ...manifest.metadata, uid },
  });
  const [a, b] = [
    served(network('a', {}), 'a'),
    served(network('b', {}, { namespace: 'other' }), 'b'),
  ];
  const errors = (...live: [manifest: Manifest, file: string, document?: number][]) =>
    judge(
      ALL_RULES,
      new World(
        [machine, pool].map((manifest) => ({ manifest, target: DC1 })),
        live.map(([manifest, file, document = 1]) => ({ manifest, target: DC1, file, document })),
      ),
    )
      .filter(({ level, rule }) => level === 'error' && rule.endsWith('/network'))
      .map(({ rule }) => rule);

  test('by a list of several namespaces', () => {
    expect(errors([a, 'live.yaml'], [b, 'live.yaml'])).toEqual([
      'ip-pool/network',
      'virtual-machine/network',
    ]);
    expect(
      errors(
        [a, 'live.yaml'],
        [b, 'live.yaml'],
        [served(network('vlan', {}, { namespace: 'team' }), 'c'), 'live.yaml'],
      ),
    ).toEqual([]);
  });

  test('by a list in which only other kinds are of several namespaces', () => {
    expect(errors([a, 'live.yaml'], [served(volume('disk'), 'c'), 'live.yaml'])).toEqual([
      'ip-pool/network',
      'virtual-machine/network',
    ]);
  });

  test('not by lists of single namespaces', () => {
    expect(errors([a, 'live.yaml', 1], [b, 'live.yaml', 2])).toEqual([]);
    expect(errors([a, 'a.yaml'], [b, 'b.yaml'])).toEqual([]);
    expect(errors([a, 'live.yaml'])).toEqual([]);
  });

  test('not by a list that no server wrote', () => {
    expect(errors([served(a), 'live.yaml'], [served(b), 'live.yaml'])).toEqual([]);
  });
});

test('a volume that a virtual machine creates is not missing', () => {
  const claims = JSON.stringify([{ metadata: { name: 'disk' }, spec: {} }]);
  const machine: Manifest = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: {
      name: 'web',
      namespace: 'team',
      annotations: { 'harvesterhci.io/volumeClaimTemplates': claims },
    },
  };
  const { judged, listed } = CASES['image/exported-volume'];
  const world = new World(
    [judged, machine].map((manifest) => ({ manifest, target: DC1 })),
    [{ manifest: listed, target: DC1 }],
  );
  const rules = judge(ALL_RULES, world).map(({ rule }) => rule);
  expect(rules).not.toContain('image/exported-volume');
});

test('a schedule of backups without a target is refused', () => {
  const schedule = object(
    'harvesterhci.io/v1beta1',
    'ScheduleVMBackup',
    's',
    {
      spec: {
        cron: '0 2 * * *',
        retain: 8,
        maxFailure: 4,
        vmbackup: {
          type: 'backup',
          source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'a' },
        },
      },
    },
    'default',
  );
  const level = (...live: Manifest[]) =>
    levels(
      'schedule-backup/target',
      { target: DC1, judged: schedule, listed: schedule, missing: schedule },
      live,
    );
  expect(level()).toEqual(['warning']);
  expect(level(harvesterSetting('backup-target', ''))).toEqual(['error']);
  expect(level(harvesterSetting('server-version', 'v1.8.2'))).toEqual(['error']);
  expect(
    level(harvesterSetting('backup-target', '{"type":"nfs","endpoint":"nfs://10.0.0.1/b"}')),
  ).toEqual([]);
});
