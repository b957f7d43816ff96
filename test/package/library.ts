import * as path from 'node:path';
import { INSTALLED_ENV, Installed, ROOT } from './installed';
import { ApiTable } from '../../src/core/guard/argument-type';

/** What no compiler checks. */
type Loose = any;

const given = process.env[INSTALLED_ENV];
const { project } = given ? (JSON.parse(given) as Installed) : { project: undefined };
const LIBRARY = project ? path.join(project, 'node_modules', 'cdk8s-harvester') : ROOT;

/**
 * Loads a package from where the library is installed; without the npm registry, from where it is
 * compiled.
 */
function load(name: string): Loose {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require(path.join(project ?? ROOT, 'node_modules', name));
}

// eslint-disable-next-line @typescript-eslint/no-require-imports
const entry: Loose = require(LIBRARY);

/** The library as programs see it, in plain JavaScript, with the names of its submodules. */
export const lib: Loose = Object.defineProperties(
  {},
  Object.assign(
    {},
    ...[entry, entry.auth, entry.devices, entry.migration, entry.rke1, entry.settings].map(
      (names: object) => Object.getOwnPropertyDescriptors(names),
    ),
  ) as PropertyDescriptorMap,
);
export const cdk8s: Loose = load('cdk8s');
/** What the library knows of its own API. */
// eslint-disable-next-line @typescript-eslint/no-require-imports
export const API: ApiTable = require(path.join(LIBRARY, 'lib', 'public-api.js'));

/**
 * The message of what a call throws, without the place of the call; undefined if it throws nothing.
 */
export function refusalOf(call: () => unknown): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/\n {2}at .*$/, '');
  }
}
