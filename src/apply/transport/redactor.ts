import { createHash, randomBytes } from 'crypto';

/** Shorter than this, a secret is scrubbed only where it stands alone: as a piece of words it would garble them and say nothing. */
const ALONE_BELOW = 8;

/** Secrets that are known by their form, whoever says them. The groups around them stay. */
const FORMS: readonly RegExp[] = [
  // the registration token in the URL of an import manifest
  /(\/v3\/import\/)[^\s/"'{}]+(?=_)/g,
  // user and password in a URL
  /(:\/\/)[^\s/@"']+(?=@)/g,
  /(\bBearer\s+)[\w.~+/=:-]+/gi,
  // tokens of Rancher, e.g. kubeconfig-u-abc:<key>
  /(\b[a-z]+-[a-z0-9-]+:)[a-z0-9]{20,}\b/g,
  // JSON web tokens
  /()\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g,
  /(-----BEGIN [A-Z ]*PRIVATE KEY-----)[^-]*(?=-----END|$)/g,
];

/**
 * Takes secrets out of texts for people. What is known to be one is replaced by a hash, so that equal ones are seen to be equal; the salt is
 * another in each run, so that nobody finds a short one by trying.
 */
export class Redactor {
  private readonly known = new Map<string, string>();

  public constructor(private readonly salt: Uint8Array = randomBytes(16)) {}

  /** `<sha256:1a2b3c4d>` */
  public hash(value: string): string {
    return `<sha256:${createHash('sha256').update(this.salt).update(value).digest('hex').slice(0, 8)}>`;
  }

  /** A value that no text may show, in none of the forms that servers give it. */
  public add(secret: string): void {
    if (secret.trim() === '') { return; }
    const hash = this.hash(secret);
    for (const form of [secret, ...secret.split(/\r?\n/).map((line) => line.trim()).filter((line) => line.length >= ALONE_BELOW)]) {
      const json = JSON.stringify(form).slice(1, -1);
      // Go writes < and > of a JSON text as \u003c and \u003e
      const html = json.replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
      const base64 = Buffer.from(form, 'utf8').toString('base64');
      for (const text of [form, json, html, encodeURIComponent(form), base64, base64.replace(/=+$/, ''), Buffer.from(form, 'utf8').toString('base64url')]) {
        if (!this.known.has(text)) { this.known.set(text, hash); }
      }
    }
  }

  /** A redactor of the same salt that knows more; for the secrets of one request. */
  public with(secrets: readonly string[]): Redactor {
    const redactor = new Redactor(this.salt);
    this.known.forEach((hash, text) => redactor.known.set(text, hash));
    secrets.forEach((secret) => redactor.add(secret));
    return redactor;
  }

  /** The text without the secrets in it. */
  public scrub(text: string): string {
    // the longest first: a secret may hold another one
    const known = [...this.known].filter(([secret]) => text.includes(secret)).sort(([a], [b]) => b.length - a.length);
    const without = (all: string, [secret, hash]: readonly [string, string]): string => (
      secret.length < ALONE_BELOW ? withoutWord(all, secret, hash) : all.split(secret).join(hash));
    const scrubbed = known.reduce(without, text);
    return FORMS.reduce((all, form) => all.replace(form, (_, before: string) => `${before}<redacted>`), scrubbed);
  }
}

function withoutWord(text: string, word: string, hash: string): string {
  const escaped = word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return text.replace(new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`, 'g'), () => hash);
}
