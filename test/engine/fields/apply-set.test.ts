import { AssemblyObject } from '../../../src/core/output/assembly';
import {
  appOf,
  applySetId,
  withMembership,
  contentsOf,
} from '../../../src/engine/fields/apply-set';

const MANIFEST = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', labels: { own: 'x' } },
};
const OBJECT: AssemblyObject = {
  id: 'dc1//ConfigMap//a',
  target: 'dc1',
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'a',
  construct: 'app/a',
};

test('the id of a set is the one that kubectl gives it', () => {
  // what kubectl v1.32.4 wrote
  expect(applySetId({ ...appOf(), parent: { namespace: 'default', name: 'myset' } })).toBe(
    'applyset-UubrxF7U9-XcQv6_kntuDgRH6kK6gnGALtlrTtNjhMY-v1',
  );
});

test('adds its label to those of members, but not to what is reset or kept', () => {
  const finish = withMembership(appOf());
  expect(finish(OBJECT, MANIFEST).metadata.labels).toEqual({
    'own': 'x',
    'applyset.kubernetes.io/part-of': applySetId(appOf()),
  });
  for (const policy of ['reset', 'keep'] as const) {
    expect(finish({ ...OBJECT, deletion: { policy, reason: '' } }, MANIFEST)).toBe(MANIFEST);
  }
});

test('a Setting whose value a controller rewrites carries the name of the app', () => {
  const finish = withMembership(appOf('shop'));
  const object: AssemblyObject = {
    ...OBJECT,
    deletion: { policy: 'reset', reason: '' },
    othersWrite: ['value'],
  };
  expect(finish(object, MANIFEST).metadata).toEqual({
    ...MANIFEST.metadata,
    annotations: { 'cdk8s-harvester/app': 'shop' },
  });
});

test('a label that the program sets itself is refused', () => {
  const manifest = {
    ...MANIFEST,
    metadata: { name: 'a', labels: { 'applyset.kubernetes.io/part-of': 'mine' } },
  };
  expect(() => withMembership(appOf())(OBJECT, manifest)).toThrow(
    'dc1//ConfigMap//a: must not declare the label applyset.kubernetes.io/part-of, which apply sets, got mine',
  );
});

test('lists kinds and other namespaces on the parent, sorted', () => {
  const members = [
    { apiVersion: 'v1', kind: 'Secret', namespace: 'z' },
    { apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster', namespace: 'fleet-default' },
    { apiVersion: 'v1', kind: 'Secret', namespace: 'kube-system' },
    { apiVersion: 'v1', kind: 'Namespace' },
  ];
  expect(contentsOf(members, appOf())).toEqual({
    kinds: 'Cluster.provisioning.cattle.io,Namespace,Secret',
    namespaces: 'fleet-default,z',
  });
});

test('an app has its own manager and its own parent; a name that is none is refused', () => {
  expect(appOf()).toEqual({
    id: 'default',
    fieldManager: 'cdk8s-harvester',
    parent: { namespace: 'kube-system', name: 'cdk8s-harvester-default' },
    formerParent: { namespace: 'default', name: 'cdk8s-harvester-default' },
  });
  expect(appOf('shop')).toEqual({
    id: 'shop',
    fieldManager: 'cdk8s-harvester.shop',
    parent: { namespace: 'kube-system', name: 'cdk8s-harvester-shop' },
    formerParent: { namespace: 'default', name: 'cdk8s-harvester-shop' },
  });
  expect(() => appOf('Shop!')).toThrow('got "Shop!"');
});
