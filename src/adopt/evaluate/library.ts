// eslint-disable-next-line no-restricted-imports
import type * as publicLibrary from '../../index';

/** Classes of other packages that programs use, by the package. */
const OTHERS: { readonly [name: string]: string } = {
  Size: 'cdk8s',
  Duration: 'cdk8s',
  ApiObject: 'cdk8s',
  Chart: 'cdk8s',
  JsonPatch: 'cdk8s',
  Cpu: 'cdk8s-plus-28',
  ImagePullPolicy: 'cdk8s-plus-28',
};

/** This package, as programs import it. */
const OWN = 'cdk8s-harvester';

/** The package that exports a class of a program. */
export function packageOf(type: string): string {
  return OTHERS[type] ?? OWN;
}

/** A class or an enum of a program. The whole library is loaded when the first one is needed. */
export function exported(type: string): any {
  const from = packageOf(type);
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const found = (from === OWN ? ownLibrary() : require(from))[type];
  if (found === undefined) {
    throw new Error(`${from} does not export ${type}`);
  }
  return found;
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
