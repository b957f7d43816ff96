import { readFileSync, readdirSync, writeFileSync } from 'fs';
import { join } from 'path';
import { Block, PAGES, blocksOfPages, textOf } from './support/docs/blocks';
import { Call, ShellProject } from './support/docs/shell';
import { runCli } from './support/run-cli';
import { ROOT } from './support/source-library';
import { tempFolder } from './support/temp';
import { COMMANDS } from '../src/cli/main';

const OURS = 'cdk8s-harvester';

/** Commands that connect to clusters: they are parsed only. */
const LIVE = new Set(
  Object.values(COMMANDS)
    .map((create) => create())
    .filter(({ options }) => options.some(({ long }) => long === '--context'))
    .map((command) => command.name()),
);

/** Commands that are parsed only for another reason. */
const PARSED: { readonly [command: string]: string } = {
  'hash-password': 'it reads from a terminal, or from its stdin',
  'explain': 'it reads the compiled package, so test/package/docs.test.ts runs it',
};

const pages = blocksOfPages();
const blocks = [
  ...pages.filter(({ language }) => language === 'sh'),
  // a session: commands with their output
  ...pages
    .filter(({ language, code }) => language === '' && /^\$ /m.test(code))
    .map((block) => ({ ...block, code: block.code.match(/(?<=^\$ ).*/gm)!.join('\n') })),
];

/** How often blocks call what, for the summary. */
const counts: { readonly [how: string]: Map<string, number> } = {
  'run': new Map(),
  'parsed only': new Map(),
  'of other programs': new Map(),
};
function count(how: string, what: string): void {
  counts[how].set(what, (counts[how].get(what) ?? 0) + 1);
}

afterAll(() => {
  const lines = Object.entries(counts).map(([how, commands]) => {
    const parts = [...commands]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, number]) => `${name} ${number}`);
    return `  ${how}: ${[...commands.values()].reduce((all, number) => all + number, 0)} (${parts.join(', ')})\n`;
  });
  const reasons = Object.entries(PARSED).map(
    ([name, reason]) => `  ${name} is parsed only: ${reason}\n`,
  );
  process.stderr.write(
    `commands in ${blocks.length} shell blocks of the docs; those that connect to clusters are parsed only\n${[...lines, ...reasons].join('')}`,
  );
});

/** The arguments of a call of the command line; undefined if it is a call of another program. */
function ownArgs({ program, args }: Call): readonly string[] | undefined {
  if (program === OURS) {
    return args;
  }
  return program === 'npx' && args[0] === OURS ? args.slice(1) : undefined;
}

/**
 * Parses arguments as the command does, without running it. Throws what it prints about those that
 * are wrong.
 */
async function parse([name, ...args]: readonly string[]): Promise<void> {
  if (name === '--version') {
    return;
  }
  if (!Object.hasOwn(COMMANDS, name)) {
    throw new Error(`there is no command ${name}`);
  }
  const printed: string[] = [];
  const command = COMMANDS[name]()
    .exitOverride()
    .configureOutput({
      writeErr: (text) => {
        printed.push(text);
      },
    })
    .action(() => undefined);
  try {
    await command.parseAsync([...args], { from: 'user' });
  } catch (error) {
    throw new Error(`${name} ${args.join(' ')}: ${printed.join('') || (error as Error).message}`);
  }
}

/** The scripts of a package.json, and all packages that it installs. */
function packageOf(...path: string[]): {
  scripts: ReadonlySet<string>;
  packages: ReadonlySet<string>;
} {
  const { scripts, ...json } = JSON.parse(
    readFileSync(join(ROOT, ...path, 'package.json'), 'utf8'),
  ) as { [field: string]: object };
  const packages = ['dependencies', 'devDependencies', 'peerDependencies'].flatMap((field) =>
    Object.keys(json[field] ?? {}),
  );
  return { scripts: new Set(Object.keys(scripts)), packages: new Set([OURS, ...packages]) };
}

const REPOSITORY = packageOf();
const TEMPLATES = ['typescript', 'python'].map((language) => packageOf('templates', language));

/**
 * Checks a call of npm or npx: the scripts and packages that it names are those of the project in
 * question.
 */
function checkPackages(page: string, { program, args: [first, ...args] }: Call): void {
  const projects = page.startsWith('docs/') ? TEMPLATES : [REPOSITORY];
  const names = args.filter((arg) => !arg.startsWith('-'));
  if (program === 'npx') {
    expect(TEMPLATES[0].packages).toContain({ tsc: 'typescript' }[first] ?? first);
  }
  if (program !== 'npm') {
    return;
  }
  expect(['ci', 'init', 'install', 'run', 'test']).toContain(first);
  if (first === 'run') {
    for (const { scripts } of projects) {
      expect(scripts).toContain(names[0]);
    }
  }
  if (first === 'install') {
    for (const name of names) {
      expect(TEMPLATES[0].packages).toContain(name.replace(/@latest$/, ''));
    }
  }
}

/** The project that the commands of a block need. */
function projectFor({ page, code }: Block): ShellProject {
  // an engine that cannot decrypt gets no secret within other objects
  const example =
    /^examples\/([^/]+)/.exec(page)?.[1] ??
    (code.includes('--delivery fleet') ? 'quickstart' : 'rke2-production');
  const project = new ShellProject(example, /\bgit |review/.test(code));
  for (const name of ['manifests', 'live']) {
    project.addManifests(name, ['rancher', 'dc1']);
  }
  for (const name of ['new', 'old']) {
    project.addManifests(name, ['rancher']);
  }
  project.addManifests('k8s', ['dc1']);
  if (code.includes('--config prod.yaml')) {
    writeFileSync(
      join(project.folder, 'prod.yaml'),
      'targets: {rancher: {context: prod-rancher}}\n',
    );
  }
  if (!code.includes('git worktree add')) {
    project.addManifests('main/dist', ['.']);
  }
  return project;
}

const cwd = process.cwd();
const env = { ...process.env };
afterEach(() => {
  process.chdir(cwd);
  process.env = { ...env };
});

test.each(blocks)('runs the commands of $name', async (block) => {
  const { page, code } = block;
  const project = projectFor(block);
  const isNew = code.includes(`${OURS} init`) || code.includes('cd shop');
  const folder = isNew ? tempFolder() : project.folder;
  if (isNew && !code.includes(`${OURS} init`)) {
    await runCli('init', 'typescript', join(folder, 'shop'));
  }
  for (const call of project.run(
    code.replaceAll('/tmp/main', join(project.folder, 'main')),
    folder,
  )) {
    const args = ownArgs(call);
    if (!args) {
      checkPackages(page, call);
      count('of other programs', call.program);
      continue;
    }
    // a config file is read while arguments are parsed
    process.chdir(call.cwd);
    await parse(args);
    const isParsed = LIVE.has(args[0]) || args[0] in PARSED;
    count(isParsed ? 'parsed only' : 'run', args[0]);
    if (isParsed) {
      continue;
    }
    process.env.PATH = project.path;
    const { exitCode, stderr, stdout } = await runCli(...args);
    if (exitCode !== 0) {
      throw new Error(`${args.join(' ')}: exit code ${exitCode}\n${stderr}${stdout}`);
    }
  }
});

/** Options of other programs, which pages name by themselves. */
const OTHER_OPTIONS = [
  '--ca-checksum',
  '--cascade',
  '--cloud-provider',
  '--create-if-none',
  '--duration',
  '--edit-last',
  '--export',
  '--server-side',
];

/** The options in a text that a command does not have; that no command has, without one. */
function unknownOptions(text: string, command?: string): string[] {
  if (command !== undefined && !Object.hasOwn(COMMANDS, command)) {
    return ['is not a command'];
  }
  const commands = command === undefined ? Object.values(COMMANDS) : [COMMANDS[command]];
  const options = new Set([
    '--help',
    '--version',
    ...commands.flatMap((create) => create().options.map(({ long }) => long)),
  ]);
  return [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)]
    .map(([option]) => option)
    .filter((option) => !options.has(option));
}

/** Code within the text of a page: `lint --before`, `--before`. */
function inlineCode(page: string): string[] {
  return [
    ...textOf(page)
      .replaceAll(/^ *```.*\n[^]*?^ *```$/gm, '')
      .matchAll(/`([^`\n]+)`/g),
  ].map(([, code]) => code.replace(/^npx /, ''));
}

test('the text of pages names only commands and options that there are', () => {
  const others = new Set<string>();
  // it names what is gone
  const current = PAGES.filter((page) => page !== 'docs/previous-names.md');
  const found = current.flatMap((page) =>
    inlineCode(page).flatMap((code) => {
      const [first, ...words] = code.split(' ');
      if (first === OURS && words.length > 0) {
        return unknownOptions(code, words[0]).map((problem) => `${page}: ${code}: ${problem}`);
      }
      if (Object.hasOwn(COMMANDS, first)) {
        return unknownOptions(code, first).map((problem) => `${page}: ${code}: ${problem}`);
      }
      if (!first.startsWith('--')) {
        return [];
      }
      const unknown = unknownOptions(code);
      unknown.forEach((option) => {
        others.add(option);
      });
      return unknown
        .filter((option) => !OTHER_OPTIONS.includes(option))
        .map((option) => `${page}: ${option}`);
    }),
  );
  expect(found).toEqual([]);
  expect([...others].sort()).toEqual(OTHER_OPTIONS);
});

/** Scripts of pipelines and projects, in pages and templates. */
const scripts = [
  ...pages
    .filter(({ language }) => language === 'yaml')
    .map(({ name, code }) => [name, code] as const),
  ...readdirSync(join(ROOT, 'templates'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:ya?ml|json)$/.test(file))
    .map((file) => [`templates/${file}`, textOf(`templates/${file}`)] as const),
];

test('the scripts of pages and templates have only commands and options that there are', () => {
  const calls = scripts.flatMap(([name, text]) =>
    [...text.matchAll(/\bcdk8s-harvester ([a-z][a-z-]*)([^\n|&;>]*)/g)].map(
      ([, command, rest]) => ({ name, command, rest }),
    ),
  );
  expect(calls.map(({ command }) => command)).toEqual(
    expect.arrayContaining(['lint', 'plan', 'review', 'doctor']),
  );
  expect(
    calls.flatMap(({ name, command, rest }) =>
      unknownOptions(rest, command).map((problem) => `${name}: ${command}: ${problem}`),
    ),
  ).toEqual([]);
});

test('the guide for contributors names only tasks that there are', () => {
  const { tasks } = JSON.parse(textOf('.projen/tasks.json')) as { tasks: object };
  const named = [...textOf('CONTRIBUTING.md').matchAll(/\bnpx projen ([a-z][\w:-]*)/g)].map(
    ([, task]) => task,
  );
  expect(named).toEqual(expect.arrayContaining(['compile', 'build']));
  expect(named.filter((task) => !Object.hasOwn(tasks, task))).toEqual([]);
});
