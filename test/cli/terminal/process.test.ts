import { printError } from '../../../src/cli/terminal/process';
import { ScreenFlags, screenOf } from '../../../src/core/text/terminal';

const TERMINAL = { isTTY: true, columns: 80 };
const PIPE = { isTTY: false, columns: undefined };

const { isTTY, columns } = process.stdout;
const { NO_COLOR, TERM } = process.env;

function put(name: 'NO_COLOR' | 'TERM', value: string | undefined): void {
  if (value === undefined) {
    delete process.env[name];
  } else {
    process.env[name] = value;
  }
}

/** What a command sees of a stdout. */
function seen(
  stdout: typeof TERMINAL | typeof PIPE,
  flags: ScreenFlags,
  env: { readonly NO_COLOR?: string; readonly TERM?: string } = {},
) {
  Object.assign(process.stdout, stdout);
  put('NO_COLOR', env.NO_COLOR);
  put('TERM', env.TERM);
  return screenOf(flags);
}

afterEach(() => {
  Object.assign(process.stdout, { isTTY, columns });
  put('NO_COLOR', NO_COLOR);
  put('TERM', TERM);
});

test('a terminal has a width, colors, and folds lists', () => {
  expect(seen(TERMINAL, {})).toEqual({ width: 80, colors: true, most: 20 });
  expect(seen(TERMINAL, { all: true })).toEqual({ width: 80, colors: true });
});

test('a pipe has neither, unless colors are asked for', () => {
  expect(seen(PIPE, {})).toEqual({ colors: false });
  expect(seen(PIPE, { color: 'always' }, { NO_COLOR: '1' })).toEqual({ colors: true });
});

test('NO_COLOR, a dumb terminal, and --color never turn colors off', () => {
  expect(seen(TERMINAL, {}, { NO_COLOR: '1' }).colors).toBe(false);
  // an empty value has no effect: https://no-color.org
  expect(seen(TERMINAL, {}, { NO_COLOR: '' }).colors).toBe(true);
  expect(seen(TERMINAL, {}, { TERM: 'dumb' }).colors).toBe(false);
  expect(seen(TERMINAL, { color: 'never' }).colors).toBe(false);
});

test('an error is broken between words on a terminal, and a line of a log', () => {
  const error =
    'cdk8s-harvester: the plan is out of date: the clusters or the program changed since it was made\n  Fix: \u001b[2Jmake it again';
  const { isTTY: wasTTY, columns: had } = process.stderr;
  const written: string[] = [];
  const write = jest
    .spyOn(process.stderr, 'write')
    .mockImplementation((text) => written.push(String(text)) > 0);
  for (const stderr of [{ isTTY: true, columns: 60 }, PIPE]) {
    Object.assign(process.stderr, stderr);
    printError(error);
  }
  Object.assign(process.stderr, { isTTY: wasTTY, columns: had });
  write.mockRestore();
  expect(written[0]!.split('\n')).toEqual([
    'cdk8s-harvester: the plan is out of date: the clusters or',
    '  the program changed since it was made',
    '  Fix: \\u001b[2Jmake it again',
    '',
  ]);
  expect(written[1]).toBe(`${error.replace('\u001b', '\\u001b')}\n`);
});
