import { dirname, sep } from 'path';
import { holdsEncrypted, isCiphertext, withUnknownValues } from '../../core/late/encrypted-values';
import { annotationsOf, at, leavesOf, objectId, pathOf, refId } from '../../core/manifest/manifest';
import { ANNOTATION_PLACEHOLDER } from '../../core/manifest/names';
import { Finding, FindingLevel } from '../../core/rule/finding';
import { allRules } from '../../core/rule/judge-all';
import { ENCRYPTED } from '../../core/rule/program-rules';
import { JudgedObject } from '../../core/rule/rule';
import { fieldPathText } from '../../core/secret/secret-fields';
import { ENCRYPTED_BY_SOPS, SOPS_SUFFIX } from '../../core/sops/sops';
import { plainRules } from '../../core/synthesis/plain-findings';
import { plainText } from '../../core/text/plain-text';
import { grouped } from '../../core/text/values';

/** Objects that were read, and those that cannot be decrypted here. */
interface ReadObjects {
  readonly objects: readonly JudgedObject[];
  readonly encrypted: readonly JudgedObject[];
}

/**
 * An input with its encrypted objects among the others: what SOPS left readable is known, and the
 * encrypted values are not. Objects whose kind or name is encrypted remain apart.
 */
export function withEncrypted<T extends ReadObjects>(input: T): T {
  if (input.encrypted.length === 0) {
    return input;
  }
  const readable: JudgedObject[] = [];
  const others: JudgedObject[] = [];
  for (const object of input.encrypted) {
    const manifest = withUnknownValues(object.manifest);
    if (manifest === undefined) {
      others.push(object);
    } else {
      readable.push({ ...object, manifest });
    }
  }
  return { ...input, objects: [...input.objects, ...readable], encrypted: others };
}

/**
 * Throws for encrypted objects whose kind or name is encrypted, too: they would pass for objects
 * that are missing.
 */
export function refuseNameless({ encrypted }: Pick<ReadObjects, 'encrypted'>): void {
  const files = [...new Set(encrypted.map(({ file = '' }) => plainText(file)))];
  if (files.length > 0) {
    throw new Error(
      files
        .map(
          (file) =>
            `${file}: contains an object whose kind or name is encrypted by SOPS. Fix: set SOPS_AGE_KEY_FILE to a file with the private key, or encrypt only values (encrypted_regex in .sops.yaml)`,
        )
        .join('\n'),
    );
  }
}

/**
 * Findings, of which those about secrets in plain text are accepted where SOPS encrypts the value
 * in the file: only the key at hand shows it.
 */
export function withEncryptedAccepted(
  findings: readonly Finding[],
  objects: readonly JudgedObject[],
): readonly Finding[] {
  const hidden = new Map(
    objects
      .filter((object) => object.inFile !== undefined || isBeforeEncryption(object))
      .map((object) => [objectId(object.target.name, object.manifest), object]),
  );
  if (hidden.size === 0) {
    return findings;
  }
  const rules = plainRules(allRules());
  return findings.map((finding) => {
    const { rule, level, suppressed, target = '', path } = finding;
    if (suppressed !== undefined || level !== FindingLevel.WARNING || !rules.has(rule)) {
      return finding;
    }
    const object = finding.object && hidden.get(refId(target, finding.object));
    return object && isEncryptedAt(object, path)
      ? { ...finding, suppressed: ENCRYPTED_BY_SOPS }
      : finding;
  });
}

/** Whether an object has placeholders for secrets, in a file that SOPS encrypts with the secrets. */
function isBeforeEncryption({ manifest, file = '' }: JudgedObject): boolean {
  return (
    annotationsOf(manifest)[ANNOTATION_PLACEHOLDER] !== undefined &&
    file.endsWith(`${SOPS_SUFFIX}.yaml`)
  );
}

function isEncryptedAt(object: JudgedObject, path: string): boolean {
  return (
    isBeforeEncryption(object) ||
    isCiphertext(at(object.inFile, pathOf(path))) ||
    // keys of Secrets may contain dots
    leavesOf(object.inFile).some(
      (each) => isCiphertext(each.leaf) && fieldPathText(each.path) === path,
    )
  );
}

/** A file with objects that cannot be decrypted here. */
export interface EncryptedFile {
  readonly file: string;
  /** How many of its objects are encrypted. */
  readonly objects: number;
  /** Why it cannot be decrypted: a predicate of one file, and what to do. */
  readonly reason: string;
}

/** One finding for all files that cannot be decrypted for the same reason. */
export function notDecrypted(files: readonly EncryptedFile[]): Finding[] {
  const { id: rule, level, source } = ENCRYPTED;
  return [...grouped(files, ({ reason }) => reason)].map(([reason, group]): Finding => {
    const [what, fix = 'decrypt the file, or leave it out'] = reason.split(' Fix: ');
    const names = [...new Set(group.map(({ file }) => file))];
    const folder = commonFolder(names);
    const objects = group.reduce((sum, each) => sum + each.objects, 0);
    const predicate = what.replace(/\.$/, '');
    const [subject, place] =
      names.length === 1
        ? [`${plainText(names[0])} ${predicate}`, names[0]]
        : [
            `${names.length} files in ${plainText(folder)} ${predicate.replace(/^is /, 'are ')}`,
            folder,
          ];
    return {
      rule,
      level: level as FindingLevel,
      message: `${subject}; the encrypted values of ${objects} ${objects === 1 ? 'object' : 'objects'} are not judged`,
      path: '',
      fix,
      source,
      file: place,
    };
  });
}

function commonFolder(files: readonly string[]): string {
  const [first, ...others] = files.map((file) => dirname(file).split(sep));
  const length = first.findIndex((step, index) => others.some((other) => other[index] !== step));
  return (length < 0 ? first : first.slice(0, length)).join(sep) || '.';
}

/**
 * A sentence about the encrypted values of inputs that a report does not know.
 *
 * @param done what the report does with values
 */
export function encryptedNote(
  inputs: readonly Pick<ReadObjects, 'objects'>[],
  done: 'compared' | 'judged',
): string | undefined {
  const count = new Set(
    inputs.flatMap(({ objects }) =>
      objects
        .filter(({ manifest }) => holdsEncrypted(manifest))
        .map(({ target, manifest }) => objectId(target.name, manifest)),
    ),
  ).size;
  return count === 0
    ? undefined
    : `the encrypted values of ${count} ${count === 1 ? 'object were' : 'objects were'} not ${done}: they are encrypted by SOPS, and not decrypted here. Fix: to let them be ${done}, set SOPS_AGE_KEY_FILE to a file with the private key`;
}
