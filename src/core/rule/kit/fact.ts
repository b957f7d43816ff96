import { Words } from './values';
import { isLate } from '../../late/late-token';
import { Manifest, at, pathOf } from '../../manifest/manifest';
import { NO_PROBLEMS, Problem } from '../../problem/problem';
import { givenValue } from '../../text/plain-text';
import { hasFeature } from '../../version/target-features';
import { JudgedObject, JudgedTarget, Rule, World } from '../rule';

/**
 * A problem that a rule finds.
 * @default path - the field of the fact; the whole object without one
 */
export type Found = Omit<Problem, 'path'> & { readonly path?: string };

/** What a rule finds: one problem, several, or nothing. */
export type Findings = Iterable<Problem> | Found | undefined | null | false | '' | 0;

/** Judges the value of a field. A problem without a path is about the value, and shows it. */
export type FactCheck = (
  path: string,
  value: unknown,
  object: JudgedObject,
  world: World,
) => Findings;

/**
 * A rule as its fact: which objects it is about, which field, and what holds for that.
 *
 * What a rule is about is data; `rules` makes the guards from it, and the index of rules prints it.
 */
export interface Fact extends Omit<Rule, 'level' | 'judge' | 'judgeUpdate' | 'judgeDeletion'> {
  /** How bad its findings are. @default error */
  readonly level?: Rule['level'];
  /** Which objects of the kinds it is about. @default - all */
  readonly when?: (object: JudgedObject, world: World) => unknown;
  /**
   * The level of what it finds where the version is not known, which may lack the feature `gate`.
   * @default - its level
   */
  readonly unknownVersion?: 'warning';
  /** The field that it judges. Without a value, or with a late one, it is in order. */
  readonly field?: string;
  /**
   * Whether the field must have a value: the problem if it has none.
   * @default - a missing value is in order
   */
  readonly required?: Partial<Words>;
  /** What holds for the value of the field. */
  readonly check?: FactCheck;
  /** Whether the check judges a missing value as well. @default - a missing value is in order */
  readonly missing?: 'judged';
  /**
   * Whether late values are judged as well, e.g. since the text around them decides.
   * @default - a late value is in order
   */
  readonly late?: 'judged';
  /** Checks an object, where one field is not enough. */
  readonly judge?: (object: JudgedObject, world: World) => Findings;
  /** Checks an edit: the object and its previous state. */
  readonly judgeUpdate?: (object: JudgedObject, before: Manifest, world: World) => Findings;
  /** Judges a deletion: what was there and is gone. */
  readonly judgeDeletion?: (gone: JudgedObject, world: World) => Findings;
}

/**
 * Rules from their facts.
 *
 * @param common what holds for all of them, such as kinds and source; a `when` there holds in addition to that of a fact
 */
export function rules<C extends Partial<Fact>>(
  common: C,
  facts: ReadonlyArray<Omit<Fact, keyof C> & Partial<Pick<Fact, keyof C & keyof Fact>>>,
): readonly Rule[] {
  return facts.map((fact) => {
    const own = { ...common, ...fact } as unknown as Fact;
    return ruleOf(
      common.when && fact.when
        ? {
            ...own,
            when: (object, world) => common.when!(object, world) && fact.when!(object, world),
          }
        : own,
    );
  });
}

/** The field that every object has. */
const NAME = 'metadata.name';

/** A rule from its fact. */
export function ruleOf(fact: Fact): Rule {
  const {
    level = 'error',
    when: _,
    field,
    required,
    check,
    missing,
    late: __,
    unknownVersion: ___,
    judge,
    judgeUpdate,
    judgeDeletion,
    ...data
  } = fact;
  const isAbout = concernOf(fact);
  const judgeObject = field !== undefined && (check || required) ? fieldJudge(field, fact) : judge;
  const found = (findings: Findings, { target }: JudgedObject): Iterable<Problem> =>
    !findings || findings === NO_PROBLEMS
      ? NO_PROBLEMS
      : withCertainty(problemsAt(field ?? '', findings), fact, target);
  return {
    level,
    ...data,
    ...(field === undefined || field === NAME || required || missing || data.fields
      ? {}
      : { fields: [field] }),
    ...(judgeObject
      ? {
          judge: (object, world) =>
            isAbout?.(object, world) === false || (data.creation && world.exists(object))
              ? NO_PROBLEMS
              : found(judgeObject(object, world), object),
        }
      : {}),
    ...(judgeUpdate
      ? {
          judgeUpdate: (object, before, world) =>
            isAbout?.(object, world) === false
              ? NO_PROBLEMS
              : found(judgeUpdate(object, before, world), object),
        }
      : {}),
    ...(judgeDeletion
      ? {
          judgeDeletion: (gone, world) =>
            isAbout?.(gone, world) === false
              ? NO_PROBLEMS
              : found(judgeDeletion(gone, world), gone),
        }
      : {}),
  };
}

/**
 * Whether a rule is about an object: its cluster, its version, and what the fact asks. Undefined if
 * it is about every object of its kinds.
 */
function concernOf({
  on,
  surelyOn,
  gate,
  when,
}: Fact): ((object: JudgedObject, world: World) => boolean) | undefined {
  if (on === undefined && surelyOn === undefined && gate === undefined && !when) {
    return undefined;
  }
  return (object, world) => {
    const { target } = object;
    if (on !== undefined && target.kind !== undefined && target.kind !== on) {
      return false;
    }
    if (surelyOn !== undefined && target.kind !== surelyOn) {
      return false;
    }
    if (gate !== undefined && hasFeature(target, gate) === false) {
      return false;
    }
    return !when || Boolean(when(object, world));
  };
}

function fieldJudge(
  field: string,
  { required, check, missing, late }: Fact,
): NonNullable<Rule['judge']> {
  const path = pathOf(field);
  return (object, world) => {
    const value = at(object.manifest, path) ?? undefined;
    if (required && (value === undefined || value === '')) {
      return [{ path: field, message: 'must be set', fix: 'set it', ...required }];
    }
    if (
      !check ||
      (missing === undefined && value === undefined) ||
      (late === undefined && isLate(value))
    ) {
      return NO_PROBLEMS;
    }
    return problemsAt(field, check(field, value, object, world), value);
  };
}

/** Problems with the level that they have where the version is not known. */
function withCertainty(
  problems: Iterable<Problem>,
  { gate, unknownVersion: level }: Fact,
  target: JudgedTarget,
): Iterable<Problem> {
  if (!gate || !level || problems === NO_PROBLEMS || hasFeature(target, gate) !== undefined) {
    return problems;
  }
  return [...problems].map((problem) => ({ ...problem, level }));
}

/** Findings as problems: one without a path is about a field, and shows its value if it has one. */
export function problemsAt(field: string, findings: Findings, value?: unknown): Iterable<Problem> {
  if (!findings) {
    return NO_PROBLEMS;
  }
  if (Symbol.iterator in findings) {
    return findings;
  }
  return [
    findings.path === undefined
      ? { path: field, ...givenValue(value), ...findings }
      : (findings as Problem),
  ];
}
