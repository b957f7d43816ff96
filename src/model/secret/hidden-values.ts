import { createHash, randomBytes } from 'crypto';
import { secrecyOf } from './definition';
import { Redactor } from './redactor';
import { holdsSecret } from './secret-texts';
import { FieldPath } from '../field-path';
import { isLate } from '../late-token';
import { isRecord, Manifest } from '../manifest';

/** What stands for a value that is not known yet. */
export const KNOWN_AFTER_APPLY = '(known after apply)';

const HIDDEN = /^<sha256:[0-9a-f]{8}>$/;

/** What may be shown of values: hashes in place of secrets, with a salt of this run alone, so that they tell equal from other and nothing else. */
export class HiddenValues {
  private readonly salt = randomBytes(16);

  public constructor(private readonly redactor = new Redactor()) {}

  public hash(value: unknown): string {
    return `<sha256:${createHash('sha256').update(this.salt).update(JSON.stringify(value) ?? '').digest('hex').slice(0, 8)}>`;
  }

  /** A value as it may be shown: whole where it holds no secret, hashes in place of those that it has. */
  public show(value: unknown, path: FieldPath, manifest: Manifest, secretPaths: readonly FieldPath[]): unknown {
    if (value === undefined || value === null) { return value; }
    // an unknown value tells nothing, wherever it is to stand
    if (isLate(value)) { return KNOWN_AFTER_APPLY; }
    if (Array.isArray(value)) { return value.map((item, index) => this.show(item, [...path, index], manifest, secretPaths)); }
    if (isRecord(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.show(item, [...path, key], manifest, secretPaths)]));
    }
    if (typeof value !== 'boolean' && secrecyOf(path, manifest, secretPaths)) { return this.hash(value); }
    return typeof value === 'string' && holdsSecret(value) ? this.hash(value) : value;
  }

  /** The server's words, without what we sent as a secret: servers repeat the values that they refuse. */
  public scrub(text: string, manifest: Manifest, secretPaths: readonly FieldPath[]): string {
    return this.redactor.about(manifest, secretPaths).scrub(text);
  }
}

/** Whether a shown value is a hash. */
export function isHidden(shown: unknown): boolean {
  return typeof shown === 'string' && HIDDEN.test(shown);
}

/** A shown value with all hashes alike: what it is compared by between runs, which have other salts. */
export function withoutHashes(shown: unknown): unknown {
  if (isHidden(shown)) { return '<secret>'; }
  if (Array.isArray(shown)) { return shown.map(withoutHashes); }
  return isRecord(shown) ? Object.fromEntries(Object.entries(shown).map(([key, item]) => [key, withoutHashes(item)])) : shown;
}
