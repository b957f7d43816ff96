import * as path from 'node:path';
import { ApiObject } from 'cdk8s';
import { OrderingType, Ordering } from '../../../src/core/construct/edge';
import { LateSource, LateValue } from '../../../src/core/value/late-value';
import { Fault, status } from '../../support/fault-proxy';
import { tempFolder } from '../../support/temp';
import { describeCluster } from '../clusters';
import { COUNT, FaultRows, firstEach, isMap, said } from '../doubles/fault-rows';
import { Platform } from '../doubles/platform';
import { writeObjects, writeProgram } from '../doubles/program';

/* Faults of answers, webhooks and credentials. Other faults are in the files next to this one, and below test/engine. */
describeCluster('faults on the way of an apply', () => {
  const folder = tempFolder();
  let platform: Platform;
  let rows: FaultRows;

  beforeAll(async () => {
    platform = await Platform.start();
    rows = new FaultRows(platform, folder, 'way');
  });
  afterAll(async () => {
    await platform?.stop();
  });
  beforeEach(() => rows.next());

  test.each<[string, Fault]>([
    [
      'too many requests, with Retry-After',
      {
        kind: 'answer',
        answer: { ...status(429, 'TooManyRequests', 'too many'), headers: { 'retry-after': '1' } },
      },
    ],
    [
      'too many requests, without Retry-After',
      { kind: 'answer', answer: status(429, 'TooManyRequests', 'too many') },
    ],
    [
      'an election of etcd',
      { kind: 'answer', answer: status(500, 'InternalError', 'etcdserver: leader changed') },
    ],
    ['a connection that is cut before the request arrives', { kind: 'cut-before' }],
    ['a connection that is cut after the request arrived', { kind: 'cut-after' }],
    ['an incomplete answer', { kind: 'truncate' }],
    [
      'a webhook that is not available',
      {
        kind: 'answer',
        answer: status(
          500,
          'InternalError',
          'Internal error occurred: failed calling webhook "v.example.com": connection refused',
        ),
      },
    ],
  ])('%s: everything is applied, once', async (_, fault) => {
    const dist = rows.maps();
    platform.harvesterProxy.fault = firstEach(fault);
    const { stdout, exitCode } = await rows.apply(dist);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('21 done')]);
    expect(await rows.there()).toHaveLength(COUNT);
    const { body } = await platform.clients.harvester.get(
      `/api/v1/namespaces/${rows.name}/configmaps/map-0`,
    );
    expect(body.metadata.managedFields).toHaveLength(1);
    platform.harvesterProxy.fault = undefined;
    expect(await platform.cli('plan', dist, '--app', rows.name)).toMatchObject({ exitCode: 0 });
  });

  test('fails only the object with a field of another field manager, names the manager, and prunes nothing', async () => {
    expect(
      (
        await rows.apply(
          rows.maps(COUNT, (dc1) => {
            new ApiObject(dc1, 'former', rows.mapOf('former'));
          }),
        )
      ).exitCode,
    ).toBe(0);
    const at = `/api/v1/namespaces/${rows.name}/configmaps/map-3`;
    await platform.clients.harvester.request('PATCH', at, {
      contentType: 'application/merge-patch+json',
      query: { fieldManager: 'kubectl-edit' },
      body: { data: { data: 'theirs' } },
    });
    const { stdout, exitCode } = await rows.apply(rows.maps(COUNT, undefined, 'b'));
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(/ConfigMap\/\w+-\d+\/map-3.*\.data\.data is owned by kubectl-edit/),
    ]);
    expect(stdout).toContain('20 done, 1 failed');
    expect(
      (await platform.clients.harvester.get(`/api/v1/namespaces/${rows.name}/configmaps/former`))
        .status,
    ).toBe(200);
    expect((await platform.clients.harvester.get(at)).body.data.data).toBe('theirs');
    const forced = await rows.apply(
      rows.maps(COUNT, undefined, 'b'),
      '--force-conflicts',
      `dc1//ConfigMap/${rows.name}/map-3`,
    );
    expect([forced.exitCode, (await platform.clients.harvester.get(at)).body.data.data]).toEqual([
      0,
      'b',
    ]);
    expect(
      (await platform.clients.harvester.get(`/api/v1/namespaces/${rows.name}/configmaps/former`))
        .status,
    ).toBe(404);
  });

  test('writes nothing when an object changed between plan and apply', async () => {
    expect((await rows.apply(rows.maps())).exitCode).toBe(0);
    const dist = rows.maps(COUNT, undefined, 'b');
    const file = path.join(folder, 'row-10.json');
    expect(
      (await platform.cli('plan', dist, '--app', rows.name, '--write-plan', file)).exitCode,
    ).toBe(2);
    await platform.clients.harvester.request(
      'PATCH',
      `/api/v1/namespaces/${rows.name}/configmaps/map-3`,
      {
        contentType: 'application/merge-patch+json',
        query: { fieldManager: 'kubectl-edit' },
        body: { data: { data: 'c' } },
      },
    );
    platform.calm();
    const { stderr, exitCode } = await platform.cli(
      'apply',
      dist,
      '--plan',
      file,
      '--app',
      rows.name,
    );
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/nothing was written[^]*map-3/)]);
    expect(
      platform.harvesterProxy.requests.filter(
        (request) => isMap(request) && !request.path.includes('dryRun'),
      ),
    ).toEqual([]);
  });

  test('quotes a webhook that refuses an object, does not retry, skips what needs it, and prunes nothing', async () => {
    const dist = rows.maps(COUNT, (dc1) => {
      const needs = new ApiObject(dc1, 'needs', rows.mapOf('needs'));
      Ordering.of(needs).after(dc1.node.findChild('map-4'), OrderingType.APPLIED);
    });
    // dry runs pass, as with webhooks that skip them
    platform.harvesterProxy.fault = ({ method, path: at }) =>
      method === 'PATCH' && at.includes('/map-4?') && !at.includes('dryRun')
        ? {
            kind: 'answer',
            answer: status(
              403,
              'Forbidden',
              'admission webhook "v.example.com" denied the request: not on a Friday',
            ),
          }
        : undefined;
    const { stdout, exitCode } = await rows.apply(dist);
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringContaining(
        'admission webhook "v.example.com" denied the request: not on a Friday',
      ),
    ]);
    expect(stdout).toMatch(/20 done, 1 failed, 1 skipped/);
    expect(platform.harvesterProxy.count('PATCH', /map-4\?/)).toBe(1);
    expect(await rows.there()).toHaveLength(COUNT - 1);
  });

  test('reports that a webhook refuses what the dry run accepted', async () => {
    const dist = rows.maps(2);
    expect((await rows.apply(dist)).exitCode).toBe(0);
    const file = path.join(folder, 'row-13.json');
    expect(
      (
        await platform.cli(
          'plan',
          rows.maps(2, undefined, 'b'),
          '--app',
          rows.name,
          '--write-plan',
          file,
        )
      ).exitCode,
    ).toBe(2);
    platform.harvesterProxy.fault = ({ method, path: at }) =>
      method === 'PATCH' && at.includes('/map-1?') && !at.includes('dryRun')
        ? {
            kind: 'answer',
            answer: status(
              400,
              'BadRequest',
              'admission webhook "v.example.com" denied the request: not on a Friday',
            ),
          }
        : undefined;
    const { stdout, exitCode } = await rows.apply(dist, '--plan', file);
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(
        /map-1 .*denied the request: not on a Friday; its dry run was accepted: a webhook that checks only real writes refuses it/,
      ),
    ]);
    expect(stdout).toContain('2 done, 1 failed');
  });

  test('reports conditions, events, and where to look when Rancher never assigns the ID of a cluster', async () => {
    const cluster = {
      apiVersion: 'provisioning.cattle.io/v1',
      kind: 'Cluster',
      metadata: { name: rows.name, namespace: 'fleet-default' },
    };
    const dist = writeObjects(folder, rows.name, (_, rancher) => {
      const declared = new ApiObject(rancher, 'cluster', {
        ...cluster,
        metadata: {
          ...cluster.metadata,
          annotations: { 'field.cattle.io/no-creator-rbac': 'true' },
        },
        ...{ spec: {} },
      });
      const id = new LateValue(rancher, 'id', {
        source: LateSource.field('status.clusterName', {
          target: rancher,
          apiVersion: cluster.apiVersion,
          kind: cluster.kind,
          ...cluster.metadata,
        }),
        description: 'id of the cluster',
      });
      Ordering.of(id).after(declared, OrderingType.APPLIED);
      new ApiObject(rancher, 'user', {
        ...rows.mapOf('id', id.token),
        metadata: { name: rows.name, namespace: 'default' },
      });
    });
    await platform.rancher.stop();
    try {
      const { rancher } = platform.clients;
      const cli = rows.spawn({}, dist, '--timeout', '6');
      await said(cli, /created .*Cluster/);
      await rancher.request('PATCH', `${await rancher.pathOf(cluster)}/status`, {
        contentType: 'application/merge-patch+json',
        body: {
          status: {
            conditions: [
              { type: 'Created', status: 'False', reason: 'Error', message: 'no webhook' },
            ],
          },
        },
      });
      await rancher.request('POST', '/api/v1/namespaces/fleet-default/events', {
        body: {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: rows.name },
          involvedObject: { ...cluster, ...cluster.metadata },
          reason: 'Stuck',
          message: 'no controller handles it',
          type: 'Warning',
        },
      });
      const { stdout, exitCode } = await cli.ended;
      expect([exitCode, stdout]).toEqual([
        1,
        expect.stringMatching(
          /status\.clusterName is still empty; Created is False \(Error\): no webhook; event Stuck: no controller handles it\. Fix: check this object and the log of Rancher \(Deployment cattle-system\/rancher\)/,
        ),
      ]);
    } finally {
      platform.rancher.start();
    }
    expect((await rows.apply(dist, '--timeout', '600')).exitCode).toBe(0);
  });

  test('stops waiting for the ID of a cluster with the reason, and the next run continues', async () => {
    const dist = writeProgram(folder, { name: rows.name, register: false, settings: false });
    await platform.rancher.stop();
    const { stdout, exitCode } = await rows.apply(dist, '--timeout', '4');
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(/failed: .*namespaces "c-m-\w+" not found/),
    ]);
    platform.rancher.start();
    const again = await rows.apply(dist, '--timeout', '600');
    expect([again.exitCode, platform.problems]).toEqual([0, []]);
  });

  test('names the Secret of a registration token that never exists, and never sends a placeholder to Harvester', async () => {
    const dist = writeProgram(folder, { name: rows.name });
    platform.rancherProxy.fault = ({ path: at }) =>
      at.includes('/secrets/crt-token-')
        ? {
            kind: 'answer',
            answer: status(404, 'NotFound', 'secrets "crt-token-gitops" not found'),
          }
        : undefined;
    const { stdout, exitCode } = await rows.apply(dist, '--timeout', '6');
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/failed: .*crt-token-gitops/)]);
    expect(
      platform.harvesterProxy.requests.filter(
        ({ method, body }) => method === 'PATCH' && body.includes('{token}'),
      ),
    ).toEqual([]);
    expect(platform.harvester.registrations.filter((value) => value !== '')).toEqual([]);

    // late is soon enough
    platform.rancherProxy.fault = undefined;
    expect((await rows.apply(dist, '--timeout', '600', '--wait')).exitCode).toBe(0);
    expect(platform.harvester.registrations.filter((value) => value.includes('{token}'))).toEqual(
      [],
    );

    // and a different token afterwards is not a change
    const { body } = await platform.clients.rancher.get(
      `/apis/provisioning.cattle.io/v1/namespaces/fleet-default/clusters/dc1-${rows.name}`,
    );
    const secret = `/api/v1/namespaces/${body.status.clusterName}/secrets/crt-token-gitops`;
    await platform.clients.rancher.request('PATCH', secret, {
      contentType: 'application/merge-patch+json',
      body: { data: { token: Buffer.from('rotated0123456789').toString('base64') } },
    });
    expect(await platform.cli('plan', dist, '--app', rows.name)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^plan: \d+ unchanged$/m),
    });
  });

  test('shows why an image cannot be downloaded, and waits no longer than the timeout', async () => {
    platform.downloads.broken.add(`broken-${rows.name}`);
    const dist = writeObjects(folder, rows.name, (dc1) => {
      new ApiObject(dc1, 'image', {
        apiVersion: 'harvesterhci.io/v1beta1',
        kind: 'VirtualMachineImage',
        metadata: { name: `broken-${rows.name}`, namespace: 'default' },
        spec: {
          displayName: `broken-${rows.name}`,
          sourceType: 'download',
          url: 'https://cloud-images.example.com/none.img',
        },
      });
    });
    const { stdout, exitCode } = await rows.apply(dist, '--wait', '--timeout', '4');
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(
        /broken-.*: not ready after 4 s: .*Head "https:.*none\.img": dial tcp .*: connect: connection refused/,
      ),
    ]);
  });

  test('ignores a condition of an earlier value: a Setting waits for its hash', async () => {
    const setting = (servers: string[]): string =>
      writeObjects(folder, rows.name, (dc1) => {
        new ApiObject(dc1, 'ca', {
          apiVersion: 'harvesterhci.io/v1beta1',
          kind: 'Setting',
          metadata: { name: 'overcommit-config' },
          ...{ value: JSON.stringify({ cpu: servers.length * 100, memory: 150, storage: 200 }) },
        });
      });
    expect((await rows.apply(setting(['a', 'b']), '--wait')).exitCode).toBe(0);
    await platform.harvester.stop();
    const { stdout, exitCode } = await rows.apply(
      setting(['a', 'b', 'c']),
      '--wait',
      '--timeout',
      '3',
    );
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(
        /overcommit-config.*not ready after 3 s: Harvester has not carried its value out yet/,
      ),
    ]);
    platform.harvester.start();
    expect((await rows.apply(setting(['a', 'b', 'c']), '--wait')).exitCode).toBe(0);
  });

  test('names the cluster that rejects the credentials, finishes the other, and continues in the next run', async () => {
    const dist = writeObjects(folder, rows.name, (dc1, rancher) => {
      for (const chart of [dc1, rancher]) {
        for (let n = 0; n < COUNT; n++) {
          new ApiObject(chart, `map-${n}`, {
            ...rows.mapOf(`${rows.name}-${n}`),
            metadata: { name: `${rows.name}-${n}`, namespace: 'default' },
          });
        }
      }
    });
    let written = 0;
    platform.harvesterProxy.fault = ({ method, path: at }) =>
      at.includes(`/${rows.name}-`) && method === 'PATCH' && ++written > 3
        ? { kind: 'answer', answer: status(401, 'Unauthorized', 'Unauthorized') }
        : undefined;
    const { stdout, exitCode } = await rows.apply(dist);
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(/dc1.*(401|Unauthorized|credentials)/),
    ]);
    const { body } = await platform.clients.rancher.list('v1', 'ConfigMap', 'default');
    expect(
      (body.items as { metadata: { name: string } }[]).filter(({ metadata }) =>
        metadata.name.startsWith(`${rows.name}-`),
      ),
    ).toHaveLength(COUNT);
    platform.harvesterProxy.fault = undefined;
    expect(await rows.apply(dist)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('40 done'),
    });
  });

  test('quotes the server at once when a permission is missing', async () => {
    const dist = rows.maps(5);
    platform.harvesterProxy.fault = ({ method, path: at }) =>
      method === 'PATCH' && at.includes('/map-2?')
        ? {
            kind: 'answer',
            answer: status(
              403,
              'Forbidden',
              'configmaps "map-2" is forbidden: User "ci" cannot patch resource "configmaps"',
            ),
          }
        : undefined;
    const { stdout, exitCode } = await rows.apply(dist);
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringContaining('User "ci" cannot patch resource'),
    ]);
    expect(platform.harvesterProxy.count('PATCH', /map-2\?/)).toBe(1);
  });

  test('waits some seconds for permissions that were just granted', async () => {
    const dist = rows.maps(2, (dc1, namespace) => {
      const role = new ApiObject(dc1, 'role', {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'r', namespace },
        ...{ rules: [] },
      });
      ['map-0', 'map-1'].forEach((name) =>
        Ordering.of(dc1.node.findChild(name) as ApiObject).after(role, OrderingType.APPLIED),
      );
    });
    let tries = 0;
    platform.harvesterProxy.fault = ({ method, path: at }) =>
      method === 'PATCH' && at.includes('/map-1?') && ++tries <= 2
        ? {
            kind: 'answer',
            answer: status(
              403,
              'Forbidden',
              'configmaps "map-1" is forbidden: User "ci" cannot patch resource "configmaps"',
            ),
          }
        : undefined;
    expect([(await rows.apply(dist)).exitCode, tries]).toEqual([0, 3]);
  });
});
