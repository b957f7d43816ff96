import { Manifest } from '../../../../src/core/manifest/manifest';
import { APPLY_SET, appOf, withMembership } from '../../../../src/engine/fields/apply-set';
import { InventoryEntry } from '../../../../src/engine/inventory/inventory';
import { Plan } from '../../../../src/engine/plan/plan';
import { MakePlanOptions } from '../../../../src/engine/plan/steps/planning';
import { ApiError } from '../../../../src/engine/transport/api';
import { FakeCluster } from '../../../support/fake-cluster';
import { MANAGER, configMap, idOf, planOf } from '../_planning';

function entryOf(manifest: Manifest, more: Partial<InventoryEntry> = {}): InventoryEntry {
  const {
    apiVersion,
    kind,
    metadata: { name, namespace },
  } = manifest;
  return { id: idOf({ manifest }), apiVersion, kind, name, namespace, policy: 'delete', ...more };
}

/** A manifest as an apply writes it. */
function member(manifest: Manifest): Manifest {
  return withMembership(appOf())({ deletion: undefined } as never, manifest);
}

async function planWith(
  cluster: FakeCluster,
  entries: readonly InventoryEntry[],
  declared: readonly Manifest[] = [],
): Promise<Plan> {
  return planOf(
    cluster,
    declared.map((manifest) => ({ manifest })),
    { inventory: async () => ({ entries, labelSelector: 'example.com/set=ours' }) },
  );
}

const namespace = (name: string): Manifest => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
});

test('what is no longer declared is deleted, what others need last', async () => {
  const cluster = new FakeCluster();
  const [team, map] = [
    cluster.seed(member(namespace('team')), MANAGER, 'Apply'),
    cluster.seed(member(configMap('old', {}, 'team')), MANAGER, 'Apply'),
  ];
  const { steps } = await planWith(cluster, [
    entryOf(namespace('team'), { uid: team.metadata.uid }),
    entryOf(configMap('old', {}, 'team'), { uid: map.metadata.uid }),
  ]);
  expect(steps.map(({ id, action, reason }) => [id, action, reason])).toEqual([
    ['rancher//ConfigMap/team/old', 'prune', 'is no longer declared'],
    ['rancher//Namespace//team', 'prune', 'is no longer declared'],
  ]);
});

test('keeps what is still declared, also by another version of its API', async () => {
  const cluster = new FakeCluster();
  const declared = {
    apiVersion: 'example.com/v2',
    kind: 'Widget',
    metadata: { name: 'a', namespace: 'default' },
  };
  cluster.seed(declared, MANAGER, 'Apply');
  const { steps } = await planWith(
    cluster,
    [entryOf({ ...declared, apiVersion: 'example.com/v1' }, { id: 'former' })],
    [declared],
  );
  expect(steps.map(({ action }) => action)).toEqual(['unchanged']);
});

test('has no step for what is deleted already', async () => {
  expect((await planWith(new FakeCluster(), [entryOf(configMap('old'))])).steps).toEqual([]);
});

describe('is kept', () => {
  test.each<[what: string, manifest: Manifest, entry: Partial<InventoryEntry>, reason: string]>([
    [
      'another object of the name',
      configMap('old'),
      { uid: 'uid-of-the-former' },
      'was recreated (its UID changed)',
    ],
    [
      'what is noted so',
      configMap('old'),
      { policy: 'keep', reason: 'Rancher removes it' },
      'Rancher removes it',
    ],
    ['a namespace of the system', namespace('cattle-system'), {}, 'is a namespace of the system'],
    [
      'a Setting',
      { apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', metadata: { name: 'log-level' } },
      {},
      'never deleted',
    ],
    [
      'what people marked',
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: 'old',
          namespace: 'default',
          annotations: { 'client.lifecycle.config.k8s.io/deletion': 'detach' },
        },
      },
      {},
      'is kept by its annotation',
    ],
  ])('%s', async (_, manifest, entry, reason) => {
    const cluster = new FakeCluster();
    cluster.seed(member(manifest), MANAGER, 'Apply');
    const { steps } = await planWith(cluster, [entryOf(manifest, entry)]);
    expect(steps).toMatchObject([{ action: 'keep', reason: expect.stringContaining(reason) }]);
  });
});

test('deletes the claim of a device, which its program gave an owner, and keeps one of a virtual GPU', async () => {
  const claim = (kind: string): Manifest => ({
    apiVersion: 'devices.harvesterhci.io/v1beta1',
    kind: 'PCIDeviceClaim',
    metadata: { name: 'node1-000004010', ownerReferences: [{ kind, name: 'node1-000004010' }] },
  });
  const actionOf = async (manifest: Manifest) => {
    const cluster = new FakeCluster();
    cluster.seed(member(manifest), MANAGER, 'Apply');
    return (await planWith(cluster, [entryOf(manifest)])).steps.map(({ action }) => action);
  };
  expect(await actionOf(claim('PCIDevice'))).toEqual(['prune']);
  expect(await actionOf(claim('VGPUDevice'))).toEqual(['keep']);
});

test('what a run was about to write, and others wrote, is kept', async () => {
  const cluster = new FakeCluster();
  cluster.seed(configMap('old', { x: '1' }), 'kubectl', 'Apply');
  expect((await planWith(cluster, [entryOf(configMap('old'))])).steps).toMatchObject([
    {
      action: 'keep',
      reason: `is not managed by this app: it does not have the label ${APPLY_SET.PART_OF} of this app`,
    },
  ]);
});

test('keeps an object that another app adopted', async () => {
  const cluster = new FakeCluster();
  const other = appOf('two');
  const { uid } = cluster.seed(
    withMembership(other)({ deletion: undefined } as never, configMap('old', { x: '1' })),
    other.fieldManager,
    'Apply',
  ).metadata;
  expect((await planWith(cluster, [entryOf(configMap('old'), { uid })])).steps).toMatchObject([
    { action: 'keep', reason: expect.stringContaining('belongs to app two (its label') },
  ]);
});

test('a Setting that is no longer declared is reset, once', async () => {
  const cluster = new FakeCluster();
  const setting = {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Setting',
    metadata: { name: 'log-level' },
    value: 'debug',
  };
  cluster.seed(setting, MANAGER, 'Apply');
  const entry = entryOf(setting, { policy: 'reset', reason: "the object is Harvester's" });
  expect((await planWith(cluster, [entry])).steps).toMatchObject([
    { action: 'reset', changes: [{ path: 'value', before: 'debug', after: '' }] },
  ]);
  cluster.change(setting, (live) => {
    live.value = '';
  });
  expect((await planWith(cluster, [entry])).steps).toEqual([]);
});

test('keeps a Namespace with declared objects', async () => {
  const cluster = new FakeCluster();
  const {
    metadata: { uid },
  } = cluster.seed(member(namespace('team')), MANAGER, 'Apply');
  const { steps } = await planWith(
    cluster,
    [entryOf(namespace('team'), { uid })],
    [configMap('new', {}, 'team')],
  );
  expect(steps.find(({ id }) => id.includes('Namespace'))).toMatchObject({
    action: 'keep',
    reason: 'it contains other objects of this program',
  });
});

describe('a reset is tried', () => {
  const setting = (name: string): Manifest => ({
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Setting',
    metadata: { name },
    value: 'debug',
  });
  const planOfReset = async (
    cluster: FakeCluster,
    name: string,
    options: Partial<MakePlanOptions> = {},
  ): Promise<Plan> =>
    planOf(cluster, [], {
      ...options,
      inventory: async () => ({
        entries: [
          entryOf(setting(name), {
            policy: 'reset',
            uid: cluster.live('harvesterhci.io/v1beta1', 'Setting', name).metadata.uid,
          }),
        ],
        labelSelector: 'x',
      }),
    });
  const taken = (name: string): FakeCluster => {
    const cluster = new FakeCluster();
    cluster.seed(setting(name), MANAGER, 'Apply');
    cluster.seed({ ...setting(name), value: 'theirs' }, 'kubectl-edit');
    return cluster;
  };

  test('and a value that someone else set since is kept', async () => {
    const cluster = taken('log-level');
    const { steps } = await planOfReset(cluster, 'log-level');
    expect(steps).toMatchObject([
      {
        action: 'keep',
        reason: expect.stringContaining(
          'was changed later (written by kubectl-edit). Fix: to reset it anyway, set --force-conflicts',
        ),
      },
    ]);
    expect(cluster.did('dry-run')).toEqual([]);
  });

  test('in a dry run that takes nothing, where --force-conflicts names it', async () => {
    const forceConflicts = [idOf({ manifest: setting('log-level') })];
    const cluster = taken('log-level');
    const {
      steps: [step],
    } = await planOfReset(cluster, 'log-level', { forceConflicts });
    expect(step).toMatchObject({
      action: 'reset',
      conflicts: [],
      forces: [{ manager: 'kubectl-edit', field: '.value' }],
    });
    expect(cluster.did('dry-run')).toEqual(['Setting log-level']);
    expect(cluster.live('harvesterhci.io/v1beta1', 'Setting', 'log-level').value).toBe('theirs');
  });

  test('a refusal is reported; one that has effects in a dry run is not tried', async () => {
    const ours = (name: string): FakeCluster => {
      const cluster = new FakeCluster();
      cluster.seed(setting(name), MANAGER, 'Apply');
      return cluster;
    };
    const cluster = ours('log-level');
    cluster.fault = ({ verb }) =>
      verb === 'dry-run' ? new ApiError('invalid', 'not now', 422) : undefined;
    expect((await planOfReset(cluster, 'log-level')).steps).toMatchObject([
      { action: 'reset', refused: 'not now' },
    ]);
    const backup = ours('backup-target');
    await planOfReset(backup, 'backup-target');
    expect(backup.did('dry-run')).toEqual([]);
  });
});
