import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { status } from '../../support/fault-proxy';
import { tempFolder } from '../../support/temp';
import { ClusterKind, describeCluster } from '../clusters';
import { CliEnd } from '../doubles/cli-process';
import { until } from '../doubles/fault-rows';
import { Platform } from '../doubles/platform';
import { writeProgram } from '../doubles/program';

/**
 * What must be nowhere. Of lower case letters and digits, since a registration token may hold
 * nothing else.
 */
const canary = (): string => `canary${randomBytes(12).toString('hex')}`;

const KINDS: readonly ClusterKind[] = ['rancher', 'harvester', 'guest'];

describeCluster('a secret on its way through every command', () => {
  const token = canary();
  const password = `${canary()}/+ "ü`;
  const [id, inJson, inUrl, inPem] = [canary(), canary(), canary(), canary()];
  /** Keys that do not look like those of secrets, and values of many shapes. */
  const login = {
    'client-id': id,
    'deploy-key-ref': JSON.stringify({ nested: JSON.stringify({ Password: inJson }) }),
    'proxy-name': `http://me:${inUrl}@proxy.example.com:3128`,
    'bundle': `-----BEGIN RSA PRIVATE KEY-----\n${inPem}\n-----END RSA PRIVATE KEY-----\n`,
    'provider': 'okta_user',
  };
  const folder = tempFolder();
  /** Everything that was ever printed or written, by place. */
  const traces = new Map<string, string>();
  let platform: Platform;
  let dist: string;

  beforeAll(async () => {
    platform = await Platform.start();
    dist = writeProgram(folder, { token, password, login });
  });
  afterAll(async () => {
    await platform?.stop();
  });

  async function run(...args: string[]): Promise<CliEnd> {
    const end = await platform.cli(...args);
    traces.set(`${traces.size}: ${args.join(' ')}`, end.stdout + end.stderr);
    return end;
  }

  async function text(kind: ClusterKind, at: string): Promise<string> {
    return JSON.stringify((await platform.clients[kind].get(at)).body);
  }

  test('plans, in all forms', async () => {
    const file = path.join(platform.workFolder, 'plan.json');
    for (const format of ['text', 'json', 'markdown']) {
      expect((await run('plan', dist, '--output', format, '--write-plan', file)).exitCode).toBe(2);
    }
    traces.set('saved plan', fs.readFileSync(file, 'utf8'));
  });

  test('masks secrets that a server repeats in its refusals', async () => {
    for (const proxy of platform.proxies) {
      // without the key of its digests, an apply does not begin
      proxy.fault = ({ method, path: at, body }) =>
        method === 'PATCH' && /secrets|settings/.test(at) && !at.includes('/kube-system/')
          ? {
              kind: 'answer',
              answer: status(
                422,
                'Invalid',
                `is invalid: okta_user://ana@example.com is none: ${body} and of others ${secrets.join(' ')}`,
              ),
            }
          : undefined;
    }
    const { stdout, exitCode } = await run('apply', dist, '--timeout', '10');
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringContaining('is invalid: okta_user://ana@example.com is none: '),
    ]);
    expect((await run('apply', dist, '--output', 'json', '--timeout', '10')).exitCode).toBe(1);
    platform.calm();
  });

  test('masks secrets in an interrupted apply, in JSON, and in text', async () => {
    const cli = platform.spawn('apply', dist);
    await until(() => platform.proxies.some((proxy) => proxy.count('PATCH') > 0));
    cli.kill('SIGINT');
    const { stdout, stderr } = await cli.ended;
    traces.set('an interrupted apply', stdout + stderr);
    expect(
      (await run('apply', dist, '--output', 'json', '--wait', '--timeout', '600')).exitCode,
    ).toBe(0);
    expect((await run('apply', dist)).exitCode).toBe(0);
  });

  test('changes of the secrets themselves, and what others made of them', async () => {
    const changed = writeProgram(path.join(folder, 'changed'), {
      token,
      password: `${password}x`,
      login,
    });
    for (const format of ['text', 'json', 'markdown']) {
      expect((await run('plan', changed, '--output', format)).exitCode).toBe(2);
    }
    const at = '/api/v1/namespaces/shop-vms/secrets/login';
    await platform.clients.harvester.request('PATCH', at, {
      contentType: 'application/merge-patch+json',
      query: { fieldManager: 'kubectl-edit' },
      body: { data: { password: Buffer.from(`${password}y`).toString('base64') } },
    });
    expect((await run('plan', changed)).exitCode).toBe(3);
    expect((await run('apply', changed)).exitCode).toBe(1);
    expect(
      (await run('apply', changed, '--force-conflicts', 'dc1//Secret/shop-vms/login')).exitCode,
    ).toBe(0);
  });

  test('the other commands', async () => {
    const out = path.join(folder, 'late.json');
    expect((await run('resolve', dist, '--write-values', out)).exitCode).toBe(0);
    // the one file that is for secrets is its owner's alone
    expect([modeOf(out), fs.readFileSync(out, 'utf8').includes(await driverToken())]).toEqual([
      0o600,
      true,
    ]);
    for (const command of [
      ['doctor', dist],
      ['status', dist],
      ['doctor', dist, '--output', 'json'],
      ['show', dist],
      ['lint', dist],
    ]) {
      await run(...command);
    }
    traces.set('driver token', '');
  });

  test('a destroy', async () => {
    // the inventories on the clusters are searched too
    for (const kind of KINDS) {
      const { body } = await platform.clients[kind].get(
        '/api/v1/namespaces/kube-system/configmaps/cdk8s-harvester-default',
      );
      traces.set(
        `inventory on ${kind}`,
        JSON.stringify(body) +
          gunzipSync(Buffer.from(body.binaryData.inventory as string, 'base64')).toString('utf8'),
      );
      traces.set(`events on ${kind}`, await text(kind, '/api/v1/events'));
    }
    secrets.push(await driverToken(), platform.rancherToken, platform.planes.harvester.token);
    expect(
      (await run('destroy', dist, '--yes', '--output', 'json', '--timeout', '600')).exitCode,
    ).toBe(0);
  });

  const secrets: string[] = [
    token,
    password,
    `${password}x`,
    `${password}y`,
    id,
    inJson,
    inUrl,
    inPem,
  ];

  test('then it is nowhere, in none of its forms', () => {
    for (const file of fs.readdirSync(platform.workFolder)) {
      if (file !== 'kubeconfig') {
        traces.set(`file ${file}`, fs.readFileSync(path.join(platform.workFolder, file), 'utf8'));
      }
    }
    expect(traces.size).toBeGreaterThan(25);
    expect(secrets).toHaveLength(11);
    const found = [...traces].flatMap(([where, words]) =>
      secrets.flatMap((secret, index) =>
        formsOf(secret)
          .filter((form) => words.includes(form))
          .map((form) => `${where}: secret ${index} as ${form.slice(0, 12)}…`),
      ),
    );
    expect(found).toEqual([]);
    // proves that the search finds a secret
    expect(
      formsOf(token).filter((form) =>
        JSON.stringify({ a: Buffer.from(token).toString('base64') }).includes(form),
      ),
    ).not.toEqual([]);
  });

  async function driverToken(): Promise<string> {
    const { body } = await platform.clients.harvester.get(
      '/api/v1/namespaces/shop-vms/secrets/driver-token',
    );
    return Buffer.from(body.data.token as string, 'base64').toString('utf8');
  }
});

/**
 * A text as itself and as others write it: base64 also within a longer text, where its ends look
 * otherwise.
 */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const inner = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
      .slice(shift === 0 ? 0 : 4, -2),
  );
  return [
    ...new Set([
      secret,
      bytes.toString('base64'),
      bytes.toString('base64url'),
      bytes.toString('hex'),
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      ...inner,
    ]),
  ];
}

function modeOf(file: string): number {
  // eslint-disable-next-line no-bitwise
  return fs.statSync(file).mode & 0o777;
}
