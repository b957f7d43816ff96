import { isAdoption, labelOf, lossText, Plan, PlanStep } from '../plan';
import { planProgram, PlanRunOptions } from './plan-program';
import { compare } from '../../../core/text/values';
import { RunProgram } from '../../auth/run-program';
import { TakeOver } from '../../auth/take-over';
import { adoptionOf } from '../../fields/managed-fields';

/** An object that someone must agree to adopt. */
export type TakeOverReason = Pick<TakeOver, 'id' | 'because'>;

/** What prevents that an apply only adopts objects as they are. */
export interface AdoptionProblem {
  /** The target; empty for the whole program. */
  readonly target: string;
  /** `Kind namespace/name`. */
  readonly object: string;
  readonly message: string;
}

/** A plan that adopts what someone agreed to. */
export interface AdoptionPlan {
  readonly plan: Plan;
  /** What the plan needs of that, sorted by ID. */
  readonly taken: readonly TakeOver[];
}

/** More rounds than objects wait for each other: a cluster, what names its Secrets, these. */
const MAX_ROUNDS = 4;

/** Preconditions that hold once someone agrees to adopt the objects. */
const AGREED = ['taken-over', 'named-secrets'] as const;

/**
 * Plans a program, and adopts objects that give permissions as far as their UIDs are known. Nothing
 * is written, not even in a dry run.
 *
 * @param uids the UIDs of the objects that may be adopted, by ID
 */
export async function planAdoption(
  program: RunProgram,
  options: Omit<PlanRunOptions, 'dryRun'>,
  uids: ReadonlyMap<string, string>,
): Promise<AdoptionPlan> {
  const taken = new Map<string, TakeOver>();
  for (let round = 1; ; round++) {
    const adopt = [...taken.values()].map(({ id, uid }) => adoptionOf(id, uid));
    const { plan } = await planProgram(program, {
      ...options,
      dryRun: false,
      acceptExisting: adopt,
    });
    const more = plan.steps.flatMap(agreementsOf).flatMap((each): TakeOver[] => {
      const uid = uids.get(each.id);
      return uid === undefined || taken.has(each.id) ? [] : [{ ...each, uid }];
    });
    more.forEach((each) => taken.set(each.id, each));
    if (more.length === 0 || round === MAX_ROUNDS) {
      return { plan, taken: [...taken.values()].sort((a, b) => compare(a.id, b.id)) };
    }
  }
}

/** What someone must agree to adopt, so that a step does not fail. */
export function agreementsOf({ id, preconditions = [] }: PlanStep): TakeOverReason[] {
  return preconditions.flatMap((precondition) => {
    const { problem } = precondition;
    if (problem === undefined || !AGREED.some((each) => each === precondition.id)) {
      return [];
    }
    const ids = precondition.id === 'named-secrets' ? precondition.secrets : [id];
    const because = problem.replace(/\.? ?Fix: .*$/s, '');
    return ids.map((each) => ({ id: each, because }));
  });
}

/** Whether a step is refused until someone agrees to adopt an object. */
export function isRefusedForAgreement(step: PlanStep): boolean {
  return step.refused !== undefined && agreementsOf(step).length > 0;
}

/** What a plan does beyond the adoption of objects as they are. */
export function adoptionProblems({ steps, rolls, problems = [] }: Plan): AdoptionProblem[] {
  return [
    ...steps.flatMap((step) => {
      const place = { target: step.target, object: labelOf(step) };
      return messagesOf(step).map((message) => ({ ...place, message }));
    }),
    ...rolls.map((loss) => ({
      target: loss.target,
      object: `Cluster ${loss.cluster}`,
      message: lossText(loss),
    })),
    ...problems.map((message) => ({ target: '', object: 'apply', message })),
  ];
}

function messagesOf(step: PlanStep): string[] {
  const { action, changes, conflicts, refused, reason } = step;
  return [
    ...(refused === undefined ? [] : [refused]),
    ...conflicts.map(({ field, manager }) => `${field} belongs to ${manager}`),
    ...(action === 'create' ? ['would be created'] : []),
    ...(action === 'prune' || action === 'reset'
      ? [`would be ${action === 'prune' ? 'deleted' : 'reset'}: ${reason ?? ''}`]
      : []),
    ...(action !== 'update' || isAdoption(step)
      ? []
      : changes
          .filter(({ path }) => !isAdoption({ ...step, changes: [{ path }] }))
          .map(({ path }) => `${path} would change`)),
  ];
}
