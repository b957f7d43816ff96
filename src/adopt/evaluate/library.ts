// eslint-disable-next-line no-restricted-imports
import type * as publicLibrary from '../../index';

/** Classes of other packages that programs use, by the package. */
const OTHERS: { readonly [name: string]: string } = {
  Size: 'cdk8s',
  Duration: 'cdk8s',
  ApiObject: 'cdk8s',
  Chart: 'cdk8s',
  JsonPatch: 'cdk8s',
};

/** This package, as programs import it. */
const OWN = 'cdk8s-harvester';

/** The submodules of this package. */
const SUBMODULES = ['auth', 'devices', 'migration', 'rke1', 'settings'] as const;

/** The package that exports a class of a program, with its submodule. */
export function packageOf(type: string): string {
  const submodule = submoduleOf(type);
  return OTHERS[type] ?? (submodule === undefined ? OWN : `${OWN}/${submodule}`);
}

function submoduleOf(type: string): (typeof SUBMODULES)[number] | undefined {
  return SUBMODULES.find((submodule) => type in ownLibrary()[submodule]);
}

/** A class or an enum of a program. The whole library is loaded when the first one is needed. */
export function exported(type: string): any {
  const from = packageOf(type);
  const found = namesOf(type)[type];
  if (found === undefined) {
    throw new Error(`${from} does not export ${type}`);
  }
  return found;
}

/** What exports a type. */
function namesOf(type: string): { readonly [name: string]: unknown } {
  const submodule = submoduleOf(type);
  if (submodule !== undefined) {
    return ownLibrary()[submodule];
  }
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return type in OTHERS ? require(OTHERS[type]) : ownLibrary();
}

/** What a program makes is proved with the library that the program will import. */
export function ownLibrary(): typeof publicLibrary {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require('../../index');
}

/** The name of the member of an enum that has a value. */
export function memberNamed(type: string, value: unknown): string {
  const [name] = Object.entries(exported(type) as object).find(([, each]) => each === value) ?? [];
  if (name === undefined) {
    throw new Error(`${type} has no member for ${JSON.stringify(value)}`);
  }
  return name;
}
