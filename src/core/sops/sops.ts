import { SpawnSyncReturns } from 'child_process';
import { readFileSync, writeFileSync } from 'fs';
import { join } from 'path';
import { isRecord } from '../manifest/manifest';
import { EncryptionProgram, firstLine, inNewFolder } from '../secret/encryption-program';

/**
 * Since this version, it has all that is used: `encrypt` from stdin, `set --value-stdin`.
 * @see getsops/sops:CHANGELOG.md
 */
const SOPS = {
  name: 'sops',
  since: [3, 11],
  version: /^sops (?:version )?/,
  repository: 'getsops/sops',
} as const;

/**
 * No key decrypts the data key of a file.
 * @see getsops/sops:cmd/sops/codes/codes.go CouldNotRetrieveKey
 */
const NO_KEY = 128;

/** Recipients that sops takes from the environment, besides those that it is given. */
const OTHER_RECIPIENTS =
  /^SOPS_(?:AGE_RECIPIENTS|KMS_ARN|PGP_FP|GCP_KMS_IDS|HUAWEICLOUD_KMS_IDS|AZURE_KEYVAULT_URLS|VAULT_URIS)$/;

/** Why a secret in an object that SOPS encrypts is accepted. */
export const ENCRYPTED_BY_SOPS = 'is encrypted by SOPS in the output';

/** What precedes the extension in the name of an encrypted file. */
export const SOPS_SUFFIX = '.sops';

/** The format of an encrypted text. */
export type SopsFormat = 'yaml' | 'json';

/** Which values of a text are encrypted, and for which keys. */
export interface SopsTerms {
  /** Public keys of age. */
  readonly recipients: readonly string[];
  /** Matches the keys whose values are encrypted, with all that is below them. */
  readonly encryptedRegex: string;
}

/** Whether a document was encrypted by SOPS. */
export function isEncrypted(document: unknown): boolean {
  return isRecord(document) && isRecord(document.sops) && typeof document.sops.mac === 'string';
}

/**
 * The program `sops`. Texts in plain text reach it by its standard input only; files that it edits
 * hold encrypted values.
 */
export class Sops extends EncryptionProgram {
  private isWithoutKey = false;

  constructor(program = 'sops') {
    super(program, SOPS);
  }

  /** Encrypts a text. Throws without its content if this fails. */
  public encrypt(
    text: string,
    format: SopsFormat,
    { recipients, encryptedRegex }: SopsTerms,
  ): string {
    this.check();
    return inNewFolder((folder) => {
      const types = [
        '--input-type',
        format,
        '--output-type',
        format,
        '--filename-override',
        `stdin.${format}`,
      ];
      const { status, stdout, stderr } = this.run(
        [
          '--config',
          configIn(folder),
          'encrypt',
          ...types,
          '--age',
          recipients.join(','),
          '--encrypted-regex',
          encryptedRegex,
        ],
        text,
      );
      if (status !== 0) {
        throw new Error(
          `${this.program} encrypt failed: ${firstLine(stderr)}. Fix: check the recipients`,
        );
      }
      return stdout;
    });
  }

  /** The text as it was encrypted, as JSON; undefined where no private key is at hand. */
  public decrypt(
    text: string,
    format: SopsFormat,
    output: SopsFormat = 'json',
  ): string | undefined {
    this.check();
    const { status, stdout, stderr } = this.run(
      [
        'decrypt',
        '--input-type',
        format,
        '--output-type',
        output,
        '--filename-override',
        `stdin.${format}`,
      ],
      text,
    );
    if (status === NO_KEY) {
      return undefined;
    }
    if (status !== 0) {
      throw new Error(`${this.program} decrypt failed: ${firstLine(stderr)}`);
    }
    return stdout;
  }

  /** As `decrypt`, for texts of the same recipients: once there is no key, none is looked for. */
  public decryptAgain(text: string, format: SopsFormat): string | undefined {
    if (this.isWithoutKey) {
      return undefined;
    }
    try {
      const plain = this.decrypt(text, format);
      this.isWithoutKey = plain === undefined;
      return plain;
    } catch {
      // damaged by hand or by a merge: encrypted again
      return undefined;
    }
  }

  /**
   * An encrypted text with another value below a key at its top; all other values keep their bytes.
   */
  public set(text: string, format: SopsFormat, key: string, value: unknown): string {
    this.check();
    return inNewFolder((folder) => {
      const file = join(folder, `edited.${format}`);
      writeFileSync(file, text, { mode: 0o600 });
      const { status, stderr } = this.run(
        ['--config', configIn(folder), 'set', '--value-stdin', file, `[${JSON.stringify(key)}]`],
        JSON.stringify(value),
      );
      if (status !== 0) {
        throw new Error(`${this.program} set failed: ${firstLine(stderr)}`);
      }
      return readFileSync(file, 'utf8');
    });
  }

  protected override run(args: readonly string[], input: string): SpawnSyncReturns<string> {
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !OTHER_RECIPIENTS.test(name)),
    );
    return super.run(['--disable-version-check', ...args], input, env);
  }
}

/**
 * Settings that replace those of a .sops.yaml further up: the indentation of our files, and no
 * rules for recipients.
 */
function configIn(folder: string): string {
  const file = join(folder, 'config.yaml');
  writeFileSync(file, 'stores:\n  yaml:\n    indent: 2\n');
  return file;
}
