import { readFileSync } from 'fs';
import { join } from 'path';
import * as bind from '../../../../src/engine/auth/bind-targets';
import { FakeCluster, fakeTargets } from '../../../support/fake-cluster';
import { withRights } from '../../../support/fake-rights';
import { configMap, newApp, newRancher } from '../../../support/programs';
import { runCli } from '../../../support/run-cli';
import { tempFolder } from '../../../support/temp';

/** An output folder with one object, and a cluster on which hardly anything is allowed. */
function program(): { folder: string; cluster: FakeCluster } {
  const folder = tempFolder();
  const app = newApp({ outdir: folder });
  configMap(newRancher(app), 'a', { x: '1' });
  app.synth();
  const cluster = withRights(new FakeCluster(), {
    rules: [
      { verbs: ['*'], resources: ['configmaps'], names: ['cdk8s-harvester-default'] },
      { verbs: ['*'], group: 'coordination.k8s.io', resources: ['leases'] },
    ],
  });
  jest.spyOn(bind, 'bindTargets').mockImplementation(async () => ({
    targets: fakeTargets({ rancher: cluster }),
    close: () => {},
  }));
  return { folder, cluster };
}

const LINE = 'rancher (context rancher): get, patch, create configmaps a in namespace default';

afterEach(() => {
  jest.restoreAllMocks();
});

test('exits with 1 where permissions are missing, and prints which and what to do; --no-preflight continues', async () => {
  const { folder, cluster } = program();
  const { exitCode, stderr } = await runCli('apply', folder);
  expect(exitCode).toBe(1);
  expect(stderr).toBe(
    'cdk8s-harvester: missing permissions; nothing was written\n' +
      `  ${LINE}\n` +
      'Fix: have an administrator apply the output of `cdk8s-harvester rbac`; or set --no-preflight to skip this check, e.g. if permissions are granted during the run\n',
  );
  expect(cluster.objects.size).toBe(0);
  expect((await runCli('apply', folder, '--no-preflight')).exitCode).toBe(0);
});

test('destroy does so, too', async () => {
  const { folder, cluster } = program();
  await runCli('apply', folder, '--no-preflight');
  expect(await runCli('destroy', folder, '--yes')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('get, delete configmaps a in namespace default'),
  });
  expect(cluster.has('v1', 'ConfigMap', 'a', 'default')).toBe(true);
  expect((await runCli('destroy', folder, '--yes', '--no-preflight')).exitCode).toBe(0);
});

test('plan reports them in every format, and saves them', async () => {
  const { folder } = program();
  const file = join(tempFolder(), 'plan.json');
  const text = await runCli('plan', folder, '--write-plan', file);
  expect(text).toMatchObject({
    exitCode: 3,
    stdout: expect.stringContaining(`missing permissions\n  ! ${LINE}\n`),
    stderr: expect.stringContaining(
      'have an administrator apply the output of `cdk8s-harvester rbac`',
    ),
  });
  expect(JSON.parse(readFileSync(file, 'utf8')).missingRights).toEqual([LINE]);
  expect((await runCli('plan', folder, '--output', 'markdown')).stdout).toContain(
    `<summary>missing permissions</summary>\n\n\`\`\`diff\n- ! ${LINE}\n`,
  );
  const without = await runCli('plan', folder, '--no-preflight');
  expect(without).toMatchObject({ exitCode: 2, stderr: '' });
  expect(without.stdout).not.toContain('rights');
});
