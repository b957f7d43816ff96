import { existsSync, mkdirSync, readFileSync, readdirSync } from 'fs';
import { delimiter, dirname, join } from 'path';
import { parse } from 'yaml';
import { CommandOptions, runCommand } from './run-command';
import { isRecord } from '../../core/manifest/manifest';
import { outdirInReview, reviewedOutdir } from '../../core/output/review-folder';
import { REVIEW_ENV } from '../../core/value/review';

/** An output that a program wrote. */
export interface WrittenOutput {
  readonly folder: string;
  /** Where the program writes it otherwise, as a path from its own folder. */
  readonly outdir: string;
}

/** A program that cannot be synthesized, with what it printed. */
export class SynthesisFailed extends Error {}

/** Lines of a failed synthesis: the findings and the place are its last. */
const MOST_LINES = 60;

/** The command that synthesizes the program in a folder; undefined if there is no program. */
export function synthesisOf(folder: string): string | undefined {
  const app = read(join(folder, 'cdk8s.yaml'))?.app;
  // cdk8s synth deletes the previous output, which a review must not touch
  if (typeof app === 'string') {
    return app;
  }
  const scripts = read(join(folder, 'package.json'))?.scripts;
  return isRecord(scripts) && typeof scripts.synth === 'string'
    ? 'npm run --silent synth'
    : undefined;
}

/** YAML is a superset of JSON. */
function read(file: string): { readonly [field: string]: unknown } | undefined {
  if (!existsSync(file)) {
    return undefined;
  }
  try {
    const content: unknown = parse(readFileSync(file, 'utf8'));
    return isRecord(content) ? content : undefined;
  } catch (error) {
    throw new SynthesisFailed(`${file} cannot be read: ${(error as Error).message.split('\n')[0]}`);
  }
}

/**
 * Synthesizes the program in a folder without its secrets, and leaves its own output as it is.
 *
 * @param output folder that is created for what it writes
 * @throws SynthesisFailed with what it printed
 */
export async function synthesize(
  folder: string,
  command: string,
  output: string,
  { env = process.env, signal }: Omit<CommandOptions, 'cwd'>,
): Promise<WrittenOutput[]> {
  mkdirSync(output);
  const { status, stdout, stderr } = await runCommand(command, {
    cwd: folder,
    signal,
    env: {
      ...env,
      PATH: [...binFolders(folder), env.PATH ?? ''].join(delimiter),
      [REVIEW_ENV]: output,
      // of programs without a HarvesterApp
      CDK8S_OUTDIR: outdirInReview(output, env.CDK8S_OUTDIR ?? 'dist'),
    },
  });
  const printed = (stderr.trim() || stdout.trim()).split('\n').slice(-MOST_LINES).join('\n');
  if (status !== 0) {
    throw new SynthesisFailed(`${command} exited with ${status ?? 'a signal'}\n${printed}`);
  }
  const written = readdirSync(output).map((name): WrittenOutput => ({
    folder: join(output, name),
    outdir: reviewedOutdir(name),
  }));
  if (written.length === 0) {
    throw new SynthesisFailed(
      `${command} wrote no output. Fix: call app.synth() in the program, or set --synth to the command that runs it`,
    );
  }
  return written;
}

/** The folders of commands that npm puts on the PATH of scripts. */
function binFolders(folder: string): string[] {
  const above = dirname(folder);
  return [join(folder, 'node_modules', '.bin'), ...(above === folder ? [] : binFolders(above))];
}
