import { writeFileSync } from 'fs';
import { join } from 'path';
import { bindProgram, emptyTargets } from '../../../src/engine/auth/bind-program';
import { BindOptions } from '../../../src/engine/auth/bind-targets';
import { appOf } from '../../../src/engine/fields/apply-set';
import { LoadedAssembly } from '../../../src/engine/read/load-assembly';
import { tempFolder } from '../../support/temp';
import { SmallProgram } from '../graph/_assemblies';

const CLUSTERS = ['rancher', 'dc1']
  .map((name) => `- {name: ${name}, cluster: {server: "https://127.0.0.1:1"}}`)
  .join('\n');

/** A kubeconfig with these contexts. */
function kubeconfig(...contexts: string[]): string {
  const file = join(tempFolder(), 'kubeconfig');
  const entries = contexts
    .map((name) => `- {name: ${name}, context: {cluster: ${name}, user: u}}`)
    .join('\n');
  writeFileSync(
    file,
    `apiVersion: v1\nkind: Config\nclusters:\n${CLUSTERS}\nusers:\n- {name: u, user: {token: t}}\ncontexts:\n${entries}\n`,
  );
  return file;
}

const IMPORT = 'provisioning.cattle.io/v1';

/** An import with `register: false`: the Harvester has no objects. */
function imported(): SmallProgram {
  const program = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  program.object('rancher', IMPORT, 'Cluster', 'fleet-default/dc1', { spec: {} });
  return program;
}

async function bound(
  { assembly, manifests }: SmallProgram,
  options: BindOptions,
): Promise<string[]> {
  const loaded: LoadedAssembly = { folder: 'dist', digest: 'a', assembly, manifests };
  const { loaded: found, binding } = await bindProgram(loaded, appOf(), {
    cwd: tempFolder(),
    transport: { retryMs: 0 },
    ...options,
  });
  const { targets } = found.assembly;
  binding.close();
  expect([...binding.targets.keys()]).toEqual(targets.map(({ name }) => name));
  return targets.map(({ name }) => name);
}

test('needs no context for a target on which the program has nothing', async () => {
  expect(await bound(imported(), { kubeconfig: kubeconfig('rancher') })).toEqual(['rancher']);
  expect(await bound(imported(), { kubeconfig: kubeconfig('rancher', 'dc1') })).toEqual([
    'rancher',
    'dc1',
  ]);
});

test('needs the context that an option or the config file names', async () => {
  const file = kubeconfig('rancher');
  await expect(
    bound(imported(), { kubeconfig: file, context: new Map([['dc1', 'prod']]) }),
  ).rejects.toThrow('target dc1: context prod is not in');
  const configFile = join(tempFolder(), 'cdk8s-harvester.yaml');
  writeFileSync(configFile, 'targets:\n  dc1:\n    context: prod\n');
  await expect(bound(imported(), { kubeconfig: file, config: configFile })).rejects.toThrow(
    'target dc1: context prod is not in',
  );
});

test('needs the context of a target with objects', async () => {
  const program = imported();
  program.object('dc1', 'v1', 'ConfigMap', 'default/a');
  await expect(bound(program, { kubeconfig: kubeconfig('rancher') })).rejects.toThrow(
    'target dc1: is not bound to a context',
  );
});

test('counts a target as used that late values are read from, that has guest clusters, or that holds the lock', () => {
  const program = new SmallProgram()
    .target('a', 'rancher')
    .target('rancher', 'rancher')
    .target('dc1', 'harvester')
    .target('dc2', 'harvester')
    .target('dc3', 'harvester');
  program.late('token', {
    resolver: 'secret-key',
    target: 'dc1',
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: 'x',
    name: 'y',
    path: 'token',
  });
  program.object('dc2', 'v1', 'ConfigMap', 'default/a');
  const { assembly } = program;
  const shop = {
    name: 'shop',
    kind: 'guest',
    version: '',
    folder: 'shop',
    construct: 'shop',
    properties: { rancher: 'rancher' },
  } as const;
  expect([...emptyTargets({ ...assembly, targets: [...assembly.targets, shop] })]).toEqual([
    'dc3',
    'shop',
  ]);
});
