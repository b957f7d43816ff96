import { createHash } from 'crypto';
import { remembering, staysAfter } from '../../../../src/engine/fields/managed-fields';
import { buildGraph } from '../../../../src/engine/graph/build-graph';
import { inventoryReader } from '../../../../src/engine/inventory/inventory';
import { FakeCluster } from '../../../support/fake-cluster';
import { SmallProgram } from '../../graph/_assemblies';
import { makePlan } from '../../plan/_planning';
import { APP, Trial, appliedThen, writes } from '../_running';

const NAMESPACE = 'dc1//Namespace//team';

function program(...more: readonly ((program: SmallProgram) => void)[]): SmallProgram {
  const small = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  small.object('dc1', 'v1', 'ConfigMap', 'default/stays');
  for (const add of more) {
    add(small);
  }
  return small;
}

const namespace = (small: SmallProgram): void => {
  small.object('dc1', 'v1', 'Namespace', 'team');
};
const inside = (small: SmallProgram): void => {
  small.object('dc1', 'v1', 'ConfigMap', 'team/inside');
};

test('remembers a Namespace that still contains objects of others, and deletes it once they are deleted', async () => {
  const trial = await appliedThen(program(namespace, inside), program(inside));
  expect((await trial.apply()).failed).toEqual([]);
  expect(trial.told).toContain('it contains other objects of this program');
  expect(await trial.inventory('dc1')).toContain(NAMESPACE);
  trial.declared = program();
  await trial.apply();
  expect(trial.clusters.dc1.live('v1', 'Namespace', 'team')).toBeUndefined();
  expect(await trial.inventory('dc1')).toEqual(['dc1//ConfigMap/default/stays']);
});

describe('a Namespace that existed before the app', () => {
  const team = (trial: Trial) => trial.clusters.dc1.live('v1', 'Namespace', 'team');
  const adopted = async (): Promise<Trial> => {
    const trial = new Trial(program(namespace));
    trial.clusters.dc1.seed({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'team', labels: { owner: 'team-a' } },
    });
    expect((await trial.apply()).failed).toEqual([]);
    expect((await trial.apply()).failed).toEqual([]);
    expect(team(trial).metadata.annotations).toEqual({ 'cdk8s-harvester/adopted': 'true' });
    return trial;
  };
  const expectDetached = (trial: Trial): void => {
    expect(team(trial).metadata).toMatchObject({ labels: { owner: 'team-a' } });
    expect(JSON.stringify(team(trial))).not.toMatch(/part-of|cdk8s-harvester/);
  };

  test('is detached when it is no longer declared, as the plan shows', async () => {
    const trial = await adopted();
    trial.declared = program();
    const { program: now } = trial;
    const options = { fieldManager: APP.fieldManager, inventory: inventoryReader(APP) };
    const plan = await makePlan(
      { ...now, graph: buildGraph(now.assembly, now.manifests) },
      options,
    );
    expect(plan.steps.find(({ id }) => id === NAMESPACE)).toMatchObject({
      action: 'keep',
      reason: 'is kept: it existed before this app',
    });
    expect((await trial.apply()).failed).toEqual([]);
    expectDetached(trial);
    expect(await trial.inventory('dc1')).not.toContain(NAMESPACE);
  });

  test('is detached by destroy', async () => {
    const trial = await adopted();
    expect((await trial.destroy()).failed).toEqual([]);
    expectDetached(trial);
  });

  test('is not one that the app created, also when an earlier run ended before it noted so', async () => {
    const trial = await appliedThen(program(namespace), program(namespace));
    expect(team(trial).metadata.annotations).toBeUndefined();
    trial.declared = program();
    await trial.apply();
    expect(team(trial)).toBeUndefined();
  });
});

test('a Project that existed before is marked and kept, and one that the app made is deleted', () => {
  const project = {
    apiVersion: 'management.cattle.io/v3',
    kind: 'Project',
    metadata: { name: 'p-shop', namespace: 'c-m-harvdc01' },
    spec: { displayName: 'shop' },
  };
  const [ours, theirs] = [new FakeCluster(), new FakeCluster()].map((cluster, at) =>
    at === 0
      ? cluster.seed(project, APP.fieldManager, 'Apply')
      : cluster.seed(project, 'rancher', 'Update'),
  );
  expect(remembering(project, ours, APP.fieldManager)).toEqual(project);
  const marked = remembering(project, theirs, APP.fieldManager);
  expect(marked.metadata.annotations).toEqual({ 'cdk8s-harvester/adopted': 'true' });
  const adopted = new FakeCluster().seed(marked, APP.fieldManager, 'Apply');
  expect(staysAfter(adopted, APP.fieldManager)).toBe('is kept: it existed before this app');
  expect(staysAfter(ours, APP.fieldManager)).toBeUndefined();
});

test('remembers a Namespace with disks, and deletes it once they are deleted', async () => {
  const trial = await appliedThen(program(namespace), program());
  const claim = trial.clusters.dc1.seed({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'team' },
  });
  expect((await trial.apply()).failed).toMatchObject([
    { id: NAMESPACE, message: expect.stringContaining('contains 1 PersistentVolumeClaim (data)') },
  ]);
  await trial.clusters.dc1.delete(
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name: 'data', namespace: 'team' },
    claim.metadata.uid,
  );
  expect((await trial.apply()).failed).toEqual([]);
  expect(trial.clusters.dc1.live('v1', 'Namespace', 'team')).toBeUndefined();
});

test.each<[what: string, change: (live: { metadata: { [field: string]: unknown } }) => void]>([
  [
    'another object of its name',
    (live) => {
      live.metadata.uid = 'recreated';
    },
  ],
  [
    'one that people took out',
    (live) => {
      live.metadata.annotations = { 'client.lifecycle.config.k8s.io/deletion': 'detach' };
    },
  ],
])('forgets %s, which is not an object of this program', async (_, change) => {
  const trial = await appliedThen(program(inside), program());
  trial.clusters.dc1.change(
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'team', name: 'inside' },
    change,
  );
  expect((await trial.apply()).failed).toEqual([]);
  expect(writes(trial.clusters.dc1)).toEqual([]);
  expect(await trial.inventory('dc1')).toEqual(['dc1//ConfigMap/default/stays']);
});

const ID = 'dc1/harvesterhci.io/Setting//ntp-servers';

const setting =
  (othersWrite?: readonly string[]) =>
  (small: SmallProgram): void => {
    small.object('dc1', 'harvesterhci.io/v1beta1', 'Setting', 'ntp-servers', { value: 'x' });
    small.objects.forEach((object, index) => {
      if (object.id === ID) {
        small.objects[index] = {
          ...object,
          deletion: { policy: 'reset', reason: "Harvester's" },
          ...(othersWrite ? { othersWrite } : {}),
        };
      }
    });
  };

/** One whose controller carries out each value at once. */
async function withSetting(othersWrite?: readonly string[]): Promise<Trial> {
  const trial = new Trial(program(setting(othersWrite)));
  const { dc1 } = trial.clusters;
  dc1.seed(
    {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'Setting',
      metadata: { name: 'ntp-servers' },
      default: '',
    },
    'harvester',
  );
  dc1.reactions.push((object) => {
    if (object.kind !== 'Setting') {
      return;
    }
    (object.metadata as { annotations?: object }).annotations = {
      'harvesterhci.io/hash': createHash('sha224')
        .update(String(object.value ?? ''))
        .digest('hex'),
    };
  });
  await trial.apply();
  trial.declared = program();
  trial.forget();
  return trial;
}

const live = (trial: Trial) =>
  trial.clusters.dc1.live('harvesterhci.io/v1beta1', 'Setting', 'ntp-servers');

test('has no field of the program in a Setting that was reset', async () => {
  const trial = await withSetting();
  expect((await trial.apply()).failed).toEqual([]);
  expect(live(trial).value).toBe('');
  expect(
    live(trial).metadata.managedFields.map(({ manager }: { manager: string }) => manager),
  ).toEqual(['harvester']);
  expect(await trial.inventory('dc1')).toEqual(['dc1//ConfigMap/default/stays']);
});

test('a Setting that someone else set since is reset by force alone', async () => {
  const theirs = {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Setting',
    metadata: { name: 'ntp-servers' },
    value: 'theirs',
  };
  const trial = await withSetting();
  trial.clusters.dc1.seed(theirs, 'kubectl-edit');
  expect((await trial.apply()).failed).toEqual([]);
  expect(live(trial).value).toBe('theirs');
  expect(trial.told).toContain(
    `was changed later (written by harvester, kubectl-edit). Fix: to reset it anyway, set --force-conflicts '${ID}'`,
  );
  const forced = await withSetting();
  forced.clusters.dc1.seed(theirs, 'kubectl-edit');
  expect((await forced.apply({ forceConflicts: [ID] })).failed).toEqual([]);
  expect(live(forced).value).toBe('');
  await expect(forced.apply({ forceConflicts: [ID] })).rejects.toThrow(
    `--force-conflicts: must be the ID of an object, got ${ID}`,
  );
});

test('resets a Setting without force whose value its controller rewrites, though the program no longer names it', async () => {
  const trial = await withSetting(['value']);
  trial.clusters.dc1.seed(
    {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'Setting',
      metadata: { name: 'ntp-servers' },
      value: 'x, without its password',
    },
    'harvester',
  );
  expect((await trial.apply()).failed).toEqual([]);
  expect(live(trial).value).toBe('');
});

/**
 * Carries a Setting out as Harvester does: one whose syncer fails on an empty value keeps the
 * digest of the previous one.
 */
function refusesEmpty(cluster: FakeCluster): void {
  cluster.reactions.push((object) => {
    if (object.kind !== 'Setting') {
      return;
    }
    const changed = object as unknown as {
      value?: string;
      status?: object;
      metadata: { annotations?: object };
    };
    const fails = (changed.value ?? '') === '';
    const message = fails ? { message: 'unexpected end of JSON input' } : {};
    changed.status = {
      conditions: [{ type: 'configured', status: fails ? 'False' : 'True', ...message }],
    };
    if (!fails) {
      changed.metadata.annotations = {
        'harvesterhci.io/hash': createHash('sha224').update(changed.value!).digest('hex'),
      };
    }
  });
}

test('resets a Setting whose controller fails on an empty value by its default', async () => {
  const before = new SmallProgram().target('dc1', 'harvester');
  before.object('dc1', 'v1', 'ConfigMap', 'default/stays');
  before.object('dc1', 'harvesterhci.io/v1beta1', 'Setting', 'vip-pools', {
    value: '{"default":"192.0.2.64/28"}',
  });
  before.objects[1] = { ...before.objects[1]!, deletion: { policy: 'reset', reason: '' } };
  const after = new SmallProgram().target('dc1', 'harvester');
  after.object('dc1', 'v1', 'ConfigMap', 'default/stays');
  const trial = new Trial(before);
  trial.clusters.dc1.seed(
    { apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', metadata: { name: 'vip-pools' } },
    'harvester',
  );
  refusesEmpty(trial.clusters.dc1);
  expect((await trial.apply()).failed).toEqual([]);
  trial.declared = after;
  expect((await trial.apply()).failed).toEqual([]);
  expect(trial.clusters.dc1.live('harvesterhci.io/v1beta1', 'Setting', 'vip-pools').value).toBe(
    '{}',
  );
});

test('keeps on prune and destroy what was applied before its kind was kept by default, unless the program sets delete()', async () => {
  const feature =
    (...deletion: readonly object[]) =>
    (small: SmallProgram): void => {
      small.object('rancher', 'management.cattle.io/v3', 'Feature', 'harvester');
      Object.assign(small.objects.at(-1)!, ...deletion);
    };
  const isThere = (trial: Trial): boolean =>
    trial.clusters.rancher.live('management.cattle.io/v3', 'Feature', 'harvester') !== undefined;
  const pruned = await appliedThen(program(feature()), program());
  expect((await pruned.apply()).failed).toEqual([]);
  expect(isThere(pruned)).toBe(true);
  expect(pruned.told).toContain('it is reset, not deleted');
  const destroyed = await appliedThen(program(feature()), program());
  expect((await destroyed.destroy()).failed).toEqual([]);
  expect(isThere(destroyed)).toBe(true);
  const chosen = {
    deletion: { policy: 'delete', reason: 'is deleted by the choice of the program' },
  };
  const deleted = await appliedThen(program(feature(chosen)), program());
  expect((await deleted.apply()).failed).toEqual([]);
  expect(isThere(deleted)).toBe(false);
});
