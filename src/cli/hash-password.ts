import { randomBytes } from 'crypto';
import { Command, InvalidArgumentError } from 'commander';
import { EXIT_INTERRUPTED } from './exit-codes';
import { Cancelled, PasswordInput, readPassword } from './read-password';
import { problemText } from '../model/problem';
import { PASSWORD_MIN_LENGTH } from '../model/tenancy/names';
import { checkPassword, formatPasswordHash, hashPassword, SALT_BYTES } from '../model/tenancy/password-hash';

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
