import { Done, Said, Seen } from './said';
import { isProblem } from '../../../src/engine/plan/plan';
import { Becomes } from '../../../src/engine/removal/removal';
import { ObjectChange } from '../../../src/report/changes/object-changes';

/** What a server has to have of an object that leaves the output. */
const REMAINS: { readonly [fate in Becomes['fate']]?: boolean } = {
  deleted: false,
  kept: true,
  reset: true,
  released: true,
};

/** An action of a plan that a review reports as one of several changes. */
const CHANGES: {
  readonly [action in 'create' | 'prune']: readonly ObjectChange['action'][];
} = {
  create: ['added', 'renamed', 'moved'],
  prune: ['removed', 'renamed', 'moved'],
};

/**
 * Where the changes of a review are not what happened. What a review cannot know is left out: what
 * others changed on the servers, and what failed.
 */
export function wrongChanges({ review, plan }: Said, done: Done): string[] {
  const changes = review.objects.flatMap(({ objects }) => objects);
  const pruned = prunedInstead(changes, plan);
  return [
    ...changes.flatMap((change) => ofChange(change, pruned, done)),
    ...plan.steps.flatMap((step) => {
      const { id, action } = step;
      if (isProblem(step) || (action !== 'create' && action !== 'prune') || !isDone(id, done)) {
        return [];
      }
      const isReported = changes.some((change) => {
        const own = action === 'create' ? change.id : (change.was?.id ?? change.id);
        return own === id && CHANGES[action].includes(change.action);
      });
      return isReported ? [] : [`review: silent about ${id}, which the plan has as ${action}`];
    }),
  ];
}

/**
 * The objects that a plan deletes where it deletes machines or data: a review expects an apply that
 * keeps these, with what they need, such as the credential of a cluster.
 */
function prunedInstead(
  changes: readonly ObjectChange[],
  { steps }: Said['plan'],
): ReadonlySet<string> {
  const pruned = new Set(steps.filter(({ action }) => action === 'prune').map(({ id }) => id));
  const isWithLoss = changes.some(
    ({ id, was, becomes }) => becomes?.loss !== undefined && pruned.has(was?.id ?? id),
  );
  return isWithLoss ? pruned : new Set();
}

function isDone(id: string, { failed, skipped }: Done): boolean {
  return !failed.has(id) && !skipped.has(id);
}

function ofChange(change: ObjectChange, pruned: ReadonlySet<string>, done: Done): string[] {
  const { action, id, was, becomes, waits } = change;
  const isLate = waits !== undefined;
  const now = action === 'removed' || isLate ? undefined : isThere(id, done);
  const before = was?.id ?? id;
  return [
    ...(now === false ? [`review: ${action} ${id}, and it is not there`] : []),
    ...(becomes === undefined ? [] : ofLeaving(before, becomes, pruned, done)),
  ];
}

function ofLeaving(
  id: string,
  { fate }: Becomes,
  pruned: ReadonlySet<string>,
  done: Done,
): string[] {
  const remains = REMAINS[fate];
  const is = isThere(id, done);
  return remains === undefined || is === undefined || is === remains || (!is && pruned.has(id))
    ? []
    : [`review: ${id} is ${fate}, and it is ${is ? 'still' : 'not'} there`];
}

/** Whether a server has an object; undefined where it was not looked for, or not tried. */
function isThere(id: string, done: Done): boolean | undefined {
  const seen: Seen | undefined = isDone(id, done) ? done.seen.get(id) : undefined;
  return seen && seen.after !== undefined && seen.after.metadata.deletionTimestamp === undefined;
}
