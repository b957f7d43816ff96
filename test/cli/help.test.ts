import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import { Command, Option } from 'commander';
import { applyCommand } from '../../src/cli/command/cluster/apply';
import { destroyCommand } from '../../src/cli/command/cluster/destroy';
import { doctorCommand } from '../../src/cli/command/cluster/doctor';
import { forgetCommand } from '../../src/cli/command/cluster/forget';
import { planCommand } from '../../src/cli/command/cluster/plan';
import { resolveCommand } from '../../src/cli/command/cluster/resolve';
import { statusCommand } from '../../src/cli/command/cluster/status';
import { unlockCommand } from '../../src/cli/command/cluster/unlock';
import { rbacCommand } from '../../src/cli/command/output/rbac';
import { optionDescription } from '../../src/cli/option/repeatable';
import { runCli } from '../support/run-cli';

const COMMANDS: readonly Command[] = [
  planCommand(), applyCommand(), destroyCommand(), resolveCommand(), statusCommand(), doctorCommand(), rbacCommand(), forgetCommand(),
  unlockCommand(),
];

const DOCS = join(__dirname, '..', '..', 'docs');

const PAGES = readdirSync(DOCS).filter((name) => name.endsWith('.md')).map((name) => readFileSync(join(DOCS, name), 'utf8'));

/** Whether a page about a command names an option. */
function isTold(command: string, { long }: Option): boolean {
  return PAGES.some((page) => page.includes(command) && new RegExp(`${long}(?![-a-z])`).test(page));
}

test.each(COMMANDS.map((command) => [command.name(), command] as const))('documents every option of %s', (name, command) => {
  expect(command.options.filter((option) => !isTold(name, option)).map(({ long }) => long)).toEqual([]);
});

const REACHING = COMMANDS.map((command) => command.name()).filter((name) => name !== 'rbac');

/** The table of options in commands.md: which commands have which option, by one row or more. */
function tableOf(page: string): (readonly [option: string, commands: readonly string[]])[] {
  const [, table] = page.split('\n## Options of the live commands\n');
  const found = new Map<string, string[]>();
  for (const [, options, commands] of table.matchAll(/^\| ((?:`--[^`]*`(?:, )?)+) \| ([^|]*) \|/gm)) {
    const names = commands === 'all' ? REACHING : commands.split(', ');
    for (const [option] of options.matchAll(/--[a-z-]+/g)) { found.set(option, [...found.get(option) ?? [], ...names]); }
  }
  return [...found];
}

const ROWS = tableOf(readFileSync(join(DOCS, 'commands.md'), 'utf8'));

test('lists all options of the live commands in commands.md, and no others', () => {
  const all = COMMANDS.filter((command) => command.name() !== 'rbac').flatMap(({ options }) => options.map(({ long }) => long));
  expect(ROWS.map(([option]) => option).sort()).toEqual([...new Set(all)].sort());
});

test.each(ROWS)('%s is an option of these commands: %j', (option, commands) => {
  const having = COMMANDS.filter(({ options }) => options.some(({ long }) => long === option)).map((command) => command.name());
  expect([...commands].sort()).toEqual(having.sort());
});

test('lists the options that all commands for clusters share last, and hides empty defaults', async () => {
  const { stdout } = await runCli('apply', '--help');
  expect(stdout).not.toContain('[]');
  const order = ['--app', '--dist', '--wait', '--no-prune', '--force-conflicts', '--no-preflight', '--output', '-h, --help', 'Options by which clusters are found:', '--context', '--no-exec'];
  const places = order.map((text) => stdout.search(new RegExp(`^ *${text}`, 'm')));
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((a, b) => a - b));
});

test('keeps a default with a value in the help', () => {
  expect(optionDescription(new Option('--a <x>', 'some').default(['x']))).toBe('some (default: ["x"])');
  expect(optionDescription(new Option('--a <x>', 'some').default([]))).toBe('some');
});
