import { readFileSync } from 'fs';
import { join } from 'path';
import { Command, Option } from 'commander';
import { COMMANDS as ALL } from '../../src/cli/main';
import { optionDescription } from '../../src/cli/option/output-options';
import { runCli } from '../support/run-cli';

const { guidesOf } = jest.requireActual<{ guidesOf: (root: string) => string[] }>(
  '../../projenrc/guides.js',
);

/**
 * The commands whose options commands.md lists: those that connect to clusters, and the one that
 * prints their permissions.
 */
const COMMANDS: readonly Command[] = Object.values(ALL)
  .map((create) => create())
  .filter(
    (command) =>
      command.name() === 'rbac' || command.options.some(({ long }) => long === '--context'),
  );

const DOCS = join(__dirname, '..', '..', 'docs');

const PAGES = guidesOf(join(DOCS, '..')).map((file) => readFileSync(join(DOCS, file), 'utf8'));

/** Whether a page about a command names an option. */
function isTold(command: string, { long }: Option): boolean {
  return PAGES.some((page) => page.includes(command) && new RegExp(`${long}(?![-a-z])`).test(page));
}

test.each(COMMANDS.map((command) => [command.name(), command] as const))(
  'documents every option of %s',
  (name, command) => {
    expect(
      command.options.filter((option) => !isTold(name, option)).map(({ long }) => long),
    ).toEqual([]);
  },
);

/** The commands that connect to clusters. */
const LIVE = COMMANDS.filter((command) => command.name() !== 'rbac');
const REACHING = LIVE.map((command) => command.name());

test('lists every command in commands.md', () => {
  const page = readFileSync(join(DOCS, 'commands.md'), 'utf8');
  expect(
    Object.keys(ALL).filter((name) => !new RegExp(`^\\|[^|]*\`${name}[ \`]`, 'm').test(page)),
  ).toEqual([]);
});

/** The table of options in commands.md: which commands have which option, by one row or more. */
function tableOf(page: string): (readonly [option: string, commands: readonly string[]])[] {
  const [, table] = page.split('\n## Options of the live commands\n');
  const found = new Map<string, string[]>();
  for (const [, options, commands] of table.matchAll(
    /^\| ((?:`--[^`]*`(?:, )?)+) \| ([^|]*) \|/gm,
  )) {
    const names = commands === 'all' ? REACHING : commands.split(', ');
    for (const [option] of options.matchAll(/--[a-z-]+/g)) {
      found.set(option, [...(found.get(option) ?? []), ...names]);
    }
  }
  return [...found];
}

const ROWS = tableOf(readFileSync(join(DOCS, 'commands.md'), 'utf8'));

test('lists all options of the live commands in commands.md, and no others', () => {
  const all = LIVE.flatMap(({ options }) => options.map(({ long }) => long));
  expect(ROWS.map(([option]) => option).sort()).toEqual([...new Set(all)].sort());
});

test.each(ROWS)('%s is an option of these commands: %j', (option, commands) => {
  const having = COMMANDS.filter(({ options }) => options.some(({ long }) => long === option)).map(
    (command) => command.name(),
  );
  expect([...commands].sort()).toEqual(having.sort());
});

test('lists the options that all commands for clusters share last, and hides empty defaults', async () => {
  const { stdout } = await runCli('apply', '--help');
  expect(stdout).not.toContain('[]');
  const order = [
    '--app',
    '--plan',
    '--wait',
    '--no-prune',
    '--force-conflicts',
    '--no-preflight',
    '-o, --output',
    '-h, --help',
    'Options by which clusters are found:',
    '--context',
    '--no-exec',
  ];
  const places = order.map((text) => stdout.search(new RegExp(`^ *${text}`, 'm')));
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((a, b) => a - b));
});

test('keeps a default with a value in the help', () => {
  expect(optionDescription(new Option('--a <x>', 'some').default(['x']))).toBe(
    'some (default: ["x"])',
  );
  expect(optionDescription(new Option('--a <x>', 'some').default([]))).toBe('some');
});
