import { RunContext } from './run-context';
import {
  PreflightInput,
  MissingPermissionsError,
  preflight,
  explained,
} from '../../preflight/preflight';

/** What a run is about to do, besides what its context knows. */
type RunIntent = Pick<PreflightInput, 'written' | 'gone' | 'lateValues' | 'ends'>;

/**
 * Begins a run. If that is forbidden, the error contains all missing permissions, not only the
 * first.
 */
export async function beginPermitted(run: RunContext, intent: RunIntent): Promise<void> {
  try {
    await run.begin();
  } catch (error) {
    throw run.options.preflight === false ? error : await explained(error, inputOf(run, intent));
  }
}

/**
 * Throws if permissions are missing, before anything is written; warns about those that may be
 * needed.
 */
export async function checkPermissions(run: RunContext, intent: RunIntent): Promise<void> {
  if (run.options.preflight === false) {
    return;
  }
  const { missing, doubts } = await preflight(inputOf(run, intent));
  if (missing.length > 0) {
    throw new MissingPermissionsError(missing);
  }
  for (const { target, line } of doubts) {
    run.warn(`a permission may be missing: ${line}`, target);
  }
}

function inputOf(run: RunContext, intent: RunIntent): PreflightInput {
  const { stop: signal, reached } = run;
  const { assembly, manifests, targets } = run.program;
  const { app } = run.options;
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
