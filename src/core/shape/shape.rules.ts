import { limitProblem, oncePerPath, typeProblem, valueProblem } from './check-values';
import { compareManifest, knownKindOf } from './compare-manifest';
import { KindComparison, RepeatedItem, UnknownField } from './compare-shape';
import { knownKinds } from './shape-node';
import { Manifest, groupOf, kindKey } from '../manifest/manifest';
import { NO_PROBLEMS, Problem } from '../rule/problem';
import { JudgedObject, Rule, World } from '../rule/rule';
import { nearestName } from '../text/plain-text';
import { byObject } from '../text/values';

const KINDS = [...knownKinds().keys()].map((name) => {
  const at = name.lastIndexOf('/');
  return kindKey(groupOf(name.slice(0, at)), name.slice(at + 1));
});

const SOURCE = 'the custom resource definitions of Rancher 2.13.8, Harvester and KubeVirt; '
  + 'https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/';

const FIELD_TYPE: Rule = {
  id: 'object/field-type',
  level: 'error',
  kinds: KINDS,
  what: 'fields have the types of the definition: text, whole numbers, true or false, lists, and maps',
  says: 'in body must be of type string: "integer"',
  source: SOURCE,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    return problemsOf(object, world, (found) => found.mismatches, typeProblem, ({ got, path }) => `${got} ${path}`);
  },
};

const REQUIRED_FIELD: Rule = {
  id: 'object/required-field',
  level: 'error',
  general: true,
  kinds: KINDS,
  what: 'an object has the fields that its definition requires',
  says: 'spec.foo: Required value',
  source: SOURCE,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    // a live object may have the field, and server-side apply keeps it
    if (comparisonOf(object) === undefined || world.exists(object) || knownKindOf(object.manifest)?.partial) { return NO_PROBLEMS; }
    return problemsOf(object, world, (found) => found.missing, ({ path }) => ({
      path,
      message: 'must be set: the definition requires it',
      fix: `set ${path}`,
      says: `${path}: Required value`,
    }), ({ path }) => path);
  },
};

const FIELD_VALUE: Rule = {
  id: 'object/field-value',
  level: 'error',
  general: true,
  kinds: KINDS,
  what: 'a field has one of the values that the definition lists, and the items of a list differ in the fields that identify them',
  says: 'Unsupported value: "foo": supported values: "bar"',
  source: SOURCE,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (comparisonOf(object) === undefined) { return NO_PROBLEMS; }
    return [
      ...problemsOf(object, world, (found) => found.others, valueProblem, ({ value, path }) => `${JSON.stringify(value)} ${path}`),
      ...problemsOf(object, world, (found) => found.repeated, repeatedProblem, ({ path }) => path),
    ];
  },
};

const FIELD_LIMIT: Rule = {
  id: 'object/field-limit',
  level: 'error',
  general: true,
  kinds: KINDS,
  what: 'a value keeps the limits of its definition: least and largest numbers, lengths, patterns, and validation rules',
  says: 'spec.foo in body should be greater than or equal to 1',
  source: SOURCE,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    return oncePerPath(problemsOf(object, world, (found) => found.broken, limitProblem, ({ value, path }) => `${JSON.stringify(value)} ${path}`));
  },
};

const UNKNOWN_FIELD: Rule = {
  id: 'object/unknown-field',
  level: 'warning',
  kinds: KINDS,
  what: 'an object has only fields of its definition; a server drops others, or refuses them under strict field validation, as kubectl asks for',
  says: 'strict decoding error: unknown field "spec.foo"',
  source: SOURCE,
  judge(object: JudgedObject): Iterable<Problem> {
    const found = comparisonOf(object);
    return found === undefined ? NO_PROBLEMS : found.unknown.map((field) => unknownProblem(field, object.manifest, found.since(field)));
  },
};

/** Each rule asks for the same comparison. */
const comparisonOf = byObject(({ manifest, target }: JudgedObject) => compareManifest(manifest, target));

/**
 * Turns differences into problems. They are warnings if another version that the target may have accepts the value, and if the previous object has
 * the same difference: servers from Kubernetes 1.30 on accept an update that does not change a wrong value.
 */
function problemsOf<T extends { readonly path: string }>(
  object: JudgedObject,
  world: World,
  select: (found: KindComparison) => readonly T[],
  toProblem: (each: T, uncertain: boolean) => Problem,
  identity: (each: T) => string,
): readonly Problem[] {
  const found = comparisonOf(object);
  if (found === undefined || select(found).length === 0) { return NO_PROBLEMS; }
  const before = world.beforeOf(object);
  const earlier = before && compareManifest(before, object.target);
  const tolerated = new Set(earlier && select(earlier).map(identity));
  return select(found).map((each): Problem => {
    const uncertain = found.isUncertain(each);
    return { ...toProblem(each, uncertain), level: uncertain || tolerated.has(identity(each)) ? 'warning' : 'error' };
  });
}

function repeatedProblem({ path, keys }: RepeatedItem): Problem {
  return {
    path,
    message: keys.length > 0 ? `must differ from the items before it in ${keys.join(' or ')}` : 'must differ from the items before it',
    fix: keys.length > 0 ? `give it another ${keys.join(' or ')}, or remove it` : 'remove it',
    says: `${path}: Duplicate value`,
  };
}

const PRODUCTS = { rancher: 'Rancher', harvester: 'Harvester', guest: 'Kubernetes' };

// a longer list does not help
const MAX_LISTED = 12;

function unknownProblem({ path, name, names }: UnknownField, manifest: Manifest, since: string | undefined): Problem {
  const product = PRODUCTS[knownKindOf(manifest)!.product];
  return {
    path,
    message: `is not a field of ${manifest.kind}${since === undefined ? '' : ` before ${product} ${since}`}: the server drops it, or refuses the object`,
    fix: since === undefined ? meant(name, names) : `remove it, or upgrade ${product}`,
    says: `strict decoding error: unknown field "${path}"`,
  };
}

function meant(name: string, names: readonly string[]): string {
  const near = nearestName(name, names);
  if (near !== undefined) { return `write ${near}`; }
  return names.length > 0 && names.length <= MAX_LISTED ? `remove it, or use one of ${names.join(', ')}` : 'remove it, or put it where it belongs';
}

/** Rules on values: those that constructs check when they write an object. */
export const VALUE_RULES: readonly Rule[] = [FIELD_VALUE, FIELD_LIMIT];

/** Rules on the structure of objects: what a server checks before anything else. */
export const SHAPE_RULES: readonly Rule[] = [FIELD_TYPE, REQUIRED_FIELD, ...VALUE_RULES, UNKNOWN_FIELD];
