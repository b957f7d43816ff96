import { writeFileSync } from 'fs';
import { join } from 'path';
import { ApiObject } from 'cdk8s';
import { Ordering, OrderingType } from '../../../../src/core/construct/edge';
import * as bind from '../../../../src/engine/auth/bind-targets';
import { TakeOver, takeOverText } from '../../../../src/engine/auth/take-over';
import { LiveObject } from '../../../../src/engine/cluster/cluster';
import { ApiError } from '../../../../src/engine/transport/api';
import { VmImage } from '../../../../src/harvester/image/vm-image';
import { FakeCluster, fakeTargets } from '../../../support/fake-cluster';
import { configMap, newApp, newHarvester, newRancher } from '../../../support/programs';
import { CliRun, runCli } from '../../../support/run-cli';
import { tempFolder } from '../../../support/temp';

const RBAC = 'rbac.authorization.k8s.io';

function binding(name: string, user = 'ana'): object {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: { name, namespace: 'default' },
    roleRef: { apiGroup: RBAC, kind: 'Role', name: 'view' },
    subjects: [{ apiGroup: RBAC, kind: 'User', name: user }],
  };
}

const idOf = (name: string): string => `rancher/${RBAC}/RoleBinding/default/${name}`;

/** The output of a program with bindings and a ConfigMap. */
function output(names: readonly string[], value = '1'): string {
  const folder = tempFolder();
  const app = newApp({ outdir: folder });
  const rancher = newRancher(app);
  for (const name of names) {
    new ApiObject(rancher, name, binding(name) as never);
  }
  configMap(rancher, 'plain', { x: value });
  app.synth();
  return folder;
}

/** A cluster where a user made what the programs declare. */
class Platform {
  public readonly cluster = new FakeCluster();
  private readonly file = join(tempFolder(), 'take-over.yaml');

  public constructor(names: readonly string[]) {
    jest.spyOn(bind, 'bindTargets').mockImplementation(async () => ({
      targets: fakeTargets({ rancher: this.cluster }),
      close: () => {},
    }));
    names.forEach((name) => this.seed(binding(name)));
    this.seed({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'plain', namespace: 'default' },
      data: { x: '1' },
    });
  }

  public seed(object: object): LiveObject {
    return this.cluster.seed(object as never, 'kubectl');
  }

  public live(name: string): LiveObject {
    return this.cluster.live(`${RBAC}/v1`, 'RoleBinding', name, 'default');
  }

  /** An entry of the file, as someone reviewed it. */
  public entry(name: string, changed: Partial<TakeOver> = {}): TakeOver {
    return { id: idOf(name), uid: this.live(name).metadata.uid, because: '', ...changed };
  }

  public async takeOver(folder: string, entries: readonly TakeOver[]): Promise<CliRun> {
    writeFileSync(this.file, takeOverText(entries));
    return runCli('adopt', folder, '--take-over', this.file);
  }

  /** What was written to the cluster. */
  public get writes(): number {
    return this.cluster.calls.filter(({ verb }) => verb === 'apply').length;
  }
}

const NAMES = ['a', 'b'];

/** An image with it never becomes ready. */
const FAILED = { type: 'RetryLimitExceeded', status: 'True', message: 'connection refused' };

afterEach(() => {
  jest.restoreAllMocks();
});

test('adopts what the file lists, object by object, and the next plan needs no option', async () => {
  const platform = new Platform(NAMES);
  const folder = output(NAMES);
  const refused = await runCli('plan', folder);
  expect(refused.exitCode).toBe(3);
  const { exitCode, stdout, stderr } = await platform.takeOver(
    folder,
    NAMES.map((name) => platform.entry(name)),
  );
  expect(stderr).toMatch(
    /^Adopt: 3 to adopt as they are\n {2}~ rancher\/.*\/a\n {4}already exists, and .*\(written by kubectl\).*\n {2}~ rancher\/.*\/b\n/,
  );
  expect(stderr).toContain('the next plan has no change, and needs no option');
  expect(stdout).toContain('3 done');
  expect(exitCode).toBe(0);
  expect(await runCli('plan', folder)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('3 unchanged'),
  });
  // the values of the user remain
  expect(platform.live('a')).toMatchObject(binding('a'));
});

test('adopts what uses an image whose download failed, since it does on the cluster', async () => {
  const platform = new Platform(['a']);
  jest.spyOn(bind, 'bindTargets').mockImplementation(async () => ({
    targets: fakeTargets({ rancher: platform.cluster, dc1: platform.cluster }),
    close: () => {},
  }));
  const folder = tempFolder();
  const app = newApp({ outdir: folder });
  const rancher = newRancher(app);
  const dc1 = newHarvester(app);
  new ApiObject(rancher, 'a', binding('a') as never);
  const image = VmImage.download(dc1, 'noble', { url: 'https://images.example.com/noble.img' });
  Ordering.of(configMap(rancher, 'plain', { x: '1' }))._add(image, OrderingType.READY);
  app.synth();
  platform.seed({ ...image.apiObject.toJson(), status: { conditions: [FAILED] } });
  const { exitCode, stdout, stderr } = await platform.takeOver(folder, [platform.entry('a')]);
  expect(stderr).toContain('the next plan has no change');
  expect(stdout).toContain('3 done');
  expect(exitCode).toBe(0);
});

test('a second program adopts what it adds, and what it removes is deleted', async () => {
  const platform = new Platform([...NAMES, 'c']);
  await platform.takeOver(
    output(NAMES),
    NAMES.map((name) => platform.entry(name)),
  );
  const more = output(['a', 'b', 'c']);
  const entries = ['a', 'b', 'c'].map((name) => platform.entry(name));
  const second = await platform.takeOver(more, entries);
  expect(second).toMatchObject({ exitCode: 0 });
  expect(second.stderr).toMatch(/Adopted before\n {4}\S+\/a\n {4}\S+\/b\n/);
  const removed = output(['a', 'c']);
  // the file adopts, and deletes nothing
  const refused = await platform.takeOver(removed, [platform.entry('a'), platform.entry('c')]);
  expect(refused).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('rancher: RoleBinding default/b: would be deleted'),
  });
  expect((await runCli('apply', removed)).exitCode).toBe(0);
  expect(platform.live('b')).toBeUndefined();
});

test('refuses what differs from the file, all at once, and writes nothing', async () => {
  const platform = new Platform(['changed', 'recreated', 'unlisted']);
  const folder = output(['changed', 'gone', 'recreated', 'unlisted'], '2');
  const { exitCode, stderr } = await platform.takeOver(folder, [
    platform.entry('changed', { because: 'access has: User ben' }),
    { id: idOf('gone'), uid: 'u-1', because: '' },
    platform.entry('recreated', { uid: 'u-2' }),
    { id: idOf('other'), uid: 'u-3', because: '' },
  ]);
  expect(exitCode).toBe(3);
  expect(platform.writes).toBe(0);
  const lines = stderr.trimEnd().split('\n');
  expect(lines).toEqual([
    expect.stringContaining('nothing was written'),
    expect.stringMatching(
      /\/other: is in .*, and not in the program. Fix: remove it from the file/,
    ),
    expect.stringMatching(
      /\/changed: who has access changed since .*\(access has: User ben\), got: /,
    ),
    expect.stringMatching(/\/gone: was deleted since .* Fix: /),
    expect.stringMatching(
      /\/recreated: was recreated since .*: must have UID u-2, got \S+\. Fix: /,
    ),
    expect.stringMatching(/\/unlisted: is not in .*, and .* Fix: .* with uid \S+, or /),
    expect.stringMatching(
      /rancher: ConfigMap default\/plain: .*data\.x belongs to kubectl\. Fix: /,
    ),
    expect.stringMatching(/rancher: ConfigMap default\/plain: data\.x would change\. Fix: /),
  ]);
});

test('continues after a failure, and keeps the exit code', async () => {
  const platform = new Platform(NAMES);
  const folder = output(NAMES);
  const entries = NAMES.map((name) => platform.entry(name));
  let isDown = true;
  platform.cluster.fault = ({ verb, what }) =>
    isDown && verb === 'apply' && what.endsWith('/b')
      ? new ApiError('invalid', 'no', 422)
      : undefined;
  const first = await platform.takeOver(folder, entries);
  expect(first.exitCode).toBe(1);
  expect(first.stdout).toContain('1 failed');
  expect(first.stderr).not.toContain('needs no option');
  isDown = false;
  expect((await platform.takeOver(folder, entries)).exitCode).toBe(0);
  expect((await runCli('plan', folder)).exitCode).toBe(0);
});

test('refuses options that have no effect, all at once', async () => {
  const { exitCode, stderr } = await runCli(
    ...['adopt', '--take-over', 'x.yaml', '--output-dir', 'y', '--select', 'kind=Namespace'],
  );
  expect(exitCode).toBe(1);
  expect(stderr).toContain('--output-dir, --select: cannot be used with --take-over');
  expect((await runCli('adopt', '--take-over', 'x.yaml', '--update')).stderr).toContain(
    '--update, --take-over: exclude each other',
  );
  new Platform([]);
  expect((await runCli('adopt', output([]), '--take-over', 'x.yaml')).stderr).toContain(
    '--take-over: x.yaml cannot be read',
  );
});
