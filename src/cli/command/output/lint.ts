import { Command, Option } from 'commander';
import { Assembly } from '../../../core/output/assembly';
import { leftOutput } from '../../../core/output/left-output.rules';
import { ALL_RULES } from '../../../core/rule/all-rules';
import { Finding } from '../../../core/rule/finding';
import { sortFindings } from '../../../core/rule/judge';
import { judgeAll } from '../../../core/rule/judge-all';
import { PROGRAM_RULES } from '../../../core/rule/program-rules';
import { REPORT_FORMATS, ReportFormat, isCounted, report, rulesIndex } from '../../../core/rule/report';
import { applyBaseline, readBaseline, writeBaseline } from '../../../engine/read/baseline';
import { withLines } from '../../../engine/read/finding-lines';
import { TargetOptions, outputChange, readInput, targetsOf } from '../../../engine/read/read-input';
import { KubernetesVersion } from '../../../guest/kubernetes/kubernetes-version';
import { HarvesterVersion } from '../../../harvester/version/harvester-version';
import { RancherVersion } from '../../../rancher/version/rancher-version';
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
      const findings = withLines(withBaseline(lint(files, options), options));
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

function lint(paths: readonly string[], options: LintOptions): Finding[] {
  checkVersions(options);
  const target: TargetOptions = { ...options, kind: options.target };
  const input = readInput(paths, target);
  // what is live or was there carries no targets of its own: it is of those that are judged
  const among = targetsOf(input.assemblies, target);
  const world = readInput(options.world, target, among);
  const before = readInput(options.before, target, among);
  const broken = [...world.findings, ...before.findings];
  if (broken.length > 0) { throw new Error(broken.map(({ message }) => message).join('\n')); }

  const known = input.assemblies.flatMap((assembly) => assembly.known ?? []);
  const findings = judgeAll(input.objects, world.objects, before.objects, known);
  return sortFindings([
    ...input.findings, ...findings.map((finding) => withReason(finding, input.assemblies)), ...leftOutput(outputChange(before, input)),
  ]);
}

// rules are silent about what they do not know, so a version that nobody can read would pass for one that is not known
function checkVersions({ rancherVersion, harvesterVersion, kubernetesVersion }: LintOptions): void {
  const given: [option: string, text: string | undefined, parse: (text: string) => unknown][] = [
    ['--rancher-version', rancherVersion, (text) => RancherVersion.parse(text)],
    ['--harvester-version', harvesterVersion, (text) => HarvesterVersion.parse(text)],
    ['--kubernetes-version', kubernetesVersion, (text) => KubernetesVersion.parse(text)],
  ];
  for (const [option, text, parse] of given) {
    try {
      if (text !== undefined) { parse(text); }
    } catch (error) {
      throw new Error(`${option}: ${(error as Error).message}`);
    }
  }
}

// what the program suppressed stays so in its output
function withReason(finding: Finding, assemblies: readonly Assembly[]): Finding {
  const known = assemblies.flatMap((assembly) => assembly.findings).find((candidate) => candidate.suppressed !== undefined
    && candidate.rule === finding.rule && candidate.construct === finding.construct && candidate.path === finding.path);
  return known ? { ...finding, suppressed: known.suppressed } : finding;
}
