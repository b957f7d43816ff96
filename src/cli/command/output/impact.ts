import { Command } from 'commander';
import { World } from '../../../core/rule/rule';
import { Redactor } from '../../../core/secret/redactor';
import { Input, outputChange } from '../../../engine/read/read-input';
import { fitImpacts } from '../../../report/fits/fit-impacts';
import { impactOf } from '../../../report/impact/cluster-impacts';
import { Impact, Side, mayLoseMachines } from '../../../report/impact/impact';
import { IMPACT_FORMATS, ImpactFormat, impactReport } from '../../../report/impact/impact-report';
import { objectImpacts } from '../../../report/impact/object-impacts';
import { emit, OutputFlags, readWith, repeatable, withManifests, withOutput } from '../../option/output-options';
import { EXIT } from '../../process';

/** The options of `impact` as commander gives them. */
interface ImpactOptions extends OutputFlags<ImpactFormat> {
  readonly before: readonly string[];
}

export function impactCommand(): Command {
  const command = withManifests(new Command('impact'))
    .description('report what an edit does to machines, data and tenants: what is replaced or deleted, and by which change; exits with 1 if machines are or may be lost')
    .addOption(repeatable('--before <path>', 'compare with the previous output, or the previous manifests, at this path'));
  return withOutput(command, IMPACT_FORMATS)
    .action((paths: string[], options: ImpactOptions) => {
      const { impacts, redactor } = impact(paths, options);
      emit(redactor.scrub(impactReport(impacts, options.output)), options);
      process.exitCode = impacts.some(mayLoseMachines) ? EXIT.FAILED : EXIT.DONE;
    });
}

function impact(paths: readonly string[], options: ImpactOptions): { impacts: Impact[]; redactor: Redactor } {
  if (options.before.length === 0) { throw new Error('--before: must be set. Fix: set it to the previous output'); }
  const [after, before] = readWith(paths, options.before);
  return {
    impacts: [
      ...impactOf({ before: sideOf(before), after: sideOf(after) }), ...objectImpacts(outputChange(before, after)),
      ...fitImpacts(new World(before.objects), new World(after.objects)),
    ],
    redactor: Redactor.of([...before.objects, ...after.objects].map(({ manifest }) => manifest)),
  };
}

function sideOf({ objects, assemblies }: Input): Side {
  return new Side(objects, assemblies);
}
