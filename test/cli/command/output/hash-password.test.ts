import { pbkdf2Sync } from 'crypto';
import { PassThrough } from 'stream';
import { Command } from 'commander';
import {
  PasswordInput,
  hashPasswordCommand,
} from '../../../../src/cli/command/output/hash-password';
import { HashedPassword } from '../../../../src/rancher/user/user';

const LINE = /^pbkdf2sha3512:([A-Za-z0-9+/]{43}=):([A-Za-z0-9+/]{43}=)\n$/;

interface Run {
  stdout: string;
  stderr: string;
  error?: Error;
  exitCode: number;
  modes: boolean[];
}

/** Runs the command; what is typed at a terminal comes prompt by prompt. */
async function run(
  typed: readonly string[],
  { tty = true, args = [] as string[] } = {},
): Promise<Run> {
  const stream = new PassThrough();
  const result: Run = { stdout: '', stderr: '', exitCode: 0, modes: [] };
  const input: PasswordInput = tty
    ? Object.assign(stream, {
        isTTY: true,
        setRawMode: (mode: boolean) => {
          result.modes.push(mode);
        },
      })
    : stream;
  const keys = [...typed];
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    jest.spyOn(process[name], 'write').mockImplementation((chunk: unknown) => {
      result[name] += String(chunk);
      if (tty && name === 'stderr' && String(chunk).endsWith(': ')) {
        setImmediate(() => {
          stream.write(keys.shift() ?? '');
        });
      }
      return true;
    }),
  );
  if (!tty) {
    stream.end(typed.join(''));
  }
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    await new Command('x')
      .addCommand(hashPasswordCommand(() => input).exitOverride())
      .parseAsync(['node', 'x', 'hash-password', ...args]);
  } catch (error) {
    result.error = error as Error;
  } finally {
    result.exitCode = Number(process.exitCode);
    process.exitCode = before;
    for (const spy of spies) {
      spy.mockRestore();
    }
  }
  return result;
}

/** Whether a printed line is the hash of a password, by Node's own means. */
function isHashOf(line: string, password: string): boolean {
  const [, salt, hash] = LINE.exec(line)!;
  return (
    pbkdf2Sync(password, Buffer.from(salt, 'base64'), 210_000, 32, 'sha3-512').toString(
      'base64',
    ) === hash
  );
}

describe('at a terminal', () => {
  test('the password is asked for twice, not shown, and hashed', async () => {
    const { stdout, stderr, modes, error } = await run([
      'correct horse battery\r',
      'correct horse battery\r',
    ]);
    expect(error).toBeUndefined();
    expect(stderr).toBe('password: \nagain: \n');
    expect(isHashOf(stdout, 'correct horse battery')).toBe(true);
    expect(modes).toEqual([true, false]);
    expect(() => HashedPassword.fromText(stdout.trim())).not.toThrow();
  });

  test('every hash has a salt of its own', async () => {
    const [one, two] = [
      await run(['correct horse battery\r', 'correct horse battery\r']),
      await run(['correct horse battery\r', 'correct horse battery\r']),
    ];
    expect(one.stdout).not.toBe(two.stdout);
  });

  test('mistyped keys can be taken back, and arrows do nothing', async () => {
    const { stdout } = await run([
      'wrong\u0015corr\u001b[Aect hö\u007forse battery\r',
      'correct horse battery\n',
    ]);
    expect(isHashOf(stdout, 'correct horse battery')).toBe(true);
  });

  test('both may be pasted at once', async () => {
    const { stdout } = await run(['correct horse battery\rcorrect horse battery\r']);
    expect(isHashOf(stdout, 'correct horse battery')).toBe(true);
  });

  test('two different ones are not hashed', async () => {
    const { stdout, error, modes } = await run([
      'correct horse battery\r',
      'correct horse batterx\r',
    ]);
    expect(error?.message).toBe('the two passwords differ; nothing was hashed');
    expect({ stdout, modes }).toEqual({ stdout: '', modes: [true, false] });
  });

  test.each([
    ['Ctrl-C', 'corr\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('%s exits with 130 and restores the terminal', async (_, keys) => {
    const { stdout, exitCode, error, modes } = await run([keys]);
    expect({ stdout, exitCode, error, modes }).toEqual({
      stdout: '',
      exitCode: 130,
      error: undefined,
      modes: [true, false],
    });
  });
});

describe('from a pipe', () => {
  test('the password is the one line', async () => {
    expect(
      isHashOf(
        (await run(['correct horse battery\n'], { tty: false })).stdout,
        'correct horse battery',
      ),
    ).toBe(true);
    expect(isHashOf((await run([' kept spaces  '], { tty: false })).stdout, ' kept spaces  ')).toBe(
      true,
    );
    expect((await run(['one line here\ntwo\n'], { tty: false })).error?.message).toContain(
      'several lines',
    );
  });
});

describe('the rules of Rancher', () => {
  test('ask for twelve characters, unless another number is set', async () => {
    const { error, stdout } = await run(['elevenchars'], { tty: false });
    expect(stdout).toBe('');
    expect(error?.message).toContain('password: must have at least 12 characters');
    expect(error?.message).not.toContain('elevenchars');
    expect(
      (await run(['elevenchars'], { tty: false, args: ['--min-length', '8'] })).stdout,
    ).toMatch(LINE);
    expect(
      (await run(['x'], { tty: false, args: ['--min-length', 'few'] })).error?.message,
    ).toContain('must be a whole number of 1 or more');
  });

  test('refuse the name of the user', async () => {
    expect(
      (await run(['administrator'], { tty: false, args: ['--username', 'administrator'] })).error
        ?.message,
    ).toContain('password: cannot be the name of the user');
  });
});
