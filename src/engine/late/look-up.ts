import { conditionsOf, textOf } from '../../core/kind/readiness';
import { isLate } from '../../core/late/late-token';
import { isRecord, valueAt } from '../../core/manifest/manifest';
import { AssemblyLateObject } from '../../core/output/assembly';
import { Redactor } from '../../core/secret/redactor';
import { TOKEN_PLACEHOLDER, TOKEN_SECRET_KEY, TOKEN_SECRET_PREFIX } from '../../rancher/import/registration-token.kind';
import { Cluster, LiveObject, ObjectRef, RequestOptions } from '../cluster/cluster';

/** As many of the latest events as help. */
const EVENTS = 3;

/**
 * What is known of an object for somebody who waited for it in vain, as a sentence for each: its conditions that are not True, and the latest events
 * about it. Nothing where nothing is known, or may be read.
 */
export async function explain(cluster: Cluster, ref: ObjectRef, options: RequestOptions = {}): Promise<readonly string[]> {
  try {
    const live = await cluster.read(ref, options);
    const conditions = live ? conditionsOf(live).filter(({ status }) => status !== 'True').map(textOf) : [];
    const redactor = new Redactor();
    return [...conditions, ...await events(cluster, ref, options).catch(() => [])].map((text) => redactor.scrub(text));
  } catch {
    return [];
  }
}

async function events(cluster: Cluster, { kind, namespace = 'default', name }: ObjectRef, options: RequestOptions): Promise<string[]> {
  const fieldSelector = encodeURIComponent(`involvedObject.kind=${kind},involvedObject.name=${name}`);
  const { items } = await cluster.get(`/api/v1/namespaces/${encodeURIComponent(namespace)}/events?fieldSelector=${fieldSelector}`, options);
  if (!Array.isArray(items)) { return []; }
  return items.filter(isRecord).map((event) => ({ at: timeOf(event), text: `event ${String(event.reason)}: ${String(event.message)}` }))
    .sort((a, b) => (a.at < b.at ? -1 : 1)).slice(-EVENTS).map(({ text }) => text);
}

/** @see k8s.io/api:core/v1/types.go Event */
function timeOf(event: { readonly [field: string]: unknown }): string {
  return String(event.lastTimestamp ?? event.eventTime ?? valueAt(event, 'metadata', 'creationTimestamp') ?? '');
}

/** What one look found: the value, or why there is none yet. Reasons never show a value. */
export type Look = { readonly value: string } | { readonly missing: string };

/** What a resolver looks at. */
export interface LookUp {
  readonly cluster: Cluster;
  /** Its names without placeholders. */
  readonly source: AssemblyLateObject;
  /** The URL of the Rancher that the source lies on, as the program says it. */
  readonly serverUrl?: string;
  readonly options: RequestOptions;
}

type Resolver = (lookUp: LookUp) => Promise<Look>;

/** By the name that stands in the assembly. */
const RESOLVERS: { readonly [resolver: string]: Resolver | undefined } = {
  'field': async (lookUp) => {
    const { source } = lookUp;
    const live = await read(lookUp, source);
    return live ? textAt(live, source.path) : { missing: 'it is not there yet' };
  },
  'secret-key': async (lookUp) => secretKey(lookUp, lookUp.source, lookUp.source.path),
  'registration-url': registrationUrl,
};

/** Looks once. Throws an ApiError where the cluster can't be asked. */
export async function lookUpOnce(lookUp: LookUp): Promise<Look> {
  const { resolver } = lookUp.source;
  const found = Object.prototype.hasOwnProperty.call(RESOLVERS, resolver) ? RESOLVERS[resolver] : undefined;
  if (!found) {
    throw new Error(`there is no resolver "${resolver}", only ${Object.keys(RESOLVERS).join(', ')} and text; `
      + 'the assembly was written by another version of cdk8s-harvester');
  }
  return found(lookUp);
}

/** What is looked at, for people. */
export function placeOf({ kind, namespace, name, path, resolver, target }: AssemblyLateObject): string {
  const object = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name} on ${target}`;
  return resolver === 'secret-key' ? `key "${path}" of ${object}` : `${path} of ${object}`;
}

async function read({ cluster, options }: LookUp, { apiVersion, kind, namespace, name }: ObjectRef): Promise<LiveObject | undefined> {
  return cluster.read({ apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) }, options);
}

// keys of annotations hold dots themselves: every way to read the path is tried
function textAt(object: unknown, path: string): Look {
  const values = valuesAt(object, path.split('.'));
  for (const value of values) {
    if (typeof value === 'string' && value !== '') { return { value }; }
    if (typeof value === 'number' || typeof value === 'boolean') { return { value: String(value) }; }
  }
  return { missing: values.some((value) => typeof value === 'object' && value !== null) ? `its ${path} is no text` : `its ${path} is empty yet` };
}

function valuesAt(value: unknown, keys: readonly string[]): unknown[] {
  if (keys.length === 0) { return [value]; }
  if (Array.isArray(value)) { return /^\d+$/.test(keys[0]) ? valuesAt(value[Number(keys[0])], keys.slice(1)) : []; }
  if (!isRecord(value)) { return []; }
  return keys.flatMap((_, end) => {
    const key = keys.slice(0, end + 1).join('.');
    return Object.prototype.hasOwnProperty.call(value, key) ? valuesAt(value[key], keys.slice(end + 1)) : [];
  });
}

async function secretKey(lookUp: LookUp, secret: ObjectRef, key: string): Promise<Look> {
  const live = await read(lookUp, secret);
  const name = `Secret ${secret.namespace}/${secret.name}`;
  if (!live) { return { missing: `${name} is not there yet` }; }
  const encoded = valueAt(live, 'data', key);
  if (typeof encoded !== 'string' || encoded === '') { return { missing: `${name} has no key "${key}" yet` }; }
  const bytes = Buffer.from(encoded, 'base64');
  const value = bytes.toString('utf8');
  return Buffer.from(value, 'utf8').equals(bytes) ? { value } : { missing: `key "${key}" of ${name} is no text in UTF-8` };
}

/**
 * The registration URL, with its token: since 2.13.8, 2.14.4 and 2.15.0 Rancher writes `{token}` in its place and keeps the token in a Secret.
 * @see rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/status.go, token_secret.go
 */
async function registrationUrl(lookUp: LookUp): Promise<Look> {
  const { source, serverUrl } = lookUp;
  const live = await read(lookUp, source);
  if (!live) { return { missing: 'it is not there yet' }; }
  const found = textAt(live, source.path);
  if (!('value' in found)) { return found; }
  let url = found.value;
  if (url.includes(TOKEN_PLACEHOLDER)) {
    const named = valueAt(live, 'status', 'tokenSecretName');
    const name = typeof named === 'string' && named !== '' ? named : `${TOKEN_SECRET_PREFIX}${source.name}`;
    const token = await secretKey(lookUp, { apiVersion: 'v1', kind: 'Secret', namespace: source.namespace, name }, TOKEN_SECRET_KEY);
    if (!('value' in token)) { return { missing: `its ${source.path} holds ${TOKEN_PLACEHOLDER}, and ${token.missing}` }; }
    // not replace, which gives some characters of the token a meaning
    url = url.split(TOKEN_PLACEHOLDER).join(token.value);
  }
  // Harvester applies what this URL gives as cluster admin: nobody else's may get there
  const host = serverUrl === undefined || isLate(serverUrl) || !URL.canParse(serverUrl) ? undefined : new URL(serverUrl).host;
  if (host !== undefined && URL.canParse(url) && new URL(url).host !== host) {
    const other = new URL(url).host;
    return { missing: `its ${source.path} leads to the host ${other}, and serverUrl of the program to ${host}: Rancher's setting server-url is another` };
  }
  return { value: url };
}
