import { withMembership } from '../../../../src/engine/fields/apply-set';
import { buildGraph } from '../../../../src/engine/graph/build-graph';
import { inventoryReader } from '../../../../src/engine/inventory/inventory';
import { Plan } from '../../../../src/engine/plan/plan';
import { rollsByImpact } from '../../../../src/report/impact/cluster-impacts';
import { SmallProgram } from '../../graph/_assemblies';
import { makePlan } from '../../plan/_planning';
import { APP, Trial, appliedThen, writes } from '../_running';

const MACHINES = 'rke-machine-config.cattle.io/v1';
const PROVISIONING = 'provisioning.cattle.io/v1';
const VM = 'kubevirt.io/v1';
const SHOP = 'rancher/provisioning.cattle.io/Cluster/fleet-default/shop';
const NEEDED = [
  'rancher//Secret/cattle-global-data/cc-dc1',
  'rancher/rke-machine-config.cattle.io/HarvesterConfig/fleet-default/nc-shop',
  'dc1/k8s.cni.cncf.io/NetworkAttachmentDefinition/default/prod',
];

/** The objects that all of these programs keep. */
function bare(): SmallProgram {
  const program = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  program.targets[0] = { ...program.targets[0], version: '2.13.8' };
  program.object('rancher', 'v1', 'ConfigMap', 'default/stays');
  return program;
}

/** A guest cluster with its objects, and objects that have nothing to do with it. */
function withGuest(): SmallProgram {
  const program = bare();
  program.object('rancher', 'v1', 'ConfigMap', 'default/unrelated');
  program.object('rancher', 'v1', 'Secret', 'cattle-global-data/cc-dc1');
  program.object('dc1', 'k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', 'default/prod');
  program.object('rancher', MACHINES, 'HarvesterConfig', 'fleet-default/nc-shop', {
    memorySize: '8',
    vmNamespace: 'default',
    networkInfo: JSON.stringify({ interfaces: [{ networkName: 'default/prod' }] }),
  });
  program.object('rancher', PROVISIONING, 'Cluster', 'fleet-default/shop', {
    spec: {
      cloudCredentialSecretName: 'cattle-global-data:cc-dc1',
      kubernetesVersion: 'v1.33.6+rke2r1',
      rkeConfig: {
        machinePools: [
          {
            name: 'all',
            quantity: 3,
            etcdRole: true,
            controlPlaneRole: true,
            workerRole: true,
            machineConfigRef: { kind: 'HarvesterConfig', name: 'nc-shop' },
          },
        ],
      },
    },
  });
  return program;
}

/** As the command makes it. */
async function planOf(
  { program }: Trial,
  options: { readonly pruneMachines?: boolean } = {},
): Promise<Plan> {
  const plan = await makePlan(
    { ...program, graph: buildGraph(program.assembly, program.manifests) },
    {
      ...options,
      app: APP.id,
      fieldManager: APP.fieldManager,
      inventory: inventoryReader(APP),
      finish: withMembership(APP),
      rolls: rollsByImpact,
    },
  );
  return JSON.parse(JSON.stringify(plan)) as Plan;
}

test('keeps a guest cluster that is no longer declared with all that it may need, and deletes what it cannot need', async () => {
  const trial = await appliedThen(withGuest(), bare());
  const summary = await trial.apply();
  expect(summary).toMatchObject({ failed: [], skipped: [], pending: [] });
  expect(writes(trial.clusters.rancher)).toEqual(['delete ConfigMap default/unrelated']);
  expect(writes(trial.clusters.dc1)).toEqual([]);
  expect(summary.kept).toHaveLength(4);
  expect(summary.kept).toEqual(
    expect.arrayContaining([
      { id: SHOP, message: 'its machines and their disks would be lost with it' },
      ...NEEDED.map((id) => ({ id, message: `${SHOP} is kept and needs it` })),
    ]),
  );
  expect(trial.events.filter(({ type }) => type === 'warning')).toEqual([
    {
      type: 'warning',
      target: 'rancher',
      id: SHOP,
      message:
        'Cluster fleet-default/shop is no longer declared but kept: its machines and their disks would be lost with it. Fix: to delete it, ' +
        'set --prune-machines',
    },
  ]);
  expect(trial.events.filter(({ type }) => type === 'roll')).toEqual([]);
  // the next run reports it again, and can still delete it
  expect((await trial.apply()).kept).toHaveLength(4);
  trial.forget();
  const last = await trial.apply({ pruneMachines: true });
  expect(last).toMatchObject({ failed: [], skipped: [] });
  expect(last.kept).toBeUndefined();
  expect(trial.events.filter(({ type }) => type === 'roll')).toMatchObject([
    { cluster: 'fleet-default/shop', effect: 'delete', machines: 3 },
  ]);
  expect(writes(trial.clusters.rancher)[0]).toBe('delete Cluster fleet-default/shop');
  expect(writes(trial.clusters.rancher)).toHaveLength(3);
  expect(await trial.inventory('rancher')).toEqual(['rancher//ConfigMap/default/stays']);
});

test('deletes it by a saved plan that contains it, and reports the number of deleted machines', async () => {
  const trial = await appliedThen(withGuest(), bare());
  const kept = await planOf(trial);
  expect(kept.steps.find(({ id }) => id === SHOP)).toMatchObject({
    action: 'keep',
    reason:
      'is no longer declared, but kept: its machines and their disks would be lost with it. Fix: to delete it, set --prune-machines',
  });
  expect(kept.rolls).toEqual([]);
  await expect(trial.apply({ plan: kept, pruneMachines: true })).rejects.toThrow(
    'the plan keeps machines and data. Fix: make a new plan with --prune-machines',
  );
  expect((await trial.apply({ plan: kept })).kept).toHaveLength(4);
  const plan = await planOf(trial, { pruneMachines: true });
  expect(plan.steps.find(({ id }) => id === SHOP)).toMatchObject({
    action: 'prune',
    reason: 'is no longer declared',
  });
  expect(plan.rolls).toEqual([
    expect.objectContaining({
      target: 'rancher',
      cluster: 'fleet-default/shop',
      effect: 'delete',
      machines: 3,
      what: 'the Cluster is deleted: all of its machines are deleted with their disks',
    }),
  ]);
  trial.forget();
  await expect(trial.apply({ plan, failOnMachineLoss: true })).rejects.toThrow(
    /--fail-on-machine-loss: machines would be replaced or deleted; nothing was written\n {2}fleet-default\/shop on rancher: 3 machines deleted/,
  );
  expect(await trial.apply({ plan })).toMatchObject({ failed: [], skipped: [] });
  expect(
    trial.clusters.rancher.live(PROVISIONING, 'Cluster', 'shop', 'fleet-default'),
  ).toBeUndefined();
});

test('keeps virtual machines and volumes with their namespace, and deletes an import, which has no machines', async () => {
  const before = bare();
  before.object('dc1', 'v1', 'Namespace', 'vms');
  before.object('dc1', VM, 'VirtualMachine', 'vms/db');
  before.object('dc1', 'v1', 'PersistentVolumeClaim', 'vms/data');
  before.object('dc1', 'v1', 'ConfigMap', 'other/free');
  before.object('rancher', PROVISIONING, 'Cluster', 'fleet-default/dc2', { spec: {} });
  const trial = await appliedThen(before, bare());
  const { kept, failed } = await trial.apply();
  expect(failed).toEqual([]);
  expect(kept?.map(({ id, message }) => [id, message]).sort()).toEqual([
    ['dc1//Namespace//vms', expect.stringMatching(/is kept and needs it$/)],
    ['dc1//PersistentVolumeClaim/vms/data', 'the data on it would be lost with it'],
    [
      'dc1/kubevirt.io/VirtualMachine/vms/db',
      'the machine (its volumes are kept) would be lost with it',
    ],
  ]);
  expect(trial.events.flatMap((event) => (event.type === 'warning' ? [event.id] : []))).toEqual([
    'dc1//PersistentVolumeClaim/vms/data',
    'dc1/kubevirt.io/VirtualMachine/vms/db',
  ]);
  expect(writes(trial.clusters.dc1)).toEqual(['delete ConfigMap other/free']);
  expect(writes(trial.clusters.rancher)).toEqual(['delete Cluster fleet-default/dc2']);
});

test("what is gone, going, or another's is not held back", async () => {
  const before = bare();
  for (const name of ['gone', 'going', 'theirs']) {
    before.object('dc1', VM, 'VirtualMachine', `default/${name}`);
  }
  const trial = await appliedThen(before, bare());
  const { dc1 } = trial.clusters;
  const ref = (name: string) => ({
    apiVersion: VM,
    kind: 'VirtualMachine',
    namespace: 'default',
    name,
  });
  await dc1.delete(ref('gone'), dc1.live(VM, 'VirtualMachine', 'gone', 'default').metadata.uid);
  dc1.change(ref('going'), (live) => {
    live.metadata.finalizers = ['x/y'];
  });
  await dc1.delete(ref('going'), dc1.live(VM, 'VirtualMachine', 'going', 'default').metadata.uid);
  dc1.change(ref('theirs'), (live) => {
    live.metadata.uid = 'recreated';
  });
  const { kept, failed } = await trial.apply({ timeoutMs: 5_000 });
  expect(kept).toBeUndefined();
  expect(failed.map(({ id }) => id)).toEqual(['dc1/kubevirt.io/VirtualMachine/default/going']);
  expect(await trial.inventory('dc1')).toEqual(['dc1/kubevirt.io/VirtualMachine/default/going']);
});

test('keeps it with --fail-on-machine-loss as well, without a refusal, and refuses both options at once', async () => {
  const trial = await appliedThen(withGuest(), bare());
  expect((await trial.apply({ failOnMachineLoss: true })).kept).toHaveLength(4);
  await expect(trial.apply({ failOnMachineLoss: true, pruneMachines: true })).rejects.toThrow(
    '--fail-on-machine-loss and --prune-machines exclude each other',
  );
});

/** Programs for one Harvester, which write the same Setting. */
function registering(program: SmallProgram): SmallProgram {
  const id = program.object('dc1', 'harvesterhci.io/v1beta1', 'Setting', 'ntp-servers', {
    value: 'x',
  });
  program.objects.forEach((object, index) => {
    if (object.id === id) {
      program.objects[index] = { ...object, deletion: { policy: 'reset', reason: "Harvester's" } };
    }
  });
  return program;
}

test('refuses the program of another app though it writes the same Settings, and shows it in a plan', async () => {
  const other = registering(
    new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester'),
  );
  other.object('rancher', 'v1', 'ConfigMap', 'default/quickstart');
  const trial = new Trial(registering(withGuest()));
  trial.clusters.dc1.seed(
    { apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', metadata: { name: 'ntp-servers' } },
    'harvester',
  );
  await trial.apply();
  trial.declared = other;
  trial.forget();
  const words =
    'this program declares none of the 6 objects that app default applied before: all of them would be deleted. Fix: if this is another program, set its own --app';
  await expect(trial.apply()).rejects.toThrow(words);
  expect(writes(trial.clusters.rancher)).toEqual([]);
  const plan = await planOf(trial);
  expect(plan.problems).toEqual([expect.stringContaining(words)]);
  await expect(trial.apply({ plan })).rejects.toThrow(words);
  expect(
    (await trial.apply({ plan: { ...plan, problems: undefined, acceptEmpty: true } })).failed,
  ).toEqual([]);
});

test('a program of Settings alone is followed by another one of them', async () => {
  const settings = (name: string): SmallProgram => {
    const program = new SmallProgram().target('dc1', 'harvester');
    for (const each of ['ntp-servers', name]) {
      program.object('dc1', 'harvesterhci.io/v1beta1', 'Setting', each, { value: 'x' });
    }
    program.objects.forEach((object, index) => {
      program.objects[index] = { ...object, deletion: { policy: 'reset', reason: "Harvester's" } };
    });
    return program;
  };
  const trial = new Trial(settings('log-level'));
  for (const name of ['ntp-servers', 'log-level', 'ui-source']) {
    trial.clusters.dc1.seed(
      { apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', metadata: { name } },
      'harvester',
    );
  }
  await trial.apply();
  trial.declared = settings('ui-source');
  expect((await planOf(trial)).problems).toBeUndefined();
});

test('keeps a cluster that got machines after the plan was made, with what it needs, and reports both', async () => {
  const before = bare();
  before.object('rancher', 'v1', 'Secret', 'cattle-global-data/cc-dc1');
  before.object('rancher', PROVISIONING, 'Cluster', 'fleet-default/shop', {
    spec: { cloudCredentialSecretName: 'cattle-global-data:cc-dc1' },
  });
  const trial = await appliedThen(before, bare());
  trial.declared.object('rancher', 'v1', 'ConfigMap', 'default/new');
  const { rancher } = trial.clusters;
  rancher.before = async ({ verb, what }) => {
    if (verb !== 'apply' || what !== 'ConfigMap default/new') {
      return;
    }
    rancher.change(
      { apiVersion: PROVISIONING, kind: 'Cluster', namespace: 'fleet-default', name: 'shop' },
      (live) => {
        live.spec.rkeConfig = {};
      },
    );
  };
  expect(await trial.apply()).toMatchObject({
    failed: [],
    kept: [
      {
        id: SHOP,
        message:
          'its machines and their disks would be lost with it. Fix: to delete it, set --prune-machines',
      },
      { id: 'rancher//Secret/cattle-global-data/cc-dc1', message: `${SHOP} is kept and needs it` },
    ],
  });
  expect(writes(rancher)).toEqual(['apply ConfigMap default/new']);
  rancher.before = undefined;
  expect((await trial.apply({ pruneMachines: true })).failed).toEqual([]);
  expect(writes(rancher).slice(-2)).toEqual([
    'delete Cluster fleet-default/shop',
    'delete Secret cattle-global-data/cc-dc1',
  ]);
});
