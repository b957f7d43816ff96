import { Command, Option } from 'commander';
import { Redactor } from '../../../core/secret/redactor';
import { appOf } from '../../../engine/inventory/apply-set';
import { loadAssembly } from '../../../engine/read/load-assembly';
import { isAllReady, statusOf, statusText } from '../../../report/doctor/status';
import { TargetFlags, bindByFlags, withAppOption, withTargetOptions } from '../../option/target-options';
import { EXIT_ERRORS, EXIT_NOTHING, interruptible } from '../../process';

interface StatusFlags extends TargetFlags {
  readonly app: string;
  readonly format: 'text' | 'json';
  readonly all?: boolean;
}

export function statusCommand(): Command {
  const command = new Command('status')
    .description('tell which objects of the program are on the live clusters, and which of them are ready')
    .argument('[dist]', 'the output folder with its assembly.json', 'dist');
  withAppOption(command)
    .option('--all', 'list ready objects, too')
    .addOption(new Option('--format <format>', 'how it is printed').choices(['text', 'json']).default('text'));
  return withTargetOptions(command)
    .addHelpText('after', '\nExit code: 0 everything is ready, 1 something is not, 2 could not run, 130 interrupted.')
    .action(async (dist: string, flags: StatusFlags) => {
      const program = loadAssembly(dist);
      const app = appOf(flags.app);
      const binding = await bindByFlags(program.assembly.targets, { ...flags, allowVersionSkew: true });
      try {
        await interruptible(async (signal) => {
          const statuses = await statusOf(program, binding.targets, app, { acceptNewCluster: flags.acceptNewCluster, signal });
          const json = flags.format === 'json' ? JSON.stringify({ schemaVersion: '1', targets: statuses }, undefined, 2) : undefined;
          process.stdout.write(`${Redactor.of(program.manifests.values()).scrub(json ?? statusText(statuses, flags))}\n`);
          process.exitCode = isAllReady(statuses) ? EXIT_NOTHING : EXIT_ERRORS;
        });
      } finally {
        binding.close();
      }
    });
}
