import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { INSTALLED_ENV, Installed, ROOT, run } from './installed';
import { blocksOfPages } from '../support/docs/blocks';
import { fakeSops } from '../support/fake-sops';

const given = process.env[INSTALLED_ENV];
const { project, tarball, runtimes } = given ? JSON.parse(given) as Installed : { project: '', tarball: '', runtimes: {} as Installed['runtimes'] };
const describeInstalled = given ? describe : describe.skip;

const CLI = path.join(project, 'node_modules', 'cdk8s-harvester', 'bin', 'cdk8s-harvester');
const REPOSITORY = 'https://git.example.com/shop.git';
const SOPS = ['--secrets', 'sops', '--sops-recipient', 'age1qyyappls469vacyphhuhw3m02mpjxqglxwr6gr40k67tpvfwr5dqw2vdh3'];

/** Every delivery, with and without encrypted secrets, where the engine decrypts them. */
const COMBINATIONS: [name: string, ...options: string[]][] = [
  ['apply', '--ci', 'github'],
  ['flux', '--ci', 'gitlab', '--repository', REPOSITORY],
  ['argocd', '--ci', 'github', '--repository', REPOSITORY],
  ['fleet', '--ci', 'gitlab', '--repository', REPOSITORY],
  ['apply with sops', '--ci', 'gitlab', ...SOPS],
  ['flux with sops', '--ci', 'github', '--repository', REPOSITORY, ...SOPS],
];

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'cdk8s-harvester-init-'));
afterAll(() => { fs.rmSync(work, { recursive: true, force: true }); });

/** A folder with a stand-in for sops. */
function folderWithSops(): string {
  const folder = path.join(work, 'bin');
  fs.mkdirSync(folder, { recursive: true });
  fakeSops(folder);
  return folder;
}

function init(folder: string, language: string, [delivery, ...options]: readonly string[]): void {
  run(runtimes['node 20'], [CLI, 'init', language, folder, '--delivery', delivery.split(' ')[0], ...options], work);
}

/** The environment of a project, with a runtime in front. */
function environment(runtime = 'node 20', more: readonly string[] = []): NodeJS.ProcessEnv {
  const { CDK8S_OUTDIR: _, ...env } = process.env;
  const folders = [...more, path.dirname(runtimes[runtime]), folderWithSops(), env.PATH];
  return { ...env, DC1_TOKEN: 'a-token-for-tests-only', KUBECONFIG: path.join(work, 'none'), PATH: folders.join(path.delimiter), NO_COLOR: '1' };
}

function script(folder: string, name: string, env = environment()): string {
  const { stdout, stderr } = run('npm', ['run', '--silent', name], folder, env);
  return stdout + stderr;
}

function git(folder: string, ...args: string[]): void {
  run('git', ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.com', '-c', 'commit.gpgsign=false', ...args], folder);
}

/** The files of an output, with their text. */
function filesIn(folder: string): { [file: string]: string } {
  const files = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => fs.statSync(path.join(folder, file)).isFile()).sort();
  return Object.fromEntries(files.map((file) => [file, fs.readFileSync(path.join(folder, file), 'utf8')]));
}

/** Edits the quota of the team, as a first pull request does, and reviews it. */
function reviewOfQuota(folder: string, file: string, env = environment()): string {
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

describeInstalled('a project that init writes', () => {
  describe('in TypeScript', () => {
    const modules = path.join(work, 'base', 'node_modules');

    /** A new project with the packages of the first one. */
    function newProject(combination: readonly string[]): string {
      const folder = fs.mkdtempSync(path.join(work, 'project-'));
      init(folder, 'typescript', combination);
      fs.symlinkSync(modules, path.join(folder, 'node_modules'), 'dir');
      // a link is a file to git
      fs.appendFileSync(path.join(folder, '.gitignore'), 'node_modules\n');
      return folder;
    }

    beforeAll(() => {
      const base = path.join(work, 'base');
      fs.mkdirSync(base);
      init(base, 'typescript', COMBINATIONS[0]);
      run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', tarball], base);
    });

    test.each(COMBINATIONS)('passes its own checks, and writes the same output again: %s', (...combination) => {
      const folder = newProject(combination);
      script(folder, 'synth');
      const first = filesIn(path.join(folder, 'dist'));
      expect(Object.keys(first)).toContain('assembly.json');
      const output = script(folder, 'check');
      expect(output).toContain('2 passed');
      // without the private key, lint warns that it cannot read what is encrypted
      expect(output).toContain(combination[0].includes('sops') ? '0 errors, 2 warnings' : '0 errors, 0 warnings');
      script(folder, 'synth');
      expect(filesIn(path.join(folder, 'dist'))).toEqual(first);
      expect(JSON.stringify(first)).not.toContain('a-token-for-tests-only');
    });

    test.each(['reference-stack', 'three-tenants', 'rke2-production'])('passes its own checks if adopt wrote it: %s', (example) => {
      const folder = path.join(work, `adopted-${example}`);
      const dist = path.join(ROOT, 'examples', example, 'dist');
      const { targets } = JSON.parse(fs.readFileSync(path.join(dist, 'assembly.json'), 'utf8'));
      const from = targets.flatMap(({ name, kind, version }: { [key: string]: string }) => ['--from', `${name}:${kind}@${version}=${path.join(dist, name)}`]);
      run(runtimes['node 20'], [CLI, 'adopt', ...from, '--server-url', 'https://rancher.example.com', '--out', folder], work);
      fs.symlinkSync(modules, path.join(folder, 'node_modules'), 'dir');
      script(folder, 'synth');
      const output = script(folder, 'check');
      expect(output).toContain('1 passed');
      expect(output).toMatch(/\b0 errors, /);
    });

    test.each([COMBINATIONS[0], COMBINATIONS[5]])('reviews its first pull request: %s', (...combination) => {
      expect(reviewOfQuota(newProject(combination), 'platform.ts')).toContain('no machine is deleted or replaced');
    });

    test.each(['node 22', 'node 24'])('runs with %s', (runtime) => {
      const folder = newProject(COMBINATIONS[0]);
      script(folder, 'synth', environment(runtime));
      expect(script(folder, 'check', environment(runtime))).toContain('0 errors, 0 warnings');
    });

    test('runs with bun', () => {
      const folder = newProject(COMBINATIONS[0]);
      run(runtimes.bun, ['main.ts'], folder, environment());
      expect(Object.keys(filesIn(path.join(folder, 'dist')))).toContain('assembly.json');
    });

    test('reports what plan lacks where no cluster can be reached', () => {
      const folder = newProject(COMBINATIONS[0]);
      script(folder, 'synth');
      const { status, stderr } = spawnSync('npm', ['run', '--silent', 'plan'], { cwd: folder, env: environment(), encoding: 'utf8' });
      expect(status).toBe(1);
      expect(stderr).toMatch(/^cdk8s-harvester: .*context/);
    });

    test('is never written over another one', () => {
      const folder = newProject(COMBINATIONS[0]);
      const before = filesIn(path.join(folder, '.github'));
      expect(() => { init(folder, 'typescript', COMBINATIONS[2]); }).toThrow(/contains files that would be overwritten: .*platform\.ts.*nothing was written/);
      expect(filesIn(path.join(folder, '.github'))).toEqual(before);
    });
  });

  describe('in Python', () => {
    const venv = path.join(work, 'venv');
    const bin = path.join(venv, 'bin');

    beforeAll(() => {
      const dist = path.join(work, 'wheels');
      run(process.execPath, [path.join(ROOT, 'node_modules', 'jsii-pacmak', 'bin', 'jsii-pacmak'), '--target', 'python', '--outdir', dist, '--no-npmignore', ROOT], ROOT,
        { ...process.env, JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION: '20' });
      run('python3', ['-m', 'venv', venv], work);
      const [wheel] = fs.readdirSync(path.join(dist, 'python')).filter((file) => file.endsWith('.whl'));
      run(path.join(bin, 'python'), ['-m', 'pip', 'install', '--quiet', path.join(dist, 'python', wheel), 'pytest>=8'], work);
    }, 600_000);

    test.each([COMBINATIONS[0], COMBINATIONS[5]])('passes its own checks: %s', (...combination) => {
      const folder = fs.mkdtempSync(path.join(work, 'python-'));
      init(folder, 'python', combination);
      fs.symlinkSync(path.join(project, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
      const env = environment('node 22', [bin]);
      script(folder, 'synth', env);
      const first = filesIn(path.join(folder, 'dist'));
      const output = script(folder, 'check', env);
      expect(output).toContain('2 passed');
      expect(output).toContain('0 errors, ');
      script(folder, 'synth', env);
      expect(filesIn(path.join(folder, 'dist'))).toEqual(first);
    });

    test.each(blocksOfPages().filter(({ language }) => language === 'python'))('passes the test of $name', ({ code }) => {
      const folder = fs.mkdtempSync(path.join(work, 'python-'));
      init(folder, 'python', COMBINATIONS[0]);
      fs.symlinkSync(path.join(project, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
      const env = environment('node 22', [bin]);
      script(folder, 'synth', env);
      fs.writeFileSync(path.join(folder, 'test_page.py'), code);
      expect(run(path.join(bin, 'python'), ['-m', 'pytest', 'test_page.py'], folder, env).stdout).toContain('2 passed');
    });
  });
});
