import { apply, plan } from '../../../../src/commands';
import { API_VERSIONS } from '../../../../src/core/manifest/names';
import { SecretValue } from '../../../../src/core/value/secret-value';
import { LiveObject } from '../../../../src/engine/cluster/cluster';
import { GithubAuthConfig } from '../../../../src/rancher/auth/hosted-auth-config';
import { PASSWORD_NAMESPACE } from '../../../../src/rancher/user/user.kind';
import { tempFolder } from '../../../support/temp';
import { Lab } from '../../lab/lab';
import { Walk } from '../../walk/walk';

const GITHUB = {
  target: 'rancher',
  apiVersion: API_VERSIONS.MANAGEMENT,
  kind: 'AuthConfig',
  name: 'github',
} as const;

describe('the last way in', () => {
  let lab: Lab;
  let walk: Walk;
  /** The passwords of local users while none of them can log in. */
  let aside: LiveObject[] = [];

  beforeAll(async () => {
    lab = await Lab.open(tempFolder(), ['rancher']);
    walk = new Walk(lab, 'last');
    process.env.LIVE_SECRET = 'not-a-secret';
  });
  afterAll(async () => {
    await bringBackPasswords();
    await walk?.destroy();
    const left = await lab?.clean();
    lab?.close();
    expect(left).toEqual([]);
  });

  async function setPasswordsAside(): Promise<void> {
    const { cluster } = lab.server('rancher');
    aside = (await cluster.list('v1', 'Secret')).filter(
      ({ metadata: { namespace } }) => namespace === PASSWORD_NAMESPACE,
    );
    for (const { metadata } of aside) {
      await cluster.delete({ apiVersion: 'v1', kind: 'Secret', ...metadata }, metadata.uid);
    }
  }

  async function bringBackPasswords(): Promise<void> {
    const { cluster } = lab.server('rancher');
    for (const { metadata, data, type } of aside) {
      const { name, namespace, labels, annotations, ownerReferences } = metadata;
      const own = { name, namespace, labels, annotations, ownerReferences };
      await cluster.apply(
        { apiVersion: 'v1', kind: 'Secret', metadata: own, type, data },
        { fieldManager: 'live-scenarios' },
      );
    }
    aside = [];
  }

  const isEnabled = async (): Promise<boolean> => (await walk.read(GITHUB))?.enabled === true;

  test('remains enabled while no one can log in without it, and is disabled after that', async () => {
    expect(await isEnabled()).toBe(false);
    const secret = SecretValue.fromEnv('LIVE_SECRET');
    const added = await walk.commit(({ rancher }) => {
      new GithubAuthConfig(rancher, 'github', { clientId: 'live', clientSecret: secret });
    });
    expect(added).toEqual([]);
    expect(await isEnabled()).toBe(true);

    const without = walk.synthesize(() => undefined);
    const options = { config: lab.config, app: walk.app, acceptEmpty: true };
    try {
      await setPasswordsAside();
      const { steps } = (await plan(without, options)).plan;
      expect(steps.find(({ id }) => id.endsWith('/github'))).toMatchObject({
        action: 'keep',
        reason: expect.stringContaining('it is the last way in'),
      });
      const { kept } = await apply(without, options);
      expect(kept?.map(({ id }) => id)).toContain(
        'rancher/management.cattle.io/AuthConfig//github',
      );
      expect(await isEnabled()).toBe(true);
    } finally {
      await bringBackPasswords();
    }

    expect(await walk.commit(() => undefined)).toEqual([]);
    expect(await isEnabled()).toBe(false);
  });
});
