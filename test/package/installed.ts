import { SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

export const ROOT = path.resolve(__dirname, '..', '..');

/** The environment variable by which the global setup hands its result to the tests. */
export const INSTALLED_ENV = 'CDK8S_HARVESTER_PACKED';

/** A project of a user: the packed package with its peers, and the runtimes to try it with. */
export interface Installed {
  readonly tarball: string;
  readonly project: string;
  /** Executables by name, e.g. `node 22`; compilers and vitest, too, which are scripts for Node. */
  readonly runtimes: { readonly [name: string]: string };
}

/**
 * The oldest release that `engines` allows, the current ones, and bun: exact, so that a run can be
 * repeated.
 */
const NODES = { 'node 20': oldestNode(), 'node 22': '22.23.3', 'node 24': '24.21.0' };
const BUN = '1.4.5';

/** The compilers of users, in the releases that the types are checked with. */
export const COMPILERS = {
  'TypeScript 5.9': '5.9.3',
  'TypeScript 6': '6.0.3',
  'TypeScript 7': '7.0.2',
};
const VITEST = '4.1.12';

/** A release of cdk8s-plus that is not the one the library is built with. */
export const OTHER_PLUS = 'cdk8s-plus-33';

/**
 * Packs what is compiled and installs it as a user does. Throws the output of npm if that fails.
 */
export function install(): Installed {
  const work = fs.mkdtempSync(path.join(os.tmpdir(), 'cdk8s-harvester-packed-'));
  const tarball = path.join(
    work,
    run('npm', ['pack', '--silent', '--pack-destination', work], ROOT)
      .stdout.trim()
      .split('\n')
      .pop()!,
  );
  const project = path.join(work, 'project');
  fs.mkdirSync(project);
  fs.writeFileSync(path.join(project, 'package.json'), '{ "private": true }');
  const peers = ['cdk8s', 'constructs'].map((name) => `${name}@${versionOf(name)}`);
  npmInstall(project, [tarball, ...peers, `${OTHER_PLUS}@2.5.57`]);
  return { tarball, project, runtimes: installRuntimes() };
}

export function remove({ project }: Installed): void {
  spawn('rm', ['-rf', path.dirname(project)], { detached: true, stdio: 'ignore' }).unref();
}

/** Runs a command to its end; throws what it printed where it fails. */
export function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): SpawnSyncReturns<string> {
  const result = spawnSync(command, args, {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });
  if (result.error) {
    throw result.error;
  }
  if (result.status !== 0) {
    throw new Error(
      `${command} ${args.join(' ')} exited with ${result.status}\n${result.stdout}${result.stderr}`,
    );
  }
  return result;
}

// kept between runs: they never change
function installRuntimes(): { [name: string]: string } {
  const cache = path.join(
    process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache'),
    'cdk8s-harvester',
    'runtimes',
  );
  const platform = `${process.platform}-${process.arch}`;
  const packages: [name: string, module: string, version: string, binary: string][] = [
    ...Object.entries(NODES).map(([name, version]): [string, string, string, string] => [
      name,
      `node-${platform}`,
      version,
      'bin/node',
    ]),
    ...Object.entries(COMPILERS).map(([name, version]): [string, string, string, string] => [
      name,
      'typescript',
      version,
      'bin/tsc',
    ]),
    ['vitest', 'vitest', VITEST, 'vitest.mjs'],
    [
      'bun',
      `@oven/bun-${platform === 'darwin-arm64' ? 'darwin-aarch64' : platform}`,
      BUN,
      'bin/bun',
    ],
  ];
  return Object.fromEntries(
    packages.map(([name, module, version, binary]) => {
      const folder = path.join(cache, `${name.replaceAll(' ', '-')}-${version}`);
      const file = path.join(folder, 'node_modules', module, binary);
      if (!fs.existsSync(file)) {
        fs.mkdirSync(folder, { recursive: true });
        npmInstall(folder, [`${module}@${version}`]);
        fs.chmodSync(file, 0o755);
      }
      return [name, file];
    }),
  );
}

function npmInstall(folder: string, packages: readonly string[]): void {
  run(
    'npm',
    [
      'install',
      '--silent',
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      '--prefix',
      folder,
      ...packages,
    ],
    folder,
  );
}

function versionOf(name: string): string {
  return (
    JSON.parse(fs.readFileSync(path.join(ROOT, 'node_modules', name, 'package.json'), 'utf8')) as {
      version: string;
    }
  ).version;
}

function oldestNode(): string {
  const {
    engines: { node },
  } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    engines: { node: string };
  };
  return /^>= (\d+\.\d+\.\d+)$/.exec(node)![1];
}
