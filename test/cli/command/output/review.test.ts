import { spawn } from 'child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'fs';
import { join } from 'path';
import { Files, GitProject } from '../../../support/git-project';
import { cloudConfig, credential, guest, machineConfig } from '../../../support/guest';
import { runCli } from '../../../support/run-cli';
import { ROOT } from '../../../support/source-library';
import { tempFolder } from '../../../support/temp';

/** A program that writes manifests of a file: it is quick, and knows nothing of the library. */
const PROGRAM = `const { mkdirSync, writeFileSync } = require('fs');
const folder = process.env.CDK8S_OUTDIR ?? 'dist';
mkdirSync(folder, { recursive: true });
writeFileSync(folder + '/all.yaml', require('./manifests.js').map((manifest) => '---\\n' + JSON.stringify(manifest) + '\\n').join(''));
`;

const APP = 'language: typescript\napp: node main.js\n';

/** The manifests of a guest cluster with three machines. */
function manifests(memorySize = '8'): string {
  return `module.exports = ${JSON.stringify([machineConfig({ memorySize }), cloudConfig(), credential(), guest()])};\n`;
}

const BASE: Files = {
  'main.js': PROGRAM,
  'cdk8s.yaml': APP,
  'manifests.js': manifests(),
  '.gitignore': 'dist\nnode_modules\n',
};

/** A repository with a base on main, and a change of it on a branch. */
function project(change: Files, base: Files = BASE): GitProject {
  const created = new GitProject(base);
  created.git('switch', '--quiet', '--create', 'change');
  created.commit('Change it', change);
  return created;
}

/** Where the reviews of this file have their temporary folders. */
const TEMPORARY = join(tempFolder(), 'tmp');
const before = process.env.TMPDIR;

beforeEach(() => {
  mkdirSync(TEMPORARY, { recursive: true });
  process.env.TMPDIR = TEMPORARY;
});

afterEach(() => {
  if (before === undefined) {
    delete process.env.TMPDIR;
  } else {
    process.env.TMPDIR = before;
  }
});

/** The work trees of a repository, and the temporary folders of reviews. */
function leftovers({ folder }: GitProject): readonly string[] {
  const trees = join(folder, '.git', 'worktrees');
  return [
    ...(existsSync(trees) ? readdirSync(trees) : []),
    ...readdirSync(TEMPORARY).filter((name) => name.startsWith('cdk8s-harvester-review-')),
  ];
}

test('finds nothing to stop for in a change without effect, and leaves no work tree', async () => {
  const { folder } = project({ 'README.md': 'Hello' });
  const { stdout, stderr, exitCode } = await runCli('review', folder, '--base', 'main');
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).toMatch(
    /^Review: nothing to stop for\nbase {4}[0-9a-f]{9} Begin\nchange {2}[0-9a-f]{9} Change it\n/,
  );
  expect(stdout).toContain('- the live clusters:');
  expect(existsSync(join(folder, 'dist'))).toBe(false);
});

test('stops with exit code 3 for machines that are replaced, in every format', async () => {
  const created = project({ 'manifests.js': manifests('16') });
  const run = async (format: string) =>
    runCli('review', created.folder, '--base', 'main', '--output', format);
  const text = await run('text');
  expect(text).toMatchObject({ exitCode: 3, stderr: '' });
  expect(text.stdout).toContain('Review: machines or data are, or may be, lost\n');
  expect(text.stdout).toMatch(/HarvesterConfig fleet-default\/nc-shop memorySize: "8" -> "16"/);
  const markdown = await run('markdown');
  expect(markdown.stdout).toMatch(
    /^<!-- cdk8s-harvester review: \. -->\n\n## ❌ Review: machines or data are, or may be, lost\n/,
  );
  expect(markdown.stdout).toContain('memorySize');
  const { stdout, exitCode } = await run('json');
  expect({ exitCode, ...(JSON.parse(stdout) as object) }).toMatchObject({
    exitCode: 3,
    stops: ['losses'],
    impact: { machines: { replace: 3 } },
    failures: [],
    findings: expect.any(Array),
  });
  expect(leftovers(created)).toEqual([]);
});

test.each([['errors,stale'], ['nothing']])(
  'does not stop for lost machines with --fail-on %s',
  async (what) => {
    const { folder } = project({ 'manifests.js': manifests('16') });
    expect(await runCli('review', folder, '--base', 'main', '--fail-on', what)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('nothing to stop for'),
    });
  },
);

test('refuses to stop for what it does not know', async () => {
  expect(await runCli('review', '.', '--base', 'main', '--fail-on', 'errors,typos')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(
      'must be nothing, or some of errors,warnings,losses,unfit,stale, got typos',
    ),
  });
});

test('compares with the common ancestor, not with what the base did since', async () => {
  const created = project({ 'README.md': 'Hello' });
  created.git('switch', '--quiet', 'main');
  created.commit('More memory on main', { 'manifests.js': manifests('32') });
  created.git('switch', '--quiet', 'change');
  expect((await runCli('review', created.folder, '--base', 'main')).exitCode).toBe(0);
  const exact = await runCli('review', created.folder, '--base', 'main', '--exact-base');
  expect(exact).toMatchObject({
    exitCode: 3,
    stdout: expect.stringContaining('More memory on main'),
  });
});

test('reports machines that are lost with a removed, and with a renamed, cluster', async () => {
  const removed = project({
    'manifests.js': `module.exports = ${JSON.stringify([credential()])};\n`,
  });
  expect((await runCli('review', removed.folder, '--base', 'main')).stdout).toContain(
    'deleted: 3 machines of cluster fleet-default/shop',
  );
  const renamed = project({
    'manifests.js': manifests().replaceAll('"name":"shop"', '"name":"shops"'),
  });
  expect(await runCli('review', renamed.folder, '--base', 'main')).toMatchObject({
    exitCode: 3,
    stdout: expect.stringContaining('deleted: 3 machines of cluster fleet-default/shop'),
  });
});

test('reviews changes that are not committed, and reports that', async () => {
  const created = project({ 'README.md': 'Hello' });
  created.write({ 'review.err': '' });
  expect((await runCli('review', created.folder, '--base', 'main')).stdout).not.toContain(
    'not committed',
  );
  created.write({ 'manifests.js': manifests('16') });
  const { stdout, exitCode } = await runCli('review', created.folder, '--base', 'main');
  expect(exitCode).toBe(3);
  expect(stdout).toContain(
    '- the work tree has changes that are not committed, which are reviewed, too',
  );
});

test('names files of the output that a commit of changed files alone leaves out', async () => {
  const created = project(
    { 'README.md': 'Hello' },
    { ...BASE, '.gitignore': 'node_modules\n', 'dist/left.yaml': '# not an object\n' },
  );
  expect((await runCli('review', created.folder, '--base', 'main')).stdout).not.toContain(
    'not in Git, which',
  );
  created.write({ 'dist/new.yaml': '# not an object\n' });
  expect((await runCli('review', created.folder, '--base', 'main')).stdout).toContain(
    'To correct\n- dist has files that are not in Git, which a commit must contain: dist/new.yaml. Fix: git add dist\n',
  );
});

test('takes all of a new program for new', async () => {
  const created = project(BASE, { 'README.md': 'Hello' });
  expect(await runCli('review', created.folder, '--base', 'main')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('the base has no output of this program: all of it is new'),
  });
});

describe('a side that cannot be synthesized', () => {
  test('is a failure of the command that names the side and the reason, and the other side is still judged', async () => {
    const created = project(
      { 'main.js': PROGRAM },
      { ...BASE, 'main.js': 'console.error("no such product"); process.exit(7);' },
    );
    const { stdout, exitCode } = await runCli('review', created.folder, '--base', 'main');
    expect(exitCode).toBe(1);
    expect(stdout).toContain('Review: the base cannot be compared\n');
    expect(stdout).toContain('node main.js exited with 7\nno such product');
    // the base has no output, in which the findings could have been before
    expect(stdout).toMatch(/^findings {2}1 warning is new$/m);
    expect(stdout).not.toMatch(/^(?:Impact|Changes|lost .*)$/m);
    expect(leftovers(created)).toEqual([]);
  });

  test('is the change where its program writes nothing', async () => {
    const { folder } = project({ 'main.js': '' });
    expect(await runCli('review', folder, '--base', 'main', '--output', 'markdown')).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(
        /### The change cannot be compared\n\n```\nnode main\.js wrote no output\. Fix: call app\.synth\(\)/,
      ),
    });
  });

  test('is the change where there is no program', async () => {
    const { folder } = project({ 'cdk8s.yaml': undefined });
    expect(await runCli('review', folder, '--base', 'main')).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('Fix: set --synth to the command that runs it'),
    });
    expect(
      (await runCli('review', folder, '--base', 'main', '--synth', 'node main.js')).exitCode,
    ).toBe(0);
  });
});

describe('the repository', () => {
  test('must have the base', async () => {
    const created = project({});
    created.git('update-ref', 'refs/remotes/origin/next', 'main');
    expect(await runCli('review', created.folder, '--base', 'next')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'cdk8s-harvester: --base: must be a commit of this clone, got "next". Fix: fetch it (git fetch origin), or set --base origin/next\n',
    });
    expect((await runCli('review', created.folder, '--base=--all')).stderr).toContain(
      'must be a commit of this clone, got "--all"',
    );
    expect((await runCli('review', tempFolder(), '--base', 'main')).stderr).toContain(
      'must be in the work tree of a Git repository',
    );
  });

  test('must have the common ancestor: a shallow clone does not', async () => {
    const origin = project({ 'README.md': 'Hello' });
    origin.git('switch', '--quiet', 'main');
    origin.commit('Move on', { 'other.md': '' });
    const clone = new GitProject({}, tempFolder());
    clone.git(
      'fetch',
      '--quiet',
      '--depth',
      '1',
      `file://${origin.folder}`,
      'main:refs/remotes/origin/main',
      'change:refs/heads/change',
    );
    clone.git('switch', '--quiet', '--force', 'change');
    expect((await runCli('review', clone.folder, '--base', 'origin/main')).stderr).toBe(
      'cdk8s-harvester: --base: origin/main and HEAD have no common ancestor in this clone, which is shallow. ' +
        'Fix: fetch the whole history: fetch-depth: 0 of actions/checkout, GIT_DEPTH: 0 of GitLab, or git fetch --unshallow\n',
    );
    expect(
      (await runCli('review', clone.folder, '--base', 'origin/main', '--exact-base')).exitCode,
    ).toBe(0);
  });

  test('may contain the program in a folder, and its files in a submodule', async () => {
    const shared = new GitProject({ 'manifests.js': manifests() });
    const created = new GitProject(
      Object.fromEntries(
        Object.entries({
          ...BASE,
          'manifests.js': "module.exports = require('./shared/manifests.js');",
        }).map(([file, text]) => [`platform/${file}`, text]),
      ),
    );
    created.git('submodule', '--quiet', 'add', shared.folder, 'platform/shared');
    created.commit('Share', {});
    created.git('switch', '--quiet', '--create', 'change');
    shared.commit('More memory', { 'manifests.js': manifests('16') });
    created.git('-C', 'platform/shared', 'pull', '--quiet', 'origin', 'main');
    created.commit('Follow', {});
    const { stdout, exitCode } = await runCli(
      'review',
      join(created.folder, 'platform'),
      '--base',
      'main',
    );
    expect(stdout).toContain('Review of platform: machines or data are, or may be, lost\n');
    expect(stdout).toContain('memorySize: "8" -> "16"');
    expect(exitCode).toBe(3);
  });
});

describe('packages of the base', () => {
  const lock = (version: string): string =>
    JSON.stringify({
      name: 'x',
      lockfileVersion: 3,
      packages: { 'node_modules/sizes': { version } },
    });
  const USES = `module.exports = JSON.parse(${JSON.stringify(JSON.stringify([machineConfig({ memorySize: 'SIZE' }), cloudConfig(), credential(), guest()]))}.replace('SIZE', require('sizes')));`;
  const WITH: Files = {
    ...BASE,
    'manifests.js': USES,
    'package.json': '{"dependencies":{"sizes":"*"}}',
    'package-lock.json': lock('1.0.0'),
  };

  /** What a package manager does: the version of the lock file is the size. */
  const INSTALL = 'node install.js';
  const install = `const { mkdirSync, writeFileSync, readFileSync } = require('fs');
mkdirSync('node_modules/sizes', { recursive: true });
writeFileSync('node_modules/sizes/index.js', 'module.exports = ' + JSON.stringify(JSON.parse(readFileSync('package-lock.json')).packages['node_modules/sizes'].version.split('.')[0]));`;

  test('are those of the change where both need the same', async () => {
    const created = project({ 'README.md': 'Hello' }, WITH);
    created.write({ 'node_modules/sizes/index.js': "module.exports = '4';" });
    expect(await runCli('review', created.folder, '--base', 'main')).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
    expect(readFileSync(join(created.folder, 'node_modules', 'sizes', 'index.js'), 'utf8')).toBe(
      "module.exports = '4';",
    );
  });

  test('are installed where the change needs others', async () => {
    const created = project(
      { 'package-lock.json': lock('2.0.0') },
      { ...WITH, 'install.js': install },
    );
    created.write({ 'node_modules/sizes/index.js': "module.exports = '2';" });
    const { stdout, exitCode } = await runCli(
      'review',
      created.folder,
      '--base',
      'main',
      '--install',
      INSTALL,
    );
    expect(stdout).toContain('memorySize: "1" -> "2"');
    expect(exitCode).toBe(3);
  });

  test('cannot be installed silently by another package manager', async () => {
    const created = project(
      { 'pnpm-lock.yaml': 'b' },
      { ...BASE, 'package.json': '{}', 'pnpm-lock.yaml': 'a' },
    );
    expect(await runCli('review', created.folder, '--base', 'main')).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining(
        "Fix: set --install, e.g. --install 'pnpm install --frozen-lockfile'",
      ),
    });
  });

  test('of a workspace are those of the base, not those of the work tree', async () => {
    const base: Files = {
      ...Object.fromEntries(Object.entries(BASE).map(([file, text]) => [`platform/${file}`, text])),
      '.gitignore': 'node_modules\n',
      'package.json': '{"workspaces":["platform","sizes"]}',
      'package-lock.json': '{}',
      'platform/package.json': '{}',
      'platform/manifests.js': USES,
      'sizes/package.json': '{"name":"sizes"}',
      'sizes/index.js': "module.exports = '4';",
    };
    const created = project({ 'sizes/index.js': "module.exports = '8';" }, base);
    mkdirSync(join(created.folder, 'node_modules'));
    symlinkSync('../sizes', join(created.folder, 'node_modules', 'sizes'));
    expect(
      (await runCli('review', join(created.folder, 'platform'), '--base', 'main')).stdout,
    ).toContain('memorySize: "4" -> "8"');
  });
});

test('compares committed manifests without a program', async () => {
  const yaml = (size: string): string =>
    [machineConfig({ memorySize: size }), cloudConfig(), credential(), guest()]
      .map((manifest) => `---\n${JSON.stringify(manifest)}\n`)
      .join('');
  const { folder } = project(
    { 'manifests/all.yaml': yaml('16') },
    { 'manifests/all.yaml': yaml('8') },
  );
  const { stdout, exitCode } = await runCli(
    'review',
    folder,
    '--base',
    'main',
    '--committed',
    'manifests',
  );
  expect(stdout).toContain('memorySize: "8" -> "16"');
  expect(exitCode).toBe(3);
});

test('ends at an interrupt, with what it started, and removes the work tree', async () => {
  const created = project({
    'main.js':
      "require('fs').writeFileSync('started', String(process.pid)); setInterval(() => {}, 1000);",
  });
  const main = `require(${JSON.stringify(require.resolve('tsx/cjs'))}); require(${JSON.stringify(join(ROOT, 'src', 'cli', 'main'))}).main(process.argv);`;
  const file = join(tempFolder(), 'cli.js');
  writeFileSync(file, main);
  const child = spawn(process.execPath, [file, 'review', created.folder, '--base', 'main'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (text) => {
    stderr += String(text);
  });
  const ended = new Promise((resolve) => {
    child.on('close', resolve);
  });
  const started = join(created.folder, 'started');
  while (!existsSync(started) || readFileSync(started, 'utf8') === '') {
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  child.kill('SIGINT');
  expect({ code: await ended, stderr }).toEqual({
    code: 130,
    stderr: 'interrupted; nothing was written\n',
  });
  expect(leftovers(created)).toEqual([]);
});
