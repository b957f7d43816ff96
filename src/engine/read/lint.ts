import { withLines } from './finding-lines';
import { TargetOptions, outputChange, readInput, targetsOf } from './read-input';
import { parseVersion } from './versions';
import { Assembly } from '../../core/output/assembly';
import { leftOutput } from '../../core/output/left-output.rules';
import { Finding } from '../../core/rule/finding';
import { sortFindings } from '../../core/rule/judge';
import { judgeAll } from '../../core/rule/judge-all';

/** What manifests are judged by and against. */
export interface LintOptions extends TargetOptions {
  /** Files and folders of objects that are already live: the manifests are judged against them. @default - none */
  readonly world?: readonly string[];
  /** Files and folders of the same objects before the edit: edits and deletions are judged, too. @default - none */
  readonly before?: readonly string[];
}

/**
 * Judges manifests by the rules of Rancher and Harvester.
 *
 * @param paths YAML or JSON files, folders, or output folders with their assembly
 * @returns the findings, sorted, with the lines of their files
 */
export function lint(paths: readonly string[], options: LintOptions = {}): Finding[] {
  checkVersions(options);
  const input = readInput(paths, options);
  // the world and the previous output carry no targets of their own: they belong to those that are judged
  const among = targetsOf(input.assemblies, options);
  const world = readInput(options.world ?? [], options, among);
  const before = readInput(options.before ?? [], options, among);
  const broken = [...world.findings, ...before.findings];
  if (broken.length > 0) { throw new Error(broken.map(({ message }) => message).join('\n')); }

  const known = input.assemblies.flatMap((assembly) => assembly.known ?? []);
  const findings = judgeAll(input.objects, world.objects, before.objects, known);
  return withLines(sortFindings([
    ...input.findings, ...findings.map((finding) => withReason(finding, input.assemblies)), ...leftOutput(outputChange(before, input)),
  ]));
}

// rules skip what they do not know, so an unreadable version would pass for an unknown one
function checkVersions({ rancherVersion, harvesterVersion, kubernetesVersion }: TargetOptions): void {
  const given = [
    ['--rancher-version', 'rancher', rancherVersion], ['--harvester-version', 'harvester', harvesterVersion], ['--kubernetes-version', 'guest', kubernetesVersion],
  ] as const;
  for (const [option, kind, text] of given) {
    try {
      if (text !== undefined) { parseVersion(kind, text); }
    } catch (error) {
      throw new Error(`${option}: ${(error as Error).message}`);
    }
  }
}

// what the program suppressed is suppressed in its output, too
function withReason(finding: Finding, assemblies: readonly Assembly[]): Finding {
  const known = assemblies.flatMap((assembly) => assembly.findings).find((candidate) => candidate.suppressed !== undefined
    && candidate.rule === finding.rule && candidate.construct === finding.construct && candidate.path === finding.path);
  return known ? { ...finding, suppressed: known.suppressed } : finding;
}
