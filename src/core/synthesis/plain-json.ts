import { ApiObject, ApiObjectMetadataDefinition, App, ImplicitTokenResolver, LazyResolver, NumberStringUnionResolver } from 'cdk8s';

/** What of an object of cdk8s is not public. */
interface Inside {
  readonly props?: object;
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
 * a JSON patch or a key `__proto__`.
 */
export function plainJson(object: ApiObject): object | undefined {
  const { props, patches, metadata } = object as unknown as Inside;
  const { name, namespace, annotations, finalizers, ownerReferences, labels, _additionalAttributes: additional } = metadata;
  const isStock = object.toJson === ApiObject.prototype.toJson && metadata.toJson === ApiObjectMetadataDefinition.prototype.toJson;
  if (!isStock || !props || !additional || patches?.length !== 0) { return undefined; }
  if (process.env.CDK8S_DISABLE_SORT || !hasStockResolvers(App.of(object))) { return undefined; }
  try {
    const { apiVersion, kind, ...rest } = plainMap({ ...props, metadata: undefined }, false, 0);
    if (apiVersion === undefined || kind === undefined) { return undefined; }
    const about = plainMap({ ...additional, name, namespace, annotations, finalizers, ownerReferences, labels }, true, 0);
    return { apiVersion, kind, metadata: about, ...rest };
  } catch (error) {
    if (error === OTHER) { return undefined; }
    throw error;
  }
}

function hasStockResolvers(app: App): boolean {
  const { resolvers } = app as unknown as { readonly resolvers?: readonly object[] };
  const stock: readonly unknown[] = [LazyResolver, ImplicitTokenResolver, NumberStringUnionResolver];
  return resolvers?.length === stock.length && resolvers.every(({ constructor }, index) => constructor === stock[index]);
}

/** @param filled whether empty lists and maps are left out, as of metadata */
function plainMap(map: object, filled: boolean, depth: number): { [key: string]: unknown } {
  if (depth > MAX_DEPTH || Object.getPrototypeOf(map) !== Object.prototype) { throw OTHER; }
  const rendered: { [key: string]: unknown } = {};
  for (const key of Object.keys(map).sort()) {
    if (key === '__proto__' || key === 'constructor') { throw OTHER; }
    const value = plainValue((map as { readonly [key: string]: unknown })[key], filled, depth + 1);
    if (value !== undefined) { rendered[key] = value; }
  }
  return rendered;
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
  return Array.from(value as unknown[], (item) => {
    const rendered = plainValue(item, filled, depth + 1);
    if (rendered === undefined) { throw OTHER; }
    return rendered;
  });
}
