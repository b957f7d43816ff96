import { Command, Option } from 'commander';
import { TARGET_KINDS } from '../../../core/output/assembly';
import { TargetOptions } from '../../../engine/read/read-input';
import { FITS_FORMATS, FitsFormat, fits, printFits } from '../../../report/fits/fit-table';
import { emit, OutputFlags, repeatable, withManifests, withOutput } from '../../option/output-options';
import { EXIT } from '../../process';

/** The options of `fits` as commander gives them. */
interface FitsFlags extends OutputFlags<FitsFormat> {
  readonly target?: TargetOptions['kind'];
  readonly harvesterVersion?: string;
  readonly world: readonly string[];
}

export function fitsCommand(): Command {
  const command = withManifests(new Command('fits'))
    .description('compare machines, volumes and load balancers with quotas and pools of addresses; exits with 1 if something does not fit')
    .addOption(new Option('--target <kind>', 'treat manifests without an assembly as objects of this kind of cluster').choices(TARGET_KINDS))
    .option('--harvester-version <version>', 'judge by this version of Harvester, e.g. 1.7.2')
    .addOption(repeatable('--world <path>', 'read live objects from this path, e.g. quotas and machines of others'));
  return withOutput(command, FITS_FORMATS)
    .action((paths: string[], options: FitsFlags) => {
      const { target: kind, harvesterVersion, world } = options;
      const rows = fits(paths, { world, ...(kind ? { kind } : {}), ...(harvesterVersion ? { harvesterVersion } : {}) });
      emit(printFits(rows, options.output), options);
      process.exitCode = rows.some((row) => row.fits === 'no') ? EXIT.FAILED : EXIT.DONE;
    });
}
