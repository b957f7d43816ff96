/** A JSON object. */
export interface Fields {
  readonly [key: string]: unknown;
}

/** One step into an object: a key of a map, or the place in a list. */
export type Step = string | number;

export type FieldPath = readonly Step[];

/** A step of a pattern: a step, or any item. */
const ANY = Symbol('any item');

export type FieldPattern = readonly (Step | typeof ANY)[];

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;

/**
 * A path as findings write it: `spec.machinePools[0].quantity`,
 * `metadata.annotations[field.cattle.io/creatorId]`.
 */
export function pathText(path: FieldPath): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number' || !PLAIN_KEY.test(step)) {
        return `[${step}]`;
      }
      return index === 0 ? step : `.${step}`;
    })
    .join('');
}

/**
 * Reads a path of the assembly: keys by dots, `[key]` for keys that hold dots, `[*]` and `[]` for
 * all items of a list, `[0]` or `.0.` for one.
 */
export function patternOf(text: string): FieldPattern {
  const steps: (Step | typeof ANY)[] = [];
  for (const [, bracket, plain] of text.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)) {
    const step = bracket ?? plain;
    if (bracket === '' || bracket === '*') {
      steps.push(ANY);
    } else {
      steps.push(/^\d+$/.test(step) ? Number(step) : step);
    }
  }
  return steps;
}

/** Reads a path without wildcards. */
export function pathOf(text: string): FieldPath {
  return patternOf(text).filter((step) => step !== ANY);
}

/** A path as a JSON pointer. @see https://www.rfc-editor.org/rfc/rfc6901 */
export function pointerOf(path: FieldPath): string {
  return path.map((step) => `/${String(step).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');
}

/** Whether a pattern names a field, or one above it. */
export function coverOf(pattern: FieldPattern, path: FieldPath): 'exact' | 'above' | undefined {
  if (pattern.length > path.length) {
    return undefined;
  }
  // a number in a pattern may be the key of a map, too
  const meets = pattern.every(
    (step, index) => step === ANY || step === path[index] || String(step) === path[index],
  );
  if (!meets) {
    return undefined;
  }
  return pattern.length === path.length ? 'exact' : 'above';
}

/** Whether one path equals the other or contains it. */
export function isWithin(path: FieldPath, above: FieldPath): boolean {
  return above.length <= path.length && above.every((step, index) => step === path[index]);
}

/** The value at a path. */
export function at(value: unknown, path: FieldPath): unknown {
  let current = value;
  for (const step of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) {
      return undefined;
    }
    current = (current as { [key: Step]: unknown })[step];
  }
  return current;
}

/** A value in another one that is neither a list nor a map. */
export interface Leaf {
  readonly leaf: unknown;
  readonly path: FieldPath;
}

/** The leaves of a value, in order. */
export function leavesOf(value: unknown): Leaf[] {
  const found: Leaf[] = [];
  const walk = (each: unknown, path: FieldPath): void => {
    if (Array.isArray(each)) {
      each.forEach((item, index) => {
        walk(item, [...path, index]);
      });
    } else if (isRecord(each)) {
      for (const [key, item] of Object.entries(each)) {
        walk(item, [...path, key]);
      }
    } else {
      found.push({ leaf: each, path });
    }
  };
  walk(value, []);
  return found;
}

/** The key of a leaf, or of the list that it is in. */
export function keyAt(path: FieldPath): string {
  return String([...path].reverse().find((step) => typeof step === 'string') ?? '');
}

/** A copy with other leaves. */
export function withLeaves(
  value: unknown,
  change: (leaf: unknown, path: FieldPath) => unknown,
  path: FieldPath = [],
): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) => withLeaves(item, change, [...path, index]));
  }
  if (!isRecord(value)) {
    return change(value, path);
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withLeaves(item, change, [...path, key])]),
  );
}

/** A copy with another value at a path that is there; without it where the value is undefined. */
export function replacedAt<T>(value: T, path: FieldPath, by: unknown): T {
  if (path.length === 0) {
    return by as T;
  }
  const [step, ...rest] = path;
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === step ? replacedAt(item, rest, by) : item)) as T;
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) {
    return value;
  }
  const entries = Object.entries(value).map(
    ([key, item]) => [key, key === step ? replacedAt(item, rest, by) : item] as const,
  );
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined)) as T;
}

/**
 * The annotations of a manifest; none if they are not a map. Rules judge any JSON, where the type
 * of a manifest is only hoped for.
 */
export function annotationsOf({ metadata }: Manifest): { readonly [key: string]: unknown } {
  return isRecord(metadata.annotations) ? metadata.annotations : {};
}

/** The `<namespace>/<name>` of an object; the name alone without a namespace. */
export function printName({
  namespace,
  name,
}: {
  readonly namespace?: string;
  readonly name: string;
}): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** The `<namespace>/<name>` of a namespaced object, `default` without a namespace. */
export function namespacedName({ metadata }: Manifest): string {
  const { namespace, name } = metadata;
  return `${namespace ?? 'default'}/${name}`;
}

/** The labels of a manifest; none if they are not a map. */
export function labelsOf({ metadata }: Manifest): { readonly [key: string]: unknown } {
  return isRecord(metadata.labels) ? metadata.labels : {};
}

/** Whether the server makes up the name of an object, so that there is none to judge. */
export function isNameGenerated({ metadata }: Manifest): boolean {
  return (
    metadata.name === '' &&
    typeof metadata.generateName === 'string' &&
    metadata.generateName !== ''
  );
}

/**
 * Whether a manifest was read from a server: the server sets these fields, fills in others, and
 * refuses to create an object that contains them.
 */
export function isFromServer({ metadata }: Manifest): boolean {
  return metadata.uid !== undefined || metadata.resourceVersion !== undefined;
}

/** A Kubernetes object as plain JSON: what synthesis renders, what a YAML document holds. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ManifestMetadata;
  readonly [field: string]: unknown;
}

interface ManifestMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
  readonly [field: string]: unknown;
}

/** The API group of an apiVersion; the core group is `''`. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** `group/Kind`, the key of a kind in our tables; versions of one group share their rules. */
export function kindKey(group: string, kind: string): string {
  return `${group}/${kind}`;
}

type KindOf = Pick<Manifest, 'apiVersion' | 'kind'>;

/**
 * A function of the kind of an object, computed once for an API version and a kind: a look-up makes
 * no text for each object.
 */
export function byKind<T>(compute: (key: string, object: KindOf) => T): (object: KindOf) => T {
  const versions = new Map<string, Map<string, T>>();
  return (object) => {
    const { apiVersion, kind } = object;
    // rules ask for each object: a look-up makes no functions either
    const kinds = versions.get(apiVersion) ?? new Map<string, T>();
    let value = kinds.get(kind);
    if (value === undefined) {
      versions.set(apiVersion, kinds);
      kinds.set(kind, (value = compute(kindKey(groupOf(apiVersion), kind), object)));
    }
    return value;
  };
}

/** A reference to an object on one target. */
interface Ref {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** An object of which only the name is known. */
export function nameOnly({ apiVersion, kind, namespace, name }: Ref): Manifest {
  return {
    apiVersion,
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  };
}

/**
 * What makes two manifests the same object on one target: two versions of a group are two views of
 * one object.
 */
export function objectKey({ apiVersion, kind, metadata }: Manifest): string {
  const { namespace, name } = metadata;
  return refKey({ apiVersion, kind, namespace, name });
}

/** The same of an object that is only named. */
export function refKey({ apiVersion, kind, namespace, name }: Ref): string {
  return `${kindKey(groupOf(apiVersion), kind)}/${namespace ?? ''}/${name}`;
}

/** What an object is on all targets together: `<target>/<group>/<Kind>/<namespace>/<name>`. */
export function objectId(target: string, { apiVersion, kind, metadata }: Manifest): string {
  const { namespace, name } = metadata;
  return idOf(target, groupOf(apiVersion), kind, namespace, name);
}

/** The same of an object that is only named. */
export function refId(target: string, { apiVersion, kind, namespace, name }: Ref): string {
  return idOf(target, groupOf(apiVersion), kind, namespace, name);
}

/** The same from its parts. */
export function idOf(
  target: string,
  group: string,
  kind: string,
  namespace: string | undefined,
  name: string,
): string {
  return `${target}/${group}/${kind}/${namespace ?? ''}/${name}`;
}

/** `Kind namespace/name`, as people name an object. */
export function objectLabel(manifest: Manifest): string {
  const { namespace, name } = manifest.metadata;
  return `${manifest.kind} ${namespace ? `${namespace}/` : ''}${name}`;
}

/** Whether a parsed YAML document is a Kubernetes object at all; what it must have to be judged. */
export function isManifest(value: unknown): value is Manifest {
  if (!isRecord(value) || !isRecord(value.metadata)) {
    return false;
  }
  return (
    typeof value.apiVersion === 'string' &&
    typeof value.kind === 'string' &&
    typeof value.metadata.name === 'string'
  );
}

export function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value below a list of keys, or undefined where the way ends early. */
export function valueAt(value: unknown, ...keys: string[]): unknown {
  let current = value;
  for (const key of keys) {
    if (!isRecord(current) || !Object.prototype.hasOwnProperty.call(current, key)) {
      return undefined;
    }
    current = current[key];
  }
  return current;
}

/** The items of the list below a list of keys; none where there is no list. */
export function itemsAt(value: unknown, ...keys: string[]): readonly unknown[] {
  const list = valueAt(value, ...keys);
  return Array.isArray(list) ? list : NO_ITEMS;
}

/** The texts in the list below a list of keys. */
export function textsAt(value: unknown, ...keys: string[]): string[] {
  return itemsAt(value, ...keys).filter((item): item is string => typeof item === 'string');
}

const NO_ITEMS: readonly unknown[] = [];

/** The items of the list below a list of keys that are maps, with their indexes. */
export function records(
  value: unknown,
  ...keys: string[]
): [index: number, fields: { readonly [field: string]: unknown }][] {
  return itemsAt(value, ...keys).flatMap(
    (item, index): [number, { readonly [field: string]: unknown }][] =>
      isRecord(item) ? [[index, item]] : [],
  );
}

/**
 * Whether two values mean the same to an API server: the order of keys has no effect, and nothing,
 * null, `{}` and `[]` are one.
 */
export function sameValue(a: unknown, b: unknown): boolean {
  if (isNothing(a) || isNothing(b)) {
    return isNothing(a) && isNothing(b);
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) {
    return a === b;
  }
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) =>
    sameValue(a[key], b[key]),
  );
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) {
    return true;
  }
  if (Array.isArray(value)) {
    return value.length === 0;
  }
  return isRecord(value) && Object.values(value).every(isNothing);
}

/** A value with the keys of its maps in one order, for texts that must not depend on it. */
export function sortedKeys<T>(value: T): T;
export function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((item: unknown) => sortedKeys(item));
  }
  return isRecord(value)
    ? Object.fromEntries(
        Object.keys(value)
          .sort()
          .map((key) => [key, sortedKeys(value[key])]),
      )
    : value;
}

/** The spec of a manifest. Empty if it is not a map. */
export function specOf(manifest: Manifest): { readonly [field: string]: unknown } {
  return isRecord(manifest.spec) ? manifest.spec : {};
}
