import { createHash } from 'crypto';
import { Manifest } from '../../../src/core/manifest/manifest';
import { RunProgram } from '../../../src/engine/auth/run-program';
import { ApiCluster } from '../../../src/engine/cluster/api-cluster';
import { Cluster } from '../../../src/engine/cluster/cluster';
import { APPLY_SET, appOf, applySetId, withMembership } from '../../../src/engine/fields/apply-set';
import { buildGraph } from '../../../src/engine/graph/build-graph';
import { inventoryReader, parentOf, readInventory } from '../../../src/engine/inventory/inventory';
import { Lock, leaseOf } from '../../../src/engine/inventory/lease';
import { ApplyRunOptions, applyProgram } from '../../../src/engine/run/apply-program';
import { RunEvent } from '../../../src/engine/run/context/events';
import { destroyProgram } from '../../../src/engine/run/destroy-program';
import { ApiError } from '../../../src/engine/transport/api';
import { NodeTransport } from '../../../src/engine/transport/node-transport';
import { rollsByImpact } from '../../../src/report/impact/cluster-impacts';
import { SmallProgram } from '../../engine/graph/_assemblies';
import { makePlan } from '../../engine/plan/_planning';
import { fakeTargets } from '../../support/fake-cluster';
import { ClusterKind, clientOf, clusters, describeCluster } from '../clusters';

const namespace = 'apply-test';
const APP = appOf('apply-test');

function apiOf(kind: ClusterKind): Cluster {
  const { url, ca, token } = clusters().connections[kind];
  return new ApiCluster(
    new NodeTransport({
      name: kind,
      server: new URL(url),
      ca,
      credentials: async () => ({ headers: { authorization: `Bearer ${token}` } }),
    }),
  );
}

/** Objects on three clusters, of kinds whose servers write defaults into them. */
function newProgram(...names: string[]): SmallProgram {
  const program = new SmallProgram()
    .target('rancher', 'rancher')
    .target('dc1', 'harvester')
    .target('guest-shop', 'guest');
  for (const target of ['rancher', 'dc1', 'guest-shop']) {
    program.object(target, 'v1', 'Namespace', namespace);
  }
  program.object('rancher', 'provisioning.cattle.io/v1', 'Cluster', `${namespace}/dc1`, {
    spec: {},
  });
  program.object('rancher', 'v1', 'Secret', `${namespace}/token`, {
    stringData: { token: 'a-canary-of-the-apply-test' },
  });
  program.object('dc1', 'harvesterhci.io/v1beta1', 'KeyPair', `${namespace}/ana`, {
    spec: { publicKey: 'ssh-ed25519 AAAA ana' },
  });
  const account = program.object('guest-shop', 'v1', 'ServiceAccount', `${namespace}/web`);
  const service = program.object('guest-shop', 'v1', 'Service', `${namespace}/web`, {
    spec: { selector: { app: 'web' }, ports: [{ port: 443 }] },
  });
  program.edge(service, account, 'ready');
  for (const name of names) {
    program.configMap(name, 'dc1');
  }
  return program;
}

describeCluster('an apply', () => {
  let apis: { [name: string]: Cluster };
  const events: RunEvent[] = [];

  beforeAll(() => {
    apis = { 'rancher': apiOf('rancher'), 'dc1': apiOf('harvester'), 'guest-shop': apiOf('guest') };
  });

  afterEach(() => {
    events.splice(0);
  });

  afterAll(async () => {
    for (const kind of ['rancher', 'harvester', 'guest'] as const) {
      await clientOf(kind).delete({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      });
    }
    Object.values(apis ?? {}).forEach((api) => api.close());
  });

  function programOf({ assembly, manifests }: SmallProgram): RunProgram {
    const kinds = Object.fromEntries(assembly.targets.map((target) => [target.name, target]));
    return { folder: 'dist', digest: 'a1', assembly, manifests, targets: fakeTargets(apis, kinds) };
  }

  const run = {
    app: APP,
    onEvent: (event: RunEvent) => {
      events.push(event);
    },
  };
  const apply = async (program: SmallProgram, options: Partial<ApplyRunOptions> = {}) =>
    applyProgram(programOf(program), { rolls: rollsByImpact, ...run, ...options });

  const stateOf = (state: string): string[] =>
    events.flatMap((event) => (event.type === 'node' && event.state === state ? [event.id] : []));

  test('applies a program to three clusters, and writes nothing in a second run', async () => {
    const program = newProgram('one', 'two');
    const { failed, skipped, done } = await apply(program);
    expect({ failed, skipped }).toEqual({ failed: [], skipped: [] });
    expect(done).toHaveLength(program.objects.length);
    expect(stateOf('created').length).toBeGreaterThan(5);
    events.splice(0);

    const before = await apis.dc1.read(parentOf(APP));
    const again = await apply(program);
    expect(again.failed).toEqual([]);
    expect(stateOf('unchanged').sort()).toEqual(program.objects.map(({ id }) => id).sort());
    expect((await apis.dc1.read(parentOf(APP)))?.metadata.resourceVersion).toBe(
      before?.metadata.resourceVersion,
    );
    expect(JSON.stringify(events)).not.toContain('canary');
    expect(JSON.stringify(await apis.rancher.read(parentOf(APP)))).not.toContain('canary');
  });

  test('what is a member of the set is found by its label', async () => {
    const members = await apis.dc1.list('v1', 'ConfigMap', {
      labelSelector: `${APPLY_SET.PART_OF}=${applySetId(APP)}`,
    });
    expect(members.map(({ metadata: { name } }) => name).sort()).toEqual(['one', 'two']);
    expect((await apis.dc1.read(parentOf(APP)))?.metadata.annotations).toMatchObject({
      [APPLY_SET.KINDS]: 'ConfigMap,KeyPair.harvesterhci.io,Namespace',
      [APPLY_SET.NAMESPACES]: `${namespace},default`,
    });
  });

  test('prunes what is no longer declared, a namespace last of all', async () => {
    const program = newProgram('one');
    program.object('dc1', 'v1', 'Namespace', `${namespace}-2`);
    program.object('dc1', 'v1', 'ConfigMap', `${namespace}-2/inside`);
    expect((await apply(program)).failed).toEqual([]);
    expect(stateOf('deleted')).toEqual(['dc1//ConfigMap/default/two']);
    events.splice(0);
    expect((await apply(newProgram('one'))).failed).toEqual([]);
    expect(stateOf('deleted')).toEqual([
      `dc1//ConfigMap/${namespace}-2/inside`,
      `dc1//Namespace//${namespace}-2`,
    ]);
    expect((await readInventory(apis.dc1, APP))?.entries.map(({ name }) => name).sort()).toEqual([
      'ana',
      namespace,
      'one',
    ]);
  });

  test('ends access although an object fails, and keeps what that object may need', async () => {
    const own = 'held-test';
    const RBAC = 'rbac.authorization.k8s.io/v1';
    const shop = (): SmallProgram => {
      const program = new SmallProgram().target('guest-shop', 'guest');
      program.object('guest-shop', 'v1', 'Namespace', own);
      return program;
    };
    const first = shop();
    first.object('guest-shop', RBAC, 'RoleBinding', `${own}/ana`, {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'User', name: 'ana', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    first.object('guest-shop', 'v1', 'ConfigMap', `${own}/former`, { data: {} });
    const app = appOf(own);
    expect((await apply(first, { app })).failed).toEqual([]);

    const second = shop();
    // the server refuses what is not a text
    second.object('guest-shop', 'v1', 'ConfigMap', `${own}/next`, { data: { level: 1 } });
    const { failed, pending } = await apply(second, { app });
    expect(failed.map(({ id }) => id)).toEqual([`guest-shop//ConfigMap/${own}/next`]);
    expect(pending).toEqual([`guest-shop//ConfigMap/${own}/former`]);
    const has = async (apiVersion: string, kind: string, name: string): Promise<boolean> =>
      (await apis['guest-shop'].read({ apiVersion, kind, name, namespace: own })) !== undefined;
    expect(await has(RBAC, 'RoleBinding', 'ana')).toBe(false);
    expect(await has('v1', 'ConfigMap', 'former')).toBe(true);

    // nothing holds it any more
    expect((await apply(shop(), { app })).pending).toEqual([]);
    expect(await has('v1', 'ConfigMap', 'former')).toBe(false);
    await clientOf('guest').delete({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: own },
    });
  });

  test('does not take fields of others unless asked, and names them', async () => {
    const taken: Manifest = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'one', namespace: 'default' },
      data: { key: 'theirs' },
    };
    await apis.dc1.apply(taken, { fieldManager: 'other-tool' });
    const program = newProgram();
    const id = program.object('dc1', 'v1', 'ConfigMap', 'default/one', { data: { key: 'ours' } });
    const { failed } = await apply(program);
    expect(failed.map(({ message }) => message)).toEqual([
      expect.stringContaining(
        '.data.key is owned by other-tool. Fix: remove them from the program',
      ),
    ]);
    expect((await apply(program, { forceConflicts: [id] })).failed).toEqual([]);
    expect(
      (await apis.dc1.read({ ...parentOf(APP), namespace: 'default', name: 'one' }))?.data,
    ).toEqual({ key: 'ours' });
  });

  test('a Setting that is not there is never made: the server itself refuses the uid of one that vanished', async () => {
    const manifest: Manifest = {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'Setting',
      metadata: { name: 'apply-test', uid: '00000000-0000-0000-0000-000000000001' },
      value: '',
    };
    const refused = await apis.dc1.apply(manifest, { fieldManager: APP.fieldManager }).then(
      () => undefined,
      (error: ApiError) => error,
    );
    expect(refused).toMatchObject({ status: 409, failure: 'precondition' });
    expect(
      await apis.dc1.read({ apiVersion: manifest.apiVersion, kind: 'Setting', name: 'apply-test' }),
    ).toBeUndefined();
  });

  test('gives up the ownership of a reset Setting and keeps its value, so that the next app has no conflict', async () => {
    const setting = {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'Setting',
      metadata: { name: 'apply-test-reset' },
    };
    const ref = { apiVersion: setting.apiVersion, kind: setting.kind, name: setting.metadata.name };
    // as Harvester leaves it: carried out for the value that it is going to have
    const hash = createHash('sha224').update('').digest('hex');
    await apis.dc1.apply(
      {
        ...setting,
        metadata: { ...setting.metadata, annotations: { 'harvesterhci.io/hash': hash } },
        default: 'info',
      },
      { fieldManager: 'harvester' },
    );
    const withSetting = (value?: string): SmallProgram => {
      const program = new SmallProgram().target('dc1', 'harvester');
      program.object('dc1', 'v1', 'ConfigMap', 'default/beside-a-setting');
      if (value !== undefined) {
        program.object('dc1', setting.apiVersion, setting.kind, setting.metadata.name, { value });
      }
      program.objects.forEach((object, index) => {
        if (object.kind === 'Setting') {
          program.objects[index] = {
            ...object,
            deletion: { policy: 'reset', reason: "Harvester's" },
          };
        }
      });
      return program;
    };
    const [first, second] = [appOf('apply-test-first'), appOf('apply-test-second')];
    expect((await apply(withSetting('debug'), { app: first })).failed).toEqual([]);
    expect((await apply(withSetting(), { app: first })).failed).toEqual([]);
    const reset = (await apis.dc1.read(ref))!;
    expect(reset).toMatchObject({ value: '', default: 'info' });
    expect(reset.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['harvester']);

    const program = new SmallProgram().target('dc1', 'harvester');
    const id = program.object('dc1', setting.apiVersion, setting.kind, setting.metadata.name, {
      value: 'warn',
    });
    program.objects[0] = {
      ...program.objects[0],
      deletion: { policy: 'reset', reason: "Harvester's" },
    };
    expect((await apply(program, { app: second })).failed).toEqual([]);
    expect((await apis.dc1.read(ref))!.value).toBe('warn');

    // a value that someone else set meanwhile is kept: the plan shows it, with the way to reset it
    await apis.dc1.apply(
      { ...setting, value: 'theirs' },
      { fieldManager: 'other-tool', force: true },
    );
    const empty = new SmallProgram().target('dc1', 'harvester');
    const input = { ...programOf(empty), graph: buildGraph(empty.assembly, empty.manifests) };
    const plan = await makePlan(input, {
      fieldManager: second.fieldManager,
      inventory: inventoryReader(second),
    });
    expect(plan.steps).toMatchObject([{ action: 'keep', conflicts: [] }]);
    expect(
      (await apply(empty, { app: second, acceptEmpty: true, forceConflicts: [id] })).failed,
    ).toEqual([]);
    expect(await apis.dc1.read(ref)).toMatchObject({ value: '' });
    for (const app of [first, second]) {
      await destroyProgram(programOf(withSetting()), { ...run, app });
    }
    await clientOf('harvester').delete(setting);
  });

  test('keeps an undeclared Cluster with machines until an option allows its deletion', async () => {
    const app = appOf('apply-test-machines');
    const id = 'rancher/provisioning.cattle.io/Cluster/default/apply-test-shop';
    const withShop = (declared: boolean): SmallProgram => {
      const program = new SmallProgram().target('rancher', 'rancher');
      program.object('rancher', 'v1', 'ConfigMap', 'default/beside-a-cluster');
      if (declared) {
        program.object(
          'rancher',
          'provisioning.cattle.io/v1',
          'Cluster',
          'default/apply-test-shop',
          { spec: { kubernetesVersion: 'v1.33.6+rke2r1', rkeConfig: {} } },
        );
      }
      return program;
    };
    expect((await apply(withShop(true), { app })).failed).toEqual([]);
    const { failed, kept } = await apply(withShop(false), { app });
    expect({ failed, kept }).toEqual({
      failed: [],
      kept: [{ id, message: 'its machines and their disks would be lost with it' }],
    });
    const program = withShop(false);
    const input = { ...programOf(program), graph: buildGraph(program.assembly, program.manifests) };
    const options = {
      fieldManager: app.fieldManager,
      inventory: inventoryReader(app),
      finish: withMembership(app),
      rolls: rollsByImpact,
    };
    expect(await makePlan(input, options)).toMatchObject({
      steps: [{ action: 'unchanged' }, { id, action: 'keep' }],
      rolls: [],
    });
    const plan = await makePlan(input, { ...options, pruneMachines: true });
    expect(plan).toMatchObject({
      steps: [{ action: 'unchanged' }, { id, action: 'prune' }],
      rolls: [{ cluster: 'default/apply-test-shop', effect: 'delete' }],
    });
    expect((await apply(program, { app, plan })).failed).toEqual([]);
    expect(
      await apis.rancher.read({
        apiVersion: 'provisioning.cattle.io/v1',
        kind: 'Cluster',
        namespace: 'default',
        name: 'apply-test-shop',
      }),
    ).toBeUndefined();
    await destroyProgram(programOf(withShop(false)), { ...run, app });
  });

  test('of five runs at the same time, one gets the lock', async () => {
    const stop = AbortSignal.timeout(3_000);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, async () => Lock.acquire(apis.rancher, APP, { signal: stop })),
    );
    const locks = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' ? [outcome.value] : [],
    );
    expect(locks).toHaveLength(1);
    await locks[0].release();
    expect(await apis.rancher.read(leaseOf(APP))).toBeUndefined();
  });

  test('destroys everything, including inventory and lock', async () => {
    const { failed, skipped } = await destroyProgram(programOf(newProgram('one')), run);
    expect({ failed, skipped }).toEqual({ failed: [], skipped: [] });
    for (const api of Object.values(apis)) {
      expect(
        await api.read({ apiVersion: 'v1', kind: 'Namespace', name: namespace }),
      ).toBeUndefined();
      expect(await api.read(parentOf(APP))).toBeUndefined();
    }
    expect(await apis.rancher.read(leaseOf(APP))).toBeUndefined();
  });
});
