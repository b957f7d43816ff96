import { explained, MissingRightsError, preflight, PreflightInput } from './preflight';
import { refKey } from '../../model/manifest';
import { ObjectRef } from '../cluster/cluster';
import { Leftover, leftoversOf } from '../run/leftovers';
import { RunContext } from '../run/run-context';

/** What is to be asked for before a run begins, beside what it knows itself. */
export type RunIntent = Pick<PreflightInput, 'written' | 'gone' | 'lateValues' | 'ends'>;

/** Connects, takes the lock, reads the inventories. Where that is forbidden, all that is missing is told, and not only what came first. */
export async function beginWithRights(run: RunContext, intent: RunIntent): Promise<void> {
  try {
    await run.begin();
  } catch (error) {
    throw run.options.preflight === false ? error : await explained(error, inputOf(run, intent));
  }
}

/** Throws where rights are missing, before anything is written; warns of those that are perhaps needed. */
export async function checkRights(run: RunContext, intent: RunIntent): Promise<void> {
  if (run.options.preflight === false) { return; }
  const { missing, doubts } = await preflight(inputOf(run, intent));
  if (missing.length > 0) { throw new MissingRightsError(missing); }
  for (const { target, line } of doubts) { run.warn(`perhaps a right is missing: ${line}`, target); }
}

/** What was applied before and is declared no longer, before anything is written: another id for the same object is none. */
export function undeclared(run: RunContext): Leftover[] {
  const declared = new Set(run.program.assembly.objects.map((object) => placeOf(object.target, object)));
  return leftoversOf(run).filter(({ target, entry }) => !declared.has(placeOf(target, entry)));
}

function placeOf(target: string, ref: ObjectRef): string {
  return `${target} ${refKey(ref)}`;
}

function inputOf(run: RunContext, intent: RunIntent): PreflightInput {
  const { program: { assembly, manifests, targets }, options: { app }, stop: signal, reached } = run;
  return {
    ...intent,
    app,
    manifests,
    signal,
    targets: assembly.targets,
    bound: targets,
    clusters: reached,
    entry: (target, id) => run.open.find((place) => place.target.name === target)?.keeper.entry(id),
  };
}
