import { existsSync } from 'fs';
import { join } from 'path';
import { MachineLoss, PLAN_VERSION, Plan, PlanStep, lossText } from './plan';
import { isRecord } from '../../core/manifest/manifest';
import { ASSEMBLY_FILE } from '../../core/output/assembly';
import { readRegularText } from '../../core/output/regular-file';
import { withoutHashes } from '../../core/secret/redactor';
import { isForced } from '../fields/managed-fields';
import { canonical } from '../secret/digest';
import { writePrivateFile } from '../secret/private-file';

/** Why a saved plan is out of date. */
interface PlanMismatch {
  /** The ID of the object; undefined if the whole plan is out of date. */
  readonly id?: string;
  readonly target?: string;
  /** What changed. */
  readonly message: string;
}

/** Throws if a saved plan was made for another app. */
export function checkAppOfPlan({ app: planned }: Plan, app: string): void {
  if (planned === undefined || planned === app) {
    return;
  }
  throw new Error(
    `--app: must be ${planned}, for which the plan was made, got ${app}. Fix: set --app ${planned}, or make a new plan with --app ${app}`,
  );
}

/**
 * Compares a saved plan with a fresh one. Returns nothing if an apply would do what the saved plan
 * contains, or the rest of it: steps that are already done do not count as changes, so an
 * interrupted apply can resume with the same plan.
 */
export function verifyPlan(plan: Plan, fresh: Plan): PlanMismatch[] {
  if (plan.assembly !== fresh.assembly) {
    return [{ message: 'the manifests changed after the plan was made. Fix: make a new plan' }];
  }
  const clusters = fresh.targets.flatMap(({ name, clusterUid, by }): PlanMismatch[] => {
    const saved = plan.targets.find((target) => target.name === name);
    const other =
      saved?.clusterUid !== undefined &&
      clusterUid !== undefined &&
      saved.clusterUid !== clusterUid;
    return other
      ? [{ target: name, message: `${by} is not the cluster that the plan was made for` }]
      : [];
  });
  if (clusters.length > 0) {
    return clusters;
  }
  const [saved, now] = [
    new Map(plan.steps.map((step) => [step.id, step])),
    new Map(fresh.steps.map((step) => [step.id, step])),
  ];
  const mismatches = fresh.steps.flatMap((step): PlanMismatch[] => {
    const message = mismatchOf(saved.get(step.id), step, isForced(plan, step.id));
    return message ? [{ id: step.id, target: step.target, message }] : [];
  });
  for (const step of plan.steps) {
    // already deleted, as planned
    if (
      now.has(step.id) ||
      step.action === 'prune' ||
      step.action === 'keep' ||
      step.action === 'reset'
    ) {
      continue;
    }
    mismatches.push({ id: step.id, target: step.target, message: 'is no longer planned' });
  }
  return [...mismatches, ...rollMismatches(plan, fresh)];
}

/** @param forced whether the plan takes fields of the object from other field managers */
function mismatchOf(
  saved: PlanStep | undefined,
  step: PlanStep,
  forced: boolean,
): string | undefined {
  // nothing is written
  if (step.action === 'unchanged' || step.action === 'keep') {
    return undefined;
  }
  if (!saved) {
    return `${step.action} is not in the plan`;
  }
  // without a dry run, the plan could not list the field managers: the fields are taken from any of
  // them
  const untried = forced && saved.waitsFor.length > 0;
  const managers = [...managersOf(untried ? { ...step, forces: [] } : step)].filter(
    (manager) => !managersOf(saved).has(manager),
  );
  if (managers.length > 0) {
    return `has other field managers now, which the plan does not name: ${managers.join(', ')}`;
  }
  if (saved.digest === step.digest) {
    return undefined;
  }
  if (saved.live && !step.live) {
    return 'the object was deleted after the plan was made';
  }
  if (!saved.live && step.live) {
    return saved.action === 'create' && isFilledIn(saved, step)
      ? undefined
      : 'an object with that name was created after the plan was made';
  }
  if (saved.live && step.live && saved.live.uid !== step.live.uid) {
    return 'the object was recreated after the plan was made';
  }
  if (isFilledIn(saved, step)) {
    return undefined;
  }
  if (saved.action !== step.action) {
    return `was ${saved.action} in the plan, is ${step.action} now${step.reason ? `: ${step.reason}` : ''}`;
  }
  return changeOf(saved, step);
}

/** The field managers that a step takes fields from or migrates. */
function managersOf({ takesOver = [], migrates = [], forces = [] }: PlanStep): ReadonlySet<string> {
  return new Set([...takesOver, ...migrates, ...forces.map(({ manager }) => manager)]);
}

/** Whether late values became known since: the plan allows any value for them. */
function isFilledIn(saved: PlanStep, step: PlanStep): boolean {
  const rest =
    step.waitsFor.every((id) => saved.waitsFor.includes(id)) &&
    step.waitsFor.length < saved.waitsFor.length;
  const planned = new Set(saved.changes.map(({ path }) => path));
  return (
    rest &&
    step.conflicts.length === 0 &&
    (step.action === 'create'
      ? saved.action === 'create' || saved.action === 'unknown'
      : step.live?.uid === saved.live?.uid && step.changes.every(({ path }) => planned.has(path)))
  );
}

function changeOf(saved: PlanStep, step: PlanStep): string {
  const text = (value: unknown): string => canonical(withoutHashes(value ?? null));
  const before = new Map(saved.changes.map((change) => [change.path, change]));
  const other = step.changes
    .filter((change) => {
      const was = before.get(change.path);
      return (
        !was || text(was.before) !== text(change.before) || text(was.after) !== text(change.after)
      );
    })
    .map(({ path }) => path);
  const gone = saved.changes
    .filter(({ path }) => !step.changes.some((change) => change.path === path))
    .map(({ path }) => path);
  const paths = [...new Set([...other, ...gone])];
  if (paths.length > 0) {
    return `was edited after the plan was made: ${paths.join(', ')}`;
  }
  const others = ({ conflicts, forces = [] }: PlanStep) => [...conflicts, ...forces];
  if (canonical(others(saved)) !== canonical(others(step))) {
    return `other field managers own other fields now: ${
      others(step)
        .map(({ manager, field }) => `${field} (${manager})`)
        .join(', ') || 'none'
    }`;
  }
  if (saved.live?.resourceVersion !== step.live?.resourceVersion) {
    return 'was written after the plan was made, and contains secrets that a plan does not keep. Fix: make a new plan';
  }
  return 'would write something else than planned: a late value changed';
}

function rollMismatches(plan: Plan, fresh: Plan): PlanMismatch[] {
  const keyOf = ({ target, cluster, pool }: MachineLoss): string =>
    JSON.stringify([target, cluster, pool]);
  const planned = new Set(plan.rolls.map(keyOf));
  return fresh.rolls
    .filter((loss) => !planned.has(keyOf(loss)))
    .map((loss) => ({ message: `the plan does not contain: ${lossText(loss)}` }));
}

const REMEDY = 'Fix: make a new plan with `cdk8s-harvester plan --write-plan`';

/** Writes a plan to a file that only its owner can read (mode 0600): all or nothing. */
export function writePlan(file: string, plan: Plan): void {
  writePrivateFile(file, planJson(plan));
}

/** Reads a plan that `writePlan` wrote. Throws if it is not one. */
export function readPlan(file: string): Plan {
  let content: unknown;
  try {
    content = JSON.parse(readRegularText(file));
  } catch (error) {
    throw new Error(
      `${file}: ${error instanceof SyntaxError ? 'is not valid JSON' : (error as Error).message}. ${REMEDY}`,
    );
  }
  if (!isRecord(content) || content.schemaVersion !== PLAN_VERSION) {
    const found = isRecord(content) ? String(content.schemaVersion) : 'none';
    throw new Error(
      `${file}: schemaVersion must be ${PLAN_VERSION}, got ${found}, of another version of cdk8s-harvester. ${REMEDY}`,
    );
  }
  const {
    assembly,
    targets,
    steps,
    rolls,
    adopt = [],
    takeFieldsFrom = [],
    forceConflicts = [],
    app = '',
  } = content;
  const whole =
    typeof assembly === 'string' &&
    [targets, steps, rolls].every(Array.isArray) &&
    (targets as unknown[]).every(isTarget) &&
    (steps as unknown[]).every(isStep) &&
    (rolls as unknown[]).every(isRecord) &&
    [adopt, takeFieldsFrom, forceConflicts].every(
      (names) => Array.isArray(names) && names.every((name) => typeof name === 'string'),
    ) &&
    typeof app === 'string';
  if (!whole) {
    throw new Error(`${file}: is not a complete plan. ${REMEDY}`);
  }
  return content as unknown as Plan;
}

/** Throws if the output folder of a plan does not exist: a plan does not contain the manifests. */
export function checkPlannedFolder(folder: string): void {
  if (existsSync(join(folder, ASSEMBLY_FILE))) {
    return;
  }
  throw new Error(
    `${join(folder, ASSEMBLY_FILE)}: does not exist; applying a plan requires the output folder that it was made from. Fix: give the folder, as in apply <folder> --plan <file>`,
  );
}

/** A plan as JSON, as in its file. */
export function planJson(plan: Plan): string {
  return `${JSON.stringify(plan, undefined, 2)}\n`;
}

function isTarget(value: unknown): boolean {
  return isRecord(value) && typeof value.name === 'string' && typeof value.by === 'string';
}

const ACTIONS: readonly unknown[] = [
  'create',
  'update',
  'unchanged',
  'prune',
  'keep',
  'reset',
  'unknown',
];

function isStep(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value.id === 'string' &&
    typeof value.target === 'string' &&
    typeof value.digest === 'string' &&
    ACTIONS.includes(value.action) &&
    [value.changes, value.conflicts, value.waitsFor].every(Array.isArray)
  );
}
