import { foundId, Statements } from './statements';
import { Draft, Expression, FoundObject, SecretRead } from '../../core/draft/draft';
import { isRecord, leavesOf, objectLabel, pathText } from '../../core/manifest/manifest';
import { keyBefore } from '../secrets/hide-secrets';
import { OwnSecret, secretPartsOf, secretsOf } from '../secrets/secrets-of';

/** A place of a secret on the clusters. */
export interface SecretPlace {
  readonly target: string;
  /** As `Kind namespace/name`. */
  readonly object: string;
  /** The field. */
  readonly path: string;
  /**
   * Where in the text of the field it is, e.g. `at passwd in the text`.
   * @default - it is the value of the field
   */
  readonly within?: string;
}

/** An environment variable that a program needs. */
export interface SecretVariable {
  readonly name: string;
  /** The live objects that have its value. */
  readonly places: readonly SecretPlace[];
}

/** The environment variables of a program: one for each secret, wherever it is used. */
export class SecretVariables {
  private readonly names = new Map<string, string>();
  private readonly places = new Map<string, SecretPlace[]>();

  constructor(private readonly statements: Statements) {
    for (const { draft, args, calls, props, patches, parts } of statements.all()) {
      for (const secret of secretsIn([props, args, calls, patches, parts], new Set())) {
        this.add(secret, draft);
      }
    }
  }

  public nameOf({ text }: SecretRead): string {
    return this.names.get(text)!;
  }

  public all(): readonly SecretVariable[] {
    return [...this.names]
      .map(([text, name]) => ({ name, places: this.places.get(text) ?? [] }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  private add({ text, wish }: SecretRead, { declares }: Draft): void {
    if (!this.names.has(text)) {
      const taken = new Set([...this.statements.takenVariables, ...this.names.values()]);
      let name = wish;
      for (let count = 2; taken.has(name); count++) {
        name = `${wish}_${count}`;
      }
      this.names.set(text, name);
    }
    const known = this.places.get(text) ?? [];
    const found = declares.flatMap((object) => placesIn(object, text));
    const isKnown = ({ target, object, path }: SecretPlace): boolean =>
      known.some((each) => each.target === target && each.object === object && each.path === path);
    this.places.set(text, [...known, ...found.filter((place) => !isKnown(place))]);
  }
}

function secretsIn(value: unknown, seen: Set<unknown>): readonly SecretRead[] {
  if (
    typeof value !== 'object' ||
    value === null ||
    seen.has(value) ||
    (!(value instanceof Expression) && isRecord(value) && 'declares' in value)
  ) {
    return [];
  }
  if (value instanceof SecretRead) {
    return [value];
  }
  seen.add(value);
  return Object.values(value).flatMap((each) => secretsIn(each, seen));
}

function placesIn({ target, manifest }: FoundObject, secret: string): readonly SecretPlace[] {
  const {
    metadata: { managedFields: _, ...metadata },
    ...rest
  } = manifest;
  const object = objectLabel(manifest);
  const own = secretsOf(manifest);
  const isWord = own.some(({ text, isWord: each }) => each && text === secret);
  return leavesOf({ ...rest, metadata }).flatMap(({ leaf, path }): SecretPlace[] => {
    if (typeof leaf !== 'string') {
      return [];
    }
    const within = withinText(leaf, secret);
    // that another field has the word too does not concern the secret
    const isIt =
      within !== undefined &&
      (!isWord || secretPartsOf(leaf, String(path.at(-1)), own).includes(secret));
    return isIt
      ? [{ target, object, path: pathText(path), ...(within === '' ? {} : { within }) }]
      : [];
  });
}

/** A text without indentation, as YAML reads a text of several lines. */
function flat(text: string): string {
  return text.replace(/\n[ \t]+/g, '\n');
}

/** Where in a text a secret is; undefined if it is not. */
function withinText(text: string, secret: string): string | undefined {
  if (text === secret) {
    return '';
  }
  const decoded = Buffer.from(text, 'base64').toString('utf8');
  const found = [
    [text, ''],
    [flat(text), ''],
    [decoded, ' in base64'],
    [flat(decoded), ' in base64'],
  ] as const;
  const [content, form] = found.find(([each]) => each.includes(secret)) ?? [];
  if (content === undefined) {
    return undefined;
  }
  return `${placeText(content, secret)}${form}`;
}

/** Where a secret is in a text that contains it. */
function placeText(content: string, secret: string): string {
  if (content === secret) {
    return 'the value';
  }
  const key = keyBefore(content.slice(0, content.indexOf(secret)));
  return key === undefined ? 'within the text' : `at ${key} in the text`;
}

/** Why an object with a secret is not declared. */
const REASON =
  'contains a secret in plain text at a place where no program can write SecretValue.fromEnv, such as a key or a label. Fix: declare it by hand';

/**
 * The objects whose statements would contain a secret of theirs, with the reason why they are left
 * out, by ID.
 */
export function exposedIn(statements: Statements): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { draft, args, calls, props, patches, parts } of statements.all()) {
    const secrets = draft.declares.flatMap(({ manifest }) => secretsOf(manifest));
    if (secrets.length > 0 && holds([args, calls, props, patches, parts], '', secrets, new Set())) {
      for (const object of draft.declares) {
        found.set(foundId(object), REASON);
      }
    }
  }
  return found;
}

/**
 * Whether a text of a value contains a secret, also one of its expressions; what other statements
 * hold is theirs.
 */
function holds(
  value: unknown,
  key: string,
  secrets: readonly OwnSecret[],
  seen: Set<unknown>,
): boolean {
  if (typeof value === 'string') {
    return secretPartsOf(value, key, secrets).length > 0;
  }
  if (
    typeof value !== 'object' ||
    value === null ||
    value instanceof SecretRead ||
    seen.has(value) ||
    (isRecord(value) && 'declares' in value)
  ) {
    return false;
  }
  seen.add(value);
  return Object.entries(value).some(
    ([name, each]) =>
      holds(name, '', secrets, seen) ||
      holds(each, Array.isArray(value) ? key : name, secrets, seen),
  );
}
