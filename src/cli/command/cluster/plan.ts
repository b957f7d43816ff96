import { styleText } from 'util';
import { Command, Option } from 'commander';
import { Redactor } from '../../../core/secret/redactor';
import { checkAdoptFrom } from '../../../engine/fields/managed-fields';
import { buildGraph } from '../../../engine/graph/build-graph';
import { appOf, asMember } from '../../../engine/inventory/apply-set';
import { inventoryReader } from '../../../engine/inventory/inventory';
import { LateResolver } from '../../../engine/late/late-resolver';
import { PlanOptions, makePlan } from '../../../engine/plan/make-plan';
import { Plan, PlanOutcome, outcomeOf, plainText } from '../../../engine/plan/plan';
import { planJson, writePlan } from '../../../engine/plan/plan-file';
import { LineTone, planMarkdown, planText } from '../../../engine/plan/render-plan';
import { HINT, PlanRights } from '../../../engine/preflight/preflight';
import { loadAssembly, refusePlaceholders } from '../../../engine/read/load-assembly';
import { rollsByImpact } from '../../../engine/run/rolls-first';
import { repeatable } from '../../option/repeatable';
import {
  ALLOW_EMPTY, FORCE_CONFLICTS, ManagedFieldsFlags, NO_PREFLIGHT, bindProgram, managedFieldsOf, withManagedFieldsOptions,
} from '../../option/run-options';
import { TargetFlags, withAppOption, withTargetOptions } from '../../option/target-options';
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
        const { plan, redactor } = await planOf(folder, flags, signal);
        if (flags.out !== undefined) { writePlan(flags.out, plan); }
        process.stdout.write(redactor.scrub(printed(plan, flags)));
        process.exitCode = EXIT_CODES[outcomeOf(plan)];
      });
    });
}

async function planOf(folder: string, flags: PlanFlags, signal: AbortSignal): Promise<{ plan: Plan; redactor: Redactor }> {
  const app = appOf(flags.app);
  checkAdoptFrom(flags, app.fieldManager);
  const output = loadAssembly(folder);
  refusePlaceholders(output);
  const { loaded, binding } = await bindProgram(output, app, flags);
  const graph = buildGraph(loaded.assembly, loaded.manifests);
  const redactor = Redactor.of(loaded.manifests.values());
  const rights = new PlanRights({ ...loaded, targets: binding.targets }, app, signal);
  const late = new LateResolver(loaded.assembly, binding.targets, { signal });
  try {
    const options: PlanOptions = {
      app: app.id,
      fieldManager: app.fieldManager,
      forceConflicts: flags.forceConflicts,
      acceptNewCluster: flags.acceptNewCluster,
      allowEmpty: flags.allowEmpty,
      ...managedFieldsOf(flags),
      inventory: rights.reading(inventoryReader(app)),
      finish: asMember(app),
      late,
      rolls: rollsByImpact,
      onWarning: ({ id }, message) => { process.stderr.write(`warning: ${id}: ${plainText(redactor.scrub(message))}\n`); },
      signal,
    };
    const plan = await makePlan({ ...loaded, graph, targets: binding.targets }, options);
    // a server may say again what it gave for another object
    for (const secret of late.secrets) { redactor.add(secret); }
    return { plan: flags.preflight ? await withRights(plan, rights) : plan, redactor };
  } catch (error) {
    throw flags.preflight ? await rights.explained(error) : error;
  } finally {
    binding.close();
  }
}

async function withRights(plan: Plan, rights: PlanRights): Promise<Plan> {
  const { missing, doubts } = await rights.of(plan);
  for (const { line } of doubts) { process.stderr.write(`warning: perhaps a right is missing: ${plainText(line)}\n`); }
  if (missing.length === 0) { return plan; }
  process.stderr.write(`rights are missing: ${HINT}\n`);
  return { ...plan, missingRights: missing };
}

function printed(plan: Plan, { format, all }: PlanFlags): string {
  switch (format) {
    case 'json': return planJson(plan);
    case 'markdown': return `${planMarkdown(plan)}\n`;
    case 'text': return `${planText(plan, hasColours() ? paint : undefined, { all })}\n`;
  }
}

function paint(tone: LineTone, text: string): string {
  const style = STYLES[tone];
  return style ? styleText(style, text) : text;
}

function hasColours(): boolean {
  return process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
}
