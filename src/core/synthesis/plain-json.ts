import { ApiObject, ApiObjectMetadataDefinition, App, ImplicitTokenResolver, LazyResolver, NumberStringUnionResolver } from 'cdk8s';

/** What of an object of cdk8s is not public. */
interface Inside {
  readonly props?: { readonly [key: string]: unknown };
  readonly patches?: readonly unknown[];
  readonly metadata: InsideMetadata;
}

interface InsideMetadata {
  readonly toJson: unknown;
  readonly name?: string;
  readonly namespace?: string;
  readonly annotations?: unknown;
  readonly finalizers?: unknown;
  readonly ownerReferences?: unknown;
  readonly labels?: unknown;
  readonly _additionalAttributes?: object;
}

/** Thrown for values that only cdk8s renders as it does. */
const OTHER = new Error('not plain data');

/** Deeper than manifests are. */
const MAX_DEPTH = 100;

/**
 * The JSON of an object as `ApiObject.toJson` renders it, in one walk instead of five: undefined where it is more than plain data, e.g. has a lazy value,
 * a JSON patch or a key `__proto__`, or where the app renders in a way of its own.
 */
export function plainJson(object: ApiObject, isStockApp = rendersAsStock(App.of(object))): object | undefined {
  const { props, patches, metadata } = object as unknown as Inside;
  const isStock = object.toJson === ApiObject.prototype.toJson && metadata.toJson === ApiObjectMetadataDefinition.prototype.toJson;
  if (!isStockApp || !isStock || !props || !metadata._additionalAttributes || patches?.length !== 0) { return undefined; }
  try {
    return objectJson(props, metadata);
  } catch (error) {
    if (error === OTHER) { return undefined; }
    throw error;
  }
}

/** Whether nothing changes how an app renders its objects. */
export function rendersAsStock(app: App): boolean {
  if (process.env.CDK8S_DISABLE_SORT) { return false; }
  const { resolvers } = app as unknown as { readonly resolvers?: readonly object[] };
  const stock: readonly unknown[] = [LazyResolver, ImplicitTokenResolver, NumberStringUnionResolver];
  return resolvers?.length === stock.length && resolvers.every(({ constructor }, index) => constructor === stock[index]);
}

const NOT_IN_ORDER: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

function objectJson(props: { readonly [key: string]: unknown }, metadata: InsideMetadata): object | undefined {
  if (Object.getPrototypeOf(props) !== Object.prototype) { throw OTHER; }
  const [apiVersion, kind] = [plainValue(props.apiVersion, false, 1), plainValue(props.kind, false, 1)];
  if (apiVersion === undefined || kind === undefined) { return undefined; }
  const rendered: { [key: string]: unknown } = { apiVersion, kind, metadata: metadataJson(metadata) };
  for (const key of sortedKeys(props)) {
    if (!NOT_IN_ORDER.has(key)) { addPlain(rendered, key, props[key], false, 0); }
  }
  return rendered;
}

/** In the order in which they are written. */
const METADATA_FIELDS = ['annotations', 'finalizers', 'labels', 'name', 'namespace', 'ownerReferences'] as const;

const KNOWN_METADATA: ReadonlySet<string> = new Set(METADATA_FIELDS);

function metadataJson(metadata: InsideMetadata): object {
  // it holds these, too; nearly never is there anything else
  if (hasMore(metadata._additionalAttributes!)) {
    const known = Object.fromEntries(METADATA_FIELDS.map((field) => [field, metadata[field]]));
    return plainMap({ ...metadata._additionalAttributes, ...known }, true, 0);
  }
  const rendered: { [key: string]: unknown } = {};
  for (const field of METADATA_FIELDS) {
    const plain = plainValue(metadata[field], true, 1);
    if (plain !== undefined) { rendered[field] = plain; }
  }
  return rendered;
}

function hasMore(attributes: object): boolean {
  for (const key in attributes) {
    if (!KNOWN_METADATA.has(key)) { return true; }
  }
  return false;
}

/** @param filled whether empty lists and maps are left out, as of metadata */
function plainMap(map: object, filled: boolean, depth: number): { [key: string]: unknown } {
  if (depth > MAX_DEPTH || Object.getPrototypeOf(map) !== Object.prototype) { throw OTHER; }
  const rendered: { [key: string]: unknown } = {};
  for (const key of sortedKeys(map)) { addPlain(rendered, key, (map as { readonly [key: string]: unknown })[key], filled, depth); }
  return rendered;
}

function addPlain(rendered: { [key: string]: unknown }, key: string, value: unknown, filled: boolean, depth: number): void {
  if (key === '__proto__' || key === 'constructor') { throw OTHER; }
  const plain = plainValue(value, filled, depth + 1);
  if (plain !== undefined) { rendered[key] = plain; }
}

/** More keys than a map of a manifest has; up to here, insertion is the faster sort, and needs no room. */
const FEW = 24;

function sortedKeys(map: object): string[] {
  const keys = Object.keys(map);
  if (keys.length > FEW) { return keys.sort(); }
  for (let index = 1; index < keys.length; index++) {
    const key = keys[index];
    let place = index;
    for (; place > 0 && keys[place - 1] > key; place--) { keys[place] = keys[place - 1]; }
    keys[place] = key;
  }
  return keys;
}

function plainValue(value: unknown, filled: boolean, depth: number): unknown {
  switch (typeof value) {
    case 'string': case 'number': case 'boolean': return value;
    case 'undefined': return undefined;
    case 'object': break;
    default: throw OTHER;
  }
  if (value === null) { return undefined; }
  if (!Array.isArray(value)) {
    const map = plainMap(value, filled, depth);
    return filled && Object.keys(map).length === 0 ? undefined : map;
  }
  if (depth > MAX_DEPTH || Object.getPrototypeOf(value) !== Array.prototype) { throw OTHER; }
  if (filled && value.length === 0) { return undefined; }
  const list: unknown[] = [];
  for (const item of value as unknown[]) {
    const rendered = plainValue(item, filled, depth + 1);
    if (rendered === undefined) { throw OTHER; }
    list.push(rendered);
  }
  return list;
}
