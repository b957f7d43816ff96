/**
 * Something that is made when it is first asked for: modules that most programs which load the library do not need.
 */
export function lazily<T>(load: () => T): () => T {
  let loaded: T | undefined;
  return () => (loaded ??= load());
}
