import { Manifest } from '../../../../src/core/manifest/manifest';
import { appOf, withMembership } from '../../../../src/engine/fields/apply-set';
import { writtenDigest } from '../../../../src/engine/inventory/standing';
import { Plan, PlanStep } from '../../../../src/engine/plan/plan';
import { planMarkdown, planText } from '../../../../src/engine/plan/render-plan';
import { ApiError } from '../../../../src/engine/transport/api';
import { FakeCluster } from '../../../support/fake-cluster';
import { MANAGER, configMap, idOf, planOf, setting, stepOf } from '../_planning';

const secret = (value: string): Manifest => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'login', namespace: 'default' },
  data: { password: Buffer.from(value).toString('base64') },
});

test('what is not there is created, and was tried', async () => {
  const cluster = new FakeCluster();
  const step = await stepOf(cluster, { manifest: configMap('a', { x: '1' }) });
  expect(step).toMatchObject({
    action: 'create',
    target: 'rancher',
    construct: 'app/a',
    changes: [],
    waitsFor: [],
  });
  expect(step.reason).toBeUndefined();
  expect(cluster.did('dry-run')).toEqual(['ConfigMap default/a']);
  expect(cluster.did('apply')).toEqual([]);
});

test('a plan without a change asks one request an object', async () => {
  const cluster = new FakeCluster();
  const declared = ['a', 'b', 'c'].map((name) => ({ manifest: configMap(name, { x: '1' }) }));
  for (const { manifest } of declared) {
    cluster.seed(manifest, MANAGER, 'Apply');
  }
  const { steps } = await planOf(cluster, declared);
  expect(steps.map(({ action }) => action)).toEqual(['unchanged', 'unchanged', 'unchanged']);
  expect(cluster.calls.filter(({ verb }) => verb !== 'get').map(({ verb }) => verb)).toEqual([
    'read',
    'read',
    'read',
  ]);
});

test('reports no change for fields that others added', async () => {
  const cluster = new FakeCluster();
  cluster.seed(configMap('a', { x: '1' }), MANAGER, 'Apply');
  cluster.change(configMap('a'), (live) => {
    live.data.other = 'theirs';
    live.metadata.annotations = { theirs: 'yes' };
    live.status = { phase: 'Ready' };
  });
  expect((await stepOf(cluster, { manifest: configMap('a', { x: '1' }) })).action).toBe(
    'unchanged',
  );
});

test('compares by reading only, without a dry run, where that is asked for', async () => {
  const cluster = new FakeCluster();
  cluster.seed(configMap('a', { key: 'old' }), MANAGER, 'Apply');
  const { steps } = await planOf(
    cluster,
    [{ manifest: configMap('a', { key: 'new' }) }, { manifest: configMap('b') }],
    { dryRun: false },
  );
  expect(
    steps.map(({ action, reason, changes }) => [action, reason, changes.map(({ path }) => path)]),
  ).toEqual([
    ['update', 'no dry run: only reading was asked for', ['data.key']],
    ['create', 'no dry run: only reading was asked for', []],
  ]);
  expect(cluster.did('dry-run')).toEqual([]);
});

test('an edit shows field by field', async () => {
  const cluster = new FakeCluster();
  cluster.seed(configMap('a', { x: '1', gone: 'soon' }), MANAGER, 'Apply');
  const step = await stepOf(cluster, { manifest: configMap('a', { x: '2', new: 'one' }) });
  expect(step.action).toBe('update');
  expect(step.changes).toEqual([
    { path: 'data.x', before: '1', after: '2' },
    { path: 'data.gone', before: 'soon' },
    { path: 'data.new', after: 'one' },
  ]);
  expect(step.live).toMatchObject({
    uid: cluster.live('v1', 'ConfigMap', 'a', 'default').metadata.uid,
  });
});

test('reports a conflict with the manager of a field, and what an apply would change', async () => {
  const cluster = new FakeCluster();
  cluster.seed(configMap('a', { x: '1' }), 'kubectl-edit', 'Update');
  const step = await stepOf(cluster, { manifest: configMap('a', { x: '2' }) });
  expect(step).toMatchObject({
    action: 'update',
    conflicts: [{ manager: 'kubectl-edit', field: '.data.x' }],
    changes: [{ path: 'data.x', before: '1', after: '2' }],
  });
  // it is not adopted
  expect(step.reason).toBeUndefined();
  expect(cluster.live('v1', 'ConfigMap', 'a', 'default').data.x).toBe('1');
});

test('adopts fields of its own object that others wrote alike, which is a change', async () => {
  const cluster = new FakeCluster();
  cluster.seed(configMap('a', { x: '1' }), 'kubectl', 'Apply');
  expect(await stepOf(cluster, { manifest: configMap('a', { x: '1' }) })).toMatchObject({
    action: 'update',
    changes: [],
    conflicts: [],
    reason: 'already exists, written by kubectl: it is adopted',
  });
});

test.each([
  [
    'the same object',
    undefined,
    'the record of the fields that the app sets was removed: they are set again',
  ],
  ['another object', 'other', 'already exists, written by rancher: it is adopted'],
])('knows what it wrote from the inventory: %s', async (_, uid, reason) => {
  const cluster = new FakeCluster();
  const manifest = configMap('a', { x: '1' });
  cluster.seed(manifest, 'rancher', 'Update');
  const entry = {
    id: idOf({ manifest }),
    ...{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' },
    uid: uid ?? cluster.live('v1', 'ConfigMap', 'a', 'default').metadata.uid,
    policy: 'delete' as const,
  };
  const inventory = async () => ({ entries: [entry], labelSelector: 'example.com/set=ours' });
  expect(await stepOf(cluster, { manifest }, { inventory })).toMatchObject({
    action: 'update',
    changes: [],
    reason,
  });
});

describe('secrets', () => {
  test('are hashed, and equal ones alike', async () => {
    const cluster = new FakeCluster();
    cluster.seed(secret('hunter2'), MANAGER, 'Apply');
    const step = await stepOf(cluster, { manifest: secret('canary-9f') });
    expect(step.changes).toEqual([
      {
        path: 'data.password',
        before: expect.stringMatching(/^<sha256:[0-9a-f]{8}>$/),
        after: expect.stringMatching(/^<sha256:/),
      },
    ]);
    expect(step.changes[0].before).not.toBe(step.changes[0].after);
    expect(JSON.stringify(step)).not.toMatch(/hunter2|canary|aHVudGVyMg|Y2FuYXJ5/);
  });

  test('have another hash in another run', async () => {
    const cluster = new FakeCluster();
    cluster.seed(secret('hunter2'), MANAGER, 'Apply');
    const [one, other] = [
      await stepOf(cluster, { manifest: secret('x') }),
      await stepOf(cluster, { manifest: secret('x') }),
    ];
    expect(one.changes[0].after).not.toBe(other.changes[0].after);
    expect(one.digest).toBe(other.digest);
  });

  test.each([
    [
      'a Setting with a registration URL',
      setting(
        'cluster-registration-url',
        '{"url":"https://r.example.com/v3/import/CANARY_c-m-1.yaml"}',
      ),
    ],
    [
      'a Setting of any name with a token in a URL',
      setting('ui-index', 'https://user:CANARY@example.com'),
    ],
    [
      'cloud-init of machines',
      {
        apiVersion: 'rke-machine-config.cattle.io/v1',
        kind: 'HarvesterConfig',
        metadata: { name: 'a', namespace: 'default' },
        userData: 'CANARY',
      } as Manifest,
    ],
    [
      'an environment variable with this effect',
      {
        apiVersion: 'provisioning.cattle.io/v1',
        kind: 'Cluster',
        metadata: { name: 'a', namespace: 'default' },
        spec: { agentEnvVars: [{ name: 'PROXY_PASSWORD', value: 'CANARY' }] },
      } as Manifest,
    ],
  ])('%s never shows it', async (_, manifest) => {
    const cluster = new FakeCluster();
    cluster.seed(
      JSON.parse(JSON.stringify(manifest).replace(/CANARY/g, 'OLD-CANARY')),
      MANAGER,
      'Apply',
    );
    const step = await stepOf(cluster, { manifest });
    expect(JSON.stringify(step)).not.toContain('CANARY');
    expect(step.digest).toHaveLength(64);
  });

  test('are taken out of the words of a server that repeats them', async () => {
    const cluster = new FakeCluster();
    cluster.fault = ({ verb }) =>
      verb === 'dry-run'
        ? new ApiError('invalid', 'password "canary-9f" (Y2FuYXJ5LTlm) is too short', 422)
        : undefined;
    const step = await stepOf(cluster, { manifest: secret('canary-9f') });
    expect(step.refused).toBe('password "<secret>" (<secret>) is too short');
  });
});

describe('what cannot be tried', () => {
  test('an object waits for one that the same plan creates', async () => {
    const cluster = new FakeCluster({ checkNamespaces: true });
    const namespace = {
      manifest: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } },
    };
    const member = {
      manifest: configMap('a', {}, 'team'),
      after: [{ to: idOf(namespace), kind: 'applied' as const, weight: 1 }],
    };
    const { steps } = await planOf(cluster, [namespace, member]);
    expect(steps.map(({ action, reason, refused }) => ({ action, reason, refused }))).toEqual([
      { action: 'create', reason: undefined, refused: undefined },
      {
        action: 'create',
        reason: 'no dry run: Namespace team is created by this plan',
        refused: undefined,
      },
    ]);
    expect(cluster.did('dry-run')).toEqual(['Namespace team']);
  });

  test('the namespace is not there, and others make it', async () => {
    const cluster = new FakeCluster({ checkNamespaces: true });
    expect(await stepOf(cluster, { manifest: configMap('a', {}, 'c-m-1-payments') })).toMatchObject(
      {
        action: 'create',
        reason: 'no dry run: namespaces "c-m-1-payments" not found',
      },
    );
  });

  test('the kind is not served', async () => {
    const cluster = new FakeCluster({ missing: new Set(['example.com/Widget']) });
    const step = await stepOf(cluster, {
      manifest: {
        apiVersion: 'example.com/v1',
        kind: 'Widget',
        metadata: { name: 'a', namespace: 'default' },
      },
    });
    expect(step).toMatchObject({
      action: 'create',
      reason:
        'no dry run: the cluster does not serve Widget of example.com/v1, and nothing in this plan defines it',
    });
  });

  test('Rancher refuses dry runs of Clusters whose creation it allows', async () => {
    const cluster = new FakeCluster();
    cluster.fault = ({ verb }) =>
      verb === 'dry-run'
        ? new ApiError(
            'invalid',
            'denied the request: creatorID annotation does not match user',
            403,
          )
        : undefined;
    const step = await stepOf(cluster, {
      manifest: {
        apiVersion: 'provisioning.cattle.io/v1',
        kind: 'Cluster',
        metadata: { name: 'a', namespace: 'fleet-default' },
        spec: {},
      },
    });
    expect(step.refused).toBeUndefined();
    expect(step.reason).toContain('no dry run: Rancher refuses dry runs of a new Cluster');
  });

  test('Harvester mounts backup targets in a dry run, so none is made', async () => {
    const cluster = new FakeCluster();
    cluster.seed(setting('backup-target', ''), 'harvester', 'Update');
    const step = await stepOf(cluster, {
      manifest: setting('backup-target', '{"type":"nfs"}'),
      deletion: { policy: 'reset', reason: 'r' },
    });
    expect(step).toMatchObject({ action: 'update', changes: [{ path: 'value' }] });
    expect(step.reason).toContain('no dry run: Harvester mounts');
    expect(cluster.did('dry-run')).toEqual([]);
  });

  test('a Setting that the product does not have is never created', async () => {
    const step = await stepOf(new FakeCluster(), {
      manifest: setting('no-such', 'x'),
      deletion: { policy: 'reset', reason: 'r' },
    });
    expect(step).toMatchObject({
      action: 'unknown',
      refused: expect.stringContaining('does not exist on this cluster'),
    });
  });

  test('a refusal is the words of the server', async () => {
    const cluster = new FakeCluster();
    cluster.fault = ({ verb }) =>
      verb === 'dry-run'
        ? new ApiError('invalid', 'admission webhook "x" denied the request: no', 400)
        : undefined;
    expect(await stepOf(cluster, { manifest: configMap('a') })).toMatchObject({
      action: 'create',
      refused: 'admission webhook "x" denied the request: no',
    });
  });

  test('reports all unreadable objects at once', async () => {
    const cluster = new FakeCluster();
    cluster.fault = ({ verb, what }) =>
      verb === 'read' && !what.endsWith('c')
        ? new ApiError('forbidden', `User "ci" cannot get ${what}`, 403)
        : undefined;
    const { steps } = await planOf(
      cluster,
      ['a', 'b', 'c'].map((name) => ({ manifest: configMap(name) })),
    );
    expect(steps.map(({ action, refused }) => [action, refused])).toEqual([
      ['unknown', 'cannot be read: User "ci" cannot get ConfigMap default/a'],
      ['unknown', 'cannot be read: User "ci" cannot get ConfigMap default/b'],
      ['create', undefined],
    ]);
  });

  test('a server that does not answer ends the plan', async () => {
    const cluster = new FakeCluster();
    cluster.fault = ({ verb }) =>
      verb === 'read' ? new ApiError('transient', 'no answer') : undefined;
    await expect(planOf(cluster, [{ manifest: configMap('a') }])).rejects.toThrow('no answer');
  });
});

test('reports what holds an object that is being deleted', async () => {
  const cluster = new FakeCluster();
  cluster.seed(configMap('a'), MANAGER, 'Apply');
  cluster.change(configMap('a'), (live) => {
    live.metadata.finalizers = ['example.com/hold'];
    live.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
  });
  expect(await stepOf(cluster, { manifest: configMap('a') })).toMatchObject({
    action: 'unknown',
    reason: expect.stringContaining('held by example.com/hold'),
  });
});

test('an object of another app is refused', async () => {
  const cluster = new FakeCluster();
  const label = 'applyset.kubernetes.io/part-of';
  const labelled = (id: string): Manifest => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'default', labels: { [label]: id } },
  });
  cluster.seed(labelled('other'), 'kubectl', 'Apply');
  const step = await stepOf(
    cluster,
    { manifest: configMap('a') },
    {
      finish: (_, manifest) => ({
        ...manifest,
        metadata: { ...manifest.metadata, labels: { [label]: 'ours' } },
      }),
    },
  );
  expect(step.refused).toContain('belongs to another app');
});

describe('fields that controllers rewrite', () => {
  const registry = (Password: string): string =>
    JSON.stringify({ Configs: { 'r.example.com': { Auth: { Username: 'a', Password } } } });
  const written = setting('containerd-registry', registry('x'));
  const declared = {
    manifest: written,
    othersWrite: ['value'],
    deletion: { policy: 'reset' as const, reason: 'r' },
  };

  function rewritten(): FakeCluster {
    const cluster = new FakeCluster();
    cluster.seed(written, MANAGER, 'Apply');
    // a controller's update takes the field from us
    cluster.change(written, (live) => {
      live.value = '{}';
      live.metadata.managedFields = [
        { manager: MANAGER, operation: 'Apply', fieldsV1: {} },
        { manager: 'harvester', operation: 'Update', fieldsV1: { 'f:value': {} } },
      ];
    });
    return cluster;
  }

  const remembering = (digest: string | undefined) => ({
    inventory: async () => ({
      entries: [
        {
          id: idOf(declared),
          apiVersion: written.apiVersion,
          kind: 'Setting',
          name: 'containerd-registry',
          policy: 'reset' as const,
          written: digest === undefined ? undefined : { digest },
        },
      ],
      labelSelector: 'example.com/set=ours',
    }),
  });

  test('shows no change while the program declares the same', async () => {
    expect(
      await stepOf(rewritten(), declared, remembering(writtenDigest(written, ['value']))),
    ).toMatchObject({ action: 'unchanged' });
  });

  test('shows a change once the program declares another value', async () => {
    const before = writtenDigest(setting('containerd-registry', registry('y')), ['value']);
    expect((await stepOf(rewritten(), declared, remembering(before))).action).toBe('update');
    expect((await stepOf(rewritten(), declared)).action).toBe('update');
  });
});

describe('rules about edits', () => {
  const cluster = (id: string): Manifest => ({
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: {
      name: 'dc1',
      namespace: 'fleet-default',
      annotations: { 'provisioning.cattle.io/management-cluster-name': id },
    },
    spec: {},
  });

  test('refuse what Rancher takes and does nothing with', async () => {
    const rancher = new FakeCluster();
    rancher.seed(cluster('c-m-old'), MANAGER, 'Apply');
    rancher.change(cluster('c-m-old'), (live) => {
      live.status = { clusterName: 'c-m-old' };
    });
    const step = await stepOf(rancher, { manifest: cluster('c-m-new') });
    expect(step).toMatchObject({
      action: 'update',
      changes: [{ path: 'metadata.annotations[provisioning.cattle.io/management-cluster-name]' }],
    });
    expect(step.refused).toMatch(/management-cluster-name\]: .*\[cluster\/id-/);
  });

  test('are silent where nothing changes', async () => {
    const rancher = new FakeCluster();
    rancher.seed(cluster('c-m-old'), MANAGER, 'Apply');
    expect((await stepOf(rancher, { manifest: cluster('c-m-old') })).refused).toBeUndefined();
  });
});

test('reports pools that roll from the live and the planned state', async () => {
  const config = (cpuCount: string): Manifest => ({
    apiVersion: 'rke-machine-config.cattle.io/v1',
    kind: 'HarvesterConfig',
    metadata: { name: 'shop-all', namespace: 'fleet-default' },
    cpuCount,
  });
  const cluster = new FakeCluster();
  cluster.seed(config('2'), MANAGER, 'Apply');
  const roll = {
    target: 'rancher',
    cluster: 'fleet-default/shop',
    pool: 'all',
    effect: 'replace' as const,
    machines: 3,
    what: 'its machines are replaced',
    causes: ['cpuCount'],
  };
  const { rolls } = await planOf(
    cluster,
    [{ manifest: config('4') }, { manifest: configMap('a') }],
    {
      rolls: (before, after) => {
        expect(
          [before, after].map(({ target, manifests }) => [
            target,
            manifests.map((manifest) => manifest.cpuCount),
          ]),
        ).toEqual([
          ['rancher', ['2']],
          ['rancher', ['4']],
        ]);
        return [roll];
      },
    },
  );
  expect(rolls).toEqual([roll]);
});

describe('an edit of an imported Cluster', () => {
  const imported = (labels: { [key: string]: string }, spec: object = {}): Manifest => ({
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: { namespace: 'fleet-default', name: 'dc1', labels },
    spec,
  });
  const edited = async (before: Manifest, manifest: Manifest): Promise<PlanStep> => {
    const cluster = new FakeCluster();
    cluster.seed(before, MANAGER, 'Apply');
    return stepOf(cluster, { manifest }, { finish: withMembership(appOf()) });
  };

  test.each([
    ['a label', imported({ 'example.com/site': 'b' })],
    [
      'the spec',
      imported({ 'example.com/site': 'a' }, { agentEnvVars: [{ name: 'A', value: 'b' }] }),
    ],
  ])('of %s is shown as one without effect, in text and in Markdown', async (_, manifest) => {
    const step = await edited(imported({ 'example.com/site': 'a' }), manifest);
    expect(step.refused).toBeUndefined();
    expect(step.warnings).toEqual([
      expect.stringMatching(
        /cannot change on an imported cluster: the edit \(.*\) has no effect\. Fix: .* \[cluster\/import-create-only\]$/,
      ),
    ]);
    const plan: Plan = {
      schemaVersion: '3',
      assembly: 'a1',
      targets: [{ name: 'rancher', by: 'context rancher' }],
      steps: [step],
      rolls: [],
    };
    expect(planText(plan)).toContain('! warning: ');
    expect(planMarkdown(plan)).toContain('! warning: ');
  });

  test('that only adds the label of the app is shown without a warning', async () => {
    const step = await edited(imported({}), imported({}));
    expect([step.action, step.changes.map(({ path }) => path), step.warnings]).toEqual([
      'update',
      [expect.stringContaining('part-of')],
      undefined,
    ]);
  });
});
