import { runCli } from '../support/run-cli';

test.each([
  ['plan', 1], ['apply', 1], ['destroy', 1], ['unlock', 1], ['lint', 2], ['resolve', 2], ['status', 2], ['doctor', 2], ['impact', 2],
])('%s with an option that is not there ends with %d, which says nothing else there', async (command, exitCode) => {
  const { exitCode: code, stderr } = await runCli(command, '--bogus');
  expect([code, stderr]).toEqual([exitCode, expect.stringContaining('unknown option \'--bogus\'')]);
});

test('help tells of all commands, and a wrong one of the nearest', async () => {
  const { stdout } = await runCli('--help');
  for (const command of ['lint', 'plan', 'apply', 'destroy', 'rules', 'hash-password']) { expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm')); }
  expect(await runCli('aply')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Did you mean apply?') });
});
