import { styleText } from 'util';
import { Command } from 'commander';
import { PlanResult, plan, planMarkdown, planText, writePlan } from '../../../engine';
import { PlanOutcome } from '../../../engine/plan/plan';
import { planJson } from '../../../engine/plan/plan-file';
import { LineTone } from '../../../engine/plan/render-plan';
import { HINT } from '../../../engine/preflight/preflight';
import { OutputFlags, withFormat, withOutputFolder } from '../../option/output-options';
import { repeatable } from '../../option/repeatable';
import {
  ALLOW_EMPTY, FORCE_CONFLICTS, ManagedFieldsFlags, NO_PREFLIGHT, managedFieldsOf, withManagedFieldsOptions,
} from '../../option/run-options';
import { TargetFlags, bindOptionsOf, withAppOption, withTargetOptions } from '../../option/target-options';
import { EXIT, hasColors, interruptible } from '../../process';

/** Pipelines distinguish a change from a failure by them. */
const EXIT_CODES: { readonly [outcome in PlanOutcome]: number } = { nothing: EXIT.DONE, problems: EXIT.FAILED, changes: EXIT.CHANGES };

interface PlanFlags extends TargetFlags, ManagedFieldsFlags, OutputFlags<'text' | 'json' | 'markdown'> {
  readonly app?: string;
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
  const command = withOutputFolder(new Command('plan'))
    .description('show what an apply would change on the live clusters; nothing is written to them');
  withFormat(withAppOption(command), ['text', 'json', 'markdown'])
    .option('--out <file>', 'save the plan to this file (mode 0600); `apply <file>` carries it out, or stops if a cluster changed since')
    .option('--all', 'also list objects without a change')
    .option('--allow-empty', ALLOW_EMPTY);
  withManagedFieldsOptions(command)
    .addOption(repeatable('--force-conflicts <id>', FORCE_CONFLICTS))
    .option('--no-preflight', NO_PREFLIGHT);
  return withTargetOptions(command)
    .action(async (path: string, flags: PlanFlags) => {
      await interruptible(async (signal) => {
        const { app, forceConflicts, allowEmpty, preflight } = flags;
        const result = await plan(path, { ...bindOptionsOf(flags), ...managedFieldsOf(flags), app, forceConflicts, allowEmpty, preflight, signal });
        if (result.plan.missingRights) { process.stderr.write(`missing permissions: ${HINT}\n`); }
        if (flags.out !== undefined) { writePlan(flags.out, result.plan); }
        process.stdout.write(result.scrub(printed(result, flags)));
        process.exitCode = EXIT_CODES[result.outcome];
      });
    });
}

function printed({ plan: made }: PlanResult, { output, all }: PlanFlags): string {
  switch (output) {
    case 'json': return planJson(made);
    case 'markdown': return `${planMarkdown(made)}\n`;
    case 'text': return `${planText(made, hasColors() ? paint : undefined, { all })}\n`;
  }
}

function paint(tone: LineTone, text: string): string {
  const style = STYLES[tone];
  return style ? styleText(style, text) : text;
}
