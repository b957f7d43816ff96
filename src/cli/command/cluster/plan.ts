import { styleText } from 'util';
import { Command, Option } from 'commander';
import { PlanResult, plan, planMarkdown, planText, writePlan } from '../../../engine';
import { PlanOutcome } from '../../../engine/plan/plan';
import { planJson } from '../../../engine/plan/plan-file';
import { LineTone } from '../../../engine/plan/render-plan';
import { HINT } from '../../../engine/preflight/preflight';
import { repeatable } from '../../option/repeatable';
import {
  ALLOW_EMPTY, FORCE_CONFLICTS, ManagedFieldsFlags, NO_PREFLIGHT, managedFieldsOf, withManagedFieldsOptions,
} from '../../option/run-options';
import { TargetFlags, bindOptionsOf, withAppOption, withTargetOptions } from '../../option/target-options';
import { interruptible } from '../../process';

/** The exit codes of `plan`: those of other planners, so that pipelines tell a change from a failure. */
const EXIT_CODES: { readonly [outcome in PlanOutcome]: number } = { nothing: 0, problems: 1, changes: 2 };

interface PlanFlags extends TargetFlags, ManagedFieldsFlags {
  readonly out?: string;
  readonly app?: string;
  readonly format: 'text' | 'json' | 'markdown';
  readonly all?: boolean;
  readonly forceConflicts: readonly string[];
  readonly allowEmpty?: boolean;
  /** False for `--no-preflight`. */
  readonly preflight: boolean;
}

const STYLES: { readonly [tone in LineTone]?: Parameters<typeof styleText>[0] } = {
  title: 'bold', add: 'green', change: 'yellow', remove: 'red', problem: 'magenta', quiet: 'gray',
};

export function planCommand(): Command {
  const command = new Command('plan')
    .description('tell what an apply would do to the live clusters; nothing is written to them')
    .argument('[folder]', 'the output folder', 'dist');
  withAppOption(command)
    .option('--out <file>', 'save the plan, readable by its owner alone; `apply <file>` carries it out or stops where a cluster changed since')
    .addOption(new Option('--format <format>', 'how it is printed').choices(['text', 'json', 'markdown']).default('text'))
    .option('--all', 'list objects without a change, too')
    .option('--allow-empty', ALLOW_EMPTY);
  withManagedFieldsOptions(command)
    .addOption(repeatable('--force-conflicts <id>', FORCE_CONFLICTS))
    .option('--no-preflight', NO_PREFLIGHT);
  return withTargetOptions(command)
    .addHelpText('after', '\nExit code: 0 no change, 2 changes, 1 an apply would fail, or the plan could not be made, 130 interrupted.')
    .action(async (folder: string, flags: PlanFlags) => {
      await interruptible(async (signal) => {
        const { app, forceConflicts, allowEmpty, preflight } = flags;
        const result = await plan(folder, { ...bindOptionsOf(flags), ...managedFieldsOf(flags), app, forceConflicts, allowEmpty, preflight, signal });
        if (result.plan.missingRights) { process.stderr.write(`permissions are missing: ${HINT}\n`); }
        if (flags.out !== undefined) { writePlan(flags.out, result.plan); }
        process.stdout.write(result.scrub(printed(result, flags)));
        process.exitCode = EXIT_CODES[result.outcome];
      });
    });
}

function printed({ plan: made }: PlanResult, { format, all }: PlanFlags): string {
  switch (format) {
    case 'json': return planJson(made);
    case 'markdown': return `${planMarkdown(made)}\n`;
    case 'text': return `${planText(made, hasColours() ? paint : undefined, { all })}\n`;
  }
}

function paint(tone: LineTone, text: string): string {
  const style = STYLES[tone];
  return style ? styleText(style, text) : text;
}

function hasColours(): boolean {
  return process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
}
