import { Words } from './values';
import { isLate } from '../../late/late-token';
import { at, pathOf } from '../../manifest/manifest';
import { NO_PROBLEMS } from '../../problem/problem';
import { Findings, problemsAt } from '../findings';
import { JudgedObject, Rule, World } from '../rule';

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
 * What a rule is about is data; `judge` makes the guards from it, and the index of rules prints it.
 */
export interface Fact extends Omit<Rule, 'level' | 'field'> {
  /** How bad its findings are. @default error */
  readonly level?: Rule['level'];
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
  const { required, check, missing, late: _, ...data } = fact;
  const { field, level = 'error' } = data;
  const asked =
    field === undefined || field === NAME || required || missing || data.fields
      ? {}
      : { fields: [field] };
  const judged =
    field !== undefined && (check || required) ? { judge: fieldJudge(field, fact) } : {};
  return { ...data, level, ...asked, ...judged };
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
