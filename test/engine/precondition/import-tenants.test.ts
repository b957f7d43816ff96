import { AssemblyTarget } from '../../../src/core/output/assembly';
import { appOf } from '../../../src/engine/fields/apply-set';
import { inUse } from '../../../src/engine/precondition/in-use';
import { FakeCluster } from '../../support/fake-cluster';
import { SmallProgram } from '../graph/_assemblies';
import { APP, Trial, writes } from '../run/_running';

const MANAGEMENT = 'management.cattle.io/v3';
const PROVISIONING = 'provisioning.cattle.io/v1';
const HARVESTER = 'harvesterhci.io/v1beta1';
const IMPORT = 'rancher/provisioning.cattle.io/Cluster/fleet-default/dc1';
const SETTING = 'cluster-registration-url';

/** What the plan, an apply, and a destroy say. */
const IN_USE =
  'its management cluster c-m-dc1 contains 2 Projects (p-x9k2m "Web", py-shop of app py), ' +
  '1 ProjectRoleTemplateBinding (guest), 1 ClusterRoleTemplateBinding (ops) of others: Rancher deletes them with it. ' +
  'Fix: delete or move that first, keep this object with Retention.of(construct).retain(), ' +
  `or delete it anyway with --accept-in-use '${IMPORT}'`;

/** A Rancher that imports a Harvester, with a project of the program in it. */
function platform({ isImported = true } = {}): SmallProgram {
  const program = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  program.object('rancher', 'v1', 'ConfigMap', 'default/stays');
  if (!isImported) {
    return program;
  }
  program.object('rancher', PROVISIONING, 'Cluster', 'fleet-default/dc1', {
    metadata: { annotations: { 'provisioning.cattle.io/management-cluster-name': 'c-m-dc1' } },
    spec: {},
  });
  program.object('rancher', MANAGEMENT, 'Project', 'c-m-dc1/own', {
    spec: { clusterName: 'c-m-dc1' },
  });
  program.object('dc1', HARVESTER, 'Setting', SETTING, {
    value: 'https://rancher/v3/import/t_c-m-dc1.yaml',
  });
  const setting = program.objects.length - 1;
  program.objects[setting] = {
    ...program.objects[setting],
    deletion: { policy: 'reset', reason: 'is reset' },
  };
  return program;
}

const project = (name: string, rest: object = {}, labels: object = {}) => ({
  apiVersion: MANAGEMENT,
  kind: 'Project',
  metadata: { name, namespace: 'c-m-dc1', labels },
  spec: { clusterName: 'c-m-dc1', ...rest },
});
const member = (name: string, of: string, rest: object = {}) => ({
  apiVersion: MANAGEMENT,
  kind: 'ProjectRoleTemplateBinding',
  metadata: { name, namespace: `c-m-dc1-${of}` },
  projectName: `c-m-dc1:${of}`,
  ...rest,
});
const clusterMember = (name: string, rest: object = {}, labels: object = {}) => ({
  apiVersion: MANAGEMENT,
  kind: 'ClusterRoleTemplateBinding',
  metadata: { name, namespace: 'c-m-dc1', labels },
  clusterName: 'c-m-dc1',
  ...rest,
});

/** What Rancher makes in the management cluster by itself. */
function madeByRancher(rancher: FakeCluster): void {
  const label = (name: string): object => ({ [`authz.management.cattle.io/${name}`]: 'true' });
  rancher.seed(project('p-aaaaa', {}, label('default-project')), 'rancher');
  rancher.seed(project('p-bbbbb', {}, label('system-project')), 'rancher');
  rancher.seed(member('creator-project-owner', 'p-aaaaa'), 'rancher');
  rancher.seed(clusterMember('creator-cluster-owner'), 'rancher');
  rancher.seed(clusterMember('crtb-grb', {}, label('grb-owner')), 'rancher');
  rancher.seed(
    clusterMember('dc1-fleet-default-owner', { userPrincipalName: 'system://provisioning/dc1' }),
    'rancher',
  );
  // of another cluster
  rancher.seed({ ...project('else'), spec: { clusterName: 'c-m-dc2' } }, 'rancher');
}

function madeByOthers(rancher: FakeCluster): void {
  rancher.seed(project('py-shop'), appOf('py').fieldManager, 'Apply');
  rancher.seed(project('p-x9k2m', { displayName: 'Web' }), 'rancher');
  rancher.seed(member('guest', 'p-aaaaa'), 'kubectl');
  rancher.seed(clusterMember('ops'), 'kubectl');
}

/** The platform as it runs. */
async function running(hasOthers = true): Promise<Trial> {
  const trial = new Trial(platform());
  const { rancher, dc1 } = trial.clusters;
  dc1.seed({ apiVersion: HARVESTER, kind: 'Setting', metadata: { name: SETTING } }, 'harvester');
  dc1.reactions.push((object) => {
    if (object.kind === 'Setting') {
      Object.assign(object, { status: { conditions: [{ type: 'configured', status: 'True' }] } });
    }
  });
  expect((await trial.apply()).failed).toEqual([]);
  madeByRancher(rancher);
  if (hasOthers) {
    madeByOthers(rancher);
  }
  trial.forget();
  return trial;
}

const urlOf = ({ clusters: { dc1 } }: Trial): string =>
  dc1.live(HARVESTER, 'Setting', SETTING).value;
const isThere = ({ clusters: { rancher } }: Trial, name: string): boolean =>
  rancher.has(MANAGEMENT, 'Project', name, 'c-m-dc1');
const hasImport = ({ clusters: { rancher } }: Trial): boolean =>
  rancher.has(PROVISIONING, 'Cluster', 'dc1', 'fleet-default');

test('the plan refuses to delete an import with projects and bindings of others, and names them with their apps', async () => {
  const trial = await running();
  trial.declared = platform({ isImported: false });
  const step = (await trial.plan()).steps.find(({ id }) => id === IMPORT);
  expect(step?.refused).toBe(IN_USE);
  expect(step?.preconditions).toContainEqual({ id: 'in-use', problem: IN_USE });
});

test('an apply keeps the import that others use, and its Harvester connected, until --accept-in-use names it', async () => {
  const trial = await running();
  trial.declared = platform({ isImported: false });
  const { failed } = await trial.apply();
  expect(failed).toEqual([{ id: IMPORT, message: `${IMPORT}: ${IN_USE}` }]);
  expect(hasImport(trial)).toBe(true);
  expect(urlOf(trial)).toContain('c-m-dc1');
  expect(writes(trial.clusters.dc1)).toEqual([]);
  expect(isThere(trial, 'own')).toBe(false);
  expect((await trial.apply({ acceptInUse: [IMPORT] })).failed).toEqual([]);
  expect(hasImport(trial)).toBe(false);
  expect(urlOf(trial)).toBe('');
});

test('a destroy keeps the import that others use, and its Harvester connected, until --accept-in-use names it', async () => {
  const trial = await running();
  const { failed } = await trial.destroy();
  expect(failed).toEqual([{ id: IMPORT, message: `${IMPORT}: ${IN_USE}` }]);
  expect(hasImport(trial)).toBe(true);
  expect(urlOf(trial)).toContain('c-m-dc1');
  expect((await trial.destroy({ acceptInUse: [IMPORT] })).failed).toEqual([]);
  expect(hasImport(trial)).toBe(false);
});

test('deletes an import that contains only what Rancher and this app made', async () => {
  const pruned = await running(false);
  pruned.declared = platform({ isImported: false });
  expect((await pruned.plan()).steps.find(({ id }) => id === IMPORT)?.refused).toBeUndefined();
  expect((await pruned.apply()).failed).toEqual([]);
  expect(hasImport(pruned)).toBe(false);
  const destroyed = await running(false);
  expect((await destroyed.destroy()).failed).toEqual([]);
  expect(hasImport(destroyed)).toBe(false);
});

test('names what others have in an imported cluster, and leaves a guest cluster to its machines', async () => {
  const cluster = new FakeCluster();
  madeByOthers(cluster);
  const rancher = { name: 'rancher', kind: 'rancher' } as AssemblyTarget;
  const live = (apiVersion: string, name: string, rest: object) => ({
    apiVersion,
    kind: 'Cluster',
    metadata: { name, uid: 'u', resourceVersion: '1' },
    ...rest,
  });
  const { fieldManager } = APP;
  const imported = live(MANAGEMENT, 'c-m-dc1', {});
  expect((await inUse(imported, rancher, cluster, { fieldManager }))?.why).toContain(
    'contains 2 Projects (p-x9k2m "Web", py-shop of app py)',
  );
  expect((await inUse(imported, rancher, cluster, { isGoing: () => true }))?.why).toBeUndefined();
  const guest = live(PROVISIONING, 'shop', {
    spec: { rkeConfig: {} },
    status: { clusterName: 'c-m-dc1' },
  });
  expect(await inUse(guest, rancher, cluster, { fieldManager })).toBeUndefined();
});
