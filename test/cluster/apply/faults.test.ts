import * as path from 'node:path';
import { ApiObject } from 'cdk8s';
import { EdgeType, Edges } from '../../../src/core/late/edge';
import { LateSource, LateValue } from '../../../src/core/late/late-value';
import { Fault, status } from '../../support/fault-proxy';
import { tempFolder } from '../../support/temp';
import { describeCluster } from '../clusters';
import { COUNT, FaultRows, firstEach, isMap, said } from '../doubles/fault-rows';
import { Platform } from '../doubles/platform';
import { writeObjects, writeProgram } from '../doubles/program';

/*
 * The rows of the table in facts/apply.md 4.2, each where it is tested, end to end through the command line where nothing else is said. The number of a
 * row is in the name of its tests.
 *
 *  1 2 4 5 6 7 12   here; also the transport alone: test/apply/transport/node-transport.test.ts (waits as long as Retry-After says, fewer at a time)
 *  3 8 17 23 26 27  faults-of-time.test.ts; 23 at every request: sigkill.test.ts; 26 (certificate not valid yet): faults-of-connection.test.ts;
 *                   27 (idle connections): test/apply/transport/idle-connections.test.ts
 *  9 10 11 13 14    here; 10 (fields of others are kept): apply.test.ts
 *  15 16 18 19 22   here; 15 (the Secret comes later, another key): test/apply/late/late-resolver.test.ts
 *  20               here (a static token), faults-of-connection.test.ts (a token that is renewed)
 *  21               here (the words of the server); asked before anything is written: preflight.test.ts
 *  24 25 29         faults-of-state.test.ts; 25 (files of late values): test/apply/late/write-resolved.test.ts
 *  28               npx projen bench; lists in pages: transport.test.ts; a list that is too old, connections: test/apply/transport, test/apply/cluster
 *  30 43            faults-of-input.test.ts; also test/app/harvester-app.test.ts, test/model/yaml-writer.test.ts
 *  31 to 34, 37     faults-of-state.test.ts
 *  35 36            destroy.test.ts, transport.test.ts; the fix for a Namespace: test/apply/run/guards.test.ts
 *  38 45 46         faults-of-connection.test.ts; 38 (what nobody needs): faults-of-state.test.ts
 *  39               managed-fields.test.ts
 *  40 41 42 44      faults-of-state.test.ts; 44 (saved plans): test/apply/plan/plan-file.test.ts
 *  47 48 49         faults-of-state.test.ts
 *  50               end-to-end.test.ts, test/apply/run/guest.test.ts
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

  test('a webhook refuses one: its words, no second try, what needs it is skipped, nothing is pruned (11)', async () => {
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

  test('a webhook that refuses what a dry run let pass: that is said (13)', async () => {
    const dist = rows.maps(2);
    expect((await rows.apply(dist)).exitCode).toBe(0);
    const file = path.join(folder, 'row-13.json');
    expect((await platform.cli('plan', rows.maps(2, undefined, 'b'), '--app', rows.name, '--out', file)).exitCode).toBe(2);
    platform.harvesterProxy.fault = ({ method, path: at }) => (method === 'PATCH' && at.includes('/map-1?') && !at.includes('dryRun')
      ? { kind: 'answer', answer: status(400, 'BadRequest', 'admission webhook "v.example.com" denied the request: not on a Friday') } : undefined);
    const { stdout, exitCode } = await rows.apply(file, '--dist', dist);
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/map-1 .*denied the request: not on a Friday; its dry run had passed: what refuses it looks at real writes only/)]);
    expect(stdout).toContain('2 done, 1 failed');
  });

  test('Rancher never gives the cluster its id: its conditions, its events and where to look are told when the time ends (14)', async () => {
    const cluster = { apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster', metadata: { name: rows.name, namespace: 'fleet-default' } };
    const dist = writeObjects(folder, rows.name, (_, rancher) => {
      const declared = new ApiObject(rancher, 'cluster', { ...cluster, metadata: { ...cluster.metadata, annotations: { 'field.cattle.io/no-creator-rbac': 'true' } }, ...{ spec: {} } });
      const id = new LateValue(rancher, 'id', {
        source: LateSource.field({ target: rancher, apiVersion: cluster.apiVersion, kind: cluster.kind, ...cluster.metadata }, 'status.clusterName'), description: 'id of the cluster',
      });
      Edges.of(id).after(declared, EdgeType.APPLIED);
      new ApiObject(rancher, 'user', { ...rows.mapOf('id', id.token), metadata: { name: rows.name, namespace: 'default' } });
    });
    await platform.rancher.stop();
    try {
      const { rancher } = platform.clients;
      const cli = rows.spawn({}, dist, '--timeout', '6');
      await said(cli, /created .*Cluster/);
      await rancher.request('PATCH', `${await rancher.pathOf(cluster)}/status`, {
        contentType: 'application/merge-patch+json', body: { status: { conditions: [{ type: 'Created', status: 'False', reason: 'Error', message: 'no webhook' }] } },
      });
      await rancher.request('POST', '/api/v1/namespaces/fleet-default/events', {
        body: { apiVersion: 'v1', kind: 'Event', metadata: { name: rows.name }, involvedObject: { ...cluster, ...cluster.metadata }, reason: 'Stuck', message: 'nobody takes it', type: 'Warning' },
      });
      const { stdout, exitCode } = await cli.ended;
      expect([exitCode, stdout]).toEqual([1, expect.stringMatching(
        /status\.clusterName is empty yet; Created is False \(Error\): no webhook; event Stuck: nobody takes it; see there, and in the log of Rancher \(Deployment cattle-system\/rancher\)/)]);
    } finally {
      platform.rancher.start();
    }
    expect((await rows.apply(dist, '--timeout', '60')).exitCode).toBe(0);
  });

  test('what waits for the id of a cluster that never comes: the time ends, with the reason, and the next run goes on (14)', async () => {
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

  test('shows why an image cannot be downloaded, and waits no longer than asked (18)', async () => {
    platform.downloads.broken.add(`broken-${rows.name}`);
    const dist = writeObjects(folder, rows.name, (dc1) => {
      new ApiObject(dc1, 'image', {
        apiVersion: 'harvesterhci.io/v1beta1',
        kind: 'VirtualMachineImage',
        metadata: { name: `broken-${rows.name}`, namespace: 'default' },
        spec: { displayName: `broken-${rows.name}`, sourceType: 'download', url: 'https://cloud-images.example.com/none.img' },
      });
    });
    const { stdout, exitCode } = await rows.apply(dist, '--wait', '--timeout', '4');
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/broken-.*: not ready after 4 s: .*Head "https:.*none\.img": dial tcp .*: connect: connection refused/)]);
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
