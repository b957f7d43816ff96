import { Command, Option } from 'commander';
import { repeatable } from './repeatable';
import { TargetFlags, bindOptionsOf, withTargetOptions } from './target-options';
import type { RunSummary, WriteOptions } from '../../engine';
import { ManagedFieldsOptions } from '../../engine/fields/managed-fields';
import { EXIT, packageVersion } from '../process';
import { Progress, ProgressFormat, progressFor } from '../progress';

/** The options about managers of objects, as commander gives them. */
export interface ManagedFieldsFlags {
  readonly adoptFrom: readonly string[];
  readonly migrateManagedFields?: boolean;
}

/** Adds the options about managers of objects. */
export function withManagedFieldsOptions(command: Command): Command {
  return command
    .addOption(repeatable('--adopt-from <manager>', 'take ownership of the fields of this field manager, e.g. kubectl-client-side-apply'))
    .option('--migrate-managed-fields', 'set the apiVersion of field managers whose removed API version blocks the apply to that of the program');
}

export function managedFieldsOf({ adoptFrom, migrateManagedFields }: ManagedFieldsFlags): ManagedFieldsOptions {
  return { adoptFrom, migrateManagedFields };
}

/** What commands have in common that write to clusters, as commander gives it. */
export interface RunFlags extends TargetFlags {
  readonly app: string;
  readonly output: ProgressFormat;
  readonly timeout?: string;
  readonly concurrency: string;
  readonly failFast?: boolean;
  readonly forceConflicts: readonly string[];
  readonly deleteAnyway: readonly string[];
  /** False for `--no-preflight`. */
  readonly preflight: boolean;
}

/** Help of the option that skips the check of permissions. */
export const NO_PREFLIGHT = 'skip the check of permissions, for servers that answer it wrongly or permissions that are granted during the run';

/** Help of the option that resolves conflicts. */
export const FORCE_CONFLICTS = 'take the fields of this object from other field managers; plan prints the ID next to conflicts';

/** What the option does that lets a program follow one that it shares nothing with. */
export const ALLOW_EMPTY = 'delete what was applied before even if this program declares none of it';

/** Adds the options by which a command writes to clusters, and finds them; after those of its own. */
export function withRunOptions(command: Command): Command {
  command
    .addOption(repeatable('--force-conflicts <id>', FORCE_CONFLICTS))
    .addOption(repeatable('--delete-anyway <id>', 'delete this object though others still need it'))
    .option('--no-preflight', NO_PREFLIGHT)
    .option('--fail-fast', 'stop after the first failure')
    .option('--timeout <seconds>', 'wait at most this long for one object or a silent server; default: by kind, 2 minutes for a server')
    .option('--concurrency <number>', 'write at most this many objects of one cluster at a time', '8')
    .addOption(new Option('--output <format>', 'print events in this format; json is one event per line').choices(['text', 'json']).default('text'));
  return withTargetOptions(command);
}

/** Runs a command of the engine. */
type RunAction = (options: WriteOptions, progress: Progress) => Promise<RunSummary>;

/** Signals that end a run, with the exit code that shells know them by. */
const SIGNALS: readonly (readonly [signal: NodeJS.Signals, exitCode: number])[] = [['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]];

/** Runs a command that writes to clusters and returns its exit code. The first signal ends it cleanly, the second at once. */
export async function runOnClusters(flags: RunFlags, action: RunAction): Promise<number> {
  const [timeoutMs, concurrency] = [flags.timeout === undefined ? undefined : positive('--timeout', flags.timeout) * 1000, positive('--concurrency', flags.concurrency)];
  const progress = progressFor(flags.output, process.stdout);
  const ended = new AbortController();
  let exitCode = 0;
  const handlers = SIGNALS.map(([signal, code]) => {
    const handler = (): void => {
      if (ended.signal.aborted) { process.exit(code); }
      exitCode = code;
      process.stderr.write('stopping: writes in progress get 10 s; the same signal again stops at once, and the lock is kept for a minute\n');
      ended.abort(new Error('interrupted'));
    };
    process.on(signal, handler);
    return () => { process.off(signal, handler); };
  });
  try {
    const summary = await action({
      ...bindOptionsOf(flags),
      onWarning: undefined,
      app: flags.app,
      version: packageVersion(),
      onEvent: (event) => { progress.on(event); },
      signal: ended.signal,
      forceConflicts: flags.forceConflicts,
      deleteAnyway: flags.deleteAnyway,
      preflight: flags.preflight,
      concurrency,
      failFast: flags.failFast,
      timeoutMs,
    }, progress);
    if (exitCode !== 0) { return exitCode; }
    const { failed, skipped, pending, kept = [] } = summary;
    return failed.length + skipped.length + pending.length + kept.length > 0 ? EXIT.FAILED : EXIT.DONE;
  } catch (error) {
    progress.close();
    process.stderr.write(exitCode === 0 ? `cdk8s-harvester: ${(error as Error).message}\n` : 'interrupted before anything was written\n');
    return exitCode === 0 ? EXIT.FAILED : exitCode;
  } finally {
    handlers.forEach((off) => { off(); });
    progress.close();
  }
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || !(value > 0)) { throw new Error(`${option}: must be a number above 0, got ${JSON.stringify(text)}`); }
  return value;
}
