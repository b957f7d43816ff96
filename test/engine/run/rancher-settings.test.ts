import { APP, Trial } from './_running';
import { ApiError } from '../../../src/engine/transport/api';
import { FakeCluster } from '../../support/fake-cluster';
import { SmallProgram } from '../graph/_assemblies';

const MANAGEMENT = 'management.cattle.io/v3';
const WAS_EMPTY = 'cdk8s-harvester/was-empty';

function program(...settings: readonly (readonly [name: string, value: string])[]): SmallProgram {
  const small = new SmallProgram().target('rancher', 'rancher');
  small.object('rancher', 'v1', 'ConfigMap', 'default/stays');
  for (const [name, value] of settings) {
    const at = small.objects.length;
    small.object('rancher', MANAGEMENT, 'Setting', name, { value });
    small.objects[at] = {
      ...small.objects[at]!,
      deletion: { policy: 'reset', reason: 'so it is' },
    };
  }
  return small;
}

/** As Rancher creates its settings: it owns the value, empty or not. */
function seeded(trial: Trial, values: { readonly [name: string]: string }): FakeCluster {
  const { rancher } = trial.clusters;
  for (const [name, value] of Object.entries(values)) {
    rancher.seed(
      { apiVersion: MANAGEMENT, kind: 'Setting', metadata: { name }, value, default: '12' },
      'rancher',
    );
  }
  return rancher;
}

const settingOf = (cluster: FakeCluster, name: string) => cluster.live(MANAGEMENT, 'Setting', name);
const managersOf = (cluster: FakeCluster, name: string): string[] =>
  settingOf(cluster, name).metadata.managedFields.map(
    ({ manager }: { manager: string }) => manager,
  );

const ID = 'rancher/management.cattle.io/Setting//';

test('takes an empty value from Rancher without force, and shows it in the plan', async () => {
  const trial = new Trial(program(['password-min-length', '16']));
  const rancher = seeded(trial, { 'password-min-length': '' });
  const step = (await trial.plan()).steps.find(({ id }) => id === `${ID}password-min-length`)!;
  expect(step).toMatchObject({
    action: 'update',
    conflicts: [],
    reason: expect.stringContaining('takes the empty field .value from rancher'),
  });
  expect(step.changes).toContainEqual({ path: 'value', before: '', after: '16' });
  expect((await trial.apply()).failed).toEqual([]);
  expect(settingOf(rancher, 'password-min-length')).toMatchObject({
    value: '16',
    metadata: { annotations: { [WAS_EMPTY]: 'true' } },
  });
  trial.forget();
  expect((await trial.apply()).failed).toEqual([]);
  expect(trial.states(`${ID}password-min-length`)).toContain('unchanged');
});

test('leaves a value that someone set, unless force is asked for', async () => {
  const trial = new Trial(program(['password-min-length', '16']));
  const rancher = seeded(trial, { 'password-min-length': '8' });
  expect(
    (await trial.plan()).steps.find(({ id }) => id === `${ID}password-min-length`),
  ).toMatchObject({ conflicts: [{ manager: 'rancher', field: '.value' }] });
  expect((await trial.apply()).failed).toMatchObject([
    { message: expect.stringContaining('--force-conflicts') },
  ]);
  expect(settingOf(rancher, 'password-min-length').value).toBe('8');
});

test('does not take a value that was filled in since it was read', async () => {
  const trial = new Trial(program(['password-min-length', '16']));
  const rancher = seeded(trial, { 'password-min-length': '' });
  let changed = false;
  rancher.fault = ({ verb, what }) => {
    if (verb === 'apply' && what === 'Setting password-min-length' && !changed) {
      changed = true;
      const conflicts = [{ manager: 'rancher', field: '.value' }];
      rancher.change(
        { apiVersion: MANAGEMENT, kind: 'Setting', name: 'password-min-length' },
        (live) => {
          live.value = '20';
        },
      );
      return new ApiError('conflict', 'Apply failed with 1 conflict', 409, 'Conflict', conflicts);
    }
    return undefined;
  };
  expect((await trial.apply()).failed).toHaveLength(1);
  expect(settingOf(rancher, 'password-min-length').value).toBe('20');
});

test('empties a setting that was empty before, and gives it up', async () => {
  const trial = new Trial(program(['password-min-length', '16']));
  const rancher = seeded(trial, { 'password-min-length': '' });
  expect((await trial.apply()).failed).toEqual([]);
  trial.declared = program();
  expect(
    (await trial.plan()).steps.find(({ id }) => id === `${ID}password-min-length`),
  ).toMatchObject({ action: 'reset' });
  expect((await trial.apply()).failed).toEqual([]);
  expect(settingOf(rancher, 'password-min-length')).toMatchObject({ value: '', default: '12' });
  expect(
    settingOf(rancher, 'password-min-length').metadata.annotations?.[WAS_EMPTY],
  ).toBeUndefined();
  expect(managersOf(rancher, 'password-min-length')).toEqual(['rancher']);
});

test.each(['prune', 'destroy'])(
  'never empties a value that was there before: %s gives it up',
  async (how) => {
    const trial = new Trial(program(['server-url', 'https://rancher.example.com']));
    const rancher = seeded(trial, { 'server-url': 'https://rancher.example.com' });
    expect((await trial.apply()).failed).toEqual([]);
    expect(managersOf(rancher, 'server-url')).toContain(APP.fieldManager);
    trial.forget();
    if (how === 'prune') {
      trial.declared = program();
      expect((await trial.plan()).steps.find(({ id }) => id === `${ID}server-url`)).toMatchObject({
        action: 'keep',
        reason: expect.stringContaining('it had one before'),
      });
      expect((await trial.apply()).failed).toEqual([]);
    } else {
      expect((await trial.destroy()).failed).toEqual([]);
    }
    expect(settingOf(rancher, 'server-url').value).toBe('https://rancher.example.com');
    expect(managersOf(rancher, 'server-url')).toEqual(['rancher']);
    expect(trial.told).toContain('keeps its value');
  },
);

test.each<
  [kind: string, before: { [field: string]: unknown }, after: { [field: string]: unknown }]
>([
  ['Feature', { spec: { value: null } }, { spec: { value: true } }],
  ['AuthConfig', { accessMode: '' }, { accessMode: 'restricted' }],
])('takes empty fields of a %s from Rancher', async (kind, before, after) => {
  const small = new SmallProgram().target('rancher', 'rancher');
  small.object('rancher', MANAGEMENT, kind, 'x', after);
  const trial = new Trial(small);
  trial.clusters.rancher.seed(
    { apiVersion: MANAGEMENT, kind, metadata: { name: 'x' }, ...before },
    'rancher',
  );
  expect((await trial.apply()).failed).toEqual([]);
  expect(trial.clusters.rancher.live(MANAGEMENT, kind, 'x')).toMatchObject(after);
});

test('does not take empty fields of other kinds', async () => {
  const small = new SmallProgram().target('rancher', 'rancher');
  small.object('rancher', MANAGEMENT, 'User', 'u-ana', { description: 'Ana' });
  const trial = new Trial(small);
  trial.clusters.rancher.seed(
    { apiVersion: MANAGEMENT, kind: 'User', metadata: { name: 'u-ana' }, description: '' },
    'rancher',
  );
  expect((await trial.apply()).failed).toHaveLength(1);
});

describe('agent-tls-mode that cannot become strict yet', () => {
  const NOT_YET =
    "admission webhook \"rancher.cattle.io.settings.management.cattle.io\" denied the request: value.default: Forbidden: AgentTlsStrictCheck condition of cluster c-m-dc1 isn't 'True'";
  const FIX =
    "Fix: let the agent of c-m-dc1 connect with Rancher's cacerts, then its condition AgentTlsStrictCheck becomes True";
  const MODE = `${ID}agent-tls-mode`;

  /**
   * A Rancher that refuses strict, by the value or by the default, until the cluster has passed its
   * check.
   */
  function strictLater(trial: Trial): { passed: boolean } {
    const rancher = seeded(trial, { 'agent-tls-mode': '', 'password-min-length': '' });
    rancher.change({ apiVersion: MANAGEMENT, kind: 'Setting', name: 'agent-tls-mode' }, (live) => {
      live.default = 'strict';
    });
    const check = { passed: false };
    rancher.fault = ({ verb, what, body }) =>
      ['apply', 'dry-run'].includes(verb) &&
      what === 'Setting agent-tls-mode' &&
      ['', 'strict'].includes(body.value as string) &&
      !check.passed
        ? new ApiError('invalid', NOT_YET, 400, 'BadRequest')
        : undefined;
    return check;
  }

  test('is left as it is by a run that no longer declares it, until a later run can reset it', async () => {
    const trial = new Trial(
      program(['agent-tls-mode', 'system-store'], ['password-min-length', '16']),
    );
    const check = strictLater(trial);
    expect((await trial.apply()).failed).toEqual([]);
    trial.declared = program();
    const step = (await trial.plan()).steps.find(({ id }) => id === MODE)!;
    expect(step).toMatchObject({
      action: 'keep',
      reason: expect.stringContaining(FIX),
      changes: [],
    });
    trial.forget();
    expect((await trial.apply()).failed).toEqual([]);
    expect(trial.states(MODE)).toEqual(['kept']);
    expect(trial.told).toContain(FIX);
    expect(settingOf(trial.clusters.rancher, 'password-min-length').value).toBe('');
    expect(settingOf(trial.clusters.rancher, 'agent-tls-mode').value).toBe('system-store');
    expect(await trial.inventory('rancher')).toContain(MODE);
    check.passed = true;
    expect((await trial.plan()).steps.find(({ id }) => id === MODE)).toMatchObject({
      action: 'reset',
    });
    expect((await trial.apply()).failed).toEqual([]);
    expect(settingOf(trial.clusters.rancher, 'agent-tls-mode').value).toBe('');
    expect(await trial.inventory('rancher')).not.toContain(MODE);
  });

  test('fails with what to do where the program declares it, and nothing else fails', async () => {
    const trial = new Trial(program(['agent-tls-mode', 'strict'], ['password-min-length', '16']));
    strictLater(trial);
    expect((await trial.plan()).steps.find(({ id }) => id === MODE)).toMatchObject({
      refused: expect.stringContaining(FIX),
    });
    const { failed } = await trial.apply();
    expect(failed).toMatchObject([{ id: MODE, message: expect.stringContaining(FIX) }]);
    expect(settingOf(trial.clusters.rancher, 'password-min-length').value).toBe('16');
  });
});
