import { KindRemoval } from '../../../src/core/kind/description/removal';
import { kindOf } from '../../../src/core/kind/kinds';
import { Manifest } from '../../../src/core/manifest/manifest';
import { withMembership } from '../../../src/engine/fields/apply-set';
import { buildGraph } from '../../../src/engine/graph/build-graph';
import { inventoryReader } from '../../../src/engine/inventory/inventory';
import { Plan, PlanStep } from '../../../src/engine/plan/plan';
import { ApiError } from '../../../src/engine/transport/api';
import { ALL_KINDS } from '../../../src/registry/all-kinds';
import { FakeCluster } from '../../support/fake-cluster';
import { SmallProgram } from '../graph/_assemblies';
import { makePlan } from '../plan/_planning';
import { APP, Trial, writes } from '../run/_running';

interface OneObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly [field: string]: unknown;
}

/** A program with one object of a kind, under a name. */
function program(
  name: string,
  { apiVersion, kind, namespace, ...fields }: OneObject,
): SmallProgram {
  const small = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  small.object('dc1', 'v1', 'ConfigMap', 'default/stays');
  small.object(
    'dc1',
    apiVersion,
    kind,
    namespace === undefined ? name : `${namespace}/${name}`,
    fields,
  );
  return small;
}

const web = {
  apiVersion: 'v1',
  kind: 'Service',
  namespace: 'shop',
  spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 30080 }] },
};
const user = { apiVersion: 'management.cattle.io/v3', kind: 'User', username: 'ana' };
const pool = {
  apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
  kind: 'IPPool',
  spec: { ranges: [{ subnet: '10.0.0.0/24', rangeStart: '10.0.0.10', rangeEnd: '10.0.0.20' }] },
};
const nightly = {
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'ScheduleVMBackup',
  namespace: 'shop',
  spec: { cron: '5 3 * * *', vmbackup: { type: 'snapshot', source: { name: 'web' } } },
};
const standard = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
};
const image = {
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'VirtualMachineImage',
  namespace: 'default',
  spec: { displayName: 'ubuntu', sourceType: 'download' },
};

/** Refuses what the servers refuse: an object with a value that another one has. */
function uniqueness(cluster: FakeCluster): void {
  cluster.fault = ({ verb, body }) => {
    const unique = (verb === 'apply' || verb === 'dry-run') && kindOf<KindRemoval>(body)?.unique;
    const other =
      unique &&
      [...cluster.objects.values()].find(
        (live: Manifest) =>
          kindOf<KindRemoval>(live)?.unique === unique &&
          live.metadata.name !== body.metadata.name &&
          unique.shared(body, live).length > 0,
      );
    return other ? new ApiError('invalid', `is taken by ${other.metadata.name}`, 422) : undefined;
  };
}

/** Applied under one name, and declared under another one since. */
async function renamed(object: OneObject, change?: (cluster: FakeCluster) => void): Promise<Trial> {
  const trial = new Trial(program('old', object));
  uniqueness(trial.clusters.dc1);
  expect((await trial.apply()).failed).toEqual([]);
  change?.(trial.clusters.dc1);
  trial.declared = program('new', object);
  trial.forget();
  return trial;
}

async function planOf({ program: { assembly, manifests, ...rest } }: Trial): Promise<Plan> {
  return makePlan(
    { ...rest, assembly, manifests, graph: buildGraph(assembly, manifests) },
    {
      fieldManager: APP.fieldManager,
      app: APP.id,
      inventory: inventoryReader(APP),
      finish: withMembership(APP),
    },
  );
}

const stepOf = ({ steps }: Plan, name: string): PlanStep =>
  steps.find(({ id }) => id.endsWith(`/${name}`))!;
const declaredId = ({ declared }: Trial): string => declared.objects[1].id;

describe('a value that the server has only once', () => {
  const scope = [{ project: 'c-m-harvdc01/p-shop', namespace: '*', guestCluster: '*' }];
  const other = { ...scope[0], project: 'c-m-harvdc01/p-other' };
  const anyone = [{ project: '*', namespace: '*', guestCluster: '*' }];

  test.each([
    ['a priority', 'priority 7', { priority: 7, scope }, { priority: 7, scope: [other] }],
    ['priority 0 of a scope and a network', 'priority 0', { scope }, { scope }],
    ['the fallback', 'the scope of all load balancers', { scope: anyone }, { scope: anyone }],
    ['nothing of another scope', undefined, { scope }, { scope: [other] }],
    ['nothing of a fallback', undefined, { priority: 7, scope: anyone }, { priority: 7, scope }],
  ])('deletes the previous pool first that has %s', async (_, what, before, after) => {
    const of = (subnet: string, selector: object): OneObject => ({
      ...pool,
      spec: { ranges: [{ subnet }], selector },
    });
    const trial = await renamed(of('10.0.0.0/24', before));
    trial.declared = program('new', of('10.0.1.0/24', after));
    trial.forget();
    const { reason, refused } = stepOf(await planOf(trial), 'new');
    expect(refused).toBeUndefined();
    expect(reason).toEqual(
      what && expect.stringContaining(`it gets what one pool has alone: ${what} of IPPool old`),
    );
    expect((await trial.apply()).failed).toEqual([]);
  });

  test.each([
    ['nodePort', web],
    ['username', user],
    ['what one pool has alone: addresses', pool],
    ['the use of virtual machine shop/web, the time 5 3', nightly],
  ])('deletes the previous object first, so that the new one gets it: %s', async (what, object) => {
    const trial = await renamed(object);
    const plan = await planOf(trial);
    expect([stepOf(plan, 'new'), stepOf(plan, 'old').action]).toEqual([
      expect.objectContaining({
        action: 'create',
        reason: expect.stringContaining(`it gets ${what}`),
      }),
      'prune',
    ]);
    expect(stepOf(plan, 'new').refused).toBeUndefined();
    const { failed, skipped } = await trial.apply({ plan });
    expect([failed, skipped]).toEqual([[], []]);
    expect(writes(trial.clusters.dc1).map((text) => text.split(' ')[0])).toEqual([
      'delete',
      'apply',
    ]);
    expect(await trial.inventory('dc1')).toEqual(
      [expect.stringContaining('stays'), declaredId(trial)].sort(),
    );
  });

  const unchanged = (): void => {};

  test.each<[string, OneObject, string, (cluster: FakeCluster) => void]>([
    [
      'the default storage class',
      standard,
      'declare the previous StorageClass again, without being the default, and apply',
      unchanged,
    ],
    ['an image', image, 'give the new image another displayName', unchanged],
    [
      'addresses that are in use',
      pool,
      '1 of its addresses is in use by load balancers. Fix: keep the previous IPPool',
      (cluster) => {
        cluster.change({ ...pool, name: 'old' }, (live) => {
          live.status = { allocated: { '10.0.0.10': 'default/web' } };
        });
      },
    ],
    [
      'an object that someone keeps',
      web,
      'give the new Service another nodePort',
      (cluster) => {
        cluster.change({ ...web, name: 'old' }, (live) => {
          live.metadata.annotations = { 'client.lifecycle.config.k8s.io/deletion': 'detach' };
        });
      },
    ],
  ])(
    'keeps the previous object where its deletion loses data, and plan and apply print what to do: %s',
    async (_, object, says, change) => {
      const trial = await renamed(object, change);
      const plan = await planOf(trial);
      expect(stepOf(plan, 'new').refused).toContain('which is no longer declared but kept: ');
      expect(stepOf(plan, 'new').refused).toContain(says);
      const { failed } = await trial.apply();
      expect(failed.map(({ id }) => id)).toEqual([declaredId(trial)]);
      expect(writes(trial.clusters.dc1).filter((text) => text.startsWith('delete'))).toEqual([]);
      expect(trial.told).toContain(says);
    },
  );

  test('deletes last what blocks no other object', async () => {
    const trial = await renamed(web);
    trial.declared = program('new', { ...web, spec: { ports: [{ port: 80, nodePort: 30090 }] } });
    expect((await trial.apply()).failed).toEqual([]);
    expect(writes(trial.clusters.dc1).map((text) => text.split(' ')[0])).toEqual([
      'apply',
      'delete',
    ]);
  });

  test('nothing is deleted first without prune', async () => {
    const trial = await renamed(web);
    expect((await trial.apply({ prune: false })).failed).toHaveLength(1);
    expect(writes(trial.clusters.dc1)).toEqual(['apply Service shop/new']);
  });
});

test('each kind of the table has a source of its own values and what to do', () => {
  expect(
    ALL_KINDS.filter(({ unique }) => unique)
      .map(({ kind }) => kind)
      .sort(),
  ).toEqual([
    'ClusterProxyConfig',
    'IPPool',
    'ScheduleVMBackup',
    'Service',
    'StorageClass',
    'User',
    'VirtualMachineImage',
  ]);
  for (const { unique } of ALL_KINDS) {
    expect(unique?.fix).not.toBe('');
  }
});
