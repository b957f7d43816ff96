import { Sops, SopsFormat, SopsTerms, isEncrypted } from './sops';
import { FieldPath, Manifest, at, isRecord, itemsAt } from '../manifest/manifest';
import { digestKey, keyedDigest } from '../secret/keyed-digest';
import { isSecretObject } from '../secret/secret-fields';
import { escapeRegExp, attempt } from '../text/values';
import { readYaml } from '../yaml/yaml-reader';

/** An encrypted object of an earlier output. */
export interface PreviousSops {
  readonly text: string;
  /** @default - it was written without a key for digests */
  readonly digest?: string;
}

/** An encrypted object. */
interface KeptSops {
  readonly text: string;
  /** With the digest by which a later run recognizes that nothing changed; empty without a key. */
  readonly digest: { readonly digest?: string };
}

/** An object to be encrypted. */
interface PlainSops {
  readonly id: string;
  readonly text: string;
  readonly format: SopsFormat;
  /** Its fields with secrets. */
  readonly fields: readonly FieldPath[];
}

/** Encrypts objects for some recipients, and keeps the bytes of what did not change. */
export class SopsKeeper {
  private readonly key = digestKey();
  private count = 0;

  constructor(
    private readonly sops: Sops,
    private readonly recipients: readonly string[],
  ) {}

  /** How many objects were encrypted again without a look at whether they changed. */
  public get again(): number {
    return this.count;
  }

  /** The object, with the values of the previous one that did not change. */
  public encrypted(
    { id, text: plain, format, fields }: PlainSops,
    previous: PreviousSops | undefined,
  ): KeptSops {
    const { key, recipients } = this;
    const manifest = parsed(plain, format);
    const terms = { recipients, encryptedRegex: encryptedRegex(manifest, fields) };
    const digestOf = (secret: string, text: string): string =>
      keyedDigest(secret, JSON.stringify(terms), plain, text);
    if (previous && key !== undefined && previous.digest === digestOf(key, previous.text)) {
      return { text: previous.text, digest: { digest: previous.digest } };
    }
    const text =
      this.edited(previous, manifest, format, terms) ??
      inOneLine(this.sops.encrypt(plain, format, terms), format);
    requireEncrypted(id, parsed(text, format), fields, manifest);
    // without a key, only the digest of a text that did not change is known
    const known = text === previous?.text ? previous.digest : undefined;
    const digest = key === undefined ? known : digestOf(key, text);
    return { text, digest: digest === undefined ? {} : { digest } };
  }

  /** The previous text with the new values; undefined where it must be encrypted again. */
  private edited(
    previous: PreviousSops | undefined,
    manifest: Manifest,
    format: SopsFormat,
    terms: SopsTerms,
  ): string | undefined {
    const document = previous && attempt((): unknown => parsed(previous.text, format));
    if (!previous || !isRecord(document) || !isEncrypted(document) || !hasTerms(document, terms)) {
      return undefined;
    }
    const plain = this.sops.decryptAgain(previous.text, format);
    if (plain === undefined) {
      this.count++;
      return undefined;
    }
    const before = JSON.parse(plain) as Manifest;
    const keys = Object.keys(manifest);
    // an edit keeps the order of keys
    if (Object.keys(before).join() !== keys.join()) {
      return undefined;
    }
    const changed = keys.filter(
      (key) => JSON.stringify(before[key]) !== JSON.stringify(manifest[key]),
    );
    const text = changed.reduce(
      (all, key) => inOneLine(this.sops.set(all, format, key, manifest[key]), format),
      previous.text,
    );
    if (changed.length === 0) {
      return text;
    }
    const after = this.sops.decryptAgain(text, format);
    return after !== undefined && JSON.stringify(JSON.parse(after)) === JSON.stringify(manifest)
      ? text
      : undefined;
  }
}

function parsed(text: string, format: SopsFormat): Manifest {
  return (format === 'json' ? JSON.parse(text) : readYaml(text)[0]) as Manifest;
}

/** JSON as it is in the assembly. */
function inOneLine(text: string, format: SopsFormat): string {
  return format === 'json' ? JSON.stringify(JSON.parse(text)) : text;
}

function hasTerms(
  { sops }: { readonly sops?: unknown },
  { recipients, encryptedRegex: regex }: SopsTerms,
): boolean {
  const { age, encrypted_regex: before } = isRecord(sops) ? sops : {};
  const others = itemsAt(age).map((entry) => (isRecord(entry) ? entry.recipient : undefined));
  return before === regex && others.join('\n') === recipients.join('\n');
}

/** Throws if a secret is still in plain text. */
function requireEncrypted(
  id: string,
  encrypted: Manifest,
  fields: readonly FieldPath[],
  plain: Manifest,
): void {
  const open = fields.filter((path) => String(at(encrypted, path)) === String(at(plain, path)));
  if (open.length > 0) {
    throw new Error(
      `${id}: SOPS left ${open.map((path) => path.join('.')).join(', ')} in plain text; nothing was written. Fix: report this as a defect`,
    );
  }
}

/** Keys that must remain readable, whatever they hold. */
const READABLE = new Set([
  'apiVersion',
  'kind',
  'metadata',
  'name',
  'namespace',
  'labels',
  'annotations',
  'type',
]);

/** Matches the keys of these fields, and none that must remain readable. */
export function encryptedRegex(manifest: Manifest, fields: readonly FieldPath[]): string {
  const isWhole = isSecretObject(manifest) || manifest.kind === 'Setting';
  const keys = new Set(
    fields.map((path) => {
      const steps = path.filter((step): step is string => typeof step === 'string');
      return (
        (isWhole && path[0] !== 'metadata'
          ? undefined
          : [...steps].reverse().find((step) => !READABLE.has(step))) ?? steps[0]
      );
    }),
  );
  return `^(${[...keys].sort().map(escapeRegExp).join('|')})$`;
}
