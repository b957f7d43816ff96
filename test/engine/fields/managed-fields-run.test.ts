import { withMembership } from '../../../src/engine/fields/apply-set';
import { buildGraph } from '../../../src/engine/graph/build-graph';
import { inventoryReader } from '../../../src/engine/inventory/inventory';
import { Plan } from '../../../src/engine/plan/plan';
import { ApiError } from '../../../src/engine/transport/api';
import { FakeCall } from '../../support/fake-cluster';
import { SmallProgram } from '../graph/_assemblies';
import { makePlan } from '../plan/_planning';
import { APP, Trial, writes } from '../run/_running';

const ID = 'dc1//ConfigMap/default/a';
const ADOPT = { takeFieldsFrom: ['kubectl'] };

/** One object, which kubectl wrote before with one field more. */
function trial(): Trial {
  const program = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  program.object('dc1', 'v1', 'ConfigMap', 'default/a', { data: { x: '1' } });
  const made = new Trial(program);
  made.clusters.dc1.seed(
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'default' },
      data: { x: '1', y: '1' },
    },
    'kubectl',
    'Apply',
  );
  return made;
}

const dataOf = ({ clusters: { dc1 } }: Trial): unknown =>
  dc1.live('v1', 'ConfigMap', 'a', 'default').data;
const managersOf = ({ clusters: { dc1 } }: Trial): string[] =>
  dc1
    .live('v1', 'ConfigMap', 'a', 'default')
    .metadata.managedFields.map(({ manager }: { manager: string }) => manager);

async function planOf({ program }: Trial, options: object = {}): Promise<Plan> {
  const plan = await makePlan(
    { ...program, graph: buildGraph(program.assembly, program.manifests) },
    {
      fieldManager: APP.fieldManager,
      inventory: inventoryReader(APP),
      finish: withMembership(APP),
      ...options,
    },
  );
  return JSON.parse(JSON.stringify(plan)) as Plan;
}

test('leaves fields of another field manager alone without the option', async () => {
  const made = trial();
  expect((await made.apply()).failed).toEqual([]);
  expect(made.clusters.dc1.did('patch')).toEqual([]);
  expect(dataOf(made)).toEqual({ x: '1', y: '1' });
  expect(managersOf(made)).toContain('kubectl');
});

test('takes and reports them with the option, and writes nothing the second time', async () => {
  const made = trial();
  expect((await made.apply(ADOPT)).failed).toEqual([]);
  expect(made.events).toContainEqual({
    type: 'node',
    id: ID,
    target: 'dc1',
    state: 'adopted',
    message: 'adopted from kubectl',
  });
  expect(dataOf(made)).toEqual({ x: '1' });
  expect(managersOf(made)).toEqual([APP.fieldManager]);
  made.forget();
  expect((await made.apply(ADOPT)).failed).toEqual([]);
  expect([
    ...writes(made.clusters.dc1),
    ...made.clusters.dc1.did('patch'),
    ...made.clusters.dc1.did('dry-run'),
  ]).toEqual([]);
});

test('continues in the next run after an end between the two requests', async () => {
  const made = trial();
  const { dc1 } = made.clusters;
  dc1.fault = ({ verb, what }) =>
    verb === 'apply' && what === 'ConfigMap default/a'
      ? new ApiError('invalid', 'ended', 422)
      : undefined;
  expect((await made.apply(ADOPT)).failed).toHaveLength(1);
  expect(managersOf(made)).toEqual([APP.fieldManager]);
  dc1.fault = undefined;
  expect((await made.apply()).failed).toEqual([]);
  expect(dataOf(made)).toEqual({ x: '1' });
});

test('looks again at an object that was written at the same time', async () => {
  const made = trial();
  const { dc1 } = made.clusters;
  let races = 1;
  dc1.before = async ({ verb, what }: FakeCall) => {
    if (verb === 'patch' && races-- > 0) {
      dc1.change(
        { apiVersion: 'v1', kind: 'ConfigMap', name: what.split('/')[1], namespace: 'default' },
        (live) => {
          live.raced = true;
        },
      );
    }
  };
  expect((await made.apply(ADOPT)).failed).toEqual([]);
  expect(dc1.did('patch')).toHaveLength(2);
  expect(managersOf(made)).toEqual([APP.fieldManager]);
});

describe('a saved plan', () => {
  test('adopts fields as planned, without a second report', async () => {
    const made = trial();
    const plan = await planOf(made, ADOPT);
    expect(plan.steps[0]).toMatchObject({
      takesOver: ['kubectl'],
      reason: 'adopted from kubectl',
      changes: expect.arrayContaining([{ path: 'data.y', before: '1' }]),
    });
    expect((await made.apply({ plan })).failed).toEqual([]);
    expect(dataOf(made)).toEqual({ x: '1' });
  });

  test('adopts nothing that is not in the plan', async () => {
    const made = trial();
    const plan = await planOf(made);
    made.forget();
    await expect(made.apply({ ...ADOPT, plan })).rejects.toThrow(
      'the plan adopts nothing from kubectl. Fix: make a new plan with --take-fields-from kubectl',
    );
    expect(made.clusters.rancher.calls).toEqual([]);
  });
});

test('an object with managers of versions that are gone is looked at, though it seems to be new', async () => {
  const made = trial();
  const { dc1 } = made.clusters;
  dc1.change(
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'default' },
    ({ metadata }) => {
      metadata.managedFields[0].apiVersion = 'v0';
    },
  );
  const isOld = (): boolean =>
    dc1
      .live('v1', 'ConfigMap', 'a', 'default')
      .metadata.managedFields.some(({ apiVersion }: { apiVersion: string }) => apiVersion === 'v0');
  dc1.fault = ({ verb, what }) =>
    verb === 'apply' && what === 'ConfigMap default/a' && isOld()
      ? new ApiError('invalid', 'request to convert CR to an invalid group/version: v0', 500)
      : undefined;
  expect((await made.apply()).failed[0].message).toContain(
    'kubectl (v0). Fix: set --migrate-managed-fields to give them v1; nothing else changes',
  );
  expect(dc1.did('patch')).toEqual([]);
  expect((await made.apply({ migrateManagedFields: true })).failed).toEqual([]);
  expect(made.events).toContainEqual(
    expect.objectContaining({
      id: ID,
      state: 'adopted',
      message: 'managed fields migrated: kubectl (v0)',
    }),
  );
  expect(managersOf(made).sort()).toEqual([APP.fieldManager, 'kubectl']);
});

test('reports machines that are replaced by an adopted field before anything is written', async () => {
  const program = new SmallProgram().target('rancher', 'rancher');
  program.targets[0] = { ...program.targets[0], version: '2.13.8' };
  program.object(
    'rancher',
    'rke-machine-config.cattle.io/v1',
    'HarvesterConfig',
    'fleet-default/nc-shop-all',
    { memorySize: '8' },
  );
  const pool = {
    name: 'all',
    quantity: 3,
    etcdRole: true,
    controlPlaneRole: true,
    workerRole: true,
    machineConfigRef: { kind: 'HarvesterConfig', name: 'nc-shop-all' },
  };
  program.object('rancher', 'provisioning.cattle.io/v1', 'Cluster', 'fleet-default/shop', {
    spec: { kubernetesVersion: 'v1.33.6+rke2r1', rkeConfig: { machinePools: [pool] } },
  });
  const made = new Trial(program);
  const { rancher } = made.clusters;
  for (const manifest of program.manifests.values()) {
    rancher.seed(
      { ...manifest, ...(manifest.kind === 'Cluster' ? {} : { cpuCount: '16' }) },
      'kubectl',
      'Apply',
    );
  }
  await expect(made.apply({ ...ADOPT, failOnMachineLoss: true })).rejects.toThrow(
    /machines would be replaced or deleted; nothing was written\n.*HarvesterConfig fleet-default\/nc-shop-all cpuCount/s,
  );
  expect([...writes(rancher), ...rancher.did('patch')]).toEqual([]);
  await made.apply(ADOPT);
  expect(made.events).toContainEqual(
    expect.objectContaining({
      type: 'roll',
      cluster: 'fleet-default/shop',
      pool: 'all',
      effect: 'replace',
    }),
  );
});
