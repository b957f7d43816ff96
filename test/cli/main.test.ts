import { COMMANDS } from '../../src/cli/main';
import { runCli } from '../support/run-cli';

// deliver reports its required options first
test.each(Object.keys(COMMANDS).filter((command) => command !== 'deliver'))('%s exits with 1 for an unknown option', async (command) => {
  expect(await runCli(command, '--bogus')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('unknown option \'--bogus\'') });
});

test('lists all commands in the help, and suggests the nearest for an unknown one', async () => {
  const { stdout } = await runCli('--help');
  for (const command of Object.keys(COMMANDS)) { expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm')); }
  expect(await runCli('aply')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Did you mean apply?') });
});
