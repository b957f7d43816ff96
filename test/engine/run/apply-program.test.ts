import { QuickClock, Trial, fake, writes } from './_running';
import { APPLY_SET, appOf } from '../../../src/engine/fields/apply-set';
import { readInventory } from '../../../src/engine/inventory/inventory';
import { ApiError } from '../../../src/engine/transport/api';
import { SmallProgram } from '../graph/_assemblies';

function small(...names: string[]): SmallProgram {
  const program = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  for (const name of names) {
    program.configMap(name);
  }
  return program;
}

const ID = (name: string): string => `dc1//ConfigMap/default/${name}`;

test('applies all objects as members, with an inventory that names them', async () => {
  const trial = new Trial(small('a', 'b'));
  const summary = await trial.apply();
  expect(summary).toMatchObject({
    done: [ID('a'), ID('b')],
    counts: { created: 2 },
    failed: [],
    skipped: [],
    pending: [],
    interrupted: false,
  });
  const { dc1 } = trial.clusters;
  expect(dc1.live('v1', 'ConfigMap', 'a', 'default').metadata.labels).toEqual({
    [APPLY_SET.PART_OF]: 'applyset-K6UXd2mzOnsqhzM8dESj-h_O0oup1iEaIN83mCoHpnw-v1',
  });
  expect(
    dc1.live('v1', 'ConfigMap', 'cdk8s-harvester-default', 'kube-system').metadata,
  ).toMatchObject({
    labels: {
      'applyset.kubernetes.io/id': 'applyset-K6UXd2mzOnsqhzM8dESj-h_O0oup1iEaIN83mCoHpnw-v1',
    },
    annotations: {
      'applyset.kubernetes.io/tooling': 'cdk8s-harvester/0.0.0',
      'applyset.kubernetes.io/contains-group-kinds': 'ConfigMap',
    },
  });
  const stored = await readInventory(dc1, appOf());
  expect(stored?.entries.map(({ id, uid, policy }) => ({ id, uid, policy }))).toEqual(
    ['a', 'b'].map((name) => ({
      id: ID(name),
      uid: dc1.live('v1', 'ConfigMap', name, 'default').metadata.uid,
      policy: 'delete',
    })),
  );
  expect(stored?.clusterUids).toEqual({ rancher: 'uid-of-rancher', dc1: 'uid-of-dc1' });
});

test('names an object in the inventory before it is written', async () => {
  const trial = new Trial(small('a'));
  const { dc1 } = trial.clusters;
  await trial.apply();
  const applied = dc1.did('apply');
  expect(applied).toEqual([
    'ConfigMap kube-system/cdk8s-harvester-default',
    'ConfigMap default/a',
    'ConfigMap kube-system/cdk8s-harvester-default',
  ]);
});

test('writes nothing on a second run, not even its bookkeeping', async () => {
  const trial = new Trial(small('a', 'b'));
  await trial.apply();
  trial.forget();
  await trial.apply();
  expect(trial.clusters.dc1.did('apply')).toEqual([]);
  expect(trial.states(ID('a'))).toEqual(['applying', 'unchanged']);
});

test('prunes what is no longer declared, after all else, with the uid that it wrote', async () => {
  const trial = new Trial(small('a', 'b'));
  await trial.apply();
  const { uid } = trial.clusters.dc1.live('v1', 'ConfigMap', 'b', 'default').metadata;
  trial.declared = small('a', 'c');
  trial.forget();
  await trial.apply();
  expect(writes(trial.clusters.dc1)).toEqual([
    'apply ConfigMap default/c',
    'delete ConfigMap default/b',
  ]);
  expect(trial.clusters.dc1.calls.find(({ verb }) => verb === 'delete')?.body).toBe(uid);
  expect(await trial.inventory('dc1')).toEqual([ID('a'), ID('c')]);
});

test('keeps what an object that failed may replace, and prunes nothing with --no-prune', async () => {
  const trial = new Trial(small('a', 'b'));
  await trial.apply();
  trial.declared = small('a', 'c');
  trial.clusters.dc1.fault = ({ verb, what }) =>
    verb === 'apply' && what.endsWith('/c')
      ? new ApiError('invalid', 'admission webhook "x" denied the request: no', 403)
      : undefined;
  const summary = await trial.apply();
  expect(summary.failed).toEqual([
    {
      id: ID('c'),
      message: `${ID('c')} (dc1/ConfigMap-c): admission webhook "x" denied the request: no`,
    },
  ]);
  expect(trial.clusters.dc1.has('v1', 'ConfigMap', 'b', 'default')).toBe(true);
  expect(trial.told).toContain(
    `1 object that is no longer declared is kept, since what is not applied may need it: ${ID('c')}`,
  );
  expect(summary.pending).toEqual([ID('b')]);
  trial.clusters.dc1.fault = undefined;
  await trial.apply({ prune: false });
  expect(trial.clusters.dc1.has('v1', 'ConfigMap', 'b', 'default')).toBe(true);
  await trial.apply();
  expect(trial.clusters.dc1.live('v1', 'ConfigMap', 'b', 'default')).toBeUndefined();
});

test('does not prune an object that was recreated, or that it never wrote', async () => {
  const trial = new Trial(small('a', 'b', 'c'));
  trial.clusters.dc1.seed({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'c', namespace: 'default' },
    data: { other: 'x' },
  });
  trial.clusters.dc1.fault = ({ verb, what }) =>
    verb === 'apply' && what.endsWith('/c') ? new ApiError('forbidden', 'no', 403) : undefined;
  await trial.apply();
  const { dc1 } = trial.clusters;
  await dc1.delete(
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'b' },
    dc1.live('v1', 'ConfigMap', 'b', 'default').metadata.uid,
  );
  dc1.seed({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b', namespace: 'default' } });
  dc1.fault = undefined;
  trial.declared = small('a');
  await trial.apply();
  expect(dc1.has('v1', 'ConfigMap', 'b', 'default')).toBe(true);
  expect(dc1.has('v1', 'ConfigMap', 'c', 'default')).toBe(true);
  expect(trial.told).toContain('was recreated (its UID changed)');
  expect(trial.told).toContain(
    'does not have the label applyset.kubernetes.io/part-of of this app',
  );
});

test('refuses a program that shares nothing with what was applied before', async () => {
  const trial = new Trial(small('a', 'b'));
  await trial.apply();
  trial.declared = small('x');
  await expect(trial.apply()).rejects.toThrow(
    'this program declares none of the 2 objects that app default applied before',
  );
  expect(trial.clusters.dc1.live('v1', 'ConfigMap', 'x', 'default')).toBeUndefined();
  await trial.apply({ acceptEmpty: true });
  expect(trial.clusters.dc1.live('v1', 'ConfigMap', 'a', 'default')).toBeUndefined();
});

test('stops at fields of others with their names, skips what waits for it, and continues elsewhere', async () => {
  const program = small('a', 'b', 'c');
  program.manifests.set(ID('a'), {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'default' },
    data: { key: 'ours' },
  });
  program.edge(ID('b'), ID('a'));
  const trial = new Trial(program);
  trial.clusters.dc1.seed(
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'default' },
      data: { key: 'theirs' },
    },
    'kubectl-edit',
  );
  const { done, failed, skipped } = await trial.apply();
  expect(done).toEqual([ID('c')]);
  expect(failed[0].message).toContain(
    `.data.key is owned by kubectl-edit. Fix: remove them from the program, let the other field manager release them, or take them with --force-conflicts '${ID('a')}'`,
  );
  expect(skipped).toEqual([
    { id: ID('b'), message: `waits for ${ID('a')} (dc1/ConfigMap-a), which failed` },
  ]);
  expect(trial.clusters.dc1.live('v1', 'ConfigMap', 'a', 'default').data.key).toBe('theirs');
  await trial.apply({ forceConflicts: [ID('a')] });
  expect(trial.clusters.dc1.live('v1', 'ConfigMap', 'a', 'default').data.key).toBe('ours');
});

test('refuses an object of another app', async () => {
  const trial = new Trial(small('a'));
  await trial.apply({ app: appOf('other') });
  const { failed } = await trial.apply();
  expect(failed[0].message).toContain(
    'belongs to app other (its label applyset.kubernetes.io/part-of is applyset-',
  );
});

test('tries again what cannot be written yet, and reports why it waits', async () => {
  const trial = new Trial(small('a'));
  let tries = 0;
  trial.clusters.dc1.fault = ({ verb, what }) =>
    verb === 'apply' && what.endsWith('/a') && tries++ < 3
      ? new ApiError('blocked', 'failed calling webhook "x": connection refused', 500)
      : undefined;
  const { done } = await trial.apply();
  expect(done).toEqual([ID('a')]);
  expect(tries).toBe(4);
  expect(trial.states(ID('a'))).toEqual(['applying', 'waiting', 'waiting', 'waiting', 'created']);
  expect(trial.told).toContain('failed calling webhook');
});

test('waits until the previous object of that name is deleted, and reports what holds it', async () => {
  const trial = new Trial(small('a'));
  const { dc1 } = trial.clusters;
  const former = dc1.seed({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'default', finalizers: ['x/y'] },
  });
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' };
  await dc1.delete(ref, former.metadata.uid);
  let held = true;
  const clock = new QuickClock((now) => {
    if (held && now > 5000) {
      dc1.change(ref, (object) => {
        object.metadata.finalizers = [];
      });
      held = false;
    }
  });
  await trial.apply({ clock });
  expect(trial.told).toContain(
    'the previous object is still being deleted, held by the finalizers x/y',
  );
  expect(dc1.live('v1', 'ConfigMap', 'a', 'default').metadata.uid).not.toBe(former.metadata.uid);
});

test('never creates a Setting, nor one that was deleted', async () => {
  const program = new SmallProgram().target('dc1', 'harvester');
  const id = program.object('dc1', 'harvesterhci.io/v1beta1', 'Setting', 'ntp-servers', {
    value: 'x',
  });
  program.objects[0] = {
    ...program.objects[0],
    deletion: { policy: 'reset', reason: "Harvester's" },
  };
  const trial = new Trial(program);
  const { failed } = await trial.apply();
  expect(failed[0].message).toContain(
    'Setting ntp-servers does not exist on this cluster, and only Harvester creates settings',
  );
  const seeded = trial.clusters.dc1.seed(
    { apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', metadata: { name: 'ntp-servers' } },
    'harvester',
  );
  await trial.apply();
  const sent = trial.clusters.dc1.calls.filter(
    ({ verb, what }) => verb === 'apply' && what === 'Setting ntp-servers',
  );
  expect(sent[0].body.metadata).toEqual({ name: 'ntp-servers', uid: seeded.metadata.uid });
  expect(trial.states(id)).toContain('configured');
});

test('never creates a Node, and writes only the labels of one that exists', async () => {
  const program = new SmallProgram().target('dc1', 'harvester');
  const id = program.object('dc1', 'v1', 'Node', 'node-1', {});
  program.manifests.set(id, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'node-1', labels: { zone: 'a' } },
  });
  const trial = new Trial(program);
  expect((await trial.apply()).failed[0].message).toContain(
    'Node node-1 does not exist on this cluster, and a Node joins the cluster with its machine. Fix: use the name of an existing node',
  );
  expect(writes(trial.clusters.dc1)).toEqual([]);
  const {
    metadata: { uid },
  } = trial.clusters.dc1.seed(
    { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1', labels: { rack: '7' } } },
    'kubelet',
  );
  await trial.apply();
  expect(trial.states(id)).toContain('configured');
  expect(
    trial.clusters.dc1.calls.find(({ verb, what }) => verb === 'apply' && what === 'Node node-1')!
      .body.metadata,
  ).toMatchObject({ uid, labels: { zone: 'a' } });
  expect(trial.clusters.dc1.live('v1', 'Node', 'node-1').metadata.labels).toMatchObject({
    rack: '7',
    zone: 'a',
  });
});

test('refuses another cluster than before, unless it is declared as recreated', async () => {
  const trial = new Trial(small('a'));
  await trial.apply();
  trial.clusters = { ...trial.clusters, dc1: fake('somewhere-else') };
  await expect(trial.apply()).rejects.toThrow(
    'target dc1 (context dc1): must be the cluster of the previous run (kube-system UID uid-of-dc1), got another one (somewhere-else)',
  );
  expect(writes(trial.clusters.dc1)).toEqual([]);
  await trial.apply({ acceptNewCluster: ['dc1'] });
  await trial.apply();
  expect(writes(trial.clusters.dc1)).toEqual(['apply ConfigMap default/a']);
});

test('stops cleanly: what was not begun is pending, the lock is released, and the next run continues', async () => {
  const program = small('a', 'b', 'c');
  program.edge(ID('b'), ID('a')).edge(ID('c'), ID('b'));
  const trial = new Trial(program);
  const stop = new AbortController();
  trial.clusters.dc1.before = async ({ verb, what }) => {
    if (verb === 'apply' && what.endsWith('/b')) {
      stop.abort();
    }
  };
  const summary = await trial.apply({ signal: stop.signal });
  expect(summary).toMatchObject({
    done: [ID('a'), ID('b')],
    pending: [ID('c')],
    interrupted: true,
  });
  expect(
    trial.clusters.rancher.live(
      'coordination.k8s.io/v1',
      'Lease',
      'cdk8s-harvester-default',
      'kube-system',
    ),
  ).toBeUndefined();
  expect(await trial.inventory('dc1')).toEqual([ID('a'), ID('b'), ID('c')]);
  const next = await trial.apply();
  expect(next.done).toHaveLength(3);
});

test('completes late values when they are known, and shows sensitive ones nowhere', async () => {
  const program = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  program.late(
    't',
    {
      resolver: 'secret-key',
      target: 'rancher',
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: 'x',
      name: 's',
      path: 'token',
    },
    { sensitive: true },
  );
  const id = program.object('dc1', 'v1', 'ConfigMap', 'default/late', {
    data: { key: '${late:t}' },
  });
  const trial = new Trial(program);
  const { rancher, dc1 } = trial.clusters;
  const secret = 'canary-0123456789';
  dc1.fault = ({ verb, what }) =>
    verb === 'apply' && what.endsWith('/late')
      ? new ApiError('invalid', `data.key: Invalid value: "${secret}"`, 422)
      : undefined;
  const clock = new QuickClock((now) => {
    if (now > 3000 && !rancher.live('v1', 'Secret', 's', 'x')) {
      rancher.seed({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 's', namespace: 'x' },
        data: { token: Buffer.from(secret).toString('base64') },
      });
    }
  });
  const { failed } = await trial.apply({ clock });
  expect(failed[0].id).toBe(id);
  expect(failed[0].message).toContain('Invalid value');
  expect(trial.told + failed[0].message).not.toContain(secret);
  dc1.fault = undefined;
  await trial.apply();
  expect(dc1.live('v1', 'ConfigMap', 'late', 'default').data.key).toBe(secret);
  expect(trial.told).not.toContain(secret);
});

test('leaves a target alone whose credentials have ended, and finishes the others', async () => {
  const program = small('a', 'b', 'c');
  program.object('rancher', 'v1', 'ConfigMap', 'default/r');
  const trial = new Trial(program);
  trial.clusters.dc1.fault = ({ what }) =>
    /\/[abc]$/.test(what) ? new ApiError('auth', 'Unauthorized', 401) : undefined;
  const { done, failed } = await trial.apply({ concurrency: 1 });
  expect(done).toEqual(['rancher//ConfigMap/default/r']);
  expect(failed).toHaveLength(3);
  expect(failed[2].message).toContain(
    'target dc1 rejected the credentials: Unauthorized. Fix: log in again, then run the command again',
  );
  expect(trial.clusters.dc1.did('apply').filter((what) => /\/[abc]$/.test(what))).toHaveLength(1);
});

test('remembers what it applied where it is ended while it prunes', async () => {
  const trial = new Trial(small('a', 'b'));
  await trial.apply();
  trial.declared = small('a', 'c');
  const stop = new AbortController();
  const { dc1 } = trial.clusters;
  dc1.before = async ({ verb, what }) => {
    if (
      verb === 'read' &&
      what.endsWith('/b') &&
      dc1.did('apply').includes('ConfigMap default/c')
    ) {
      stop.abort();
    }
  };
  const { pending, interrupted, done } = await trial.apply({ signal: stop.signal });
  expect({ pending, interrupted, done: [...done].sort() }).toEqual({
    pending: [ID('b')],
    interrupted: true,
    done: [ID('a'), ID('c')],
  });
  const stored = await readInventory(trial.clusters.dc1, appOf());
  expect(stored?.entries.map(({ id, uid }) => [id, uid !== undefined])).toEqual([
    [ID('a'), true],
    [ID('b'), true],
    [ID('c'), true],
  ]);
  trial.clusters.dc1.before = undefined;
  await trial.apply();
  expect(await trial.inventory('dc1')).toEqual([ID('a'), ID('c')]);
});

test('a run that is killed at any request leaves nothing that no inventory knows, and the next one ends as if it had not been', async () => {
  const expected = new Trial(small('a', 'b', 'c'));
  await expected.apply();
  const total = expected.clusters.dc1.calls.length;
  expect(total).toBeGreaterThan(5);
  for (let at = 1; at <= total; at++) {
    const trial = new Trial(small('a', 'b', 'c'));
    const { dc1 } = trial.clusters;
    let killed = false;
    // a dead process sends nothing: its later requests never reach the server
    dc1.fault = () =>
      (killed ||= dc1.calls.length >= at) ? new ApiError('connection', 'killed') : undefined;
    trial.clusters.rancher.fault = () =>
      killed ? new ApiError('connection', 'killed') : undefined;
    await trial.apply({ prune: false }).catch(() => undefined);
    dc1.fault = undefined;
    trial.clusters.rancher.fault = undefined;
    const known = await trial.inventory('dc1');
    for (const name of ['a', 'b', 'c']) {
      if (dc1.live('v1', 'ConfigMap', name, 'default')) {
        expect(known).toContain(ID(name));
      }
    }
    // the lock of a process that is gone
    const lease = trial.clusters.rancher.live(
      'coordination.k8s.io/v1',
      'Lease',
      'cdk8s-harvester-default',
      'kube-system',
    );
    if (lease) {
      await trial.clusters.rancher.delete(
        {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          namespace: 'default',
          name: 'cdk8s-harvester-default',
        },
        lease.metadata.uid,
      );
    }
    const { failed, done } = await trial.apply();
    expect({ at, failed, done }).toEqual({ at, failed: [], done: [ID('a'), ID('b'), ID('c')] });
    expect(await trial.inventory('dc1')).toEqual([ID('a'), ID('b'), ID('c')]);
    expect([...dc1.objects.keys()].sort()).toEqual(
      [...expected.clusters.dc1.objects.keys()].sort(),
    );
  }
});

test('refuses an edit that the server would accept and ignore, and prints what to do', async () => {
  const clusterOf = (managementId: string): SmallProgram => {
    const program = new SmallProgram().target('rancher', 'rancher');
    program.targets[0] = { ...program.targets[0], version: '2.13.8' };
    program.object('rancher', 'provisioning.cattle.io/v1', 'Cluster', 'fleet-default/dc1', {
      metadata: { annotations: { 'provisioning.cattle.io/management-cluster-name': managementId } },
      spec: {},
    });
    return program;
  };
  const trial = new Trial(clusterOf('c-m-first'));
  expect((await trial.apply()).failed).toEqual([]);
  trial.declared = clusterOf('c-m-other');
  trial.forget();
  const { failed } = await trial.apply();
  expect(failed[0].message).toMatch(
    /^rancher\/provisioning\.cattle\.io\/Cluster\/fleet-default\/dc1 .*management-cluster-name.*\[cluster\/id-changed\]$/,
  );
  expect(writes(trial.clusters.rancher)).toEqual([]);
});

describe('answers that heal by themselves', () => {
  const MANAGEMENT = 'management.cattle.io/v3';
  const notFound = (): ApiError =>
    new ApiError(
      'blocked',
      'project.spec.clusterName: Invalid value: "c-m-dc1": cluster not found',
      400,
      'BadRequest',
      [],
      {
        kind: 'provisioning.cattle.io/Cluster',
        name: 'c-m-dc1',
      },
    );

  function tenant(cluster: string): Trial {
    const program = new SmallProgram().target('rancher', 'rancher');
    program.object('rancher', 'provisioning.cattle.io/v1', 'Cluster', 'fleet-default/dc1', {
      metadata: { annotations: { 'provisioning.cattle.io/management-cluster-name': cluster } },
    });
    program.object('rancher', MANAGEMENT, 'Project', 'c-m-dc1/payments', {
      spec: { clusterName: 'c-m-dc1' },
    });
    return new Trial(program);
  }

  test('retries them and reports it until they are healed', async () => {
    const trial = tenant('c-m-dc1');
    let tries = 0;
    trial.clusters.rancher.fault = ({ verb, what }) =>
      verb === 'apply' && what === 'Project c-m-dc1/payments' && tries++ < 3
        ? notFound()
        : undefined;
    expect((await trial.apply()).failed).toEqual([]);
    expect(tries).toBe(4);
    expect(trial.told).toContain('cluster not found');
  });

  test.each([
    [true, 'waits for'],
    [false, 'fails at once on'],
  ])('where the namespace of a previous Project is being deleted (%s) it %s it', async (going) => {
    const trial = tenant('c-m-dc1');
    const { rancher } = trial.clusters;
    const former = rancher.seed({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'c-m-dc1-payments', ...(going ? { finalizers: ['x/y'] } : {}) },
    });
    if (going) {
      await rancher.delete(
        { apiVersion: 'v1', kind: 'Namespace', name: 'c-m-dc1-payments' },
        former.metadata.uid,
      );
    }
    let tries = 0;
    rancher.fault = ({ verb, what }) =>
      verb === 'apply' && what === 'Project c-m-dc1/payments' && tries++ < 3
        ? new ApiError(
            'blocked',
            'failed to create project namespace : namespace c-m-dc1-payments already exists',
            500,
            'InternalError',
            [],
            { kind: '/Namespace', name: 'c-m-dc1-payments', going: true },
          )
        : undefined;
    const { failed } = await trial.apply();
    expect(failed).toMatchObject(
      going ? [] : [{ message: expect.stringContaining('it is not being deleted. Fix:') }],
    );
    expect(tries).toBe(going ? 4 : 1);
  });

  test('fails at once where the program does not make what is missing', async () => {
    const trial = tenant('c-m-other');
    let tries = 0;
    trial.clusters.rancher.fault = ({ verb, what }) =>
      verb === 'apply' && what === 'Project c-m-dc1/payments' && ++tries ? notFound() : undefined;
    expect((await trial.apply()).failed).toMatchObject([
      { message: expect.stringContaining('cluster not found') },
    ]);
    expect(tries).toBe(1);
  });
});

test('reports within seconds why the agent of an import does not connect', async () => {
  const program = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  program.object('rancher', 'provisioning.cattle.io/v1', 'Cluster', 'fleet-default/dc1', {
    spec: {},
  });
  const trial = new Trial(program);
  const { rancher, dc1 } = trial.clusters;
  rancher.reactions.push((object) => {
    if (object.kind === 'Cluster') {
      (object as { status?: unknown }).status = { clusterName: 'c-m-dc1' };
    }
  });
  dc1.seed({
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Setting',
    metadata: { name: 'cluster-registration-url' },
    value: '{"url":"https://rancher.example.com/v3/import/t_c-m-dc1.yaml"}',
    status: { conditions: [{ type: 'configured', status: 'False', message: 'no such host' }] },
  });
  let said = Infinity;
  const clock = new QuickClock((now) => {
    if (said === Infinity && trial.told.includes('configured=False: no such host')) {
      said = now;
    }
  });
  const { failed } = await trial.apply({ wait: true, clock });
  expect(said).toBeLessThan(20_000);
  expect(failed).toMatchObject([
    {
      message: expect.stringContaining(
        'on dc1: Setting cluster-registration-url is configured=False: no such host. Fix:',
      ),
    },
  ]);
});
