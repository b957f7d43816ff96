import { setTimeout as sleep } from 'node:timers/promises';
import { apply, destroy, plan } from '../../../src/commands';
import { API_VERSIONS, LOCAL_CLUSTER } from '../../../src/core/manifest/names';
import { SecretValue } from '../../../src/core/value/secret-value';
import { LiveObject, ObjectRef } from '../../../src/engine/cluster/cluster';
import { ANNOTATION_CLEANUP } from '../../../src/rancher/auth/auth-config.kind';
import { GithubAuthConfig } from '../../../src/rancher/auth/hosted-auth-config';
import { GLOBAL_DATA } from '../../../src/rancher/credential/secret.kind';
import { ImportedCluster } from '../../../src/rancher/imported-cluster/imported-cluster';
import {
  ClusterMember,
  ClusterMembers,
  GlobalRoleBinding,
} from '../../../src/rancher/members/members';
import { Principal } from '../../../src/rancher/members/principal';
import { ProjectMember } from '../../../src/rancher/project/tenant-namespace';
import { TenantProject } from '../../../src/rancher/project/tenant-project';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import { GlobalPermission } from '../../../src/rancher/role/roles';
import { RancherFeature } from '../../../src/rancher/settings/rancher-feature';
import { LocalUser } from '../../../src/rancher/user/user';
import { tempFolder } from '../../support/temp';
import { Question, wrongAnswers } from '../lab/access';
import { Lab } from '../lab/lab';
import { Walk } from '../walk/walk';

/** A feature whose change does not restart Rancher. @see rancher/rancher:pkg/features/feature.go */
const FEATURE = 'istio-virtual-service-ui';
const SECRET = 'githubconfig-clientsecret';
/**
 * What Rancher cannot finish while one of its clusters never connected, or is being deleted: the
 * permissions are gone all the same.
 */
const HELD = /held by the finalizers controller\.cattle\.io\/mgmt-auth-grb-controller;/;
/** How long a `destroy` waits for what Rancher holds, which the run then deletes. */
const DESTROY_MS = 20_000;
/** An organization of GitHub that no one is in. */
const TEAM = 987654321;

/** Set for servers that no one else uses: only there, logins and features change. */
const LOGINS = 'LIVE_OWN';
const changesLogins = process.env[LOGINS] ? test : test.skip;
if (!process.env[LOGINS]) {
  console.warn(`${LOGINS} is not set: no provider is enabled and disabled, and no feature changes`);
}

/** What leaves the program, and what its user may do by it. */
interface Grant {
  readonly what: string;
  readonly declare: (
    rancher: RancherChart,
    user: LocalUser,
    name: string,
    isGranted: boolean,
  ) => void;
  readonly may: Omit<Question, 'on' | 'user' | 'allowed'>;
}

const projects = { group: 'management.cattle.io', resource: 'projects', namespace: LOCAL_CLUSTER };

const GRANTS: readonly Grant[] = [
  {
    what: 'a GlobalRoleBinding',
    declare: (rancher, user) => {
      new GlobalRoleBinding(rancher, 'binding', {
        permission: GlobalPermission.ADMIN,
        principal: Principal.localUser(user),
      });
    },
    may: { verb: 'delete', resource: 'secrets' },
  },
  {
    what: 'a member of a cluster',
    declare: (rancher, user) => {
      const cluster = ImportedCluster.fromClusterId(rancher, 'local', { clusterId: LOCAL_CLUSTER });
      new ClusterMembers(rancher, 'members', {
        cluster,
        members: [ClusterMember.owner(Principal.localUser(user))],
      });
    },
    may: { verb: 'delete', resource: 'nodes' },
  },
  {
    what: 'a member of a project',
    declare: (rancher, user, name, isGranted) => {
      const cluster = ImportedCluster.fromClusterId(rancher, 'local', { clusterId: LOCAL_CLUSTER });
      new TenantProject(rancher, 'project', {
        cluster,
        name,
        members: isGranted ? [ProjectMember.owner(Principal.localUser(user))] : [],
      });
    },
    may: { verb: 'update', ...projects },
  },
];

describe('access that leaves a program', () => {
  let lab: Lab;
  const walks = new Map<string, Walk>();

  beforeAll(async () => {
    lab = await Lab.open(tempFolder(), ['rancher']);
  });
  afterAll(async () => {
    // a test that failed leaves what has no prefix: a provider, a feature
    for (const title of walks.keys()) {
      await destroy(
        synthesize(title, () => undefined),
        { ...options(title), timeoutMs: DESTROY_MS },
      );
    }
    const left = await lab?.clean();
    lab?.close();
    expect(left).toEqual([]);
  });

  const walk = (title: string): Walk => {
    const known = walks.get(title) ?? new Walk(lab, title);
    walks.set(title, known);
    return known;
  };
  const options = (title: string) => ({ config: lab.config, app: walk(title).app });
  const synthesize = (title: string, declare: (rancher: RancherChart) => void): string =>
    walk(title).synthesize(({ rancher }) => {
      declare(rancher);
    });
  const run = async (title: string, declare: (rancher: RancherChart) => void): Promise<void> => {
    const { failed } = await apply(synthesize(title, declare), {
      ...options(title),
      acceptEmpty: true,
      timeoutMs: 120_000,
    });
    expect(failed.filter(({ message }) => !HELD.test(message))).toEqual([]);
  };
  const wrong = async (questions: readonly Question[]): Promise<string[]> =>
    wrongAnswers(lab, questions);
  const read = async (ref: ObjectRef): Promise<LiveObject | undefined> =>
    lab.server('rancher').cluster.read(ref);

  test.each(GRANTS)('$what is gone at once for the server', async ({ what, declare, may }) => {
    const title = what.replace(/\W+/g, '-').toLowerCase();
    const user = lab.name(title);
    const named = may.resource === 'projects' ? { name: lab.name('project') } : {};
    const question = { on: 'rancher', user, ...may, ...named } as const;
    const program =
      (isGranted: boolean) =>
      (rancher: RancherChart): void => {
        const own = new LocalUser(rancher, 'user', { name: user, username: user });
        if (isGranted || may.resource === 'projects') {
          declare(rancher, own, lab.name('project'), isGranted);
        }
      };
    await run(title, program(true));
    expect(await wrong([{ ...question, allowed: true }])).toEqual([]);
    const without = synthesize(title, program(false));
    const { steps } = (await plan(without, options(title))).plan;
    expect(steps.filter(({ action }) => action === 'keep')).toEqual([]);
    expect(steps.filter(({ action }) => action === 'prune')).toHaveLength(1);
    await run(title, program(false));
    expect(await wrong([{ ...question, allowed: false }])).toEqual([]);
    await destroy(without, { ...options(title), timeoutMs: DESTROY_MS });
  });

  test('permissions of a User are gone', async () => {
    const user = lab.name('permitted');
    const program =
      (permissions: GlobalPermission[]) =>
      (rancher: RancherChart): void => {
        new LocalUser(rancher, 'user', { name: user, username: user, permissions });
      };
    const creates = {
      on: 'rancher',
      user,
      verb: 'create',
      group: 'provisioning.cattle.io',
      resource: 'clusters',
      namespace: 'fleet-default',
    } as const;
    const administers = { on: 'rancher', user, verb: 'delete', resource: 'secrets' } as const;
    const { ADMIN, USER, USER_BASE } = GlobalPermission;
    await run('permitted', program([ADMIN, USER]));
    expect(await wrong([creates, administers].map((each) => ({ ...each, allowed: true })))).toEqual(
      [],
    );
    await run('permitted', program([USER]));
    expect(
      await wrong([
        { ...creates, allowed: true },
        { ...administers, allowed: false },
      ]),
    ).toEqual([]);
    await run('permitted', program([USER_BASE]));
    expect(await wrong([{ ...creates, allowed: false }])).toEqual([]);
    await run('permitted', () => undefined);
  });

  changesLogins(
    'a provider is disabled, with its Secret and bindings, and a feature has its default',
    async () => {
      process.env.LIVE_SECRET = 'not-a-secret';
      const config = { apiVersion: API_VERSIONS.MANAGEMENT, kind: 'AuthConfig', name: 'github' };
      const feature = { apiVersion: API_VERSIONS.MANAGEMENT, kind: 'Feature', name: FEATURE };
      const secret = { apiVersion: 'v1', kind: 'Secret', namespace: GLOBAL_DATA, name: SECRET };
      const binding = {
        apiVersion: API_VERSIONS.MANAGEMENT,
        kind: 'GlobalRoleBinding',
        name: lab.name('team'),
      };
      // someone may use the provider: then it is left as it is
      expect((await read(config))?.enabled).not.toBe(true);
      expect(await read(feature)).toMatchObject({ spec: { value: null } });

      await run('logins', (rancher) => {
        new GithubAuthConfig(rancher, 'github', {
          clientId: lab.name('client'),
          clientSecret: SecretValue.fromEnv('LIVE_SECRET'),
        });
        new GlobalRoleBinding(rancher, 'team', {
          name: binding.name,
          permission: GlobalPermission.USER_BASE,
          principal: Principal.githubOrganization(TEAM),
        });
        new RancherFeature(rancher, FEATURE, { enabled: false });
      });
      expect(await read(config)).toMatchObject({ enabled: true, clientId: lab.name('client') });
      expect(await read(feature)).toMatchObject({ spec: { value: false } });
      const isUnlocked = async (): Promise<boolean> =>
        (await read(config))?.metadata.annotations?.[ANNOTATION_CLEANUP] === 'unlocked';
      for (let tries = 0; tries < 60 && !(await isUnlocked()); tries++) {
        await sleep(500);
      }
      expect(await isUnlocked()).toBe(true);

      const { steps } = (
        await plan(
          synthesize('logins', () => undefined),
          { ...options('logins'), acceptEmpty: true },
        )
      ).plan;
      expect(steps.map(({ id, action }) => `${action} ${id.split('/').at(-1)}`).sort()).toEqual(
        [`prune ${SECRET}`, `prune ${binding.name}`, 'reset github', `reset ${FEATURE}`].sort(),
      );
      await run('logins', () => undefined);
      const after = await read(config);
      expect(after?.enabled).not.toBe(true);
      expect(after).not.toHaveProperty('clientId');
      expect(after?.type).toBe('githubConfig');
      expect(after?.metadata.annotations?.[ANNOTATION_CLEANUP]).toBe('rancher-locked');
      expect(JSON.stringify(after?.metadata.managedFields)).not.toContain('cdk8s-harvester');
      expect(await read(secret)).toBeUndefined();
      expect(await read(binding)).toBeUndefined();
      expect(await read(feature)).toMatchObject({ spec: { value: null } });
    },
  );
});
