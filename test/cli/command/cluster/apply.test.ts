import { writeFileSync } from 'fs';
import { join } from 'path';
import { ApiObject } from 'cdk8s';
import * as runOptions from '../../../../src/cli/option/run-options';
import * as bind from '../../../../src/engine/auth/bind-targets';
import { appOf } from '../../../../src/engine/fields/apply-set';
import { Lock, leaseOf } from '../../../../src/engine/inventory/lease';
import { ApiError } from '../../../../src/engine/transport/api';
import { FakeCluster, fakeTargets } from '../../../support/fake-cluster';
import { guest, machineConfig } from '../../../support/guest';
import { configMap, newApp, newRancher } from '../../../support/programs';
import { runCli } from '../../../support/run-cli';
import { tempFolder } from '../../../support/temp';

/** An output folder with some objects, and the cluster that it is for. */
function program(...names: string[]): { folder: string; cluster: FakeCluster } {
  const cluster = new FakeCluster();
  jest.spyOn(bind, 'bindTargets').mockImplementation(async () => ({
    targets: fakeTargets({ rancher: cluster }),
    close: () => {},
  }));
  return { folder: output(...names), cluster };
}

function output(...names: string[]): string {
  const folder = tempFolder();
  const app = newApp({ outdir: folder });
  const rancher = newRancher(app);
  names.forEach((name) => configMap(rancher, name, { x: '1' }));
  app.synth();
  return folder;
}

const live = (cluster: FakeCluster, name: string) =>
  cluster.live('v1', 'ConfigMap', name, 'default');

afterEach(() => {
  jest.restoreAllMocks();
});

test('writes, reports it and exits with 0; then a plan has no change', async () => {
  const { folder, cluster } = program('a', 'b');
  const { exitCode, stdout } = await runCli('apply', folder);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(
    /^apply: 2 steps on rancher\n(?:.*\n)*created {4}rancher\/\/ConfigMap\/default\/a\n(?:.*\n)*2 done in [\d.]+ s \(2 created\)\n$/,
  );
  expect(live(cluster, 'a').data).toEqual({ x: '1' });
  expect(await runCli('plan', folder)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('2 unchanged'),
  });
});

test('exits with 1 where something failed, and prints what to do', async () => {
  const { folder, cluster } = program('a', 'b');
  cluster.fault = ({ verb, what }) =>
    verb === 'apply' && what.endsWith('/a') ? new ApiError('invalid', 'no', 422) : undefined;
  const { exitCode, stdout } = await runCli('apply', folder);
  expect(exitCode).toBe(1);
  expect(stdout).toContain('1 done, 1 failed in');
  expect(stdout).toContain(
    '  failed: rancher//ConfigMap/default/a (rancher/a): no\nrun the same command again to go on',
  );
});

test('prints one JSON event per line', async () => {
  const { folder } = program('a');
  const lines = (await runCli('apply', folder, '--output', 'json')).stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ type, state }) => state ?? type)).toEqual([
    'start',
    'applying',
    'created',
    'end',
  ]);
  expect(lines.at(-1).summary).toMatchObject({
    done: ['rancher//ConfigMap/default/a'],
    failed: [],
    interrupted: false,
  });
});

test('apply carries out a saved plan, and nothing else', async () => {
  const { folder, cluster } = program('a');
  const file = join(tempFolder(), 'plan.json');
  await runCli('plan', folder, '--write-plan', file);
  expect(await runCli('apply', output('a', 'b'), '--plan', file)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('the manifests changed after the plan was made'),
  });
  expect(live(cluster, 'a')).toBeUndefined();
  expect((await runCli('apply', folder, '--plan', file)).exitCode).toBe(0);
  expect(live(cluster, 'a').data).toEqual({ x: '1' });
});

test('apply refuses a plan that is none, and options that make no sense', async () => {
  const { folder } = program('a');
  const file = join(tempFolder(), 'plan.json');
  writeFileSync(file, '{}');
  expect(await runCli('apply', folder, '--plan', file)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('schemaVersion must be 3, got undefined'),
  });
  expect(await runCli('apply', folder, '--timeout', 'soon')).toMatchObject({
    exitCode: 1,
    stderr: 'cdk8s-harvester: --timeout: must be a number above 0, got "soon"\n',
  });
  expect(await runCli('apply', folder, '--app', 'A B')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('got "A B"'),
  });
  expect(await runCli('apply', folder, '--force-conflicts', 'x')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(
      'must be the ID of an object, got x. Fix: use the IDs that plan prints next to conflicts and refusals, e.g. rancher//ConfigMap/default/a',
    ),
  });
});

test('destroy requires --yes without a terminal, and then deletes what was applied', async () => {
  const { folder, cluster } = program('a');
  await runCli('apply', folder);
  const isTTY = process.stdin.isTTY;
  process.stdin.isTTY = false;
  try {
    expect(await runCli('destroy', folder)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('stdin is not a terminal. Fix: set --yes'),
    });
  } finally {
    process.stdin.isTTY = isTTY;
  }
  expect(cluster.has('v1', 'ConfigMap', 'a', 'default')).toBe(true);
  const { exitCode, stdout } = await runCli('destroy', folder, '--yes');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('deleted    rancher//ConfigMap/default/a');
  expect(cluster.objects.size).toBe(0);
});

test('destroy lists what it deletes, and asks for the name of the app on a line of its own', async () => {
  const { folder, cluster } = program('a');
  await runCli('apply', folder);
  const typed = jest.spyOn(runOptions, 'isTyped').mockResolvedValue(false);
  const isTTY = process.stdin.isTTY;
  process.stdin.isTTY = true;
  try {
    expect(await runCli('destroy', folder, '--color', 'always')).toMatchObject({
      exitCode: 1,
      stderr: [
        '\u001b[1mrancher\u001b[22m',
        '  \u001b[31m- ConfigMap default/a\u001b[39m',
        '\u001b[31mThe objects with a minus are deleted from the clusters, with all virtual machines and data in them.\u001b[39m',
        'nothing was deleted',
        '',
      ].join('\n'),
    });
  } finally {
    process.stdin.isTTY = isTTY;
  }
  expect(typed).toHaveBeenCalledWith(
    'Type the name of the app (default) to continue: ',
    'default',
    expect.anything(),
  );
  expect(cluster.has('v1', 'ConfigMap', 'a', 'default')).toBe(true);
});

test('shows who holds the lock, and deletes it only if the user confirms it', async () => {
  const { folder, cluster } = program('a');
  expect(await runCli('unlock', folder)).toMatchObject({
    exitCode: 0,
    stdout: 'app default is not locked\n',
  });
  const lock = await Lock.acquire(cluster, appOf());
  expect(await runCli('unlock', folder)).toMatchObject({
    exitCode: 3,
    stdout: expect.stringContaining(`(process ${process.pid}) since 20`),
    stderr: expect.stringContaining('set --yes'),
  });
  expect(await runCli('unlock', folder, '--yes')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('the lock is deleted'),
  });
  expect(await cluster.read(leaseOf(appOf()))).toBeUndefined();
  await lock.release();
});

test('ctrl-C ends an apply cleanly with 130', async () => {
  const { folder, cluster } = program('a', 'b');
  cluster.before = async ({ verb, what }) => {
    if (verb === 'apply' && what.endsWith('/a')) {
      process.emit('SIGINT');
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  };
  const { exitCode, stdout, stderr } = await runCli('apply', folder, '--concurrency', '1');
  expect(exitCode).toBe(130);
  expect(stderr).toContain('stopping: writes in progress get 10 s');
  expect(stdout).toContain('interrupted: 1 done, 1 not begun or not through in');
  expect(stdout).toContain('  not done: rancher//ConfigMap/default/b');
  expect(
    cluster.live('coordination.k8s.io/v1', 'Lease', 'cdk8s-harvester-default', 'kube-system'),
  ).toBeUndefined();
  expect((await runCli('apply', folder)).exitCode).toBe(0);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('a second %s ends an apply at once', async (signal, code) => {
  const { folder, cluster } = program('a', 'b');
  const exit = jest.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
  cluster.before = async ({ verb, what }) => {
    if (verb === 'apply' && what.endsWith('/a')) {
      process.emit(signal);
      expect(exit).not.toHaveBeenCalled();
      process.emit(signal);
      expect(exit).toHaveBeenCalledWith(code);
    }
  };
  try {
    expect((await runCli('apply', folder, '--concurrency', '1')).exitCode).toBe(code);
    expect(exit).toHaveBeenCalledTimes(1);
  } finally {
    exit.mockRestore();
  }
});

test('keeps what holds machines and exits with 3, until --prune-machines deletes it', async () => {
  const { folder, cluster } = program('a');
  const withMachine = output('a');
  const app = newApp({ outdir: withMachine });
  const rancher = newRancher(app);
  configMap(rancher, 'a', { x: '1' });
  new ApiObject(rancher, 'Data', {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  app.synth();
  expect((await runCli('apply', withMachine)).exitCode).toBe(0);
  expect(await runCli('apply', folder)).toMatchObject({
    exitCode: 3,
    stdout: expect.stringContaining(
      '  kept: rancher//PersistentVolumeClaim/default/data: the data on it would be lost with it',
    ),
  });
  expect(cluster.has('v1', 'PersistentVolumeClaim', 'data', 'default')).toBe(true);
  expect((await runCli('plan', folder)).stdout).toContain(
    '= PersistentVolumeClaim default/data  (is no longer declared, but kept: the data on it would be lost with it. Fix: to delete it, ',
  );
  expect((await runCli('apply', folder, '--prune-machines')).exitCode).toBe(0);
  expect(cluster.live('v1', 'PersistentVolumeClaim', 'data', 'default')).toBeUndefined();
});

test('exits with 3 and writes nothing where --fail-on-machine-loss keeps machines that would be replaced', async () => {
  const { folder, cluster } = program('a');
  const sized = (memorySize: string): string => {
    const app = newApp({ outdir: tempFolder() });
    const rancher = newRancher(app);
    for (const [index, object] of [machineConfig({ memorySize }), guest()].entries()) {
      new ApiObject(rancher, `object-${index}`, object);
    }
    app.synth();
    return app.outdir;
  };
  expect((await runCli('apply', sized('8'), '--accept-empty')).exitCode).toBe(0);
  expect(await runCli('apply', sized('16'), '--fail-on-machine-loss')).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining(
      '--fail-on-machine-loss: machines would be replaced or deleted; nothing was written\n  pool all of fleet-default/shop on rancher: 3 machines replaced',
    ),
  });
  expect(
    cluster.live('rke-machine-config.cattle.io/v1', 'HarvesterConfig', 'nc-shop', 'fleet-default')
      .memorySize,
  ).toBe('8');
  expect(await runCli('apply', folder, '--fail-on-machine-loss', '--prune-machines')).toMatchObject(
    {
      exitCode: 1,
      stderr: expect.stringContaining('exclude each other'),
    },
  );
});

test('reports the program of another app as a problem of the plan, unless it is named as the right one', async () => {
  const { folder } = program('a');
  const other = output('b');
  await runCli('apply', folder);
  expect(await runCli('plan', other)).toMatchObject({
    exitCode: 3,
    stdout: expect.stringContaining(
      'why an apply would not begin\n  ! this program does not declare the only object that app default applied before: it would be deleted',
    ),
  });
  expect((await runCli('plan', other, '--accept-empty')).exitCode).toBe(2);
});
