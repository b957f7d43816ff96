import * as fs from 'node:fs';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiObject } from 'cdk8s';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { tempFolder } from '../../support/temp';
import { describeCluster } from '../clusters';
import { FaultRows, firstEach, isMap, said, until } from '../doubles/fault-rows';
import { Platform } from '../doubles/platform';

const DAY_MS = 86_400_000;
/** A minute of the command line lasts three seconds. */
const FAST = { speed: 20 };

describeCluster('slow faults and wrong clocks', () => {
  const folder = tempFolder();
  let platform: Platform;
  let rows: FaultRows;

  beforeAll(async () => {
    platform = await Platform.start();
    rows = new FaultRows(platform, folder, 'time');
  });
  afterAll(async () => {
    await platform?.stop();
  });
  beforeEach(() => rows.next());

  const image = (chart: HarvesterChart, name: string): ApiObject =>
    new ApiObject(chart, name, {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'VirtualMachineImage',
      metadata: { name: `${name}-${rows.name}`, namespace: 'default' },
      spec: {
        displayName: `${name}-${rows.name}`,
        sourceType: 'download',
        url: 'https://cloud-images.example.com/noble.img',
      },
    });

  async function setImported(name: string, imported: string, message?: string): Promise<void> {
    const { harvester } = platform.clients;
    const at = `/apis/harvesterhci.io/v1beta1/namespaces/default/virtualmachineimages/${name}-${rows.name}`;
    const body = {
      status: {
        conditions: [{ type: 'Imported', status: imported, ...(message ? { message } : {}) }],
      },
    };
    for (const place of [`${at}/status`, at]) {
      await harvester.request('PATCH', place, {
        contentType: 'application/merge-patch+json',
        body,
      });
    }
    expect((await harvester.get(at)).body.status).toMatchObject(body.status);
  }

  /** Blocks writes of ConfigMaps until it is released. */
  function held(): () => void {
    let go!: () => void;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    platform.harvesterProxy.before = async (request) => {
      if (isMap(request)) {
        await gate;
      }
    };
    return go;
  }

  test('pauses for a server that is not available for a minute, reports it, and applies everything', async () => {
    // two breaks of half a minute
    let refusals = 45;
    platform.harvesterProxy.fault = (request) =>
      isMap(request) && refusals-- > 0
        ? {
            kind: 'answer',
            answer: {
              status: 503,
              headers: { 'content-type': 'text/html' },
              body: '<html><title>Service Unavailable</title></html>',
            },
          }
        : undefined;
    const { stdout, exitCode } = await rows.spawn({ clock: FAST }, rows.maps()).ended;
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('21 done')]);
    expect(stdout).toMatch(
      /warning: dc1: .* unavailable, trying again in 30s: .*503 Service Unavailable/,
    );
    expect(stdout).toMatch(/warning: dc1: .* answers again after \d+[ms]/);
    expect(await rows.there()).toHaveLength(20);
  });

  test('stops for a server that does not come back, with the list of what is not done', async () => {
    platform.harvesterProxy.fault = (request) =>
      isMap(request)
        ? {
            kind: 'answer',
            answer: {
              status: 503,
              headers: { 'content-type': 'text/html' },
              body: '<html></html>',
            },
          }
        : undefined;
    const { stdout, exitCode } = await rows.spawn({ clock: FAST }, rows.maps(3), '--timeout', '60')
      .ended;
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('1 done, 3 failed')]);
    for (const n of [0, 1, 2]) {
      expect(stdout).toMatch(
        new RegExp(`failed: dc1//ConfigMap/${rows.name}/map-${n} .*503.*waited for 60 s`),
      );
    }
  });

  test('retries after half a minute when a server accepts a request and never answers', async () => {
    platform.harvesterProxy.fault = firstEach({ kind: 'hang' });
    const { exitCode } = await rows.spawn({ clock: FAST }, rows.maps(6)).ended;
    expect(exitCode).toBe(0);
    expect(await rows.there()).toHaveLength(6);
    for (let n = 0; n < 6; n++) {
      expect(platform.harvesterProxy.count('PATCH', new RegExp(`/map-${n}\\?`))).toBe(2);
    }
  });

  test('stops waiting for a server that never answers', async () => {
    platform.harvesterProxy.fault = (request) => (isMap(request) ? { kind: 'hang' } : undefined);
    const cli = rows.spawn({ clock: FAST }, rows.maps(1), '--timeout', '60');
    await until(() => platform.harvesterProxy.requests.some(isMap));
    const { stdout, exitCode } = await cli.ended;
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(/failed: .*map-0 .*no answer in time/),
    ]);
    // the tries of one request, of half a minute each
    expect(platform.harvesterProxy.requests.filter(isMap).length).toBeLessThan(8);
  });

  test('waits for a condition that is False for a minute, and fails if it remains False', async () => {
    const dist = rows.maps(1, (dc1) => {
      image(dc1, 'flips');
      image(dc1, 'stays');
    });
    await platform.harvester.stop();
    try {
      const cli = rows.spawn({ clock: FAST }, dist, '--wait');
      await said(
        cli,
        /not-ready .*flips-[^]*not-ready .*stays-|not-ready .*stays-[^]*not-ready .*flips-/,
      );
      for (const name of ['flips', 'stays']) {
        await setImported(name, 'False', 'no network');
      }
      await sleep(60_000 / FAST.speed);
      await setImported('flips', 'True');
      const { stdout, exitCode } = await cli.ended;
      expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/ready +dc1\/\S*\/flips-/)]);
      expect(stdout).toMatch(
        /failed: .*stays-.*has been failing for 2 min: Imported is False: no network/,
      );
      expect(stdout).not.toMatch(/failed: .*flips-/);
    } finally {
      platform.harvester.start();
    }
  });

  test('takes the lock of a run that died on another machine after a minute without renewal', async () => {
    const dist = rows.maps(3);
    const go = held();
    const first = platform.spawn('apply', dist, '--app', rows.name);
    await until(() => platform.harvesterProxy.requests.some(isMap));
    first.kill('SIGKILL');
    await first.ended;
    go();
    await platform.clients.rancher.request(
      'PATCH',
      `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/cdk8s-harvester-${rows.name}`,
      {
        contentType: 'application/merge-patch+json',
        body: { metadata: { annotations: { 'cdk8s-harvester/process': '1 another-machine' } } },
      },
    );
    const started = Date.now();
    const { stdout, exitCode } = await rows.spawn({ clock: FAST }, dist).ended;
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/locked by .*; checking for 60 s whether that run is active/),
    ]);
    expect(Date.now() - started).toBeGreaterThan(60_000 / FAST.speed);
    expect(await rows.there()).toHaveLength(3);
  });

  test.each([
    ['ahead of', DAY_MS],
    ['behind', -DAY_MS],
  ])('reports a clock that is a day %s once per cluster, and continues', async (words, aheadMs) => {
    const { stdout, exitCode } = await rows.spawn(
      { clock: { aheadMs } },
      rows.maps(),
      '--timeout',
      '30',
    ).ended;
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('21 done')]);
    for (const target of ['rancher', 'dc1']) {
      expect(
        stdout.match(
          new RegExp(
            `warning: ${target}: .*the clock of this machine is 14(39|40)m\\d*s? ${words} the server's`,
            'g',
          ),
        ),
      ).toHaveLength(1);
    }
  });

  test('keeps a lock, whatever the clocks of other runs show', async () => {
    const dist = rows.maps(1);
    const go = held();
    const first = rows.spawn({ clock: { ...FAST, aheadMs: -DAY_MS } }, dist);
    await until(() => platform.harvesterProxy.requests.some(isMap));
    const { stderr, exitCode } = await rows.spawn({ clock: { ...FAST, aheadMs: DAY_MS } }, dist)
      .ended;
    go();
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/another run of app \S+ is active/),
    ]);
    expect((await first.ended).exitCode).toBe(0);
  });

  test('continues over new connections after the machine was asleep for 20 minutes', async () => {
    const file = path.join(folder, 'asleep');
    const dist = rows.maps(20, (dc1) => {
      image(dc1, 'slow');
    });
    await platform.harvester.stop();
    try {
      const cli = rows.spawn(
        { clock: { ...FAST, jump: { file, ms: 20 * 60_000 } } },
        dist,
        '--wait',
      );
      // all but one is done, so that most connections are idle
      await until(() => cli.said.match(/^ready /gm)?.length === 21);
      const { connections } = platform.harvesterProxy;
      cli.kill('SIGSTOP');
      fs.writeFileSync(file, '');
      // like a router that forgets connections: neither side is notified
      const dead = platform.harvesterProxy.freeze();
      platform.rancherProxy.cutAll();
      await setImported('slow', 'True');
      await sleep(500);
      cli.kill('SIGCONT');
      const { stdout, exitCode } = await cli.ended;
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('22 done')]);
      expect(platform.harvesterProxy.connections).toBeGreaterThan(connections);
      // not each of the dead connections is tried by itself
      expect(connections).toBeGreaterThan(3);
      expect(dead.requests).toBeLessThanOrEqual(2);
    } finally {
      platform.harvester.start();
    }
  });

  test('writes nothing after it was asleep while another run took its lock', async () => {
    const go = held();
    const cli = rows.spawn({ clock: FAST }, rows.maps(20, undefined, 'old'));
    await until(() => platform.harvesterProxy.requests.some(isMap));
    cli.kill('SIGSTOP');
    platform.harvesterProxy.before = undefined;
    expect(await rows.spawn({ clock: FAST }, rows.maps(20, undefined, 'new')).ended).toMatchObject({
      exitCode: 0,
    });
    platform.harvesterProxy.before = (request) => (isMap(request) ? sleep(200) : undefined);
    cli.kill('SIGCONT');
    go();
    const { stdout, exitCode } = await cli.ended;
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringContaining('another run took the lock; this run ends'),
    ]);
    const { body } = await platform.clients.harvester.list('v1', 'ConfigMap', rows.name);
    expect(
      (body.items as { data: { data?: string } }[]).filter(({ data }) => data.data === 'old')
        .length,
    ).toBeLessThan(20);
  });
});
