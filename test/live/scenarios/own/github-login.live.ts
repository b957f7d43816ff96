import { createServer, Server } from 'node:http';
import { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SecretValue } from '../../../../src/core/value/secret-value';
import { GithubAuthConfig } from '../../../../src/rancher/auth/hosted-auth-config';
import { GlobalRoleBinding } from '../../../../src/rancher/members/members';
import { Principal } from '../../../../src/rancher/members/principal';
import { GlobalPermission } from '../../../../src/rancher/role/roles';
import { tempFolder } from '../../../support/temp';
import { askRancher } from '../../judge/trials/rancher-api';
import { Lab } from '../../lab/lab';
import { Declare, Walk } from '../../walk/walk';

const LOGIN = '/v3-public/githubProviders/github?action=login';
const REVIEWS = '/k8s/clusters/local/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const SECRET = 'LIVE_GITHUB_SECRET';
const WITHIN_MS = 60_000;

/** The IDs of a user and an organization of the stand-in. */
const [USER, ORGANIZATION] = [471147, 987654321];

/**
 * A stand-in for GitHub Enterprise with one user, who is in one organization.
 *
 * @see rancher/rancher:pkg/auth/providers/github/github_client.go getURL (2.15.0)
 */
async function startGithub(login: string): Promise<Server> {
  const answers: { readonly [path: string]: unknown } = {
    '/login/oauth/access_token': { access_token: 'token-of-the-stand-in' },
    '/api/v3/user': { id: USER, login, name: login, type: 'User' },
    '/api/v3/user/orgs': [{ id: ORGANIZATION, login: 'team', name: 'team', type: 'Organization' }],
    '/api/v3/user/teams': [],
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://github.invalid');
    response.writeHead(pathname in answers ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answers[pathname] ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

describe('a login by a provider that the program declares', () => {
  let lab: Lab;
  let walk: Walk;
  let github: Server;
  let token: string;

  const declare =
    (isGranted: boolean): Declare =>
    ({ rancher }) => {
      new GithubAuthConfig(rancher, 'github', {
        clientId: 'live',
        clientSecret: SecretValue.fromEnv(SECRET),
        hostname: `127.0.0.1:${(github.address() as AddressInfo).port}`,
        tls: false,
      });
      if (isGranted) {
        new GlobalRoleBinding(rancher, 'team', {
          name: lab.name('team'),
          permission: GlobalPermission.ADMIN,
          principal: Principal.githubOrganization(ORGANIZATION),
        });
      }
    };

  /** Whether the user may delete Secrets, as Rancher answers with the user's token. */
  async function mayDelete(): Promise<boolean> {
    const { text } = await askRancher(
      lab.facts.serverUrl + REVIEWS,
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes: { verb: 'delete', resource: 'secrets' } },
      },
      token,
    );
    return (JSON.parse(text) as { status?: { allowed?: boolean } }).status?.allowed === true;
  }

  async function becomes(expected: boolean): Promise<boolean> {
    for (const end = Date.now() + WITHIN_MS; Date.now() < end; await sleep(500)) {
      if ((await mayDelete()) === expected) {
        return true;
      }
    }
    return false;
  }

  beforeAll(async () => {
    lab = await Lab.open(tempFolder(), ['rancher']);
    walk = new Walk(lab, 'github');
    github = await startGithub(lab.name('octo'));
    process.env[SECRET] = 'not-a-secret';
  });
  afterAll(async () => {
    await walk?.destroy();
    const left = await lab?.clean();
    lab?.close();
    github?.close();
    expect(left).toEqual([]);
  });

  test('gives what a group of the provider has, until the binding leaves', async () => {
    expect(await walk.commit(declare(true))).toEqual([]);
    const { status, text } = await askRancher(lab.facts.serverUrl + LOGIN, {
      code: 'code-of-the-stand-in',
      responseType: 'json',
    });
    expect({ status, text: status < 300 ? '' : text }).toEqual({ status: 201, text: '' });
    ({ token } = JSON.parse(text) as { token: string });
    expect(await becomes(true)).toBe(true);
    expect(await walk.commit(declare(false))).toEqual([]);
    expect(await becomes(false)).toBe(true);
  });

  test('is not possible once the provider leaves, and its token is worth nothing', async () => {
    expect(await walk.commit(() => undefined)).toEqual([]);
    const again = await askRancher(lab.facts.serverUrl + LOGIN, { code: 'code-of-the-stand-in' });
    expect(again.status).toBeGreaterThanOrEqual(400);
    const url = `${lab.facts.serverUrl}/v3/users?me=true`;
    let status = 200;
    for (const end = Date.now() + WITHIN_MS; status < 400 && Date.now() < end; await sleep(500)) {
      ({ status } = await askRancher(url, undefined, token));
    }
    expect(status).toBeGreaterThanOrEqual(400);
  });
});
