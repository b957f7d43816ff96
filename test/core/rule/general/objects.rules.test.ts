import { OBJECT_RULES } from '../../../../src/core/rule/general/objects.rules';
import { judge } from '../../../../src/core/rule/judge';
import { JudgedObject, World } from '../../../../src/core/rule/rule';

const TARGET = { name: 'dc1', kind: 'harvester', harvesterVersion: '1.7.2' } as const;

function object(
  apiVersion: string,
  kind: string,
  metadata: object,
  target: JudgedObject['target'] = TARGET,
): JudgedObject {
  return { target, manifest: { apiVersion, kind, metadata: { name: 'a', ...metadata } } };
}

function brief(...objects: JudgedObject[]): string[] {
  return judge(OBJECT_RULES, new World(objects)).map(({ level, rule, path }) =>
    `${level} ${rule} ${path}`.trim(),
  );
}

test('cluster-scoped kinds have no namespace, namespaced ones of Harvester name theirs', () => {
  expect(brief(object('harvesterhci.io/v1beta1', 'Setting', { namespace: 'x' }))).toEqual([
    'warning object/scope metadata.namespace',
  ]);
  expect(brief(object('harvesterhci.io/v1beta1', 'KeyPair', {}))).toEqual([
    'warning object/scope metadata.namespace',
  ]);
  expect(
    brief(
      object('harvesterhci.io/v1beta1', 'KeyPair', { namespace: 'x' }),
      object('v1', 'ConfigMap', {}),
    ),
  ).toEqual([]);
});

test('annotations may have 256 KiB together, and not a byte more', () => {
  const annotations = (bytes: number) => ({
    namespace: 'x',
    annotations: { a: 'x'.repeat(bytes - 1) },
  });
  expect(brief(object('v1', 'ConfigMap', annotations(262144)))).toEqual([]);
  expect(brief(object('v1', 'ConfigMap', annotations(262145)))).toEqual([
    'error object/metadata metadata.annotations',
  ]);
});

test.each([
  ['v1', 'Namespace', 'a.b', false],
  ['v1', 'ConfigMap', 'a.b', true],
  ['v1', 'ConfigMap', 'A', false],
  ['v1', 'ConfigMap', 'x'.repeat(254), false],
  ['rbac.authorization.k8s.io/v1', 'ClusterRole', 'system:Node', true],
  ['rbac.authorization.k8s.io/v1', 'ClusterRole', 'a/b', false],
])('%s %s may be called %s: %s', (apiVersion, kind, name, allowed) => {
  expect(
    brief(object(apiVersion, kind, { name, namespace: kind === 'ConfigMap' ? 'x' : undefined }))
      .length === 0,
  ).toBe(allowed);
});

test.each([
  ['harvester', 'management.cattle.io/v3', 'Project', 'c-m-a', true],
  ['harvester', 'provisioning.cattle.io/v1', 'Cluster', 'fleet-default', true],
  ['harvester', 'provisioning.cattle.io/v1', 'Cluster', 'fleet-local', false],
  ['harvester', 'management.cattle.io/v3', 'ClusterRegistrationToken', 'local', false],
  ['harvester', 'fleet.cattle.io/v1alpha1', 'Bundle', 'fleet-local', false],
  ['rancher', 'harvesterhci.io/v1beta1', 'KeyPair', 'x', true],
  ['harvester', 'rke.cattle.io/v1', 'RKEControlPlane', 'fleet-local', false],
  ['guest', 'rke.cattle.io/v1', 'RKEControlPlane', 'fleet-default', true],
  ['guest', 'kubevirt.io/v1', 'VirtualMachine', 'x', false],
  ['guest', 'loadbalancer.harvesterhci.io/v1beta1', 'LoadBalancer', 'x', true],
] as const)('on a %s, %s %s in %s is refused: %s', (kind, apiVersion, name, namespace, refused) => {
  const findings = brief(object(apiVersion, name, { namespace }, { name: 't', kind }));
  expect(findings.includes('error object/wrong-target kind')).toBe(refused);
});

test.each(['GitRepo', 'Bundle', 'ClusterGroup', 'HelmOp'])(
  'warns of a %s on a guest cluster, which serves it only with Fleet of its own',
  (name) => {
    const fleet = (kind: 'rancher' | 'harvester' | 'guest'): string[] =>
      brief(object('fleet.cattle.io/v1alpha1', name, { namespace: 'x' }, { name: 't', kind }));
    expect(fleet('guest')).toContain('warning object/wrong-target kind');
    expect([...fleet('rancher'), ...fleet('harvester')]).not.toContainEqual(
      expect.stringContaining('wrong-target'),
    );
  },
);

test('what was there before and is gone is not found among the live objects', () => {
  const map = object('v1', 'ConfigMap', { namespace: 'x' });
  const other = object('v1', 'ConfigMap', { name: 'b', namespace: 'x' });
  const world = new World([other], [map], [map, other]);
  expect(world.ofKind('', 'ConfigMap')).toEqual([other]);
  expect(world.gone()).toEqual([map]);
  expect(new World([other], [map]).ofKind('', 'ConfigMap')).toEqual([other, map]);
});
