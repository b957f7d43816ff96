import { QuickClock, Trial } from './_running';
import { APPLY_SET } from '../../../src/engine/fields/apply-set';
import { ApiError } from '../../../src/engine/transport/api';
import { SmallProgram } from '../graph/_assemblies';

const COUNT = 30;

function many(data: string): SmallProgram {
  const program = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  for (let n = 0; n < COUNT; n++) {
    program.object('dc1', 'v1', 'ConfigMap', `default/map-${n}`, { data: { key: data } });
  }
  return program;
}

/** What was asked of the Harvester about the program's own objects. */
function asked(trial: Trial): { [verb: string]: number } {
  const counts: { [verb: string]: number } = {};
  for (const { verb, what } of trial.clusters.dc1.calls) {
    if (/\/(map-\d+)?$/.test(what) && verb !== 'kind') {
      counts[verb] = (counts[verb] ?? 0) + 1;
    }
  }
  return counts;
}

describe('how many requests an apply takes', () => {
  test('one for each new object; one for all where nothing changes; one more for each that changes', async () => {
    const trial = new Trial(many('a'));
    await trial.apply();
    expect(asked(trial)).toEqual({ apply: COUNT });
    trial.forget();
    await trial.apply();
    expect(asked(trial)).toEqual({ list: 1 });
    trial.forget();
    trial.declared = many('b');
    await trial.apply();
    expect(asked(trial)).toEqual({ list: 1, apply: COUNT });
    expect(trial.states('dc1//ConfigMap/default/map-7')).toEqual(['applying', 'configured']);
  });

  test('an object is looked at before it is written where rules know of edits that do harm', async () => {
    const program = new SmallProgram().target('rancher', 'rancher');
    program.object('rancher', 'management.cattle.io/v3', 'Project', 'c-m-abc/p', {
      spec: { clusterName: 'c-m-abc', displayName: 'p' },
    });
    const trial = new Trial(program);
    await trial.apply();
    expect(
      trial.clusters.rancher.calls
        .filter(({ what }) => what === 'Project c-m-abc/p')
        .map(({ verb }) => verb),
    ).toEqual(['read', 'apply']);
  });
});

describe('an object that is there although no inventory knows it', () => {
  const [ID, REF] = [
    'dc1//ConfigMap/default/a',
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } },
  ];
  const one = (): Trial => {
    const program = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
    program.object('dc1', 'v1', 'ConfigMap', 'default/a', { data: { key: 'ours' } });
    return new Trial(program);
  };

  test('is adopted where no manager has other values', async () => {
    const trial = one();
    trial.clusters.dc1.seed({ ...REF, data: { other: 'theirs' } });
    expect((await trial.apply()).done).toEqual([ID]);
    expect(trial.states(ID)).toEqual(['applying', 'adopted']);
    expect(trial.clusters.dc1.live('v1', 'ConfigMap', 'a', 'default').data).toEqual({
      key: 'ours',
      other: 'theirs',
    });
  });

  test('is kept where another manager has other values, and its manager is reported', async () => {
    const trial = one();
    trial.clusters.dc1.seed({ ...REF, data: { key: 'theirs' } }, 'kubectl-edit');
    expect((await trial.apply()).failed[0].message).toMatch(/data.key is owned by kubectl-edit/);
    expect(trial.clusters.dc1.live('v1', 'ConfigMap', 'a', 'default').data).toEqual({
      key: 'theirs',
    });
  });

  test('is kept where it belongs to another app', async () => {
    const trial = one();
    trial.clusters.dc1.seed(
      {
        ...REF,
        metadata: { ...REF.metadata, labels: { [APPLY_SET.PART_OF]: 'applyset-other-v1' } },
      },
      'cdk8s-harvester.other',
      'Apply',
    );
    expect((await trial.apply()).failed[0].message).toContain(
      'belongs to another app (its label applyset.kubernetes.io/part-of is applyset-other-v1)',
    );
  });

  test('is created again once its deletion is complete', async () => {
    const trial = one();
    const { dc1 } = trial.clusters;
    dc1.seed({ ...REF, metadata: { ...REF.metadata, finalizers: ['example.com/hold'] } });
    await dc1.delete(
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'default' },
      dc1.live('v1', 'ConfigMap', 'a', 'default').metadata.uid,
    );
    const former = dc1.live('v1', 'ConfigMap', 'a', 'default').metadata.uid;
    let waited = 0;
    dc1.before = async ({ verb, what }) => {
      // the finalizer is removed with the third look
      if (verb === 'read' && what === 'ConfigMap default/a' && ++waited === 3) {
        dc1.change(REF, ({ metadata }) => {
          metadata.finalizers = [];
        });
      }
    };
    expect((await trial.apply()).done).toEqual([ID]);
    expect(dc1.live('v1', 'ConfigMap', 'a', 'default').metadata.uid).not.toBe(former);
    expect(trial.told).toContain('the previous object is still being deleted');
  });

  test('was made by us where the answer was lost on its way', async () => {
    const trial = one();
    const { dc1 } = trial.clusters;
    dc1.seed(
      {
        ...REF,
        metadata: {
          ...REF.metadata,
          labels: {
            [APPLY_SET.PART_OF]: 'applyset-shk9FZbCS6AmD4rATWlEmYiL6Svv6NjoUzC64o9eae8-v1',
          },
        },
        data: { key: 'ours' },
      },
      'cdk8s-harvester',
      'Apply',
    );
    await trial.apply();
    expect(trial.states(ID)).toEqual(['applying', 'created']);
  });

  test('what the server refuses is not tried twice', async () => {
    const trial = one();
    trial.clusters.dc1.fault = ({ verb, what }) =>
      verb === 'apply' && what.endsWith('/a') ? new ApiError('invalid', 'no', 422) : undefined;
    expect((await trial.apply()).failed).toHaveLength(1);
    expect(
      trial.clusters.dc1.calls
        .filter(({ what }) => what === 'ConfigMap default/a')
        .map(({ verb }) => verb),
    ).toEqual(['apply']);
  });
});

test('a server that does not answer is waited for once, not once for each object', async () => {
  const trial = new Trial(many('a'));
  const { dc1 } = trial.clusters;
  const tried = new Set<string>();
  dc1.fault = ({ verb, what }) => {
    if (verb !== 'apply' || !what.includes('/map-')) {
      return undefined;
    }
    tried.add(what);
    return new ApiError('transient', 'dc1.example.com: no answer in time (ETIMEDOUT)');
  };
  const clock = new QuickClock();
  const { failed } = await trial.apply({ clock, timeoutMs: 60_000, concurrency: 4 });
  expect(failed).toHaveLength(COUNT);
  expect(tried.size).toBe(4);
  expect(clock.now()).toBeLessThan(2 * 4 * 60_000);
  expect(
    failed.filter(({ message }) => message.includes('target dc1 does not answer: ')),
  ).toHaveLength(COUNT - 4);
});
