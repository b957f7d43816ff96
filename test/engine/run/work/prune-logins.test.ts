import { ApiError } from '../../../../src/engine/transport/api';
import { AUTH_CONFIG_DESCRIPTION } from '../../../../src/rancher/auth/auth-config.kind';
import { RANCHER_SETTING_DESCRIPTIONS } from '../../../../src/rancher/settings/rancher-setting.kind';
import { SmallProgram } from '../../graph/_assemblies';
import { Trial } from '../_running';

const MANAGEMENT = 'management.cattle.io/v3';
const CLEANUP = 'management.cattle.io/auth-provider-cleanup';
const OKTA = 'rancher/management.cattle.io/AuthConfig//okta';
const SECRET = 'rancher//Secret/cattle-global-data/oktaconfig-spkey';
const FEATURE = 'rancher/management.cattle.io/Feature//fleet';

const base = (): SmallProgram => {
  const small = new SmallProgram().target('rancher', 'rancher');
  small.configMap('stays', 'rancher');
  return small;
};

const reset = (small: SmallProgram, deletion: object | undefined): void => {
  Object.assign(small.objects.at(-1)!, { deletion });
};

/** A provider with its Secret, as a construct writes both. */
const withProvider = (small = base()): SmallProgram => {
  small.object('rancher', MANAGEMENT, 'AuthConfig', 'okta', {
    type: 'oktaConfig',
    enabled: true,
    spKey: 'cattle-global-data:oktaconfig-spkey',
    rancherApiHost: 'https://rancher.example.com',
  });
  reset(small, AUTH_CONFIG_DESCRIPTION.deletion);
  small.object('rancher', 'v1', 'Secret', 'cattle-global-data/oktaconfig-spkey', {
    data: { spkey: 'eA==' },
  });
  return small;
};

/** Rancher: the objects of its start, and what it does with a provider that is disabled. */
function asRancher(trial: Trial, { cleans = true }: { readonly cleans?: boolean } = {}): void {
  const { rancher } = trial.clusters;
  const own = (kind: string, name: string, content: object) =>
    rancher.seed({ apiVersion: MANAGEMENT, kind, metadata: { name }, ...content }, 'rancher');
  own('AuthConfig', 'okta', { type: 'oktaConfig' });
  own('Feature', 'fleet', { spec: { value: null }, status: { default: true } });
  own('GlobalRole', 'admin', { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] });
  own('GlobalRole', 'user', { rules: [{ apiGroups: ['*'], resources: ['pods'], verbs: ['*'] }] });
  rancher.reactions.push((object) => {
    if (object.kind === 'AuthConfig' && object.enabled === true) {
      (object.metadata as { annotations?: object }).annotations ??= {};
      Object.assign(object.metadata.annotations!, { [CLEANUP]: 'unlocked' });
    }
  });
  if (cleans) {
    // @see rancher/rancher:pkg/controllers/management/auth/auth_config.go sync
    rancher.before = async ({ verb, what }) => {
      const okta = rancher.live(MANAGEMENT, 'AuthConfig', 'okta');
      if (verb === 'read' && what === 'AuthConfig okta' && okta.enabled === false) {
        if (okta.metadata.annotations?.[CLEANUP] === 'unlocked') {
          okta.metadata.annotations[CLEANUP] = 'rancher-locked';
          delete okta.rancherApiHost;
          delete okta.spKey;
          rancher.objects.delete('/Secret/cattle-global-data/oktaconfig-spkey');
        }
      }
    };
  }
}

/** A local administrator with a password. */
function addAdministrator(trial: Trial, name = 'u-root'): void {
  const { rancher } = trial.clusters;
  rancher.seed({
    apiVersion: MANAGEMENT,
    kind: 'User',
    metadata: { name },
    principalIds: [`local://${name}`],
  });
  rancher.seed({
    apiVersion: MANAGEMENT,
    kind: 'GlobalRoleBinding',
    metadata: { name: `grb-${name}` },
    globalRoleName: 'admin',
    userName: name,
  });
  rancher.seed({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'cattle-local-user-passwords' },
  });
}

/** Applied with the provider, and then removed. */
async function removed(
  after = base(),
  options: { readonly cleans?: boolean } = {},
): Promise<Trial> {
  const trial = new Trial(withProvider());
  asRancher(trial, options);
  expect((await trial.apply()).failed).toEqual([]);
  trial.declared = after;
  trial.forget();
  return trial;
}

const okta = (trial: Trial) => trial.clusters.rancher.live(MANAGEMENT, 'AuthConfig', 'okta');
const hasSecret = (trial: Trial): boolean =>
  trial.clusters.rancher.has('v1', 'Secret', 'oktaconfig-spkey', 'cattle-global-data');
const actions = async (trial: Trial) =>
  Object.fromEntries((await trial.plan()).steps.map(({ id, action }) => [id, action]));

describe('a provider that leaves the program', () => {
  test.each(['apply', 'destroy'] as const)(
    'is disabled by %s, and its Secret is deleted',
    async (command) => {
      const trial = await removed();
      addAdministrator(trial);
      expect(await actions(trial)).toMatchObject({ [OKTA]: 'reset', [SECRET]: 'prune' });
      expect((await trial[command]()).failed).toEqual([]);
      expect(okta(trial)).toMatchObject({ enabled: false, type: 'oktaConfig' });
      expect(hasSecret(trial)).toBe(false);
      expect(trial.states(OKTA)).toContain('reset');
      if (command === 'apply') {
        expect(await trial.inventory('rancher')).toEqual(['rancher//ConfigMap/default/stays']);
      }
    },
  );

  test('is never emptied while it is enabled: one field is written, if nothing else changed', async () => {
    const trial = await removed();
    addAdministrator(trial);
    await trial.apply();
    const { calls } = trial.clusters.rancher;
    const written = calls.filter(
      ({ verb, what }) => ['apply', 'patch'].includes(verb) && what === 'AuthConfig okta',
    );
    expect(written[0]).toMatchObject({
      verb: 'patch',
      body: [
        { op: 'test', path: '/metadata/uid' },
        { op: 'test', path: '/metadata/resourceVersion' },
        { op: 'add', path: '/enabled', value: false },
      ],
    });
    expect(written.filter(({ verb }) => verb === 'apply')).toEqual([]);
  });

  test('is waited for until Rancher has deleted what belongs to it', async () => {
    const trial = await removed(base(), { cleans: false });
    addAdministrator(trial);
    const { failed } = await trial.apply({ timeoutMs: 1000 });
    expect(failed).toMatchObject([
      { id: OKTA, message: expect.stringContaining('Rancher still deletes the users') },
    ]);
    expect(await trial.inventory('rancher')).toEqual(expect.arrayContaining([OKTA, SECRET]));
  });

  test('loses its Secret also where an annotation keeps everything else', async () => {
    const trial = await removed();
    addAdministrator(trial);
    okta(trial).metadata.annotations[CLEANUP] = 'user-locked';
    expect((await trial.apply()).failed).toEqual([]);
    expect(okta(trial).enabled).toBe(false);
    expect(hasSecret(trial)).toBe(false);
  });

  test('is left as it is once it is disabled', async () => {
    const trial = await removed();
    okta(trial).enabled = false;
    okta(trial).metadata.annotations[CLEANUP] = 'rancher-locked';
    expect((await trial.apply()).failed).toEqual([]);
    expect(hasSecret(trial)).toBe(false);
    expect(await trial.inventory('rancher')).toEqual(['rancher//ConfigMap/default/stays']);
  });

  test('keeps the Secret while it is declared', async () => {
    const after = base();
    const { objects, manifests } = withProvider();
    const provider = objects.find(({ id }) => id === OKTA)!;
    after.objects.push(provider);
    after.manifests.set(OKTA, manifests.get(OKTA)!);
    const trial = await removed(after);
    expect(await actions(trial)).toMatchObject({ [SECRET]: 'keep' });
    expect((await trial.apply()).failed).toEqual([]);
    expect(hasSecret(trial)).toBe(true);
    expect(trial.told).toContain('users log in with it');
  });
});

describe('the last way in', () => {
  const expectKept = async (trial: Trial): Promise<void> => {
    expect(await actions(trial)).toMatchObject({ [OKTA]: 'keep', [SECRET]: 'keep' });
    const { failed, kept } = await trial.apply();
    expect(failed).toEqual([]);
    expect(kept).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: OKTA, message: expect.stringContaining('last way in') }),
      ]),
    );
    expect(okta(trial).enabled).toBe(true);
    expect(hasSecret(trial)).toBe(true);
    expect(await trial.inventory('rancher')).toEqual(expect.arrayContaining([OKTA, SECRET]));
  };

  test('remains enabled with its Secret, and is disabled by a later run', async () => {
    const trial = await removed();
    await expectKept(trial);
    addAdministrator(trial);
    expect((await trial.apply()).failed).toEqual([]);
    expect([okta(trial).enabled, hasSecret(trial)]).toEqual([false, false]);
  });

  test('remains enabled by destroy', async () => {
    const trial = await removed();
    const { kept = [] } = await trial.destroy();
    expect(kept.map(({ id }) => id)).toContain(OKTA);
    expect([okta(trial).enabled, hasSecret(trial)]).toEqual([true, true]);
  });

  test.each<[what: string, change: (trial: Trial) => void]>([
    [
      'a disabled user',
      ({ clusters: { rancher } }) => {
        rancher.live(MANAGEMENT, 'User', 'u-root').enabled = false;
      },
    ],
    [
      'a user without a password',
      ({ clusters: { rancher } }) => {
        rancher.objects.delete('/Secret/cattle-local-user-passwords/u-root');
      },
    ],
    [
      'a user with fewer permissions',
      ({ clusters: { rancher } }) => {
        rancher.live(MANAGEMENT, 'GlobalRoleBinding', 'grb-u-root').globalRoleName = 'user';
      },
    ],
    [
      'a binding that is being deleted',
      ({ clusters: { rancher } }) => {
        const { metadata } = rancher.live(MANAGEMENT, 'GlobalRoleBinding', 'grb-u-root');
        metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
      },
    ],
  ])('is not %s', async (_, change) => {
    const trial = await removed();
    addAdministrator(trial);
    change(trial);
    await expectKept(trial);
  });

  test.each([
    ['of another provider that is enabled', true, 'reset'],
    ['of another provider that is disabled', false, 'keep'],
  ])('counts an administrator %s', async (_, enabled, action) => {
    const trial = await removed();
    const { rancher } = trial.clusters;
    rancher.seed({
      apiVersion: MANAGEMENT,
      kind: 'AuthConfig',
      metadata: { name: 'github' },
      enabled,
    });
    rancher.seed({
      apiVersion: MANAGEMENT,
      kind: 'GlobalRoleBinding',
      metadata: { name: 'grb-admins' },
      globalRoleName: 'admin',
      groupPrincipalName: 'github_team://1',
    });
    expect((await actions(trial))[OKTA]).toBe(action);
  });

  test('is assumed where the logins cannot be read', async () => {
    const trial = await removed();
    addAdministrator(trial);
    trial.clusters.rancher.fault = ({ verb, what }) =>
      verb === 'list' && what.startsWith('User ')
        ? new ApiError('forbidden', 'users is forbidden', 403)
        : undefined;
    expect((await actions(trial))[OKTA]).toBe('keep');
    await trial.apply();
    expect(okta(trial).enabled).toBe(true);
    expect(trial.told).toContain('cannot check whether an administrator can log in without it');
  });
});

describe('a feature that leaves the program', () => {
  const withFeature = (): SmallProgram => {
    const small = base();
    small.object('rancher', MANAGEMENT, 'Feature', 'fleet', { spec: { value: false } });
    reset(small, RANCHER_SETTING_DESCRIPTIONS.find(({ kind }) => kind === 'Feature')!.deletion);
    return small;
  };
  const left = async (): Promise<Trial> => {
    const trial = new Trial(withFeature());
    asRancher(trial);
    expect((await trial.apply()).failed).toEqual([]);
    expect(feature(trial).spec.value).toBe(false);
    trial.declared = base();
    trial.forget();
    return trial;
  };
  const feature = (trial: Trial) => trial.clusters.rancher.live(MANAGEMENT, 'Feature', 'fleet');

  test.each(['apply', 'destroy'] as const)('gets its default again by %s', async (command) => {
    const trial = await left();
    expect((await trial.plan()).steps.find(({ id }) => id === FEATURE)).toMatchObject({
      action: 'reset',
      changes: [{ path: 'spec.value', before: false, after: null }],
    });
    expect((await trial[command]()).failed).toEqual([]);
    expect(feature(trial).spec.value).toBeNull();
    expect(JSON.stringify(feature(trial).metadata.managedFields)).not.toContain('cdk8s-harvester');
  });

  test('keeps a value that Rancher has locked', async () => {
    const trial = await left();
    feature(trial).status.lockedValue = false;
    expect((await trial.apply()).failed).toEqual([]);
    expect(feature(trial).spec.value).toBe(false);
    expect(trial.events).toContainEqual(
      expect.objectContaining({
        type: 'warning',
        message: expect.stringContaining('Rancher has locked it to false'),
      }),
    );
  });
});
