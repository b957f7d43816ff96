import { createHash } from 'crypto';
import { reach } from '../graph/reach';
import { LateType, complete, lateIdsIn, recordYaml, withEachText } from '../late/late-text';
import { LATE_OPEN, LATE_TOKEN, SECRET_ID_PREFIX, isLate, isSecretId } from '../late/late-token';
import { Manifest, at, groupOf, isRecord, replacedAt } from '../manifest/manifest';
import { AssemblyLateSource, AssemblyLateValue } from '../output/assembly';
import { Problem } from '../problem/problem';
import { fieldPathText, secretFields } from '../secret/secret-fields';
import { MIN_SECRET, unwrappedPlaces } from '../secret/unwrapped-secrets';
import { BASE64, textOfBase64 } from '../text/plain-text';
import { OutsideSecret, outsideLabel, SecretValue } from '../value/secret-value';

// '${late:' in Base64, at each of its three offsets
const BASE64_MARKS = [0, 1, 2].map((offset) => {
  const text = Buffer.from(`${'x'.repeat(offset)}${LATE_OPEN}`)
    .toString('base64')
    .replace(/=+$/, '');
  const whole = Math.floor(((offset + LATE_OPEN.length) * 8) / 6);
  return text.slice(Math.ceil((offset * 8) / 6), whole);
});

// as URL builders escape it, in other letters, or an object that another language printed where its
// text was meant
const CHANGED: readonly (readonly [RegExp, string])[] = [
  [/\$\{late:/i, 'whose case was changed'],
  [/(?:\$|%24)(?:\{|%7b)late(?::|%3a)/i, 'that was escaped for a URL'],
];
const PRINTED_OBJECT = /\b(?:Late|Secret)Value(?: object at 0x|@)[0-9a-f]/;

// what every late value, sound or damaged, still has in it; nearly no text has, so that most
// objects are looked through once and cheaply
const TRACES = [/(?:\{|%7b)late/i, /(?:late|secret)value/i, new RegExp(BASE64_MARKS.join('|'))];
const isTraced = (text: string): boolean => TRACES.some((trace) => trace.test(text));

/** What a text of several lines has in YAML: the mark of a block, or an escape. */
const LINES = /\||\\/;

/** What a look through one object for late values found. */
interface LateScan {
  /** Ids of the late values that the object waits for. */
  readonly ids: ReadonlySet<string>;
  readonly problems: readonly Problem[];
}

/**
 * Finds the late values in an object, and those that were changed beyond recognition.
 *
 * @param yaml the object as YAML, where it is known: one look at it is enough for nearly every object
 */
export function scanLate(value: unknown, yaml?: string): LateScan {
  // in YAML, nothing that a trace is of is escaped; base64 may continue on the next line of a text
  const isClear = yaml !== undefined && !isTraced(yaml) && !LINES.test(yaml);
  if (isClear || !hasTrace(value)) {
    return NOTHING;
  }
  const ids = new Set<string>();
  const problems: Problem[] = [];
  walk(
    value,
    '',
    (text, path) => {
      // an intact one does not hide a damaged one next to it
      const rest = isLate(text)
        ? text.replace(LATE_TOKEN, (_, id: string) => {
            ids.add(id);
            return '';
          })
        : text;
      const damage = damageOf(rest);
      if (damage) {
        problems.push(damaged(path, damage));
      }
    },
    (key, path) => {
      if (isLate(key) || damageOf(key)) {
        problems.push(damaged(path, 'holds a late value in a key'));
      }
    },
  );
  return { ids, problems };
}

const NOTHING: LateScan = { ids: new Set(), problems: [] };

function hasTrace(value: unknown): boolean {
  if (typeof value === 'string') {
    return isTraced(value) || (value.includes('\n') && holdsBase64Mark(value));
  }
  if (Array.isArray(value)) {
    return value.some(hasTrace);
  }
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  for (const key in value) {
    if (hasTrace(key) || hasTrace((value as { [key: string]: unknown })[key])) {
      return true;
    }
  }
  return false;
}

function damageOf(text: string): string | undefined {
  if (isLate(text)) {
    return 'holds a late value that was cut or changed';
  }
  if (holdsBase64Mark(text)) {
    return 'holds a late value that was put into base64 before it is known';
  }
  if (PRINTED_OBJECT.test(text)) {
    return 'holds a LateValue or SecretValue that was printed as an object; use its property token';
  }
  const changed = CHANGED.find(([pattern]) => pattern.test(text));
  return changed && `holds a late value ${changed[1]}`;
}

// base64 is often broken into lines
function holdsBase64Mark(text: string): boolean {
  const joined = /\s/.test(text) ? text.replace(/\s+/g, '') : text;
  return BASE64_MARKS.some((mark) => joined.includes(mark));
}

function damaged(path: string, message: string): Problem {
  return {
    path,
    message,
    fix: 'use the late value as it is, within other text if need be; its properties base64 and json are the encodings there are',
  };
}

/** Goes through all texts and keys of a value, with their paths. */
function walk(
  value: unknown,
  path: string,
  onText: (text: string, path: string) => void,
  onKey?: (key: string, path: string) => void,
): void {
  if (typeof value === 'string') {
    onText(value, path);
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => walk(item, `${path}[${index}]`, onText, onKey));
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      onKey?.(key, path);
      walk(item, path ? `${path}.${key}` : key, onText, onKey);
    }
  }
}

/** Secrets of the program put into a value. */
export interface PutSecrets<T> {
  /** As rules check it: with the secrets, and with markers for placeholders. */
  readonly judged: T;
  /** As it is written. */
  readonly written: T;
  readonly problems: readonly Problem[];
  /** Where there are secrets, e.g. `spec.valuesContent`, and where they come from. */
  readonly places: readonly { readonly path: string; readonly origins: readonly string[] }[];
  /** The sources of the secrets that placeholders replace. */
  readonly placeholders: readonly string[];
  /** The secrets themselves: what findings must not show. */
  readonly texts: readonly string[];
}

const OPEN = LATE_OPEN + SECRET_ID_PREFIX;

/** A marker, whole or changed. */
const SECRETS_TRACE = new RegExp(SECRET_ID_PREFIX.replace('.', '\\.') + '[0-9a-f]{8}', 'i');

// shorter ones hold no marker
const BASE64_RUN = /[A-Za-z0-9+/]{40,}={0,2}/g;

/** Text that holds a marker of a secret that cannot be put in. */
const FIX =
  'use the SecretValue as it is, within other text if need be; its property base64 is the encoding there is';

/** Names are public, and other objects refer to them. */
const PUBLIC = /^(?:apiVersion|kind|metadata\.(?:name|namespace|generateName|labels\b.*))$/;

/** Puts the secrets of the program in place of their markers; nothing where there are none. */
export function putSecrets<T>(value: T): PutSecrets<T> | undefined {
  if (!SecretValue._anyMarkers() || !hasMarker(value)) {
    return undefined;
  }
  const problems: Problem[] = [];
  const places: { path: string; origins: string[] }[] = [];
  const ids = new Set<string>();
  walk(
    value,
    '',
    (text, path) => {
      const here = idsIn(decodedRuns(text)).filter(isSecretId);
      if (here.length === 0) {
        return;
      }
      if (PUBLIC.test(path)) {
        problems.push({
          path,
          message: 'must not contain a SecretValue: names are public',
          fix: 'use a text that is not a secret',
        });
      }
      here.forEach((id) => {
        ids.add(id);
      });
      places.push({
        path,
        origins: [...new Set(here.flatMap((id) => SecretValue._of(id)?._origin ?? []))],
      });
    },
    (key, path) => {
      if (SECRETS_TRACE.test(key)) {
        problems.push({ path, message: 'holds a SecretValue in a key', fix: 'use it as a value' });
      }
    },
  );
  const known = new Map<string, string>();
  const placeholders = new Map<string, string>();
  for (const id of ids) {
    const secret = SecretValue._of(id);
    try {
      if (secret === undefined) {
        continue;
      }
      const lack = secret._lack();
      if (lack) {
        problems.push({ path: places[0].path, ...lack, cause: MISSING });
      }
      if (secret._isReplaced()) {
        placeholders.set(id, secret._origin);
      } else {
        known.set(id, secret._unwrap());
      }
    } catch (error) {
      problems.push({
        path: places[0].path,
        message: (error as Error).message,
        fix: 'provide the secret',
      });
    }
  }
  // a text that begins like a late value would be taken for one
  for (const [id, text] of known) {
    if (isLate(text)) {
      problems.push({
        path: places[0].path,
        message: `the secret from ${SecretValue._of(id)!._origin} holds ${LATE_OPEN}`,
        fix: 'use another secret',
      });
    }
  }
  const judged = filled(value, known);
  const all = new Map([
    ...known,
    ...[...placeholders].map(([id, origin]) => [id, placeholderOf(origin)] as const),
  ]);
  const written = placeholders.size > 0 ? filled(value, all) : judged;
  // what is left was changed on its way here
  walk(written, '', (text, path) => {
    if (
      problems.length === 0 &&
      (SECRETS_TRACE.test(text) || idsIn(decodedRuns(text)).some(isSecretId))
    ) {
      problems.push({
        path,
        message:
          'holds a SecretValue whose marker was changed (escaped, cut, or in other letters), so the secret cannot be put in',
        fix: FIX,
      });
    }
  });
  problems.push(...dataProblems(written, places));
  return {
    judged,
    written,
    problems,
    places,
    placeholders: [...new Set(placeholders.values())].sort(),
    texts: [...known.values()],
  };
}

/** What several findings about missing secrets have in common. */
const MISSING = 'secrets of the program are missing';

/** What replaces a secret in a build without secrets. */
export function placeholderOf(origin: string): string {
  return `placeholder-${origin.replace(/[^A-Za-z0-9_]+/g, '-')}`;
}

/** Whether a text is such a placeholder, and nothing else. */
export function isPlaceholder(text: string): boolean {
  return /^placeholder-[A-Za-z0-9_-]+$/.test(text);
}

/** An object whose secrets are late values. */
export interface LateSecrets {
  readonly written: Manifest;
  /** The late values that are new in it. */
  readonly lateValues: readonly AssemblyLateValue[];
}

/**
 * An object with late values in place of its secrets, which are read again where they are needed.
 * Secrets that are in the program itself remain.
 *
 * @param construct that contains the object
 */
export function lateSecrets(manifest: Manifest, construct: string): LateSecrets {
  const found = new Map<string, AssemblyLateValue>();
  const late = (name: string, description: string, source: AssemblyLateSource): string => {
    const id = `secret.${name}-${createHash('sha256').update(JSON.stringify(source)).digest('hex').slice(0, 8)}`;
    found.set(id, { id, description, type: LateType.STRING, sensitive: true, construct, source });
    return id;
  };
  const outsideId = (outside: OutsideSecret): string =>
    late(
      outside.name
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-|-$/g, '') || 'file',
      `the secret from ${outsideLabel(outside)}`,
      outside,
    );
  const marked = (text: string): string =>
    text.replace(LATE_TOKEN, (token, id: string, encodings: string) => {
      const outside = isSecretId(id) ? SecretValue._of(id)?._outside : undefined;
      return outside
        ? token.replace(`${id}${encodings}`, `${outsideId(outside)}${encodings}`)
        : token;
    });
  const inBase64 = (text: string, change: (inner: string) => string): string =>
    text.replace(BASE64_RUN, (run) => {
      const plain = textOfRun(run);
      const inner = plain === undefined ? undefined : change(plain);
      // encoded as a whole once it is known
      return inner === undefined || inner === plain
        ? run
        : `${LATE_OPEN}${late('text', 'a text with secrets', { resolver: 'text', text: inner })}|base64}`;
    });
  const replaced = (text: string): string => marked(inBase64(text, replaced));
  const unwrapped = SecretValue._unwrapped().flatMap(([text, { outside }]) =>
    text.length >= MIN_SECRET && outside ? [[text, outside] as const] : [],
  );
  const hidden = (text: string, key: string): string => {
    const encoded = unwrapped.find(
      ([secret]) => Buffer.from(secret, 'utf8').toString('base64') === text,
    );
    if (encoded) {
      return `${LATE_OPEN}${outsideId(encoded[1])}|base64}`;
    }
    const values = new Map<string, string>();
    const parted = (part: string): string =>
      unwrapped.reduce((all, [secret, outside]) => {
        const form = [secret, JSON.stringify(secret).slice(1, -1)].find((each) =>
          all.includes(each),
        );
        if (form === undefined) {
          return all;
        }
        const id = outsideId(outside);
        values.set(id, secret);
        return all.split(form).join(`${LATE_OPEN}${id}}`);
      }, part);
    const changed = recordYaml(parted(inBase64(text, parted)), key);
    const texts = new Map(
      [...found.values()].flatMap(({ id, source }) =>
        'text' in source ? [[id, source.text] as const] : [],
      ),
    );
    // what cannot be put together again remains, and is refused
    return complete(changed, withEachText(texts, values)) === text ? changed : text;
  };
  const unmarked = hasMarker(manifest) ? recordYaml(mapped(manifest, replaced)) : manifest;
  const known = new Set(unwrappedPlaces(unmarked).map(({ path }) => fieldPathText(path)));
  const written = secretFields(unmarked, known).reduce((all, path) => {
    const text = at(all, path);
    return typeof text === 'string'
      ? replacedAt(all, path, hidden(text, String(path.at(-1))))
      : all;
  }, unmarked);
  const used = reach(lateIdsIn(written), (id) => lateIdsIn(found.get(id)?.source));
  return { written, lateValues: [...found.values()].filter(({ id }) => used.has(id)) };
}

/** The text of a Base64 part; undefined if it is not one. */
function textOfRun(run: string): string | undefined {
  return run.length % 4 === 0 ? textOfBase64(run) : undefined;
}

/** Whether a text still holds a marker: none may be in a file. */
export function holdsMarker(text: string): boolean {
  return SecretValue._anyMarkers() && SECRETS_TRACE.test(text);
}

/** A text for people, with a mask in place of markers. */
export function withoutMarkers(text: string): string {
  return text.includes(OPEN)
    ? text.replace(LATE_TOKEN, (token, id: string) => (isSecretId(id) ? '<secret>' : token))
    : text;
}

// `data` of a Secret is Base64: a secret in plain text is never intended there
function* dataProblems(value: unknown, places: PutSecrets<unknown>['places']): Iterable<Problem> {
  if (
    !isRecord(value) ||
    value.kind !== 'Secret' ||
    groupOf(String(value.apiVersion)) !== '' ||
    !isRecord(value.data)
  ) {
    return;
  }
  for (const { path } of places) {
    const key = path.startsWith('data.') ? path.slice('data.'.length) : undefined;
    const text = key === undefined ? undefined : value.data[key];
    if (typeof text === 'string' && !isLate(text) && !BASE64.test(text.replace(/[\r\n]/g, ''))) {
      yield {
        path,
        message: 'must be base64: it is data of a Secret',
        fix: 'use the property base64 of the SecretValue, or put it into stringData',
      };
    }
  }
}

function filled<T>(value: T, secrets: ReadonlyMap<string, string>): T {
  return complete(
    recordYaml(
      mapped(value, (text) =>
        text.replace(BASE64_RUN, (run) => {
          const decoded = decodedRun(run);
          if (decoded === undefined) {
            return run;
          }
          const missing = idsIn(decodedRuns(decoded)).find((id) => !secrets.has(id));
          if (missing === undefined) {
            return Buffer.from(filled(decoded, secrets), 'utf8').toString('base64');
          }
          // of a placeholder: what is judged waits for it as a whole
          return isSecretId(missing) && SecretValue._of(missing)?._isReplaced()
            ? `\${late:${missing}|base64}`
            : run;
        }),
      ),
    ),
    secrets,
  );
}

function decodedRuns(text: string): string {
  return text.replace(BASE64_RUN, (run) => {
    const decoded = decodedRun(run);
    return decoded === undefined ? run : decodedRuns(decoded);
  });
}

/** The decoded text of a Base64 part that contains a marker, at any depth. */
function decodedRun(run: string): string | undefined {
  const text = textOfRun(run);
  if (text === undefined) {
    return undefined;
  }
  return text.includes(OPEN) ||
    (text.match(BASE64_RUN) ?? []).some((inner) => decodedRun(inner) !== undefined)
    ? text
    : undefined;
}

function idsIn(text: string): string[] {
  return text.includes(LATE_OPEN) ? lateIdsIn(text) : [];
}

function hasMarker(value: unknown): boolean {
  if (typeof value === 'string') {
    return SECRETS_TRACE.test(value) || (value.length >= 40 && decodedRuns(value) !== value);
  }
  if (Array.isArray(value)) {
    return value.some(hasMarker);
  }
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  return Object.entries(value).some(([key, item]) => hasMarker(key) || hasMarker(item));
}

function mapped<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') {
    return change(value) as T;
  }
  if (Array.isArray(value)) {
    return value.map((item: unknown) => mapped(item, change)) as T;
  }
  return (
    isRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapped(item, change)]))
      : value
  ) as T;
}
