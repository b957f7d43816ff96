import { ID, NOW, TARGETS, TOKEN, URL_OK, condition, harvesterSetting, secret } from './_live';
import { Manifest, groupOf } from '../../../src/core/manifest/manifest';
import { AssemblyObject } from '../../../src/core/output/assembly';
import { render } from '../../../src/core/text/screen';
import { appOf, withMembership } from '../../../src/engine/fields/apply-set';
import { writeInventory } from '../../../src/engine/inventory/inventory';
import { LoadedAssembly } from '../../../src/engine/read/load-assembly';
import { applyProgram } from '../../../src/engine/run/apply-program';
import { ApiError } from '../../../src/engine/transport/api';
import {
  LiveExamination,
  doctorJson,
  doctorText,
  examineClusters,
} from '../../../src/report/doctor/doctor';
import { isAllReady, statusOf, statusText } from '../../../src/report/doctor/status';
import { QuickClock } from '../../engine/run/_running';
import { FakeCluster, fakeTargets } from '../../support/fake-cluster';
import { shown } from '../../support/shown';

const APP = appOf();

function program(
  declared: readonly { target: string; manifest: Manifest; lateValues?: string[] }[],
): LoadedAssembly {
  const objects = declared.map(
    ({
      target,
      manifest: {
        apiVersion,
        kind,
        metadata: { name, namespace },
      },
      lateValues,
    }): AssemblyObject => ({
      id: `${target}/${groupOf(apiVersion)}/${kind}/${namespace ?? ''}/${name}`,
      target,
      apiVersion,
      kind,
      namespace,
      name,
      construct: name,
      lateValues,
      ...(kind === 'Setting' ? { deletion: { policy: 'reset', reason: '' } as const } : {}),
    }),
  );
  return {
    folder: 'dist',
    digest: 'x',
    manifests: new Map(objects.map(({ id }, index) => [id, declared[index].manifest])),
    assembly: {
      schemaVersion: '3',
      targets: Object.values(TARGETS),
      objects,
      groups: [],
      edges: [],
      lateValues: [],
      findings: [],
    },
  };
}

const configMap = (name: string, data: object): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data,
});

const CONFIG = configMap('a', { key: 'one' });

interface Clusters {
  rancher: FakeCluster;
  dc1: FakeCluster;
}

function clusters(): Clusters {
  return { rancher: new FakeCluster(), dc1: new FakeCluster() };
}

async function driftIn(live: Clusters, loaded: LoadedAssembly): Promise<LiveExamination> {
  const examination = await examineClusters(loaded, fakeTargets({ ...live }, TARGETS), {
    app: APP,
    now: NOW,
  });
  return {
    ...examination,
    diagnoses: examination.diagnoses.filter(({ check }) => /^(drift|setting\/differs)/.test(check)),
  };
}

async function applied(cluster: FakeCluster, loaded: LoadedAssembly, id: string): Promise<void> {
  const object = loaded.assembly.objects.find((each) => each.id === id)!;
  await cluster.apply(withMembership(APP)(object, loaded.manifests.get(id)!), {
    fieldManager: APP.fieldManager,
  });
}

test('what was applied as it is declared has no drift, and its mark of membership is none', async () => {
  const live = clusters();
  const loaded = program([{ target: 'rancher', manifest: CONFIG }]);
  await applied(live.rancher, loaded, 'rancher//ConfigMap/default/a');
  expect((await driftIn(live, loaded)).diagnoses).toEqual([]);
});

test('has no drift in what apply remembers of the state before: adopted, was empty, set by this app', async () => {
  const live = clusters();
  const namespace: Manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
  const setting: Manifest = {
    apiVersion: 'management.cattle.io/v3',
    kind: 'Setting',
    metadata: { name: 'password-min-length' },
    value: '16',
  };
  const loaded = program([
    { target: 'rancher', manifest: namespace },
    { target: 'rancher', manifest: setting },
    { target: 'dc1', manifest: harvesterSetting('ssl-certificates', '{}') },
  ]);
  const loadedWith: LoadedAssembly = {
    ...loaded,
    assembly: {
      ...loaded.assembly,
      objects: loaded.assembly.objects.map((object) =>
        object.target === 'dc1' ? { ...object, othersWrite: ['value'] } : object,
      ),
    },
  };
  live.rancher.seed(namespace, 'kubectl');
  live.rancher.seed({ ...setting, value: '' }, 'rancher');
  const { value: _, ...untouched } = harvesterSetting('ssl-certificates', '');
  live.dc1.seed(untouched, 'harvester');
  const { assembly, manifests } = loadedWith;
  const { failed } = await applyProgram(
    {
      folder: 'dist',
      digest: 'x',
      assembly,
      manifests,
      targets: fakeTargets({ ...live }, TARGETS),
    },
    {
      app: APP,
      clock: new QuickClock(),
      rolls: () => [],
    },
  );
  expect(failed).toEqual([]);
  expect(JSON.stringify([...live.rancher.objects.values(), ...live.dc1.objects.values()])).toMatch(
    /(?=.*cdk8s-harvester\/adopted)(?=.*cdk8s-harvester\/was-empty)(?=.*cdk8s-harvester\/app)/,
  );
  expect((await driftIn(live, loadedWith)).diagnoses).toEqual([]);
});

test('reports what a user changed field by field, by reading alone', async () => {
  const live = clusters();
  const loaded = program([{ target: 'rancher', manifest: CONFIG }]);
  await applied(live.rancher, loaded, 'rancher//ConfigMap/default/a');
  live.rancher.change(CONFIG, (object) => {
    object.data.key = 'two';
  });
  live.rancher.calls.splice(0);
  const { diagnoses } = await driftIn(live, loaded);
  expect(diagnoses).toEqual([
    expect.objectContaining({
      check: 'drift/changed',
      level: 'warning',
      object: 'ConfigMap default/a',
      message: 'data.key: "two", the program declares "one"',
    }),
  ]);
  expect(live.rancher.calls.filter(({ verb }) => verb === 'dry-run' || verb === 'apply')).toEqual(
    [],
  );
});

test('what another engine applied is compared, too', async () => {
  const live = clusters();
  live.rancher.seed(configMap('a', { key: 'one', other: 'x' }), 'argocd-controller', 'Apply');
  expect(
    (await driftIn(live, program([{ target: 'rancher', manifest: CONFIG }]))).diagnoses,
  ).toEqual([]);
});

test('reports Secrets that differ by hashes', async () => {
  const live = clusters();
  live.rancher.seed(secret('default', 's', { password: 'former-password' }));
  const { diagnoses } = await driftIn(
    live,
    program([
      { target: 'rancher', manifest: secret('default', 's', { password: 'current-password' }) },
    ]),
  );
  expect(diagnoses[0].message).toMatch(
    /^not applied: data\.password: <sha256:[0-9a-f]{8}>, the program declares <sha256:[0-9a-f]{8}>$/,
  );
});

test('reports settings that differ, except a registration URL that differs by its token alone', async () => {
  const live = clusters();
  const value = (url: string): string => JSON.stringify({ url, insecureSkipTLSVerify: false });
  live.dc1.seed(harvesterSetting('ntp-servers', '{"ntpServers":["a"]}'));
  live.dc1.seed(
    harvesterSetting('cluster-registration-url', value(URL_OK.replace(TOKEN, 'rotated'))),
  );
  const loaded = program([
    { target: 'dc1', manifest: harvesterSetting('ntp-servers', '{"ntpServers":["b"]}') },
    { target: 'dc1', manifest: harvesterSetting('cluster-registration-url', value(URL_OK)) },
  ]);
  expect((await driftIn(live, loaded)).diagnoses).toEqual([
    expect.objectContaining({ check: 'setting/differs', object: 'Setting ntp-servers' }),
  ]);
  live.dc1.seed(
    harvesterSetting('cluster-registration-url', value(URL_OK.replace('harvdc01', 'other'))),
  );
  expect((await driftIn(live, loaded)).diagnoses.map(({ object }) => object)).toContain(
    'Setting cluster-registration-url',
  );
});

test('objects that wait for late values are left out', async () => {
  const loaded = program([{ target: 'rancher', manifest: CONFIG, lateValues: ['x'] }]);
  expect((await driftIn(clusters(), loaded)).diagnoses).toEqual([]);
});

test('reports a missing object, and all of them at once where nothing was applied yet', async () => {
  const live = clusters();
  const loaded = program([
    { target: 'rancher', manifest: CONFIG },
    { target: 'rancher', manifest: configMap('b', {}) },
  ]);
  expect((await driftIn(live, loaded)).diagnoses).toEqual([
    expect.objectContaining({
      level: 'info',
      message: 'nothing of the program exists yet (2 objects)',
    }),
  ]);
  live.rancher.seed(CONFIG);
  expect((await driftIn(live, loaded)).diagnoses).toEqual([
    expect.objectContaining({
      check: 'drift/missing',
      level: 'warning',
      object: 'ConfigMap default/b',
    }),
  ]);
});

test('reports an unreachable target as an error, and still checks the others', async () => {
  const live = clusters();
  live.rancher.seed(configMap('a', { key: 'two' }));
  const targets = new Map(fakeTargets({ ...live }, TARGETS));
  targets.set('dc1', {
    ...targets.get('dc1')!,
    cluster: async () => {
      throw new ApiError('connection', 'target dc1 (context dc1): no route to host');
    },
  });
  const examination = await examineClusters(
    program([{ target: 'rancher', manifest: CONFIG }]),
    targets,
    {
      app: APP,
      now: NOW,
    },
  );
  expect(examination.diagnoses.map(({ check, level }) => `${level} ${check}`)).toEqual(
    expect.arrayContaining(['error target/unreachable', 'warning drift/changed']),
  );
  const text = shown(doctorText(examination));
  expect(text).toMatch(/^dc1 \(context dc1\): not reached$/m);
  expect(text).toMatch(/^error {2}target\/unreachable {2}dc1$/m);
  expect(text).toMatch(/2 errors, \d+ warning/);
  const last = (of: LiveExamination): string =>
    render(doctorText(of), { colors: true }).split('\n').at(-1)!;
  expect(last(examination)).toMatch(/^\u001b\[31m2 errors/);
  expect(
    last({
      ...examination,
      diagnoses: examination.diagnoses.filter(({ level }) => level === 'warning'),
    }),
  ).toMatch(/^\u001b\[33m1 warning/);
  expect(last({ ...examination, diagnoses: [] })).toBe(
    '\u001b[32mnothing wrong was found\u001b[39m',
  );
  expect(JSON.parse(doctorJson(examination))).toMatchObject({
    schemaVersion: '1',
    targets: [{ name: 'rancher' }, { name: 'dc1', unreachable: expect.any(String) }],
  });
});

test('a guest cluster that is not reached needs a context only instead of the kubeconfig that Rancher keeps', async () => {
  const targets = new Map(fakeTargets({ ...clusters() }, TARGETS));
  const fixOf = async (by: string): Promise<string | undefined> => {
    targets.set('dc1', {
      ...targets.get('dc1')!,
      by,
      cluster: async () => {
        throw new ApiError('connection', 'no route to host');
      },
    });
    const { diagnoses } = await examineClusters(program([]), targets, { app: APP, now: NOW });
    return diagnoses.find(({ check }) => check === 'target/unreachable')?.fix;
  };
  expect(await fixOf('Secret fleet-default/dc1-kubeconfig on rancher')).toBe(
    'fix what the message names, or use a context instead of the kubeconfig that Rancher keeps: --context dc1=<context>',
  );
  expect(await fixOf('context dc1')).toBe(
    'fix what the message names, or use another context: --context dc1=<context>',
  );
});

test('an interrupt ends it', async () => {
  const controller = new AbortController();
  controller.abort();
  await expect(
    examineClusters(program([]), fakeTargets({ ...clusters() }, TARGETS), {
      app: APP,
      signal: controller.signal,
    }),
  ).rejects.toThrow(/aborted|ended/);
});

test('shows what is ready, what is not, what is missing and what is left over', async () => {
  const live = clusters();
  const loaded = program([
    { target: 'rancher', manifest: CONFIG },
    { target: 'rancher', manifest: configMap('b', {}) },
    { target: 'dc1', manifest: harvesterSetting('ntp-servers', '{"ntpServers":["b"]}') },
  ]);
  await applied(live.rancher, loaded, 'rancher//ConfigMap/default/a');
  live.rancher.seed(configMap('old', {}));
  live.dc1.seed(harvesterSetting('ntp-servers', '{"ntpServers":["b"]}'));
  await writeInventory(
    live.rancher,
    APP,
    {
      clusterUids: {},
      entries: [
        {
          id: 'rancher//ConfigMap/default/old',
          apiVersion: 'v1',
          kind: 'ConfigMap',
          namespace: 'default',
          name: 'old',
          policy: 'delete',
        },
      ],
    },
    '1.0.0',
  );
  const statuses = await statusOf(loaded, fakeTargets({ ...live }, TARGETS), APP);
  expect(isAllReady(statuses)).toBe(false);
  const text = shown(statusText(statuses));
  expect(text).toContain(
    'rancher (context rancher): 1 not there, 1 no longer declared, 1 ready; 1 in the inventory',
  );
  expect(text).toContain('  not there  ConfigMap default/b');
  expect(text).toContain('  no longer declared  ConfigMap default/old');
  expect(text).toMatch(
    /dc1 \(context dc1\): 1 not ready; never applied by this app\n {2}not ready {2}Setting ntp-servers: /,
  );
  expect(text).not.toContain('ready  ConfigMap default/a');
  expect(shown(statusText(statuses, { all: true }))).toContain('  ready  ConfigMap default/a');
});

test('shows why the agent of an import is not connected', async () => {
  const live = clusters();
  const manifest: Manifest = {
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: { namespace: 'fleet-default', name: 'dc1' },
    spec: {},
  };
  live.rancher.seed({ ...manifest, status: { clusterName: ID } });
  live.dc1.seed(
    harvesterSetting(
      'cluster-registration-url',
      JSON.stringify({ url: URL_OK }),
      condition('configured', 'False', 'no such host'),
    ),
  );
  const statuses = await statusOf(
    program([{ target: 'rancher', manifest }]),
    fakeTargets({ ...live }, TARGETS),
    APP,
  );
  const [{ why }] = statuses.find(({ name }) => name === 'rancher')!.objects;
  expect(why).toContain(
    'its agent has not connected yet (no status.ready); on dc1: Setting cluster-registration-url is configured=False: no such host. Fix:',
  );
});

test.each<[what: string, conditions: readonly object[], state: string, why: string | undefined]>([
  [
    'is connected',
    [
      { type: 'Connected', status: 'True' },
      { type: 'Ready', status: 'True' },
    ],
    'ready',
    undefined,
  ],
  [
    'has lost its agent',
    [
      { type: 'Provisioned', status: 'True' },
      { type: 'Connected', status: 'False' },
    ],
    'waiting',
    'its agent is not connected: Connected is False',
  ],
])(
  'shows an import whose management Cluster %s, which its own status does not',
  async (_, conditions, state, why) => {
    const live = clusters();
    const manifest: Manifest = {
      apiVersion: 'provisioning.cattle.io/v1',
      kind: 'Cluster',
      metadata: { namespace: 'fleet-default', name: 'dc1' },
      spec: {},
    };
    live.rancher.seed({ ...manifest, status: { clusterName: ID, ready: true } });
    live.rancher.seed({
      apiVersion: 'management.cattle.io/v3',
      kind: 'Cluster',
      metadata: { name: ID },
      status: { conditions },
    });
    const statuses = await statusOf(
      program([{ target: 'rancher', manifest }]),
      fakeTargets({ ...live }, TARGETS),
      APP,
    );
    const [object] = statuses.find(({ name }) => name === 'rancher')!.objects;
    expect([object!.state, object!.why?.split('; on dc1')[0]?.split('; no Harvester')[0]]).toEqual([
      state,
      why,
    ]);
  },
);

describe('status shows as not applied', () => {
  const NTP = harvesterSetting('ntp-servers', '{"ntpServers":["b"]}');
  const loaded = program([{ target: 'dc1', manifest: NTP }]);
  const stateOf = async (live: Clusters, of = loaded) => {
    const statuses = await statusOf(of, fakeTargets({ ...live }, TARGETS), APP);
    return {
      state: statuses.find(({ name }) => name === 'dc1')!.objects[0].state,
      ready: isAllReady(statuses),
      text: shown(statusText(statuses)),
    };
  };
  const entry = (uid?: string) => ({
    id: 'dc1/harvesterhci.io/Setting//ntp-servers',
    apiVersion: NTP.apiVersion,
    kind: 'Setting',
    name: 'ntp-servers',
    policy: 'reset' as const,
    uid,
  });

  test('a Setting that is there with another value, as doctor does', async () => {
    const live = clusters();
    live.dc1.seed(harvesterSetting('ntp-servers', ''), 'harvester');
    const { state, ready, text } = await stateOf(live);
    expect([state, ready]).toEqual(['not-applied', false]);
    expect(text).toContain(
      'dc1 (context dc1): 1 not applied; never applied by this app\n  not applied  Setting ntp-servers',
    );
    expect((await driftIn(live, loaded)).diagnoses[0].message).toMatch(/^not applied: value: /);
  });

  test('a Setting whose value is known late, while it is empty', async () => {
    const live = clusters();
    live.dc1.seed(harvesterSetting('ntp-servers', ''), 'harvester');
    // eslint-disable-next-line no-template-curly-in-string
    const late = program([
      { target: 'dc1', manifest: harvesterSetting('ntp-servers', '${late:x}'), lateValues: ['x'] },
    ]);
    expect((await stateOf(live, late)).state).toBe('not-applied');
  });

  test('what is as declared, but was left out by the runs of this app', async () => {
    const live = clusters();
    const {
      metadata: { uid },
    } = live.dc1.seed(NTP, 'harvester');
    await writeInventory(live.dc1, APP, { clusterUids: {}, entries: [] }, '1.0.0');
    expect((await stateOf(live)).state).toBe('not-applied');
    await writeInventory(live.dc1, APP, { clusterUids: {}, entries: [entry(uid)] }, '1.0.0');
    expect((await stateOf(live)).state).not.toBe('not-applied');
  });

  test('nothing that another engine applied as it is declared', async () => {
    const live = clusters();
    live.dc1.seed(NTP, 'argocd-controller', 'Apply');
    expect((await stateOf(live)).state).not.toBe('not-applied');
  });
});

test('status of a program that is all there is ready', async () => {
  const live = clusters();
  live.rancher.seed(CONFIG);
  expect(
    isAllReady(
      await statusOf(
        program([{ target: 'rancher', manifest: CONFIG }]),
        fakeTargets({ ...live }, TARGETS),
        APP,
      ),
    ),
  ).toBe(true);
});

describe('the cluster that a target is bound to', () => {
  const UID = 'uid-of-dc1';
  const dc1 = (uid: string): FakeCluster =>
    new FakeCluster({ paths: { '/api/v1/namespaces/kube-system': { metadata: { uid } } } });
  /** All is ready; the inventory on Rancher names the clusters of earlier runs. */
  const seen = async (uid: string, acceptNewCluster: readonly string[] = []) => {
    const live = { rancher: new FakeCluster(), dc1: dc1(uid) };
    live.rancher.seed(CONFIG);
    await writeInventory(
      live.rancher,
      APP,
      { clusterUids: { dc1: UID, dc7: 'uid-of-dc7' }, entries: [] },
      '1.0.0',
    );
    const loaded = program([]);
    const targets = fakeTargets(live, TARGETS);
    const statuses = await statusOf(loaded, targets, APP, { acceptNewCluster });
    const { diagnoses } = await examineClusters(loaded, targets, {
      app: APP,
      now: NOW,
      drift: false,
      acceptNewCluster,
    });
    return {
      ready: isAllReady(statuses),
      text: shown(statusText(statuses)),
      diagnoses: diagnoses.filter(({ check }) => /^target.(other|removed)/.test(check)),
    };
  };

  test('is reported by status and doctor when it is another one than before', async () => {
    const { ready, text, diagnoses } = await seen('uid-of-another');
    expect(ready).toBe(false);
    expect(text).toMatch(
      /^ {2}another cluster {2}target dc1 \(context dc1\): must be the cluster of the previous run \(kube-system UID uid-of-dc1\), got another one \(uid-of-another\)\. Fix: bind it/m,
    );
    expect(diagnoses[0]).toMatchObject({
      check: 'target/other-cluster',
      level: 'error',
      target: 'dc1',
      message: expect.stringContaining('must be the cluster of the previous run'),
      fix: expect.stringContaining('--accept-new-cluster dc1'),
    });
  });

  test('may be another one where that is accepted', async () => {
    const { ready, diagnoses } = await seen('uid-of-another', ['dc1']);
    expect([ready, diagnoses.map(({ check }) => check)]).toEqual([true, ['target/removed']]);
  });

  test('is not reported when it is the same; a target that is no longer in the program is', async () => {
    const { ready, text, diagnoses } = await seen(UID);
    expect(ready).toBe(true);
    expect(text).toContain(
      'dc7: no longer in this program; to delete what this app left there, run destroy --target dc7; if its cluster no longer exists, run forget dc7',
    );
    expect(diagnoses).toEqual([
      expect.objectContaining({ check: 'target/removed', level: 'info', target: 'dc7' }),
    ]);
  });
});
