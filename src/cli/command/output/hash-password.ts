import { randomBytes } from 'crypto';
import { createInterface } from 'readline';
import { Writable } from 'stream';
import { Command, InvalidArgumentError } from 'commander';
import { problemText } from '../../../core/problem/problem';
import {
  SALT_BYTES,
  checkPassword,
  formatPasswordHash,
  hashPassword,
} from '../../../rancher/user/password.check';
import { PASSWORD_MIN_LENGTH } from '../../../rancher/user/user.kind';
import { EXIT, print } from '../../terminal/process';

/** A terminal or pipe that a password comes from; `process.stdin` is one. */
export interface PasswordInput extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
}

/** The user pressed Ctrl-C, or Ctrl-D before typing anything. */
class Canceled extends Error {}

/**
 * Reads a password: typed twice without echo at a terminal, otherwise the only line of the input.
 *
 * @param prompt shows text to the user
 */
async function readPassword(input: PasswordInput, prompt: (text: string) => void): Promise<string> {
  if (!input.isTTY) {
    return oneLine(await readAll(input));
  }
  // readline edits the line and handles the keys; its echo is discarded
  const keyboard = createInterface({
    input,
    output: new Writable({
      write: (_, __, done) => {
        done();
      },
    }),
    terminal: true,
    historySize: 0,
  });
  const lines = keyboard[Symbol.asyncIterator]();
  keyboard.once('SIGINT', () => {
    keyboard.close();
  });
  const ask = async (question: string): Promise<string> => {
    prompt(question);
    const { value, done } = (await lines.next()) as IteratorResult<string>;
    if (done) {
      throw new Canceled();
    }
    return value;
  };
  try {
    const password = await ask('password: ');
    if (password !== (await ask('\nagain: '))) {
      throw new Error('the two passwords differ; nothing was hashed');
    }
    return password;
  } finally {
    keyboard.close();
    prompt('\n');
  }
}

async function readAll(input: PasswordInput): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks).toString('utf8');
}

function oneLine(text: string): string {
  const line = text.replace(/\r?\n$/, '');
  if (/[\r\n]/.test(line)) {
    throw new Error('stdin: must be the password as its only line, got several lines');
  }
  return line;
}

/** The options of `hash-password` as commander gives them. */
interface HashPasswordOptions {
  readonly minLength: number;
  readonly username?: string;
}

/**
 * @param input where the password comes from
 */
export function hashPasswordCommand(input: () => PasswordInput = () => process.stdin): Command {
  return new Command('hash-password')
    .description(
      'hash the password of a local user of Rancher for HashedPassword.fromText; it is read from the terminal or from stdin and never printed',
    )
    .option(
      '--min-length <characters>',
      "value of Rancher's setting password-min-length",
      wholeNumber,
      PASSWORD_MIN_LENGTH,
    )
    .option('--username <name>', 'refuse this user name as the password')
    .action(async (options: HashPasswordOptions) => {
      try {
        print(await hash(input(), options));
      } catch (error) {
        if (!(error instanceof Canceled)) {
          throw error;
        }
        process.exitCode = EXIT.INTERRUPTED;
      }
    });
}

async function hash(
  input: PasswordInput,
  { minLength, username }: HashPasswordOptions,
): Promise<string> {
  const password = await readPassword(input, (text) => {
    process.stderr.write(text);
  });
  const problems = checkPassword('password', password, username, minLength);
  if (problems.length > 0) {
    throw new Error(problems.map(problemText).join('\n'));
  }
  return formatPasswordHash(hashPassword(password, randomBytes(SALT_BYTES)));
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) {
    throw new InvalidArgumentError('must be a whole number of 1 or more');
  }
  return Number(text);
}
