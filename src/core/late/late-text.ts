import { LATE_TOKEN, LATE_YAML, isLate } from './late-token';
import { isRecord, sameValue, withLeaves } from '../manifest/manifest';
import { RFC1123_LABEL } from '../manifest/names';
import { jsonOf } from '../text/values';
import { tryYaml, withScalars } from '../yaml/yaml-reader';
import { loneSurrogate, toYaml } from '../yaml/yaml-writer';

/**
 * The required form of a late value. A value of another form is refused before anything is written.
 */
export enum LateType {
  /** A non-empty text. */
  STRING = 'string',
  /** An RFC 1123 label, e.g. a management cluster ID. */
  NAME = 'name',
  /** An https URL without `{`. */
  URL = 'url',
  /** A token: no white space. */
  TOKEN = 'token',
}

/** Resolved late values by id. */
export type ResolvedValues = ReadonlyMap<string, string>;

/** The version of the form that files of resolved values have. */
export const LATE_VALUES_VERSION = '1';

/**
 * The values, and the texts that can be built from them. Given values are kept.
 *
 * @param texts that hold placeholders of other late values, by the id of the late value that they are
 */
export function withEachText(
  texts: ReadonlyMap<string, string>,
  values: ResolvedValues,
): ResolvedValues {
  const all = new Map(values);
  // a text may hold another one; each round knows one more, so a cycle of texts ends it, and is
  // reported as a cycle of edges
  for (let size = -1; size !== all.size;) {
    size = all.size;
    for (const [id, text] of texts) {
      if (all.has(id)) {
        continue;
      }
      const completed = completeText(text, all);
      if (!isLate(completed)) {
        all.set(id, completed);
      }
    }
  }
  return all;
}

/**
 * Why a resolved value can't be a late value's; undefined where it can. Never shows the value.
 *
 * @param type of the late value; of a type that is not known, any text will do
 */
export function mismatch(type: string, value: string): string | undefined {
  if (value === '') {
    return 'must not be empty';
  }
  if (isLate(value)) {
    return 'must not contain a late value';
  }
  if (loneSurrogate(value)) {
    return 'must not contain half a character, which a file cannot contain';
  }
  switch (type) {
    case LateType.NAME:
      return RFC1123_LABEL.test(value) ? undefined : 'must be an RFC 1123 label';
    case LateType.TOKEN:
      return /\s/.test(value) ? 'must not contain white space' : undefined;
    case LateType.URL:
      // canParse takes white space around and within
      if (/\s/.test(value)) {
        return 'must not contain white space';
      }
      if (!/^https:\/\/[^/]/i.test(value) || !URL.canParse(value)) {
        return 'must be an https URL (https://<host>/…)';
      }
      return /\{|%7b/i.test(value) ? 'must not contain a placeholder in braces' : undefined;
    default:
      return undefined;
  }
}

/**
 * A copy of a manifest in which the known late values replace their placeholders.
 *
 * In text that is JSON as a whole (a Setting's value), or YAML that the template records as such,
 * they are encoded for it, so that a value of several lines remains one string; the same applies to
 * documents within its strings.
 */
export function complete<T>(value: T, values: ResolvedValues): T {
  return withLate(value, (leaf) => completeText(leaf, values)) as T;
}

/** The IDs of the late values in a value, each once. */
export function lateIdsIn(value: unknown): string[] {
  const ids = new Set<string>();
  const look = (inner: unknown): void => {
    if (typeof inner === 'string') {
      if (isLate(inner)) {
        for (const match of inner.matchAll(LATE_TOKEN)) {
          ids.add(match[1]);
        }
      }
    } else if (typeof inner === 'object' && inner !== null) {
      Object.values(inner).forEach(look);
    }
  };
  look(value);
  return [...ids];
}

/**
 * Late values within texts that are documents themselves: JSON in strings, YAML in strings, one in
 * the other at any depth.
 *
 * JSON is recognized by itself. YAML is recorded when a text is synthesized: each token in it names
 * the encoding `yaml`, once for each YAML text around it (`${late:id|yaml}`). When the value is
 * known, such a text is read, the value put in, and the text written again, so that the reader of
 * the document gets the very value, whatever characters it has.
 */

/** Fields that hold YAML, also as people write it. */
const YAML_FIELD =
  /^(?:valuesContent|addons|additionalManifest|user-?data|network-?data|contents)$/i;

/** How texts begin that are YAML wherever they are: manifests, a kubeconfig, cloud-init. */
const YAML_START = /^(?:apiVersion: |#cloud-config\n|## template: jinja\n)/;

/** Comments and a mark of a document, before the first line of content. */
const HEAD = /^(?:#[^\n]*\n|---\n)*/;

const SEPARATOR = '---\n';

/** What each map and each list of YAML has one of: a bracket, a mark before a blank, or a tag. */
const OF_COLLECTION = /[[{!]|[:?-](?:\s|$)/m;

// a group repeats only for each escape: once for each character fills the stack of the regular
// expression engine
const JSON_STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

/** A copy of a value in which the tokens within YAML texts name that encoding. */
export function recordYaml<T>(value: T, key = ''): T {
  if (typeof value === 'string') {
    return (isLate(value) ? recordText(value, YAML_FIELD.test(key)) : value) as T;
  }
  if (Array.isArray(value)) {
    return value.map((item: unknown) => recordYaml(item, key)) as T;
  }
  if (!isRecord(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, recordYaml(item, name)]),
  ) as T;
}

/**
 * A text without the record of the YAML in it, as texts are compared that were written by several
 * versions.
 */
export function withoutRecord(text: string): string {
  return text.replaceAll(LATE_YAML, '');
}

/**
 * A text in which the known late values replace their placeholders, in the encoding that each names
 * and that the documents around it need.
 *
 * @throws if a completed document cannot be read, or does not contain the exact values
 */
export function completeText(text: string, values: ResolvedValues, within = false): string {
  if (!isLate(text)) {
    return text;
  }
  if (isJson(text)) {
    return completeJson(text, values);
  }
  if (text.includes(LATE_YAML)) {
    return completeYaml(text, values);
  }
  // who names the encoding in a string that is completed as a document anyway does not mean it
  // twice, unless there are quotes of its own around
  const escapedAnyway = within && !text.includes('"');
  return text.replace(LATE_TOKEN, (token: string, id: string, encodings: string) => {
    const value = values.get(id);
    return value === undefined
      ? token
      : encode(value, encodings === '|json' && escapedAnyway ? '' : encodings);
  });
}

function encode(value: string, encodings: string): string {
  return encodings.split('|').reduce((text, encoding) => {
    switch (encoding) {
      case 'base64':
        return Buffer.from(text, 'utf8').toString('base64');
      case 'json':
        return JSON.stringify(text).slice(1, -1);
      default:
        return text;
    }
  }, value);
}

function recordText(text: string, isYamlField = false): string {
  if (isJson(text)) {
    return text.replace(JSON_STRING, (literal) =>
      isLate(literal) ? JSON.stringify(recordText(JSON.parse(literal) as string)) : literal,
    );
  }
  if (text.includes(LATE_YAML)) {
    return text;
  }
  const own = ownDocuments(text);
  if (own) {
    return written(own, (leaf) => recordTokens(recordText(leaf)));
  }
  // written by users: comments and form are kept
  return (isYamlField || YAML_START.test(text)) && documentsOf(text) ? recordTokens(text) : text;
}

/** A YAML text whose tokens name that encoding, without the look at whether it is YAML. */
export function recordTokens(text: string): string {
  return text.replace(LATE_TOKEN, (token) => `${token.slice(0, -1)}${LATE_YAML}}`);
}

function unrecorded(text: string): string {
  return text.replace(LATE_TOKEN, (token) =>
    token.endsWith(`${LATE_YAML}}`) ? `${token.slice(0, -LATE_YAML.length - 1)}}` : token,
  );
}

function completeJson(text: string, values: ResolvedValues): string {
  // string by string: the text between them keeps its form
  const completed = text.replace(JSON_STRING, (literal) =>
    isLate(literal)
      ? JSON.stringify(completeText(JSON.parse(literal) as string, values, true))
      : literal,
  );
  const expected = withLate(JSON.parse(text), (leaf) => completeText(leaf, values, true));
  if (!isJson(completed) || !sameValue(JSON.parse(completed), expected)) {
    throw new Error(`a late value cannot be inserted into JSON: ${SAME}`);
  }
  return completed;
}

function completeYaml(text: string, values: ResolvedValues): string {
  const completeLeaf = (leaf: string): string => {
    const completed = completeText(unrecorded(leaf), values, true);
    return isLate(completed) ? recordTokens(completed) : completed;
  };
  const expected = documentsOf(text)?.map((document) => withLate(document, completeLeaf));
  if (!expected) {
    throw new Error(
      'a text with a late value is recorded as YAML, but is not valid YAML. Fix: synthesize again',
    );
  }
  const own = ownDocuments(text);
  const completed = own
    ? written(own, completeLeaf)
    : withScalars(text, (scalar) => (isLate(scalar) ? completeLeaf(scalar) : undefined));
  const is = documentsOf(completed);
  if (!is || !sameValue(is, expected)) {
    throw new Error(`a late value cannot be inserted into YAML: ${SAME}`);
  }
  return completed;
}

const SAME =
  'the text would hold another value. Fix: put the late value into a string of its own in the program';

interface OwnDocuments {
  readonly head: string;
  readonly documents: readonly unknown[];
}

/** The documents of a text that is written as we write YAML, except for comments before it. */
function ownDocuments(text: string): OwnDocuments | undefined {
  const [head] = HEAD.exec(text)!;
  const body = text.slice(head.length);
  const documents = documentsOf(body);
  return documents && documents.map(toYaml).join(SEPARATOR) === body
    ? { head, documents }
    : undefined;
}

function written({ head, documents }: OwnDocuments, change: (leaf: string) => string): string {
  return head + documents.map((document) => toYaml(withLate(document, change))).join(SEPARATOR);
}

function documentsOf(text: string): unknown[] | undefined {
  // most texts with a late value are that value alone, which no parser needs to read
  if (!OF_COLLECTION.test(text.replace(LATE_TOKEN, ''))) {
    return undefined;
  }
  const documents = tryYaml(text).documents ?? [];
  return documents.length > 0 &&
    documents.every((document) => typeof document === 'object' && document !== null)
    ? documents
    : undefined;
}

function withLate(value: unknown, change: (leaf: string) => string): unknown {
  return withLeaves(value, (leaf) =>
    typeof leaf === 'string' && isLate(leaf) ? change(leaf) : leaf,
  );
}

function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text) && jsonOf(text) !== undefined;
}
