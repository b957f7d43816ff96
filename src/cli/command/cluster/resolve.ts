import { Command } from 'commander';
import { HiddenValues } from '../../../core/secret/redactor';
import { resolve } from '../../../engine';
import { withOutputFolder } from '../../option/output-options';
import { TargetFlags, bindOptionsOf, withTargetOptions } from '../../option/target-options';
import { EXIT, interruptible } from '../../process';

/** The options of `resolve` as commander gives them. */
interface ResolveOptions extends TargetFlags {
  readonly out?: string;
  readonly writeManifests?: string;
  readonly timeout: string;
}

export function resolveCommand(): Command {
  const command = withOutputFolder(new Command('resolve'))
    .description('read the late values from the live clusters; nothing is written to the clusters and no credential is printed')
    .option('--out <file>', 'write the values to this file (mode 0600), for the lateValuesFile of a synthesis')
    .option('--write-manifests <folder>', 'write the objects that wait for late values, completed, below this folder; objects with secrets get mode 0600')
    .option('--timeout <seconds>', 'wait at most this long for the values', '300');
  return withTargetOptions(command)
    .action(async (path: string, options: ResolveOptions) => {
      await interruptible(async (signal) => { process.exitCode = await run(path, options, signal); });
    });
}

async function run(path: string, { out, writeManifests, timeout, ...flags }: ResolveOptions, signal: AbortSignal): Promise<number> {
  const { known, failed, files } = await resolve(path, {
    ...bindOptionsOf(flags), timeoutMs: secondsOf(timeout) * 1000, out, writeManifests, signal,
  });
  const hidden = new HiddenValues();
  for (const { id, description, value, sensitive } of known) {
    process.stdout.write(`${id}  ${description}  ${sensitive ? hidden.hash(value) : value}\n`);
  }
  if (failed.length > 0) {
    for (const message of new Set(failed.map((each) => each.message))) { process.stderr.write(`${message}\n`); }
    process.stderr.write(`${failed.length} of ${known.length + failed.length} late values are not known; nothing was written\n`);
    return EXIT.FAILED;
  }
  if (known.length === 0) { process.stdout.write('no object of this program waits for a late value\n'); }
  process.stdout.write(files.map((file) => `${file}\n`).join(''));
  return EXIT.DONE;
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || !Number.isFinite(seconds)) { throw new Error(`--timeout: must be a number of seconds, e.g. 300, got ${JSON.stringify(text)}`); }
  return seconds;
}
