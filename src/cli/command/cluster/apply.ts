import { statSync } from 'fs';
import { Command } from 'commander';
import { HiddenValues } from '../../../core/secret/redactor';
import { plainText } from '../../../core/text/plain-text';
import { line, list, toned, withTexts } from '../../../core/text/screen';
import { ScreenFlags } from '../../../core/text/terminal';
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
} from '../../../engine';
import { optionsOf } from '../../../engine/known-options';
import { PlanOutcome } from '../../../engine/plan/plan';
import { planJson } from '../../../engine/plan/plan-file';
import { planBlocks, removalBlocks } from '../../../engine/plan/render-plan';
import { HINT } from '../../../engine/preflight/preflight';
import {
  OutputFlags,
  repeatable,
  withFailedSynthesis,
  withFormat,
  withOutputFolder,
  withScreen,
} from '../../option/output-options';
import {
  ALLOW_EMPTY,
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
} from '../../process';
import { Progress } from '../../progress';

/** Pipelines distinguish a change, an apply that would fail, and a plan that cannot be made. */
const EXIT_CODES: { readonly [outcome in PlanOutcome]: number } = {
  nothing: EXIT.DONE,
  problems: EXIT.FOUND,
  changes: EXIT.CHANGES,
};

const PRUNE_MACHINES =
  'prune machines and volumes that are no longer declared: clusters with machines, virtual machines, volumes';

interface PlanFlags
  extends TargetFlags, ChosenFlags, ManagedFieldsFlags, OutputFlags<'text' | 'json' | 'markdown'> {
  readonly app?: string;
  readonly formerInventory: readonly string[];
  readonly forceConflicts: readonly string[];
  readonly allowEmpty?: boolean;
  readonly pruneMachines?: boolean;
  /** False for `--no-preflight`. */
  readonly preflight: boolean;
  /** False for `--no-dry-run`. */
  readonly dryRun: boolean;
}

export function planCommand(): Command {
  const command = withOutputFolder(new Command('plan')).description(
    'show what an apply would change on the live clusters; nothing is written to them',
  );
  withFormat(
    withAppOption(command),
    ['text', 'json', 'markdown'],
    'list objects without a change, too',
  )
    .option(
      '--out <file>',
      'save the plan to this file (mode 0600); `apply <file>` carries it out, or stops if a cluster changed since',
    )
    .option('--allow-empty', ALLOW_EMPTY)
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
      if (!flags.dryRun && flags.out !== undefined) {
        throw new Error(
          '--no-dry-run: cannot be used with --out, since apply follows a tested plan. Fix: leave one of them out',
        );
      }
      if (flags.target.length > 0 && flags.out !== undefined) {
        throw new Error(
          '--target: cannot be used with --out. Fix: leave one of them out, and run apply with --target',
        );
      }
      const result = await plan(path, {
        ...optionsOf('plan', flags),
        onlyTargets: flags.target,
        ...bindOptionsOf(flags),
        signal,
      });
      if (result.plan.missingRights) {
        printError(`missing permissions: ${HINT}`);
      }
      if (flags.out !== undefined) {
        writePlan(flags.out, result.plan);
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
    .option('--yes', 'delete without asking')
    .option(
      '--target <name>',
      'delete only the objects on this target and the objects on other targets that need them: for a Harvester its import, and the tenants, credentials and guest clusters on it',
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
  readonly out?: string;
  readonly writeManifests?: string;
  readonly timeout: string;
}

export function resolveCommand(): Command {
  const command = withOutputFolder(new Command('resolve'))
    .description(
      'read the late values from the live clusters; nothing is written to the clusters and no credential is printed',
    )
    .option(
      '--out <file>',
      'write the values to this file (mode 0600), for the lateValuesFile of a synthesis',
    )
    .option(
      '--write-manifests <folder>',
      'write the objects that wait for late values, completed, below this folder, and remove what earlier runs wrote for others; objects with secrets get mode 0600',
    )
    .option('--timeout <seconds>', 'wait at most this long for the values', '300');
  return withTargetOptions(withScreen(command)).action(
    async (path: string, options: ResolveOptions) =>
      interruptible(async (signal) => runResolve(path, options, signal)),
  );
}

async function runResolve(
  path: string,
  { out, writeManifests, timeout, ...flags }: ResolveOptions,
  signal: AbortSignal,
): Promise<number> {
  const { known, failed, files, removed, notes } = await resolve(path, {
    ...bindOptionsOf(flags),
    timeoutMs: secondsOf(timeout) * 1000,
    out,
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
  if (known.length === 0) {
    print('no object of this program waits for a late value');
  }
  for (const file of [...files, ...removed.map((each) => `${each} (removed)`)]) {
    print(plainText(file));
  }
  for (const note of notes) {
    printError(note);
  }
  return EXIT.DONE;
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
  'wait' | 'prune' | 'allowEmpty' | 'pruneMachines' | 'keepMachines' | 'recreateFailedImages';

interface ApplyFlags
  extends RunFlags, ChosenFlags, ManagedFieldsFlags, Pick<ApplyOptions, ApplySwitch> {
  readonly dist: string;
}

export function applyCommand(): Command {
  const command = withFailedSynthesis(new Command('apply'))
    .description(
      'create and update the objects of the program on the live clusters, in dependency order; run it again to continue',
    )
    .argument(
      '[path]',
      'output folder of a synthesis, or a plan file of `plan --out`, which is then carried out exactly',
      'dist',
    );
  withAppOption(command)
    .option('--dist <folder>', 'output folder that the plan file was made from', 'dist')
    .option('--wait', 'wait until every object is ready')
    .option('--no-prune', 'keep objects that are no longer declared')
    .option('--allow-empty', ALLOW_EMPTY)
    .option('--prune-machines', PRUNE_MACHINES)
    .option(
      '--keep-machines',
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
  const isPlan = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  return runOnClusters(flags, async (options) =>
    apply(isPlan ? flags.dist : path, {
      ...optionsOf('apply', flags),
      ...options,
      onlyTargets: flags.target,
      plan: isPlan ? readPlan(path) : undefined,
    }),
  );
}
