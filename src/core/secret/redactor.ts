import { createHash, randomBytes } from 'crypto';
import { isOrdinary, mayHaveSecretForm, secrecyOf, SECRET_FORMS } from './definition';
import { holdsSecret, secretTexts, textsWithin } from './secret-texts';
import { lateIdsIn, LateType } from '../late/late-text';
import { isLate } from '../late/late-token';
import { FieldPath, leavesOf, Manifest, valueAt, withLeaves } from '../manifest/manifest';

/** Resolvers whose values are credentials, whatever the program declares them to be. */
const SECRET_RESOLVERS: readonly string[] = ['secret-key', 'registration-url'];

/** What decides whether a late value is a credential. */
interface LateDeclaration {
  readonly id: string;
  readonly type: string;
  readonly sensitive: boolean;
  readonly source: { readonly resolver: string };
}

/**
 * The ids of late values that are credentials: those that are declared so, tokens, values read from
 * a Secret, and texts composed of such values.
 */
export function sensitiveIds(lateValues: readonly LateDeclaration[]): ReadonlySet<string> {
  const ids = new Set(
    lateValues
      .filter(
        ({ sensitive, type, source }) =>
          sensitive || type === LateType.TOKEN || SECRET_RESOLVERS.includes(source.resolver),
      )
      .map(({ id }) => id),
  );
  for (let size = -1; size !== ids.size;) {
    size = ids.size;
    for (const { id, source } of lateValues) {
      if (lateIdsIn(source).some((inner) => ids.has(inner))) {
        ids.add(id);
      }
    }
  }
  return ids;
}

/** Where an object holds sensitive late values, by its form with placeholders. */
export function secretPathsOf(template: Manifest, sensitive: ReadonlySet<string>): FieldPath[] {
  const leaves = sensitive.size > 0 ? leavesOf(template) : [];
  return leaves
    .filter(
      ({ leaf }) => typeof leaf === 'string' && lateIdsIn(leaf).some((id) => sensitive.has(id)),
    )
    .map(({ path }) => path);
}

/** The mask of a secret in all that is printed or written for people. */
export const MASK = '<secret>';

/**
 * Shorter than this, a secret is masked only where it is a word of its own: as a piece of words it
 * would garble them and say nothing.
 */
const ALONE_BELOW = 8;

/** Shorter than this, a secret is masked only in messages about its own object. */
const LOCAL_BELOW = 4;

/** Shorter texts are letters and digits of anything, and never masked. */
const NEVER_BELOW = 3;

/** What a text has at least one of, so that a mask of it hides more than punctuation. */
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Texts that are never masked: they reveal no secret. */
const EMPTY_WORDS =
  /^(?:|true|false|yes|no|on|off|null|none|secrets?|tokens?|passwords?|passwd|basic|bearer|opaque)$/i;

/**
 * Takes secrets out of texts for people: those that it was given, and those that are known by their
 * form.
 */
export class Redactor {
  /** A redactor that knows the secrets of these objects. */
  public static of(bodies: Iterable<unknown>): Redactor {
    const redactor = new Redactor();
    redactor.learn(bodies);
    return redactor;
  }

  private readonly known = new Map<string, RegExp | undefined>();
  private readonly publicWords = new Set<string>();

  /**
   * A text that nothing may show, nor the secrets within it, in none of the forms that servers give
   * them.
   */
  public add(secret: string): void {
    for (const { text } of textsWithin(secret)) {
      this.addText(text);
    }
  }

  /**
   * Learns what is a secret in every message. Names of these objects are not secrets, even if a
   * Secret holds one.
   */
  public learn(bodies: Iterable<unknown>): void {
    const all = [...bodies];
    for (const body of all) {
      namesOf(body).forEach((name) => {
        this.publicWords.add(name);
      });
    }
    for (const body of all) {
      for (const { text, anywhere } of secretTexts(body)) {
        if (
          anywhere &&
          text.length >= LOCAL_BELOW &&
          !(isOrdinary(text) && this.publicWords.has(text))
        ) {
          this.addText(text);
        }
      }
    }
  }

  /** A redactor that knows these too; for the secrets of one request. */
  public with(secrets: readonly string[]): Redactor {
    const redactor = this.copy();
    secrets.forEach((secret) => {
      redactor.add(secret);
    });
    return redactor;
  }

  /**
   * A redactor for messages about one object: it masks all secrets of the object, but not its own
   * names.
   */
  public about(body: unknown, latePaths: readonly FieldPath[] = []): Redactor {
    const names = namesOf(body);
    const redactor = this.copy();
    for (const { text } of secretTexts(body, latePaths)) {
      if (!names.includes(text)) {
        redactor.addText(text);
      }
    }
    return redactor;
  }

  /** The text without the secrets in it. */
  public scrub(text: string): string {
    // the longest first: a secret may hold another one
    const known = [...this.known]
      .filter(([secret]) => text.includes(secret))
      .sort(([a], [b]) => b.length - a.length);
    const scrubbed = known.reduce(
      (all, [secret, pattern]) =>
        pattern ? all.replace(pattern, MASK) : all.split(secret).join(MASK),
      text,
    );
    return !mayHaveSecretForm(scrubbed)
      ? scrubbed
      : SECRET_FORMS.reduce(
          (all, form) =>
            all.replace(form, (whole, ...groups: unknown[]) => {
              const [secret] = groups;
              if (typeof secret !== 'string' || groups.length < 3) {
                return MASK;
              }
              const start = whole.lastIndexOf(secret);
              return `${whole.slice(0, start)}${MASK}${whole.slice(start + secret.length)}`;
            }),
          scrubbed,
        );
  }

  private copy(): Redactor {
    const redactor = new Redactor();
    this.known.forEach((pattern, text) => redactor.known.set(text, pattern));
    this.publicWords.forEach((word) => redactor.publicWords.add(word));
    return redactor;
  }

  private addText(secret: string): void {
    const isTooShort = secret.length < NEVER_BELOW;
    if (isTooShort || EMPTY_WORDS.test(secret.trim())) {
      return;
    }
    const json = JSON.stringify(secret).slice(1, -1);
    // Go writes < and > of a JSON text as \u003c and \u003e
    const html = json.replace(
      /[<>&]/g,
      (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
    );
    const bytes = Buffer.from(secret, 'utf8');
    const base64 = bytes.toString('base64');
    const texts = [
      secret,
      json,
      html,
      JSON.stringify(json).slice(1, -1),
      encodeURIComponent(secret),
      base64,
      base64.replace(/=+$/, ''),
      bytes.toString('base64url'),
      bytes.toString('hex'),
    ];
    for (const text of texts) {
      if (LETTER_OR_DIGIT.test(text) && !this.known.has(text)) {
        this.known.set(
          text,
          text.length < ALONE_BELOW || isOrdinary(text) ? wordPattern(text) : undefined,
        );
      }
    }
  }
}

function namesOf(body: unknown): string[] {
  const names = [
    valueAt(body, 'kind'),
    valueAt(body, 'metadata', 'name'),
    valueAt(body, 'metadata', 'namespace'),
  ];
  return names.filter((name): name is string => typeof name === 'string');
}

// a word that begins a principal or a URL is its scheme
function wordPattern(word: string): RegExp {
  return new RegExp(`(?<![\\w-])${word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}(?![\\w-]|://)`, 'g');
}

/** The text in place of a value that is not known yet. */
const KNOWN_AFTER_APPLY = '(known after apply)';

const HIDDEN = /^<sha256:[0-9a-f]{8}>$/;

/**
 * What may be shown of values: hashes in place of secrets, with a salt of this run alone, so that
 * they reveal only whether two values are equal.
 */
export class HiddenValues {
  private readonly salt = randomBytes(16);

  public constructor(private readonly redactor = new Redactor()) {}

  public hash(value: unknown): string {
    return `<sha256:${createHash('sha256')
      .update(this.salt)
      .update(JSON.stringify(value) ?? '')
      .digest('hex')
      .slice(0, 8)}>`;
  }

  /**
   * A value as it may be shown: whole where it holds no secret, hashes in place of those that it
   * has.
   */
  public show(
    value: unknown,
    path: FieldPath,
    manifest: Manifest,
    secretPaths: readonly FieldPath[],
  ): unknown {
    return withLeaves(
      value,
      (leaf, place) => {
        if (leaf === undefined || leaf === null) {
          return leaf;
        }
        // an unknown value reveals nothing, wherever it will be
        if (isLate(leaf)) {
          return KNOWN_AFTER_APPLY;
        }
        if (typeof leaf !== 'boolean' && secrecyOf(place, manifest, secretPaths)) {
          return this.hash(leaf);
        }
        return typeof leaf === 'string' && holdsSecret(leaf) ? this.hash(leaf) : leaf;
      },
      path,
    );
  }

  /**
   * The server's words, without what we sent as a secret: servers repeat the values that they
   * refuse.
   */
  public scrub(text: string, manifest: Manifest, secretPaths: readonly FieldPath[]): string {
    return this.redactor.about(manifest, secretPaths).scrub(text);
  }
}

/** Whether a shown value is a hash. */
export function isHidden(shown: unknown): boolean {
  return typeof shown === 'string' && HIDDEN.test(shown);
}

/**
 * A shown value with all hashes alike: what it is compared by between runs, which have other salts.
 */
export function withoutHashes(shown: unknown): unknown {
  return withLeaves(shown, (leaf) => (isHidden(leaf) ? MASK : leaf));
}
