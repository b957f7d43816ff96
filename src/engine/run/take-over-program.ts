import { applyProgram, ApplyRunOptions } from './apply-program';
import { RunSummary } from './context/events';
import { RunProgram } from '../auth/run-program';
import { readTakeOver, TakeOver } from '../auth/take-over';
import { EngineError } from '../engine-error';
import { adoptionOf } from '../fields/managed-fields';
import { Plan, PlanStep } from '../plan/plan';
import {
  AdoptionPlan,
  AdoptionProblem,
  adoptionProblems,
  agreementsOf,
  isRefusedForAgreement,
  planAdoption,
} from '../plan/program/adoption';
import { PlanResult, planProgram } from '../plan/program/plan-program';
import { ForeignSecrets } from '../precondition/named-secrets';

/** The option that names the file, in messages. */
const OPTION = '--take-over';

/** What a take-over does. */
export interface TakeOverPlan {
  /** The objects that give permissions and are adopted, with what is true of them now. */
  readonly adopted: readonly TakeOver[];
  /** IDs in the file that need no agreement, e.g. since they are adopted already. */
  readonly settled: readonly string[];
  /** The plan that is carried out. */
  readonly plan: Plan;
  /** Removes secrets from a text about the plan. */
  readonly scrub: (text: string) => string;
}

/** What a take-over has done. */
export interface TakeOverResult {
  readonly summary: RunSummary;
  /** The next plan, without the file. @default - none: the take-over is not complete */
  readonly next?: PlanResult;
}

/** How a take-over file is carried out. */
export interface TakeOverRunOptions extends Omit<ApplyRunOptions, 'plan' | 'acceptExisting'> {
  /** Receives what is adopted before anything is written. */
  readonly onPlan?: (plan: TakeOverPlan) => void;
}

/**
 * A take-over ended before it wrote anything: its file and the clusters differ, or it would do more
 * than adopt objects as they are.
 */
export class TakeOverRefused extends EngineError {
  public override readonly name = 'TakeOverRefused';

  public constructor(message: string) {
    super('refused', message);
  }
}

/**
 * Adopts the objects of a program as a reviewed file lists them, and then plans without the file.
 * Objects that fail are in the summary; the same call resumes.
 *
 * @throws TakeOverRefused if a cluster differs from the file, or a value would change
 */
export async function takeOverProgram(
  program: RunProgram,
  file: string,
  { onPlan, ...options }: TakeOverRunOptions,
): Promise<TakeOverResult> {
  const entries = readTakeOver(file, OPTION);
  const uids = new Map(entries.map(({ id, uid }) => [id, uid]));
  const found = await planAdoption(program, options, uids);
  const acceptExisting = entries.map(({ id, uid }) => adoptionOf(id, uid));
  const { plan, scrub } = await planProgram(program, { ...options, acceptExisting });
  const problems = [
    ...undeclaredEntries(program, entries, file),
    ...changedEntries(entries, found, plan, file),
    ...unlistedObjects(plan, entries, file),
    ...otherProblems(plan, entries),
  ];
  if (problems.length > 0) {
    const refusal = `nothing was written, since ${OPTION} only adopts what is as reviewed`;
    throw new TakeOverRefused(scrub([refusal, ...problems].join('\n')));
  }
  const taken = new Set(found.taken.map(({ id }) => id));
  const settled = entries.map(({ id }) => id).filter((id) => !taken.has(id));
  onPlan?.({ adopted: found.taken, settled, plan, scrub });
  const run = { ...options, acceptExisting, plan };
  const summary = await applyProgram(program, run, { awaitsReady: false });
  if (!isComplete(summary)) {
    return { summary };
  }
  return { summary, next: await planProgram(program, options) };
}

function isComplete({ failed, skipped, pending, interrupted }: RunSummary): boolean {
  return !interrupted && failed.length + skipped.length + pending.length === 0;
}

/** Entries that name neither an object of the program nor a Secret that it names. */
function undeclaredEntries(
  { assembly, manifests }: RunProgram,
  entries: readonly TakeOver[],
  file: string,
): string[] {
  const known = new Set([
    ...assembly.objects.map(({ id }) => id),
    ...new ForeignSecrets(assembly, manifests).ids,
  ]);
  return entries
    .filter(({ id }) => !known.has(id))
    .map(({ id }) => `${id}: is in ${file}, and not in the program. Fix: remove it from the file`);
}

/** Entries whose objects are not those that someone reviewed. */
function changedEntries(
  entries: readonly TakeOver[],
  { taken }: AdoptionPlan,
  plan: Plan,
  file: string,
): string[] {
  const accessNow = new Map(taken.map(({ id, because }) => [id, because]));
  const steps = new Map(plan.steps.map((step) => [step.id, step]));
  const refused = new Set(plan.steps.flatMap(agreementsOf).map(({ id }) => id));
  const problems: string[] = [];
  for (const entry of entries) {
    const { id } = entry;
    const step = steps.get(id);
    if (isGone(step)) {
      problems.push(deletedMessage(entry, file));
    } else if (isOtherObject(entry, step) || refused.has(id)) {
      problems.push(recreatedMessage(entry, step, file));
    } else if (hasOtherAccess(entry, accessNow.get(id))) {
      problems.push(accessMessage(entry, accessNow.get(id)!, file));
    }
  }
  return problems;
}

function isOtherObject({ uid }: TakeOver, step: PlanStep | undefined): boolean {
  return step?.live !== undefined && step.live.uid !== uid;
}

/** Whether others have access than those of the entry, if it names any. */
function hasOtherAccess({ because }: TakeOver, now: string | undefined): boolean {
  return because !== '' && now !== undefined && now !== because;
}

function deletedMessage({ id }: TakeOver, file: string): string {
  return (
    `${id}: was deleted since ${file} was written. ` +
    'Fix: find out who deleted it, and remove it from the file'
  );
}

function recreatedMessage({ id, uid }: TakeOver, step: PlanStep | undefined, file: string): string {
  const got = step?.live === undefined ? 'another one' : step.live.uid;
  return (
    `${id}: was recreated since ${file} was written: must have UID ${uid}, got ${got}. ` +
    'Fix: find out who made it; to adopt it, set its uid in the file'
  );
}

function accessMessage({ id, because }: TakeOver, now: string, file: string): string {
  return (
    `${id}: who has access changed since ${file} was written: must be as reviewed (${because}), got: ${now}. ` +
    'Fix: review it, and set because in the file to this text'
  );
}

function isGone(step: PlanStep | undefined): boolean {
  return step !== undefined && step.live === undefined && step.action === 'create';
}

/** Objects that someone must agree to adopt, and that the file does not list. */
function unlistedObjects(plan: Plan, entries: readonly TakeOver[], file: string): string[] {
  const listed = new Set(entries.map(({ id }) => id));
  const problems: string[] = [];
  for (const step of plan.steps) {
    const unlisted = agreementsOf(step).filter(({ id }) => !listed.has(id));
    for (const { id, because } of unlisted) {
      problems.push(
        `${id}: is not in ${file}, and ${because}. ` +
          `Fix: find out who made it; add it to the file with ${uidText(step, id)}, or remove it from the program`,
      );
    }
  }
  return problems;
}

/**
 * The UID to write into the file.
 *
 * @param id of the object of the step, or of a Secret that this names
 */
function uidText({ id: own, live }: PlanStep, id: string): string {
  return live === undefined || own !== id ? 'its uid' : `uid ${live.uid}`;
}

/** What the plan does beyond the adoption. */
function otherProblems(plan: Plan, entries: readonly TakeOver[]): string[] {
  const listed = new Set(entries.map(({ id }) => id));
  const steps = plan.steps.filter(
    (step) => !isRefusedForAgreement(step) && !(listed.has(step.id) && isGone(step)),
  );
  const { missingRights = [] } = plan;
  return [
    ...adoptionProblems({ ...plan, steps }).map(adoptionProblemText),
    ...missingRights.map((line) => `missing permission: ${line}. Fix: grant it`),
  ];
}

function adoptionProblemText(problem: AdoptionProblem): string {
  const { target, object, message } = problem;
  const cluster = target === '' ? '' : `${target}: `;
  const fix = message.includes('Fix:')
    ? ''
    : '. Fix: declare what is on the cluster, and change it after the take-over';
  return `${cluster}${object}: ${message}${fix}`;
}
