import { conditionsOf, conditionText } from '../../core/kind/ready/readiness';
import {
  LABELED_FIELD,
  MATCHED_FIELD,
  isLate,
  listsObjects,
  matchOf,
} from '../../core/late/late-token';
import { isRecord, printName, valueAt } from '../../core/manifest/manifest';
import { AssemblyLateObject } from '../../core/output/assembly';
import { Redactor } from '../../core/secret/redactor';
import { filledText, some } from '../../core/text/plain-text';
import { byObject, compare, remembered } from '../../core/text/values';
import {
  TOKEN_PLACEHOLDER,
  TOKEN_SECRET_KEY,
  TOKEN_SECRET_PREFIX,
} from '../../rancher/import/registration-token.kind';
import { Cluster, LiveObject, ObjectRef, RequestOptions } from '../cluster/cluster';

/** The number of latest events to report. */
const EVENTS = 3;

/**
 * Explains why an object is not ready: its conditions that are not True, and the latest events
 * about it. Empty if nothing is known or readable.
 */
export async function explainLateValue(
  cluster: Cluster,
  ref: ObjectRef,
  options: RequestOptions = {},
): Promise<readonly string[]> {
  try {
    const live = await cluster.read(ref, options);
    const conditions = live
      ? conditionsOf(live)
          .filter(({ status }) => status !== 'True')
          .map(conditionText)
      : [];
    const redactor = new Redactor();
    return [...conditions, ...(await events(cluster, ref, options).catch(() => []))].map((text) =>
      redactor.scrub(text),
    );
  } catch {
    return [];
  }
}

async function events(
  cluster: Cluster,
  { kind, namespace = 'default', name }: ObjectRef,
  options: RequestOptions,
): Promise<string[]> {
  const fieldSelector = encodeURIComponent(
    `involvedObject.kind=${kind},involvedObject.name=${name}`,
  );
  const { items } = await cluster.get(
    `/api/v1/namespaces/${encodeURIComponent(namespace)}/events?fieldSelector=${fieldSelector}`,
    options,
  );
  if (!Array.isArray(items)) {
    return [];
  }
  // @see k8s.io/api:core/v1/types.go Event
  const timeOf = (event: unknown): unknown =>
    valueAt(event, 'lastTimestamp') ??
    valueAt(event, 'eventTime') ??
    valueAt(event, 'metadata', 'creationTimestamp');
  const found = items.filter(isRecord).map((event) => ({
    at: String(timeOf(event) ?? ''),
    text: `event ${String(event.reason)}: ${String(event.message)}`,
  }));
  found.sort((a, b) => (a.at < b.at ? -1 : 1));
  return found.slice(-EVENTS).map(({ text }) => text);
}

/**
 * The result of one read: the value, or why there is none yet, and whether waiting cannot help.
 * Reasons never contain the value.
 */
export type Look =
  { readonly value: string } | { readonly missing: string; readonly isFinal?: boolean };

/** The input of a resolver. */
interface LookUp {
  readonly cluster: Cluster;
  /** The source, with names without placeholders. */
  readonly source: AssemblyLateObject;
  /** The declared server URL of the source's Rancher. */
  readonly serverUrl?: string;
  readonly options: RequestOptions;
}

type Resolver = (lookUp: LookUp) => Promise<Look>;

/** By the name in the assembly. */
const RESOLVERS: { readonly [resolver: string]: Resolver | undefined } = {
  'field': async ({ cluster, options, source }) => {
    const live = await cluster.read(source, options);
    return live ? textAt(live, source.path) : { missing: 'it does not exist yet' };
  },
  [LABELED_FIELD]: labeledField,
  [MATCHED_FIELD]: matchedField,
  'secret-key': async (lookUp) => secretKey(lookUp, lookUp.source, lookUp.source.path),
  'registration-url': registrationUrl,
};

/** Reads once. Throws an ApiError if the cluster cannot be read. */
export async function lookUpOnce(lookUp: LookUp): Promise<Look> {
  const { resolver } = lookUp.source;
  const found = Object.prototype.hasOwnProperty.call(RESOLVERS, resolver)
    ? RESOLVERS[resolver]
    : undefined;
  if (!found) {
    throw new Error(
      `resolver must be one of ${Object.keys(RESOLVERS).join(', ')} and text, got "${resolver}", of another version of cdk8s-harvester. ` +
        'Fix: synthesize again with this version',
    );
  }
  return found(lookUp);
}

/** The source of a late value, for messages. */
export function lateValuePlace({
  kind,
  namespace,
  name,
  path,
  resolver,
  target,
}: AssemblyLateObject): string {
  const place = namespace === undefined ? '' : `${namespace}/`;
  const object = `${kind} ${place}${listsObjects(resolver) ? `* with ${criterionOf(resolver, name)}` : name} on ${target}`;
  return resolver === 'secret-key' ? `key "${path}" of ${object}` : `${path} of ${object}`;
}

function criterionOf(resolver: string, text: string): string {
  if (resolver === LABELED_FIELD) {
    return `label ${text}`;
  }
  const { field, value } = matchOf(text);
  return `${field} "${value}"`;
}

async function labeledField({ cluster, options, source }: LookUp): Promise<Look> {
  const { apiVersion, kind, namespace, name: labelSelector, path } = source;
  const found = await cluster.list(apiVersion, kind, { ...options, labelSelector, namespace });
  if (found.length === 0) {
    return { missing: 'no object has this label yet' };
  }
  if (found.length > 1) {
    return {
      missing: `several objects have this label: ${found
        .map(({ metadata }) => metadata.name)
        .slice(0, 5)
        .join(', ')}`,
    };
  }
  return firstTextAt(found[0], path);
}

async function matchedField(lookUp: LookUp): Promise<Look> {
  const { kind, namespace, name, path } = lookUp.source;
  const { field, value } = matchOf(name);
  const found = (await listOnce(lookUp)).filter((live) => {
    const is = textAt(live, field);
    return 'value' in is && is.value === value && live.metadata.deletionTimestamp === undefined;
  });
  if (found.length === 1) {
    return firstTextAt(found[0], path);
  }
  const what = criterionOf(MATCHED_FIELD, name);
  if (found.length === 0) {
    return {
      missing: `no ${kind} with ${what} exists${namespace === undefined ? '' : ` in namespace ${namespace}`}`,
    };
  }
  const names = some(found.map(({ metadata }) => printName(metadata)).sort(compare));
  return {
    missing: `several objects have ${what}: ${names}. Fix: rename all but one of them, or refer to the object by its name`,
    isFinal: true,
  };
}

/** The lists that are being read of a cluster: look-ups at the same time share them. */
const listsOf = byObject((_: Cluster) => new Map<string, Promise<LiveObject[]>>());

async function listOnce({ cluster, options, source }: LookUp): Promise<LiveObject[]> {
  const { apiVersion, kind, namespace } = source;
  const lists = listsOf(cluster);
  const key = [apiVersion, kind, namespace].join(' ');
  return remembered(lists, key, async () =>
    cluster.list(apiVersion, kind, { ...options, namespace }).finally(() => {
      lists.delete(key);
    }),
  );
}

function firstTextAt(object: unknown, path: string): Look {
  const looks = path.split('|').map((alternative) => textAt(object, alternative));
  return looks.find((look) => 'value' in look) ?? looks[0];
}

// keys of annotations contain dots: every way to split the path is tried
function textAt(object: unknown, path: string): Look {
  const values = valuesAt(object, path.split('.'));
  for (const value of values) {
    if (typeof value === 'string' && value !== '') {
      return { value };
    }
    if (typeof value === 'number' || typeof value === 'boolean') {
      return { value: String(value) };
    }
  }
  return {
    missing: values.some((value) => typeof value === 'object' && value !== null)
      ? `its ${path} is not a text`
      : `its ${path} is still empty`,
  };
}

function valuesAt(value: unknown, keys: readonly string[]): unknown[] {
  if (keys.length === 0) {
    return [value];
  }
  if (Array.isArray(value)) {
    const [field, is] = keys[0].split('=');
    const item =
      is === undefined
        ? value[/^\d+$/.test(field) ? Number(field) : -1]
        : value.find((each) => isRecord(each) && each[field] === is);
    return valuesAt(item, keys.slice(1));
  }
  if (!isRecord(value)) {
    return [];
  }
  return keys.flatMap((_, end) => {
    const key = keys.slice(0, end + 1).join('.');
    return Object.prototype.hasOwnProperty.call(value, key)
      ? valuesAt(value[key], keys.slice(end + 1))
      : [];
  });
}

async function secretKey(
  { cluster, options }: LookUp,
  secret: ObjectRef,
  key: string,
): Promise<Look> {
  const live = await cluster.read(secret, options);
  const name = `Secret ${secret.namespace}/${secret.name}`;
  if (!live) {
    return { missing: `${name} does not exist yet` };
  }
  const encoded = valueAt(live, 'data', key);
  if (typeof encoded !== 'string' || encoded === '') {
    return { missing: `${name} has no key "${key}" yet` };
  }
  const bytes = Buffer.from(encoded, 'base64');
  const value = bytes.toString('utf8');
  return Buffer.from(value, 'utf8').equals(bytes)
    ? { value }
    : { missing: `key "${key}" of ${name} is not UTF-8 text` };
}

/**
 * The registration URL, with its token: since 2.13.8, 2.14.4 and 2.15.0 Rancher writes `{token}` in
 * its place and keeps the token in a Secret.
 * @see rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/status.go, token_secret.go
 */
async function registrationUrl(lookUp: LookUp): Promise<Look> {
  const { cluster, options, source, serverUrl } = lookUp;
  const live = await cluster.read(source, options);
  if (!live) {
    return { missing: 'it does not exist yet' };
  }
  const found = textAt(live, source.path);
  if (!('value' in found)) {
    return found;
  }
  let url = found.value;
  if (url.includes(TOKEN_PLACEHOLDER)) {
    const name =
      filledText(valueAt(live, 'status', 'tokenSecretName')) ??
      `${TOKEN_SECRET_PREFIX}${source.name}`;
    const token = await secretKey(
      lookUp,
      { apiVersion: 'v1', kind: 'Secret', namespace: source.namespace, name },
      TOKEN_SECRET_KEY,
    );
    if (!('value' in token)) {
      return { missing: `its ${source.path} holds ${TOKEN_PLACEHOLDER}, and ${token.missing}` };
    }
    // replace() would interpret $ in the token
    url = url.split(TOKEN_PLACEHOLDER).join(token.value);
  }
  // Harvester applies the manifest at this URL as cluster admin: it must come from this Rancher
  const host =
    serverUrl === undefined || isLate(serverUrl) || !URL.canParse(serverUrl)
      ? undefined
      : new URL(serverUrl).host;
  if (host !== undefined && URL.canParse(url) && new URL(url).host !== host) {
    const other = new URL(url).host;
    return {
      missing: `the host of its ${source.path} must be ${host}, as in serverUrl of the program, got ${other}. Fix: correct Rancher's setting server-url`,
    };
  }
  return { value: url };
}
