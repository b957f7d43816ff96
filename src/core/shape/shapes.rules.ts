import { KIND_SHAPES } from './all-shapes';
import { Comparison, HasVersion, JsonType, Mismatch, UnknownField, compareShape } from './compare';
import { KindShape } from './shape';
import { rancherVersionOf } from '../../rancher/version/rancher-gates';
import { Manifest, groupOf, kindKey } from '../manifest/manifest';
import { Problem } from '../rule/problem';
import { JudgedObject, JudgedTarget, Rule, World } from '../rule/rule';

const SHAPES = new Map(KIND_SHAPES.map((shape) => [`${shape.apiVersion}/${shape.kind}`, shape]));
const KINDS = KIND_SHAPES.map(({ apiVersion, kind }) => kindKey(groupOf(apiVersion), kind));

const SOURCE = 'the custom resource definitions of Rancher 2.13.8 and Harvester; '
  + 'https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/';

const FIELD_TYPE: Rule = {
  id: 'object/field-type',
  level: 'error',
  kinds: KINDS,
  what: 'fields have the types of the definition: text, whole numbers, true or false, lists and maps where each is asked for',
  says: 'in body must be of type string: "integer"',
  source: SOURCE,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { mismatches } = compareManifest(object.manifest, object.target);
    if (mismatches.length === 0) { return; }
    const known = toleratedPaths(object, world);
    for (const mismatch of mismatches) {
      yield typeProblem(mismatch, mismatch.uncertain || known.has(pathAndType(mismatch)));
    }
  },
};

const UNKNOWN_FIELD: Rule = {
  id: 'object/unknown-field',
  level: 'warning',
  kinds: KINDS,
  what: 'an object has the fields that its definition knows; a server drops others, or refuses them when it is asked to, as kubectl does',
  says: 'strict decoding error: unknown field "spec.foo"',
  source: SOURCE,
  *judge(object: JudgedObject): Iterable<Problem> {
    for (const field of compareManifest(object.manifest, object.target).unknown) { yield unknownProblem(field, object.manifest.kind); }
  },
};

const NOTHING: Comparison = { mismatches: [], unknown: [] };

function compareManifest(manifest: Manifest, target: JudgedTarget): Comparison {
  const shape = SHAPES.get(`${manifest.apiVersion}/${manifest.kind}`);
  if (!shape || !isStructural(shape, target)) { return NOTHING; }
  return compareShape(shape.shape, manifest, versionsOf(target));
}

function isStructural({ structuralSince }: KindShape, target: JudgedTarget): boolean {
  if (structuralSince === undefined) { return true; }
  // which Rancher a Harvester embeds is not known
  return target.kind !== 'harvester' && rancherVersionOf(target)?.isBefore(structuralSince) !== true;
}

function versionsOf(target: JudgedTarget): HasVersion {
  // few fields ask
  return (version) => rancherVersionOf(target)?.isAtLeast(version);
}

/** A server since Kubernetes 1.30 lets an update pass that leaves a wrong value as it was. */
function toleratedPaths(object: JudgedObject, world: World): ReadonlySet<string> {
  const before = world.beforeOf(object);
  return new Set(before && compareManifest(before, object.target).mismatches.map(pathAndType));
}

function pathAndType({ path, got }: Mismatch): string {
  return `${got} ${path}`;
}

const EXPECTED = {
  'string': ['text', 'write it in quotes'],
  'integer': ['a whole number', 'write the number without quotes'],
  'boolean': ['true or false', 'write true or false without quotes'],
  'int-or-string': ['a whole number or text', 'write a whole number, or text in quotes'],
  'array': ['a list', 'write a list: each item after a hyphen'],
  'object': ['a map', 'write its fields below it, one `key: value` on each line'],
} as const;

const GOT: { readonly [type in JsonType]: string } = {
  null: 'null',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number with a fraction',
  string: 'text',
  array: 'a list',
  object: 'a map',
};

function typeProblem({ path, expected, got, uncertain }: Mismatch, lower: boolean): Problem {
  const [type, fix] = EXPECTED[expected];
  return {
    path,
    message: `must be ${type}, it is ${GOT[got]}`,
    fix: uncertain ? `${fix}; Rancher versions without the field drop it` : needsOther(expected, got) ? `give ${type}` : fix,
    says: `${path}: Invalid value: "${got}": ${path} in body must be of type ${expected === 'int-or-string' ? 'integer' : expected}: "${got}"`,
    level: lower ? 'warning' : 'error',
  };
}

/** Whether other quotes do not make it right. */
function needsOther(expected: Mismatch['expected'], got: JsonType): boolean {
  return expected !== 'array' && expected !== 'object' && (got === 'array' || got === 'object');
}

function unknownProblem({ path, name, beside, since }: UnknownField, kind: string): Problem {
  const meant = since === undefined ? similar(name, Object.keys(beside.fields)) : undefined;
  return {
    path,
    message: `is no field of ${kind}${since === undefined ? '' : ` before Rancher ${since}`}: the server drops it, or refuses the object`,
    fix: meant ? `write ${meant}` : since ? 'remove it, or upgrade Rancher' : 'remove it, or put it where it belongs',
    says: `strict decoding error: unknown field "${path}"`,
  };
}

function similar(name: string, names: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[-_]/g, '').replace(/s$/, '');
  return names.find((other) => plain(other) === plain(name));
}

/** Rules on the structure of objects: what a server checks before anything else. */
export const SHAPE_RULES: readonly Rule[] = [FIELD_TYPE, UNKNOWN_FIELD];
