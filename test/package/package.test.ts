import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { INSTALLED_ENV, Installed, OTHER_PLUS, ROOT, run } from './installed';

const given = process.env[INSTALLED_ENV];
const installed = given ? (JSON.parse(given) as Installed) : undefined;
const describeInstalled = installed ? describe : describe.skip;
const { project, tarball, runtimes } = installed ?? { project: '', tarball: '', runtimes: {} };

const NAMES =
  'GuestChart, HarvesterApp, HarvesterChart, HarvesterImport, HarvesterLoadBalancer, Ipam, RancherChart, SecretValue, TokenSource';
const IMPORT = `import { ${NAMES} } from 'cdk8s-harvester'; import { HarvesterSetting } from 'cdk8s-harvester/settings';\nimport { Deployment } from '${OTHER_PLUS}';`;
const REQUIRE = `const { ${NAMES}, settings: { HarvesterSetting } } = require('cdk8s-harvester');\nconst { Deployment } = require('${OTHER_PLUS}');`;
const BODY = `
const app = new HarvesterApp({ outdir: process.env.OUT });
const rancher = new RancherChart(app, 'rancher', { version: '2.13.8', serverUrl: 'https://rancher.example.com' });
const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
new HarvesterImport(rancher, 'import-dc1', { harvester: dc1, registrationToken: TokenSource.value(SecretValue.fromEnv('DC1_TOKEN')) });
HarvesterSetting.ntpServers(dc1, 'ntp', ['0.pool.ntp.org', '1.pool.ntp.org']);
const shop = new GuestChart(app, 'shop', { version: 'v1.34.10+rke2r1' });
const web = new Deployment(shop, 'web', { containers: [{ image: 'nginx:1.29' }], metadata: { namespace: 'shop' } });
new HarvesterLoadBalancer(shop, 'lb', { ipam: Ipam.pool(), ports: [{ port: 443 }], workload: web });
app.synth();
`;

/** Programs by the name of their file, in every module system and language. */
const PROGRAMS: { readonly [file: string]: string } = {
  'main.mjs': `${IMPORT}${BODY}`,
  'main.cjs': `${REQUIRE}${BODY}`,
  'main.mts': `${IMPORT}${BODY}`,
  'main.cts': `${IMPORT}${BODY}`,
};

/** Programs that fail as FAIL requests, by the name of their file. */
const FAILING: { readonly [file: string]: string } = Object.fromEntries(
  Object.keys(PROGRAMS).map((file) => [
    file.replace('main', 'fail'),
    `
${(file.endsWith('.cjs') ? REQUIRE : IMPORT).split('\n')[0]!}
const app = new HarvesterApp({ outdir: 'failed' });
const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2' });
function declare(id, servers) {
  HarvesterSetting.ntpServers(dc1, id, servers);
}
declare('ntp', process.env.FAIL === 'create' ? [1] : ['0.pool.ntp.org']);
declare('twice', ['1.pool.ntp.org']);
if (process.env.FAIL === 'method') { app.acceptRemoval('', 'moved'); }
app.synth();
`,
  ]),
);

const TSX = path.join(ROOT, 'node_modules', 'tsx', 'dist', 'cli.mjs');
const TS_NODE = path.join(ROOT, 'node_modules', 'ts-node', 'dist', 'bin.js');
const CLI = path.join('node_modules', 'cdk8s-harvester', 'bin', 'cdk8s-harvester');

const WAYS: [runtime: string, how: string, ...args: string[]][] = [
  ...['node 20', 'node 22', 'node 24'].flatMap((node): [string, string, ...string[]][] => [
    [node, 'as an ES module', 'main.mjs'],
    [node, 'as CommonJS', 'main.cjs'],
    [node, 'in TypeScript as an ES module by tsx', TSX, 'main.mts'],
    [node, 'in TypeScript as CommonJS by tsx', TSX, 'main.cts'],
    [node, 'in TypeScript as CommonJS by ts-node', TS_NODE, '--transpileOnly', 'main.cts'],
  ]),
  ['node 24', 'in TypeScript without a compiler', 'main.mts'],
  ['bun', 'as an ES module', 'main.mjs'],
  ['bun', 'as CommonJS', 'main.cjs'],
  ['bun', 'in TypeScript', 'main.mts'],
];

describeInstalled('the packed package', () => {
  let expected: string;

  beforeAll(() => {
    for (const [file, text] of Object.entries({ ...PROGRAMS, ...FAILING })) {
      fs.writeFileSync(path.join(project, file), text);
    }
    fs.writeFileSync(
      path.join(project, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'es2022',
          module: 'nodenext',
          strict: true,
          noEmit: true,
          types: ['node'],
          typeRoots: [path.join(ROOT, 'node_modules', '@types')],
        },
        files: ['main.mts', 'main.cts'],
      }),
    );
    expected = synthesized('node 20', ['main.cjs'], 'expected');
  });

  test.each(WAYS)('works with %s %s', (runtime, how, ...args) => {
    expect(synthesized(runtime, args, `${runtime} ${how}`.replace(/\W+/g, '-'))).toBe(expected);
  });

  test.each(WAYS)('names the place in the program in errors with %s %s', (runtime, _, ...args) => {
    const file = args.at(-1)!.replace('main', 'fail');
    const failing = (FAIL: string): string => {
      const { status, stderr } = spawnSync(runtimes[runtime]!, [...args.slice(0, -1), file], {
        cwd: project,
        env: { ...process.env, FAIL },
        encoding: 'utf8',
      });
      expect(status).toBe(1);
      return stderr;
    };
    const outputs: string[] = [];
    // the columns of runtimes differ
    for (const [what, place] of [
      ['create', `at ${file}:6:`],
      ['method', `at ${file}:10:`],
    ] as const) {
      const output = failing(what);
      expect(output).toContain(place);
      outputs.push(output);
    }
    const report = failing('synth');
    expect(report).toContain(`at: dc1/twice/Resource (${file}:6:`);
    // bun prints frames of its own
    if (runtime !== 'bun') {
      expect([...outputs, report].join('')).not.toContain('cdk8s-harvester/lib');
    }
  });

  test('has types that agree with what it exports, in both module systems', () => {
    run(
      process.execPath,
      [path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', '.'],
      project,
    );
  });

  test.each(['node 20', 'node 22', 'node 24', 'bun'])(
    'has a command line that works with %s',
    (runtime) => {
      const { stdout } = run(runtimes[runtime], [CLI, 'show', 'expected'], project);
      expect(stdout).toContain('cluster-registration-url');
      expect(run(runtimes[runtime], [CLI, 'lint', 'expected'], project).stdout).toContain(
        '0 errors',
      );
    },
  );

  test('explains constructs, from the documentation that the package holds', () => {
    const { stdout } = run(
      runtimes['node 20'],
      [CLI, 'explain', 'GuestCluster', '--output', 'json'],
      project,
    );
    const [{ subject, parts }] = JSON.parse(stdout) as [
      { subject: string; parts: { title: string; lines: string[] }[] },
    ];
    const part = (title: string) => parts.find((each) => each.title === title)?.lines;
    expect(subject).toBe('construct');
    expect(part('writes')).toEqual(
      expect.arrayContaining([
        'provisioning.cattle.io/Cluster on Rancher',
        'rke-machine-config.cattle.io/HarvesterConfig on Rancher',
      ]),
    );
    expect(part('props')).toContainEqual(
      expect.stringMatching(/^pools: list of MachinePool, required; /),
    );
  });

  // an editor or a test often loads the library without synthesis, and these take longer to load
  // than cdk8s
  test('loads checks, rules, tables and its other packages only when a program creates objects', () => {
    const { stdout } = run(
      runtimes['node 20'],
      ['-e', `${REQUIRE.split('\n')[0]} console.log(Object.keys(require.cache).join('\\n'))`],
      project,
    );
    const loaded = stdout
      .trim()
      .split('\n')
      .filter((file) => !/node_modules\/(cdk8s|constructs)\//.test(file));
    expect(loaded.length).toBeGreaterThan(10);
    expect(
      loaded.filter((file) =>
        /\.(check|rules|data)\.js$|all-kinds|synthesis\.js$|node_modules\/(?!cdk8s-harvester\/lib)/.test(
          file,
        ),
      ),
    ).toEqual([]);
  });

  test('holds every file that its pages link to', () => {
    const root = path.join(project, 'node_modules', 'cdk8s-harvester');
    const pages = fs
      .readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md') && !/^(node_modules|templates)\//.test(file));
    expect(pages.length).toBeGreaterThan(100);
    expect(pages.flatMap((page) => brokenLinksOf(root, page))).toEqual([]);
  });

  test('holds nothing that its users do not need', () => {
    const files = run('tar', ['-tzf', tarball], project).stdout.trim().split('\n');
    const unneeded =
      /\.tgz$|CONTRIBUTING\.md$|\.test\.|^package\/(src|test|examples|bench|projenrc|dist|\.ci|\.github|\.projen)\//;
    expect(
      files.filter(
        (file) => unneeded.test(file) && !/^package\/(node_modules|templates)\//.test(file),
      ),
    ).toEqual([]);
    expect(files).toEqual(
      expect.arrayContaining(
        [
          'lib/index.js',
          'lib/index.d.ts',
          '.jsii',
          '.jsii.gz',
          'schema/assembly.v3.json',
          'README.md',
          'CHANGELOG.md',
          'LICENSE',
          'NOTICE',
          'SECURITY.md',
          'API.md',
          'docs/rules.md',
          'docs/reference/guest-cluster.md',
        ].map((file) => `package/${file}`),
      ),
    );
    const installedPackage = path.join(project, 'node_modules', 'cdk8s-harvester');
    const fields = fs.readFileSync(path.join(installedPackage, 'package.json'), 'utf8');
    expect(Object.keys(JSON.parse(fields) as object)).not.toEqual(
      expect.arrayContaining(['devDependencies']),
    );
    // the assembly is compressed, and `.jsii` refers to it
    expect(fs.statSync(path.join(installedPackage, '.jsii')).size).toBeLessThan(200);
    expect(fs.statSync(path.join(installedPackage, '.jsii.gz')).size).toBeLessThan(300_000);
    const own = path.join(installedPackage, 'lib');
    const compiled = fs
      .readdirSync(own, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.js'));
    expect(compiled.length).toBeGreaterThan(100);
    expect(
      compiled.filter((file) =>
        fs.readFileSync(path.join(own, file), 'utf8').includes('sourceMappingURL=data:'),
      ),
    ).toEqual([]);
  });
});

/** Links of a page of the package to files that it lacks. */
function brokenLinksOf(root: string, page: string): string[] {
  const text = fs.readFileSync(path.join(root, page), 'utf8').replace(/^```[^]*?^```/gm, '');
  const targets = [...text.matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g)]
    .map(([, link]) => link)
    .filter((link) => !/^(https?|mailto):/.test(link));
  return targets
    .filter((link) => !fs.existsSync(path.resolve(root, path.dirname(page), link)))
    .map((link) => `${page}: ${link}`);
}

/** Runs a program and gives a digest of all that it wrote. */
function synthesized(runtime: string, args: readonly string[], out: string): string {
  run(runtimes[runtime], args, project, {
    ...process.env,
    OUT: out,
    DC1_TOKEN: 'a-token-for-tests-only',
    CDK8S_OUTDIR: undefined,
  });
  const folder = path.join(project, out);
  const hash = createHash('sha256');
  const files = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => fs.statSync(path.join(folder, file)).isFile())
    .sort();
  expect(files).toContain('assembly.json');
  files.forEach((file) => hash.update(file).update(fs.readFileSync(path.join(folder, file))));
  return hash.digest('hex');
}
