import { IConstruct } from 'constructs';

/** Whether a construct is another one or below it. */
export function isBelow(inner: IConstruct, outer: IConstruct): boolean {
  return isPathBelow(inner.node.path, outer.node.path);
}

/** Whether the path of a construct is that of another one or below it. */
export function isPathBelow(inner: string, outer: string): boolean {
  return outer === '' || inner === outer || inner.startsWith(`${outer}/`);
}

/**
 * Data that constructs carry for the app: kept on the construct itself, by symbols from the registry, so that two copies of the library in one
 * program see each other's.
 */

/** Attaches a value to a construct, under a symbol. */
export function attach<T>(construct: IConstruct, kind: symbol, item: T): void {
  const holder = construct as unknown as { [kind: symbol]: T[] | undefined };
  const items = holder[kind];
  if (items) { items.push(item); } else { holder[kind] = [item]; }
}

/** The values that are attached to a construct under a symbol, in the order in which they were added. */
export function attached<T>(construct: IConstruct, kind: symbol): readonly T[] {
  return (construct as unknown as { [kind: symbol]: T[] })[kind] ?? [];
}
