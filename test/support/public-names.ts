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
