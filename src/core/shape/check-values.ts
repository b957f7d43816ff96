import { compareManifest, Products } from './compare-manifest';
import { BrokenLimit, Mismatch, OtherValue } from './compare-shape';
import { ExpectedType, JsonType } from './shape-node';
import { ITarget, TargetKind } from '../construct/target';
import { Manifest } from '../manifest/manifest';
import { NO_PROBLEMS, Problem } from '../problem/problem';
import { byObject, remembered } from '../text/values';

const EXPECTED: { readonly [type in ExpectedType]: readonly [string, string] } = {
  'string': ['text', 'write it in quotes'],
  'integer': ['a whole number', 'write the number without quotes'],
  'number': ['a number', 'write the number without quotes'],
  'boolean': ['true or false', 'write true or false without quotes'],
  'int-or-string': ['a whole number or text', 'write a whole number, or text in quotes'],
  'quantity': ['a quantity', 'write e.g. 500m, 2 or 256Mi'],
  'array': ['a list', 'write a list: each item after a hyphen'],
  'object': ['a map', 'write its fields below it, one `key: value` on each line'],
};

const GOT: { readonly [type in JsonType]: string } = {
  null: 'null',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number with a fraction',
  string: 'text',
  array: 'a list',
  object: 'a map',
};

/** What the server calls the types of values where text has a format. */
const FORMATS: { readonly [type in JsonType]?: string } = {
  boolean: '',
  object: '',
  integer: 'int64',
  number: 'float64',
};

/** The problem of a value of another type. */
export function typeProblem(mismatch: Mismatch, uncertain = false): Problem {
  const { path, expected, got } = mismatch;
  const [type] = EXPECTED[expected];
  return {
    path,
    message: `must be ${type}, got ${GOT[got]}`,
    fix: typeFix(mismatch, uncertain),
    says: wordsOf(mismatch),
  };
}

function typeFix({ expected, got }: Mismatch, uncertain: boolean): string {
  const [type, fix] = EXPECTED[expected];
  if (uncertain) {
    return `${fix}; versions without the field drop it`;
  }
  return needsOther(expected, got) ? `give ${type}` : fix;
}

/** What Go's JSON calls the types of values, where it has another name. */
const GO_NAMES: { readonly [type in JsonType]?: string } = { boolean: 'bool', integer: 'number' };

/** The server's words for a value of another type. */
function wordsOf({ path, expected, format, got, isNative }: Mismatch): string {
  if (isNative) {
    return `json: cannot unmarshal ${GO_NAMES[got] ?? got} into Go struct field`;
  }
  const asked = expected === 'int-or-string' ? 'integer' : expected;
  const [askedThere, gotThere] =
    expected === 'string' && format !== undefined && got in FORMATS
      ? [format, FORMATS[got]]
      : [asked, got];
  return `${path}: Invalid value: "${gotThere}": ${path} in body must be of type ${askedThere}: "${gotThere}"`;
}

/** Whether other quotes do not make it right. */
function needsOther(expected: ExpectedType, got: JsonType): boolean {
  return (
    expected !== 'array' &&
    expected !== 'object' &&
    (got === 'array' || got === 'object' || got === 'null')
  );
}

/** The problem of a value that the definition does not list. */
export function valueProblem({ path, value, allowed }: OtherValue): Problem {
  const list = allowed.map((each) => JSON.stringify(each)).join(', ');
  const says = `${path}: Unsupported value: ${JSON.stringify(value)}: supported values: ${list}`;
  return { path, value, message: `must be one of ${list}`, fix: `use one of ${list}`, says };
}

/** The problem of a value beyond a limit of the definition. */
export function limitProblem({ path, value, limit }: BrokenLimit): Problem {
  return limit.problem(path, value);
}

/** The first problem of each field: who corrects it, corrects the others with it. */
export function oncePerPath(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(
    ({ path }, index) => problems.findIndex((other) => other.path === path) === index,
  );
}

const known = new Map<string, Products>();

// targets of one product and version share what is known of its kinds
const productsOf = byObject(({ targetKind, version }: ITarget): Products =>
  remembered(known, `${targetKind} ${version}`, () => ({
    kind: targetKind,
    [targetKind === TargetKind.HARVESTER ? 'harvesterVersion' : 'rancherVersion']: version,
  })),
);

/**
 * Checks the values that a construct writes: limits, lists of values, and whole numbers. What is
 * missing or has another type may be patched or known later.
 */
export function checkValues(
  manifest: Pick<Manifest, 'apiVersion' | 'kind'> & { readonly [field: string]: unknown },
  target: ITarget,
): readonly Problem[] {
  const found = compareManifest(manifest, productsOf(target));
  if (found === undefined) {
    return NO_PROBLEMS;
  }
  const fractions = found.mismatches.filter(({ got }) => got === 'number');
  return oncePerPath([
    ...fractions.map((each) => typeProblem(each)),
    ...found.others.map(valueProblem),
    ...found.broken.map(limitProblem),
  ]);
}
