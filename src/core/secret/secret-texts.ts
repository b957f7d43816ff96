import {
  KEY_AND_VALUE,
  SECRET_FORMS,
  Secrecy,
  hasSecretForm,
  isObject,
  isNeverSecret,
  isSecretGroup,
  isSecretKey,
  looksRandom,
  mayHaveSecretForm,
  secrecyOf,
} from './definition';
import { isLate } from '../late/late-token';
import { FieldPath, groupOf, isRecord, Manifest } from '../manifest/manifest';
import { tryYaml } from '../yaml/yaml-reader';

/** A text of an object that must not be printed. */
interface SecretText {
  readonly text: string;
  /** Whether it is one in every message, or only in messages about its own object. */
  readonly anywhere: boolean;
}

/** Deeper than any object of Kubernetes, and than texts within texts. */
const MAX_DEPTH = 64;
const MAX_NESTING = 4;

/**
 * The key of cloud-init whose `list` has passwords of users, `root:password` a line or an item.
 * @see https://cloudinit.readthedocs.io/en/latest/reference/modules.html#set-passwords
 */
const PASSWORD_MODULE = 'chpasswd';

/** Larger texts are read for forms and keys, not as YAML. */
const MAX_YAML = 1024 * 1024;

/** A Secret in a text that may be no YAML, as templates are not. */
const SECRET_OBJECT = /\bkind["']?: *["']?Secret\b/;

/** What text within text must have, so that it is worth a parser: a key that may hold a secret. */
const MENTION =
  /pass|pwd|token|secret|credential|kubeconfig|docker|salt|key|auth|cookie|jwt|psk|data|cloud/i;

/** What separates a key from its value, in all forms that are read. */
const SEPARATOR = /[:=[{]/;

/** The end of base64, whose letters before it may read like a key: `…pwdZ==`. */
const BASE64_PADDING = /^=+$/;

/** Whether a text may hold a secret: nearly no text does. */
export function mayHoldSecret(text: string): boolean {
  return mayHaveSecretForm(text) || mayNameSecret(text);
}

/** Whether a text may have a key in it whose value is a secret. */
function mayNameSecret(text: string): boolean {
  return SEPARATOR.test(text) && MENTION.test(text);
}

/**
 * The secrets of an object, also those within JSON, YAML, base64, URLs and the like in its texts.
 *
 * @param latePaths where sensitive late values are
 */
export function secretTexts(body: unknown, latePaths: readonly FieldPath[] = []): SecretText[] {
  const search = new Search();
  if (isObject(body)) {
    search.object(body, latePaths, 0);
  } else {
    search.fields(body, undefined, 0, 0);
  }
  return search.texts();
}

/** A text that is a secret as a whole, and the secrets within it. */
export function textsWithin(text: string): SecretText[] {
  const search = new Search();
  search.fields(text, 'secret', 0, 0);
  return search.texts();
}

/** Whether a text holds a secret: by its form, or below a key within it. */
export function holdsSecret(text: string): boolean {
  if (!mayHoldSecret(text)) {
    return false;
  }
  if (hasSecretForm(text) || SECRET_OBJECT.test(text)) {
    return true;
  }
  const search = new Search();
  search.named(text, 0);
  return search.found.size > 0;
}

class Search {
  public readonly found = new Map<string, boolean>();

  public object(manifest: Manifest, latePaths: readonly FieldPath[], nesting: number): void {
    const isSecret = manifest.kind === 'Secret' && groupOf(manifest.apiVersion ?? '') === '';
    const walk = (value: unknown, path: FieldPath): void => {
      if (path.length > MAX_DEPTH) {
        return;
      }
      if (typeof value === 'string' || typeof value === 'number') {
        const secrecy = secrecyOf(path, manifest, latePaths);
        if (typeof value === 'number') {
          if (secrecy === 'secret') {
            this.add(String(value), true);
          }
          return;
        }
        this.text(value, secrecy, nesting);
        if (isSecret && path[0] === 'data') {
          this.decoded(value, secrecy, nesting);
        }
      } else if (Array.isArray(value)) {
        value.forEach((item, index) => {
          walk(item, [...path, index]);
        });
      } else if (isRecord(value)) {
        for (const [key, item] of Object.entries(value)) {
          walk(item, [...path, key]);
        }
      }
    };
    walk(manifest, []);
  }

  public texts(): SecretText[] {
    return [...this.found].map(([text, anywhere]) => ({ text, anywhere }));
  }

  /** A value that is not a Kubernetes object: its keys and the keys above decide. */
  public fields(value: unknown, above: Secrecy, nesting: number, depth: number): void {
    if (depth > MAX_DEPTH) {
      return;
    }
    if (typeof value === 'string') {
      this.text(value, above, nesting);
    } else if (typeof value === 'number') {
      if (above === 'secret') {
        this.add(String(value), true);
      }
    } else if (Array.isArray(value)) {
      value.forEach((item) => {
        this.fields(item, above, nesting, depth + 1);
      });
    } else if (isObject(value)) {
      this.object(value, [], nesting);
    } else if (isRecord(value)) {
      const named = typeof value.name === 'string' && isSecretKey(value.name);
      for (const [key, item] of Object.entries(value)) {
        if (key === PASSWORD_MODULE && isRecord(item)) {
          this.fields(item.list, 'secret', nesting, depth + 1);
        }
        const isSecret = isRecord(item) ? isSecretGroup(key) : isSecretKey(key);
        const secret = isSecret || (named && key === 'value');
        // below a key that marks a secret, names are still names
        const inherited = isRecord(item) || Array.isArray(item) ? above : undefined;
        this.fields(item, secret ? 'secret' : inherited, nesting, depth + 1);
      }
    }
  }

  /** Finds secrets within a text, by their form and by keys. */
  private within(text: string, nesting: number): void {
    this.formed(text);
    this.named(text, nesting);
  }

  private formed(text: string): void {
    for (const form of mayHaveSecretForm(text) ? SECRET_FORMS : []) {
      for (const [whole, secret = whole] of text.matchAll(form)) {
        this.add(secret, true);
        // of a user and a password, the password also appears alone
        const password = /^[^:]*:(.+)$/.exec(secret)?.[1];
        if (password !== undefined) {
          this.add(password, true);
          this.add(percentDecoded(password), true);
        }
      }
    }
  }

  /** Finds secrets within a text by their keys. */
  public named(text: string, nesting: number): void {
    if (nesting >= MAX_NESTING || !mayNameSecret(text)) {
      return;
    }
    const documents = documentsOf(text);
    if (documents) {
      documents.forEach((document) => {
        this.fields(document, undefined, nesting + 1, 0);
      });
      return;
    }
    for (const [, key, double, single, bare] of text.matchAll(KEY_AND_VALUE)) {
      const value = double ?? single ?? bare;
      if (value !== undefined && !BASE64_PADDING.test(value) && isSecretKey(key)) {
        this.add(value, true);
      }
    }
  }

  private text(text: string, secrecy: Secrecy, nesting: number): void {
    if (secrecy !== undefined) {
      const isDocument = text.includes('\n') && documentsOf(text) !== undefined;
      this.add(text, secrecy === 'secret' || looksRandom(text), !isDocument);
      if (secrecy === 'secret') {
        this.decoded(text, secrecy, nesting);
      }
    }
    this.within(text, nesting);
  }

  // base64 of a text; what a Secret holds, `auth` of a registry
  private decoded(encoded: string, secrecy: Secrecy, nesting: number): void {
    const joined = encoded.replace(/\s+/g, '');
    if (
      nesting >= MAX_NESTING ||
      joined === '' ||
      !/^[A-Za-z0-9+/]+={0,2}$/.test(joined) ||
      joined.length % 4 !== 0
    ) {
      return;
    }
    const bytes = Buffer.from(joined, 'base64');
    const text = bytes.toString('utf8');
    // eslint-disable-next-line no-control-regex
    if (!Buffer.from(text, 'utf8').equals(bytes) || /[\u0000-\u0008\u000e-\u001f]/.test(text)) {
      return;
    }
    this.text(text, secrecy, nesting + 1);
    const password = /^[^\s:]+:(\S+)$/.exec(text)?.[1];
    if (secrecy === 'secret' && password !== undefined) {
      this.add(password, true);
    }
  }

  /**
   * @param lines whether each line is a secret of its own: those of a key or of a password file
   * are, those of YAML are not
   */
  private add(text: string, anywhere: boolean, lines = true): void {
    if (text.trim() === '' || isLate(text) || isNeverSecret(text)) {
      return;
    }
    this.found.set(text, anywhere || this.found.get(text) === true);
    if (!lines || !/[\r\n]/.test(text)) {
      return;
    }
    for (const line of text.split(/\r?\n/).map((each) => each.trim())) {
      if (line.length >= 8 && !line.startsWith('-----')) {
        this.found.set(line, anywhere || this.found.get(line) === true);
      }
      // user:hash of a password file
      const hash = /^[^\s:]+:(\S{8,})$/.exec(line)?.[1];
      if (hash !== undefined) {
        this.found.set(hash, true);
      }
    }
  }
}

/** The maps and lists that a text is, as JSON or YAML. */
function documentsOf(text: string): unknown[] | undefined {
  if (text.length > MAX_YAML || !(/^\s*[[{]/.test(text) || /^[^\n]*:(?:\s|$)/m.test(text))) {
    return undefined;
  }
  const documents = tryYaml(text).documents;
  return documents?.some((document) => typeof document === 'object' && document !== null)
    ? documents
    : undefined;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
