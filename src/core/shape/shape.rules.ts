import { limitProblem, oncePerPath, typeProblem, valueProblem } from './check-values';
import { compareManifest, knownKindOf } from './compare-manifest';
import {
  BrokenLimit,
  KindComparison,
  Mismatch,
  NullField,
  OtherValue,
  RepeatedItem,
  UnknownField,
} from './compare-shape';
import { knownKinds } from './shape-node';
import { KindIdentity } from '../kind/description/identity';
import { kindOf } from '../kind/kinds';
import {
  Manifest,
  at,
  groupOf,
  isFromServer,
  isRecord,
  kindKey,
  pathOf,
} from '../manifest/manifest';
import { NO_PROBLEMS, Problem, joinedProblems } from '../problem/problem';
import { rules } from '../rule/kit/fact';
import { JudgedObject, Rule, World } from '../rule/rule';
import { nearestName } from '../text/plain-text';

const KINDS = [...knownKinds().keys()].map((name) => {
  const slash = name.lastIndexOf('/');
  return kindKey(groupOf(name.slice(0, slash)), name.slice(slash + 1));
});

const SOURCE =
  'the custom resource definitions of Rancher 2.13.8, Harvester and KubeVirt; ' +
  'https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/';

/** The differences that a rule reports, and how. */
interface Reported<T> {
  readonly of: (found: KindComparison) => readonly T[];
  readonly as: (each: T, uncertain: boolean) => Problem;
  /** The text that the difference of the previous object has in common. */
  readonly same: (each: T) => string;
  /** Whether older definitions than those that we know may accept it. @default - they do not */
  readonly olderMayAccept?: true;
  /** Whether only server-side apply refuses it in kinds of Kubernetes itself. @default - each request */
  readonly onlyApplied?: true;
}

const MISMATCHES: Reported<Mismatch> = {
  of: ({ mismatches }) => mismatches,
  as: typeProblem,
  same: ({ got, path }) => `${got} ${path}`,
};
const MISSING: Reported<{ readonly path: string }> = {
  of: ({ missing }) => missing,
  as: ({ path }) => ({
    path,
    message: 'must be set: the definition requires it',
    fix: `set ${path}`,
    says: `${path}: Required value`,
  }),
  same: ({ path }) => path,
  olderMayAccept: true,
};
const OTHERS: Reported<OtherValue> = {
  of: ({ others }) => others,
  as: valueProblem,
  same: valueAndPath,
  olderMayAccept: true,
};
const REPEATED: Reported<RepeatedItem> = {
  of: ({ repeated }) => repeated,
  as: repeatedProblem,
  same: ({ path }) => path,
  olderMayAccept: true,
  onlyApplied: true,
};
const BROKEN: Reported<BrokenLimit> = {
  of: ({ broken }) => broken,
  as: limitProblem,
  same: valueAndPath,
  olderMayAccept: true,
};

const NULLS: Reported<NullField> = {
  of: ({ nulls }) => nulls,
  as: ({ path, isEmpty }) => ({
    path,
    message: isEmpty
      ? 'cannot be emptied: server-side apply leaves null in its place, and refuses that'
      : 'must have a value: server-side apply refuses null here, other requests remove it',
    fix: `remove ${path}`,
    says: `${path}: Invalid value: "null"`,
  }),
  same: ({ path }) => path,
};

/** Rules on values: those that constructs check when they write an object. */
export const VALUE_RULES = rules({ kinds: KINDS, source: SOURCE, general: true, when: differs }, [
  {
    id: 'object/field-value',
    what: 'a field has one of the values that the definition lists, and the items of a list differ in the fields that identify them',
    says: 'Unsupported value: "foo": supported values: "bar"',
    judge: (object, world) =>
      joinedProblems(problemsOf(object, world, OTHERS), problemsOf(object, world, REPEATED)),
  },
  {
    id: 'object/field-limit',
    what: 'a value keeps the limits of its definition: least and largest numbers, lengths, patterns, and validation rules',
    says: 'spec.foo in body should be greater than or equal to 1',
    judge: (object, world) => oncePerPath(problemsOf(object, world, BROKEN)),
  },
]);

/** Rules on the structure of objects: what a server checks before anything else. */
export const SHAPE_RULES: readonly Rule[] = [
  ...rules({ kinds: KINDS, source: SOURCE, when: differs }, [
    {
      id: 'object/field-type',
      what: 'fields have the types of the definition: text, whole numbers, true or false, lists, and maps',
      says: 'in body must be of type string: "integer"',
      judge: (object, world) => problemsOf(object, world, MISMATCHES),
    },
    {
      id: 'object/required-field',
      general: true,
      what: 'an object has the fields that its definition requires, and an edit does not remove them',
      says: 'spec.foo: Required value',
      judge: (object, world) => {
        if (knownKindOf(object.manifest)?.partial) {
          return NO_PROBLEMS;
        }
        const problems = problemsOf(object, world, MISSING);
        return world.exists(object)
          ? problems.filter(({ path }) => lacksForCertain(object, world, path))
          : problems;
      },
    },
    {
      id: 'object/unknown-field',
      level: 'warning',
      what: 'an object has only fields of its definition; a server drops others, or refuses them under strict field validation, as kubectl asks for',
      says: 'strict decoding error: unknown field "spec.foo"',
      judge: (object) => {
        const found = comparisonOf(object);
        return (
          found &&
          found.unknown.map((field) => unknownProblem(field, object.manifest, found.since(field)))
        );
      },
    },
  ]),
  ...rules({ kinds: KINDS, source: SOURCE, when: differs }, [
    {
      id: 'object/null-field',
      level: 'warning',
      what: 'a field is left out instead of set to null or emptied, if its definition does not allow null: server-side apply refuses it',
      says: 'Invalid value: "null": spec.foo in body must be of type string: "null"',
      judge: (object, world) => nullProblems(object, world),
    },
  ]),
  ...VALUE_RULES,
];

/** The nulls that a server-side apply leaves. */
function nullProblems(object: JudgedObject, world: World): readonly Problem[] {
  const left = new Set(
    (comparisonOf(object)?.nulls ?? [])
      .filter((each) => !each.isMerged || isLeft(each, object, world))
      .map(({ path }) => path),
  );
  return left.size === 0
    ? NO_PROBLEMS
    : problemsOf(object, world, NULLS).filter(({ path }) => left.has(path));
}

/**
 * Whether null is left of an object that an edit empties: fields that other programs set are kept,
 * and an object that had no fields remains as it is.
 */
function isLeft({ path, isEmpty }: NullField, object: JudgedObject, world: World): boolean {
  const [live, written] = [world.beforeOf(object), world.writtenBefore(object)].map((state) =>
    at(state, pathOf(path)),
  );
  const keys = isRecord(live) ? Object.keys(live) : [];
  if (keys.length === 0) {
    return isEmpty !== true;
  }
  return keys.every((key) => isRecord(written) && key in written);
}

/**
 * Whether a live object will lack a field that a manifest lacks: server-side apply keeps what others
 * wrote, and removes what the previous manifest set.
 */
function lacksForCertain(object: JudgedObject, world: World, path: string): boolean {
  const steps = pathOf(path);
  const written = world.writtenBefore(object);
  if (written && at(written, steps) !== undefined) {
    return true;
  }
  const before = world.beforeOf(object);
  if (before === undefined || at(before, steps) !== undefined) {
    return false;
  }
  // of a live object everything is known; of a previous manifest, that an item of a list is new
  const lastItem = steps.map((step) => typeof step === 'number').lastIndexOf(true);
  return (
    isFromServer(before) ||
    (lastItem >= 0 && at(before, steps.slice(0, lastItem + 1)) === undefined)
  );
}

/** Nearly no object differs, so that only what differs is remembered. */
const comparisons = new WeakMap<JudgedObject, KindComparison>();

/** How an object differs from its shape; undefined where nothing differs. */
function comparisonOf(object: JudgedObject): KindComparison | undefined {
  const known = comparisons.get(object);
  if (known) {
    return known;
  }
  const comparison = compareManifest(object.manifest, object.target);
  if (comparison) {
    comparisons.set(object, comparison);
  }
  return comparison;
}

/** Whether an object differs from its shape: the rules ask for the same comparison. */
function differs(object: JudgedObject): boolean {
  return comparisonOf(object) !== undefined;
}

/**
 * Turns differences into problems. They are warnings if another version that the target may have
 * accepts the value, and if the previous object has the same difference: servers from Kubernetes
 * 1.30 on accept an update that does not change a wrong value.
 */
function problemsOf<T extends { readonly path: string }>(
  object: JudgedObject,
  world: World,
  { of, as, same, olderMayAccept, onlyApplied }: Reported<T>,
): readonly Problem[] {
  const found = comparisonOf(object);
  if (found === undefined || of(found).length === 0) {
    return NO_PROBLEMS;
  }
  const before = world.beforeOf(object);
  const earlier = before && compareManifest(before, object.target);
  const tolerated = new Set(earlier && of(earlier).map(same));
  // a server that serves a kind of a later version has its definition
  const isAccepted =
    olderMayAccept &&
    found.maybeOlder &&
    kindOf<KindIdentity>(object.manifest)?.served === undefined;
  // of kinds of Kubernetes itself only server-side apply compares the keys of items; the rules of the
  // family kubernetes report what each server refuses
  const isLax = onlyApplied === true && knownKindOf(object.manifest)?.product === 'kubernetes';
  return of(found).map((each): Problem => {
    const uncertain = found.isUncertain(each);
    return {
      ...as(each, uncertain),
      level: uncertain || isAccepted || isLax || tolerated.has(same(each)) ? 'warning' : 'error',
    };
  });
}

function valueAndPath({ value, path }: OtherValue | BrokenLimit): string {
  return `${JSON.stringify(value)} ${path}`;
}

function repeatedProblem({ path, keys }: RepeatedItem): Problem {
  return {
    path,
    message:
      keys.length > 0
        ? `must differ from the items before it in ${keys.join(' or ')}`
        : 'must differ from the items before it',
    fix: keys.length > 0 ? `give it another ${keys.join(' or ')}, or remove it` : 'remove it',
    says: `${path}: Duplicate value`,
  };
}

const PRODUCTS = {
  rancher: 'Rancher',
  harvester: 'Harvester',
  guest: 'Kubernetes',
  kubernetes: 'Kubernetes',
};

// a longer list does not help
const MAX_LISTED = 12;

function unknownProblem(
  { path, name, names }: UnknownField,
  manifest: Manifest,
  since: string | undefined,
): Problem {
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
  if (near !== undefined) {
    return `write ${near}`;
  }
  return names.length > 0 && names.length <= MAX_LISTED
    ? `remove it, or use one of ${names.join(', ')}`
    : 'remove it, or put it where it belongs';
}
