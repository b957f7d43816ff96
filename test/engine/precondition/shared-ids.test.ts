import { appOf } from '../../../src/engine/fields/apply-set';
import { buildGraph } from '../../../src/engine/graph/build-graph';
import { inventoryReader } from '../../../src/engine/inventory/inventory';
import { ApiError } from '../../../src/engine/transport/api';
import { FakeCluster } from '../../support/fake-cluster';
import { SmallProgram } from '../graph/_assemblies';
import { makePlan } from '../plan/_planning';
import { APP, QuickClock, Trial, fake, writes } from '../run/_running';

const ANNOTATION = 'provisioning.cattle.io/management-cluster-name';
const CLUSTER = 'provisioning.cattle.io/v1';
const idOf = (name: string): string =>
  `rancher/provisioning.cattle.io/Cluster/fleet-default/${name}`;

function importOf(name: string, id?: string): SmallProgram {
  const program = new SmallProgram().target('rancher', 'rancher');
  program.object('rancher', CLUSTER, 'Cluster', `fleet-default/${name}`, {
    metadata: { annotations: id === undefined ? {} : { [ANNOTATION]: id } },
    spec: {},
  });
  program.object('rancher', 'v1', 'ConfigMap', 'default/stays');
  return program;
}

function uiCluster(rancher: FakeCluster, name: string, id: string): void {
  rancher.seed(
    {
      apiVersion: CLUSTER,
      kind: 'Cluster',
      metadata: { name, namespace: 'fleet-default' },
      spec: {},
    },
    'rancher',
  );
  rancher.change(
    { apiVersion: CLUSTER, kind: 'Cluster', name, namespace: 'fleet-default' },
    (live) => {
      live.status = { clusterName: id };
    },
  );
}

async function planOf(trial: Trial, onWarning?: (object: unknown, message: string) => void) {
  const { program } = trial;
  const options = { fieldManager: APP.fieldManager, inventory: inventoryReader(APP), onWarning };
  return makePlan({ ...program, graph: buildGraph(program.assembly, program.manifests) }, options);
}

async function renamed(): Promise<Trial> {
  const trial = new Trial(importOf('dc1', 'c-m-dc1'));
  expect((await trial.apply()).failed).toEqual([]);
  trial.declared = importOf('dc-one', 'c-m-dc1');
  trial.forget();
  return trial;
}

test('refuses to rename an import that keeps its management cluster ID before anything is written, and reports what keeps the name', async () => {
  const trial = await renamed();
  await expect(trial.apply()).rejects.toThrow(
    /c-m-dc1 already belongs to Cluster fleet-default\/dc1 \(of app default\).*deletes the projects, members and tokens of both.*set its prop name to "dc1"/s,
  );
  expect(writes(trial.clusters.rancher)).toEqual([]);
  expect(
    trial.clusters.rancher.live(CLUSTER, 'Cluster', 'dc-one', 'fleet-default'),
  ).toBeUndefined();
});

test('shows the refusal in the plan', async () => {
  const plan = await planOf(await renamed());
  expect(plan.steps.find(({ id }) => id === idOf('dc-one'))?.refused).toContain(
    'set its prop name to "dc1"',
  );
});

test('refuses a rename where Clusters cannot be listed, and reports that others were not checked', async () => {
  const trial = await renamed();
  trial.clusters.rancher.fault = ({ verb, what }) =>
    verb === 'list' && what.startsWith('Cluster ')
      ? new ApiError('forbidden', 'clusters is forbidden', 403)
      : undefined;
  await expect(trial.apply({ preflight: false })).rejects.toThrow('set its prop name to "dc1"');
  expect(trial.told).toContain('allow this identity to list Clusters');
  const warnings: string[] = [];
  const plan = await planOf(trial, (_, message) => {
    warnings.push(message);
  });
  expect(plan.steps.find(({ id }) => id === idOf('dc-one'))?.refused).toContain(
    'set its prop name to "dc1"',
  );
  expect(warnings).toEqual([expect.stringContaining('clusters is forbidden')]);
});

test('refuses the ID of a Cluster that another app applied', async () => {
  const first = new Trial(importOf('dc1', 'c-m-dc1'));
  await first.apply({ app: appOf('other') });
  const second = new Trial(importOf('dc-one', 'c-m-dc1'), first.clusters);
  await expect(second.apply()).rejects.toThrow(
    'already belongs to Cluster fleet-default/dc1 (of app other)',
  );
});

test('refuses the ID of a Cluster that the UI made', async () => {
  const rancher = fake('uid-of-rancher');
  uiCluster(rancher, 'c-abcde', 'c-m-dc1');
  await expect(new Trial(importOf('dc1', 'c-m-dc1'), { rancher }).apply()).rejects.toThrow(
    'already belongs to Cluster fleet-default/c-abcde:',
  );
});

test('creates a Cluster with an ID of its own, and one without any', async () => {
  const rancher = fake('uid-of-rancher');
  uiCluster(rancher, 'c-abcde', 'c-m-other');
  expect((await new Trial(importOf('dc1', 'c-m-dc1'), { rancher }).apply()).failed).toEqual([]);
  expect(
    (await new Trial(importOf('dc2'), { rancher: fake('uid-of-rancher') }).apply()).failed,
  ).toEqual([]);
});

test('keeps a Cluster that shares its management cluster when it is pruned or destroyed', async () => {
  const trial = new Trial(importOf('dc1', 'c-m-dc1'));
  await trial.apply();
  uiCluster(trial.clusters.rancher, 'dc-one', 'c-m-dc1');
  const destroyed = await trial.destroy();
  expect(destroyed.failed.map(({ id }) => id)).toEqual([idOf('dc1')]);
  expect(destroyed.failed[0].message).toContain(
    'shares its management cluster c-m-dc1 with Cluster fleet-default/dc-one',
  );
  expect(trial.clusters.rancher.has(CLUSTER, 'Cluster', 'dc1', 'fleet-default')).toBe(true);
  expect(
    (await trial.destroy({ acceptInUse: [idOf('dc1')], clock: new QuickClock() })).failed,
  ).toEqual([]);
});

test('shows in the plan that a target is another cluster than before, as an apply refuses it', async () => {
  const trial = new Trial(importOf('dc1'));
  await trial.apply();
  const { program } = new Trial(importOf('dc1'), {
    rancher: Object.assign(fake('another'), { objects: trial.clusters.rancher.objects }),
  });
  const options = { fieldManager: APP.fieldManager, inventory: inventoryReader(APP) };
  const plan = await makePlan(
    { ...program, graph: buildGraph(program.assembly, program.manifests) },
    options,
  );
  expect(plan.problems).toEqual([
    expect.stringContaining(
      'must be the cluster of the previous run (kube-system UID uid-of-rancher), got another one (another)',
    ),
  ]);
});
