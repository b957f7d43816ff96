import * as fs from 'node:fs';
import * as path from 'node:path';
import { readAssembly } from '../../../src/engine/read/load-assembly';
import { tempFolder } from '../../support/temp';
import { Client } from '../client';
import { describeCluster } from '../clusters';
import { Platform } from '../doubles/platform';
import { writeProgram } from '../doubles/program';

/** What is asked of a server, and written nowhere. */
const isQuestion = (at: string): boolean => at.endsWith('/selfsubjectaccessreviews');

describeCluster('a platform from nothing to its changes, over three API servers', () => {
  const folder = tempFolder();
  let platform: Platform;
  let dist: string;

  beforeAll(async () => {
    platform = await Platform.start();
    dist = writeProgram(folder);
  });
  afterAll(async () => {
    await platform?.stop();
  });
  beforeEach(() => platform.calm());

  /** What was asked of the clusters that a dry run is not. */
  const writes = (): string[] =>
    platform.proxies
      .flatMap(({ requests }) => requests)
      .filter(
        ({ method, path: at }) => method !== 'GET' && !isQuestion(at) && !at.includes('dryRun=All'),
      )
      .map(({ method, path: at }) => `${method} ${at}`);

  test('a plan over empty clusters creates everything, in an order, and writes nothing', async () => {
    const { stdout, exitCode } = await platform.cli('plan', dist);
    expect(exitCode).toBe(2);
    expect(stdout).toContain('plan: 15 to create');
    expect(stdout).toContain('(known after apply)');
    expect(stdout.indexOf('+ Cluster fleet-default/dc1-shop')).toBeLessThan(
      stdout.indexOf('+ Project'),
    );
    expect(writes()).toEqual([]);
  });

  test('contexts of other clusters are refused before anything is written', async () => {
    const { stdout, stderr, exitCode } = await platform.cli(
      'apply',
      dist,
      '--context',
      'rancher=dc1',
      '--context',
      'dc1=rancher',
    );
    expect(exitCode).toBe(1);
    // whichever of the two answers first
    const [harvester, rancher] = ['Harvester', 'Rancher management'];
    expect(stdout + stderr).toMatch(
      new RegExp(
        `must be a ${harvester} cluster, got a ${rancher} cluster|must be a ${rancher} cluster, got a ${harvester} cluster`,
      ),
    );
    expect(writes()).toEqual([]);
  });

  test('applies everything in one run: the import, the tenant, the guest cluster with tokens from Harvester, and its Service', async () => {
    const { stdout, exitCode } = await platform.cli('apply', dist, '--wait', '--timeout', '600');
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining('ready      shop//Service/default/web-shop'),
    ]);
    expect(platform.problems).toEqual([]);
    // the placeholder never came to the Harvester, the first value was right
    expect(platform.harvester.registrations.filter((value) => value !== '')).toEqual([
      expect.stringMatching(
        /"https:\/\/rancher\.example\.com\/v3\/import\/[0-9a-f]{54}_c-m-\w+\.yaml"/,
      ),
    ]);
    // the credential opens the Harvester, as the account
    const { body } = await platform.clients.rancher.get(
      '/api/v1/namespaces/cattle-global-data/secrets/cc-shop',
    );
    const kubeconfig = Buffer.from(
      body.data['harvestercredentialConfig-kubeconfigContent'] as string,
      'base64',
    ).toString('utf8');
    expect(kubeconfig).toMatch(/^kind: Config\nca: [A-Za-z0-9+/=]+\ntoken: [\w.-]+\n$/);
    const asDriver = new Client({
      url: platform.planes.harvester.url,
      ca: platform.planes.harvester.ca,
      token: /token: (.*)/.exec(kubeconfig)![1],
    });
    const { body: review } = await asDriver.request(
      'POST',
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      { body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' } },
    );
    expect(review.status.userInfo.username).toBe('system:serviceaccount:shop-vms:driver');
  });

  test('then a plan is quiet and costs one request an object, whatever controllers wrote', async () => {
    const { stdout, exitCode } = await platform.cli('plan', dist);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('plan: 17 unchanged')]);
    const assembly = readAssembly(dist);
    const asked = platform.proxies.flatMap(({ requests }) => requests);
    expect(asked.filter(({ method, path: at }) => method !== 'GET' && !isQuestion(at))).toEqual([]);
    for (const { name, namespace } of assembly.objects) {
      const about = asked.filter(
        ({ path: at }) =>
          at.endsWith(`/${name}`) &&
          (!namespace || at.includes(`/namespaces/${namespace}/`)) &&
          !at.includes('/namespaces/kube-system'),
      );
      // late values are read from some once more
      const late = assembly.lateValues.some(
        ({ source }) => 'name' in source && source.name === name,
      );
      const managed = name === 'shop' || name === 'dc1-shop';
      expect([name, about.length <= (late || managed ? 3 : 1)]).toEqual([name, true]);
    }
  });

  test('a second apply writes no object', async () => {
    const { stdout, exitCode } = await platform.cli('apply', dist);
    expect([exitCode, stdout]).toEqual([0, expect.not.stringMatching(/^(created|configured)/m)]);
    expect(writes().filter((write) => !write.includes('/cdk8s-harvester-default'))).toEqual([]);
  });

  test('a change is shown field by field, saved, and exactly that is applied', async () => {
    dist = writeProgram(folder, { machines: 2 });
    const file = path.join(platform.workFolder, 'plan.json');
    const plan = await platform.cli('plan', dist, '--write-plan', file);
    expect([plan.exitCode, plan.stdout]).toEqual([
      2,
      expect.stringMatching(/quantity: 1 -> 2[^]*1 to update, 16 unchanged/),
    ]);
    expect(modeOf(file)).toBe(0o600);
    const { stdout, exitCode } = await platform.cli('apply', dist, '--plan', file);
    expect([exitCode, stdout.match(/^(created|configured).*/gm)]).toEqual([
      0,
      ['configured rancher/provisioning.cattle.io/Cluster/fleet-default/shop'],
    ]);
    expect((await platform.cli('plan', dist)).exitCode).toBe(0);
  });

  test('what is no longer declared is pruned, and nothing else', async () => {
    dist = writeProgram(folder, { machines: 2, extras: false });
    const plan = await platform.cli('plan', dist);
    expect([plan.exitCode, plan.stdout]).toEqual([
      2,
      expect.stringContaining('- KeyPair default/key-shop'),
    ]);
    const { stdout, exitCode } = await platform.cli('apply', dist);
    expect([exitCode, stdout.match(/^deleted.*/gm)]).toEqual([
      0,
      ['deleted    dc1/harvesterhci.io/KeyPair/default/key-shop'],
    ]);
    expect((await platform.cli('plan', dist)).exitCode).toBe(0);
    expect(platform.problems).toEqual([]);
  });

  test('late values are found without applying, and never printed where they are credentials', async () => {
    const out = path.join(platform.workFolder, 'late.json');
    const { stdout, exitCode } = await platform.cli('resolve', dist, '--write-values', out);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/^dc1\.late-token .*<sha256:[0-9a-f]{8}>$/m),
    ]);
    expect(modeOf(out)).toBe(0o600);
    expect(writes()).toEqual([]);
  });

  test('registers a Harvester only where that is needed', async () => {
    const { stdout, exitCode } = await platform.cli('register', 'dc1', dist);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(
        /unchanged +dc1\/harvesterhci\.io\/Setting\/\/cluster-registration-url/,
      ),
    ]);
    expect(writes().filter((write) => !write.includes('/cdk8s-harvester-default'))).toEqual([]);
  });

  test('registers a Harvester again after its token was rotated, which apply leaves alone, and prints no token', async () => {
    const [, former, id] = /import\/([^_]+)_(c-m-\w+)\.yaml/.exec(
      platform.harvester.registrations.at(-1)!,
    )!;
    const secrets = `/api/v1/namespaces/${id}/secrets`;
    const {
      body: { items },
    } = await platform.clients.rancher.get(secrets);
    const isFormer = ({ data = {} }: { data?: { token?: string } }) =>
      Buffer.from(data.token ?? '', 'base64').toString() === former;
    const [
      {
        metadata: { name },
      },
    ] = (items as { metadata: { name: string }; data?: { token?: string } }[]).filter(isFormer);
    const token = 'rotated'.repeat(7);
    await platform.clients.rancher.request('PATCH', `${secrets}/${name}`, {
      body: { stringData: { token } },
      contentType: 'application/merge-patch+json',
    });
    expect((await platform.cli('apply', dist)).exitCode).toBe(0);
    expect(platform.harvester.registrations.at(-1)).not.toContain(token);
    const { stdout, stderr, exitCode } = await platform.cli(
      'register',
      'dc1',
      dist,
      '--timeout',
      '600',
    );
    expect([exitCode, stdout, stderr]).toEqual([
      0,
      expect.stringMatching(
        /ready +rancher\/provisioning\.cattle\.io\/Cluster\/fleet-default\/dc1\b/,
      ),
      '',
    ]);
    expect(stdout).not.toContain(token);
    expect(platform.harvester.registrations.at(-1)).toContain(token);
    expect((await platform.cli('plan', dist)).exitCode).toBe(0);
    expect(platform.problems).toEqual([]);
  });
});

function modeOf(file: string): number {
  // eslint-disable-next-line no-bitwise
  return fs.statSync(file).mode & 0o777;
}
