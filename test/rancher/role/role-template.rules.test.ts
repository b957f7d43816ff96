import { Tenancy, briefOf, findingsOf, globalRole, grb, prtb, role } from '../../support/tenancy';

const rules = (tenancy: Tenancy) => briefOf('role-template/', tenancy);
const globals = (tenancy: Tenancy) => briefOf('global-role/', tenancy);
const VERBLESS = [{ apiGroups: ['kubevirt.io'], resources: ['virtualmachines'], verbs: [] }];

test('a role of our own is in order', () => {
  expect(rules({ rancher: [role('vm-operator', { roleTemplateNames: ['read-only'] })] })).toEqual(
    [],
  );
});

describe('built-in roles', () => {
  test("are Rancher's to make", () => {
    expect(rules({ rancher: [role('mine', { builtin: true })] })).toEqual([
      'error role-template/built-in builtin',
    ]);
    const [error] = findingsOf('role-template/built-in', { rancher: [role('project-owner')] });
    expect(error).toMatchObject({
      level: 'error',
      path: 'metadata.name',
      value: '"project-owner"',
      fix: 'choose another name, or bind the built-in role itself',
    });
  });

  test('of charts can be in a manifest', () => {
    expect(rules({ rancher: [role('virt-project-manage')] })).toEqual([]);
  });

  test('keep their rules', () => {
    const own = role('project-owner', { builtin: true });
    expect(rules({ rancher: [{ ...own, locked: true }], before: [own] })).toEqual([]);
    expect(rules({ rancher: [{ ...own, displayName: 'x' }], before: [own] })).toEqual([
      'error role-template/built-in-changed displayName',
    ]);
    expect(rules({ rancher: [role('mine', { builtin: true })], before: [role('mine')] })).toContain(
      'error role-template/built-in-changed builtin',
    );
  });

  test('are not deleted', () => {
    const [error] = findingsOf('role-template/', {
      before: [role('project-owner', { builtin: true })],
    });
    expect(error).toMatchObject({
      rule: 'role-template/built-in-deleted',
      level: 'error',
      fix: 'keep it; lock it instead, so that it can no longer be granted',
    });
    expect(rules({ before: [role('mine')] })).toEqual([]);
  });
});

test.each([
  [{ context: 'namespace' }, 'error role-template/context context'],
  [{ context: undefined }, 'warning role-template/context context'],
  [
    { context: 'cluster', projectCreatorDefault: true },
    'error role-template/context projectCreatorDefault',
  ],
  [{ administrative: true }, 'error role-template/context administrative'],
  [{ clusterCreatorDefault: true }, 'warning role-template/context clusterCreatorDefault'],
  [{ rules: VERBLESS }, 'error role-template/rules rules[0].verbs'],
  [{ rules: [{ verbs: ['get'] }] }, 'error role-template/rules rules[0].apiGroups'],
  [
    { externalRules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
    'error role-template/rules externalRules',
  ],
  [{ roleTemplateNames: ['nosuch'] }, 'warning role-template/inherited roleTemplateNames[0]'],
  [{ roleTemplateNames: ['view', ''] }, 'error role-template/inherited roleTemplateNames[1]'],
])('%j is reported', (fields, line) => {
  expect(rules({ rancher: [role('mine', fields)] })).toContain(line);
});

test('quotes the server for what it refuses, and not for a verb that it accepts', () => {
  const given = [
    { apiGroups: [''], resources: ['pods'], verbs: ['view'] },
    { apiGroups: [''], resources: ['pods'], verbs: [] },
  ];
  const found = findingsOf('role-template/rules', { rancher: [role('mine', { rules: given })] });
  expect(found.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^cannot be empty \(the server: /),
    'must be a verb of Kubernetes: it has no effect',
  ]);
});

test('a cycle is reported once', () => {
  const circle = [
    role('b', { roleTemplateNames: ['c'] }),
    role('c', { roleTemplateNames: ['a'] }),
    role('a', { roleTemplateNames: ['b'] }),
  ];
  const [error, ...more] = findingsOf('role-template/circle', { rancher: circle });
  expect(more).toEqual([]);
  expect(error.message).toContain('go in a circle: a -> b -> c -> a');
  expect(rules({ rancher: [role('a', { roleTemplateNames: ['a'] })] })).toEqual([
    'error role-template/circle roleTemplateNames',
  ]);
  // also where those that it closes with are live
  expect(
    findingsOf('role-template/circle', { rancher: [circle[0]], live: [circle[1], circle[2]] }).map(
      ({ object }) => object?.name,
    ),
  ).toEqual(['b']);
  expect(
    findingsOf('role-template/circle', {
      rancher: [
        ...circle,
        role('a2', { roleTemplateNames: ['c'] }),
        role('c2', { roleTemplateNames: ['c2'] }),
      ],
    }).map(({ object }) => object?.name),
  ).toEqual(['a', 'c2']);
  // who only leads to a circle is not in it
  expect(
    findingsOf('role-template/circle', {
      rancher: [...circle, role('z', { roleTemplateNames: ['a'] })],
    }),
  ).toHaveLength(1);
});

describe('deleting a role', () => {
  const before = [role('mine')];

  test('that others inherit is refused', () => {
    const [error] = findingsOf('role-template/inherited-deleted', {
      rancher: [role('heir', { roleTemplateNames: ['mine'] })],
      before,
    });
    expect(error.message).toContain('cannot be deleted while RoleTemplate heir inherits it');
    expect(
      rules({ rancher: [globalRole('g', { inheritedClusterRoles: ['mine'] })], before }),
    ).toContain('error role-template/inherited-deleted');
  });

  test('with bindings removes permissions', () => {
    const [error] = findingsOf('role-template/bound-deleted', {
      rancher: [prtb({ roleTemplateName: 'mine' })],
      before,
    });
    expect(error.fix).toBe('delete the bindings too');
    expect(rules({ before: [...before, prtb({ roleTemplateName: 'mine' })] })).toEqual([]);
  });
});

describe('global roles', () => {
  test('of our own are in order', () => {
    const rule = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
    expect(
      globals({
        rancher: [
          globalRole('mine', {
            rules: [rule],
            namespacedRules: { a: [rule] },
            inheritedClusterRoles: ['cluster-member'],
          }),
        ],
      }),
    ).toEqual([]);
  });

  test.each([
    ['admin', {}, 'error global-role/built-in metadata.name'],
    ['mine', { builtin: true }, 'error global-role/built-in builtin'],
    ['mine', { rules: VERBLESS }, 'error global-role/rules rules[0].verbs'],
    [
      'mine',
      { namespacedRules: { a: [{ nonResourceURLs: ['/x'], verbs: ['get'] }] } },
      'error global-role/rules namespacedRules[a][0].nonResourceURLs',
    ],
    [
      'mine',
      { inheritedFleetWorkspacePermissions: { workspaceVerbs: [] } },
      'error global-role/rules inheritedFleetWorkspacePermissions.workspaceVerbs',
    ],
    [
      'mine',
      {
        inheritedFleetWorkspacePermissions: {
          resourceRules: [{ nonResourceURLs: ['/x'], verbs: ['get'] }],
          workspaceVerbs: ['get'],
        },
      },
      'error global-role/rules inheritedFleetWorkspacePermissions.resourceRules[0].nonResourceURLs',
    ],
    [
      'mine',
      { inheritedFleetWorkspacePermissions: { workspaceVerbs: ['get'] } },
      'warning global-role/fleet-permissions inheritedFleetWorkspacePermissions.resourceRules',
    ],
    ['mine', { inheritedNamespacedRules: {} }, 'error global-role/fields inheritedNamespacedRules'],
    [
      'mine',
      { inheritedClusterRoles: ['project-owner'] },
      'error global-role/inherited inheritedClusterRoles[0]',
    ],
    [
      'mine',
      { inheritedClusterRoles: ['cluster-member', ''] },
      'error global-role/inherited inheritedClusterRoles[1]',
    ],
  ])('%s with %j is refused', (name, fields, line) => {
    expect(globals({ rancher: [globalRole(name, fields)] })).toContain(line);
  });

  test('have rules for namespaces from 2.9 on', () => {
    expect(
      globals({ rancher: [globalRole('mine', { namespacedRules: {} })], version: '2.8.5' }),
    ).toEqual(['error global-role/fields namespacedRules']);
  });

  test('are asked for roles that are new only', () => {
    const one = globalRole('mine', { inheritedClusterRoles: ['locked'] });
    const locked = role('locked', { context: 'cluster', locked: true });
    expect(globals({ rancher: [locked, one] })).toEqual([
      'error global-role/inherited inheritedClusterRoles[0]',
    ]);
    expect(globals({ rancher: [locked, one], before: [one] })).toEqual([]);
  });

  test('that are built in do not change', () => {
    const own = globalRole('user', { builtin: true, displayName: 'User' });
    expect(globals({ rancher: [{ ...own, newUserDefault: true }], before: [own] })).toEqual([]);
    expect(globals({ rancher: [{ ...own, displayName: 'x' }], before: [own] })).toEqual([
      'error global-role/built-in-changed displayName',
    ]);
    expect(globals({ before: [own] })).toEqual(['error global-role/built-in-deleted']);
  });

  test('take their bindings along', () => {
    expect(
      globals({ rancher: [grb({ globalRoleName: 'mine' })], before: [globalRole('mine')] }),
    ).toEqual(['warning global-role/bound-deleted']);
  });

  test('does not become a built-in one', () => {
    const made = findingsOf('global-role/', {
      rancher: [globalRole('mine', { builtin: true })],
      before: [globalRole('mine')],
    }).filter(({ rule }) => rule === 'global-role/made-built-in');
    expect(made.map(({ level, path, message }) => [level, path, message])).toEqual([
      [
        'error',
        'builtin',
        'can be set only on roles that Rancher creates (the server: "globalrole: Forbidden: cannot update non-builtIn GlobalRole mine to be builtIn")',
      ],
    ]);
  });
});
