import { withRefusal, withWarnings } from './judge-live';
import { PlanLate } from './plan-late';
import { eachOfTargets, Planning } from './planning';
import { decidesFirst, Precondition } from '../../precondition/precondition';
import { JudgedStep, Sight, StepPreconditions } from '../../precondition/step-preconditions';
import { heldText } from '../../precondition/takeover';
import { PlanStep } from '../plan';

/** The preconditions of the step of an object, and the problem of the first that does not hold. */
export interface JudgedPreconditions {
  readonly id: string;
  readonly preconditions: readonly Precondition[];
  readonly refused?: string;
  readonly holders?: readonly string[];
  /** What a plan reports about the Secrets of others. */
  readonly notes?: readonly string[];
}

/** Judges the preconditions of the steps of declared objects. */
export async function judgeSteps(
  { options, open }: Planning,
  declared: readonly JudgedStep[],
  preconditions: StepPreconditions,
  keptFor: Sight['keptFor'],
): Promise<JudgedPreconditions[]> {
  const { brief, onWarning } = options;
  const objects = new Map(declared.map(({ object }) => [object.id, object]));
  const sight: Sight = {
    ...options,
    keptFor,
    read: async (target, ref) => open.read(target, ref),
    cluster: async (target) => (await open.open(target)).cluster!,
    onWarning: (message, _, id) => onWarning?.(objects.get(id)!, message),
  };
  const judgements = await eachOfTargets(
    options,
    declared,
    ({ object }) => object.target,
    async (step) => {
      const { id, target } = step.object;
      const found = preconditions.of(step);
      const { cluster } = await open.open(target);
      const judged = cluster
        ? await preconditions.judge(step, brief ? found.filter(decidesFirst) : found, sight)
        : {};
      return { id, found, ...judged };
    },
  );
  const isRenamed = judgements.some(({ broken }) => broken?.id === 'renamed' && !broken.follows);
  return judgements.map(({ id, found, broken, refused, holders, notes }) => {
    // what follows a cluster into another namespace has the same fix
    if (!broken || (isRenamed && broken.id === 'renamed' && broken.follows)) {
      return { id, preconditions: found, holders, notes };
    }
    return { id, preconditions: withProblem(found, broken.id, refused), refused };
  });
}

/** Preconditions, with the problem of the one that does not hold. */
export function withProblem(
  preconditions: readonly Precondition[],
  id: Precondition['id'],
  problem: string | undefined,
): readonly Precondition[] {
  return preconditions.map((each) => (each.id === id ? { ...each, problem } : each));
}

/**
 * The step of a declared object with its preconditions: with warnings about its late values, or
 * not looked at yet.
 */
export function judgedStep(
  { object }: JudgedStep,
  step: PlanStep | undefined,
  { preconditions, refused, holders = [], notes = [] }: JudgedPreconditions,
  late: PlanLate,
): PlanStep {
  const planned = step
    ? withRefusal(withWarnings(step, late.warnings(object)), late.refusal(object))
    : notLookedAt(object);
  const adopted = withWarnings(planned, [
    ...(holders.length === 0 ? [] : [`is adopted from someone else; ${heldText(holders)}`]),
    ...notes,
  ]);
  return withRefusal(preconditions.length === 0 ? adopted : { ...adopted, preconditions }, refused);
}

/** The step of an object that is compared where the step is executed. */
function notLookedAt({ id, target, construct, lateValues = [] }: JudgedStep['object']): PlanStep {
  return {
    id,
    target,
    action: 'unknown',
    changes: [],
    conflicts: [],
    waitsFor: lateValues,
    reason: 'is compared when it is applied',
    construct,
    digest: '',
  };
}
