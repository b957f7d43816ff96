import { Manifest } from '../../../src/core/manifest/manifest';
import { ID, IMPORT, Tenancy, briefOf, project, prtb, role, tenant } from '../../support/tenancy';

const HARVESTER: Manifest = {
  ...IMPORT,
  metadata: { ...IMPORT.metadata, labels: { 'provider.cattle.io': 'harvester' } },
};
const ELSEWHERE: Manifest = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'default' },
};
const rules = (
  rancher: readonly Manifest[],
  harvester: readonly Manifest[] = [ELSEWHERE],
  more: Tenancy = {},
) =>
  briefOf('project/no-namespaces', {
    rancher: [HARVESTER, project(), ...rancher],
    harvester,
    ...more,
  });
const FOUND = ['warning project/no-namespaces'];

test('reports a project of a Harvester without a namespace', () => {
  expect(rules([])).toEqual(FOUND);
  expect(rules([], [tenant('payments-vms')])).toEqual([]);
});

test('unless a member can create namespaces, by a role of any kind', () => {
  const member = (roleTemplateName: string) => prtb({ roleTemplateName });
  expect(rules([member('read-only')])).toEqual(FOUND);
  expect([
    rules([member('project-owner')]),
    rules([member('create-ns')]),
    rules([member('of-a-chart')]),
  ]).toEqual([[], [], []]);
  expect(rules([member('mine'), role('mine')])).toEqual(FOUND);
  expect(
    rules([
      member('mine'),
      role('mine', { rules: [{ apiGroups: [''], resources: ['namespaces'], verbs: ['create'] }] }),
    ]),
  ).toEqual([]);
  expect(rules([member('mine'), role('mine', { roleTemplateNames: ['project-member'] })])).toEqual(
    [],
  );
  expect(
    rules([member('mine'), role('mine', { roleTemplateNames: ['mine', 'read-only'] })]),
  ).toEqual(FOUND);
});

test('finds nothing without manifests of a Harvester, for guest clusters, and for projects that exist', () => {
  expect(rules([], [])).toEqual([]);
  expect(
    briefOf('project/no-namespaces', { rancher: [IMPORT, project()], harvester: [ELSEWHERE] }),
  ).toEqual([]);
  expect(
    briefOf('project/no-namespaces', {
      rancher: [HARVESTER, project('payments', {}, { namespace: `${ID}x` })],
      harvester: [ELSEWHERE],
    }),
  ).toEqual([]);
  expect(rules([], [ELSEWHERE], { live: [project()] })).toEqual([]);
});
