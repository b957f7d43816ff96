import { spawnSync } from 'child_process';
import * as fs from 'fs';
import * as path from 'path';
import { parse } from 'yaml';
import { tempFolder } from './support/temp';

interface Pages {
  readonly REPOSITORY: string;
  readonly notes: (commits: string, changelog: string, version: string) => string;
  readonly pinned: (
    text: string,
    tag: string,
    options: { readonly isReadme: boolean; readonly isFolder: (file: string) => boolean },
  ) => string;
}

const { REPOSITORY, notes, pinned } = jest.requireActual<Pages>('../projenrc/release/pages.js');
const isFolder = (file: string) => file === 'examples';

test('links the pages of a release to the files of its tag', () => {
  const text = `[one](${REPOSITORY}/tree/main/examples/one), [guide](apply.md#order), [other](https://example.com/tree/main/)`;
  expect(pinned(text, 'v0.1.0', { isReadme: false, isFolder })).toBe(
    `[one](${REPOSITORY}/tree/v0.1.0/examples/one), [guide](apply.md#order), [other](https://example.com/tree/main/)`,
  );
});

test('makes the links of the README absolute, except for those of its own and for code', () => {
  const code = '```ts\nconst a = [b](docs/apply.md);\n```\n';
  const text = `![plan](docs/plan.svg)\n${code}[apply](docs/apply.md#order), [all](examples), [below](#limits), [other](https://example.com)`;
  expect(pinned(text, 'v0.1.0', { isReadme: true, isFolder }))
    .toBe(`![plan](${REPOSITORY}/raw/v0.1.0/docs/plan.svg)
${code}[apply](${REPOSITORY}/blob/v0.1.0/docs/apply.md#order), [all](${REPOSITORY}/tree/v0.1.0/examples), [below](#limits), [other](https://example.com)`);
});

const CHANGELOG =
  '# Changelog\n\n## [0.2.0]\n\n### Fixed\n\n- A plan.\n\n## [0.1.0] - 2026-11-23\n\nThe first one.\n';

test('begins the notes of a release with its section of the changelog', () => {
  const commits = '\n## [0.2.0](https://example.com) (2026-12-01)\n\n### Bug Fixes\n\n* plan\n';
  expect(notes(commits, CHANGELOG, '0.2.0')).toBe(
    '## [0.2.0](https://example.com) (2026-12-01)\n\n### Fixed\n\n- A plan.\n\n## Commits\n\n### Bug Fixes\n\n* plan\n',
  );
  expect(notes('\n## 0.1.0 (2026-11-23)\n', CHANGELOG, '0.1.0')).toBe(
    '## 0.1.0 (2026-11-23)\n\nThe first one.\n',
  );
});

test('refuses a release that the changelog does not describe', () => {
  expect(() => notes('## 0.3.0', CHANGELOG, '0.3.0')).toThrow(
    'CHANGELOG.md: must have a section ## [0.3.0]',
  );
});

const ROOT = path.join(__dirname, '..');

describe('the packages of all languages', () => {
  let folder: string;
  beforeEach(() => {
    folder = tempFolder();
  });

  /** Runs the script with programs in place of the tools; each gets its argument as $1. */
  function packageAll(programs: Readonly<Record<string, string>>, CI?: string) {
    for (const [name, script] of Object.entries({ npm: '', ...programs })) {
      fs.writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [path.join(ROOT, 'projenrc', 'package-all.js')],
      { cwd: folder, env: { PATH: folder, ...(CI && { CI }) }, encoding: 'utf8' },
    );
    return {
      status,
      lines: [...stdout.split('\n'), ...stderr.split('\n')].filter((line) =>
        /^(NOT BUILT|built)/.test(line),
      ),
    };
  }

  const ALL = { python3: '', mvn: '', dotnet: '', go: '' };
  const failing = (language: string, output: string) =>
    `if [ "$1" = package:${language} ]; then echo '${output}' >&2; exit 1; fi`;

  test('are built, one after another', () => {
    expect(packageAll({ ...ALL, projen: '' })).toEqual({
      status: 0,
      lines: ['js', 'python', 'java', 'dotnet', 'go'].map((name) => `built: dist/${name}`),
    });
  });

  test('are those of the installed tools outside of CI, and report the others', () => {
    const missing = (tool: string) =>
      `\`${tool}\` fails. Fix: install it. This is a failure in CI only`;
    expect(packageAll({ projen: '' })).toEqual({
      status: 0,
      lines: [
        'built: dist/js',
        `NOT BUILT: python: ${missing('python3 -c "import ensurepip, venv"')}`,
        `NOT BUILT: java: ${missing('mvn --version')}`,
        `NOT BUILT: dotnet: ${missing('dotnet --version')}`,
        `NOT BUILT: go: ${missing('go version')}`,
      ],
    });
  });

  test.each([
    ['python', 'ERROR: No matching distribution found for cdk8s<3.0.0'],
    [
      'java',
      '[ERROR] Could not resolve: Failed to collect dependencies at org.cdk8s:cdk8s-plus-28:jar -> [Help 1]',
    ],
    ['dotnet', 'error NU1101: Unable to find package Org.Cdk8s'],
    [
      'go',
      'go: github.com/cdk8s-core-go/cdk8s/v2@v2.70.0: reading https://proxy.golang.org/: 403 Forbidden',
    ],
  ])('lack the one for %s outside of CI if a dependency is not available', (language, output) => {
    const { status, lines } = packageAll({ ...ALL, projen: failing(language, output) });
    expect(status).toBe(0);
    expect(lines.filter((line) => line.startsWith('NOT BUILT'))).toEqual([
      expect.stringMatching(
        new RegExp(
          `^NOT BUILT: ${language}: a dependency is not available: .*This is a failure in CI only$`,
        ),
      ),
    ]);
    expect(lines).toHaveLength(5);
  });

  test('fail in CI if a tool is missing, and everywhere if the build of one fails', () => {
    expect(
      packageAll({ ...ALL, projen: failing('java', 'Foo.java: error: cannot find symbol') }).status,
    ).toBe(1);
    fs.rmSync(path.join(folder, 'mvn'));
    expect(packageAll({ projen: '' }).status).toBe(0);
    expect(packageAll({ projen: '' }, 'false').status).toBe(0);
    expect(packageAll({ projen: '' }, 'true').status).toBe(1);
  });

  test('leave no part of one that fails', () => {
    const { lines } = packageAll({
      ...ALL,
      projen: `/bin/mkdir -p dist/\${1#package:}\n${failing('go', 'broken')}`,
    });
    expect(lines.at(-1)).toBe('NOT BUILT: go: `npx projen package:go` fails; its output is above');
    expect(fs.readdirSync(path.join(folder, 'dist')).sort()).toEqual([
      'dotnet',
      'java',
      'js',
      'python',
    ]);
  });
});

test('tasks fail where their command is killed, e.g. for want of memory', () => {
  const folder = tempFolder();
  fs.mkdirSync(path.join(folder, '.projen'));
  const { shell } = JSON.parse(
    fs.readFileSync(path.join(ROOT, '.projen', 'tasks.json'), 'utf8'),
  ) as { shell: string };
  const tasks = {
    compile: {
      name: 'compile',
      steps: [{ exec: 'node -e "process.kill(process.pid, 9)"' }, { exec: 'touch continued' }],
    },
  };
  fs.writeFileSync(path.join(folder, '.projen', 'tasks.json'), JSON.stringify({ shell, tasks }));
  const { status } = spawnSync(
    process.execPath,
    [require.resolve('projen/lib/run-task.cjs'), 'compile'],
    { cwd: folder },
  );
  expect([status, fs.readdirSync(folder)]).toEqual([1, ['.projen']]);
});

test('packs no fields that only developers need', () => {
  const { stripped } = jest.requireActual<{ stripped: (text: string) => string }>(
    '../projenrc/pack.js',
  );
  const text = fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8');
  const left = Object.keys(JSON.parse(stripped(text)) as object);
  const gone = Object.keys(JSON.parse(text) as object).filter((field) => !left.includes(field));
  expect(gone.sort()).toEqual(
    ['//', 'devDependencies', 'devEngines', 'jest', 'overrides', 'scripts'].sort(),
  );
});

describe('the workflows', () => {
  interface Job {
    readonly permissions?: Readonly<Record<string, string>>;
    readonly environment?: string;
    readonly needs?: string | readonly string[];
    readonly steps: readonly { readonly run?: string; readonly uses?: string }[];
  }
  interface Workflow {
    readonly on: Readonly<Record<string, unknown>>;
    readonly jobs: Readonly<Record<string, Job>>;
  }

  const FOLDER = path.join(ROOT, '.github', 'workflows');
  const texts = new Map(
    fs.readdirSync(FOLDER).map((file) => [file, fs.readFileSync(path.join(FOLDER, file), 'utf8')]),
  );
  const workflows = new Map([...texts].map(([file, text]) => [file, parse(text) as Workflow]));
  const ofPullRequests = [...workflows].filter(([, { on }]) =>
    Object.keys(on).some((event) => event.startsWith('pull_request')),
  );

  test('run tasks that exist', () => {
    const { tasks } = JSON.parse(
      fs.readFileSync(path.join(ROOT, '.projen', 'tasks.json'), 'utf8'),
    ) as { tasks: object };
    const called = [...texts].flatMap(([file, text]) =>
      [...text.matchAll(/npx projen +(\S+)/g)].map(([, task]) => `${file} ${task}`),
    );
    expect(called).toEqual(
      expect.arrayContaining([
        'build.yml build',
        'release.yml release',
        'release.yml package:go',
        'upgrade-main.yml upgrade',
      ]),
    );
    expect(called.filter((each) => !(each.split(' ')[1]! in tasks))).toEqual([]);
  });

  test('publish to npm, PyPI, Maven Central, NuGet, and Go, once a maintainer starts and another one approves it', () => {
    const { on, jobs } = workflows.get('release.yml')!;
    expect(Object.keys(on)).toEqual(['workflow_dispatch']);
    const published = Object.entries(jobs).flatMap(([name, { steps }]) =>
      steps.flatMap(
        ({ run }) =>
          /(publib-\w+)$/
            .exec(run ?? '')
            ?.slice(1)
            .map((by) => `${name} ${by}`) ?? [],
      ),
    );
    expect(published.sort()).toEqual([
      'release_golang publib-golang',
      'release_maven publib-maven',
      'release_npm publib-npm',
      'release_nuget publib-nuget',
      'release_pypi publib-pypi',
    ]);
    for (const [name, { environment, needs }] of Object.entries(jobs)) {
      if (name === 'release') {
        continue;
      }
      expect([name, environment, [needs].flat()]).toEqual([
        name,
        'release',
        expect.arrayContaining(['release']),
      ]);
    }
  });

  test('name actions by their commit, and install the publisher of packages by hashes', () => {
    const named = [...texts.values()].flatMap((text) =>
      [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action!),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !/@[0-9a-f]{40}$/.test(name))).toEqual([]);

    const publishing = [...workflows.values()].flatMap(({ jobs }) =>
      Object.values(jobs).flatMap(({ steps }) =>
        steps.flatMap(({ run = '' }) => (run.includes('publib') ? [run] : [])),
      ),
    );
    expect(publishing).toHaveLength(5);
    for (const script of publishing) {
      expect(script).toMatch(
        /^npm ci --ignore-scripts --prefix \.repo\/\.github\/publisher\n\.repo\/\.github\/publisher\/node_modules\/\.bin\/publib-\w+$/,
      );
    }
    const lock = path.join(ROOT, '.github', 'publisher', 'package-lock.json');
    const { packages } = JSON.parse(fs.readFileSync(lock, 'utf8')) as {
      packages: Readonly<Record<string, { readonly integrity?: string }>>;
    };
    const installed = Object.entries(packages).filter(([folder]) => folder !== '');
    expect(installed.map(([folder]) => folder)).toContain('node_modules/publib');
    expect(installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
  });

  test('give the code of a pull request no secrets and no permission to write', () => {
    expect(ofPullRequests.map(([file]) => file).sort()).toEqual([
      'build.yml',
      'pull-request-lint.yml',
    ]);
    for (const [file, { on, jobs }] of ofPullRequests) {
      for (const [name, { permissions, steps }] of Object.entries(jobs)) {
        expect([file, name, Object.values(permissions ?? { all: 'default' })]).toEqual([
          file,
          name,
          ['read'],
        ]);
        // such a workflow has the permissions and secrets of the base
        if ('pull_request_target' in on) {
          expect(
            steps.filter(({ uses, run }) => run ?? uses?.startsWith('actions/checkout@')),
          ).toEqual([]);
        }
      }
      // the token of the job has the permissions above
      expect(
        [...texts.get(file)!.matchAll(/secrets\.(\w+)/g)]
          .map(([, secret]) => secret)
          .filter((secret) => secret !== 'GITHUB_TOKEN'),
      ).toEqual([]);
    }
  });
});

describe('the files of a release', () => {
  const read = (file: string) => fs.readFileSync(path.join(ROOT, file), 'utf8');
  /** What a screen shows of a page on GitHub. */
  const PAGE_WORDS = 700;

  test('describe each release on a page', () => {
    const sections = read('CHANGELOG.md').split(/^## /m).slice(1);
    const lengths = sections.map((section) => section.split(/\s+/).length);
    expect(lengths.filter((words) => words > PAGE_WORDS)).toEqual([]);
    expect(sections.length).toBeGreaterThan(0);
  });

  /** The project that defines the kinds of each API group, as NOTICE names it. */
  const SOURCES: Readonly<Record<string, RegExp>> = {
    'Kubernetes': /\.k8s\.io$|^(apps|autoscaling|batch|core|policy)$/,
    'Rancher':
      /^(catalog|management|operation|provisioning|rke|rke-machine-config|ui)\.cattle\.io$/,
    'Fleet': /^fleet\.cattle\.io$/,
    'helm-controller': /^helm\.cattle\.io$/,
    'Harvester': /^harvesterhci\.io$/,
    'pcidevices': /^devices\.harvesterhci\.io$/,
    'load-balancer-harvester': /^loadbalancer\.harvesterhci\.io$/,
    'network-controller-harvester': /^network\.harvesterhci\.io$/,
    'node-disk-manager': /^node\.harvesterhci\.io$/,
    'vm-import-controller': /^migration\.harvesterhci\.io$/,
    'seeder': /^metal\.harvesterhci\.io$/,
    'KubeVirt': /^kubevirt\.io$/,
    'Containerized Data Importer': /^cdi\.kubevirt\.io$/,
    'Longhorn': /^longhorn\.io$/,
    'Kube-OVN': /^kubeovn\.io$/,
    'Harvester charts': /^k8s\.cni\.cncf\.io$/,
  };

  test('name the project that defines the kinds of each API group', () => {
    const shapes = fs
      .readdirSync(path.join(ROOT, 'schema', 'shapes'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    const projectOf = (group: string) =>
      Object.keys(SOURCES).find((project) => SOURCES[project]!.test(group));
    expect(shapes.filter((group) => projectOf(group) === undefined)).toEqual([]);
    const notice = read('NOTICE');
    const named = [...new Set(shapes.map(projectOf))].filter(
      (project) => !new RegExp(`^  ${project} +https://`, 'm').test(notice),
    );
    expect(named).toEqual([]);
  });

  test('let two groups review what decides about releases', () => {
    const rows = read('.github/CODEOWNERS')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split(/ +/));
    expect(rows[0]).toEqual(['*', '@cdk8s-harvester/maintainers']);
    const owned = rows.slice(1).map(([pattern]) => pattern!);
    expect(owned).toEqual(expect.arrayContaining(['/.github/', '/.projenrc.ts', '/projenrc/']));
    expect(owned.filter((pattern) => !fs.existsSync(path.join(ROOT, pattern)))).toEqual([]);
  });

  test('ask for the versions in the form of a bug, and refuse issues without a form', () => {
    const folder = '.github/ISSUE_TEMPLATE';
    const bug = parse(read(`${folder}/bug.yml`)) as {
      body: readonly { id?: string; validations?: { required?: boolean } }[];
    };
    const required = bug.body.filter(({ validations }) => validations?.required);
    expect(required.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['program', 'happened', 'expected', 'library', 'products']),
    );
    expect(parse(read(`${folder}/config.yml`))).toMatchObject({ blank_issues_enabled: false });
  });

  test('state a version below 1.0.0 in each registry, and the tested versions of Node', () => {
    const fields = JSON.parse(read('package.json')) as {
      stability: string;
      engines: { node: string };
    };
    expect(fields).toMatchObject({ stability: 'experimental', engines: { node: '>= 20.12.0' } });
    const [, tested] = /const NODES = \{(.*?)\}/s.exec(read('test/package/installed.ts'))!;
    const support = /^\| Node \| (.*) \|$/m.exec(read('docs/support.md'))![1]!;
    for (const [, major] of tested!.matchAll(/'node (\d+)'/g)) {
      expect(support).toMatch(new RegExp(`\\b${major}\\b`));
    }
  });
});
