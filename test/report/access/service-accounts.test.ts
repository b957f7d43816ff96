import { Manifest } from '../../../src/core/manifest/manifest';
import { JudgedTarget } from '../../../src/core/rule/rule';
import { accessMatrix } from '../../../src/report/access/access-matrix';

const DC1: JudgedTarget = { name: 'dc1', kind: 'harvester', managedAs: 'rancher/c-m-abcdefgh' };
const RBAC = 'rbac.authorization.k8s.io/v1';

const role = (
  kind: 'ClusterRole' | 'Role',
  name: string,
  rules: object[],
  namespace?: string,
): Manifest => ({
  apiVersion: RBAC,
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  rules,
});

const binding = (roleRef: object, subjects: unknown, namespace?: string): Manifest => ({
  apiVersion: RBAC,
  kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
  metadata: { name: 'tool', ...(namespace === undefined ? {} : { namespace }) },
  roleRef,
  subjects,
});

const ACCOUNT = [{ kind: 'ServiceAccount', name: 'tool', namespace: 'tools' }];
const IMAGES = {
  apiGroups: ['harvesterhci.io'],
  resources: ['virtualmachineimages'],
  verbs: ['get', 'list', 'watch'],
};

/** What the manifests give, without what Harvester gives all users. */
function matrix(manifests: readonly Manifest[], target = DC1) {
  const { entries, notes } = accessMatrix(manifests.map((manifest) => ({ manifest, target })));
  return {
    entries: entries.filter(({ who }) => who.kind !== 'everybody'),
    notes: notes.filter((note) => !note.startsWith('view on harvester-public ')),
  };
}

test('lists a service account in the whole cluster, with the rules of its ClusterRole', () => {
  const { entries, notes } = matrix([
    role('ClusterRole', 'reader', [IMAGES]),
    binding({ kind: 'ClusterRole', name: 'reader' }, ACCOUNT),
  ]);
  expect(entries).toMatchObject([
    {
      who: {
        kind: 'service account',
        principal: 'system:serviceaccount:tools:tool',
        name: 'tools/tool',
      },
      where: { kind: 'cluster', cluster: 'c-m-abcdefgh' },
      roles: [{ id: 'reader', binding: 'ClusterRoleBinding tool' }],
      may: [{ permission: 'images', level: 'read', through: ['reader'] }],
    },
  ]);
  expect(notes).toEqual([]);
});

test('lists it in the namespace of a RoleBinding, with a Role of that namespace and no other', () => {
  const roles = [
    role('Role', 'reader', [IMAGES], 'vms'),
    role('Role', 'reader', [{ ...IMAGES, verbs: ['*'] }], 'others'),
  ];
  const { entries } = matrix([
    ...roles,
    binding({ kind: 'Role', name: 'reader' }, [{ kind: 'ServiceAccount', name: 'tool' }], 'vms'),
  ]);
  expect(entries).toMatchObject([
    {
      who: { name: 'vms/tool' },
      where: { kind: 'namespace', name: 'vms', cluster: 'c-m-abcdefgh' },
      may: [{ permission: 'images', level: 'read' }],
    },
  ]);
});

test('takes a role of Kubernetes as it is, and reports one that is not known', () => {
  const { entries, notes } = matrix([
    binding({ kind: 'ClusterRole', name: 'view' }, ACCOUNT, 'vms'),
    binding({ kind: 'ClusterRole', name: 'of-a-chart' }, ACCOUNT),
    binding({ kind: 'Role', name: 'view' }, ACCOUNT, 'others'),
  ]);
  expect(
    entries.find(({ where }) => where.name === 'vms')!.may.map(({ permission }) => permission),
  ).toContain('config-maps');
  expect(entries.find(({ where }) => where.name === 'others')!.may).toEqual([]);
  expect(notes).toEqual([
    expect.stringMatching(
      /^ClusterRole of-a-chart on dc1 is not known: what it gives is left out; .*--world$/,
    ),
    expect.stringMatching(/^Role view on dc1 is not known/),
  ]);
});

const CLOUD_PROVIDER = binding(
  { kind: 'ClusterRole', name: 'harvesterhci.io:cloudprovider' },
  ACCOUNT,
  'vms',
);
const CSI_DRIVER = binding({ kind: 'ClusterRole', name: 'harvesterhci.io:csi-driver' }, ACCOUNT);

/**
 * What an account may do in a place, with the names of objects and an asterisk where it is not
 * sure.
 */
function rights(target: JudgedTarget, manifests: readonly Manifest[]): string[][] {
  return matrix(manifests, target).entries.map(({ may }) =>
    may.map(
      ({ permission, level, verbs, names = [], unconfirmed }) =>
        [permission, level === 'some' ? verbs.join(' ') : level, ...names].join(' ') +
        (unconfirmed ? '*' : ''),
    ),
  );
}

test("knows what a guest cluster's cloud provider and CSI driver may do on a Harvester of a version", () => {
  expect(rights({ ...DC1, harvesterVersion: '1.7.2' }, [CLOUD_PROVIDER, CSI_DRIVER])).toEqual([
    [
      'volume-snapshots all',
      'harvester-settings read csi-driver-config csi-online-expand-validation',
      'storage-classes read',
    ],
    ['vms read', 'vm-volumes yes', 'load-balancers all', 'volumes all', 'pods read'],
  ]);
  expect(rights({ ...DC1, harvesterVersion: '1.8.0' }, [CSI_DRIVER])[0]).toContain('vms patch');
  expect(rights(DC1, [CSI_DRIVER])[0]).toContain('vms patch*');
});

test('reports these roles as unknown on any other cluster', () => {
  for (const kind of ['guest', 'rancher'] as const) {
    expect(matrix([CSI_DRIVER], { name: 'shop', kind }).notes).toHaveLength(1);
  }
});

test('lists it on Rancher itself, where the manifests are for Rancher', () => {
  const { entries } = matrix(
    [role('ClusterRole', 'reader', []), binding({ kind: 'ClusterRole', name: 'reader' }, ACCOUNT)],
    { name: 'rancher', kind: 'rancher' },
  );
  expect(entries).toMatchObject([{ where: { kind: 'rancher' } }]);
});

test('ignores users, groups, and bindings without subjects', () => {
  expect(
    matrix([
      binding(
        { kind: 'ClusterRole', name: 'view' },
        [{ kind: 'User', name: 'ana' }, { kind: 'Group', name: 'ops' }, null, 'x'],
        'vms',
      ),
      binding({ kind: 'ClusterRole', name: 'view' }, 'none'),
    ]).entries,
  ).toEqual([]);
});
