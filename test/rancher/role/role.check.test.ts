import {
  checkOwnRoleName,
  checkPolicyRules,
  checkRoleContext,
  roleVersionProblem,
} from '../../../src/rancher/role/role.check';
import {
  BUILT_IN_ROLES,
  builtInGlobalRole,
  builtInRoleTemplate,
} from '../../../src/rancher/role/role.kind';
import { RancherVersion } from '../../../src/rancher/version/rancher-version';

describe('built-in roles', () => {
  test('lists no name twice', () => {
    const keys = BUILT_IN_ROLES.map(({ id, kind }) => `${kind === 'global'} ${id}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('admin is a global role and the role of a project', () => {
    expect([builtInGlobalRole('admin')?.kind, builtInRoleTemplate('admin')?.kind]).toEqual([
      'global',
      'project',
    ]);
  });

  test.each([
    ['virt-project-manage', '2.14.0', /2\.14\.1 or later, got 2\.14\.0/],
    ['virt-project-manage', '2.14.1', undefined],
    ['projectcatalogs-view', '2.8.5', undefined],
    ['projectcatalogs-view', '2.9.0', /needs Rancher before 2\.9\.0/],
    ['project-owner', '2.8.0', undefined],
  ])('%s on Rancher %s', (id, version, message) => {
    const problem = roleVersionProblem(builtInRoleTemplate(id)!, RancherVersion.parse(version));
    if (message) {
      expect(problem).toMatch(message);
    } else {
      expect(problem).toBeUndefined();
    }
  });

  test('are bound in their context, and their names are reserved', () => {
    expect(checkRoleContext('role', 'cluster-owner', 'project')).toEqual([
      expect.objectContaining({
        value: 'cluster-owner',
        message: 'must be a role of context project, not cluster',
      }),
    ]);
    expect(checkRoleContext('role', 'project-owner', 'project')).toEqual([]);
    expect(checkRoleContext('role', 'of-somebody', 'project')).toEqual([]);
    expect(checkOwnRoleName('name', 'read-only', false)).toHaveLength(1);
    expect(checkOwnRoleName('name', 'read-only', true)).toEqual([]);
  });
});

describe('rules', () => {
  const rule = { verbs: ['get'], apiGroups: [''], resources: ['secrets'] };

  test.each([
    [{ ...rule, verbs: [] }, 'r[0].verbs', 'cannot be empty'],
    [{ verbs: ['get'], resources: ['x'] }, 'r[0].apiGroups', 'cannot be empty'],
    [{ verbs: ['get'], apiGroups: [''] }, 'r[0].resources', 'cannot be empty'],
    [
      { ...rule, nonResourceURLs: ['/metrics'] },
      'r[0].nonResourceURLs',
      'cannot be set together with resources',
    ],
  ])('%j is refused at %s', (given, path, message) => {
    expect(checkPolicyRules('r', [given])).toEqual([expect.objectContaining({ path, message })]);
  });

  test('URLs mean nothing in namespaces', () => {
    const urls = { verbs: ['get'], nonResourceURLs: ['/metrics'] };
    expect(checkPolicyRules('r', [urls])).toEqual([]);
    expect(checkPolicyRules('r', [urls], true)).toEqual([
      expect.objectContaining({ says: 'namespaced rules cannot apply to non-resource URLs' }),
    ]);
  });

  test('what allows nothing is a warning', () => {
    expect(
      checkPolicyRules('r', [
        { verbs: ['read', 'Get'], apiGroups: [''], resources: ['VirtualMachines'] },
      ]).map(({ value, level }) => [value, level]),
    ).toEqual([
      ['read', 'warning'],
      ['Get', 'warning'],
      ['VirtualMachines', 'warning'],
    ]);
    expect(checkPolicyRules('r', [{ ...rule, verbs: ['*', 'own-verb', 'updatepsa'] }])).toEqual([]);
  });

  test.each([undefined, null, [], [null], ['x']])('%j has no findings', (rules) => {
    expect(checkPolicyRules('r', rules)).toEqual([]);
  });
});
