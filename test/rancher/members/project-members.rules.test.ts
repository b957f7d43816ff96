import { Manifest } from '../../../src/core/manifest/manifest';
import {
  ID,
  IMPORT,
  Tenancy,
  briefOf,
  crtb,
  findingsOf,
  globalRole,
  grb,
  project,
  prtb,
  role,
  user,
} from '../../support/tenancy';

const rules = (tenancy: Tenancy) => briefOf('project-binding/', tenancy);
const PROGRAM = [IMPORT, project()];

test('a member of a project that is declared is in order', () => {
  expect(rules({ rancher: [...PROGRAM, prtb()] })).toEqual([]);
});

describe('the subject of a binding', () => {
  test('is one user or one group', () => {
    const [error] = findingsOf('project-binding/subject', {
      rancher: [...PROGRAM, prtb({ userPrincipalName: '' })],
    });
    expect(error).toMatchObject({
      level: 'error',
      path: 'userPrincipalName',
      fix: 'name one user (userPrincipalName or userName) or one group (groupPrincipalName or groupName)',
    });
    expect(error.message).toContain('binding must target only a user');
    expect(
      rules({ rancher: [...PROGRAM, prtb({ groupPrincipalName: 'okta_group://ops' })] }),
    ).toEqual(['error project-binding/subject']);
    expect(rules({ rancher: [...PROGRAM, prtb({ serviceAccount: 'ns:sa' })] })).toEqual([
      'error project-binding/subject',
    ]);
    expect(
      rules({
        rancher: [...PROGRAM, prtb({ userName: 'u-ana', userPrincipalName: 'local://u-ana' })],
      }),
    ).toEqual([]);
  });

  test.each([
    [{ userPrincipalName: 'ana' }, 'userPrincipalName', 'must have the form of a principal'],
    [
      { userPrincipalName: 'okta_group://ops' },
      'userPrincipalName',
      'must be the principal of a user, not of a group',
    ],
    [
      { userPrincipalName: 'github_user://ana' },
      'userPrincipalName',
      'must contain an ID of GitHub',
    ],
    [
      { userPrincipalName: undefined, groupPrincipalName: 'okta_user://ana' },
      'groupPrincipalName',
      'must be the principal of a group, not of a user',
    ],
    [
      { userPrincipalName: undefined, userName: 'local://u-ana' },
      'userName',
      'must be the name of a User object, not a principal',
    ],
  ])('%j is not a subject', (fields, path, words) => {
    const [warning] = findingsOf('project-binding/principal', {
      rancher: [...PROGRAM, prtb(fields)],
    });
    expect(warning).toMatchObject({ level: 'warning', path });
    expect(warning.message).toContain(words);
  });

  test('is a User that is known, where Users are', () => {
    const of = (fields: object) => rules({ rancher: [...PROGRAM, user('u-ben'), prtb(fields)] });
    expect(of({ userPrincipalName: 'local://u-ana' })).toEqual([
      'warning project-binding/unknown-user userPrincipalName',
    ]);
    expect(of({ userPrincipalName: undefined, userName: 'u-ana' })).toEqual([
      'warning project-binding/unknown-user userName',
    ]);
    expect(of({ userPrincipalName: 'local://u-ben' })).toEqual([]);
    expect(of({ userPrincipalName: 'okta_user://ana' })).toEqual([]);
  });
});

describe('the project of a binding', () => {
  test.each([['payments'], [''], [undefined]])('%s is not a project ID', (projectName) => {
    expect(rules({ rancher: [...PROGRAM, prtb({ projectName })] })).toEqual([
      'error project-binding/project projectName',
    ]);
  });

  test('exists', () => {
    const [error] = findingsOf('project-binding/project', {
      rancher: [...PROGRAM, prtb({ projectName: `${ID}:nosuch` }, 'x', `${ID}-nosuch`)],
    });
    expect(error).toMatchObject({ level: 'error', path: 'projectName', value: `"${ID}:nosuch"` });
    expect(error.message).toContain(`specified project nosuch not found in ${ID}`);
    expect(
      rules({ rancher: [IMPORT, prtb({ projectName: `${ID}:p-x7k2m` }, 'x', `${ID}-p-x7k2m`)] }),
    ).toEqual(['warning project-binding/project projectName']);
    expect(rules({ rancher: [IMPORT, prtb()], live: [project()] })).toEqual([]);
    expect(rules({ rancher: [prtb()] })).toEqual([]);
  });
});

describe('the role of a binding', () => {
  test.each([
    ['cluster-owner', 'error', 'must be a role of context project, not cluster'],
    [
      'projectcatalogs-view',
      'error',
      'cannot be granted: the role projectcatalogs-view needs Rancher before 2.9.0',
    ],
    ['virt-project-manage', 'warning', 'the role virt-project-manage needs Rancher 2.14.1'],
    [
      'no-such-role',
      'warning',
      'must be a built-in, declared or live RoleTemplate: otherwise Rancher refuses it',
    ],
    ['of-clusters', 'error', 'must be a role of context project, not cluster'],
    ['locked', 'error', 'is locked'],
  ])('%s is an %s', (roleTemplateName, level, words) => {
    const own = [
      role('of-clusters', { context: 'cluster' }),
      role('locked', { locked: true }),
      role('fine'),
    ];
    const [finding] = findingsOf('project-binding/role', {
      rancher: [...PROGRAM, ...own, prtb({ roleTemplateName })],
    });
    expect(finding).toMatchObject({ level, path: 'roleTemplateName' });
    expect(finding.message).toContain(words);
  });

  test('may be one of our own', () => {
    expect(
      rules({ rancher: [...PROGRAM, role('fine'), prtb({ roleTemplateName: 'fine' })] }),
    ).toEqual([]);
    expect(rules({ rancher: [...PROGRAM, prtb({ roleTemplateName: undefined })] })).toEqual([
      'error project-binding/role roleTemplateName',
    ]);
  });

  test('of a chart needs the chart', () => {
    const [warning] = findingsOf('project-binding/role', {
      rancher: [...PROGRAM, prtb({ roleTemplateName: 'virt-project-view' })],
      version: '2.14.4',
    });
    expect(warning.message).toContain('needs the chart harvester-rbac on Rancher');
  });
});

describe('the namespace of a binding', () => {
  test('is the one that Rancher creates for the project', () => {
    const [error] = findingsOf('project-binding/namespace', {
      rancher: [...PROGRAM, prtb({}, 'x', ID)],
    });
    expect(error).toMatchObject({
      level: 'error',
      path: 'metadata.namespace',
      value: `"${ID}"`,
      fix: 'use this namespace',
    });
    expect(error.message).toBe(
      `must be ${ID}-payments, where Rancher looks for the bindings of ${ID}:payments: elsewhere they have no effect`,
    );
  });

  test('is the bare name in earlier versions, and of projects from before', () => {
    expect(rules({ rancher: [...PROGRAM, prtb({}, 'x', 'payments')], version: '2.9.8' })).toEqual(
      [],
    );
    expect(rules({ rancher: [...PROGRAM, prtb()], version: '2.9.8' })).toEqual([
      'error project-binding/namespace metadata.namespace',
    ]);
    expect(rules({ rancher: [...PROGRAM, prtb({}, 'x', 'payments')] })).toEqual([
      'warning project-binding/namespace metadata.namespace',
    ]);
    expect(rules({ rancher: [IMPORT, prtb({}, 'x', 'payments')], live: [project()] })).toEqual([
      'warning project-binding/namespace metadata.namespace',
    ]);
    const old = { ...project(), status: { backingNamespace: 'payments' } };
    expect(rules({ rancher: [IMPORT, prtb({}, 'x', 'payments')], live: [old] })).toEqual([]);
    const read = prtb({}, 'x', 'payments');
    expect(
      rules({
        rancher: [IMPORT, { ...read, metadata: { ...read.metadata, uid: 'a' } }],
        live: [project()],
      }),
    ).toEqual([]);
    const recent = { ...project(), status: { backingNamespace: `${ID}-payments` } };
    expect(rules({ rancher: [IMPORT, prtb({}, 'x', 'payments')], live: [recent] })).toEqual([
      'error project-binding/namespace metadata.namespace',
    ]);
  });
});

describe('a second binding', () => {
  test('for the same member and role is an error', () => {
    const [error, ...more] = findingsOf('project-binding/duplicate', {
      rancher: [...PROGRAM, prtb({}, 'a'), prtb({}, 'b')],
    });
    expect(more).toEqual([]);
    expect(error).toMatchObject({
      level: 'error',
      object: { name: 'b' },
      fix: 'remove one of them',
    });
    expect(error.message).toBe(
      `cannot repeat ProjectRoleTemplateBinding ${ID}-payments/a: both have the same member and role in the same project`,
    );
  });

  test('is refused by later versions', () => {
    const [error] = findingsOf('project-binding/duplicate', {
      rancher: [...PROGRAM, prtb({}, 'a'), prtb({}, 'b')],
      version: '2.15.0',
    });
    expect(error.message).toContain('(the server: "duplicate prtb not allowed")');
  });

  test('by the other name of a local user is the same', () => {
    const local = [
      prtb({ userPrincipalName: 'local://u-ana' }, 'a'),
      prtb({ userPrincipalName: undefined, userName: 'u-ana' }, 'b'),
    ];
    expect(rules({ rancher: [...PROGRAM, ...local] })).toEqual(['error project-binding/duplicate']);
  });

  test('for another role, member or the same object is none', () => {
    expect(
      rules({
        rancher: [
          ...PROGRAM,
          prtb({}, 'a'),
          prtb({ roleTemplateName: 'read-only' }, 'b'),
          prtb({ userPrincipalName: 'okta_user://ben' }, 'c'),
        ],
      }),
    ).toEqual([]);
    expect(rules({ rancher: [...PROGRAM, prtb()], live: [prtb()] })).toEqual([]);
  });

  test('of one that is live is one', () => {
    expect(rules({ rancher: [...PROGRAM, prtb({}, 'b')], live: [prtb({}, 'a')] })).toEqual([
      'error project-binding/duplicate',
    ]);
  });
});

test('a binding keeps what it binds; its subject may be filled in once', () => {
  const [error] = findingsOf('project-binding/immutable', {
    rancher: [...PROGRAM, prtb({ roleTemplateName: 'read-only' })],
    before: [prtb()],
  });
  expect(error).toMatchObject({ level: 'error', path: 'roleTemplateName', value: '"read-only"' });
  expect(error.message).toBe(
    'cannot be changed from "project-owner" (the server: "field is immutable")',
  );
  expect(rules({ rancher: [...PROGRAM, prtb({ userName: 'u-ana' })], before: [prtb()] })).toEqual(
    [],
  );
  expect(
    rules({
      rancher: [...PROGRAM, prtb({ userPrincipalName: 'okta_user://ben' })],
      before: [prtb()],
    }),
  ).toEqual(['error project-binding/immutable userPrincipalName']);
  const [other, ...more] = findingsOf('project-binding/', {
    rancher: [
      ...PROGRAM,
      prtb({ userPrincipalName: undefined, groupPrincipalName: 'okta_group://ops' }),
    ],
    before: [prtb()],
  });
  expect(more).toEqual([]);
  expect(other).toMatchObject({
    level: 'error',
    path: 'groupPrincipalName',
    message: 'must remain a user: it names a group (the server: "field is immutable")',
  });
});

describe('members of clusters', () => {
  const of = (tenancy: Tenancy) => briefOf('cluster-binding/', tenancy);

  test('are in order in the namespace of the cluster', () => {
    expect(of({ rancher: [IMPORT, crtb()] })).toEqual([]);
    expect(
      of({ rancher: [IMPORT, crtb({ clusterName: undefined }), crtb({}, 'x', 'fleet-default')] }),
    ).toEqual([
      'error cluster-binding/cluster clusterName',
      'error cluster-binding/cluster clusterName',
    ]);
    expect(of({ rancher: [IMPORT, crtb({ clusterName: 'c-m-x' }, 'x', 'c-m-x')] })).toEqual([
      'warning cluster-binding/unknown-cluster clusterName',
    ]);
  });

  test('have roles of clusters, and one member each', () => {
    expect(of({ rancher: [IMPORT, crtb({ roleTemplateName: 'project-owner' })] })).toEqual([
      'error cluster-binding/role roleTemplateName',
    ]);
    expect(of({ rancher: [IMPORT, crtb({ userName: 'u-ana' })] })).toEqual([
      'error cluster-binding/subject',
    ]);
    expect(of({ rancher: [IMPORT, crtb({ groupPrincipalName: 'ops' })] })).toEqual([
      'warning cluster-binding/principal groupPrincipalName',
    ]);
    expect(
      of({
        rancher: [
          IMPORT,
          user('u-ben'),
          crtb({ groupPrincipalName: undefined, userName: 'u-ana' }),
        ],
      }),
    ).toEqual(['warning cluster-binding/unknown-user userName']);
  });

  test("are bound once, and not by names of Rancher's", () => {
    expect(of({ rancher: [IMPORT, crtb(), crtb({}, 'crtb-2')] })).toEqual([
      'error cluster-binding/duplicate',
    ]);
    const ofGlobal = {
      ...crtb({}, 'crtb-2'),
      metadata: {
        name: 'crtb-2',
        namespace: ID,
        labels: { 'authz.management.cattle.io/grb-owner': 'grb-1' },
      },
    };
    expect(of({ rancher: [IMPORT, crtb(), ofGlobal] })).toEqual([]);
    expect(of({ rancher: [IMPORT, crtb({}, 'creator-cluster-owner')] })).toEqual([
      'warning cluster-binding/reserved-name metadata.name',
    ]);
  });

  test('keep their immutable fields', () => {
    expect(
      of({ rancher: [IMPORT, crtb({ roleTemplateName: 'cluster-owner' })], before: [crtb()] }),
    ).toEqual(['error cluster-binding/immutable roleTemplateName']);
    const [now, before] = ['grb-2', 'grb-1'].map((owner) => ({
      ...crtb(),
      metadata: { ...crtb().metadata, labels: { 'authz.management.cattle.io/grb-owner': owner } },
    }));
    expect(of({ rancher: [IMPORT, now!], before: [before!] })).toEqual([
      'error cluster-binding/immutable metadata.labels[authz.management.cattle.io/grb-owner]',
    ]);
  });
});

describe('global bindings', () => {
  const of = (tenancy: Tenancy) => briefOf('global-role-binding/', tenancy);

  test('name one member and a role that exists', () => {
    expect(of({ rancher: [grb()] })).toEqual([]);
    expect(of({ rancher: [grb({ groupPrincipalName: 'okta_group://ops' })] })).toEqual([
      'error global-role-binding/subject',
    ]);
    expect(of({ rancher: [grb({ globalRoleName: undefined })] })).toEqual([
      'error global-role-binding/role globalRoleName',
    ]);
    expect(of({ rancher: [grb({ globalRoleName: 'nosuch' })] })).toEqual([
      'warning global-role-binding/role globalRoleName',
    ]);
    expect(of({ rancher: [globalRole('own'), grb({ globalRoleName: 'own' })] })).toEqual([]);
    expect(of({ rancher: [grb({ globalRoleName: 'restricted-admin' })] })).toEqual([
      'error global-role-binding/role globalRoleName',
    ]);
    expect(of({ rancher: [user('u-ben'), grb()] })).toEqual([
      'warning global-role-binding/unknown-user userName',
    ]);
  });

  test('name users by principal from 2.11 on', () => {
    const one = grb({ userName: undefined, userPrincipalName: 'okta_user://ana' });
    expect(of({ rancher: [one], version: '2.10.5' })).toEqual([
      'error global-role-binding/subject userPrincipalName',
    ]);
    expect(of({ rancher: [one] })).toEqual([]);
  });

  test('are unique and keep their immutable fields', () => {
    expect(of({ rancher: [grb(), grb({}, 'grb-2')] })).toEqual([
      'warning global-role-binding/duplicate',
    ]);
    expect(of({ rancher: [grb({ globalRoleName: 'admin' })], before: [grb()] })).toEqual([
      'error global-role-binding/immutable globalRoleName',
    ]);
  });
});

test('an unknown role is reported in the words of the version', () => {
  const wordsOf = (family: string, version: string, rancher: Manifest) =>
    findingsOf(family, { rancher: [...PROGRAM, rancher], version })[0]?.message.replace(
      /^.*\(the server: /,
      '',
    );
  const [missing, refused] = [
    'roletemplates.management.cattle.io "mine" not found',
    'roleTemplateName: Invalid value: "mine": the referenced role template was not found',
  ];
  expect(
    ['2.13.8', '2.15.0'].map((version) =>
      wordsOf('project-binding/role', version, prtb({ roleTemplateName: 'mine' })),
    ),
  ).toEqual([`"${missing}")`, `"${refused}")`]);
  expect(wordsOf('cluster-binding/role', '2.13.8', crtb({ roleTemplateName: 'mine' }))).toBe(
    `"${refused}")`,
  );
  expect(wordsOf('global-role-binding/role', '2.15.0', grb({ globalRoleName: 'mine' }))).toBe(
    '"globalrolebindings.globalRoleName: Not found: "mine"")',
  );
  expect(
    wordsOf('global-role/', '2.15.0', globalRole('g', { inheritedClusterRoles: ['mine'] })),
  ).toBe(`"unable to find all roleTemplates ${missing}")`);
});
