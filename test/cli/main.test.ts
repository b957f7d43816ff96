import { runCli } from '../support/run-cli';

test.each(['plan', 'apply', 'destroy', 'unlock', 'lint', 'resolve', 'status', 'doctor', 'impact'])('%s exits with 1 for an unknown option', async (command) => {
  expect(await runCli(command, '--bogus')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('unknown option \'--bogus\'') });
});

test('lists all commands in the help, and suggests the nearest for an unknown one', async () => {
  const { stdout } = await runCli('--help');
  for (const command of ['lint', 'plan', 'apply', 'destroy', 'rules', 'hash-password']) { expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm')); }
  expect(await runCli('aply')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Did you mean apply?') });
});
