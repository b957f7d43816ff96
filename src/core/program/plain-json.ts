import {
  ApiObject,
  App,
  ImplicitTokenResolver,
  IResolver,
  Lazy,
  LazyResolver,
  NumberStringUnionResolver,
} from 'cdk8s';
import { IConstruct } from 'constructs';

/** What cdk8s renders an object of; another version of it may have other parts. */
interface Parts {
  readonly props?: object;
  readonly patches?: readonly unknown[];
  readonly metadata?: {
    readonly name?: unknown;
    readonly namespace?: unknown;
    readonly annotations?: unknown;
    readonly finalizers?: unknown;
    readonly ownerReferences?: unknown;
    readonly labels?: unknown;
    readonly _additionalAttributes?: object;
  };
}

interface PlainMap {
  readonly [key: string]: unknown;
}

/** Thrown for a value that only cdk8s can render. */
const NOT_PLAIN = new Error('not plain data');

/** The environment variable of cdk8s that keeps the order of keys. */
const KEEPS_ORDER = 'CDK8S_DISABLE_SORT';

/**
 * Whether cdk8s renders plain data of an app in the usual way: sorted, and by its own resolvers
 * alone.
 */
export function rendersPlainly(app: IConstruct): boolean {
  const { resolvers } = app as App;
  const isUsual = resolvers !== undefined && resolvers.every(isOfCdk8s);
  return isUsual && !process.env[KEEPS_ORDER];
}

/**
 * An object of such an app as `ApiObject.toJson` renders it, in one pass over its values. cdk8s goes through
 * metadata four times and through the rest twice, and asks each resolver about each value, with a
 * path and a search for the app each time.
 *
 * @returns undefined for what only cdk8s can render: objects with patches, or with values that are
 *   not plain data
 */
export function plainJson(object: ApiObject): unknown {
  const { props, patches, metadata } = object as unknown as Parts;
  const attributes = metadata?._additionalAttributes;
  const isKnown = props !== undefined && attributes !== undefined && patches?.length === 0;
  if (!isKnown || object.toJson !== ApiObject.prototype.toJson) {
    return undefined;
  }
  const { name, namespace, annotations, finalizers, ownerReferences, labels } = metadata!;
  const own = { annotations, finalizers, labels, name, namespace, ownerReferences };
  // nearly no program adds other fields, and to spread the fields of each object takes as long as
  // all the rest
  const isWhole = Object.keys(attributes).every((key) => Object.hasOwn(own, key));
  try {
    return plainObject(
      props as PlainMap,
      plainMap(isWhole ? own : { ...attributes, ...own }, true),
    );
  } catch {
    // cdk8s reports what is wrong with the object, if anything is
    return undefined;
  }
}

function isOfCdk8s(resolver: IResolver): boolean {
  return (
    resolver instanceof LazyResolver ||
    resolver instanceof ImplicitTokenResolver ||
    resolver instanceof NumberStringUnionResolver
  );
}

const COMMON_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** A copy of an object, with the fields that all objects have before its own. */
function plainObject(props: PlainMap, metadata: unknown): unknown {
  const copy: { [key: string]: unknown } = {
    apiVersion: plainValue(props.apiVersion, false),
    kind: plainValue(props.kind, false),
    metadata,
  };
  for (const key of sortedKeysOf(props)) {
    if (!COMMON_FIELDS.has(key)) {
      copyField(copy, key, props[key], false);
    }
  }
  return copy;
}

/**
 * A copy of a value without nulls, with sorted keys.
 *
 * @param isFilled whether it has no empty maps and lists either
 */
function plainValue(value: unknown, isFilled: boolean): unknown {
  if (value === null || value === undefined) {
    return undefined;
  }
  if (typeof value === 'function') {
    throw NOT_PLAIN;
  }
  if (typeof value !== 'object') {
    return value;
  }
  if (value instanceof Lazy) {
    return plainValue(value.produce(), isFilled);
  }
  if (Array.isArray(value)) {
    return isFilled && value.length === 0
      ? undefined
      : value.map((item: unknown) => plainValue(item, isFilled));
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) {
    throw NOT_PLAIN;
  }
  return plainMap(value as PlainMap, isFilled);
}

function plainMap(map: PlainMap, isFilled: boolean): unknown {
  const copy: { [key: string]: unknown } = {};
  let isEmpty = true;
  for (const key of sortedKeysOf(map)) {
    if (copyField(copy, key, map[key], isFilled)) {
      isEmpty = false;
    }
  }
  return isFilled && isEmpty ? undefined : copy;
}

/** Copies the value of a field to a map; returns whether there is one. */
function copyField(
  copy: { [key: string]: unknown },
  key: string,
  field: unknown,
  isFilled: boolean,
): boolean {
  // setting the one would change the prototype, and cdk8s takes the other for the class of the map
  if (key === '__proto__' || key === 'constructor') {
    throw NOT_PLAIN;
  }
  const value = plainValue(field, isFilled);
  if (value === undefined) {
    return false;
  }
  copy[key] = value;
  return true;
}

/** The keys of a map in order: most maps are in order already, and need no sorting. */
function sortedKeysOf(map: PlainMap): string[] {
  const keys = Object.keys(map);
  for (let index = 1; index < keys.length; index++) {
    if (keys[index - 1]! > keys[index]!) {
      return keys.sort();
    }
  }
  return keys;
}
