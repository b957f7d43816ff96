type RunCli = typeof import('../../../support/run-cli');

const doctor = jest.fn();
jest.doMock('../../../../src/commands', () => ({
  ...jest.requireActual<object>('../../../../src/commands'),
  doctor,
}));
const { runCli } = jest.requireActual<RunCli>('../../../support/run-cli');

test.each([
  ['error', [], 3],
  ['warning', [], 0],
  ['info', [], 0],
  ['error', ['--fail-on', 'errors,warnings'], 3],
  ['warning', ['--fail-on', 'errors,warnings'], 3],
  ['info', ['--fail-on', 'errors,warnings'], 0],
] as const)(
  'exits by the level of a problem: %s with %j exits with %d',
  async (level, options, exitCode) => {
    const diagnosis = {
      check: 'drift/changed',
      level,
      target: 'dc1',
      object: 'ConfigMap a',
      message: 'differs',
      fix: 'apply',
    };
    doctor.mockResolvedValue({
      diagnoses: [diagnosis],
      targets: [],
      scrub: (text: string) => text,
    });
    expect(await runCli('doctor', 'dist', ...options, '--output', 'json')).toMatchObject({
      exitCode,
      stderr: '',
    });
  },
);

test('refuses levels that no pipeline stops for', async () => {
  expect((await runCli('doctor', '--fail-on', 'info')).exitCode).toBe(1);
});
