/**
 * What core needs of the products, which import core: `src/registry` registers it when an entry of
 * the package is loaded.
 */
export interface Registered<T> {
  (): T;
  /** @param load computes it when it is first used, since core is loaded before the products */
  register(load: () => T): void;
}

/** What the products register. */
export function registered<T>(what: string): Registered<T> {
  let load: (() => T) | undefined;
  let loaded: T | undefined;
  const get = (): T => {
    if (!load) {
      throw new Error(
        `the ${what} of the products are not registered. Fix: import src/registry/register.ts first`,
      );
    }
    return (loaded ??= load());
  };
  return Object.assign(get, {
    register: (how: () => T) => {
      load ??= how;
    },
  });
}
