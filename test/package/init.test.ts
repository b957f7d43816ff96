import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { ROOT, run } from './installed';
import {
  CLI,
  COMBINATIONS,
  describeInstalled,
  environment,
  filesIn,
  init,
  reviewOfQuota,
  runtimes,
  script,
  tarball,
  work,
} from './new-project';

describeInstalled('a project in TypeScript that init writes', () => {
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
    run(
      'npm',
      ['install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', tarball],
      base,
    );
  });

  test.each(COMBINATIONS)(
    'passes its own checks, and writes the same output again: %s',
    (...combination) => {
      const folder = newProject(combination);
      script(folder, 'synth');
      const first = filesIn(path.join(folder, 'dist'));
      expect(Object.keys(first)).toContain('assembly.json');
      const output = script(folder, 'check');
      expect(output).toContain('2 passed');
      // without the private key, lint warns that it cannot read what is encrypted
      expect(output).toContain(
        combination[0].includes('sops') ? '0 errors, 1 warning' : '0 errors, 0 warnings',
      );
      script(folder, 'synth');
      expect(filesIn(path.join(folder, 'dist'))).toEqual(first);
      expect(JSON.stringify(first)).not.toContain('a-token-for-tests-only');
    },
  );

  test.each(['reference-stack', 'three-tenants', 'rke2-production'])(
    'passes its own checks if adopt wrote it: %s',
    (example) => {
      const folder = path.join(work, `adopted-${example}`);
      const dist = path.join(ROOT, 'examples', example, 'dist');
      const { targets } = JSON.parse(fs.readFileSync(path.join(dist, 'assembly.json'), 'utf8'));
      const from = targets.flatMap(({ name, kind, version }: { [key: string]: string }) => [
        '--from',
        `${name}:${kind}@${version}=${path.join(dist, name)}`,
      ]);
      run(
        runtimes['node 20'],
        [
          CLI,
          'adopt',
          ...from,
          '--server-url',
          'https://rancher.example.com',
          '--output-dir',
          folder,
        ],
        work,
      );
      fs.symlinkSync(modules, path.join(folder, 'node_modules'), 'dir');
      script(folder, 'synth');
      const output = script(folder, 'check');
      expect(output).toContain('1 passed');
      expect(output).toMatch(/\b0 errors, /);
    },
  );

  test.each([COMBINATIONS[0], COMBINATIONS[5]])(
    'reviews its first pull request: %s',
    (...combination) => {
      const report = reviewOfQuota(newProject(combination), 'platform.ts');
      expect(report).toMatch(/^lost {6}nothing$/m);
      expect(report).toContain('quota.limitsCpu: "32" → "64"');
    },
  );

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
    const { status, stderr } = spawnSync('npm', ['run', '--silent', 'plan'], {
      cwd: folder,
      env: environment(),
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^cdk8s-harvester: .*context/);
  });

  test('is never written over another one', () => {
    const folder = newProject(COMBINATIONS[0]);
    const before = filesIn(path.join(folder, '.github'));
    expect(() => {
      init(folder, 'typescript', COMBINATIONS[2]);
    }).toThrow(/contains files that would be overwritten: .*platform\.ts.*nothing was written/);
    expect(filesIn(path.join(folder, '.github'))).toEqual(before);
  });
});
