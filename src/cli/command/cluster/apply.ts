import { statSync } from 'fs';
import { Command } from 'commander';
import { apply, readPlan } from '../../../engine';
import {
  ALLOW_EMPTY, EXIT_CODES_TEXT, ManagedFieldsFlags, RunFlags, managedFieldsOf, runOnClusters, withManagedFieldsOptions, withRunOptions,
} from '../../option/run-options';
import { withAppOption } from '../../option/target-options';

interface ApplyFlags extends RunFlags, ManagedFieldsFlags {
  readonly dist: string;
  readonly wait?: boolean;
  /** False for `--no-prune`. */
  readonly prune: boolean;
  readonly allowEmpty?: boolean;
  readonly pruneMachines?: boolean;
  readonly keepMachines?: boolean;
}

export function applyCommand(): Command {
  const command = new Command('apply')
    .description('bring the live clusters to what synthesis wrote; running it again goes on where it ended')
    .argument('[what]', 'the output folder, or a plan that `plan --out` wrote: then exactly that is done', 'dist');
  withAppOption(command)
    .option('--dist <folder>', 'the output folder that a plan was made of, where one is given', 'dist')
    .option('--wait', 'wait at the end until every object is ready')
    .option('--no-prune', 'leave what is no longer declared')
    .option('--allow-empty', ALLOW_EMPTY)
    .option('--prune-machines', 'take also those away that hold machines or data: Clusters with machines, virtual machines, volumes')
    .option('--keep-machines', 'write nothing where machines of guest clusters would be replaced or deleted');
  return withRunOptions(withManagedFieldsOptions(command))
    .addHelpText('after', EXIT_CODES_TEXT)
    .action(async (what: string, flags: ApplyFlags) => {
      process.exitCode = await run(what, flags);
    });
}

async function run(what: string, flags: ApplyFlags): Promise<number> {
  const isPlan = statSync(what, { throwIfNoEntry: false })?.isFile() === true;
  const plan = isPlan ? readPlan(what) : undefined;
  const { wait, prune, allowEmpty, pruneMachines, keepMachines } = flags;
  return runOnClusters(flags, async (options) => apply(isPlan ? flags.dist : what, {
    ...options, ...managedFieldsOf(flags), wait, prune, allowEmpty, pruneMachines, keepMachines, plan,
  }));
}
