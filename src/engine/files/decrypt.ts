import { isRecord, Manifest } from '../../core/manifest/manifest';
import { isEncrypted, Sops, SopsFormat } from '../../core/sops/sops';
import { readYaml } from '../../core/yaml/yaml-reader';

/** Objects that are encrypted, and cannot be decrypted here. */
export class NotDecrypted extends Error {
  /** @param documents as they are in the file: with names, and without secrets */
  constructor(
    message: string,
    readonly documents: readonly unknown[],
  ) {
    super(message);
  }
}

const sops = new Sops();

/**
 * The documents of a text, decrypted where they are encrypted. Throws NotDecrypted without a key.
 */
export function decryptedDocuments(text: string): readonly unknown[] {
  const documents = readYaml(text);
  if (!documents.some(isEncrypted)) {
    return documents;
  }
  const format: SopsFormat = /^\s*\{/.test(text) ? 'json' : 'yaml';
  return readYaml(decrypted(text, format, documents.length === 1 ? 'json' : 'yaml', documents));
}

/** The documents of a text as they are in it, where any is encrypted; otherwise none. */
export function encryptedDocuments(text: string): readonly unknown[] {
  if (!text.includes('ENC[')) {
    return [];
  }
  const documents = readYaml(text);
  return documents.some(isEncrypted) ? documents : [];
}

/**
 * A template of an assembly, decrypted where it is encrypted. Throws NotDecrypted without a key.
 */
export function decryptedTemplate(template: Manifest): Manifest {
  return isEncrypted(template)
    ? (JSON.parse(decrypted(JSON.stringify(template), 'json', 'json', [template])) as Manifest)
    : template;
}

function decrypted(
  text: string,
  format: SopsFormat,
  output: SopsFormat,
  documents: readonly unknown[],
): string {
  let plain: string | undefined;
  try {
    plain = sops.decrypt(text, format, output);
  } catch (error) {
    throw new NotDecrypted(`is encrypted by SOPS: ${(error as Error).message}`, documents);
  }
  if (plain === undefined) {
    const recipients = [...new Set(documents.flatMap(recipientsOf))];
    throw new NotDecrypted(
      `is encrypted by SOPS for ${recipients.join(', ') || 'other recipients'}, and no private key of them was found. ` +
        'Fix: set SOPS_AGE_KEY_FILE to a file with the private key',
      documents,
    );
  }
  return plain;
}

function recipientsOf(document: unknown): string[] {
  const { age } = isRecord(document) && isRecord(document.sops) ? document.sops : {};
  return (Array.isArray(age) ? (age as unknown[]) : []).flatMap((entry) =>
    isRecord(entry) && typeof entry.recipient === 'string' ? [entry.recipient] : [],
  );
}
