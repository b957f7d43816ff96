import { readFileSync } from 'fs';
import { join } from 'path';
import { Manifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { JudgedObject, World } from '../../../src/core/rule/rule';
import { markOfRancher } from '../../../src/rancher/role/made-rbac.facts';
import { MADE_RBAC_RULES } from '../../../src/rancher/role/made-rbac.rules';

function found(labels: object, kind = 'RoleBinding'): number {
  const manifest = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: { name: 'rb-1', namespace: 'c-1', labels },
  } as Manifest;
  const object: JudgedObject = { target: { name: 'rancher' }, manifest };
  return judge(MADE_RBAC_RULES, new World([object])).length;
}

test('refuses roles and bindings that Rancher makes from its own', () => {
  expect(found({ 'c-1_crtb-1': 'membership-binding-owner' })).toBe(1);
  expect(found({ 'authz.cluster.cattle.io/rtb-owner-updated': 'c-1_crtb-1' })).toBe(1);
  expect(found({ 'cattle.io/creator': 'norman' }, 'Role')).toBe(1);
});

test('accepts those of users', () => {
  expect(found({ team: 'web' })).toBe(0);
  expect(found({ 'cattle.io/creator': 'someone' })).toBe(0);
});

test('knows every binding that a running Rancher made without an owner', () => {
  const file = join(__dirname, '../../recordings/rancher-2.15.0-made-in-the-ui/rancher.json');
  const recorded = JSON.parse(readFileSync(file, 'utf8')) as readonly { object: Manifest }[];
  const bindings = recorded
    .map(({ object }) => object)
    .filter(
      ({ kind, metadata }) => kind === 'RoleBinding' && metadata.ownerReferences === undefined,
    );
  expect(bindings.length).toBeGreaterThan(20);
  expect(bindings.filter((each) => markOfRancher(each) === undefined)).toEqual([]);
});
