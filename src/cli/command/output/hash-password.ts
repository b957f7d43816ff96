import { randomBytes } from 'crypto';
import { Command, InvalidArgumentError } from 'commander';
import { problemText } from '../../../core/rule/problem';
import { SALT_BYTES, checkPassword, formatPasswordHash, hashPassword } from '../../../rancher/user/password.check';
import { PASSWORD_MIN_LENGTH } from '../../../rancher/user/user.kind';
import { EXIT_INTERRUPTED } from '../../process';

/** A terminal or pipe that a password comes from; `process.stdin` is one. */
export interface PasswordInput extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
  setRawMode?(mode: boolean): unknown;
}

/** The one who types pressed Ctrl-C, or Ctrl-D before anything. */
export class Cancelled extends Error {}

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_U = '\u0015';
const ESCAPE = '\u001b';
const BACKSPACE = ['\u007f', '\b'];
const ENTER = ['\r', '\n'];
/** What arrow and function keys send. */
// eslint-disable-next-line no-control-regex
const KEY_SEQUENCE = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)?/gu;

/**
 * Reads a password: typed twice and not shown at a terminal, as the one line of a pipe otherwise.
 *
 * @param input where it comes from
 * @param prompt shows text to the one who types
 */
export async function readPassword(input: PasswordInput, prompt: (text: string) => void): Promise<string> {
  if (!input.isTTY || !input.setRawMode) { return oneLine(await readAll(input)); }
  const keyboard = new Keyboard(input);
  try {
    prompt('password: ');
    const password = await keyboard.line();
    prompt('\nagain: ');
    const again = await keyboard.line();
    if (password !== again) { throw new Error('the two passwords differ; nothing was hashed'); }
    return password;
  } finally {
    keyboard.close();
    prompt('\n');
  }
}

async function readAll(input: PasswordInput): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) { chunks.push(Buffer.from(chunk)); }
  return Buffer.concat(chunks).toString('utf8');
}

function oneLine(text: string): string {
  const line = text.replace(/\r?\n$/, '');
  if (/[\r\n]/.test(line)) { throw new Error('standard input holds several lines; give the password as its only line'); }
  return line;
}

/** Lines typed in raw mode, where the terminal shows nothing and Ctrl-C is a character like others. */
class Keyboard {
  private typed: string[] = [];
  private waiting?: { readonly resolve: (line: string) => void; readonly reject: (error: Error) => void };
  // what was pasted behind an Enter, for the next line
  private rest = '';
  private readonly listeners: { readonly data: (chunk: string | Buffer) => void; readonly end: () => void };

  constructor(private readonly input: PasswordInput) {
    this.listeners = {
      data: (chunk) => { this.take(this.rest + chunk.toString()); },
      end: () => { this.fail(new Cancelled('cancelled: the terminal was closed')); },
    };
    input.setEncoding('utf8');
    input.setRawMode!(true);
    input.on('data', this.listeners.data);
    input.on('end', this.listeners.end);
    input.resume();
  }

  public line(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      if (this.rest) { this.take(this.rest); }
    });
  }

  public close(): void {
    this.input.off('data', this.listeners.data);
    this.input.off('end', this.listeners.end);
    this.input.setRawMode!(false);
    this.input.pause();
  }

  private take(text: string): void {
    this.rest = '';
    const characters = [...text.replace(KEY_SEQUENCE, '')];
    for (const [index, character] of characters.entries()) {
      if (!this.waiting) {
        this.rest = characters.slice(index).join('');
        return;
      }
      this.press(character);
    }
  }

  private press(character: string): void {
    if (character === CTRL_C || (character === CTRL_D && this.typed.length === 0)) {
      this.fail(new Cancelled('cancelled'));
    } else if (ENTER.includes(character) || character === CTRL_D) {
      const line = this.typed.join('');
      this.typed = [];
      const { resolve } = this.waiting!;
      this.waiting = undefined;
      resolve(line);
    } else if (BACKSPACE.includes(character)) {
      this.typed.pop();
    } else if (character === CTRL_U) {
      this.typed = [];
    } else if (character >= ' ' && character !== ESCAPE) {
      this.typed.push(character);
    }
  }

  private fail(error: Error): void {
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.reject(error);
  }
}

/** The options of `hash-password` as commander gives them. */
interface HashPasswordOptions {
  readonly minLength: number;
  readonly username?: string;
}

/**
 * @param input where the password comes from, asked for only when it is read
 */
export function hashPasswordCommand(input: () => PasswordInput = () => process.stdin): Command {
  return new Command('hash-password')
    .description('hash the password of a local user of Rancher, for manifests: read from the terminal, or as the one line of standard input')
    .option('--min-length <characters>', 'the setting password-min-length of your Rancher', wholeNumber, PASSWORD_MIN_LENGTH)
    .option('--username <name>', 'the name that the user logs in by, which must not be the password')
    .addHelpText('after', '\nPrints one line, which HashedPassword.fromText takes. The password itself is never printed, and can not be got back from the line.')
    .action(async (options: HashPasswordOptions) => {
      try {
        process.stdout.write(`${await hash(input(), options)}\n`);
      } catch (error) {
        if (!(error instanceof Cancelled)) { throw error; }
        process.exitCode = EXIT_INTERRUPTED;
      }
    });
}

async function hash(input: PasswordInput, { minLength, username }: HashPasswordOptions): Promise<string> {
  const password = await readPassword(input, (text) => { process.stderr.write(text); });
  const problems = checkPassword('password', password, username, minLength);
  if (problems.length > 0) { throw new Error(problems.map(problemText).join('\n')); }
  return formatPasswordHash(hashPassword(password, randomBytes(SALT_BYTES)));
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) { throw new InvalidArgumentError('give a whole number from 1'); }
  return Number(text);
}
