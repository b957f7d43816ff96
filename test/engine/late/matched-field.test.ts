import { withMembership } from '../../../src/engine/fields/apply-set';
import { buildGraph } from '../../../src/engine/graph/build-graph';
import { inventoryReader } from '../../../src/engine/inventory/inventory';
import { LateResolver } from '../../../src/engine/late/late-resolver';
import { originOf } from '../../../src/engine/late/origin';
import { Plan } from '../../../src/engine/plan/plan';
import { ApiError } from '../../../src/engine/transport/api';
import { withRights } from '../../support/fake-rights';
import { SmallProgram } from '../graph/_assemblies';
import { makePlan } from '../plan/_planning';
import { APP, QuickClock, Trial, fake, writes } from '../run/_running';

const PROJECT = { apiVersion: 'management.cattle.io/v3', kind: 'Project' };
const SOURCE = {
  resolver: 'matched-field',
  target: 'rancher',
  ...PROJECT,
  namespace: 'c-m-dc1',
  name: 'spec.displayName=Payments',
  path: 'metadata.name',
};

const project = (
  name: string,
  displayName = 'Payments',
  namespace = 'c-m-dc1',
  metadata: object = {},
): { [field: string]: unknown } => ({
  ...PROJECT,
  metadata: { name, namespace, ...metadata },
  spec: { displayName },
  status: {},
});

/** A program that writes the name of a project which it looks up. */
function program(source: Partial<typeof SOURCE> = {}): SmallProgram {
  const small = new SmallProgram()
    .target('rancher', 'rancher')
    .late('project', { ...SOURCE, ...source });
  small.object('rancher', 'v1', 'ConfigMap', 'default/names', {
    data: { project: '${late:project}' },
  });
  return small;
}

function trialOf(...projects: { [field: string]: unknown }[]): Trial {
  const trial = new Trial(program());
  for (const each of projects) {
    trial.clusters.rancher.seed(each);
  }
  return trial;
}

const resolverOf = (
  { program: { assembly, targets } }: Trial,
  onSleep?: (now: number) => void,
): LateResolver =>
  new LateResolver(assembly, targets, { clock: new QuickClock(onSleep), timeoutMs: 10_000 });

async function planOf(trial: Trial): Promise<Plan> {
  const { assembly, manifests, targets, digest } = trial.program;
  return makePlan(
    { assembly, manifests, digest, targets, graph: buildGraph(assembly, manifests) },
    {
      fieldManager: APP.fieldManager,
      app: APP.id,
      inventory: inventoryReader(APP),
      finish: withMembership(APP),
      late: new LateResolver(assembly, targets),
    },
  );
}

const written = ({ clusters: { rancher } }: Trial): unknown =>
  rancher.live('v1', 'ConfigMap', 'names', 'default')?.data.project;

const NO_PROJECT = 'no Project with spec.displayName "Payments" exists in namespace c-m-dc1';
const SEVERAL =
  'late value "the project" (app/project): metadata.name of Project c-m-dc1/* with spec.displayName "Payments" on rancher: ' +
  'several objects have spec.displayName "Payments": c-m-dc1/p-a, c-m-dc1/p-b. Fix: rename all but one of them, or refer to the object by its name';

describe('the look-up of an object by a field', () => {
  test('finds the one with exactly this value', async () => {
    const trial = trialOf(
      project('p-a', 'payments'),
      project('p-b', 'Payments 2'),
      project('p-c'),
      project('p-d', 'Payments', 'c-m-dc2'),
    );
    const resolver = resolverOf(trial);
    await resolver.resolve('project');
    expect(resolver.values.get('project')).toBe('p-c');
  });

  test.each([
    [
      'in all namespaces without one',
      { namespace: undefined },
      [project('p-a', 'Payments', 'c-m-dc2')],
    ],
    [
      'with a value that contains =',
      { name: 'spec.displayName=a=b' },
      [project('p-a', 'a=b'), project('p-b', 'a')],
    ],
    [
      'with a key that contains dots',
      { name: 'metadata.annotations.example.com/team=Payments' },
      [
        project('p-a', 'x', 'c-m-dc1', { annotations: { 'example.com/team': 'Payments' } }),
        project('p-b'),
      ],
    ],
    [
      'that is not being deleted',
      {},
      [
        project('p-b', 'Payments', 'c-m-dc1', {
          deletionTimestamp: '2026-01-01T00:00:00Z',
          finalizers: ['x'],
        }),
        project('p-a'),
      ],
    ],
    [
      'whose first field with a value is another one',
      { path: 'status.backingNamespace|metadata.name' },
      [project('p-a')],
    ],
  ])('finds one %s', async (_, source, projects) => {
    const trial = new Trial(program(source));
    for (const each of projects) {
      trial.clusters.rancher.seed(each);
    }
    const resolver = resolverOf(trial);
    await resolver.resolve('project');
    expect(resolver.values.get('project')).toBe('p-a');
  });

  test('waits while there is none', async () => {
    const trial = trialOf();
    const resolver = resolverOf(trial, (now) => {
      if (
        now > 3_000 &&
        !trial.clusters.rancher.live(PROJECT.apiVersion, 'Project', 'p-a', 'c-m-dc1')
      ) {
        trial.clusters.rancher.seed(project('p-a'));
      }
    });
    await resolver.resolve('project');
    expect(resolver.values.get('project')).toBe('p-a');
  });

  test('reports that there is none, and asks about no object of that name', async () => {
    const trial = trialOf(project('p-a', 'Paymints'));
    await expect(resolverOf(trial).resolve('project')).rejects.toThrow(
      'late value "the project" (app/project): not known after 10 s; read from metadata.name of Project c-m-dc1/* with spec.displayName "Payments" on rancher ' +
        `(context rancher): ${NO_PROJECT}. Fix: correct the Project in the program, or create it, or set a longer --timeout, and run the command again`,
    );
    expect(trial.clusters.rancher.did('read')).toEqual([]);
  });

  test('fails at once if there are several', async () => {
    const trial = trialOf(project('p-b'), project('p-a'));
    await expect(resolverOf(trial).resolve('project')).rejects.toThrow(SEVERAL);
    expect(trial.clusters.rancher.did('list')).toHaveLength(1);
  });

  test('names at most five of several', async () => {
    const trial = trialOf(...[...'abcdefg'].map((letter) => project(`p-${letter}`)));
    await expect(resolverOf(trial).resolve('project')).rejects.toThrow(
      'c-m-dc1/p-e and 2 more. Fix',
    );
  });

  test('fails with the words of the server if listing is not permitted', async () => {
    const trial = trialOf(project('p-a'));
    trial.clusters.rancher.fault = ({ verb }) =>
      verb === 'list'
        ? new ApiError('forbidden', 'projects is forbidden', 403, 'Forbidden')
        : undefined;
    await expect(resolverOf(trial).resolve('project')).rejects.toThrow(
      /\* with spec\.displayName "Payments" on rancher.*projects is forbidden/s,
    );
  });

  test('reads one list for all that are looked up at the same time', async () => {
    const small = program();
    for (const name of ['Web', 'Shop']) {
      small.late(name.toLowerCase(), { ...SOURCE, name: `spec.displayName=${name}` });
    }
    const trial = new Trial(small);
    for (const each of [project('p-a'), project('p-b', 'Web'), project('p-c', 'Shop')]) {
      trial.clusters.rancher.seed(each);
    }
    const resolver = resolverOf(trial);
    await resolver.checkLookUps();
    expect([...resolver.values].sort()).toEqual([
      ['project', 'p-a'],
      ['shop', 'p-c'],
      ['web', 'p-b'],
    ]);
    expect(trial.clusters.rancher.did('list')).toHaveLength(1);
  });

  test('can be influenced by everyone who can create such objects', () => {
    const { lateValues, targets } = program().assembly;
    expect(originOf(lateValues[0], targets)).toBe(
      'metadata.name of Project c-m-dc1/* with spec.displayName "Payments" on rancher, which everyone with permission to create or edit Projects there can write',
    );
  });
});

describe('a plan', () => {
  test('refuses an object whose look-up finds several', async () => {
    const {
      steps: [step],
    } = await planOf(trialOf(project('p-a'), project('p-b')));
    expect(step).toMatchObject({ refused: SEVERAL, waitsFor: ['project'] });
  });

  test('warns about an object whose look-up finds none yet', async () => {
    const {
      steps: [step],
    } = await planOf(trialOf());
    expect(step).toMatchObject({
      action: 'create',
      waitsFor: ['project'],
      warnings: [expect.stringContaining(NO_PROJECT)],
    });
    expect(step.refused).toBeUndefined();
  });

  test('contains the name of the object that is found', async () => {
    const {
      steps: [step],
    } = await planOf(trialOf(project('p-a')));
    expect(step).toMatchObject({ action: 'create', waitsFor: [] });
    expect(step.warnings).toBeUndefined();
  });
});

describe('an apply', () => {
  test('writes nothing if a look-up finds several', async () => {
    const trial = trialOf(project('p-a'), project('p-b'));
    trial.declared.configMap('other', 'rancher');
    await expect(trial.apply()).rejects.toThrow(SEVERAL);
    expect(writes(trial.clusters.rancher)).toEqual([]);
  });

  test('writes the name, and nothing the second time', async () => {
    const trial = trialOf(project('p-a'));
    expect(await trial.apply()).toMatchObject({ failed: [] });
    expect(written(trial)).toBe('p-a');
    trial.forget();
    expect(await trial.apply()).toMatchObject({ failed: [] });
    expect(writes(trial.clusters.rancher)).toEqual([]);
    expect(trial.told).not.toContain('changed since');
  });

  test('of a plan is refused if another object has the display name now', async () => {
    const trial = trialOf(project('p-a'), project('p-b', 'Web'));
    await trial.apply();
    const plan = await planOf(trial);
    trial.clusters.rancher.change({ ...PROJECT, namespace: 'c-m-dc1', name: 'p-a' }, (live) => {
      live.spec.displayName = 'Old payments';
    });
    trial.clusters.rancher.change({ ...PROJECT, namespace: 'c-m-dc1', name: 'p-b' }, (live) => {
      live.spec.displayName = 'Payments';
    });
    await expect(trial.apply({ plan })).rejects.toThrow('the plan is out of date');
    expect(written(trial)).toBe('p-a');
  });

  test('of a plan is refused if no object has the display name now', async () => {
    const trial = trialOf(project('p-a'));
    const plan = await planOf(trial);
    trial.clusters.rancher.change({ ...PROJECT, namespace: 'c-m-dc1', name: 'p-a' }, (live) => {
      live.spec.displayName = 'Renamed';
    });
    await expect(trial.apply({ plan })).rejects.toThrow('the plan is out of date');
    expect(written(trial)).toBeUndefined();
  });

  test('warns if the display name means another object than at the last apply', async () => {
    const trial = trialOf(project('p-a'), project('p-b', 'Web'));
    await trial.apply();
    trial.clusters.rancher.change({ ...PROJECT, namespace: 'c-m-dc1', name: 'p-a' }, (live) => {
      live.spec.displayName = 'Old payments';
    });
    trial.clusters.rancher.change({ ...PROJECT, namespace: 'c-m-dc1', name: 'p-b' }, (live) => {
      live.spec.displayName = 'Payments';
    });
    const changed =
      'late value "the project" changed since it was last read: metadata.name of Project c-m-dc1/* with spec.displayName "Payments" on rancher';
    expect((await planOf(trial)).steps[0]).toMatchObject({
      action: 'update',
      warnings: [expect.stringContaining(changed)],
    });
    trial.forget();
    expect(await trial.apply()).toMatchObject({ failed: [] });
    expect(written(trial)).toBe('p-b');
    const told = trial.told.replaceAll('\\"', '"');
    expect(told).toContain(changed);
    expect(told).toContain('It is now "p-b". Fix: ');
  });

  test('needs permission to list the objects, which no role restricts by name', async () => {
    const trial = new Trial(program(), { rancher: fake('uid') });
    trial.clusters.rancher.seed(project('p-a'));
    withRights(trial.clusters.rancher, {
      rules: [{ verbs: ['get', 'patch', 'create', 'delete'], group: '*', resources: ['*'] }],
    });
    await expect(trial.apply()).rejects.toThrow(
      'rancher (context rancher): list projects.management.cattle.io in namespace c-m-dc1',
    );
    expect(writes(trial.clusters.rancher)).toEqual([]);
  });

  test('deletes the object that it wrote into the namespace of another object before', async () => {
    const small = new SmallProgram().target('rancher', 'rancher').late('cluster', { ...SOURCE });
    small.object('rancher', 'v1', 'ConfigMap', '${late:cluster}/names', { data: { a: '1' } });
    const trial = new Trial(small);
    for (const each of [project('p-a'), project('p-b', 'Web')]) {
      trial.clusters.rancher.seed(each);
    }
    expect(await trial.apply()).toMatchObject({ failed: [] });
    trial.clusters.rancher.change({ ...PROJECT, namespace: 'c-m-dc1', name: 'p-a' }, (live) => {
      live.spec.displayName = 'Old payments';
    });
    // while the name is not known, nothing is deleted
    expect((await planOf(trial)).steps.map(({ action }) => action)).toEqual(['unknown']);
    trial.clusters.rancher.change({ ...PROJECT, namespace: 'c-m-dc1', name: 'p-b' }, (live) => {
      live.spec.displayName = 'Payments';
    });
    const plan = await planOf(trial);
    expect(plan.steps.map(({ id, action }) => `${action} ${id}`)).toEqual([
      'create rancher//ConfigMap/${late:cluster}/names',
      'prune rancher//ConfigMap/${late:cluster}/names (p-a/names)',
    ]);
    trial.forget();
    expect(await trial.apply({ plan })).toMatchObject({ failed: [] });
    expect(writes(trial.clusters.rancher)).toEqual([
      'apply ConfigMap p-b/names',
      'delete ConfigMap p-a/names',
    ]);
    expect((await planOf(trial)).steps.map(({ action }) => action)).toEqual(['unchanged']);
  });
});
