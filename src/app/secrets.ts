import { walk } from './late-scan';
import { SecretValue } from '../late/secret-value';
import { recordYaml } from '../model/late-text';
import { isLate, isSecretId, LATE_OPEN, LATE_TOKEN, SECRET_ID_PREFIX } from '../model/late-token';
import { complete, lateIdsIn } from '../model/late-values';
import { groupOf, isRecord } from '../model/manifest';
import { Problem } from '../model/problem';

/** Secrets of the program put into a value. */
export interface PutSecrets<T> {
  /** As rules judge it: with the secrets, and with markers where placeholders stand in. */
  readonly judged: T;
  /** As it is written. */
  readonly written: T;
  readonly problems: readonly Problem[];
  /** Where there are secrets, e.g. `spec.valuesContent`, and where they come from. */
  readonly places: readonly { readonly path: string; readonly origins: readonly string[] }[];
  /** Where the secrets come from that placeholders stand in for. */
  readonly placeholders: readonly string[];
  /** The secrets themselves: what findings must not show. */
  readonly texts: readonly string[];
}

const OPEN = LATE_OPEN + SECRET_ID_PREFIX;

/** A marker, whole or changed. */
const TRACE = new RegExp(SECRET_ID_PREFIX.replace('.', '\\.') + '[0-9a-f]{8}', 'i');

// shorter ones hold no marker
const BASE64 = /[A-Za-z0-9+/]{40,}={0,2}/g;

/** Text that holds a marker of a secret that cannot be put in. */
const FIX = 'use the SecretValue as it is, within other text if need be; its property base64 is the encoding there is';

/** Names are public, and other objects refer to them. */
const PUBLIC = /^(?:apiVersion|kind|metadata\.(?:name|namespace|generateName|labels\b.*))$/;

const BASE64_WHOLE = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Puts the secrets of the program in place of their markers; nothing where there are none. */
export function putSecrets<T>(value: T): PutSecrets<T> | undefined {
  if (!SecretValue._anyMarkers() || !hasMarker(value)) { return undefined; }
  const problems: Problem[] = [];
  const places: { path: string; origins: string[] }[] = [];
  const ids = new Set<string>();
  walk(value, '', (text, path) => {
    const here = idsIn(decodedRuns(text)).filter(isSecretId);
    if (here.length === 0) { return; }
    if (PUBLIC.test(path)) { problems.push({ path, message: 'holds a SecretValue, and names are public', fix: 'use a text that is no secret' }); }
    here.forEach((id) => { ids.add(id); });
    places.push({ path, origins: [...new Set(here.flatMap((id) => SecretValue._of(id)?._origin ?? []))] });
  }, (key, path) => {
    if (TRACE.test(key)) { problems.push({ path, message: 'holds a SecretValue in a key', fix: 'use it as a value' }); }
  });
  const known = new Map<string, string>();
  const placeholders = new Map<string, string>();
  for (const id of ids) {
    const secret = SecretValue._of(id);
    try {
      if (secret === undefined) { continue; }
      if (secret._isPlaceholder()) { placeholders.set(id, secret._origin); } else { known.set(id, secret._unwrap()); }
    } catch (error) {
      problems.push({ path: places[0].path, message: (error as Error).message, fix: 'provide the secret' });
    }
  }
  // a text that begins like a late value would be taken for one
  for (const [id, text] of known) {
    if (isLate(text)) { problems.push({ path: places[0].path, message: `the secret from ${SecretValue._of(id)!._origin} holds ${LATE_OPEN}`, fix: 'use another secret' }); }
  }
  const judged = filled(value, known);
  const all = new Map([...known, ...[...placeholders].map(([id, origin]) => [id, `placeholder-${origin.replace(/[^A-Za-z0-9_]+/g, '-')}`] as const)]);
  const written = placeholders.size > 0 ? filled(value, all) : judged;
  // what is left was changed on its way here
  walk(written, '', (text, path) => {
    if (problems.length === 0 && (TRACE.test(text) || idsIn(decodedRuns(text)).some(isSecretId))) {
      problems.push({ path, message: 'holds a SecretValue whose marker was changed (escaped, cut, or in other letters), so the secret cannot be put in', fix: FIX });
    }
  });
  problems.push(...dataProblems(written, places));
  return { judged, written, problems, places, placeholders: [...new Set(placeholders.values())].sort(), texts: [...known.values()] };
}

/** Whether a text still holds a marker: none may be in a file. */
export function holdsMarker(text: string): boolean {
  return SecretValue._anyMarkers() && TRACE.test(text);
}

/** A text for people, with a mask in place of markers. */
export function withoutMarkers(text: string): string {
  return text.includes(OPEN) ? text.replace(LATE_TOKEN, (token, id: string) => (isSecretId(id) ? '<secret>' : token)) : text;
}

// `data` of a Secret is base64: a secret in clear there is never meant
function* dataProblems(value: unknown, places: PutSecrets<unknown>['places']): Iterable<Problem> {
  if (!isRecord(value) || value.kind !== 'Secret' || groupOf(String(value.apiVersion)) !== '' || !isRecord(value.data)) { return; }
  for (const { path } of places) {
    const key = path.startsWith('data.') ? path.slice('data.'.length) : undefined;
    const text = key === undefined ? undefined : value.data[key];
    if (typeof text === 'string' && !isLate(text) && !BASE64_WHOLE.test(text.replace(/[\r\n]/g, ''))) {
      yield { path, message: 'must be base64: it is data of a Secret', fix: 'use the property base64 of the SecretValue, or put it into stringData' };
    }
  }
}

function filled<T>(value: T, secrets: ReadonlyMap<string, string>): T {
  return complete(recordYaml(mapped(value, (text) => text.replace(BASE64, (run) => {
    const decoded = decodedRun(run);
    if (decoded === undefined) { return run; }
    const missing = idsIn(decodedRuns(decoded)).find((id) => !secrets.has(id));
    if (missing === undefined) { return Buffer.from(filled(decoded, secrets), 'utf8').toString('base64'); }
    // of a placeholder: what is judged waits for it as a whole
    return isSecretId(missing) && SecretValue._of(missing)?._isPlaceholder() ? `\${late:${missing}|base64}` : run;
  }))), secrets);
}

function decodedRuns(text: string): string {
  return text.replace(BASE64, (run) => {
    const decoded = decodedRun(run);
    return decoded === undefined ? run : decodedRuns(decoded);
  });
}

/** The text that a run of base64 stands for, where it holds a marker, be it in base64 again. */
function decodedRun(run: string): string | undefined {
  if (run.length % 4 !== 0) { return undefined; }
  const bytes = Buffer.from(run, 'base64');
  const text = bytes.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(bytes)) { return undefined; }
  return text.includes(OPEN) || (text.match(BASE64) ?? []).some((inner) => decodedRun(inner) !== undefined) ? text : undefined;
}

function idsIn(text: string): string[] {
  return text.includes(LATE_OPEN) ? lateIdsIn(text) : [];
}

function hasMarker(value: unknown): boolean {
  if (typeof value === 'string') { return TRACE.test(value) || (value.length >= 40 && decodedRuns(value) !== value); }
  if (Array.isArray(value)) { return value.some(hasMarker); }
  if (typeof value !== 'object' || value === null) { return false; }
  return Object.entries(value).some(([key, item]) => hasMarker(key) || hasMarker(item));
}

function mapped<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') { return change(value) as T; }
  if (Array.isArray(value)) { return value.map((item: unknown) => mapped(item, change)) as T; }
  return (isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapped(item, change)])) : value) as T;
}
