import { Command, Option } from 'commander';
import { Redactor } from '../../../core/secret/redactor';
import { Input, outputChange, readInput, targetsOf } from '../../../engine/read/read-input';
import { impactOf } from '../../../report/impact/cluster-impacts';
import { Impact, Side, mayLoseMachines } from '../../../report/impact/impact';
import { IMPACT_FORMATS, ImpactFormat, impactReport } from '../../../report/impact/impact-report';
import { objectImpacts } from '../../../report/impact/object-impacts';
import { EXIT_ERRORS, EXIT_NOTHING } from '../../process';

/** The options of `impact` as commander gives them. */
interface ImpactOptions {
  readonly before: readonly string[];
  readonly format: ImpactFormat;
}

export function impactCommand(): Command {
  const several = (value: string, all: readonly string[]): string[] => [...all, value];
  return new Command('impact')
    .description('tell what an edit does to the machines of guest clusters: which are replaced or deleted, and by which change')
    .argument('[paths...]', 'YAML or JSON files, folders, or an output folder with its assembly.json, as they are now', ['dist'])
    .option('--before <path>', 'the same as it was; may be given several times', several, [])
    .addOption(new Option('--format <format>', 'how it is printed').choices([...IMPACT_FORMATS]).default('text'))
    .addHelpText('after', '\nExit code: 0 no machine is replaced or deleted, 1 machines are, or may be and it can not be told, or a change is refused, 2 could not run.')
    .action((paths: string[], options: ImpactOptions) => {
      const { impacts, redactor } = impact(paths, options);
      process.stdout.write(`${redactor.scrub(impactReport(impacts, options.format))}\n`);
      process.exitCode = impacts.some(mayLoseMachines) ? EXIT_ERRORS : EXIT_NOTHING;
    });
}

function impact(paths: readonly string[], options: ImpactOptions): { impacts: Impact[]; redactor: Redactor } {
  if (options.before.length === 0) { throw new Error('--before: got none, expected the manifests as they were'); }
  const after = readInput(paths, {});
  const before = readInput(options.before, {}, targetsOf(after.assemblies, {}));
  // a file that can not be read would look like objects that are gone
  const broken = [...after.findings, ...before.findings];
  if (broken.length > 0) { throw new Error(broken.map(({ message }) => message).join('\n')); }
  return {
    impacts: [...impactOf({ before: sideOf(before), after: sideOf(after) }), ...objectImpacts(outputChange(before, after))],
    redactor: Redactor.of([...before.objects, ...after.objects].map(({ manifest }) => manifest)),
  };
}

function sideOf({ objects, assemblies }: Input): Side {
  return new Side(objects, assemblies);
}
