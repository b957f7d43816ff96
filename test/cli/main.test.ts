import { readFileSync } from 'fs';
import { join } from 'path';
import { COMMANDS, COMMAND_GROUPS } from '../../src/cli/main';
import { runCli } from '../support/run-cli';

// these report their required options first
test.each(Object.keys(COMMANDS).filter((command) => !['deliver', 'review'].includes(command)))(
  '%s exits with 1 for an unknown option',
  async (command) => {
    expect(await runCli(command, '--bogus')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("unknown option '--bogus'"),
    });
  },
);

test('lists all commands in the help, and suggests the nearest for an unknown one', async () => {
  const { stdout } = await runCli('--help');
  for (const command of Object.keys(COMMANDS)) {
    expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  }
  expect(await runCli('aply')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('Did you mean apply?'),
  });
});

test('groups all commands by what a person wants to do, in at most 80 columns', async () => {
  const grouped = Object.values(COMMAND_GROUPS).flat();
  expect([...grouped].sort()).toEqual([...Object.keys(COMMANDS), 'help'].sort());
  const { stdout } = await runCli('--help');
  const titles = Object.keys(COMMAND_GROUPS).map((title) => stdout.indexOf(`\n${title}\n`));
  expect(titles).not.toContain(-1);
  expect(titles).toEqual([...titles].sort((a, b) => a - b));
  expect(stdout).not.toContain('\nCommands:');
  expect(stdout.split('\n').filter(({ length }) => length > 80)).toEqual([]);
});

test('the README has all commands', () => {
  const readme = readFileSync(join(__dirname, '..', '..', 'README.md'), 'utf8');
  const section = readme.split(/^## /m).find((part) => part.startsWith('Commands\n'))!;
  const rows = section.split('\n').filter((row) => row.startsWith('| '));
  const listed = rows.flatMap((row) => [...row.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name));
  expect([...listed].sort()).toEqual(Object.keys(COMMANDS).sort());
});

test('every command that prints text has the option for colors, and reports that for long lists', () => {
  const commands = Object.values(COMMANDS)
    .map((create) => create())
    .filter(({ options }) =>
      options.some(({ long, argChoices }) => long === '--output' && argChoices?.includes('text')),
    );
  const names = commands.map((command) => command.name());
  const having = (option: string): string[] =>
    names.filter((_, index) => commands[index].options.some(({ long }) => long === option));
  expect(having('--color')).toEqual(names);
  expect(names.filter((name) => !having('--all').includes(name))).toEqual([
    'apply',
    'destroy',
    'register',
  ]);
});
