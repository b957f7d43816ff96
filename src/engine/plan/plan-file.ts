import { existsSync, readFileSync } from 'fs';
import { join } from 'path';
import { MachineLoss, Plan, PlanStep, lossText } from './plan';
import { isRecord } from '../../core/manifest/manifest';
import { ASSEMBLY_FILE } from '../../core/output/assembly';
import { withoutHashes } from '../../core/secret/redactor';
import { isForced } from '../fields/managed-fields';
import { canonical } from '../secret/digest';
import { writePrivateFile } from '../secret/private-file';

/** Why a saved plan is not to be carried out any more. */
export interface PlanMismatch {
  /** The step; undefined where the plan as a whole is another. */
  readonly id?: string;
  readonly target?: string;
  /** What changed since, for people. */
  readonly message: string;
}

/** Throws where a saved plan was made for another app: its objects are none of this one. */
export function checkAppOfPlan({ app: planned }: Plan, app: string): void {
  if (planned === undefined || planned === app) { return; }
  throw new Error(`the plan was made for app ${planned}, and this run is for app ${app}: give --app ${planned}, or make a new plan with --app ${app}`);
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
    const message = mismatchOf(saved.get(step.id), step, isForced(plan, step.id));
    return message ? [{ id: step.id, target: step.target, message }] : [];
  });
  for (const step of plan.steps) {
    // gone already, as planned
    if (now.has(step.id) || step.action === 'prune' || step.action === 'keep' || step.action === 'reset') { continue; }
    mismatches.push({ id: step.id, target: step.target, message: 'is no longer planned' });
  }
  return [...mismatches, ...rollMismatches(plan, fresh)];
}

/**
 * @param forced whether the plan takes fields of the object from other managers
 */
function mismatchOf(saved: PlanStep | undefined, step: PlanStep, forced: boolean): string | undefined {
  // nothing is written
  if (step.action === 'unchanged' || step.action === 'keep') { return undefined; }
  if (!saved) { return `${step.action} is not in the plan`; }
  // whose fields are taken could not be tried then: they are taken whoever has them
  const untried = forced && saved.waitsFor.length > 0;
  const managers = [...managersOf(untried ? { ...step, forces: [] } : step)].filter((manager) => !managersOf(saved).has(manager));
  if (managers.length > 0) { return `has other managers since, which the plan did not say: ${managers.join(', ')}`; }
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

/** Those that a step takes fields from, or migrates. */
function managersOf({ takesOver = [], migrates = [], forces = [] }: PlanStep): ReadonlySet<string> {
  return new Set([...takesOver, ...migrates, ...forces.map(({ manager }) => manager)]);
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
  const others = ({ conflicts, forces = [] }: PlanStep) => [...conflicts, ...forces];
  if (canonical(others(saved)) !== canonical(others(step))) {
    return `other managers have other fields since: ${others(step).map(({ manager, field }) => `${field} (${manager})`).join(', ') || 'none'}`;
  }
  if (saved.live?.resourceVersion !== step.live?.resourceVersion) { return 'was written since, and holds secrets that a plan does not keep: look at it again'; }
  return 'would write something else than planned: a late value is another one';
}

function rollMismatches(plan: Plan, fresh: Plan): PlanMismatch[] {
  const keyOf = ({ target, cluster, pool }: MachineLoss): string => JSON.stringify([target, cluster, pool]);
  const planned = new Set(plan.rolls.map(keyOf));
  return fresh.rolls.filter((loss) => !planned.has(keyOf(loss))).map((loss) => ({ message: `the plan did not say: ${lossText(loss)}` }));
}

const SAY_AGAIN = 'make a new one by `cdk8s-harvester plan --out`';

/** Writes a plan so that only its owner reads it: whole, or not at all. */
export function writePlan(file: string, plan: Plan): void {
  writePrivateFile(file, planJson(plan));
}

/** Reads a plan that `writePlan` wrote. */
export function readPlan(file: string): Plan {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file}: ${error instanceof SyntaxError ? 'is no JSON' : (error as Error).message}; ${SAY_AGAIN}`);
  }
  if (!isRecord(content) || content.schemaVersion !== '1') {
    const found = isRecord(content) ? String(content.schemaVersion) : 'none';
    throw new Error(`${file}: got schemaVersion ${found}, expected 1; ${SAY_AGAIN}`);
  }
  const { assembly, targets, steps, rolls, adoptFrom = [], forceConflicts = [], app = '' } = content;
  const whole = typeof assembly === 'string' && [targets, steps, rolls].every(Array.isArray) && (targets as unknown[]).every(isTarget)
    && (steps as unknown[]).every(isStep) && (rolls as unknown[]).every(isRecord)
    && [adoptFrom, forceConflicts].every((names) => Array.isArray(names) && names.every((name) => typeof name === 'string')) && typeof app === 'string';
  if (!whole) { throw new Error(`${file}: is not a whole plan; ${SAY_AGAIN}`); }
  return content as unknown as Plan;
}

/** Throws where the output folder is not there, which a plan does not hold. */
export function checkPlannedFolder(folder: string): void {
  if (existsSync(join(folder, ASSEMBLY_FILE))) { return; }
  throw new Error(`${join(folder, ASSEMBLY_FILE)}: is not there; a plan is carried out with the output folder that it was made of: give it by --dist <folder>`);
}

/** A plan as JSON, as it stands in a file. */
export function planJson(plan: Plan): string {
  return `${JSON.stringify(plan, undefined, 2)}\n`;
}

function isTarget(value: unknown): boolean {
  return isRecord(value) && typeof value.name === 'string' && typeof value.by === 'string';
}

const ACTIONS: readonly unknown[] = ['create', 'update', 'unchanged', 'prune', 'keep', 'reset', 'unknown'];

function isStep(value: unknown): boolean {
  return isRecord(value) && typeof value.id === 'string' && typeof value.target === 'string' && typeof value.digest === 'string'
    && ACTIONS.includes(value.action) && [value.changes, value.conflicts, value.waitsFor].every(Array.isArray);
}
