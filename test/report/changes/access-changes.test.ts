import { Manifest } from '../../../src/core/manifest/manifest';
import { Input } from '../../../src/engine/read/read-input';
import { accessChanges } from '../../../src/report/changes/access-changes';
import { ID, IMPORT, RANCHER, project, prtb } from '../../support/tenancy';

function input(...manifests: Manifest[]): Input {
  return {
    objects: manifests.map((manifest) => ({ manifest, target: RANCHER })),
    encrypted: [],
    findings: [],
    assemblies: [],
    folders: [],
  };
}

/** The objects with another ID of the cluster. */
function renamed(id: string, ...manifests: Manifest[]): Manifest[] {
  return JSON.parse(JSON.stringify(manifests).replaceAll(ID, id)) as Manifest[];
}

const LATE = '${late:rancher.import-dc1.name}';
const PAYMENTS = project('payments', { displayName: 'Payments' });

test('reports no access for another display name of a project', () => {
  const before = input(IMPORT, project('payments', { displayName: 'payments' }), prtb());
  expect(accessChanges(before, input(IMPORT, PAYMENTS, prtb()))).toEqual([]);
});

test('reports no access for another ID of a cluster', () => {
  const all = [IMPORT, PAYMENTS, prtb()];
  expect(accessChanges(input(...all), input(...renamed('c-m-other123', ...all)))).toEqual([]);
});

test('reports the project that gets another owner, of two with the same display name', () => {
  const other = project('payments-2', { displayName: 'Payments' });
  const of = (user: string): Manifest =>
    prtb({ projectName: `${ID}:payments-2`, userPrincipalName: user }, 'prtb-2');
  const shared = [IMPORT, PAYMENTS, other, prtb()];
  const changes = accessChanges(
    input(...shared, of('okta_user://ana')),
    input(...shared, of('okta_user://ben')),
  );
  expect(changes.map(({ name, gains, loses }) => ({ name, gains, loses }))).toEqual([
    { name: 'ana', gains: [], loses: ['Project Owner'] },
    { name: 'ben', gains: ['Project Owner'], loses: [] },
  ]);
});

test.each([
  ['a project of the program', [PAYMENTS], 'Payments'],
  ['a project that the program refers to', [], 'payments'],
])('names %s in a cluster without a known ID, with the late value', (_, projects, name) => {
  const [binding, ...declared] = renamed(LATE, prtb(), ...projects);
  expect(accessChanges(input(...declared), input(...declared, binding!))).toMatchObject([
    { where: `project ${name} on (late value rancher.import-dc1.name)`, gains: ['Project Owner'] },
  ]);
});
