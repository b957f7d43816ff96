import { IConstruct } from 'constructs';

/** Whether a construct is another one or lies below it. */
export function isBelow(inner: IConstruct, outer: IConstruct): boolean {
  return isPathBelow(inner.node.path, outer.node.path);
}

/** The same by paths. */
export function isPathBelow(inner: string, outer: string): boolean {
  return outer === '' || inner === outer || inner.startsWith(`${outer}/`);
}

/**
 * Data that constructs carry for the app: kept on the construct itself, by symbols from the registry, so that two copies of the library in one
 * program see each other's.
 */

/** Adds one to the things of a kind that a construct carries. */
export function attach<T>(construct: IConstruct, kind: symbol, item: T): void {
  const holder = construct as unknown as { [kind: symbol]: T[] };
  if (!holder[kind]) { Object.defineProperty(holder, kind, { value: [] }); }
  holder[kind].push(item);
}

/** The things of a kind that a construct carries, in the order in which they came. */
export function attached<T>(construct: IConstruct, kind: symbol): readonly T[] {
  return (construct as unknown as { [kind: symbol]: T[] })[kind] ?? [];
}
