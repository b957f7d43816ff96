/** The fields that have a value, in their order. */
export function defined<T>(fields: { readonly [key: string]: T | undefined }): { [key: string]: T } {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, T] => entry[1] !== undefined));
}

/** A list with something in it; an empty one says nothing and is left out. */
export function filledList<T>(items?: readonly T[]): T[] | undefined {
  return items && items.length > 0 ? [...items] : undefined;
}
