import * as fs from 'node:fs';
import * as path from 'node:path';
import { INSTALLED_ENV, Installed, run } from './installed';
import { fakeSops } from '../support/fake-sops';
import { tempFolder } from '../support/temp';

const given = process.env[INSTALLED_ENV];
export const { project, tarball, runtimes } = given
  ? (JSON.parse(given) as Installed)
  : { project: '', tarball: '', runtimes: {} as Installed['runtimes'] };
export const describeInstalled = given ? describe : describe.skip;

export const CLI = path.join(project, 'node_modules', 'cdk8s-harvester', 'bin', 'cdk8s-harvester');
const REPOSITORY = 'https://git.example.com/shop.git';
const SOPS = ['--sops-recipient', 'age1qyyappls469vacyphhuhw3m02mpjxqglxwr6gr40k67tpvfwr5dqw2vdh3'];

/** Every delivery, with and without encrypted secrets, where the engine decrypts them. */
export const COMBINATIONS: [name: string, ...options: string[]][] = [
  ['apply', '--ci', 'github'],
  ['flux', '--ci', 'gitlab', '--repository', REPOSITORY],
  ['argocd', '--ci', 'github', '--repository', REPOSITORY],
  ['fleet', '--ci', 'gitlab', '--repository', REPOSITORY],
  ['apply with sops', '--ci', 'gitlab', ...SOPS],
  ['flux with sops', '--ci', 'github', '--repository', REPOSITORY, ...SOPS],
];

export const work = tempFolder();

/** A folder with a stand-in for sops. */
function folderWithSops(): string {
  const folder = path.join(work, 'bin');
  fs.mkdirSync(folder, { recursive: true });
  fakeSops(folder);
  return folder;
}

export function init(
  folder: string,
  language: string,
  [delivery, ...options]: readonly string[],
): void {
  run(
    runtimes['node 20'],
    [CLI, 'init', language, folder, '--delivery', delivery.split(' ')[0], ...options],
    work,
  );
}

/** The environment of a project, with a runtime in front. */
export function environment(runtime = 'node 20', more: readonly string[] = []): NodeJS.ProcessEnv {
  const { CDK8S_OUTDIR: _, ...env } = process.env;
  const folders = [...more, path.dirname(runtimes[runtime]), folderWithSops(), env.PATH];
  return {
    ...env,
    DC1_TOKEN: 'a-token-for-tests-only',
    KUBECONFIG: path.join(work, 'none'),
    PATH: folders.join(path.delimiter),
    NO_COLOR: '1',
  };
}

export function script(folder: string, name: string, env = environment()): string {
  const { stdout, stderr } = run('npm', ['run', '--silent', name], folder, env);
  return stdout + stderr;
}

function git(folder: string, ...args: string[]): void {
  run(
    'git',
    [
      '-c',
      'user.name=Ana',
      '-c',
      'user.email=ana@example.com',
      '-c',
      'commit.gpgsign=false',
      ...args,
    ],
    folder,
  );
}

/** The files of an output, with their text. */
export function filesIn(folder: string): { [file: string]: string } {
  const files = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => fs.statSync(path.join(folder, file)).isFile())
    .sort();
  return Object.fromEntries(
    files.map((file) => [file, fs.readFileSync(path.join(folder, file), 'utf8')]),
  );
}

/** Edits the quota of the team, as a first pull request does, and reviews it. */
export function reviewOfQuota(folder: string, file: string, env = environment()): string {
  git(folder, 'init', '--quiet', '--initial-branch', 'main');
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'Start');
  git(folder, 'switch', '--quiet', '--create', 'more');
  const text = fs.readFileSync(path.join(folder, file), 'utf8');
  fs.writeFileSync(path.join(folder, file), text.replace('units(32)', 'units(64)'));
  script(folder, 'synth', env);
  git(folder, 'commit', '--quiet', '--all', '--message', 'Give the team 64 CPUs');
  return script(folder, 'review', env);
}
