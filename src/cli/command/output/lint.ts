import { Command, Option } from 'commander';
import { ALL_RULES } from '../../../core/rule/all-rules';
import { Finding } from '../../../core/rule/finding';
import { PROGRAM_RULES } from '../../../core/rule/program-rules';
import { REPORT_FORMATS, ReportFormat, isCounted, report, rulesIndex } from '../../../core/rule/report';
import { applyBaseline, readBaseline, writeBaseline } from '../../../engine/read/baseline';
import { lint } from '../../../engine/read/lint';
import { TargetOptions } from '../../../engine/read/read-input';
import { EXIT_ERRORS, EXIT_NOTHING } from '../../process';

export function rulesCommand(): Command {
  return new Command('rules')
    .description('print the index of rules')
    .addOption(new Option('--format <format>', 'how it is printed').choices(['markdown', 'json']).default('markdown'))
    .action(({ format }: { format: string }) => {
      const rules = [...ALL_RULES, ...PROGRAM_RULES];
      const list = rules.map(({ id, level, what, says, source }) => ({ id, level, what, says: says ?? null, source }));
      process.stdout.write(format === 'json' ? `${JSON.stringify(list, undefined, 2)}\n` : rulesIndex(rules));
    });
}

/** The options of `lint` as commander gives them. */
interface LintOptions extends Omit<TargetOptions, 'kind'> {
  readonly target?: TargetOptions['kind'];
  readonly world: readonly string[];
  readonly before: readonly string[];
  readonly format: ReportFormat;
  readonly failOn: 'error' | 'warning';
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
}

export function lintCommand(): Command {
  const paths = (value: string, all: readonly string[]): string[] => [...all, value];
  return new Command('lint')
    .description('judge manifests, ours or not, by the rules of Rancher and Harvester')
    .argument('<paths...>', 'YAML or JSON files, folders, or an output folder with its assembly.json')
    .addOption(new Option('--target <kind>', 'what runs on the cluster that the manifests are for').choices(['rancher', 'harvester', 'guest']))
    .option('--rancher-version <version>', 'version of Rancher, e.g. 2.13.8')
    .option('--harvester-version <version>', 'version of Harvester, e.g. 1.7.2')
    .option('--kubernetes-version <version>', 'version of Kubernetes, e.g. v1.33.6+rke2r1')
    .option('--world <path>', 'objects that are live already: judged against, not judged; may be given several times', paths, [])
    .option('--before <path>', 'the same objects as they were: edits and deletions are judged too; may be given several times', paths, [])
    .addOption(new Option('--format <format>', 'how findings are printed').choices([...REPORT_FORMATS]).default('text'))
    .addOption(new Option('--fail-on <level>', 'lowest level of a finding that makes the exit code 1').choices(['error', 'warning']).default('error'))
    .option('--baseline <file>', 'file of accepted findings: these are printed as suppressed and do not fail')
    .option('--update-baseline', 'write all findings of this run to the baseline file, and exit with 0')
    .addHelpText('after', '\nExit code: 0 no findings of the --fail-on level or above, 1 such findings, 2 could not run.')
    .action((files: string[], options: LintOptions) => {
      const findings = withBaseline(lint(files, { ...options, kind: options.target }), options);
      process.stdout.write(`${report(findings, options.format)}\n`);
      process.exitCode = findings.some((finding) => failing(finding, options)) ? EXIT_ERRORS : EXIT_NOTHING;
    });
}

function failing(finding: Finding, { failOn }: LintOptions): boolean {
  return isCounted(finding) && (failOn === 'warning' || finding.level === 'error');
}

function withBaseline(findings: readonly Finding[], { baseline, updateBaseline }: LintOptions): readonly Finding[] {
  if (baseline === undefined) {
    if (updateBaseline) { throw new Error('--update-baseline: set --baseline to the file to write'); }
    return findings;
  }
  if (updateBaseline) { writeBaseline(baseline, findings); }
  const { findings: judged, unused } = applyBaseline(findings, readBaseline(baseline), baseline);
  if (unused > 0) {
    process.stderr.write(`${baseline}: ${unused} accepted finding${unused === 1 ? ' does' : 's do'} not occur any more. Fix: run lint again with --update-baseline\n`);
  }
  return judged;
}
