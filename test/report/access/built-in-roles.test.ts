import { covers, rbacRule, rulesOf } from '../../../src/core/rbac/policy-rule';
import { HarvesterVersion } from '../../../src/harvester/version/harvester-version';
import { BUILT_IN_ROLES } from '../../../src/rancher/role/role.kind';
import {
  BUILT_IN_GLOBAL_ROLES,
  BUILT_IN_ROLE_TEMPLATES,
} from '../../../src/report/access/built-in-roles';
import { kubernetesRole } from '../../../src/report/access/kubernetes-roles';

const isKnown = (id: string, kind: string): boolean =>
  (kind === 'global' ? BUILT_IN_GLOBAL_ROLES : BUILT_IN_ROLE_TEMPLATES).has(id) ||
  kubernetesRole(id) !== undefined;

test('knows every role that Rancher and harvester-rbac create', () => {
  // what the other charts' roles say was not read
  const roles = BUILT_IN_ROLES.filter(
    ({ until, chart }) => !until && (chart === undefined || chart === 'harvester-rbac'),
  );
  expect(roles.length).toBeGreaterThan(50);
  expect(roles.filter(({ id, kind }) => !isKnown(id, kind)).map(({ id }) => id)).toEqual([]);
});

test('what a role inherits is known too', () => {
  const inherited = [
    ...BUILT_IN_GLOBAL_ROLES.values(),
    ...BUILT_IN_ROLE_TEMPLATES.values(),
  ].flatMap(({ inherits }) => inherits);
  expect(inherited.filter((id) => !isKnown(id, 'cluster'))).toEqual([]);
});

test("Kubernetes' view has secrets by Harvester alone", () => {
  const secrets = kubernetesRole('view')!.filter((entry) => covers(entry, '', 'secrets'));
  expect(secrets.map(({ through }) => through)).toEqual(['view (harvesterhci.io:view)']);
  expect(kubernetesRole('nosuch')).toBeUndefined();
});

/** The verbs that a role gives on a resource, and whether they are sure. */
function verbsOf(
  id: string,
  version: string | undefined,
  group: string,
  resource: string,
): [verbs: string[], isSure: boolean] {
  const known = version === undefined ? undefined : HarvesterVersion.parse(version);
  const rules = kubernetesRole(id, { version: known })!.filter((entry) =>
    covers(entry, group, resource),
  );
  return [
    [...new Set(rules.flatMap(({ verbs }) => verbs))].sort(),
    rules.every(({ unconfirmed }) => unconfirmed === undefined),
  ];
}

test.each([
  ['1.1.1', ['get', 'list', 'watch']],
  ['1.1.2', ['*', 'get', 'list', 'watch']],
  ['1.5.0', ['*', 'get', 'list', 'watch']],
  ['1.9.0', ['*', 'get', 'list', 'watch']],
])('Harvester %s lets editors do %j on VM networks', (version, verbs) => {
  expect(verbsOf('edit', version, 'k8s.cni.cncf.io', 'network-attachment-definitions')).toEqual([
    verbs,
    false,
  ]);
  expect(verbsOf('view', version, 'k8s.cni.cncf.io', 'network-attachment-definitions')).toEqual([
    ['get', 'list', 'watch'],
    false,
  ]);
});

test.each([
  ['1.2.1', 'storage.k8s.io', 'storageclasses', []],
  ['1.2.2', 'storage.k8s.io', 'storageclasses', ['get', 'list', 'watch']],
  ['1.5.1', 'storage.k8s.io', 'volumeattachments', []],
  ['1.5.2', 'storage.k8s.io', 'volumeattachments', ['get', 'list', 'watch']],
  ['1.5.2', 'harvesterhci.io', 'settings', []],
  ['1.6.0', 'harvesterhci.io', 'settings', ['get', 'list']],
  ['1.6.1', 'snapshot.storage.k8s.io', 'volumesnapshots', []],
  ['1.7.0', 'snapshot.storage.k8s.io', 'volumesnapshots', ['*']],
  ['1.7.3', 'kubevirt.io', 'virtualmachines', []],
  ['1.8.0', 'kubevirt.io', 'virtualmachines', ['patch']],
])('the CSI driver of Harvester %s may, on %s %s: %j', (version, group, resource, verbs) => {
  expect(verbsOf('harvesterhci.io:csi-driver', version, group, resource)).toEqual([verbs, true]);
});

// asked of an API server with the roles of Harvester 1.8.2 and KubeVirt 1.7.0
test.each([
  ['view', 'kubevirt.io', 'virtualmachines', ['get', 'list', 'watch']],
  ['view', '', 'secrets', ['get', 'list', 'watch']],
  ['view', 'subresources.kubevirt.io', 'virtualmachines/start', []],
  ['edit', 'subresources.kubevirt.io', 'virtualmachineinstances/vnc', ['get']],
  ['edit', 'subresources.kubevirt.io', 'virtualmachines/start', ['update']],
  ['admin', 'kubevirt.io', 'virtualmachineinstancemigrations', ['get', 'list', 'watch']],
])('%s on Harvester 1.8 may surely, on %s %s: %j', (id, group, resource, verbs) => {
  expect(verbsOf(id, '1.8.2', group, resource)).toEqual([verbs, true]);
});

test('rules that not every Harvester has are not sure where its version is unknown', () => {
  expect(
    verbsOf('harvesterhci.io:csi-driver', undefined, 'kubevirt.io', 'virtualmachines'),
  ).toEqual([['patch'], false]);
  expect(
    verbsOf(
      'harvesterhci.io:cloudprovider',
      undefined,
      'loadbalancer.harvesterhci.io',
      'loadbalancers',
    ),
  ).toEqual([['create', 'delete', 'get', 'list', 'update', 'watch'], true]);
});

test('a cluster other than a Harvester has no roles of Harvester', () => {
  expect(
    kubernetesRole('view', { harvester: false })!.filter((entry) => covers(entry, '', 'secrets')),
  ).toEqual([]);
  expect(kubernetesRole('harvesterhci.io:csi-driver', { harvester: false })).toBeUndefined();
});

test.each([
  [['*'], 'apps', 'deployments', true],
  [['deployments'], 'apps', 'deployments', true],
  [['deployments'], 'apps', 'deployments/scale', false],
  [['*/scale'], 'apps', 'deployments/scale', true],
  [['deployments'], '', 'deployments', false],
])('applies a rule on %j to %s/%s: %s', (resources, group, resource, expected) => {
  expect(covers(rbacRule('apps', resources, ['get']), group, resource)).toBe(expected);
});

test('leaves out what is not a rule', () => {
  expect(rulesOf([null, 'x', { apiGroups: ['', 5], resources: ['pods'], verbs: 'get' }])).toEqual([
    { apiGroups: [''], resources: ['pods'], verbs: [] },
  ]);
  expect(rulesOf({})).toEqual([]);
});
