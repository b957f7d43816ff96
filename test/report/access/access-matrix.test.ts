import { Manifest } from '../../../src/core/manifest/manifest';
import { accessMatrix, AccessMatrix, Right } from '../../../src/report/access/access-matrix';
import {
  HARVESTER,
  ID,
  IMPORT,
  RANCHER,
  crtb,
  globalRole,
  grb,
  project,
  prtb,
  role,
  tenant,
  user,
} from '../../support/tenancy';

const PUBLIC = expect.stringMatching(/^view on harvester-public includes Secrets, /);

const HARVESTER_IMPORT: Manifest = {
  ...IMPORT,
  metadata: { ...IMPORT.metadata, labels: { 'provider.cattle.io': 'harvester' } },
};
const PLATFORM = [HARVESTER_IMPORT, project('payments', { displayName: 'Payments' })];

function matrixOf(
  rancher: readonly Manifest[],
  harvester: readonly Manifest[] = [tenant('payments-vms')],
  live: readonly Manifest[] = [],
): AccessMatrix {
  return accessMatrix(
    [
      ...rancher.map((manifest) => ({ manifest, target: RANCHER })),
      ...harvester.map((manifest) => ({ manifest, target: HARVESTER })),
    ],
    live.map((manifest) => ({ manifest, target: RANCHER })),
  );
}

/** What a subject may do, as `permission: level`, without the namespace that all users read. */
function rightsIn(matrix: AccessMatrix, place = 'Payments'): Record<string, string> {
  const entry = matrix.entries.find(({ where }) => where.name === place);
  return Object.fromEntries(
    (entry?.may ?? []).map(({ permission, level, verbs }) => [
      permission,
      level === 'some' ? verbs.join(' ') : level,
    ]),
  );
}

const right = (matrix: AccessMatrix, permission: string, place = 'Payments'): Right | undefined =>
  matrix.entries
    .find(({ where }) => where.name === place)
    ?.may.find((candidate) => candidate.permission === permission);

describe('a project', () => {
  test('gives its owner machines, members and namespaces, and nothing of the cluster', () => {
    const matrix = matrixOf([...PLATFORM, prtb()]);
    expect(rightsIn(matrix)).toMatchObject({
      'vms': 'all',
      'vm-power': 'yes',
      'vm-console': 'yes',
      'images': 'all',
      'secrets': 'all',
      'namespaces': 'all',
      'project-members': 'all',
      'projects': 'own',
      'nodes': 'read',
    });
    for (const permission of [
      'harvester-settings',
      'cluster-networks',
      'cluster-members',
      'clusters',
      'users',
      'load-balancers',
    ]) {
      expect(right(matrix, permission)).toBeUndefined();
    }
    expect(matrix.entries[0]).toMatchObject({
      who: { kind: 'user', principal: 'okta_user://ana', name: 'ana' },
      where: {
        kind: 'project',
        cluster: ID,
        clusterName: 'dc1',
        project: `${ID}:payments`,
        namespaces: ['payments-vms'],
      },
      roles: [
        {
          id: 'project-owner',
          name: 'Project Owner',
          binding: `ProjectRoleTemplateBinding ${ID}-payments/prtb-1`,
        },
      ],
    });
  });

  test('gives a reader everything to read, secrets by Harvester too, which is not confirmed', () => {
    const matrix = matrixOf([...PLATFORM, prtb({ roleTemplateName: 'read-only' })]);
    expect(rightsIn(matrix)).toMatchObject({
      'vms': 'read',
      'images': 'read',
      'volumes': 'read',
      'namespaces': 'read',
      'project-members': 'read',
    });
    expect(rightsIn(matrix)).not.toHaveProperty('vm-console');
    expect(right(matrix, 'secrets')).toMatchObject({
      level: 'read',
      through: ['view (harvesterhci.io:view)'],
      unconfirmed: expect.stringContaining('aggregation'),
    });
    expect(right(matrix, 'config-maps')).not.toHaveProperty('unconfirmed');
  });

  test('counts nothing for resources of the cluster that Rancher does not promote', () => {
    const network = role('net', {
      rules: [
        {
          apiGroups: ['network.harvesterhci.io', ''],
          resources: ['clusternetworks', 'nodes', 'namespaces'],
          verbs: ['*'],
        },
      ],
    });
    expect(rightsIn(matrixOf([...PLATFORM, network, prtb({ roleTemplateName: 'net' })]))).toEqual({
      nodes: 'all',
      namespaces: 'all',
    });
  });
});

describe('roles of our own', () => {
  test('give what their rules say, and what they inherit', () => {
    const own = [
      role('operator', {
        rules: [
          {
            apiGroups: ['subresources.kubevirt.io'],
            resources: ['virtualmachines/start'],
            verbs: ['update'],
          },
        ],
      }),
      role('both', {
        roleTemplateNames: ['operator', 'secrets-view'],
        rules: [{ apiGroups: ['kubevirt.io'], resources: ['*'], verbs: ['get', 'create'] }],
      }),
    ];
    const matrix = matrixOf([...PLATFORM, ...own, prtb({ roleTemplateName: 'both' })]);
    expect(rightsIn(matrix)).toEqual({
      'vms': 'create get',
      'vm-power': 'yes',
      'vm-migration': 'create get',
      'secrets': 'read',
      'namespaces': 'read',
    });
    expect(right(matrix, 'vm-power')).toMatchObject({ through: ['operator'] });
    expect(right(matrix, 'secrets')).toMatchObject({ through: ['secrets-view'] });
  });

  test('that go in a circle end', () => {
    const circle = [
      role('a', { roleTemplateNames: ['b'] }),
      role('b', { roleTemplateNames: ['a'], rules: [] }),
    ];
    expect(rightsIn(matrixOf([...PLATFORM, ...circle, prtb({ roleTemplateName: 'a' })]))).toEqual({
      vms: 'read',
      namespaces: 'read',
    });
  });

  test('may be for some objects only', () => {
    const one = role('one', {
      rules: [
        { apiGroups: [''], resources: ['secrets'], resourceNames: ['b', 'a'], verbs: ['get'] },
      ],
    });
    expect(
      right(matrixOf([...PLATFORM, one, prtb({ roleTemplateName: 'one' })]), 'secrets'),
    ).toMatchObject({ names: ['a', 'b'], level: 'read' });
  });

  test('that are unknown are noted, and read from --world', () => {
    const matrix = matrixOf([...PLATFORM, prtb({ roleTemplateName: 'nosuch' })]);
    expect(matrix.notes).toEqual([expect.stringContaining('role nosuch is not known'), PUBLIC]);
    expect(
      matrixOf([...PLATFORM, prtb({ roleTemplateName: 'nosuch' })], [], [role('nosuch')]).notes,
    ).toEqual([PUBLIC]);
  });

  test('win over what is known of a built-in one', () => {
    const live = role('project-owner', {
      builtin: true,
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
    });
    expect(rightsIn(matrixOf([...PLATFORM, prtb()], [], [live]))).toEqual({
      secrets: 'read',
      namespaces: 'read',
    });
    const external = role('admin', { builtin: true, external: true, rules: undefined });
    expect(rightsIn(matrixOf([...PLATFORM, prtb()], [], [external]))).toMatchObject({ vms: 'all' });
  });
});

describe('clusters and Rancher', () => {
  test('an owner of the cluster may do everything on it, not on Rancher', () => {
    const matrix = matrixOf([...PLATFORM, crtb({ roleTemplateName: 'cluster-owner' })]);
    expect(rightsIn(matrix, 'dc1')).toMatchObject({
      'vms': 'all',
      'harvester-settings': 'all',
      'ip-pools': 'all',
      'cluster-members': 'all',
      'projects': 'all',
    });
    expect(rightsIn(matrix, 'dc1')).not.toHaveProperty('users');
  });

  test('an administrator has every cluster', () => {
    const matrix = matrixOf([
      ...PLATFORM,
      user('u-ana', { displayName: 'Ana' }),
      grb({ globalRoleName: 'admin' }),
    ]);
    expect(
      matrix.entries.map(({ who, where }) => `${who.name} ${where.kind} ${where.name}`),
    ).toEqual(['Ana rancher Rancher', 'Ana cluster dc1', expect.stringContaining('all users')]);
    expect(rightsIn(matrix, 'Rancher')).toMatchObject({ users: 'all', clusters: 'all' });
    expect(rightsIn(matrix, 'dc1')).toMatchObject({ vms: 'all' });
  });

  test('a global role of our own counts on Rancher, in its namespaces and on clusters', () => {
    const own = globalRole('auditor', {
      rules: [
        {
          apiGroups: ['management.cattle.io'],
          resources: ['users'],
          verbs: ['get', 'list', 'watch'],
        },
      ],
      namespacedRules: {
        'cattle-global-data': [{ apiGroups: [''], resources: ['secrets'], verbs: ['list'] }],
      },
      inheritedClusterRoles: ['nodes-view'],
    });
    const matrix = matrixOf([...PLATFORM, own, grb({ globalRoleName: 'auditor' })]);
    expect(rightsIn(matrix, 'Rancher')).toEqual({ users: 'read' });
    expect(rightsIn(matrix, 'cattle-global-data')).toEqual({ secrets: 'read' });
    expect(rightsIn(matrix, 'dc1')).toEqual({ nodes: 'read' });
  });

  test('a global role gives its rules on the cluster of Rancher, and what it inherits on all others', () => {
    const [local, other] = ['local', 'c-m-other001'].map((name): Manifest => ({
      apiVersion: 'management.cattle.io/v3',
      kind: 'Cluster',
      metadata: { name },
    }));
    const own = globalRole('auditor', {
      rules: [
        {
          apiGroups: ['', 'management.cattle.io'],
          resources: ['secrets', 'clusters'],
          verbs: ['get', 'list', 'watch'],
        },
      ],
      inheritedClusterRoles: ['nodes-view'],
      inheritedNamespacedRules: {
        default: [{ apiGroups: [''], resources: ['pods'], verbs: ['*'] }],
      },
    });
    const matrix = matrixOf([
      local,
      other,
      crtb({ clusterName: 'c-m-listed01' }, 'a', 'c-m-listed01'),
      own,
      grb({ globalRoleName: 'auditor' }),
    ]);
    expect(rightsIn(matrix, 'local')).toEqual({ secrets: 'read' });
    expect(rightsIn(matrix, 'Rancher')).toEqual({ 'management-clusters': 'read' });
    expect(rightsIn(matrix, 'c-m-other001')).toEqual({ nodes: 'read' });
    const onClusters = matrix.entries.filter(
      ({ who, where }) => who.kind === 'user' && where.kind !== 'rancher',
    );
    expect(onClusters.map(({ where }) => `${where.kind} ${where.clusterName}`)).toEqual([
      'cluster c-m-listed01',
      'cluster c-m-other001',
      'cluster local',
      'namespace c-m-listed01',
      'namespace c-m-other001',
    ]);
  });

  test('a global role with all rules makes administrators of all clusters', () => {
    const all = (...fields: string[]): object =>
      Object.fromEntries([...fields, 'verbs'].map((field) => [field, ['*']]));
    const own = (...rules: object[]) =>
      matrixOf([...PLATFORM, globalRole('root', { rules }), grb({ globalRoleName: 'root' })]);
    expect(
      rightsIn(own(all('apiGroups', 'resources'), all('nonResourceURLs')), 'dc1'),
    ).toMatchObject({ 'harvester-settings': 'all' });
    expect(rightsIn(own(all('apiGroups', 'resources')), 'dc1')).toEqual({});
  });

  test('gives permissions in one namespace of every cluster by a global role', () => {
    const reader = globalRole('reader', {
      rules: [],
      inheritedNamespacedRules: {
        'harvester-public': [
          { apiGroups: ['harvesterhci.io'], resources: ['virtualmachineimages'], verbs: ['*'] },
        ],
      },
    });
    const matrix = matrixOf([...PLATFORM, reader, grb({ globalRoleName: 'reader' })]);
    expect(
      matrix.entries.find(({ who, where }) => who.kind === 'user' && where.kind === 'namespace'),
    ).toMatchObject({
      where: { name: 'harvester-public', clusterName: 'dc1' },
      may: [{ permission: 'images', level: 'all' }],
    });
  });

  test('notes an external role without rules', () => {
    const external = (fields: object) =>
      matrixOf([
        ...PLATFORM,
        role('of-a-chart', { external: true, rules: undefined, ...fields }),
        prtb({ roleTemplateName: 'of-a-chart' }),
      ]);
    expect(external({}).notes).toEqual([
      expect.stringContaining('role of-a-chart is not known'),
      PUBLIC,
    ]);
    const said = external({
      externalRules: [
        {
          apiGroups: ['kubevirt.io'],
          resources: ['virtualmachines'],
          verbs: ['get', 'list', 'watch'],
        },
      ],
    });
    expect([said.notes, right(said, 'vms')?.level]).toEqual([[PUBLIC], 'read']);
  });

  test('a guest cluster has no virtual machines', () => {
    const guest = { ...IMPORT, spec: { rkeConfig: {} } };
    const matrix = matrixOf([guest, project(), prtb()], []);
    expect(rightsIn(matrix, 'payments')).toHaveProperty('secrets');
    expect(rightsIn(matrix, 'payments')).not.toHaveProperty('vms');
    expect(matrix.entries).toHaveLength(1);
    expect(
      rightsIn(
        matrixOf([guest, project(), prtb({ roleTemplateName: 'read-only' })], []),
        'payments',
      ),
    ).not.toHaveProperty('secrets');
  });
});

test('lists last that all users read harvester-public on a Harvester', () => {
  const { entries } = matrixOf([...PLATFORM, prtb({ userPrincipalName: 'okta_user://zoe' })]);
  expect(entries.map(({ who }) => who.kind)).toEqual(['user', 'everybody']);
  expect(entries[1].where).toMatchObject({
    kind: 'namespace',
    name: 'harvester-public',
    clusterName: 'dc1',
  });
});

test('knows the Harvester of a target whose Cluster names no ID', () => {
  const target = { ...HARVESTER, managedAs: `rancher/${ID}` };
  const { entries } = accessMatrix([{ manifest: tenant('payments-vms'), target }]);
  expect(entries.map(({ where }) => where)).toMatchObject([
    { name: 'harvester-public', cluster: ID, clusterName: HARVESTER.name },
  ]);
});

test('several roles of one person at one place are one entry', () => {
  const { entries } = matrixOf([
    ...PLATFORM,
    prtb(
      { userPrincipalName: undefined, userName: 'u-ana', roleTemplateName: 'secrets-view' },
      'a',
    ),
    prtb({ userPrincipalName: 'local://u-ana', roleTemplateName: 'services-view' }, 'b'),
  ]);
  expect(entries[0].roles.map(({ id }) => id)).toEqual(['secrets-view', 'services-view']);
  expect(entries[0].may.map(({ permission }) => permission)).toEqual([
    'secrets',
    'services',
    'namespaces',
  ]);
});

test('notes a binding without a subject', () => {
  expect(matrixOf([...PLATFORM, prtb({ userPrincipalName: undefined })]).notes).toEqual([
    `ProjectRoleTemplateBinding ${ID}-payments/prtb-1 names no subject`,
    PUBLIC,
  ]);
});
