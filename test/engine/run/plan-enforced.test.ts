import { APP, Trial, writes } from './_running';
import { withMembership } from '../../../src/engine/fields/apply-set';
import { buildGraph } from '../../../src/engine/graph/build-graph';
import { inventoryReader } from '../../../src/engine/inventory/inventory';
import { LateResolver } from '../../../src/engine/late/late-resolver';
import { Plan } from '../../../src/engine/plan/plan';
import { SmallProgram } from '../graph/_assemblies';
import { makePlan } from '../plan/_planning';

const ID = (name: string): string => `dc1//ConfigMap/default/${name}`;
const REF = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name });

function small(...names: string[]): SmallProgram {
  const program = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  for (const name of names) {
    program.object('dc1', 'v1', 'ConfigMap', `default/${name}`, { data: { key: name } });
  }
  return program;
}

/** As the command makes it. */
async function planOf({ program }: Trial, forceConflicts: readonly string[] = []): Promise<Plan> {
  const { assembly, manifests, targets } = program;
  const plan = await makePlan(
    { ...program, graph: buildGraph(assembly, manifests) },
    {
      fieldManager: APP.fieldManager,
      forceConflicts,
      inventory: inventoryReader(APP),
      finish: withMembership(APP),
      late: new LateResolver(assembly, targets),
    },
  );
  // as from a file
  return JSON.parse(JSON.stringify(plan)) as Plan;
}

test('does what the plan shows, and does nothing for the same plan again', async () => {
  const trial = new Trial(small('a', 'b'));
  const plan = await planOf(trial);
  expect((await trial.apply({ plan })).failed).toEqual([]);
  expect(writes(trial.clusters.dc1)).toEqual([
    'apply ConfigMap default/a',
    'apply ConfigMap default/b',
  ]);
  trial.forget();
  expect((await trial.apply({ plan })).failed).toEqual([]);
  expect(writes(trial.clusters.dc1)).toEqual([]);
});

test('shows no change in a plan after an apply', async () => {
  const trial = new Trial(small('a', 'b'));
  await trial.apply();
  expect((await planOf(trial)).steps.map(({ action }) => action)).toEqual([
    'unchanged',
    'unchanged',
  ]);
});

test('refuses where a cluster changed since, and writes nothing at all', async () => {
  const trial = new Trial(small('a', 'b'));
  await trial.apply();
  trial.declared = small('a', 'b');
  trial.declared.manifests.set(ID('a'), {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'default' },
    data: { key: 'new' },
  });
  const plan = await planOf(trial);
  trial.clusters.dc1.change(REF('a'), (object) => {
    object.data.key = 'edited';
  });
  trial.forget();
  await expect(trial.apply({ plan })).rejects.toThrow(
    /nothing was written\n {2}dc1\/\/ConfigMap\/default\/a: .*data\.key.*\nFix: make a new plan/s,
  );
  expect(writes(trial.clusters.dc1)).toEqual([]);
  expect(
    trial.clusters.rancher.live(
      'coordination.k8s.io/v1',
      'Lease',
      'cdk8s-harvester-default',
      'kube-system',
    ),
  ).toBeUndefined();
});

test('refuses an object that changed between the check of the plan and its turn', async () => {
  const program = small('a', 'b');
  program.edge(ID('b'), ID('a'));
  const trial = new Trial(program);
  const plan = await planOf(trial);
  trial.clusters.dc1.before = async ({ verb, what }) => {
    if (verb === 'apply' && what.endsWith('/a')) {
      trial.clusters.dc1.seed(
        { ...REF('b'), metadata: { name: 'b', namespace: 'default' }, data: { other: 'x' } },
        'kubectl',
      );
    }
  };
  const { done, failed } = await trial.apply({ plan });
  expect(done).toEqual([ID('a')]);
  expect(failed[0].message).toContain(
    `${ID('b')} (dc1/ConfigMap-b): no longer matches the plan: an object with that name was created after the plan was made. Fix: make a new plan`,
  );
});

test('prunes only what the plan shows', async () => {
  const trial = new Trial(small('a', 'b'));
  await trial.apply();
  trial.declared = small('a');
  const plan = await planOf(trial);
  expect(plan.steps.map(({ id, action }) => [id, action])).toEqual([
    [ID('a'), 'unchanged'],
    [ID('b'), 'prune'],
  ]);
  trial.forget();
  await trial.apply({ plan });
  expect(writes(trial.clusters.dc1)).toEqual(['delete ConfigMap default/b']);
});

test('takes the fields that a plan takes while a value is unknown from any manager', async () => {
  const program = small();
  program.late('key', {
    resolver: 'field',
    target: 'rancher',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'default',
    name: 'source',
    path: 'data.key',
  });
  // eslint-disable-next-line no-template-curly-in-string
  program.object('dc1', 'v1', 'ConfigMap', 'default/a', { data: { key: '${late:key}' } });
  const trial = new Trial(program);
  trial.clusters.dc1.seed(
    { ...REF('a'), metadata: { name: 'a', namespace: 'default' }, data: { key: 'theirs' } },
    'kubectl',
    'Apply',
  );
  const [plan, without] = [await planOf(trial, [ID('a')]), await planOf(trial)];
  expect(plan.steps).toMatchObject([{ action: 'unknown', waitsFor: ['key'] }]);
  trial.clusters.rancher.seed({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'source', namespace: 'default' },
    data: { key: 'ours' },
  });
  await expect(trial.apply({ plan: without })).rejects.toThrow(/nothing was written/);
  expect((await trial.apply({ plan })).failed).toEqual([]);
  expect(trial.clusters.dc1.live('v1', 'ConfigMap', 'a', 'default').data).toEqual({ key: 'ours' });
});
