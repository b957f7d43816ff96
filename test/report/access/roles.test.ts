import { covers, rule, rulesOf } from '../../../src/core/rbac/policy-rule';
import { BUILT_IN_ROLES } from '../../../src/rancher/role/role.kind';
import { BUILT_IN_GLOBAL_ROLES, BUILT_IN_ROLE_TEMPLATES, kubernetesRole } from '../../../src/report/access/roles';

const isKnown = (id: string, kind: string): boolean => (kind === 'global' ? BUILT_IN_GLOBAL_ROLES : BUILT_IN_ROLE_TEMPLATES).has(id) || kubernetesRole(id) !== undefined;

test('knows every role that Rancher and harvester-rbac create', () => {
  // what the other charts' roles say was not read
  const roles = BUILT_IN_ROLES.filter(({ until, chart }) => !until && (chart === undefined || chart === 'harvester-rbac'));
  expect(roles.length).toBeGreaterThan(50);
  expect(roles.filter(({ id, kind }) => !isKnown(id, kind)).map(({ id }) => id)).toEqual([]);
});

test('what a role inherits is known too', () => {
  const inherited = [...BUILT_IN_GLOBAL_ROLES.values(), ...BUILT_IN_ROLE_TEMPLATES.values()].flatMap(({ inherits }) => inherits);
  expect(inherited.filter((id) => !isKnown(id, 'cluster'))).toEqual([]);
});

test('Kubernetes\' view has secrets by Harvester alone', () => {
  const secrets = kubernetesRole('view')!.filter((entry) => covers(entry, '', 'secrets'));
  expect(secrets.map(({ through }) => through)).toEqual(['view (harvesterhci.io:view)']);
  expect(kubernetesRole('nosuch')).toBeUndefined();
});

test.each([
  [['*'], 'apps', 'deployments', true],
  [['deployments'], 'apps', 'deployments', true],
  [['deployments'], 'apps', 'deployments/scale', false],
  [['*/scale'], 'apps', 'deployments/scale', true],
  [['deployments'], '', 'deployments', false],
])('applies a rule on %j to %s/%s: %s', (resources, group, resource, expected) => {
  expect(covers(rule('apps', resources, ['get']), group, resource)).toBe(expected);
});

test('leaves out what is not a rule', () => {
  expect(rulesOf([null, 'x', { apiGroups: ['', 5], resources: ['pods'], verbs: 'get' }])).toEqual([{ apiGroups: [''], resources: ['pods'], verbs: [] }]);
  expect(rulesOf({})).toEqual([]);
});
