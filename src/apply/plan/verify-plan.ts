import { canonical } from './canonical';
import { withoutHashes } from './hidden-values';
import { Plan, PlanStep } from './plan';

/** Why a saved plan is not to be carried out any more. */
export interface PlanMismatch {
  /** The step; undefined where the plan as a whole is another. */
  readonly id?: string;
  readonly target?: string;
  /** What changed since, for people. */
  readonly message: string;
}

/**
 * Compares a saved plan with one that was made right now; empty where an apply would do what the saved one says, or the rest of it: steps that were
 * carried out already are no mismatch, so that an apply that was ended goes on with the same plan.
 */
export function verifyPlan(plan: Plan, fresh: Plan): PlanMismatch[] {
  if (plan.assembly !== fresh.assembly) { return [{ message: 'the manifests are not those that the plan was made of: make a new plan' }]; }
  const clusters = fresh.targets.flatMap(({ name, clusterUid, by }): PlanMismatch[] => {
    const saved = plan.targets.find((target) => target.name === name);
    const other = saved?.clusterUid !== undefined && clusterUid !== undefined && saved.clusterUid !== clusterUid;
    return other ? [{ target: name, message: `${by} is another cluster than the plan was made for` }] : [];
  });
  if (clusters.length > 0) { return clusters; }
  const [saved, now] = [new Map(plan.steps.map((step) => [step.id, step])), new Map(fresh.steps.map((step) => [step.id, step]))];
  const mismatches = fresh.steps.flatMap((step): PlanMismatch[] => {
    const message = mismatchOf(saved.get(step.id), step);
    return message ? [{ id: step.id, target: step.target, message }] : [];
  });
  for (const step of plan.steps) {
    // gone already, as planned
    if (now.has(step.id) || step.action === 'prune' || step.action === 'keep' || step.action === 'reset') { continue; }
    mismatches.push({ id: step.id, target: step.target, message: 'is no longer planned' });
  }
  return [...mismatches, ...rollMismatches(plan, fresh)];
}

function mismatchOf(saved: PlanStep | undefined, step: PlanStep): string | undefined {
  // nothing is written
  if (step.action === 'unchanged' || step.action === 'keep') { return undefined; }
  if (!saved) { return `${step.action} is not in the plan`; }
  if (saved.digest === step.digest) { return undefined; }
  if (saved.live && !step.live) { return 'the object is gone since'; }
  if (!saved.live && step.live) {
    return saved.action === 'create' && isFilledIn(saved, step) ? undefined : 'somebody made an object of that name since';
  }
  if (saved.live && step.live && saved.live.uid !== step.live.uid) { return 'another object has that name since'; }
  if (isFilledIn(saved, step)) { return undefined; }
  if (saved.action !== step.action) { return `was ${saved.action}, is ${step.action} now${step.reason ? `: ${step.reason}` : ''}`; }
  return changeOf(saved, step);
}

/** Whether what was to be known after apply is known by now: the plan already allowed for any value. */
function isFilledIn(saved: PlanStep, step: PlanStep): boolean {
  const rest = step.waitsFor.every((id) => saved.waitsFor.includes(id)) && step.waitsFor.length < saved.waitsFor.length;
  const planned = new Set(saved.changes.map(({ path }) => path));
  return rest && step.conflicts.length === 0 && (step.action === 'create' ? saved.action === 'create' || saved.action === 'unknown'
    : step.live?.uid === saved.live?.uid && step.changes.every(({ path }) => planned.has(path)));
}

function changeOf(saved: PlanStep, step: PlanStep): string {
  const text = (value: unknown): string => canonical(withoutHashes(value ?? null));
  const before = new Map(saved.changes.map((change) => [change.path, change]));
  const other = step.changes.filter((change) => {
    const was = before.get(change.path);
    return !was || text(was.before) !== text(change.before) || text(was.after) !== text(change.after);
  }).map(({ path }) => path);
  const gone = saved.changes.filter(({ path }) => !step.changes.some((change) => change.path === path)).map(({ path }) => path);
  const paths = [...new Set([...other, ...gone])];
  if (paths.length > 0) { return `was edited since: ${paths.join(', ')}`; }
  if (canonical(saved.conflicts) !== canonical(step.conflicts)) {
    return `other managers have other fields since: ${step.conflicts.map(({ manager, field }) => `${field} (${manager})`).join(', ') || 'none'}`;
  }
  if (saved.live?.resourceVersion !== step.live?.resourceVersion) { return 'was written since, and holds secrets that a plan does not keep: look at it again'; }
  return 'would write something else than planned: a late value is another one';
}

function rollMismatches(plan: Plan, fresh: Plan): PlanMismatch[] {
  const planned = new Set(plan.rolls.map(({ cluster, pool }) => `${cluster} ${pool}`));
  return fresh.rolls.filter(({ cluster, pool }) => !planned.has(`${cluster} ${pool}`))
    .map(({ cluster, pool }) => ({ message: `pool ${pool} of ${cluster} would be replaced, which the plan did not say` }));
}
