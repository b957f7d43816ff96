import { FoundReference, NameForm, NamedBy, KindReferences } from './description/references';
import { KindDescription } from './kind';
import { allKinds, kindOf } from './kinds';
import { Manifest, groupOf, isRecord } from '../manifest/manifest';
import { lazily } from '../text/values';

/** The kind that a field names. */
type Referred = Pick<KindDescription, 'group' | 'kind'>;

type Keyed<T> = readonly (readonly [key: string, more: T])[];

const byKey = <T>(
  keysOf: (namedBy: NamedBy) => Keyed<T>,
): (() => ReadonlyMap<string, Referred & { readonly more: T }>) =>
  lazily(
    () =>
      new Map(
        allKinds().flatMap(({ group, kind, namedBy = {} }) =>
          keysOf(namedBy).map(([key, more]) => [key, { group, kind, more }] as const),
        ),
      ),
  );
const plain = (
  keys: readonly string[] = [],
): readonly (readonly [key: string, more: undefined])[] => keys.map((key) => [key, undefined]);

const byField = byKey<NameForm>(({ fields = {} }) => Object.entries(fields));
const byObject = byKey(({ objects }) => plain(objects));
const byList = byKey(({ lists }) => plain(lists));
const byPeer = byKey(({ peers }) => plain(peers));

/** The keys of fields that name objects. */
const naming = lazily(
  (): ReadonlySet<string> =>
    new Set([...byField().keys(), ...byObject().keys(), ...byList().keys()]),
);

const SECRET_SCHEME = 'secret://';

/**
 * A text that names a Secret wherever it is.
 * @see rancher/rancher:pkg/capr/planner (secret:// paths of machine global and selector config)
 */
const SECRET_URL = /^secret:\/\/([^:/]+):([^:/]+)$/;

/**
 * Annotation on a Secret: the ServiceAccount whose token Kubernetes writes into it.
 * @see kubernetes/api:core/v1/types.go ServiceAccountNameKey
 */
export const ANNOTATION_SERVICE_ACCOUNT = 'kubernetes.io/service-account.name';

/** Whether the content of a kind refers to no object. */
export function refersToNothing(kind: Pick<Manifest, 'apiVersion' | 'kind'>): boolean {
  return kindOf<KindReferences>(kind)?.refers === 'nothing';
}

/**
 * What the content of an object refers to. A text that only looks like a reference does no harm: no
 * object of that name is found.
 */
export function referencesIn(manifest: Manifest): FoundReference[] {
  const found: FoundReference[] = [];
  for (const key in manifest) {
    if (key === 'metadata') {
      addReferences(found, manifest.metadata.annotations);
    } else {
      addField(found, key, manifest[key]);
    }
  }
  for (const reference of kindOf<KindReferences>(manifest)?.references?.(manifest) ?? []) {
    found.push(reference);
  }
  return found;
}

function addReferences(found: FoundReference[], value: unknown): void {
  if (typeof value === 'string') {
    const secret = value.startsWith(SECRET_SCHEME) ? SECRET_URL.exec(value) : null;
    if (secret) {
      found.push({ group: '', kind: 'Secret', name: secret[2], namespaces: [secret[1]] });
    }
  } else if (Array.isArray(value)) {
    for (const item of value) {
      addReferences(found, item);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const key in value) {
      addField(found, key, (value as { readonly [key: string]: unknown })[key]);
    }
  }
}

function addField(found: FoundReference[], key: string, value: unknown): void {
  if (naming().has(key)) {
    found.push(...named(key, value));
  }
  addReferences(found, value);
}

/**
 * `local://<user>`: the principal of a user of Rancher itself.
 * @see rancher/rancher:pkg/auth/providers/local/local_auth_provider.go
 */
const LOCAL_PRINCIPAL = /^local:\/\//;

/** What the top-level fields of an object name of its own group. */
export function peersIn(manifest: Manifest): FoundReference[] {
  const own = groupOf(manifest.apiVersion);
  return [...byPeer()]
    .filter(([, { group }]) => group === own)
    .flatMap(([field, { group, kind }]) =>
      [manifest[field]]
        .flat()
        .flatMap((name) =>
          typeof name === 'string'
            ? [{ group, kind, name: name.replace(LOCAL_PRINCIPAL, '') }]
            : [],
        ),
    );
}

function named(key: string, value: unknown): FoundReference[] {
  const [field, object, list] = [byField().get(key), byObject().get(key), byList().get(key)];
  if (field && typeof value === 'string' && value !== '') {
    return [inForm(field, field.more, value)];
  }
  if (object && isRecord(value) && typeof value.name === 'string') {
    return [at(object, value.name, value.namespace)];
  }
  if (list && Array.isArray(value)) {
    return value.flatMap((item) =>
      isRecord(item) && typeof item.name === 'string' ? [at(list, item.name)] : [],
    );
  }
  return [];
}

function inForm(referred: Referred, form: NameForm, text: string): FoundReference {
  const place = form === 'name' ? -1 : text.indexOf(form === 'namespace/name' ? '/' : ':');
  return place < 0 ? at(referred, text) : at(referred, text.slice(place + 1), text.slice(0, place));
}

function at({ group, kind }: Referred, name: string, namespace?: unknown): FoundReference {
  return {
    group,
    kind,
    name,
    ...(typeof namespace === 'string' ? { namespaces: [namespace] } : {}),
  };
}
