import { createInterface } from 'readline/promises';
import { Command, Option } from 'commander';
import { repeatable, withColor } from './output-options';
import { RunSummary, WriteOptions } from '../../commands';
import { AssemblyTarget } from '../../core/output/assembly';
import { plainText } from '../../core/text/plain-text';
import { ScreenFlags } from '../../core/text/terminal';
import { Binding, BindOptions, bindTargets } from '../../engine/auth/bind-targets';
import { readConfigFile } from '../../engine/auth/config-file';
import { DEFAULT_APP } from '../../engine/fields/apply-set';
import { optionsOf } from '../../engine/known-options';
import { TakeOverRefused } from '../../engine/run/take-over-program';
import { MachinesKept } from '../../engine/run/work/plan-of-run';
import { EXIT, hasColors, printError } from '../terminal/process';
import { Progress, progressFor, ProgressFormat } from '../terminal/progress';

/** How a question is asked. */
interface AskOptions {
  readonly signal?: AbortSignal;
  /** Prints events above the question meanwhile. @default - nothing is printed meanwhile */
  readonly progress?: Progress;
}

/** Asks for a text at the terminal, and returns whether it was typed: a `y` is typed too fast. */
export async function isTyped(
  question: string,
  expected: string,
  { signal, progress }: AskOptions = {},
): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  progress?.ask(() => {
    // readline moves up by as many rows as the question has
    process.stderr.write('\n'.repeat(reader.getCursorPos().rows));
    reader.prompt(true);
  });
  try {
    return (await reader.question(plainText(question), { signal })).trim() === expected;
  } finally {
    progress?.ask(undefined);
    reader.close();
  }
}

/** Adds the option that names the app. */
export function withAppOption(command: Command): Command {
  return command
    .option(
      '--app <name>',
      "name that separates this program's inventory from other programs on the same clusters; default: app in cdk8s-harvester.yaml, otherwise default",
      DEFAULT_APP,
    )
    .hook('preAction', useConfiguredApp);
}

/** Reads the app of a program from its config file, unless the option names it. */
function useConfiguredApp(_: Command, action: Command): void {
  if (action.getOptionValueSource('app') !== 'default') {
    return;
  }
  const { config } = action.opts<{ readonly config?: string }>();
  const { app } = readConfigFile(config, process.cwd());
  if (app !== undefined) {
    action.setOptionValueWithSource('app', app, 'config');
  }
}

/** The option that chooses targets, as commander gives it. */
export interface ChosenFlags {
  readonly target: readonly string[];
}

/** Adds the option that chooses targets. */
export function withChosenTargets(command: Command): Command {
  return command.addOption(
    repeatable(
      '--target <name>',
      'only this target; the others need no context, what needs them is left out with a warning, and nothing is pruned',
    ),
  );
}

/** The options by which commands find clusters, as commander gives them. */
export interface TargetFlags {
  readonly context: readonly string[];
  readonly kubeconfig?: string;
  readonly config?: string;
  readonly acceptVersionSkew?: boolean;
  readonly insecureSkipTlsVerify: readonly string[];
  readonly acceptNewCluster: readonly string[];
  /** False for `--no-exec`. */
  readonly exec?: boolean;
}

/** Adds the options by which a command finds clusters; they are the last of its help. */
export function withTargetOptions(command: Command): Command {
  return withClusterOptions(command, '; default: cdk8s-harvester.yaml, if it exists')
    .option(
      '--accept-version-skew',
      'accept that a cluster has another minor version than the target names',
    )
    .addOption(
      repeatable(
        '--accept-new-cluster <target>',
        'accept that the cluster of this target, or the Rancher Cluster with this ID, was recreated since the last run',
      ),
    );
}

/**
 * Adds the options by which a command finds clusters that no program names.
 *
 * @param configDefault the default of the config file, for the help
 */
export function withClusterOptions(command: Command, configDefault = ''): Command {
  return command
    .optionsGroup('Options by which clusters are found:')
    .addOption(
      repeatable(
        '--context <target=context>',
        'the kubeconfig context of a target, where it is not called like the target',
      ),
    )
    .option(
      '--kubeconfig <file>',
      'read contexts from this kubeconfig; default: KUBECONFIG, or ~/.kube/config',
    )
    .option('--config <file>', `read the contexts of targets from this file${configDefault}`)
    .addOption(
      repeatable(
        '--insecure-skip-tls-verify <target>',
        'do not check the certificate of this target, if its kubeconfig skips the check too',
      ),
    )
    .option('--no-exec', 'run no command that a kubeconfig names for its credentials');
}

/** Binds the targets of an assembly; warnings go to stderr. */
export async function bindByFlags(
  targets: readonly AssemblyTarget[],
  flags: TargetFlags,
): Promise<Binding> {
  return bindTargets(targets, bindOptionsOf(flags));
}

/** The options by which the engine finds clusters; warnings go to stderr. */
export function bindOptionsOf(flags: TargetFlags) {
  return {
    onWarning: (where: string, message: string) => {
      printError(plainText(`warning: ${where}: ${message}`));
    },
    context: contextsOf(flags.context),
    kubeconfig: flags.kubeconfig,
    config: flags.config,
    acceptVersionSkew: flags.acceptVersionSkew,
    insecureSkipTlsVerify: flags.insecureSkipTlsVerify,
    acceptNewCluster: flags.acceptNewCluster,
    noExec: flags.exec === false,
  } satisfies BindOptions;
}

function contextsOf(flags: readonly string[]): Map<string, string> {
  const contexts = new Map<string, string>();
  for (const flag of flags) {
    const [target, context] = [
      flag.slice(0, Math.max(0, flag.indexOf('='))),
      flag.slice(flag.indexOf('=') + 1),
    ];
    if (!target || !context) {
      throw new Error(
        `--context: must be <target>=<context>, e.g. rancher=prod-rancher, got ${JSON.stringify(flag)}`,
      );
    }
    const other = contexts.get(target);
    if (other !== undefined && other !== context) {
      throw new Error(
        `--context: must name one context for target ${target}, got ${other} and ${context}`,
      );
    }
    contexts.set(target, context);
  }
  return contexts;
}

/** The options about managers of objects, as commander gives them. */
export interface ManagedFieldsFlags {
  readonly acceptExisting: readonly string[];
  readonly takeFieldsFrom: readonly string[];
  readonly migrateManagedFields?: boolean;
}

/** Adds the options about managers of objects. */
export function withManagedFieldsOptions(command: Command): Command {
  return command
    .addOption(
      repeatable(
        '--accept-existing <id>',
        'accept this existing object or Secret, although someone else made it and it gives permissions; plan prints the ID and who has access',
      ),
    )
    .addOption(
      repeatable(
        '--take-fields-from <manager>',
        'take ownership of the fields of this field manager, e.g. kubectl-client-side-apply',
      ),
    )
    .option(
      '--migrate-managed-fields',
      'set the apiVersion of field managers whose removed API version blocks the apply to that of the program',
    );
}

/** What commands have in common that write to clusters, as commander gives it. */
export interface RunFlags extends TargetFlags, Pick<ScreenFlags, 'color'> {
  readonly app: string;
  readonly output: ProgressFormat;
  readonly timeout?: string;
  readonly concurrency: string;
  readonly failFast?: boolean;
  readonly formerInventory: readonly string[];
  readonly forceConflicts: readonly string[];
  readonly acceptInUse: readonly string[];
  readonly removeFinalizer: readonly string[];
  /** False for `--no-preflight`. */
  readonly preflight: boolean;
}

/** Help of the option that skips the check of permissions. */
export const NO_PREFLIGHT =
  'skip the check of permissions, for servers that answer it wrongly or permissions that are granted during the run';

/** Help of the option that resolves conflicts. */
export const FORCE_CONFLICTS =
  'take the fields of this object from other field managers; plan prints the ID next to conflicts';

/** What the option does that lets a program follow one that it shares nothing with. */
export const ACCEPT_EMPTY =
  'accept that this program declares nothing of what was applied before, and delete that';

/** Adds the option to read inventories that others may have written. */
export function withFormerInventory(command: Command): Command {
  return command.addOption(
    repeatable(
      '--former-inventory <target>',
      'read the inventory that an earlier version kept in namespace default of this target, where tenants may write',
    ),
  );
}

/**
 * Adds the options by which a command writes to clusters, and finds them; after those of its own.
 */
export function withRunOptions(command: Command): Command {
  withFormerInventory(command)
    .addOption(repeatable('--force-conflicts <id>', FORCE_CONFLICTS))
    .addOption(
      repeatable(
        '--accept-in-use <id>',
        'accept that this object is deleted though others still need it',
      ),
    )
    .addOption(
      repeatable(
        '--remove-finalizer <id=finalizer>',
        'remove this finalizer from this object while it is being deleted, although its controller did not',
      ),
    )
    .option('--no-preflight', NO_PREFLIGHT)
    .option('--fail-fast', 'stop after the first failure')
    .option(
      '--timeout <seconds>',
      'wait at most this long; for one object, by default 45 minutes for Clusters, 60 for images, 15 for virtual machines and add-ons, and 5 for most others; 2 minutes for a silent server',
    )
    .option(
      '--concurrency <number>',
      'write at most this many objects of one cluster at a time',
      '8',
    );
  return withTargetOptions(withProgress(command));
}

/** Adds the options of how the events of a run are printed. */
export function withProgress(command: Command): Command {
  return withColor(
    command.addOption(
      new Option('-o, --output <format>', 'print in this format; json is one event per line')
        .choices(['text', 'json'])
        .default('text'),
    ),
  );
}

/** The options of a run, in place of the flags of the same names. */
type GivenOptions = WriteOptions &
  Omit<ReturnType<typeof bindOptionsOf>, 'onWarning'> & { readonly concurrency: number };

/** Runs a command of the engine. */
type RunAction = (options: GivenOptions, progress: Progress) => Promise<RunSummary>;

/** Signals that end a run, with the exit code that shells know them by. */
const SIGNALS: readonly (readonly [signal: NodeJS.Signals, exitCode: number])[] = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
];

/** The signals that end a run: the first ends it cleanly, the second at once. */
class RunSignals {
  private readonly ended = new AbortController();
  private readonly handlers: readonly (readonly [NodeJS.Signals, () => void])[];
  private code?: number;

  public constructor() {
    this.handlers = SIGNALS.map(([signal, code]) => [signal, () => this.stop(code)]);
    for (const [signal, handler] of this.handlers) {
      process.on(signal, handler);
    }
  }

  /** Is aborted by the first signal. */
  public get signal(): AbortSignal {
    return this.ended.signal;
  }

  /** The exit code of the signal that ended the run. @default - none did */
  public get exitCode(): number | undefined {
    return this.code;
  }

  public close(): void {
    for (const [signal, handler] of this.handlers) {
      process.off(signal, handler);
    }
  }

  private stop(code: number): void {
    if (this.ended.signal.aborted) {
      process.exit(code);
    }
    this.code = code;
    printError(
      'stopping: writes in progress get 10 s; the same signal again stops at once, and the lock is kept for a minute',
    );
    this.ended.abort(new Error('interrupted'));
  }
}

/**
 * Runs a command that writes to clusters and returns its exit code. The first signal ends it
 * cleanly, the second at once.
 */
export async function runOnClusters(flags: RunFlags, action: RunAction): Promise<number> {
  const timeoutMs =
    flags.timeout === undefined ? undefined : positive('--timeout', flags.timeout) * 1000;
  const concurrency = positive('--concurrency', flags.concurrency);
  const progress = progressFor(flags.output, process.stdout, hasColors(flags));
  const signals = new RunSignals();
  try {
    const summary = await action(
      {
        ...optionsOf('register', flags),
        ...bindOptionsOf(flags),
        onWarning: undefined,
        onEvent: (event) => {
          progress.on(event);
        },
        signal: signals.signal,
        concurrency,
        timeoutMs,
      },
      progress,
    );
    return signals.exitCode ?? exitCodeOf(summary);
  } catch (error) {
    progress.close();
    if (signals.exitCode !== undefined) {
      printError('interrupted before anything was written');
      return signals.exitCode;
    }
    printError(`cdk8s-harvester: ${(error as Error).message}`);
    const isFound = error instanceof MachinesKept || error instanceof TakeOverRefused;
    return isFound ? EXIT.FOUND : EXIT.FAILED;
  } finally {
    signals.close();
    progress.close();
  }
}

function exitCodeOf({ failed, skipped, pending, kept = [] }: RunSummary): number {
  if (failed.length + skipped.length + pending.length > 0) {
    return EXIT.FAILED;
  }
  return kept.length > 0 ? EXIT.FOUND : EXIT.DONE;
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || !(value > 0)) {
    throw new Error(`${option}: must be a number above 0, got ${JSON.stringify(text)}`);
  }
  return value;
}
