import { withMembership } from '../../../src/engine/fields/apply-set';
import { buildGraph } from '../../../src/engine/graph/build-graph';
import { inventoryReader, readInventory } from '../../../src/engine/inventory/inventory';
import {
  RemovedTarget,
  asTarget,
  removedTargets,
} from '../../../src/engine/inventory/removed-targets';
import { Plan } from '../../../src/engine/plan/plan';
import { planText } from '../../../src/engine/plan/render-plan';
import { forgetTarget } from '../../../src/engine/run/destroy-program';
import { FakeCluster } from '../../support/fake-cluster';
import { SmallProgram } from '../graph/_assemblies';
import { makePlan } from '../plan/_planning';
import { APP, QuickClock, Trial } from '../run/_running';

const PROVISIONING = 'provisioning.cattle.io/v1';
const HARVESTER = 'harvesterhci.io/v1beta1';
const SETTING = 'dc1/harvesterhci.io/Setting//cluster-registration-url';
const IMPORT = 'rancher/provisioning.cattle.io/Cluster/fleet-default/dc1';
const PARTS = [
  'rancher//Secret/cattle-global-data/cc-dc1',
  'rancher/management.cattle.io/Project/c-m-dc1/pay',
  IMPORT,
  'rancher/provisioning.cattle.io/Cluster/fleet-default/shop-dc1',
];

/**
 * A Rancher and imported Harvesters, each with a project, an image and a guest cluster with its
 * credential.
 */
function platform(...names: readonly string[]): SmallProgram {
  const program = new SmallProgram().target('rancher', 'rancher');
  for (const name of names) {
    const id = `c-m-${name}`;
    program.target(name, 'harvester');
    program.object('rancher', PROVISIONING, 'Cluster', `fleet-default/${name}`, {
      metadata: { annotations: { 'provisioning.cattle.io/management-cluster-name': id } },
      spec: {},
    });
    program.object('rancher', 'management.cattle.io/v3', 'Project', `${id}/pay`, {
      spec: { clusterName: id },
    });
    const credential = program.object('rancher', 'v1', 'Secret', `cattle-global-data/cc-${name}`);
    program.object('rancher', PROVISIONING, 'Cluster', `fleet-default/shop-${name}`, {
      spec: { cloudCredentialSecretName: `cattle-global-data:cc-${name}`, rkeConfig: {} },
    });
    const account = program.object(name, 'v1', 'ServiceAccount', 'default/rancher');
    program.object(name, HARVESTER, 'VirtualMachineImage', 'default/ubuntu');
    const setting = program.object(name, HARVESTER, 'Setting', 'cluster-registration-url', {
      value: `https://rancher/v3/import/t_${id}.yaml`,
    });
    program.edge(credential, account);
    const at = program.objects.findIndex((object) => object.id === setting);
    program.objects[at] = {
      ...program.objects[at],
      deletion: { policy: 'reset', reason: 'so it is' },
    };
  }
  program.object('rancher', 'management.cattle.io/v3', 'User', 'u-ana');
  return program;
}

function harvester(cluster: FakeCluster): void {
  cluster.seed(
    { apiVersion: HARVESTER, kind: 'Setting', metadata: { name: 'cluster-registration-url' } },
    'harvester',
  );
  cluster.reactions.push((object) => {
    if (object.kind === 'Setting') {
      (object as any).status = {
        conditions: [{ type: 'configured', status: object.value ? 'True' : 'False' }],
      };
    } // eslint-disable-line @typescript-eslint/no-explicit-any
  });
}

async function applied(...names: readonly string[]): Promise<Trial> {
  const trial = new Trial(platform(...names));
  for (const name of names) {
    harvester(trial.clusters[name]);
  }
  expect((await trial.apply()).failed).toEqual([]);
  trial.forget();
  return trial;
}

const valueOf = (trial: Trial, name = 'dc1'): string =>
  trial.clusters[name].live(HARVESTER, 'Setting', 'cluster-registration-url').value;
const isThere = (
  trial: Trial,
  kind: string,
  name: string,
  namespace = 'fleet-default',
  apiVersion = PROVISIONING,
): boolean => trial.clusters.rancher.live(apiVersion, kind, name, namespace) !== undefined;

async function removedOf({ clusters: { rancher }, declared }: Trial): Promise<RemovedTarget[]> {
  return removedTargets([(await readInventory(rancher, APP))!], declared.targets);
}

/** The program without dc1, which still has its context or not. */
async function without(trial: Trial, bound: boolean): Promise<Trial> {
  const { dc1, ...others } = trial.clusters;
  trial.declared = platform(...Object.keys(others).filter((name) => name !== 'rancher'));
  if (!bound) {
    return new Trial(trial.declared, others);
  }
  trial.declared.targets.push(...(await removedOf(trial)).map(asTarget));
  return trial;
}

async function planOf({ program }: Trial): Promise<Plan> {
  return makePlan(
    { ...program, graph: buildGraph(program.assembly, program.manifests) },
    {
      fieldManager: APP.fieldManager,
      app: APP.id,
      inventory: inventoryReader(APP),
      finish: withMembership(APP),
    },
  );
}

test('each inventory knows the targets of the app, and the import of each Harvester', async () => {
  const trial = await applied('dc1', 'dc2');
  for (const cluster of Object.values(trial.clusters)) {
    expect((await readInventory(cluster, APP))!.targets).toEqual({
      rancher: { kind: 'rancher', version: '1' },
      dc1: { kind: 'harvester', version: '1', imports: [IMPORT], parts: PARTS },
      dc2: {
        kind: 'harvester',
        version: '1',
        imports: [IMPORT.replace('dc1', 'dc2')],
        parts: PARTS.map((id) => id.replace(/dc1/g, 'dc2')),
      },
    });
  }
});

describe('a Harvester that is no longer in the program', () => {
  test('is shown by a plan with what an apply does', async () => {
    const bound = await planOf(await without(await applied('dc1', 'dc2'), true));
    expect(bound.problems).toBeUndefined();
    expect(
      bound.steps.filter(({ target }) => target === 'dc1').map(({ id, action }) => [id, action]),
    ).toEqual([[SETTING, 'reset']]);
    expect(planText(bound)).toContain(
      'target dc1 is no longer declared: its registration with Rancher is reset, other objects on it are kept; to delete what this app left there, run destroy --target dc1',
    );
    const unbound = await planOf(await without(await applied('dc1', 'dc2'), false));
    expect(unbound.problems).toEqual([
      expect.stringContaining(
        `this run would delete its import ${IMPORT}: the Harvester would remain half connected`,
      ),
    ]);
  });

  test('resets its registration through its context before the import is deleted, and changes nothing else on it', async () => {
    const trial = await without(await applied('dc1', 'dc2'), true);
    let valueAtDeletion: unknown = 'the import was not deleted';
    trial.clusters.rancher.before = async ({ verb, what }) => {
      if (verb === 'delete' && what === 'Cluster fleet-default/dc1') {
        valueAtDeletion = valueOf(trial);
      }
    };
    expect((await trial.apply({ pruneMachines: true })).failed).toEqual([]);
    expect(valueAtDeletion).toBe('');
    expect(isThere(trial, 'Cluster', 'dc1')).toBe(false);
    expect(trial.clusters.dc1.has(HARVESTER, 'VirtualMachineImage', 'ubuntu', 'default')).toBe(
      true,
    );
    expect(valueOf(trial, 'dc2')).toContain('c-m-dc2');
  });

  test('keeps its import where the reset fails', async () => {
    const trial = await without(await applied('dc1'), true);
    trial.clusters.dc1.fault = ({ verb }) => (verb === 'apply' ? new Error('no') : undefined);
    await trial.apply({ pruneMachines: true, acceptEmpty: true }).catch(() => undefined);
    expect(isThere(trial, 'Cluster', 'dc1')).toBe(true);
  });

  test('is refused where no context is bound to it: nothing is written, and the fix is printed', async () => {
    const trial = await without(await applied('dc1', 'dc2'), false);
    await expect(trial.apply()).rejects.toThrow(
      /target dc1, a Harvester, is no longer declared.*--context dc1=<context>.*cdk8s-harvester forget dc1/,
    );
    await expect(trial.destroy()).rejects.toThrow('the Harvester would remain half connected');
    expect(isThere(trial, 'Cluster', 'dc1')).toBe(true);
  });

  test('is not required once it is forgotten: the import is deleted, and its cluster gets no request', async () => {
    const before = await applied('dc1', 'dc2');
    const trial = await without(before, false);
    const { program } = trial;
    await expect(forgetTarget(program, 'dc2', { app: APP })).rejects.toThrow(
      'target dc2 is declared by this program',
    );
    await expect(forgetTarget(program, 'dc7', { app: APP })).rejects.toThrow(
      'no longer declares, got dc7. Fix: use one of dc1',
    );
    expect(await forgetTarget(program, 'dc1', { app: APP, confirm: async () => false })).toEqual(
      [],
    );
    await expect(trial.apply()).rejects.toThrow('half connected');
    before.forget();
    expect(await forgetTarget(program, 'dc1', { app: APP })).toEqual(['dc2', 'rancher']);
    expect((await trial.apply({ pruneMachines: true })).failed).toEqual([]);
    expect(isThere(trial, 'Cluster', 'dc1')).toBe(false);
    expect(before.clusters.dc1.calls).toEqual([]);
    expect(
      trial.clusters.rancher.live(
        'coordination.k8s.io/v1',
        'Lease',
        APP.parent.name,
        APP.parent.namespace,
      ),
    ).toBeUndefined();
  });
});

describe('destroy of one target', () => {
  const left = ({ clusters: { rancher } }: Trial): string[] =>
    [...rancher.objects.values()]
      .filter(({ metadata: { name } }) => name !== APP.parent.name)
      .map(({ kind, metadata: { name } }) => `${kind} ${name}`)
      .sort();

  test('deletes its objects and what needs them on Rancher, in order, and keeps another Harvester and users', async () => {
    const trial = await applied('dc1', 'dc2');
    const order: string[] = [];
    for (const cluster of Object.values(trial.clusters)) {
      cluster.before = async ({ verb, what }) => {
        if (['apply', 'delete'].includes(verb) && !what.includes(APP.parent.name)) {
          order.push(`${verb} ${what}`);
        }
      };
    }
    let scope: ReadonlyMap<string, readonly string[]> = new Map();
    const { failed, skipped } = await trial.destroy({
      target: 'dc1',
      confirm: async ({ objects }) => {
        scope = objects;
        return true;
      },
    });
    expect([failed, skipped]).toEqual([[], []]);
    expect(scope.get('dc2')).toEqual([]);
    expect(left(trial)).toEqual([
      'Cluster dc2',
      'Cluster shop-dc2',
      'Project pay',
      'Secret cc-dc2',
      'User u-ana',
    ]);
    expect(valueOf(trial)).toBe('');
    expect(valueOf(trial, 'dc2')).toContain('c-m-dc2');
    const at = (what: string): number => order.indexOf(what);
    expect(at('delete Cluster fleet-default/shop-dc1')).toBeLessThan(
      at('delete Secret cattle-global-data/cc-dc1'),
    );
    expect(at('apply Setting cluster-registration-url')).toBeLessThan(
      at('delete Cluster fleet-default/dc1'),
    );
    expect(at('delete Project c-m-dc1/pay')).toBeLessThan(
      at('apply Setting cluster-registration-url'),
    );
    expect(await readInventory(trial.clusters.dc1, APP)).toBeUndefined();
  });

  test('deletes all that is left on one that is no longer in the program, and forgets it', async () => {
    const trial = await without(await applied('dc1', 'dc2'), true);
    expect((await trial.destroy({ target: 'dc1', clock: new QuickClock() })).failed).toEqual([]);
    expect(left(trial)).toEqual([
      'Cluster dc2',
      'Cluster shop-dc2',
      'Project pay',
      'Secret cc-dc2',
      'User u-ana',
    ]);
    expect(
      trial.clusters.dc1.live(HARVESTER, 'VirtualMachineImage', 'ubuntu', 'default'),
    ).toBeUndefined();
    const stored = (await readInventory(trial.clusters.rancher, APP))!;
    expect([Object.keys(stored.targets!), Object.keys(stored.clusterUids)]).toEqual([
      ['rancher', 'dc2'],
      ['rancher', 'dc2'],
    ]);
    // there is no further message about it
    const { dc1: _, ...others } = trial.clusters;
    const rest = await planOf(new Trial(platform('dc2'), others));
    expect([
      rest.problems,
      rest.notes,
      rest.steps.filter(({ action }) => action !== 'unchanged'),
    ]).toEqual([undefined, undefined, []]);
  });
});

test('what earlier versions remembered of targets is enough to refuse', async () => {
  const trial = await without(await applied('dc1'), false);
  const { rancher } = trial.clusters;
  expect(await removedOf(trial)).toEqual([
    expect.objectContaining({ name: 'dc1', uid: 'uid-of-dc1' }),
  ]);
  const stored = (await readInventory(rancher, APP))!;
  expect(removedTargets([{ clusterUids: stored.clusterUids }], trial.declared.targets)).toEqual([
    { name: 'dc1', uid: 'uid-of-dc1' },
  ]);
});
