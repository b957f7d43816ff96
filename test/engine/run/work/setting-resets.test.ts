import { KindRemoval } from '../../../../src/core/kind/description/removal';
import { kindOf } from '../../../../src/core/kind/kinds';
import { LiveObject } from '../../../../src/engine/cluster/cluster';
import { standingOf } from '../../../../src/engine/inventory/standing';
import { FakeCluster, Reaction } from '../../../support/fake-cluster';
import { GENERATIONS, RecordedObject, recordingOf } from '../../../support/recordings';
import { SmallProgram } from '../../graph/_assemblies';
import { Trial } from '../_running';

const HARVESTER = 'harvesterhci.io/v1beta1';
const NAMES = [
  'additional-guest-memory-overhead-ratio',
  'cluster-pod-security-standard',
  'kubeconfig-default-token-ttl-minutes',
  'log-level',
];
const ID = 'dc1/harvesterhci.io/Setting//';
const IDS = NAMES.map((name) => `${ID}${name}`);

/** The controllers of Harvester 1.8.2: an empty value is removed, with its owner. */
const removesEmptyValue: Reaction = (object, cluster) => {
  if (object.kind !== 'Setting' || object.value !== '') {
    return;
  }
  cluster.change(object, (live) => {
    delete live.value;
    live.metadata.managedFields = [];
    Object.defineProperty(live, 'owners', { value: {}, enumerable: false, configurable: true });
  });
};

function program(value: string): SmallProgram {
  const small = new SmallProgram().target('dc1', 'harvester');
  small.object('dc1', 'v1', 'ConfigMap', 'default/stays');
  for (const name of NAMES) {
    const at = small.objects.length;
    small.object('dc1', HARVESTER, 'Setting', name, { value });
    small.objects[at] = {
      ...small.objects[at]!,
      deletion: { policy: 'reset', reason: 'so it is' },
    };
  }
  return small;
}

function seeded(trial: Trial): FakeCluster {
  const { dc1 } = trial.clusters;
  for (const name of NAMES) {
    dc1!.seed(
      { apiVersion: HARVESTER, kind: 'Setting', metadata: { name }, value: 'other', default: '1' },
      'harvester',
    );
  }
  dc1!.reactions.push(removesEmptyValue);
  return dc1!;
}

async function actionsOf(trial: Trial): Promise<string[]> {
  return (await trial.plan()).steps
    .filter(({ id }) => id.startsWith(ID))
    .map(({ action }) => action);
}

const each = (state: string): string[] => NAMES.map(() => state);

test('resets settings whose controllers remove the empty value once', async () => {
  const trial = new Trial(program(''));
  const dc1 = seeded(trial);
  expect((await trial.apply({ forceConflicts: IDS })).failed).toEqual([]);
  expect(NAMES.map((name) => dc1.live(HARVESTER, 'Setting', name).value)).toEqual(
    each(undefined as never),
  );
  trial.forget();
  expect(await actionsOf(trial)).toEqual(each('unchanged'));
  expect((await trial.apply()).counts).toMatchObject({ unchanged: NAMES.length + 1 });
  expect(dc1.did('apply').filter((what) => what.startsWith('Setting'))).toEqual([]);
  expect(dc1.did('dry-run')).toEqual([]);
});

test('resets a setting again that someone set in between', async () => {
  const trial = new Trial(program(''));
  const dc1 = seeded(trial);
  await trial.apply({ forceConflicts: IDS });
  dc1.seed(
    { apiVersion: HARVESTER, kind: 'Setting', metadata: { name: 'log-level' }, value: 'trace' },
    'kubectl',
  );
  trial.forget();
  await trial.apply({ forceConflicts: IDS });
  expect(trial.states(`${ID}log-level`)).toContain('configured');
  expect(dc1.live(HARVESTER, 'Setting', 'log-level').value).toBeUndefined();
});

describe.each(GENERATIONS)('every setting of $folder', (generation) => {
  const resets = recordingOf(generation, 'harvester-settings-reset').objects.filter(
    ({ states }) => states.length > 0,
  );
  const last = ({ states }: RecordedObject): LiveObject => states.at(-1)!.object;

  test('is as declared after its reset', () => {
    const options = { fieldManager: 'cdk8s-harvester' };
    expect(
      resets
        .filter((recorded) => !standingOf(recorded.applied, last(recorded), options).same)
        .map(({ object }) => object),
    ).toEqual([]);
  });

  test('has its default after its reset, where its controller accepts an empty value', () => {
    const isDone = (live: LiveObject): boolean =>
      kindOf<KindRemoval>(live)!.reset!.isDone(live, { harvesterVersion: generation.harvester });
    expect(
      resets
        .filter((recorded) => !isDone(last(recorded)))
        .map(({ applied }) => applied.metadata.name),
    ).toEqual([
      // reset by another value
      'auto-rotate-rke2-certs',
      'vip-pools',
    ]);
  });
});
