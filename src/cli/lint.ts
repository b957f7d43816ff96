import { Command, Option } from 'commander';
import { EXIT_ERRORS, EXIT_NOTHING } from './exit-codes';
import { readInput, TargetOptions, targetsOf } from '../apply/read/read-input';
import { Assembly } from '../model/assembly';
import { Finding } from '../model/finding';
import { sortFindings } from '../rules/judge';
import { judgeAll } from '../rules/judge-all';
import { isCounted, report, REPORT_FORMATS, ReportFormat } from '../rules/report';
import { HarvesterVersion, KubernetesVersion, RancherVersion } from '../versions';

/** The options of `lint` as commander gives them. */
interface LintOptions extends Omit<TargetOptions, 'kind'> {
  readonly target?: TargetOptions['kind'];
  readonly world: readonly string[];
  readonly before: readonly string[];
  readonly format: ReportFormat;
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
    .addHelpText('after', '\nExit code: 0 no errors, 1 errors, 2 could not run.')
    .action((files: string[], options: LintOptions) => {
      const findings = lint(files, options);
      process.stdout.write(`${report(findings, options.format)}\n`);
      process.exitCode = findings.some((finding) => finding.level === 'error' && isCounted(finding)) ? EXIT_ERRORS : EXIT_NOTHING;
    });
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
  return sortFindings([...input.findings, ...findings.map((finding) => withReason(finding, input.assemblies))]);
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
