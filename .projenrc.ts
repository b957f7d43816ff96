import { readdirSync } from 'fs';
import { cdk8s, github, javascript, JsonFile, release, TaskShell } from 'projen';
import { JobPermission } from 'projen/lib/github/workflows-model';

const PRETTIER_IGNORED = [
  // tables
  '*.data.ts',
  'test/props/_table.ts',
  // written by programs
  'lib/',
  'dist/',
  'schema/',
  'coverage/',
  'test-reports/',
  '.projen/',
  '*.json',
  // prose and manifests, whose texts tests compare
  '*.md',
  '*.yml',
  '*.yaml',
  '*.html',
  '*.svg',
];

/** Commits of the releases that projen names by their tag, which someone could move. */
const PINNED_ACTIONS = {
  'actions/setup-dotnet@v6.0.0': 'a98b56852c35b8e3190ac28c8c2271da59106c68',
  'actions/setup-go@v7.0.0': 'b7ad1dad31e06c5925ef5d2fc7ad053ef454303e',
  // of v5.7.0
  'actions/setup-java@v6.0.0': 'b6effb05e454b25005698d916606bdc6ffcbf961',
  'actions/setup-node@v7.0.0': '820762786026740c76f36085b0efc47a31fe5020',
  'actions/setup-python@v7.0.0': '5fda3b95a4ea91299a34e894583c3862153e4b97',
  'peter-evans/create-pull-request@v8.1.1': '5f6978faf089d4d20b00c7766989d076bb2fc7f1',
};

const project = new cdk8s.ConstructLibraryCdk8s({
  name: 'cdk8s-harvester',
  description:
    'Declare a Harvester and Rancher platform in code: typed cdk8s constructs, the rules of the real servers, manifests to commit.',
  author: 'cdk8s-harvester maintainers',
  authorAddress: 'maintainers@cdk8s-harvester.dev',
  authorOrganization: true,
  repositoryUrl: 'https://github.com/cdk8s-harvester/cdk8s-harvester.git',
  license: 'Apache-2.0',
  // a minor release may change the API until 1.0.0: docs/support.md
  stability: 'experimental',
  copyrightOwner: 'cdk8s-harvester maintainers',
  keywords: ['cdk8s', 'harvester', 'rancher', 'kubernetes', 'gitops'],
  projenrcTs: true,

  // a release replaces machines of those who install it unread: a maintainer starts it;
  // docs/support.md lists what it may change
  defaultReleaseBranch: 'main',
  majorVersion: 0,
  // without a tag, projen would release 0.0.0
  nextVersionCommand: "node -p \"process.env.VERSION === '0.0.0' ? '0.1.0' : ''\"",
  releaseTrigger: release.ReleaseTrigger.workflowDispatch(),
  // protected on GitHub: a second maintainer approves
  releaseEnvironment: 'release',
  npmTrustedPublishing: true,
  publishToPypi: {
    distName: 'cdk8s-harvester',
    module: 'cdk8s_harvester',
    trustedPublishing: true,
  },
  publishToMaven: {
    javaPackage: 'dev.cdk8s_harvester',
    mavenGroupId: 'dev.cdk8s-harvester',
    mavenArtifactId: 'cdk8s-harvester',
  },
  publishToNuget: {
    dotNetNamespace: 'Cdk8sHarvester',
    packageId: 'Cdk8sHarvester',
    trustedPublishing: true,
  },
  publishToGo: {
    moduleName: 'github.com/cdk8s-harvester/cdk8s-harvester-go',
    packageName: 'cdk8sharvester',
  },

  // trusted publishing needs npm 11.5, which Node 20 lacks
  workflowNodeVersion: '24.x',
  // what the build writes is committed by its author, who looks at it
  buildWorkflowOptions: { mutableBuild: false },
  githubOptions: {
    mergify: false,
    // the title of a pull request is its commit on main, and the next version follows from it
    pullRequestLintOptions: {
      semanticTitleOptions: {
        types: [
          'feat',
          'fix',
          'perf',
          'docs',
          'test',
          'refactor',
          'build',
          'ci',
          'chore',
          'revert',
        ],
      },
    },
  },
  pullRequestTemplate: false,
  depsUpgradeOptions: {
    workflowOptions: { schedule: javascript.UpgradeDependenciesSchedule.WEEKLY },
  },
  packageManager: javascript.NodePackageManager.NPM,
  // util.styleText came with 20.12
  minNodeVersion: '20.12.0',
  // later ones need Node 22, which nothing else does
  bumpPackage: 'commit-and-tag-version@^12',

  cdk8sVersion: '2.70.0',
  constructsVersion: '10.4.2',
  bundledDeps: ['yaml@^2.9.1', 'commander@^14.0.0', 'diff@^9.0.0'],
  // projen would ask for @types/node in the version of minNodeVersion, which was never published
  devDeps: [
    '@types/node@^20',
    'projen@0.103.25',
    // the workloads that load balancers take, in tests
    'cdk8s-plus-28@2.5.6',
    'ajv@^8',
    'eslint@^9',
    '@typescript-eslint/eslint-plugin@^8',
    '@typescript-eslint/parser@^8',
    'eslint-plugin-import@^2.32.0',
    'eslint-import-resolver-typescript@^4.4.5',
    'esbuild@^0.28.2',
    'fast-check@^4',
    'cdk8s-cli@^2.207.0',
    // test the packed package in the runtimes of users
    '@arethetypeswrong/cli@^0.18.5',
    'tsx@^4.23.0',
    // checks the types four times as fast as 6, which jsii, ESLint, and ts-node need: `typecheck`
    'typescript7@npm:typescript@~7.0.2',
    // checks the wording of docs, messages and comments: projenrc/words.js
    '@textlint/kernel@^15.8.0',
    '@textlint/textlint-plugin-markdown@^15.8.0',
    // builds the site of the documentation: projenrc/site.js
    'vitepress@^1.6.4',
    // optional for users, who install it for kubeconfigs with exec plugins or OIDC; jsii allows
    // only jsii modules as peers
    '@kubernetes/client-node@^1.4.0',
  ],

  jsiiVersion: '~6.0.0',
  // 7 breaks ts-jest and eslint
  typescriptVersion: '~6.0.3',

  // a tenth of the size
  compressAssembly: true,
  // one file of everything is more than GitHub shows: projenrc/reference.js writes a page for each
  // construct
  docgen: false,
  bin: { 'cdk8s-harvester': 'bin/cdk8s-harvester' },
  integrationTestAutoDiscover: false,
  // projen writes the form of configuration that ESLint 9 no longer reads by itself:
  // eslint.config.mjs is written by hand
  eslint: false,
  prettier: true,
  prettierOptions: {
    settings: { printWidth: 100, singleQuote: true, quoteProps: javascript.QuoteProps.CONSISTENT },
  },
  jestOptions: {
    // golden files change only when asked to: `npx projen golden`
    updateSnapshot: javascript.UpdateSnapshot.NEVER,
    passWithNoTests: false,
    jestConfig: {
      collectCoverage: false,
      // a test that hangs ends; none fails because the machine has other work
      testTimeout: 120_000,
      // jest leaves a core to others, which on two cores is half of the speed
      maxWorkers: '100%',
      // as the entries of the package do; tests import single modules
      setupFiles: ['<rootDir>/src/registry/register.ts'],
      moduleNameMapper: {
        '^cdk8s-harvester$': '<rootDir>/src/index.ts',
        '^cdk8s-harvester/engine$': '<rootDir>/src/commands.ts',
        '^cdk8s-harvester/(\\w+)$': '<rootDir>/src/$1.ts',
        '^#lib/(.*)$': '<rootDir>/src/$1.ts',
      },
      // these need a Kubernetes control plane, `npx projen test:cluster`, and the compiled package,
      // `npx projen test:package`
      testPathIgnorePatterns: [
        '/node_modules/',
        '<rootDir>/test/cluster/',
        '<rootDir>/test/package/',
      ],
    },
  },
  gitignore: ['.jsii.gz', '/dist/', '.DS_Store', '*.tsbuildinfo', '/test-reports/'],
});

// the check of each change, apart from projen's build: it installs Debian packages, and git runs
// there as another user than the one who checked out
project.github!.tryFindWorkflow('build')!.addJob('check', {
  runsOn: ['ubuntu-latest'],
  container: { image: 'node:24-bookworm' },
  permissions: { contents: JobPermission.READ },
  timeoutMinutes: 90,
  steps: [
    github.WorkflowSteps.checkout(),
    { name: 'Check', run: 'git config --global --add safe.directory "$GITHUB_WORKSPACE"\n.ci/run' },
  ],
});
// projen would let a pull request write to the repository, for a build that commits, and for a
// comment on its title
for (const [workflow, permission] of [
  ['build', 'jobs.build.permissions.contents'],
  ['pull-request-lint', 'jobs.validate.permissions.pull-requests'],
] as const) {
  project
    .tryFindObjectFile(`.github/workflows/${workflow}.yml`)!
    .addOverride(permission, JobPermission.READ);
}

for (const [action, commit] of Object.entries(PINNED_ACTIONS)) {
  const [name] = action.split('@');
  project.github!.actions.set(action, `${name}@${commit}`);
}

// the publisher of packages, and all that it depends on, by the hashes of a lock file
const PUBLISHER = '.github/publisher';
const publisher = project.release!.publisher as unknown as {
  publibCommand: (command: string) => { readonly script: string };
};
publisher.publibCommand = (command) => ({
  script: [
    `npm ci --ignore-scripts --prefix .repo/${PUBLISHER}`,
    `.repo/${PUBLISHER}/node_modules/.bin/${command}`,
  ].join('\n'),
});
project.tasks.tryFind('post-upgrade')!.exec(`npm update --package-lock-only --prefix ${PUBLISHER}`);

// newer versions of unrs-resolver are published before their bindings: without the pin, `npm ci`
// fails
project.package.addPackageResolutions('unrs-resolver@1.12.2');

// the compiler takes ten times as long to transpile, and a fresh clone has nothing cached
project
  .tryFindObjectFile('package.json')!
  .addOverride('jest.transform', { '^.+\\.[t]sx?$': '<rootDir>/projenrc/jest-transform.js' });
project
  .tryFindObjectFile('package.json')!
  .addOverride('jest.runtime', '<rootDir>/projenrc/jest-runtime.js');
// the slowest files are listed by their names
project
  .tryFindObjectFile('package.json')!
  .addOverride('jest.reporters.1.1.suiteNameTemplate', '{filepath}');

// written by `npx projen shapes`
project.gitattributes.addAttributes('/schema/shapes/**', 'linguist-generated');

for (const pattern of [
  '/.ci/',
  '/.words.yml',
  '/eslint.config.mjs',
  '/.git-blame-ignore-revs',
  '/bench/',
  '/examples/',
  '/.projen/',
  '/projenrc/',
  '/tsconfig.all.json',
  '/ARCHITECTURE.md',
  '/CONTRIBUTING.md',
  '*.tgz',
]) {
  project.npmignore?.exclude(pattern);
}

// what programs import: `cdk8s-harvester`, `cdk8s-harvester/engine`, …; families that few programs
// use are submodules of the index, whose names are not in the first list of an editor
const submodules = ['auth', 'devices', 'migration', 'rke1', 'settings'];
const entries = {
  engine: 'commands',
  ...Object.fromEntries(['testing', ...submodules].map((file) => [file, file])),
};
// with exports, programs below the package itself (the examples) import it by its name, as users do
const moduleOf = (file: string) => ({
  types: `./lib/${file}.d.ts`,
  default: `./lib/${file}.js`,
});
project.package.addField('exports', {
  '.': moduleOf('index'),
  ...Object.fromEntries(
    Object.entries(entries).map(([entry, file]) => [`./${entry}`, moduleOf(file)]),
  ),
  './schema/*': './schema/*',
  './package.json': './package.json',
  './.jsii': './.jsii',
  './.jsii.gz': './.jsii.gz',
});

// TypeScript reads no exports with `"module": "commonjs"`
project.package.addField('typesVersions', {
  '*': Object.fromEntries(
    Object.entries(entries).map(([entry, file]) => [entry, [`lib/${file}.d.ts`]]),
  ),
});

// the benchmark also measures parts of the library, which are not exported
project.package.addField('imports', { '#lib/*': './lib/*.js' });

for (const folder of ['examples', 'bench']) {
  new JsonFile(project, `${folder}/tsconfig.json`, {
    obj: {
      extends: '../tsconfig.json',
      compilerOptions: {
        noEmit: true,
        rootDir: '..',
        paths: {
          'cdk8s-harvester': ['../src/index.ts'],
          'cdk8s-harvester/engine': ['../src/commands.ts'],
          'cdk8s-harvester/*': ['../src/*.ts'],
          '#lib/*': ['../src/*.ts'],
        },
      },
      include: ['**/*.ts'],
    },
  });
}

// everything in one program: for the type check, and for the rules that need types, which would
// make a program per folder
new JsonFile(project, 'tsconfig.all.json', {
  obj: {
    extends: './tsconfig.json',
    compilerOptions: {
      noEmit: true,
      rootDir: '.',
      paths: {
        'cdk8s-harvester': ['./src/index.ts'],
        'cdk8s-harvester/engine': ['./src/commands.ts'],
        'cdk8s-harvester/*': ['./src/*.ts'],
        '#lib/*': ['./src/*.ts'],
      },
    },
    include: ['src', 'test', 'examples', 'bench', 'projenrc']
      .map((folder) => `${folder}/**/*.ts`)
      .concat('.projenrc.ts'),
    exclude: ['node_modules'],
  },
});
// what is generated or data, and tables in which a row is a line on purpose
for (const pattern of PRETTIER_IGNORED) {
  project.prettier!.addIgnorePattern(pattern);
}

// projen's own shell succeeds where a command is killed, e.g. for want of memory
project.tasks.shell = TaskShell.system();

// what only developers need is not in the package.json of the package
project.setScript('prepack', 'node projenrc/pack.js strip');
project.setScript('postpack', 'node projenrc/pack.js restore');

// projen's task stops at the first language that this machine cannot build
project.tasks.tryFind('package-all')!.reset('node projenrc/package-all.js');

// what jsii-pacmak generates loses dicts in lists
project.tasks.tryFind('package:python')!.reset('node projenrc/package-python.js');

// the notes of a release, and links to its tag in the pages that the packages hold
project.tasks.tryFind('bump')!.exec('node projenrc/release.js pin');
project.tasks.tryFind('unbump')!.prependExec('node projenrc/release.js unpin');

// jsii prints a long warning that Node 20 is out of support
project.tasks.addEnvironment('JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION', '20');

// the compiler's own configuration would put all sources into the package once more
const compilerOptions = project.tryFindObjectFile('tsconfig.json')!;
compilerOptions.addDeletionOverride('compilerOptions.inlineSourceMap');
compilerOptions.addDeletionOverride('compilerOptions.inlineSources');
project.compileTask.reset(
  'node --require ./projenrc/jsii/submodules.js node_modules/jsii/bin/jsii --silence-warnings=reserved-word --compress-assembly --tsconfig tsconfig.json --validate-tsconfig minimal',
);
// after each compilation, since the tasks below compile by themselves
project.compileTask.exec('node projenrc/public-api.js');
project.compileTask.exec('node projenrc/lazy-modules.js');
project.compileTask.exec('node projenrc/declarations.js');
project.compileTask.exec('node projenrc/constructs.js');

// jest only transpiles, so the types are a step of their own: of everything in one program, which
// checks the library once
const typecheck = project.addTask('typecheck', {
  description: 'Checks the types of the library, tests, examples, benchmarks and build scripts',
});
typecheck.exec('node node_modules/typescript7/bin/tsc -p tsconfig.all.json');

const format = project.addTask('format', { description: 'Formats all code, 100 columns wide' });
format.exec('prettier --write --log-level warn .');

// types and lint with one program for both; a larger space for new objects saves a tenth
const check = project.addTask('check', {
  description: 'Checks formatting, types, and what the linter judges',
});
check.exec(
  'node --max-semi-space-size=64 projenrc/check.js src test examples bench projenrc .projenrc.ts',
);
project.testTask.reset('node projenrc/test.js', { receiveArgs: true });
const testAll = project.addTask('test:all', {
  description:
    'Runs the unit tests with all cases, and checks formatting, types, and what the linter judges, as CI does',
  env: { CI: 'true' },
});
testAll.exec('node projenrc/test.js', { receiveArgs: true });

// ts-node by itself: the examples import the compiled package, as users do
const run = (folder: string) => `ts-node --transpileOnly --project ../tsconfig.json ${folder}`;
const quickstart = project.addTask('quickstart', {
  description: 'Synthesizes the quickstart example and shows its output',
});
quickstart.spawn(project.compileTask);
quickstart.exec(run('main.ts'), { cwd: 'examples/quickstart', env: { CDK8S_OUTDIR: 'dist' } });
quickstart.exec('node bin/cdk8s-harvester show examples/quickstart/dist');

project.addTask('writes', {
  description: 'Writes schema/writes.json and schema/props.json: what constructs write, by prop',
  env: { CI: '1', UPDATE_WRITES: '1' },
  exec: 'jest test/props/writes.test.ts',
});

const golden = project.addTask('golden', {
  description: 'Writes the committed output of all examples again',
});
golden.spawn(project.compileTask);
for (const example of readdirSync('examples', { withFileTypes: true }).filter((entry) =>
  entry.isDirectory(),
)) {
  golden.exec(run('main.ts'), { cwd: `examples/${example.name}`, env: { CDK8S_OUTDIR: 'dist' } });
}

const reference = project.addTask('docgen', {
  description: 'Writes docs/reference, a page for each construct, and API.md, their index',
});
reference.exec('node projenrc/reference.js');
project.postCompileTask.spawn(reference);
for (const generated of [
  '/API.md',
  '/docs/reference/**',
  '/docs/rules.md',
  '/docs/rules/**',
  '/docs/all-settings.md',
  '/docs/settings/**',
  '/docs/commands/**',
  '/docs/terraform-harvester.md',
  '/docs/terraform-rancher2.md',
  '/docs/terraform/**',
  '/docs/troubleshooting/**',
]) {
  project.annotateGenerated(generated);
}

const docsRules = project.addTask('docs:rules', {
  description:
    'Writes docs/rules.md, docs/all-settings.md, and the tables of docs/commands.md, the indexes of rules, settings, and commands, and a page for each in docs/rules, docs/settings, and docs/commands',
});
docsRules.exec('node projenrc/rules.js');
project.postCompileTask.spawn(docsRules);

const docsTerraform = project.addTask('docs:terraform', {
  description:
    'Writes docs/terraform-rancher2.md and docs/terraform-harvester.md, which list resources, and docs/terraform, a page for each',
});
docsTerraform.exec(
  'ts-node --transpileOnly --project projenrc/tsconfig.json projenrc/terraform/terraform.ts',
);

const pictures = project.addTask('pictures', {
  description: 'Writes docs/pictures: what commands print about an example, as the pages show it',
});
pictures.exec(
  'ts-node --transpileOnly --project projenrc/tsconfig.json projenrc/pictures/pictures.ts',
);
project.annotateGenerated('/docs/pictures/**');

const docs = project.addTask('docs', {
  description: 'Builds the site of the documentation into dist/site',
});
docs.exec('node projenrc/site.js');
const docsPreview = project.addTask('docs:preview', {
  description: 'Builds the site of the documentation and serves it',
});
docsPreview.spawn(docs);
docsPreview.exec('node projenrc/site.js --preview');

// the site by version, on the branch that GitHub Pages serves: `next` of main, and the folder of its
// minor version after each release, whose event does not start a workflow. Folders of other versions
// are kept
const publishDocs = project.github!.addWorkflow('docs');
publishDocs.on({
  push: { branches: ['main'] },
  workflowRun: { workflows: ['release'], types: ['completed'] },
  workflowDispatch: {},
});
publishDocs.addJob('publish', {
  // two at once would push the same branch
  concurrency: { 'group': 'docs', 'cancel-in-progress': false },
  runsOn: ['ubuntu-latest'],
  if: "github.event_name != 'workflow_run' || github.event.workflow_run.conclusion == 'success'",
  permissions: { contents: JobPermission.WRITE },
  steps: [
    github.WorkflowSteps.checkout({ with: { fetchDepth: 0 } }),
    github.WorkflowSteps.setupGitIdentity({
      gitIdentity: { name: 'github-actions', email: 'github-actions@github.com' },
    }),
    {
      name: 'Setup Node.js',
      uses: 'actions/setup-node@v7.0.0',
      with: { 'node-version': '24.x', 'package-manager-cache': false },
    },
    {
      name: 'Take the release',
      if: "github.event_name == 'workflow_run'",
      run: [
        'tag="$(git describe --tags --abbrev=0)"',
        'git checkout "$tag"',
        'npm pkg set version="${tag#v}"',
      ].join('\n'),
    },
    { name: 'Install dependencies', run: 'npm ci' },
    {
      name: 'Take what is published',
      run: [
        'mkdir -p dist',
        'git worktree add dist/site gh-pages || (git worktree add --detach dist/site && git -C dist/site switch --orphan gh-pages)',
      ].join('\n'),
    },
    {
      name: 'Build the site',
      run: 'npx projen docs',
      env: { DOCS_BASE: '/cdk8s-harvester/' },
    },
    {
      name: 'Publish the site',
      workingDirectory: 'dist/site',
      run: [
        'touch .nojekyll',
        'git add --all',
        'git diff --cached --quiet || git commit --message "Publish $(git -C ../.. rev-parse --short HEAD)"',
        'git push origin gh-pages',
      ].join('\n'),
    },
  ],
});

const words = project.addTask('words', {
  description: 'Checks the wording of docs, messages, comments and test titles against .words.yml',
});
words.exec('node projenrc/words.js', { receiveArgs: true });

const shapes = project.addTask('shapes', {
  description:
    'Writes schema/shapes from a folder of custom resource definitions, or compares them: --verify',
});
shapes.exec('ts-node --transpileOnly --project projenrc/tsconfig.json projenrc/shapes/shapes.ts', {
  receiveArgs: true,
});

const freeze = project.addTask('api:freeze', {
  description: 'Writes test/api/frozen.json: the public API that later ones are compared with',
});
freeze.exec('node projenrc/api.js freeze');
project.gitattributes.addAttributes('/test/api/frozen.json', 'linguist-generated');

const cluster = project.addTask('test:cluster', {
  description:
    'Runs the tests against real API servers; builds them once, which needs Go and minutes',
});
cluster.exec('jest -c test/cluster/jest.config.js --ci', { receiveArgs: true });

const engines = project.addTask('test:engines', {
  description:
    'Runs GitOps engines against real API servers; builds them once, which needs Go and minutes',
});
engines.exec('jest -c test/cluster/engines/jest.config.js --ci', { receiveArgs: true });

// on servers of someone else: never a part of another task, and it fails without them
const live = project.addTask('test:live', {
  description: 'Walks scenarios on a running Rancher and Harvester, whose kubeconfigs it needs',
});
live.exec('jest -c test/live/jest.config.js --ci', { receiveArgs: true });

const packed = project.addTask('test:package', {
  description: 'Packs the package and runs programs with it in every runtime and module system',
});
packed.spawn(project.compileTask);
packed.exec('jest -c test/package/jest.config.js --ci', { receiveArgs: true });

const bench = project.addTask('bench', {
  description: 'Compares speed with stock cdk8s and writes bench/speed.md',
});
bench.spawn(project.compileTask);
bench.exec('node --expose-gc --require ts-node/register/transpile-only bench/bench.ts', {
  receiveArgs: true,
  env: { TS_NODE_PROJECT: 'bench/tsconfig.json' },
});

project.synth();
