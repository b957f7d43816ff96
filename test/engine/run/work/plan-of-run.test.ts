import { Manifest } from '../../../../src/core/manifest/manifest';
import { withMembership } from '../../../../src/engine/fields/apply-set';
import { buildGraph } from '../../../../src/engine/graph/build-graph';
import { inventoryReader } from '../../../../src/engine/inventory/inventory';
import { ApiError } from '../../../../src/engine/transport/api';
import { rollsByImpact } from '../../../../src/report/impact/cluster-impacts';
import { SmallProgram } from '../../graph/_assemblies';
import { makePlan } from '../../plan/_planning';
import { APP, Trial, writes } from '../_running';

function cluster(quantity: number): Manifest {
  return {
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: { name: 'shop', namespace: 'fleet-default' },
    spec: {
      kubernetesVersion: 'v1.33.6+rke2r1',
      rkeConfig: {
        machinePools: [
          {
            name: 'all',
            quantity,
            etcdRole: true,
            controlPlaneRole: true,
            workerRole: true,
            machineConfigRef: { kind: 'HarvesterConfig', name: 'nc-shop-all' },
          },
        ],
      },
    },
  } as Manifest;
}

function config(memorySize: string): Manifest {
  return {
    apiVersion: 'rke-machine-config.cattle.io/v1',
    kind: 'HarvesterConfig',
    metadata: { name: 'nc-shop-all', namespace: 'fleet-default' },
    memorySize,
  } as Manifest;
}

const side = (...manifests: Manifest[]) => ({ target: 'rancher', version: '2.13.8', manifests });

test('a pool whose machine configuration changes rolls, with the change that is the cause', () => {
  expect(rollsByImpact(side(cluster(3), config('8')), side(cluster(3), config('16')))).toEqual([
    {
      target: 'rancher',
      cluster: 'fleet-default/shop',
      pool: 'all',
      effect: 'replace',
      machines: 3,
      what: expect.stringContaining('its machines are replaced'),
      causes: [expect.stringMatching(/HarvesterConfig.*memorySize: "8" -> "16"/)],
    },
  ]);
});

test('deletes its machines with a Cluster', () => {
  expect(rollsByImpact(side(cluster(3), config('8')), side(config('8')))).toEqual([
    {
      target: 'rancher',
      cluster: 'fleet-default/shop',
      effect: 'delete',
      machines: 3,
      what: 'the Cluster is deleted: all of its machines are deleted with their disks',
      causes: ['Cluster fleet-default/shop is gone'],
    },
  ]);
});

test('a pool that only grows does not', () => {
  expect(rollsByImpact(side(cluster(3), config('8')), side(cluster(5), config('8')))).toEqual([]);
});

const MACHINES = 'rke-machine-config.cattle.io/v1';

interface Shape {
  readonly memory?: string;
  readonly quantity?: number;
  readonly config?: string;
  readonly without?: readonly ('cluster' | 'pool')[];
}

/** A guest cluster with two pools, and one object next to it. */
function shop({
  memory = '8',
  quantity = 3,
  config: configName = 'nc-shop-all',
  without = [],
}: Shape = {}): SmallProgram {
  const program = new SmallProgram().target('rancher', 'rancher');
  program.targets[0] = { ...program.targets[0], version: '2.13.8' };
  const pool = (name: string, more: object) => ({
    name,
    etcdRole: name === 'all',
    controlPlaneRole: name === 'all',
    workerRole: true,
    ...more,
  });
  program.object('rancher', 'v1', 'ConfigMap', 'default/unrelated');
  if (without.includes('cluster')) {
    return program;
  }
  program.object('rancher', MACHINES, 'HarvesterConfig', `fleet-default/${configName}`, {
    memorySize: memory,
  });
  program.object('rancher', MACHINES, 'HarvesterConfig', 'fleet-default/nc-shop-more', {
    memorySize: '4',
  });
  program.object('rancher', 'provisioning.cattle.io/v1', 'Cluster', 'fleet-default/shop', {
    spec: {
      kubernetesVersion: 'v1.33.6+rke2r1',
      rkeConfig: {
        machinePools: [
          pool('all', {
            quantity,
            machineConfigRef: { kind: 'HarvesterConfig', name: configName },
          }),
          ...(without.includes('pool')
            ? []
            : [
                pool('more', {
                  quantity: 2,
                  machineConfigRef: { kind: 'HarvesterConfig', name: 'nc-shop-more' },
                }),
              ]),
        ],
      },
    },
  });
  return program;
}

async function applied(): Promise<Trial> {
  const trial = new Trial(shop());
  await trial.apply();
  trial.forget();
  return trial;
}

const told = (trial: Trial): unknown[] => trial.events.filter(({ type }) => type === 'roll');

const refusal = async (trial: Trial, prune = true): Promise<string> =>
  trial.apply({ failOnMachineLoss: true, prune }).then(
    () => {
      throw new Error('it was not refused');
    },
    (error: Error) => error.message,
  );

test('a first apply asks for nothing more', async () => {
  const trial = new Trial(shop());
  await trial.apply({ failOnMachineLoss: true });
  expect(told(trial)).toEqual([]);
  const { rancher } = trial.clusters;
  expect(rancher.did('read').filter((what) => what === 'Cluster fleet-default/shop')).toHaveLength(
    1,
  );
  expect(rancher.did('dry-run')).toEqual([]);
});

test('reads only what pools are made of in a run without a change, and reports nothing', async () => {
  const trial = await applied();
  await trial.apply({ failOnMachineLoss: true });
  expect(told(trial)).toEqual([]);
  expect(trial.clusters.rancher.did('dry-run')).toEqual([]);
  expect(
    trial.clusters.rancher
      .did('read')
      .filter((what) => what.startsWith('ConfigMap default/unrelated')),
  ).toHaveLength(1);
});

test('reports a pool that will be replaced before anything is written', async () => {
  const trial = await applied();
  trial.declared = shop({ memory: '16' });
  let writtenBefore: string[] | undefined;
  await trial.apply({
    onEvent: (event) => {
      trial.events.push(event);
      if (event.type === 'roll') {
        writtenBefore = writes(trial.clusters.rancher);
      }
    },
  });
  expect(told(trial)).toEqual([
    {
      type: 'roll',
      target: 'rancher',
      cluster: 'fleet-default/shop',
      pool: 'all',
      effect: 'replace',
      machines: 3,
      what: expect.stringContaining('its machines are replaced'),
      causes: [expect.stringMatching(/HarvesterConfig.*memorySize: "8" -> "16"/)],
    },
  ]);
  expect(writtenBefore).toEqual([]);
  expect(writes(trial.clusters.rancher)).toEqual([
    'apply HarvesterConfig fleet-default/nc-shop-all',
  ]);
});

test('ends with --fail-on-machine-loss before anything is written, and reports which, why and what to do', async () => {
  const trial = await applied();
  trial.declared = shop({ memory: '16' });
  const message = await refusal(trial);
  expect(message.split('\n')).toEqual([
    '--fail-on-machine-loss: machines would be replaced or deleted; nothing was written',
    expect.stringMatching(
      /^ {2}pool all of fleet-default\/shop on rancher: 3 machines replaced: its machines are replaced, .*; for HarvesterConfig .*memorySize: "8" -> "16"$/,
    ),
    'Fix: undo the change, or add a new machine pool with it next to the old one; if the machines may be deleted, apply without --fail-on-machine-loss',
  ]);
  expect(writes(trial.clusters.rancher)).toEqual([]);
  expect(
    trial.clusters.rancher.live(
      'coordination.k8s.io/v1',
      'Lease',
      'cdk8s-harvester-default',
      'kube-system',
    ),
  ).toBeUndefined();
});

test('a machine configuration of another name is compared with the one that was applied before', async () => {
  const trial = await applied();
  trial.declared = shop({ memory: '16', config: 'nc-shop-big' });
  expect(await refusal(trial)).toContain(
    'pool all of fleet-default/shop on rancher: 3 machines replaced',
  );
  trial.declared = shop({ memory: '8', config: 'nc-shop-same' });
  expect(await trial.apply({ failOnMachineLoss: true })).toMatchObject({ failed: [] });
});

test.each<[string, Shape, string]>([
  [
    'a pool that shrinks',
    { quantity: 1 },
    'pool all of fleet-default/shop on rancher: 2 machines deleted',
  ],
  [
    'a pool that is gone',
    { without: ['pool'] },
    'pool more of fleet-default/shop on rancher: 2 machines deleted',
  ],
])('--fail-on-machine-loss also stops %s', async (_, shape, says) => {
  const trial = await applied();
  trial.declared = shop(shape);
  expect(await refusal(trial)).toContain(says);
  expect(writes(trial.clusters.rancher)).toEqual([]);
});

test('a Cluster that is left by --no-prune loses nothing', async () => {
  const trial = await applied();
  trial.declared = shop({ without: ['cluster'] });
  expect(await trial.apply({ failOnMachineLoss: true, prune: false })).toMatchObject({
    failed: [],
  });
});

test('a pool that grows is let through', async () => {
  const trial = await applied();
  trial.declared = shop({ quantity: 5 });
  expect(await trial.apply({ failOnMachineLoss: true })).toMatchObject({ failed: [] });
  expect(told(trial)).toEqual([]);
});

test('an import has no machines', async () => {
  const imported = (): SmallProgram => {
    const program = new SmallProgram().target('rancher', 'rancher');
    program.object('rancher', 'v1', 'ConfigMap', 'default/unrelated');
    return program;
  };
  const program = imported();
  program.object('rancher', 'provisioning.cattle.io/v1', 'Cluster', 'fleet-default/dc1', {
    spec: {},
  });
  const trial = new Trial(program);
  await trial.apply();
  trial.declared = imported();
  expect(await trial.apply({ failOnMachineLoss: true })).toMatchObject({ failed: [] });
});

test('warns where it cannot look, and ends with --fail-on-machine-loss', async () => {
  const trial = await applied();
  trial.declared = shop({ memory: '16' });
  let looks = 0;
  trial.clusters.rancher.fault = ({ verb, what }) =>
    verb === 'read' && what.endsWith('nc-shop-all') && looks++ === 0
      ? new ApiError('forbidden', 'harvesterconfigs is forbidden', 403)
      : undefined;
  expect(await refusal(trial)).toContain(
    'HarvesterConfig fleet-default/nc-shop-all on rancher: cannot determine what happens to machines: cannot be read: harvesterconfigs is forbidden',
  );
  expect(writes(trial.clusters.rancher)).toEqual([]);
  looks = 0;
  expect(await trial.apply()).toMatchObject({ failed: [] });
  expect(trial.told).toContain('cannot determine what happens to machines');
});

test('a small plan that fails ends no apply but with --fail-on-machine-loss', async () => {
  const trial = await applied();
  trial.declared = shop({ memory: '16' });
  trial.clusters.rancher.fault = ({ verb }) =>
    verb === 'dry-run' ? new ApiError('transient', 'away') : undefined;
  expect(await refusal(trial)).toBe('away');
  expect(await trial.apply()).toMatchObject({ failed: [] });
  expect(trial.told).toContain('cannot determine which machines are replaced: away');
});

test('plans once with a saved plan: reports the machines that are replaced from the plan that it compares', async () => {
  const trial = await applied();
  trial.declared = shop({ memory: '16' });
  const saved = await makePlan(
    { ...trial.program, graph: buildGraph(trial.program.assembly, trial.program.manifests) },
    {
      fieldManager: APP.fieldManager,
      inventory: inventoryReader(APP),
      finish: withMembership(APP),
      rolls: rollsByImpact,
    },
  );
  trial.forget();
  expect(await trial.apply({ plan: saved })).toMatchObject({ failed: [] });
  expect(told(trial)).toEqual([expect.objectContaining({ pool: 'all', effect: 'replace' })]);
  expect(trial.clusters.rancher.did('dry-run')).toEqual([
    'HarvesterConfig fleet-default/nc-shop-all',
  ]);
});

test('reports no machines of a Cluster that a plan deletes but --no-prune keeps', async () => {
  const trial = await applied();
  trial.declared = shop({ without: ['cluster'] });
  const saved = await makePlan(
    { ...trial.program, graph: buildGraph(trial.program.assembly, trial.program.manifests) },
    {
      fieldManager: APP.fieldManager,
      inventory: inventoryReader(APP),
      finish: withMembership(APP),
      rolls: rollsByImpact,
      pruneMachines: true,
    },
  );
  expect(saved.rolls).toEqual([
    expect.objectContaining({ cluster: 'fleet-default/shop', effect: 'delete' }),
  ]);
  trial.forget();
  await trial.apply({ plan: saved, prune: false });
  expect(told(trial)).toEqual([]);
});
