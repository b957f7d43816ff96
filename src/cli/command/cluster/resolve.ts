import { Command } from 'commander';
import { HiddenValues } from '../../../core/secret/redactor';
import { resolve } from '../../../engine';
import { TargetFlags, bindOptionsOf, withTargetOptions } from '../../option/target-options';
import { EXIT_ERRORS, EXIT_NOTHING, interruptible } from '../../process';

/** The options of `resolve` as commander gives them. */
interface ResolveOptions extends TargetFlags {
  readonly out?: string;
  readonly writeManifests?: string;
  readonly timeout: string;
}

export function resolveCommand(): Command {
  const command = new Command('resolve')
    .description('find the late values on the live clusters, without applying anything')
    .argument('[dist]', 'the output folder with its assembly.json', 'dist')
    .option('--out <file>', 'write the values to this file (mode 0600), which synthesis takes as lateValuesFile')
    .option('--write-manifests <folder>', 'write the objects that wait for late values, completed, below this folder; those with secrets get mode 0600')
    .option('--timeout <seconds>', 'how long the values are waited for', '300');
  return withTargetOptions(command)
    .addHelpText('after', '\nExit code: 0 all are known, 1 some are not, 2 could not run, 130 interrupted. Credentials are never printed.')
    .action(async (dist: string, options: ResolveOptions) => {
      await interruptible(async (signal) => { process.exitCode = await run(dist, options, signal); });
    });
}

async function run(dist: string, { out, writeManifests, timeout, ...flags }: ResolveOptions, signal: AbortSignal): Promise<number> {
  const { known, failed, files } = await resolve(dist, {
    ...bindOptionsOf(flags), timeoutMs: secondsOf(timeout) * 1000, out, writeManifests, signal,
  });
  const hidden = new HiddenValues();
  for (const { id, description, value, sensitive } of known) {
    process.stdout.write(`${id}  ${description}  ${sensitive ? hidden.hash(value) : value}\n`);
  }
  if (failed.length > 0) {
    for (const message of new Set(failed.map((each) => each.message))) { process.stderr.write(`${message}\n`); }
    process.stderr.write(`${failed.length} of ${known.length + failed.length} late values are not known; nothing was written\n`);
    return EXIT_ERRORS;
  }
  if (known.length === 0) { process.stdout.write('no object of this program waits for a late value\n'); }
  process.stdout.write(files.map((file) => `${file}\n`).join(''));
  return EXIT_NOTHING;
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || !Number.isFinite(seconds)) { throw new Error(`--timeout: got ${JSON.stringify(text)}, expected seconds, e.g. 300`); }
  return seconds;
}
