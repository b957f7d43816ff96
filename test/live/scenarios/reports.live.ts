import { API_VERSIONS, LOCAL_CLUSTER } from '../../../src/core/manifest/names';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { KeyPair } from '../../../src/harvester/key-pair/key-pair';
import { ImportedCluster } from '../../../src/rancher/imported-cluster/imported-cluster';
import { Principal } from '../../../src/rancher/members/principal';
import { ProjectMember } from '../../../src/rancher/project/tenant-namespace';
import { TenantProject } from '../../../src/rancher/project/tenant-project';
import { GlobalPermission } from '../../../src/rancher/role/roles';
import { LocalUser } from '../../../src/rancher/user/user';
import { tempFolder } from '../../support/temp';
import { Question, isAllowed, wrongAnswers } from '../lab/access';
import { Lab } from '../lab/lab';
import { Charts, Walk } from '../walk/walk';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA0hUAKCTtYsuIFcE0xJqZ4Dqy3vGKOlMcB5Jk0dJx2e';
const PROJECTS = `rancher/management.cattle.io/Project/${LOCAL_CLUSTER}`;
const USERS = ['ana', 'ben', 'cid'] as const;

/** A team: a project, with its owners, and key pairs in namespaces of the Harvester. */
interface Team {
  /** The ID of its construct. @default - its name */
  readonly id?: string;
  readonly owners: readonly (typeof USERS)[number][];
  readonly description?: string;
}

/** A platform at one commit. */
interface Platform {
  readonly teams: { readonly [name: string]: Team };
  readonly namespaces: readonly string[];
  /** The namespaces of key pairs, by their names. */
  readonly keys: { readonly [name: string]: string };
  /** The teams whose projects leave for others: an apply refuses a rename that is not accepted. */
  readonly replaced?: readonly string[];
}

const FIRST: Platform = {
  teams: { plant: { owners: ['ana'] }, search: { owners: ['ben'] } },
  namespaces: ['plant', 'search'],
  keys: { ops: 'plant' },
};

/** What commits do, each on top of the previous one. */
const COMMITS: readonly (readonly [title: string, edit: (before: Platform) => Platform])[] = [
  ['adds the platform', () => FIRST],
  [
    'adds a team',
    (before) => ({
      ...before,
      teams: { ...before.teams, ml: { owners: ['cid', 'ana'] } },
      namespaces: [...before.namespaces, 'ml'],
    }),
  ],
  [
    'describes a team, and adds a key',
    (before) => ({
      ...before,
      teams: { ...before.teams, plant: { owners: ['ana'], description: 'all sites' } },
      keys: { ...before.keys, gateway: 'ml' },
    }),
  ],
  [
    'changes an owner',
    (before) => ({ ...before, teams: { ...before.teams, plant: { owners: ['ben'] } } }),
  ],
  [
    'renames a team',
    ({ teams: { search, ...teams }, ...before }) => ({
      ...before,
      teams: { ...teams, find: { ...search!, id: 'search' } },
      replaced: ['search'],
    }),
  ],
  [
    'moves a key to another namespace',
    (before) => ({ ...before, keys: { ...before.keys, ops: 'search' } }),
  ],
  [
    'removes an owner',
    (before) => ({ ...before, teams: { ...before.teams, ml: { owners: ['cid'] } } }),
  ],
  ['removes a key', (before) => ({ ...before, keys: { ops: before.keys.ops! } })],
  ['reverts all of it', () => ({ ...FIRST, replaced: ['find'] })],
  [
    'removes a team',
    ({ teams: { plant }, keys, namespaces }) => ({ teams: { plant: plant! }, keys, namespaces }),
  ],
];

/** What a review reports of each commit, and what the servers do then. */
describe('the reports of commits', () => {
  let lab: Lab;
  let walk: Walk;
  let platform: Platform = { teams: {}, namespaces: [], keys: {} };

  beforeAll(async () => {
    lab = await Lab.open(tempFolder());
    walk = new Walk(lab, 'reports');
  });
  afterAll(async () => {
    const left = await lab?.clean();
    lab?.close();
    expect(left).toEqual([]);
  });

  const declare =
    ({ teams, namespaces, keys, replaced = [] }: Platform) =>
    ({ app, rancher, dc1 }: Charts): void => {
      for (const name of replaced) {
        app.acceptRemoval(`${PROJECTS}/${lab.name(name)}`, 'renamed');
      }
      const cluster = ImportedCluster.fromClusterId(rancher, 'local', { clusterId: LOCAL_CLUSTER });
      const users = new Map(
        USERS.map((each) => {
          const name = lab.name(each);
          const permissions = [GlobalPermission.USER_BASE];
          return [
            each,
            new LocalUser(rancher, each, { name, username: name, permissions }),
          ] as const;
        }),
      );
      for (const [name, { id = name, owners, description }] of Object.entries(teams)) {
        new TenantProject(rancher, id, {
          cluster,
          name: lab.name(name),
          description,
          members: owners.map((each) => ProjectMember.owner(Principal.localUser(users.get(each)!))),
        });
      }
      const spaces = new Map(
        namespaces.map((name) => [
          name,
          new HarvesterNamespace(dc1, name, { name: lab.name(name) }),
        ]),
      );
      for (const [name, namespace] of Object.entries(keys)) {
        new KeyPair(dc1, name, {
          name: lab.name(name),
          namespace: spaces.get(namespace)!,
          publicKey: KEY,
        });
      }
    };

  /** Whether each user may change the project of each team, on the server. */
  const questions = (teams: readonly string[]): Omit<Question, 'allowed'>[] =>
    USERS.flatMap((user) =>
      teams.map((team) => ({
        on: 'rancher' as const,
        user: lab.name(user),
        verb: 'update',
        group: API_VERSIONS.MANAGEMENT.split('/')[0],
        resource: 'projects',
        namespace: LOCAL_CLUSTER,
        name: lab.name(team),
      })),
    );

  /** What a review reports of a user and a project; undefined: nothing changes. */
  const reported = ({ user, name }: Omit<Question, 'allowed'>): boolean | undefined => {
    const own = walk.said!.review.access.filter(
      ({ principal, where }) =>
        principal.endsWith(`//${user}`) && where.includes(`project ${name}`),
    );
    if (own.some(({ gains }) => gains.length > 0)) {
      return true;
    }
    return own.some(({ loses }) => loses.length > 0) ? false : undefined;
  };

  test.each(COMMITS)(
    'a commit that %s does what they report, and nothing else',
    async (title, edit) => {
      const before = platform;
      platform = edit(before);
      const names = [...new Set([...Object.keys(before.teams), ...Object.keys(platform.teams)])];
      const asked = questions(names);
      const was = await Promise.all(
        asked.map(async (question) => isAllowed(lab, { ...question, allowed: true })),
      );
      const wrong = await walk.commit(declare(platform), {
        pruneMachines: true,
        acceptInUse: before.namespaces.map((name) => `dc1//Namespace//${lab.name(name)}`),
      });
      // what an apply refuses changes no access
      const { problems = [], steps } = walk.said!.plan;
      expect([...problems, ...steps.flatMap(({ refused }) => refused ?? [])]).toEqual([]);
      const access = await wrongAnswers(
        lab,
        asked.map((question, at) => ({ ...question, allowed: reported(question) ?? was[at]! })),
      );
      process.stderr.write(`${title}: ${[...wrong, ...access].length} disagreements\n`);
      expect([...wrong, ...access.map((text) => `review: access: ${text}`)]).toEqual([]);
    },
  );

  test('and nothing is left at the end', async () => {
    const acceptInUse = platform.namespaces.map((name) => `dc1//Namespace//${lab.name(name)}`);
    expect(await walk.destroy(acceptInUse)).toEqual([]);
  });
});
