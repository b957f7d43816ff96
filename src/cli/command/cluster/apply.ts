import { statSync } from 'fs';
import { Command } from 'commander';
import {
  apply,
  ApplyOptions,
  destroy,
  DestroyScope,
  plan,
  planMarkdown,
  PlanResult,
  readPlan,
  resolve,
  writePlan,
} from '../../../commands';
import { HiddenValues } from '../../../core/secret/redactor';
import { plainText, plural } from '../../../core/text/plain-text';
import { line, list, toned, withTexts } from '../../../core/text/screen';
import { ScreenFlags } from '../../../core/text/terminal';
import { optionsOf } from '../../../engine/known-options';
import { PlanOutcome } from '../../../engine/plan/plan';
import { planJson } from '../../../engine/plan/plan-file';
import { planBlocks, removalBlocks } from '../../../engine/plan/render-plan';
import { HINT } from '../../../engine/preflight/preflight';
import {
  OutputFlags,
  repeatable,
  withFormat,
  withCurrentOutput,
  withOutputFolder,
  withScreen,
} from '../../option/output-options';
import {
  ACCEPT_EMPTY,
  bindOptionsOf,
  ChosenFlags,
  FORCE_CONFLICTS,
  isTyped,
  ManagedFieldsFlags,
  NO_PREFLIGHT,
  RunFlags,
  runOnClusters,
  TargetFlags,
  withAppOption,
  withChosenTargets,
  withFormerInventory,
  withManagedFieldsOptions,
  withRunOptions,
  withTargetOptions,
} from '../../option/run-options';
import {
  EXIT,
  interruptible,
  print,
  printBlocks,
  printError,
  printErrorBlocks,
} from '../../terminal/process';
import { Progress } from '../../terminal/progress';

/** Pipelines distinguish a change, an apply that would fail, and a plan that cannot be made. */
const EXIT_CODES: { readonly [outcome in PlanOutcome]: number } = {
  nothing: EXIT.DONE,
  problems: EXIT.FOUND,
  changes: EXIT.CHANGES,
};

const PRUNE_MACHINES =
  'prune machines and volumes that are no longer declared: clusters with machines, virtual machines, volumes';

interface PlanFlags
  extends
    TargetFlags,
    ChosenFlags,
    ManagedFieldsFlags,
    Omit<OutputFlags<'text' | 'json' | 'markdown'>, 'outputFile'> {
  readonly writePlan?: string;
  readonly app?: string;
  readonly formerInventory: readonly string[];
  readonly forceConflicts: readonly string[];
  readonly acceptEmpty?: boolean;
  readonly pruneMachines?: boolean;
  /** False for `--no-preflight`. */
  readonly preflight: boolean;
  /** False for `--no-dry-run`. */
  readonly dryRun: boolean;
}

export function planCommand(): Command {
  const command = withCurrentOutput(new Command('plan')).description(
    'show what an apply would change on the live clusters; nothing is written to them',
  );
  withFormat(withAppOption(command), ['text', 'json', 'markdown'], 'objects without a change')
    .option(
      '--write-plan <file>',
      'save the plan to this file (mode 0600); `apply --plan` carries it out, or stops if a cluster changed since',
    )
    .option('--accept-empty', ACCEPT_EMPTY)
    .option('--prune-machines', PRUNE_MACHINES);
  withFormerInventory(withManagedFieldsOptions(withChosenTargets(command)))
    .addOption(repeatable('--force-conflicts <id>', FORCE_CONFLICTS))
    .option(
      '--no-dry-run',
      'compare by reading only (rbac --read-only): no answer of a server is known',
    )
    .option('--no-preflight', NO_PREFLIGHT);
  return withTargetOptions(command).action(async (path: string, flags: PlanFlags) =>
    interruptible(async (signal) => {
      if (!flags.dryRun && flags.writePlan !== undefined) {
        throw new Error(
          '--no-dry-run: cannot be used with --write-plan, since apply follows a tested plan. Fix: leave one of them out',
        );
      }
      if (flags.target.length > 0 && flags.writePlan !== undefined) {
        throw new Error(
          '--target: cannot be used with --write-plan. Fix: leave one of them out, and run apply with --target',
        );
      }
      const result = await plan(path, {
        ...optionsOf('plan', flags),
        ...bindOptionsOf(flags),
        signal,
      });
      if (result.plan.missingRights) {
        printError(`missing permissions: ${HINT}`);
      }
      if (flags.writePlan !== undefined) {
        writePlan(flags.writePlan, result.plan);
      }
      printPlan(result, flags);
      return EXIT_CODES[result.outcome];
    }),
  );
}

function printPlan({ plan: made, scrub }: PlanResult, flags: PlanFlags): void {
  switch (flags.output) {
    case 'json':
      print(scrub(planJson(made).trimEnd()));
      break;
    case 'markdown':
      print(scrub(planMarkdown(made)));
      break;
    case 'text':
      printBlocks(withTexts(planBlocks(made, flags), scrub), flags);
  }
}

interface DestroyFlags extends RunFlags {
  readonly yes?: boolean;
  readonly target?: string;
}

export function destroyCommand(): Command {
  const command = withOutputFolder(new Command('destroy')).description(
    'delete what apply created, in reverse order; objects that are not in the inventories on the clusters are left alone',
  );
  withAppOption(command)
    .option(
      '--yes',
      'do not ask for confirmation; without it, the command asks before it deletes objects',
    )
    .option(
      '--target <name>',
      'only this target; with the objects on other targets that need it: for a Harvester its import, and the tenants, credentials and guest clusters on it',
    );
  return withRunOptions(command).action(async (path: string, flags: DestroyFlags) => {
    process.exitCode = await runDestroy(path, flags);
  });
}

async function runDestroy(path: string, flags: DestroyFlags): Promise<number> {
  if (!flags.yes && !process.stdin.isTTY) {
    throw new Error('destroy asks for confirmation, and stdin is not a terminal. Fix: set --yes');
  }
  let refused = false;
  const exitCode = await runOnClusters(flags, async (options, progress) =>
    destroy(path, {
      ...options,
      target: flags.target,
      ...(flags.yes
        ? {}
        : {
            confirm: async (scope: DestroyScope) =>
              !(refused = !(await asked(scope, flags, progress, options.signal))),
          }),
    }),
  );
  if (refused) {
    printError('nothing was deleted');
  }
  return refused && exitCode === EXIT.DONE ? EXIT.FAILED : exitCode;
}

/** Lists what is deleted, and asks for the name of the app. */
async function asked(
  { steps }: DestroyScope,
  { app: id, color }: RunFlags,
  progress: Progress,
  signal?: AbortSignal,
): Promise<boolean> {
  printErrorBlocks(
    [
      ...removalBlocks(steps),
      line(
        toned(
          'error',
          'The objects with a minus are deleted from the clusters, with all virtual machines and data in them.',
        ),
        0,
        0,
      ),
    ],
    { color },
  );
  return isTyped(`Type the name of the app (${id}) to continue: `, id, { signal, progress });
}

/** The options of `resolve` as commander gives them. */
interface ResolveOptions extends TargetFlags, ScreenFlags {
  readonly writeValues?: string;
  readonly writeManifests?: string;
  readonly timeout: string;
}

export function resolveCommand(): Command {
  const command = withOutputFolder(new Command('resolve'))
    .description(
      'read the late values from the live clusters; nothing is written to the clusters and no credential is printed',
    )
    .option(
      '--write-values <file>',
      'write the values to this file (mode 0600), for the lateValuesFile of a synthesis',
    )
    .option(
      '--write-manifests <folder>',
      'write the objects that wait for late values, completed, below this folder, and remove what earlier runs wrote for others; objects with secrets get mode 0600',
    )
    .option('--timeout <seconds>', 'wait at most this long; for all values', '300');
  return withTargetOptions(withScreen(command)).action(
    async (path: string, options: ResolveOptions) =>
      interruptible(async (signal) => runResolve(path, options, signal)),
  );
}

async function runResolve(
  path: string,
  { writeValues, writeManifests, timeout, ...flags }: ResolveOptions,
  signal: AbortSignal,
): Promise<number> {
  const { known, failed, files, removed, notes } = await resolve(path, {
    ...bindOptionsOf(flags),
    timeoutMs: secondsOf(timeout) * 1000,
    writeValues,
    writeManifests,
    signal,
  });
  const hidden = new HiddenValues();
  const values = list(
    known.map(({ id, description, value, sensitive }) => [
      line([
        toned('title', id),
        `  ${description}  `,
        toned('quiet', sensitive ? hidden.hash(value) : value),
      ]),
    ]),
    'late values',
  );
  if (known.length > 0) {
    printBlocks([values], flags);
  }
  if (failed.length > 0) {
    for (const message of new Set(failed.map((each) => each.message))) {
      printError(message);
    }
    printError(
      `${failed.length} of ${known.length + failed.length} late values are not known; nothing was written`,
    );
    return EXIT.FAILED;
  }
  for (const file of [...files, ...removed.map((each) => `${each} (removed)`)]) {
    print(plainText(file));
  }
  print(resolvedText(known.length, files.length));
  for (const note of notes) {
    printError(note);
  }
  return EXIT.DONE;
}

/** What a resolve did, in one line. */
function resolvedText(known: number, files: number): string {
  if (known === 0) {
    return 'no object of this program waits for a late value';
  }
  const written = files === 0 ? 'nothing was written' : `wrote ${plural(files, 'file')}`;
  return `read ${plural(known, 'late value')}; ${written}`;
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || !Number.isFinite(seconds)) {
    throw new Error(
      `--timeout: must be a number of seconds, e.g. 300, got ${JSON.stringify(text)}`,
    );
  }
  return seconds;
}

type ApplySwitch =
  'wait' | 'prune' | 'acceptEmpty' | 'pruneMachines' | 'failOnMachineLoss' | 'recreateFailedImages';

interface ApplyFlags
  extends RunFlags, ChosenFlags, ManagedFieldsFlags, Pick<ApplyOptions, ApplySwitch> {
  readonly plan?: string;
}

export function applyCommand(): Command {
  const command = withCurrentOutput(new Command('apply')).description(
    'create and update the objects of the program on the live clusters, in dependency order; run it again to continue',
  );
  withAppOption(command)
    .option(
      '--plan <file>',
      'carry out this plan of `plan --write-plan` exactly, or stop if a cluster changed since',
    )
    .option('--wait', 'wait until every object is ready')
    .option('--no-prune', 'keep objects that are no longer declared')
    .option('--accept-empty', ACCEPT_EMPTY)
    .option('--prune-machines', PRUNE_MACHINES)
    .option(
      '--fail-on-machine-loss',
      'write nothing if machines of guest clusters would be replaced or deleted',
    )
    .option(
      '--recreate-failed-images',
      'delete images whose download or upload failed and create them again, if nothing uses them',
    );
  return withRunOptions(withManagedFieldsOptions(withChosenTargets(command))).action(
    async (path: string, flags: ApplyFlags) => {
      process.exitCode = await run(path, flags);
    },
  );
}

async function run(path: string, flags: ApplyFlags): Promise<number> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) {
    throw new Error(
      `${path}: must be an output folder, got a file. Fix: if it is a plan, set --plan ${path}`,
    );
  }
  return runOnClusters(flags, async (options) =>
    apply(path, {
      ...optionsOf('apply', flags),
      ...options,
      plan: flags.plan === undefined ? undefined : readPlan(flags.plan),
    }),
  );
}
