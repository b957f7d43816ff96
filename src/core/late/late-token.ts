import { escapeRegExp } from '../text/values';

/**
 * The form of a late value in a string until it is known: `${late:<id>}`, or with an encoding
 * `${late:<id>|base64}`.
 *
 * The form survives concatenation and JSON-in-string: nothing in it needs escaping in JSON, YAML
 * double quotes or a URL path.
 */

/** The start of every late token. */
export const LATE_OPEN = '${late:';

/** The encoding of a late value within YAML, after its id; once for each YAML text around it. */
export const LATE_YAML = '|yaml';

/**
 * A late token: 1 the id, 2 its encodings, each after a `|`. Create a copy with `new
 * RegExp(LATE_TOKEN)` before a stateful use.
 */
export const LATE_TOKEN =
  /\$\{late:([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)((?:\|(?:json|base64|yaml))*)\}/g;

/** The ID of the late value at a construct path, where it needs no other characters. */
export function plainLateId(path: string): string {
  return path.toLowerCase().replaceAll('/', '.');
}

/**
 * The resolver of a field of the only object with a label; the label is recorded in place of the
 * name.
 */
export const LABELED_FIELD = 'labeled-field';

/**
 * The resolver of a field of the only object with a value in another field; both are recorded in
 * place of the name.
 */
export const MATCHED_FIELD = 'matched-field';

/**
 * Whether a resolver finds its object among all objects of its kind: the source contains no name of
 * an object.
 */
export function listsObjects(resolver: string): boolean {
  return resolver === LABELED_FIELD || resolver === MATCHED_FIELD;
}

/** How a source records the value by which an object is found. A path contains no `=`. */
export function matchText(field: string, value: string): string {
  return `${field}=${value}`;
}

/** The field and the value by which an object is found. */
export function matchOf(text: string): { readonly field: string; readonly value: string } {
  const end = text.indexOf('=');
  return { field: text.slice(0, end), value: text.slice(end + 1) };
}

/**
 * How the ids of secrets of the program begin, whose markers have the form of a late token;
 * synthesis puts the secrets in their place.
 */
export const SECRET_ID_PREFIX = 'secret-value.';

/** Whether an id is that of a secret of the program. */
export function isSecretId(id: string): boolean {
  return id.startsWith(SECRET_ID_PREFIX);
}

/**
 * Whether a text holds a value that only a live cluster knows; a secret of the program is known by
 * the end of synthesis.
 */
export function waitsForCluster(text: string): boolean {
  return isLate(text) && [...text.matchAll(LATE_TOKEN)].some(([, id]) => !isSecretId(id));
}

/** Whether a value is, or holds, a late value: what it will be can't be judged yet. */
export function isLate(value: unknown): boolean {
  return typeof value === 'string' && value.includes(LATE_OPEN);
}

/** Whether the name or the namespace of an object is, or holds, a late value. */
export function hasLateName({
  name,
  namespace,
}: {
  readonly name?: string;
  readonly namespace?: string;
}): boolean {
  return isLate(name) || isLate(namespace);
}

/** Whether a text may be what another one with late values becomes: the same around them. */
export function mayBecome(late: string, text: string): boolean {
  return late === text || (isLate(late) && around(late).test(text));
}

// the text around values that are not known yet; each token has two groups
function around(text: string): RegExp {
  const parts = text.split(new RegExp(LATE_TOKEN.source));
  const known = parts.filter((_, index) => index % 3 === 0);
  return new RegExp(`^${known.map(escapeRegExp).join('[^]*')}$`);
}
