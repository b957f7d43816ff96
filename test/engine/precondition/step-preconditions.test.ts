import { buildGraph } from '../../../src/engine/graph/build-graph';
import { inventoryReader } from '../../../src/engine/inventory/inventory';
import { PlanStep } from '../../../src/engine/plan/plan';
import { SmallProgram } from '../graph/_assemblies';
import { makePlan } from '../plan/_planning';
import { APP, Trial, writes } from '../run/_running';

const ID = 'rancher/provisioning.cattle.io/Cluster/fleet-default/dc1';
const REF = {
  apiVersion: 'provisioning.cattle.io/v1',
  kind: 'Cluster',
  namespace: 'fleet-default',
  name: 'dc1',
};

async function recreated(annotations?: { [key: string]: string }): Promise<Trial> {
  const program = new SmallProgram().target('rancher', 'rancher');
  program.object('rancher', REF.apiVersion, REF.kind, 'fleet-default/dc1', { spec: {} });
  const trial = new Trial(program);
  await trial.apply();
  const { rancher } = trial.clusters;
  await rancher.delete(
    REF,
    rancher.live(REF.apiVersion, REF.kind, REF.name, REF.namespace).metadata.uid,
  );
  rancher.seed(
    {
      apiVersion: REF.apiVersion,
      kind: REF.kind,
      metadata: { name: REF.name, namespace: REF.namespace, annotations },
      spec: {},
    },
    'rancher',
  );
  rancher.calls.length = 0;
  return trial;
}

test('refuses a recreated Cluster before anything is written, unless it is accepted, once', async () => {
  const trial = await recreated();
  await expect(trial.apply()).rejects.toThrow(
    new RegExp(
      `^${ID} was recreated \\(its UID changed from .* to .*\\).*--accept-new-cluster '${ID}'$`,
    ),
  );
  expect(writes(trial.clusters.rancher)).toEqual([]);
  await trial.apply({ acceptNewCluster: [ID] });
  expect(writes(trial.clusters.rancher)).not.toEqual([]);
  await trial.apply();
});

async function planned(
  { program }: Trial,
  acceptNewCluster: readonly string[] = [],
): Promise<PlanStep> {
  const { steps } = await makePlan(
    { ...program, graph: buildGraph(program.assembly, program.manifests) },
    {
      fieldManager: APP.fieldManager,
      inventory: inventoryReader(APP),
      acceptNewCluster,
    },
  );
  return steps.find(({ id }) => id === ID)!;
}

test('a plan shows that an apply refuses a recreated Cluster, in the words of the apply', async () => {
  const trial = await recreated();
  const words = await trial.apply().then(
    () => 'nothing was refused',
    (error: Error) => error.message,
  );
  expect((await planned(trial)).refused).toBe(words);
  expect((await planned(trial, [ID])).refused).toBeUndefined();
  const fixed = await recreated({ 'provisioning.cattle.io/management-cluster-name': 'c-m-dc1' });
  expect((await planned(fixed)).refused).not.toContain('was recreated');
  expect((await planned(fixed, [ID])).refused).toBeUndefined();
});

test('one whose id is fixed is the same as before, if the user accepts what someone else made', async () => {
  const trial = await recreated({ 'provisioning.cattle.io/management-cluster-name': 'c-m-dc1' });
  expect((await trial.apply()).failed).toEqual([
    expect.objectContaining({
      id: ID,
      message: expect.stringContaining('its creator remains owner of the cluster'),
    }),
  ]);
  expect((await trial.apply({ acceptNewCluster: [ID] })).failed).toEqual([]);
  expect((await trial.apply()).failed).toEqual([]);
});

test('creates a deleted one again', async () => {
  const trial = await recreated();
  const { rancher } = trial.clusters;
  await rancher.delete(
    REF,
    rancher.live(REF.apiVersion, REF.kind, REF.name, REF.namespace).metadata.uid,
  );
  expect((await trial.apply()).failed).toEqual([]);
  await trial.apply();
});

test('refuses a Cluster that was recreated between the check and its turn, in the same words', async () => {
  const program = new SmallProgram().target('rancher', 'rancher');
  program.object('rancher', REF.apiVersion, REF.kind, 'fleet-default/dc1', { spec: {} });
  const trial = new Trial(program);
  await trial.apply();
  const { rancher } = trial.clusters;
  const later = new SmallProgram().target('rancher', 'rancher');
  later.object('rancher', REF.apiVersion, REF.kind, 'fleet-default/dc1', {
    spec: { localClusterAuthEndpoint: {} },
  });
  later.object('rancher', 'v1', 'ConfigMap', 'default/first');
  later.edge(ID, 'rancher//ConfigMap/default/first');
  trial.declared = later;
  trial.forget();
  rancher.before = async ({ verb, what }) => {
    if (verb !== 'apply' || what !== 'ConfigMap default/first') {
      return;
    }
    await rancher.delete(
      REF,
      rancher.live(REF.apiVersion, REF.kind, REF.name, REF.namespace).metadata.uid,
    );
    rancher.seed(
      {
        apiVersion: REF.apiVersion,
        kind: REF.kind,
        metadata: { name: REF.name, namespace: REF.namespace },
        spec: {},
      },
      'rancher',
    );
  };
  expect((await trial.apply()).failed).toEqual([
    {
      id: ID,
      message: expect.stringMatching(
        /was recreated \(its UID changed from .* to .*\).*--accept-new-cluster/,
      ),
    },
  ]);
  expect(writes(rancher).filter((write) => write.startsWith('apply'))).toEqual([
    'apply ConfigMap default/first',
  ]);
});
