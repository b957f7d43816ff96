/** The order of two texts by code unit: the same on every machine, whatever its language. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The fields that have a value, in their order. */
export function defined<T>(fields: { readonly [key: string]: T | undefined }): { [key: string]: T } {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, T] => entry[1] !== undefined));
}

/** A list that is not empty; undefined for an empty one. */
export function filledList<T>(items?: readonly T[]): T[] | undefined {
  return items && items.length > 0 ? [...items] : undefined;
}

/**
 * Something that is made when it is first asked for: modules that most programs which load the library do not need.
 */
export function lazily<T>(load: () => T): () => T {
  let loaded: T | undefined;
  return () => (loaded ??= load());
}
