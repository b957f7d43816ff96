import { Command } from 'commander';
import { Assembly, AssemblyTarget } from '../../../core/output/assembly';
import { HiddenValues, Redactor } from '../../../core/secret/redactor';
import { resolveAll, writeManifests, writeValues } from '../../../engine/late/write-resolved';
import { loadAssembly, refusePlaceholders } from '../../../engine/read/load-assembly';
import { checkPrivateFile } from '../../../engine/secret/private-file';
import { TargetFlags, bindByFlags, withTargetOptions } from '../../option/target-options';
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
      await interruptible(async (signal) => { process.exitCode = await resolve(dist, options, signal); });
    });
}

async function resolve(dist: string, options: ResolveOptions, signal: AbortSignal): Promise<number> {
  const timeoutMs = secondsOf(options.timeout) * 1000;
  // minutes of waiting for a file that can't be written would be in vain
  if (options.out !== undefined) { checkPrivateFile(options.out); }
  const loaded = loadAssembly(dist);
  if (options.writeManifests !== undefined) { refusePlaceholders(loaded); }
  const targets = targetsToAsk(loaded.assembly, options.context);
  const binding = await bindByFlags(targets, options, {
    onWarning: (target, message) => {
      // the config file names the targets of other commands too
      if (targets.some(({ name }) => name === target)) { process.stderr.write(`warning: ${target}: ${message}\n`); }
    },
  });
  try {
    const { resolver, known, failed } = await resolveAll(loaded.assembly, binding.targets, { timeoutMs, signal });
    signal.throwIfAborted();
    const hidden = new HiddenValues();
    for (const { id, description } of known) {
      const value = resolver.values.get(id);
      process.stdout.write(`${id}  ${description}  ${resolver.isSensitive(id) ? hidden.hash(value) : value}\n`);
    }
    if (failed.length > 0) {
      const total = known.length + failed.length;
      // a text fails with the words of what it is made of
      const redactor = Redactor.of(loaded.manifests.values()).with(resolver.secrets);
      for (const message of new Set(failed.map((each) => each.message))) { process.stderr.write(`${redactor.scrub(message)}\n`); }
      process.stderr.write(`${failed.length} of ${total} late values are not known; nothing was written\n`);
      return EXIT_ERRORS;
    }
    if (known.length === 0) { process.stdout.write('no object of this program waits for a late value\n'); }
    if (options.out !== undefined) {
      writeValues(options.out, loaded.assembly, resolver);
      process.stdout.write(`${options.out}\n`);
    }
    if (options.writeManifests !== undefined) {
      process.stdout.write(writeManifests(options.writeManifests, loaded, resolver).map((file) => `${file}\n`).join(''));
    }
    return EXIT_NOTHING;
  } finally {
    binding.close();
  }
}

/** The targets that late values are read from, and those that the user names; of guest clusters the kubeconfigs are read from their Rancher. */
function targetsToAsk({ targets, lateValues }: Assembly, contexts: readonly string[]): AssemblyTarget[] {
  const asked = new Set(lateValues.flatMap(({ source }) => ('target' in source ? [source.target] : [])));
  const guests = targets.some(({ name, kind }) => kind === 'guest' && asked.has(name));
  const isNamed = (name: string): boolean => contexts.some((context) => context.startsWith(`${name}=`));
  return targets.filter(({ name, kind }) => asked.has(name) || isNamed(name) || (guests && kind === 'rancher'));
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || !Number.isFinite(seconds)) { throw new Error(`--timeout: got ${JSON.stringify(text)}, expected seconds, e.g. 300`); }
  return seconds;
}
