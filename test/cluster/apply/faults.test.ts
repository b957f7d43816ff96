import * as path from 'node:path';
import { ApiObject } from 'cdk8s';
import { Edges, EdgeType } from '../../../src/late';
import { Fault, ProxiedRequest, status } from '../../support/fault-proxy';
import { tempFolder } from '../../support/temp';
import { describeCluster } from '../clusters';
import { COUNT, FaultRows, isMap } from '../doubles/fault-rows';
import { Platform } from '../doubles/platform';
import { writeObjects, writeProgram } from '../doubles/program';

/*
 * The rows of facts/apply.md 4.2 that are an apply's; the number of the row is in the name of each test. Here are those on the way and of the
 * servers; those of state are in faults-of-state.test.ts. Elsewhere: 8, 20 (renewed), 45, 46 (each check) in test/apply/transport and test/apply/bind;
 * 17, 26, 27 (injected clocks) in test/apply/ready and test/apply/run; 23 in sigkill.test.ts; 28 in the benchmark; 30, 43 in the tests of synthesis;
 * 35, 36 in destroy.test.ts; 50 in end-to-end.test.ts.
 */
describeCluster('faults on the way of an apply', () => {
  const folder = tempFolder();
  let platform: Platform;
  let rows: FaultRows;

  beforeAll(async () => {
    platform = await Platform.start();
    rows = new FaultRows(platform, folder, 'way');
  }, 180_000);
  afterAll(async () => { await platform?.stop(); });
  beforeEach(() => rows.next());

  /** Each first request that matches meets a fault. */
  const firstEach = (fault: Fault): ((request: ProxiedRequest) => Fault | undefined) => {
    const met = new Set<string>();
    return (request) => {
      const key = request.path.split('?')[0];
      if (!isMap(request) || met.has(key)) { return undefined; }
      met.add(key);
      return fault;
    };
  };

  test.each<[string, Fault]>([
    ['too many requests, with Retry-After (1)', { kind: 'answer', answer: { ...status(429, 'TooManyRequests', 'too many'), headers: { 'retry-after': '1' } } }],
    ['too many requests, without (2)', { kind: 'answer', answer: status(429, 'TooManyRequests', 'too many') }],
    ['etcd elects (4)', { kind: 'answer', answer: status(500, 'InternalError', 'etcdserver: leader changed') }],
    ['a connection that is cut before (5)', { kind: 'cut-before' }],
    ['a connection that is cut after (6)', { kind: 'cut-after' }],
    ['an answer that ends in the middle (7)', { kind: 'truncate' }],
    ['a webhook that is away (12)', { kind: 'answer', answer: status(500, 'InternalError', 'Internal error occurred: failed calling webhook "v.example.com": connection refused') }],
  ])('%s: everything is applied, once', async (_, fault) => {
    const dist = rows.maps();
    platform.harvesterProxy.fault = firstEach(fault);
    const { stdout, exitCode } = await rows.apply(dist);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('21 done')]);
    expect(await rows.there()).toHaveLength(COUNT);
    const { body } = await platform.clients.harvester.get(`/api/v1/namespaces/${rows.name}/configmaps/map-0`);
    expect(body.metadata.managedFields).toHaveLength(1);
    platform.harvesterProxy.fault = undefined;
    expect(await platform.cli('plan', dist, '--app', rows.name)).toMatchObject({ exitCode: 0 });
  });

  test('a proxy says that its server is away for some seconds (3)', async () => {
    const dist = rows.maps();
    const until = Date.now() + 4_000;
    platform.harvesterProxy.fault = (request) => (Date.now() < until && isMap(request)
      ? { kind: 'answer', answer: { status: 503, headers: { 'content-type': 'text/html' }, body: '<html>Service Unavailable</html>' } } : undefined);
    const { stdout, exitCode } = await rows.apply(dist);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('21 done')]);
    expect(await rows.there()).toHaveLength(COUNT);
  });

  test('a field is somebody else\'s: that one fails and says whose, the others are applied, nothing is pruned (9)', async () => {
    expect((await rows.apply(rows.maps(COUNT, (dc1) => { new ApiObject(dc1, 'former', rows.mapOf('former')); }))).exitCode).toBe(0);
    const at = `/api/v1/namespaces/${rows.name}/configmaps/map-3`;
    await platform.clients.harvester.request('PATCH', at, {
      contentType: 'application/merge-patch+json', query: { fieldManager: 'kubectl-edit' }, body: { data: { data: 'theirs' } },
    });
    const { stdout, exitCode } = await rows.apply(rows.maps(COUNT, undefined, 'b'));
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/ConfigMap\/\w+-\d+\/map-3.*\.data\.data is kubectl-edit's/)]);
    expect(stdout).toContain('20 done, 1 failed');
    expect((await platform.clients.harvester.get(`/api/v1/namespaces/${rows.name}/configmaps/former`)).status).toBe(200);
    expect((await platform.clients.harvester.get(at)).body.data.data).toBe('theirs');
    const forced = await rows.apply(rows.maps(COUNT, undefined, 'b'), '--force-conflicts', `dc1//ConfigMap/${rows.name}/map-3`);
    expect([forced.exitCode, (await platform.clients.harvester.get(at)).body.data.data]).toEqual([0, 'b']);
    expect((await platform.clients.harvester.get(`/api/v1/namespaces/${rows.name}/configmaps/former`)).status).toBe(404);
  });

  test('an object was changed between plan and apply: nothing is written (10)', async () => {
    expect((await rows.apply(rows.maps())).exitCode).toBe(0);
    const dist = rows.maps(COUNT, undefined, 'b');
    const file = path.join(folder, 'row-10.json');
    expect((await platform.cli('plan', dist, '--app', rows.name, '--out', file)).exitCode).toBe(2);
    await platform.clients.harvester.request('PATCH', `/api/v1/namespaces/${rows.name}/configmaps/map-3`, {
      contentType: 'application/merge-patch+json', query: { fieldManager: 'kubectl-edit' }, body: { data: { data: 'c' } },
    });
    platform.calm();
    const { stderr, exitCode } = await platform.cli('apply', file, '--dist', dist, '--app', rows.name);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/nothing was written[^]*map-3/)]);
    expect(platform.harvesterProxy.requests.filter((request) => isMap(request) && !request.path.includes('dryRun'))).toEqual([]);
  });

  test('a webhook refuses one: its words, no second try, what needs it is skipped, nothing is pruned (11, 13)', async () => {
    const dist = rows.maps(COUNT, (dc1, namespace) => {
      const needs = new ApiObject(dc1, 'needs', rows.mapOf('needs'));
      Edges.of(needs).after(dc1.node.findChild('map-4'), EdgeType.APPLIED);
      expect(namespace).toBeDefined();
    });
    // dry runs pass, as with webhooks that skip them
    platform.harvesterProxy.fault = ({ method, path: at }) => (method === 'PATCH' && at.includes('/map-4?') && !at.includes('dryRun')
      ? { kind: 'answer', answer: status(403, 'Forbidden', 'admission webhook "v.example.com" denied the request: not on a Friday') } : undefined);
    const { stdout, exitCode } = await rows.apply(dist);
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('admission webhook "v.example.com" denied the request: not on a Friday')]);
    expect(stdout).toMatch(/20 done, 1 failed, 1 skipped/);
    expect(platform.harvesterProxy.count('PATCH', /map-4\?/)).toBe(1);
    expect(await rows.there()).toHaveLength(COUNT - 1);
  });

  test('Rancher never gives the cluster its id: the time ends, with the reason, and the next run goes on (14)', async () => {
    const dist = writeProgram(folder, { name: rows.name, register: false, settings: false });
    await platform.rancher.stop();
    const { stdout, exitCode } = await rows.apply(dist, '--timeout', '4');
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/failed: .*namespaces "c-m-\w+" not found/)]);
    platform.rancher.start();
    const again = await rows.apply(dist, '--timeout', '60');
    expect([again.exitCode, platform.problems]).toEqual([0, []]);
  });

  test('the token of a registration never comes: the Secret is named, and no placeholder ever reaches the Harvester (15)', async () => {
    const dist = writeProgram(folder, { name: rows.name });
    platform.rancherProxy.fault = ({ path: at }) => (at.includes('/secrets/crt-token-') ? { kind: 'answer', answer: status(404, 'NotFound', 'secrets "crt-token-gitops" not found') } : undefined);
    const { stdout, exitCode } = await rows.apply(dist, '--timeout', '6');
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/failed: .*crt-token-gitops/)]);
    expect(platform.harvesterProxy.requests.filter(({ method, body }) => method === 'PATCH' && body.includes('{token}'))).toEqual([]);
    expect(platform.harvester.registrations.filter((value) => value !== '')).toEqual([]);

    // late is soon enough
    platform.rancherProxy.fault = undefined;
    expect((await rows.apply(dist, '--timeout', '60', '--wait')).exitCode).toBe(0);
    expect(platform.harvester.registrations.filter((value) => value.includes('{token}'))).toEqual([]);

    // and another token afterwards is no change (16)
    const { body } = await platform.clients.rancher.get(`/apis/provisioning.cattle.io/v1/namespaces/fleet-default/clusters/dc1-${rows.name}`);
    const secret = `/api/v1/namespaces/${body.status.clusterName}/secrets/crt-token-gitops`;
    await platform.clients.rancher.request('PATCH', secret, { contentType: 'application/merge-patch+json', body: { data: { token: Buffer.from('rotated0123456789').toString('base64') } } });
    expect(await platform.cli('plan', dist, '--app', rows.name)).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^plan: \d+ unchanged$/m) });
  });

  test('what failed for good is not waited for (18)', async () => {
    platform.harvester.brokenImages.add(`broken-${rows.name}`);
    const dist = writeObjects(folder, rows.name, (dc1) => {
      new ApiObject(dc1, 'image', {
        apiVersion: 'harvesterhci.io/v1beta1',
        kind: 'VirtualMachineImage',
        metadata: { name: `broken-${rows.name}`, namespace: 'default' },
        spec: { displayName: `broken-${rows.name}`, sourceType: 'download', url: 'https://cloud-images.example.com/none.img' },
      });
    });
    const { stdout, exitCode } = await rows.apply(dist, '--wait');
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('downloading failed: 404 Not Found')]);
  });

  test('a condition of an earlier value is none: a Setting waits for its hash (19)', async () => {
    const setting = (servers: string[]): string => writeObjects(folder, rows.name, (dc1) => {
      new ApiObject(dc1, 'ca', { apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', metadata: { name: 'overcommit-config' }, ...{ value: JSON.stringify({ cpu: servers.length * 100, memory: 150, storage: 200 }) } });
    });
    expect((await rows.apply(setting(['a', 'b']), '--wait')).exitCode).toBe(0);
    await platform.harvester.stop();
    const { stdout, exitCode } = await rows.apply(setting(['a', 'b', 'c']), '--wait', '--timeout', '3');
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/overcommit-config.*not ready after 3 s: Harvester has not carried its value out yet/)]);
    platform.harvester.start();
    expect((await rows.apply(setting(['a', 'b', 'c']), '--wait')).exitCode).toBe(0);
  });

  test('one cluster knows us no more: it is said which, the other is brought to its end, and the next run goes on (20)', async () => {
    const dist = writeObjects(folder, rows.name, (dc1, rancher) => {
      for (const chart of [dc1, rancher]) {
        for (let n = 0; n < COUNT; n++) { new ApiObject(chart, `map-${n}`, { ...rows.mapOf(`${rows.name}-${n}`), metadata: { name: `${rows.name}-${n}`, namespace: 'default' } }); }
      }
    });
    let written = 0;
    platform.harvesterProxy.fault = ({ method, path: at }) => (at.includes(`/${rows.name}-`) && method === 'PATCH' && ++written > 3
      ? { kind: 'answer', answer: status(401, 'Unauthorized', 'Unauthorized') } : undefined);
    const { stdout, exitCode } = await rows.apply(dist);
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/dc1.*(401|Unauthorized|credentials)/)]);
    const { body } = await platform.clients.rancher.list('v1', 'ConfigMap', 'default');
    expect((body.items as { metadata: { name: string } }[]).filter(({ metadata }) => metadata.name.startsWith(`${rows.name}-`))).toHaveLength(COUNT);
    platform.harvesterProxy.fault = undefined;
    expect(await rows.apply(dist)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('40 done') });
  });

  test('what we may not do is said in the words of the server, at once (21)', async () => {
    const dist = rows.maps(5);
    platform.harvesterProxy.fault = ({ method, path: at }) => (method === 'PATCH' && at.includes('/map-2?')
      ? { kind: 'answer', answer: status(403, 'Forbidden', 'configmaps "map-2" is forbidden: User "ci" cannot patch resource "configmaps"') } : undefined);
    const { stdout, exitCode } = await rows.apply(dist);
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('User "ci" cannot patch resource')]);
    expect(platform.harvesterProxy.count('PATCH', /map-2\?/)).toBe(1);
  });

  test('rights that were just given take some seconds to be known (22)', async () => {
    const dist = rows.maps(2, (dc1, namespace) => {
      const role = new ApiObject(dc1, 'role', { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'r', namespace }, ...{ rules: [] } });
      ['map-0', 'map-1'].forEach((name) => Edges.of(dc1.node.findChild(name) as ApiObject).after(role, EdgeType.APPLIED));
    });
    let tries = 0;
    platform.harvesterProxy.fault = ({ method, path: at }) => (method === 'PATCH' && at.includes('/map-1?') && ++tries <= 2
      ? { kind: 'answer', answer: status(403, 'Forbidden', 'configmaps "map-1" is forbidden: User "ci" cannot patch resource "configmaps"') } : undefined);
    expect([(await rows.apply(dist)).exitCode, tries]).toEqual([0, 3]);
  });
});
