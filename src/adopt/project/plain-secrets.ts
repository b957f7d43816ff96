import { isRecord } from '../../core/manifest/manifest';
import { holdsSecret, secretTexts } from '../../core/secret/secret-texts';
import { Adopted } from '../adopt';
import { foundId } from '../evaluate/statements';

/** Why an object with a secret is not declared. */
const REASON = 'contains a secret in plain text, which no program must contain. Fix: declare it by hand, with SecretValue.fromEnv in place of the secret';

/** Shorter texts are parts of too many others. */
const MIN_LENGTH = 6;

/** Fields that count as secrets as a whole, since they may contain some. */
const CONTAINERS = /^(userData|networkData|userdata|networkdata)$/;

/** The objects whose statements would contain a secret of theirs, with the reason why they are left out, by ID. */
export function withPlainSecrets({ statements }: Adopted): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { draft, props, patches, parts } of statements.all()) {
    const secrets = draft.declares.flatMap(({ manifest }) => secretsOf(manifest));
    if (secrets.length === 0) { continue; }
    const texts = textsIn([draft.args, props, patches, parts], new Set());
    if (secrets.some((secret) => texts.some((text) => text.includes(secret)))) {
      for (const object of draft.declares) { found.set(foundId(object), REASON); }
    }
  }
  return found;
}

/** Texts of an object that a program must not contain. */
function secretsOf(manifest: object): readonly string[] {
  const containers = containersIn(manifest);
  const whole = new Set(containers.flatMap(({ text, content }) => [text, content]));
  const within = secretTexts(manifest).flatMap(({ anywhere, text }) => (anywhere && text.length >= MIN_LENGTH && !whole.has(text) ? [text] : []));
  // an encoded text hides what it contains
  return [...within, ...containers.filter(({ text, content }) => text !== content && holdsSecret(content)).map(({ text }) => text)];
}

/** The texts of fields that may contain secrets, and what they are without their encoding. */
function containersIn(value: unknown): readonly { readonly text: string; readonly content: string }[] {
  if (typeof value !== 'object' || value === null) { return []; }
  return Object.entries(value).flatMap(([key, each]) => {
    if (typeof each !== 'string') { return containersIn(each); }
    if (Array.isArray(value) || !CONTAINERS.test(key)) { return []; }
    return [{ text: each, content: /^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(each) ? Buffer.from(each, 'base64').toString('utf8') : each }];
  });
}

/** All texts of a value, also of expressions; what other statements hold is theirs. */
function textsIn(value: unknown, seen: Set<unknown>): string[] {
  if (typeof value === 'string') { return [value]; }
  if (typeof value !== 'object' || value === null || seen.has(value) || (isRecord(value) && 'declares' in value)) { return []; }
  seen.add(value);
  return Object.entries(value).flatMap(([key, each]) => [key, ...textsIn(each, seen)]);
}
