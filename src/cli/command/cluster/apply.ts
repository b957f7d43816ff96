import { statSync } from 'fs';
import { Command } from 'commander';
import { apply, readPlan } from '../../../engine';
import {
  ALLOW_EMPTY, ManagedFieldsFlags, RunFlags, managedFieldsOf, runOnClusters, withManagedFieldsOptions, withRunOptions,
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
    .description('create and update the objects of the program on the live clusters, in dependency order; run it again to continue')
    .argument('[path]', 'output folder of a synthesis, or a plan file of `plan --out`, which is then carried out exactly', 'dist');
  withAppOption(command)
    .option('--dist <folder>', 'output folder that the plan file was made from', 'dist')
    .option('--wait', 'wait until every object is ready')
    .option('--no-prune', 'keep objects that are no longer declared')
    .option('--allow-empty', ALLOW_EMPTY)
    .option('--prune-machines', 'prune machines and volumes that are no longer declared: clusters with machines, virtual machines, volumes')
    .option('--keep-machines', 'write nothing if machines of guest clusters would be replaced or deleted');
  return withRunOptions(withManagedFieldsOptions(command))
    .action(async (path: string, flags: ApplyFlags) => {
      process.exitCode = await run(path, flags);
    });
}

async function run(path: string, flags: ApplyFlags): Promise<number> {
  const isPlan = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  const plan = isPlan ? readPlan(path) : undefined;
  const { wait, prune, allowEmpty, pruneMachines, keepMachines } = flags;
  return runOnClusters(flags, async (options) => apply(isPlan ? flags.dist : path, {
    ...options, ...managedFieldsOf(flags), wait, prune, allowEmpty, pruneMachines, keepMachines, plan,
  }));
}
