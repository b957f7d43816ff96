import { AssemblyTarget } from '../../../../src/core/output/assembly';
import * as bind from '../../../../src/engine/auth/bind-targets';
import { FakeCluster, fakeTargets } from '../../../support/fake-cluster';
import { configMap, newApp, newHarvester, newRancher } from '../../../support/programs';
import { runCli } from '../../../support/run-cli';
import { tempFolder } from '../../../support/temp';

afterEach(() => {
  jest.restoreAllMocks();
});

function output(...harvesters: readonly string[]): string {
  const outdir = tempFolder();
  const app = newApp({ outdir });
  configMap(newRancher(app), 'a');
  for (const name of harvesters) {
    configMap(newHarvester(app, '1.7.2', name), `map-${name}`);
  }
  app.synth();
  return outdir;
}

/** Clusters by target, and the kubeconfig contexts that there are. */
function clusters(...names: readonly string[]): { [name: string]: FakeCluster } {
  const made = Object.fromEntries(
    names.map((name) => [
      name,
      new FakeCluster({ paths: { '/api/v1/namespaces/kube-system': { metadata: { uid: name } } } }),
    ]),
  );
  jest
    .spyOn(bind, 'bindTargets')
    .mockImplementation(async (targets, { context: contexts = new Map<string, string>() } = {}) => {
      const unknown = [...targets.map(({ name }) => name), ...contexts.keys()].find(
        (name) => !(name in made),
      );
      if (unknown !== undefined) {
        throw new Error(`target ${unknown}: is bound to no context`);
      }
      const byName = <T>(of: (target: AssemblyTarget) => T): { [name: string]: T } =>
        Object.fromEntries(targets.map((target) => [target.name, of(target)]));
      return {
        targets: fakeTargets(
          byName(({ name }) => made[name]),
          byName((target) => target),
        ),
        close: () => {},
      };
    });
  return made;
}

const live = (cluster: FakeCluster, name: string) =>
  cluster.live('v1', 'ConfigMap', name, 'default');

test('destroy --target reaches a target that is no longer in the program by its context', async () => {
  const { rancher, dc1 } = clusters('rancher', 'dc1');
  expect((await runCli('apply', output('dc1'))).exitCode).toBe(0);
  const after = output();
  expect((await runCli('plan', after)).stdout).toContain('target dc1 is no longer declared');
  expect(
    await runCli('destroy', after, '--target', 'dc1', '--context', 'dc1=dc1', '--yes'),
  ).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('deleted    dc1//ConfigMap/default/map-dc1'),
  });
  expect([live(dc1, 'map-dc1'), live(rancher, 'a') !== undefined]).toEqual([undefined, true]);
  expect((await runCli('plan', after)).stdout).not.toContain('dc1');
});

test('prints what to do for destroy --target without a context, and forgets the target', async () => {
  const made = clusters('rancher', 'dc1');
  expect((await runCli('apply', output('dc1'))).exitCode).toBe(0);
  const after = output();
  delete made.dc1;
  expect(await runCli('destroy', after, '--target', 'dc1', '--yes')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(
      'set --context dc1=<context>; if its cluster no longer exists, run forget dc1',
    ),
  });
  expect(await runCli('forget', 'dc1', after)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('Fix: set --yes'),
  });
  expect(await runCli('forget', 'dc1', after, '--yes')).toMatchObject({
    exitCode: 0,
    stdout: 'target dc1 is forgotten (inventories on rancher)\n',
  });
  expect((await runCli('plan', after)).stdout).not.toContain('dc1');
});

test('refuses the name of an unknown target', async () => {
  clusters('rancher');
  expect(await runCli('apply', output(), '--context', 'dc7=x')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('target dc7'),
  });
});
