import * as library from '../../src';

/** What the library exports, with the names of its submodules, of which no two are the same. */
export const PUBLIC_NAMES: { readonly [name: string]: any } = {
  ...library,
  ...library.auth,
  ...library.devices,
  ...library.migration,
  ...library.rke1,
  ...library.settings,
};

/**
 * What a program gets by the name of a module: the library, or one of its submodules. Undefined for
 * other modules.
 */
export function libraryModule(name: string): unknown {
  const [module, submodule] = name.split('/');
  if (module !== 'cdk8s-harvester') {
    return undefined;
  }
  return submodule === undefined ? library : library[submodule as 'settings'];
}
