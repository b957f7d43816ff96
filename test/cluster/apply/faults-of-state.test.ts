import * as fs from 'node:fs';
import * as path from 'node:path';
import { gzipSync } from 'zlib';
import { ApiObject } from 'cdk8s';
import { OrderingType, Ordering } from '../../../src/core/construct/edge';
import { isRecord } from '../../../src/core/manifest/manifest';
import { tempFolder } from '../../support/temp';
import { describeCluster } from '../clusters';
import { FaultRows, isMap, said, until } from '../doubles/fault-rows';
import { Platform } from '../doubles/platform';
import { writeObjects } from '../doubles/program';

const GZIPPED_LATER = gzipSync('{"schema":3}').toString('base64');

describeCluster('faults of state: other users, other runs, other objects', () => {
  const folder = tempFolder();
  let platform: Platform;
  let rows: FaultRows;

  beforeAll(async () => {
    platform = await Platform.start();
    rows = new FaultRows(platform, folder, 'state');
  });
  afterAll(async () => {
    await platform?.stop();
  });
  beforeEach(() => rows.next());

  test('stops cleanly on Ctrl-C while it waits, with a summary and without the lock, so that the next run continues at once', async () => {
    const dist = rows.maps(6, (dc1) => {
      const image = new ApiObject(dc1, 'image', {
        apiVersion: 'harvesterhci.io/v1beta1',
        kind: 'VirtualMachineImage',
        metadata: { name: `slow-${rows.name}`, namespace: 'default' },
        spec: {
          displayName: `slow-${rows.name}`,
          sourceType: 'download',
          url: 'https://cloud-images.example.com/slow.img',
        },
      });
      const after = new ApiObject(dc1, 'after', rows.mapOf('after'));
      Ordering.of(after).after(image, OrderingType.READY);
    });
    await platform.harvester.stop();
    const cli = platform.spawn('apply', dist, '--app', rows.name);
    await said(cli, /not-ready .*slow-/);
    cli.kill('SIGINT');
    const { stdout, exitCode } = await cli.ended;
    expect([exitCode, stdout]).toEqual([
      130,
      expect.stringMatching(/interrupted: \d+ done, .*not begun or not through/),
    ]);
    expect(stdout).toContain(`not done: dc1//ConfigMap/${rows.name}/after`);
    platform.harvester.start();
    const again = await rows.apply(dist);
    // the lock was released
    expect([again.exitCode, again.stdout.includes('locked by')]).toEqual([0, false]);
  });

  test('waits for the answer of a write after Ctrl-C, but not after a second one', async () => {
    const dist = rows.maps(3);
    platform.harvesterProxy.fault = (request) =>
      isMap(request) ? { kind: 'delay', ms: 1_500 } : undefined;
    const cli = platform.spawn('apply', dist, '--app', rows.name);
    await until(() => platform.harvesterProxy.requests.some(isMap));
    cli.kill('SIGINT');
    expect(await cli.ended).toMatchObject({
      exitCode: 130,
      stdout: expect.stringMatching(/created .*map-/),
    });

    platform.calm();
    platform.harvesterProxy.fault = (request) => (isMap(request) ? { kind: 'hang' } : undefined);
    const twice = platform.spawn('apply', rows.maps(3, undefined, 'b'), '--app', rows.name);
    await until(() => platform.harvesterProxy.requests.some(isMap));
    twice.kill('SIGINT');
    await said(twice, /the same signal again stops at once/);
    twice.kill('SIGINT');
    const stopped = await twice.ended;
    // a run that had waited for its write would have ended with its summary
    expect([stopped.exitCode, stopped.stdout.includes('interrupted:')]).toEqual([130, false]);
  });

  test('reports a plan that cannot be saved, and leaves no partial file', async () => {
    const dist = rows.maps(1);
    const file = path.join(folder, 'a-file');
    fs.writeFileSync(file, '');
    const { stderr, exitCode } = await platform.cli(
      'plan',
      dist,
      '--write-plan',
      path.join(file, 'plan.json'),
    );
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('a-file')]);

    // a full disk: what is written does not come to it
    const [hook, place] = [path.join(folder, 'full-disk.cjs'), path.join(folder, 'plans')];
    fs.writeFileSync(
      hook,
      'require("node:fs").fsyncSync = () => { throw Object.assign(new Error("ENOSPC: no space left on device, fsync"), { code: "ENOSPC" }); };',
    );
    const former = path.join(place, 'plan.json');
    fs.mkdirSync(place, { mode: 0o700 });
    fs.writeFileSync(former, 'previous plan', { mode: 0o600 });
    const full = await platform.spawnWith(
      { env: { NODE_OPTIONS: `--require ${hook}` } },
      'plan',
      dist,
      '--write-plan',
      former,
    ).ended;
    expect([full.exitCode, full.stderr]).toEqual([
      1,
      expect.stringMatching(
        /plan\.json: ENOSPC: no space left on device.*; the previous file is left untouched/,
      ),
    ]);
    expect([fs.readdirSync(place), fs.readFileSync(former, 'utf8')]).toEqual([
      ['plan.json'],
      'previous plan',
    ]);
  });

  test.each([
    ['an object takes', 1_400_000, /Too long: may not be more than 1048576 bytes/],
    ['a request takes', 3_500_000, /too large/i],
  ])('more than %s is named, with its size', async (_, length, says) => {
    const { stdout, exitCode } = await rows.apply(
      rows.maps(1, (dc1) => {
        new ApiObject(dc1, 'large', rows.mapOf('large', 'x'.repeat(length)));
      }),
    );
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(
        new RegExp(
          `failed: .*ConfigMap/\\w+-\\d+/large .*(${says.source}).*; it has ${(length / 1_048_576).toFixed(1)} MiB`,
          'i',
        ),
      ),
    ]);
    expect(stdout).toContain('2 done, 1 failed');
    expect(stdout.length).toBeLessThan(20_000);
  });

  test('refuses objects of another app', async () => {
    expect((await rows.apply(rows.maps(2))).exitCode).toBe(0);
    const { stdout, exitCode } = await platform.cli(
      'apply',
      rows.maps(2),
      '--app',
      `other-${rows.name}`,
    );
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringContaining(`belongs to app ${rows.name} `),
    ]);
  });

  test('prunes nothing for a program that is empty by mistake', async () => {
    expect((await rows.apply(rows.maps(3))).exitCode).toBe(0);
    const other = writeObjects(folder, `other-${rows.name}`, (dc1) => {
      new ApiObject(dc1, 'other', {
        ...rows.mapOf('x'),
        metadata: { name: `other-${rows.name}`, namespace: 'default' },
      });
    });
    const { stderr, exitCode } = await rows.apply(other);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('--accept-empty')]);
    expect(await rows.there()).toHaveLength(3);
    expect((await rows.apply(other, '--accept-empty')).exitCode).toBe(0);
    expect((await platform.clients.harvester.get(`/api/v1/namespaces/${rows.name}`)).status).toBe(
      404,
    );
  });

  test('keeps objects that were recreated, and deletes those that a declared object owns', async () => {
    expect((await rows.apply(rows.maps(4))).exitCode).toBe(0);
    const { harvester } = platform.clients;
    const at = (name: string): string => `/api/v1/namespaces/${rows.name}/configmaps/${name}`;
    await harvester.request('DELETE', at('map-3'));
    await harvester.request('POST', `/api/v1/namespaces/${rows.name}/configmaps`, {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'map-3' } },
    });
    const owner = (await harvester.get(at('map-0'))).body.metadata.uid as string;
    await harvester.request('PATCH', at('map-2'), {
      contentType: 'application/merge-patch+json',
      body: {
        metadata: {
          ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'map-0', uid: owner }],
        },
      },
    });
    const { stdout, exitCode } = await rows.apply(rows.maps(1));
    expect([
      exitCode,
      stdout
        .match(/^(deleted|kept) .*/gm)
        ?.map((line) => line.slice(0, 50).replace(/\s+/g, ' '))
        .sort(),
    ]).toEqual([
      0,
      [
        expect.stringMatching(/^deleted .*map-1/),
        expect.stringMatching(/^deleted .*map-2/),
        expect.stringMatching(/^kept .*map-3/),
      ],
    ]);
    expect((await rows.there()).sort()).toEqual(['map-0', 'map-3']);
  });

  test('waits for a kind that the same program defines, and ignores unavailable APIs that it does not use', async () => {
    const group = `row${rows.name}.example.com`;
    await platform.clients.harvester.request(
      'POST',
      '/apis/apiregistration.k8s.io/v1/apiservices',
      {
        body: {
          apiVersion: 'apiregistration.k8s.io/v1',
          kind: 'APIService',
          metadata: { name: `v1.away${rows.name}.example.com` },
          spec: {
            group: `away${rows.name}.example.com`,
            version: 'v1',
            groupPriorityMinimum: 10,
            versionPriority: 10,
            insecureSkipTLSVerify: true,
            service: { name: 'none', namespace: 'default' },
          },
        },
      },
    );
    const dist = rows.maps(1, (dc1, namespace) => {
      new ApiObject(dc1, 'things', {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `things.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: { plural: 'things', singular: 'thing', kind: 'Thing' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: { 'type': 'object', 'x-kubernetes-preserve-unknown-fields': true },
              },
            },
          ],
        },
      });
      new ApiObject(dc1, 'thing', {
        apiVersion: `${group}/v1`,
        kind: 'Thing',
        metadata: { name: 'thing', namespace },
      });
    });
    const { stdout, exitCode } = await rows.apply(dist);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining(`created    dc1/${group}/Thing/${rows.name}/thing`),
    ]);
  });

  test('reports in a second run at the same time who holds the lock', async () => {
    const dist = rows.maps(3);
    let go!: () => void;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    platform.harvesterProxy.before = async (request) => {
      if (isMap(request)) {
        await gate;
      }
    };
    const first = platform.spawn('apply', dist, '--app', rows.name);
    await until(() => platform.harvesterProxy.requests.some(isMap));
    const { stdout, stderr, exitCode } = await rows.apply(dist);
    go();
    expect([exitCode, stdout + stderr]).toEqual([
      1,
      expect.stringMatching(/another run of app \w+-\d+ is active: .*process \d+/),
    ]);
    expect((await first.ended).exitCode).toBe(0);
  });

  test('refuses a different cluster than before', async () => {
    const dist = rows.maps(1);
    expect((await rows.apply(dist)).exitCode).toBe(0);
    platform.calm();
    platform.harvesterProxy.fault = ({ path: at }) =>
      /\/namespaces\/kube-system(\?|$)/.test(at)
        ? {
            kind: 'answer',
            answer: {
              status: 200,
              body: {
                apiVersion: 'v1',
                kind: 'Namespace',
                metadata: { name: 'kube-system', uid: '00000000-0000-4000-8000-000000000000' },
              },
            },
          }
        : undefined;
    const { stderr, exitCode } = await rows.apply(dist);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('--accept-new-cluster dc1')]);
    expect(platform.harvesterProxy.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('refuses a recreated Rancher Cluster, whose new ID is part of other names', async () => {
    const cluster = {
      apiVersion: 'provisioning.cattle.io/v1',
      kind: 'Cluster',
      metadata: {
        name: rows.name,
        namespace: 'fleet-default',
        annotations: { 'field.cattle.io/no-creator-rbac': 'true' },
      },
    };
    const dist = writeObjects(folder, rows.name, (_, rancher) => {
      new ApiObject(rancher, 'cluster', { ...cluster, ...{ spec: {} } });
    });
    expect((await rows.apply(dist)).exitCode).toBe(0);
    const { rancher } = platform.clients;
    await rancher.delete(cluster);
    await until(async () => (await rancher.read(cluster)).status === 404);
    await rancher.request('POST', (await rancher.pathOf(cluster)).replace(/\/[^/]+$/, ''), {
      body: { ...cluster, spec: {} },
    });
    platform.calm();
    const { stderr, exitCode } = await rows.apply(dist);
    const id = `rancher/provisioning.cattle.io/Cluster/fleet-default/${rows.name}`;
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining(`set --accept-new-cluster '${id}'`),
    ]);
    expect(platform.rancherProxy.count('PATCH', /provisioning\.cattle\.io/)).toBe(0);
    expect((await rows.apply(dist, '--accept-new-cluster', id)).exitCode).toBe(0);
    expect((await rows.apply(dist)).exitCode).toBe(0);
  });

  test.each([
    ['cut off', (binaryData: string) => binaryData.slice(0, 20), /its list is damaged/],
    ['of a later version', () => GZIPPED_LATER, /of another version of cdk8s-harvester/],
  ])('an inventory that is %s is never guessed at', async (_, broken, says) => {
    const dist = rows.maps(1);
    expect((await rows.apply(dist)).exitCode).toBe(0);
    const { harvester } = platform.clients;
    const { body } = await harvester.get(
      `/api/v1/namespaces/kube-system/configmaps/cdk8s-harvester-${rows.name}`,
    );
    expect(isRecord(body.binaryData)).toBe(true);
    await harvester.request(
      'PATCH',
      `/api/v1/namespaces/kube-system/configmaps/cdk8s-harvester-${rows.name}`,
      {
        contentType: 'application/merge-patch+json',
        body: { binaryData: { inventory: broken(body.binaryData.inventory as string) } },
      },
    );
    const { stderr, exitCode } = await rows.apply(dist);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(says)]);
  });

  test('stops at a certificate of another authority, and sends nothing', async () => {
    const dist = rows.maps(1);
    platform.harvesterProxy.rotate({ newAuthority: true });
    try {
      const { stderr, exitCode } = await rows.apply(dist);
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/dc1.*certificate/)]);
      expect(platform.harvesterProxy.requests).toEqual([]);
    } finally {
      platform.harvesterProxy.rotate();
    }
  });

  test('reports a login page that answers instead of Kubernetes', async () => {
    platform.harvesterProxy.fault = () => ({ kind: 'login-page' });
    const { stderr, exitCode } = await rows.apply(rows.maps(1));
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/dc1.*(not a Kubernetes API|no Kubernetes)/),
    ]);
  });

  test('refuses a misspelled field by its path, and prints each server warning once', async () => {
    const dist = rows.maps(1, (dc1, namespace) => {
      new ApiObject(dc1, 'typo', { ...rows.mapOf('typo'), ...{ dataa: {} } });
      for (const name of ['old', 'elder']) {
        new ApiObject(dc1, name, {
          apiVersion: 'v1',
          kind: 'Endpoints',
          metadata: { name, namespace },
        });
      }
    });
    const { stdout, exitCode } = await rows.apply(dist, '--output', 'json');
    const events = stdout
      .trim()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as { type: string; id?: string; message?: string; state?: string },
      );
    expect(exitCode).toBe(1);
    expect(events.filter(({ state }) => state === 'failed')).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('.dataa: field not declared in schema'),
      }),
    ]);
    expect(events.filter(({ type }) => type === 'warning')).toEqual([
      expect.objectContaining({
        target: 'dc1',
        message: expect.stringContaining('v1 Endpoints is deprecated'),
      }),
    ]);
  });
});
