import { problemText } from '../model/problem';
import { checkPasswordHash, parsePasswordHash, PasswordHash } from '../model/tenancy/password-hash';

/**
 * A password that may stand in a program and in Git: its hash, as Rancher stores it.
 *
 * A plain password may not, and not for secrecy alone: Rancher replaces it by a hash, and the next apply of the same manifest writes the plain
 * text over that hash, after which neither logs in.
 */
export class HashedPassword {
  /**
   * A hash as `cdk8s-harvester hash-password` prints it: `pbkdf2sha3512:<salt>:<hash>`, both the base64 of 32 bytes (PBKDF2-HMAC-SHA3-512, 210,000
   * iterations).
   *
   * @param text the whole line
   */
  public static fromText(text: string): HashedPassword {
    const problem = checkPasswordHash('HashedPassword.fromText', text)[0];
    if (problem) { throw new Error(problemText(problem)); }
    return new HashedPassword(parsePasswordHash(text)!);
  }

  private constructor(
    /** @internal */
    public readonly _hash: PasswordHash,
  ) {}
}
