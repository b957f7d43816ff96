import { Command } from 'commander';
import { Finding } from '../../../core/rule/finding';
import { allRules } from '../../../core/rule/judge-all';
import { PROGRAM_RULES } from '../../../core/rule/program-rules';
import { REPORT_FORMATS, ReportFormat, isCounted, reportFindings } from '../../../core/rule/report';
import { TargetOptions } from '../../../engine/files/judged-targets';
import { applyBaseline, lintPaths, readBaseline, writeBaseline } from '../../../engine/read/lint';
import { printRules, RULES_FORMATS, RulesFormat } from '../../../report/rules/rules-index';
import {
  emit,
  isStop,
  LEVEL_STOPS,
  LevelFlags,
  OutputFlags,
  repeatable,
  withFailOn,
  withHarvesterVersion,
  withManifests,
  withOutput,
  withTargetKind,
} from '../../option/output-options';
import { EXIT, printError } from '../../terminal/process';

export function rulesCommand(): Command {
  return withOutput(
    new Command('rules').description('print the index of rules'),
    RULES_FORMATS,
  ).action((flags: OutputFlags<RulesFormat>) => {
    emit(printRules([...allRules(), ...PROGRAM_RULES], flags.output), flags);
  });
}

/** The options of `lint` as commander gives them. */
interface LintOptions extends Omit<TargetOptions, 'kind'>, OutputFlags<ReportFormat>, LevelFlags {
  readonly targetKind?: TargetOptions['targetKind'];
  readonly world: readonly string[];
  readonly before: readonly string[];
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
}

export function lintCommand(): Command {
  const command = withManifests(new Command('lint')).description(
    'check manifests of any origin by the rules of Rancher and Harvester',
  );
  withHarvesterVersion(
    withTargetKind(command).option(
      '--rancher-version <version>',
      'take this as the version of Rancher; e.g. 2.13.8',
    ),
  )
    .option(
      '--kubernetes-version <version>',
      'take this as the version of Kubernetes; e.g. v1.33.6+rke2r1',
    )
    .addOption(
      repeatable(
        '--world <path>',
        'read live objects from this path; they are compared with, not judged',
      ),
    )
    .addOption(
      repeatable(
        '--before <path>',
        'compare with the previous output, or the previous manifests, at this path; edits and deletions are judged too',
      ),
    )
    .option(
      '--baseline <file>',
      'accept the findings of this file; only their number is printed, and they do not fail',
    )
    .option(
      '--update-baseline',
      'write all findings of this run to the baseline file, and exit with 0',
    );
  withFailOn(command, LEVEL_STOPS, ['errors']);
  return withOutput(command, REPORT_FORMATS).action((files: string[], options: LintOptions) => {
    const findings = withBaseline(lintPaths(files, options), options);
    emit(reportFindings(findings, options.output), options);
    process.exitCode = findings.some((finding) => failing(finding, options))
      ? EXIT.FOUND
      : EXIT.DONE;
  });
}

function failing(finding: Finding, options: LintOptions): boolean {
  return isCounted(finding) && isStop(options, finding.level);
}

function withBaseline(
  findings: readonly Finding[],
  { baseline, updateBaseline }: LintOptions,
): readonly Finding[] {
  if (baseline === undefined) {
    if (updateBaseline) {
      throw new Error('--update-baseline: set --baseline to the file to write');
    }
    return findings;
  }
  if (updateBaseline) {
    writeBaseline(baseline, findings);
  }
  const { findings: judged, unused } = applyBaseline(findings, readBaseline(baseline), baseline);
  if (unused > 0) {
    printError(
      `${baseline}: ${unused} accepted finding${unused === 1 ? ' no longer occurs' : 's no longer occur'}. Fix: run lint again with --update-baseline`,
    );
  }
  return judged;
}
