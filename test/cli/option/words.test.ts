import { Argument, Option } from 'commander';
import { COMMANDS } from '../../../src/cli/main';
import { runCli } from '../../support/run-cli';

const ALL = Object.values(COMMANDS).map((create) => create());

/** What an option or argument is in every command; what follows is about the command. */
function meaningOf({ description }: Option | Argument): string {
  return description.split(';', 1)[0];
}

/** The different values of what has a name, by name. */
function byName<T>(all: readonly T[], nameOf: (one: T) => string, valueOf: (one: T) => string) {
  const values = new Map<string, Set<string>>();
  for (const one of all) {
    values.set(nameOf(one), (values.get(nameOf(one)) ?? new Set()).add(valueOf(one)));
  }
  return [...values].filter(([, { size }]) => size > 1).map(([name, found]) => [name, ...found]);
}

const OPTIONS = ALL.flatMap(({ options }) => options);
const NAMES = [...new Set(OPTIONS.map(({ long }) => long!))];

test('an option has one form in all commands', () => {
  expect(
    byName(
      OPTIONS,
      ({ long }) => long!,
      ({ flags }) => flags,
    ),
  ).toEqual([]);
});

test('an option has one meaning in all commands', () => {
  expect(byName(OPTIONS, ({ long }) => long!, meaningOf)).toEqual([]);
});

test('an argument has one meaning in all commands', () => {
  const all = ALL.flatMap(({ registeredArguments }) => registeredArguments);
  expect(byName(all, (argument) => argument.name(), meaningOf)).toEqual([]);
});

test('no option is another one with up to three letters more', () => {
  const twins = NAMES.flatMap((name) =>
    NAMES.filter((other) => new RegExp(`^${name}[a-z]{1,3}$`).test(other)).map((other) => [
      name,
      other,
    ]),
  );
  expect(twins).toEqual([]);
});

const PREVIOUS: readonly (readonly [command: string, option: string, now: string])[] = [
  ['plan', '--out', '--write-plan'],
  ['resolve', '--out', '--write-values'],
  ['rbac', '--out', '--output-dir'],
  ['deliver', '--out=x', '--output-dir'],
  ['adopt', '--out', '--output-dir'],
  ['adopt', '--out', '--write-diff'],
  ['lint', '--out', '--output-file'],
  ['doctor', '--out', '--output-file'],
  ['lint', '--target', '--target-kind'],
  ['fits', '--target', '--target-kind'],
  ['deliver', '--target', '--from'],
  ['deliver', '--engine', '--delivery'],
  ['init', '--secrets', '--sops-recipient'],
  ['apply', '--dist', '--plan'],
  ['rbac', '--adopt', '--for-adopt'],
  ['plan', '--adopt', '--accept-existing'],
  ['apply', '--adopt-from', '--take-fields-from'],
  ['apply', '--keep-machines', '--fail-on-machine-loss'],
  ['plan', '--allow-empty', '--accept-empty'],
  ['status', '--allow-version-skew', '--accept-version-skew'],
  ['destroy', '--delete-anyway', '--accept-in-use'],
  ['deliver', '--plain-secrets', '--accept-plain-secrets'],
  ['register', '--again', '--accept-connected'],
  ['unlock', '--force', '--yes'],
  ['lint', '--no-color', '--color'],
];

test.each(PREVIOUS)('%s answers %s with %s', async (command, option, now) => {
  const [name] = option.split('=', 1);
  const { exitCode, stderr } = await runCli(command, option);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    new RegExp(`^cdk8s-harvester: ${name}: has another name\\. Fix: use .*${now}`),
  );
  const options = COMMANDS[command]().options.map(({ long }) => long);
  expect(options).toContain(now);
  expect(options).not.toContain(name);
});

test('answers every previous option of a command at once', async () => {
  const { stderr } = await runCli('deliver', '--engine', 'flux', '--out', 'x');
  expect(stderr.match(/has another name/g)).toHaveLength(2);
});

test('refuses a second value of an option that has one', async () => {
  expect(await runCli('destroy', '--target', 'dc1', '--target', 'dc2')).toMatchObject({
    exitCode: 1,
    stderr: 'cdk8s-harvester: --target: must be set once, got dc1 and dc2\n',
  });
});

test('refuses a plan in place of the output folder', async () => {
  expect(await runCli('apply', __filename)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(`Fix: if it is a plan, set --plan ${__filename}`),
  });
});
