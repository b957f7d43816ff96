import { Live } from '../doubles/live';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * What no two runs have in common, and nothing else:
 * - UIDs, resource versions, generations (how many writes there were in between), creation times,
 *   the times of managed fields; all other times;
 * - values that a server makes at random: credentials, MAC addresses, the hash of the pod security
 *   configuration;
 * - the text of an AdmissionReview that a broken webhook answers with, up to its verdict;
 * - which contents of a deleted Namespace still have a finalizer when the namespace controller
 *   looks: that is a race of two controllers;
 * - which of two controllers of a GlobalRoleBinding was the last to write its `lastUpdateTime`.
 */
export function normal(object: Live, made: Made = new Map()): Json {
  const {
    metadata: {
      uid: _,
      resourceVersion: __,
      generation: ___,
      creationTimestamp: ____,
      ...metadata
    },
    ...fields
  } = object;
  const { managedFields = [], ...rest } = metadata as { managedFields?: ManagedFields[] };
  const managed = managedFields
    .map((entry) => managerOf(entry, object.kind))
    .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
  return walk(
    { ...fields, metadata: { ...rest, managedFields: managed } } as unknown as Json,
    [],
    made,
  );
}

/**
 * All states of one object, in their order: a value made at random is numbered, so that another one
 * is another state.
 */
export function normalStates(objects: readonly Live[]): Json[] {
  const made: Made = new Map();
  return objects.map((object) => normal(object, made));
}

/** Numbers of values that were made at random. */
type Made = Map<string, number>;

const MADE_BY_THE_SERVER = '(made by the server)';
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/** A message of a server without times and UIDs. */
export function normalText(text: string): string {
  return text
    .replace(/\\"request\\":.*\\"response\\":\{\\"uid\\":\\"[0-9a-f-]+\\"/s, '(request and UID)')
    .replace(TIME, '(time)');
}

interface ManagedFields {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly subresource?: string;
  readonly fieldsV1?: { readonly [key: string]: Json };
}

function managerOf(
  { manager, operation, apiVersion, subresource = '', fieldsV1 = {} }: ManagedFields,
  kind: string,
): Json {
  const fields = leaves(fieldsV1)
    .filter((leaf) => !(kind === 'GlobalRoleBinding' && leaf === 'f:status f:lastUpdateTime'))
    .sort();
  return { manager, operation, apiVersion, subresource, fields };
}

/** The fields of a manager; `.` is the object itself. */
function leaves(fields: { readonly [key: string]: Json }, at = ''): string[] {
  return Object.entries(fields).flatMap(([key, below]) => {
    const here = at ? `${at} ${key}` : key;
    return Object.keys(below as object).length === 0
      ? [here]
      : leaves(below as { readonly [key: string]: Json }, here);
  });
}

function walk(value: Json, at: readonly string[], made: Made): Json {
  if (typeof value === 'string') {
    return textOf(value, at, made);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item: Json) => walk(item, [...at, '*'], made));
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !(key === 'uid' && at.includes('ownerReferences')))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, below]) => [key, walk(below as Json, [...at, key], made)]),
  );
}

function textOf(value: string, at: readonly string[], made: Made): string {
  const key = at.at(-1);
  if (
    key === 'uid' ||
    key === 'kubernetes.io/service-account.uid' ||
    (at[0] === 'data' && at.length === 2)
  ) {
    return MADE_BY_THE_SERVER;
  }
  if (key === 'macAddress' || (key === 'hash' && at.includes('machineSelectorFiles'))) {
    made.set(value, made.get(value) ?? made.size + 1);
    return `${MADE_BY_THE_SERVER} ${made.get(value)}`;
  }
  if (key === 'message' && /^Some (resources are|content in the namespace has)/.test(value)) {
    return value.replace(/: .*/, ': (contents)');
  }
  return value.replace(TIME, '(time)');
}

/** Single statements about an object: its fields, its conditions, its field managers. */
export function factsOf(value: Json, at = ''): string[] {
  if (typeof value !== 'object' || value === null) {
    return [`${at} = ${JSON.stringify(value)}`];
  }
  if (Array.isArray(value)) {
    if (at.endsWith('managedFields')) {
      return value.flatMap(
        (entry: { manager: string; operation: string; subresource: string; fields: string[] }) =>
          entry.fields.map(
            (field) =>
              `owned by ${entry.manager} ${entry.operation} ${entry.subresource}: ${field}`,
          ),
      );
    }
    if (
      value.some(
        (item: Json) =>
          typeof item === 'object' && item !== null && 'type' in item && 'status' in item,
      )
    ) {
      return value.map(
        (condition: { type: string; status: string }) =>
          `${at}[${condition.type}] = ${JSON.stringify(condition)}`,
      );
    }
    return value.length === 0
      ? [`${at} = []`]
      : value.flatMap((item: Json, index) => factsOf(item, `${at}[${index}]`));
  }
  const entries = Object.entries(value);
  return entries.length === 0
    ? [`${at} = {}`]
    : entries.flatMap(([key, below]) => factsOf(below as Json, at ? `${at}.${key}` : key));
}

/**
 * What of a fact must be known from some recording of the kind: the field, the condition's state,
 * the owner; not the values of other fields.
 */
export function kindOfFact(fact: string): string {
  return /^owned by |\[[A-Za-z]+\] = \{/.test(fact)
    ? fact
    : fact.split(' = ')[0].replace(/\[\d+\]/g, '[]');
}

/** How two states differ, fact by fact. */
export function difference(recorded: Json, seen: Json): string[] {
  const [a, b] = [new Set(factsOf(recorded)), new Set(factsOf(seen))];
  const facts = [
    ...[...a].filter((fact) => !b.has(fact)).map((fact) => `- ${fact}`),
    ...[...b].filter((fact) => !a.has(fact)).map((fact) => `+ ${fact}`),
  ];
  return facts.length > 0 || JSON.stringify(recorded) === JSON.stringify(seen)
    ? facts
    : [`the order of lists differs: ${JSON.stringify(recorded)} ${JSON.stringify(seen)}`];
}
