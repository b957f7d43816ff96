import { Finding, FindingLevel, FindingObject } from './finding';
import { ONLY_APPLY_COMPLETES, REFERENCE_WAITS } from './program-rules';
import { oneLine } from '../problem/problem';
import { inEnvironment, plainText, plural, shortPath, some } from '../text/plain-text';
import { BLANK, Block, line, list, PLAIN, render, toned } from '../text/screen';
import { markdownCode, markdownProse } from '../text/table';
import { compare, grouped } from '../text/values';

/** The output formats of findings. */
export const REPORT_FORMATS = ['text', 'json', 'github', 'markdown'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/**
 * Whether a finding is a problem: neither accepted, nor what a program with late values always has.
 */
export function isCounted(finding: Finding): boolean {
  return finding.suppressed === undefined && finding.rule !== REFERENCE_WAITS.id;
}

function isAccepted({ suppressed }: Finding): boolean {
  return suppressed !== undefined;
}

/** A report of findings: blocks of text for any screen, or the text of another format. */
export function reportFindings(
  findings: readonly Finding[],
  format: Exclude<ReportFormat, 'text'>,
): string;
export function reportFindings(
  findings: readonly Finding[],
  format: ReportFormat,
): string | readonly Block[];
export function reportFindings(
  findings: readonly Finding[],
  format: ReportFormat,
): string | readonly Block[] {
  switch (format) {
    case 'text':
      return findingBlocks(findings);
    case 'json':
      return jsonReport(findings);
    case 'github':
      return githubReport(findings);
    case 'markdown':
      return markdownReport(findings);
  }
}

/** Findings that follow from one cause. */
interface CauseGroup {
  /** The worst level of them. */
  readonly level: FindingLevel;
  /** The first one is of that level. */
  readonly findings: readonly Finding[];
}

/**
 * The findings that are not accepted, by what they follow from, in the order of their first ones.
 */
function byCause(findings: readonly Finding[]): readonly CauseGroup[] {
  const groups = grouped(findings.filter(isCounted), (finding) => finding.cause ?? finding);
  return [...groups.values()].map((group) => {
    const sorted = [...group].sort((a, b) => compare(a.level, b.level));
    return { level: sorted[0]!.level, findings: sorted };
  });
}

/** What is kept for the sake of something else, at the end of a message. */
const KEPT_FOR = /: (?<outcome>[^:]* is kept and needs it\))$/;

/** Findings, each with those that end the same way and have the same solution. */
function withSameOutcome(
  findings: readonly Finding[],
): readonly (readonly [first: Finding, others: readonly Finding[]])[] {
  const groups = grouped(findings, (finding) => {
    const outcome = KEPT_FOR.exec(finding.message)?.groups?.outcome;
    return outcome === undefined ? finding : `${finding.level} ${outcome} ${finding.fix}`;
  });
  return [...groups.values()].map(([first, ...others]) => [first!, others] as const);
}

/** The objects of findings that end the same way. */
function alsoText(others: readonly Finding[]): string {
  return others.length === 0 ? '' : `; the same holds for ${others.map(where).join(', ')}`;
}

/** Findings for people, as text for a log. */
export function textReport(findings: readonly Finding[]): string {
  return render(findingBlocks(findings), PLAIN);
}

/** Findings for people: what and where, what was given, what to do, and how many there are. */
export function findingBlocks(findings: readonly Finding[]): readonly Block[] {
  const groups = byCause(findings);
  const [worst = 'good'] = groups.map(({ level }) => level).sort(compare);
  return [
    list(
      groups.map((group) => [...groupBlocks(group), BLANK]),
      'findings',
    ),
    line(toned(worst, summaryText(findings))),
    ...waitingLine(findings),
  ];
}

function groupBlocks({ level, findings }: CauseGroup): Block[] {
  const [first] = findings;
  if (findings.length === 1) {
    return [
      line([toned(level, level), `  ${first!.rule}  `, toned('title', where(first!))]),
      line(sentence(first!), 2),
      line(`fix: ${first!.fix}`, 2),
      ...placesOf(findings, `at: ${placeText(first!)}`).map((text) => line(text, 2)),
      ...(first!.file && fileText(first!) !== where(first!)
        ? [line(`in: ${fileText(first!)}`, 2)]
        : []),
    ];
  }
  const fix = commonFix(findings);
  return [
    line([
      toned(level, level),
      `  ${rulesOf(findings).join(', ')}  `,
      toned('title', first!.cause),
      ` (${findings.length} findings)`,
    ]),
    list(
      withSameOutcome(findings).map(([finding, others]) =>
        line(
          [
            toned(finding.level, `${where(finding)}: `),
            sentence(finding),
            finding.fix === fix ? '' : `. Fix: ${finding.fix}`,
            alsoText(others),
          ],
          4,
        ),
      ),
      'findings',
      4,
    ),
    ...(fix === undefined ? [] : [line(`fix: ${fix}`, 2)]),
    ...placesOf(
      findings,
      `at: ${someOf(findings.flatMap((finding) => placeText(finding) ?? []))}`,
    ).map((text) => line(text, 2)),
  ];
}

/**
 * The problem, at the prop that sets the field where one is known, without the name of the object
 * or of the file, which is next to it.
 */
function sentence(finding: Finding): string {
  const { object, message, prop, path } = finding;
  const name = path === '' ? `${object ? label(object) : plainText(where(finding))} ` : '';
  return oneLine({
    ...finding,
    message: message.startsWith(name) ? message.slice(name.length) : message,
    path: prop ?? path,
    fix: '',
  });
}

/** What waits for late values, and what writes it: on one line, as most programs have it. */
function waitingLine(findings: readonly Finding[]): readonly Block[] {
  const waiting = findings.filter(
    (finding) => finding.rule === REFERENCE_WAITS.id && !isAccepted(finding),
  );
  const [left, others] = [true, false].map((isLeft) =>
    waiting.filter(({ fix }) => (fix === ONLY_APPLY_COMPLETES) === isLeft),
  );
  return [
    ...waitingText(
      others!,
      'apply writes all of them in order; before a GitOps engine gets the folder, run cdk8s-harvester resolve and synthesize with the resolved values',
    ),
    ...waitingText(left!, 'some of these are left to apply, which writes all of them in order'),
  ];
}

function waitingText(waiting: readonly Finding[], what: string): readonly Block[] {
  return waiting.length === 0
    ? []
    : [
        line(
          `these refer to objects that wait for late values: ${someOf(waiting.map(where))}. ${what}`,
        ),
      ];
}

/** What solves all findings, or most of them; undefined where each has a solution of its own. */
function commonFix(findings: readonly Finding[]): string | undefined {
  const [[fix, { length }] = ['', []]] = [...grouped(findings, (finding) => finding.fix)].sort(
    ([, one], [, other]) => other.length - one.length,
  );
  return length > 1 ? fix : undefined;
}

function rulesOf(findings: readonly Finding[]): readonly string[] {
  return [...new Set(findings.map(({ rule }) => rule))];
}

/** Where the program creates the construct of a finding. */
function placeText({ construct, place }: Finding): string | undefined {
  return construct && `${construct}${place === undefined ? '' : ` (${place})`}`;
}

function placesOf(findings: readonly Finding[], text: string): readonly string[] {
  return findings.some(({ construct }) => construct) ? [text] : [];
}

function fileText({ file, line: row }: Finding): string {
  return `${file}${row === undefined ? '' : `:${row}`}`;
}

/** How many places of one cause are named. */
const MOST_PLACES = 3;

const someOf = (texts: readonly string[]): string => some([...new Set(texts)], MOST_PLACES);

/** The findings of each cause on one line, without what to do. */
export function briefs(findings: readonly Finding[]): readonly Block[] {
  return byCause(findings).map(({ level, findings: [first, ...others] }) => {
    const { rule, cause, prop, path, message } = first!;
    const at = prop ?? path;
    const what =
      others.length > 0
        ? `  ${cause} (${others.length + 1} findings)`
        : `  ${where(first!)}${at ? `  ${at}` : ''}: ${message}`;
    return line([toned(level, level), `  ${rule}${what}`], 2);
  });
}

/** How many errors and warnings there are: findings of one cause are one. */
export function countByCause(findings: readonly Finding[]): {
  readonly errors: number;
  readonly warnings: number;
} {
  const groups = byCause(findings);
  const errors = groups.filter(({ level }) => level === FindingLevel.ERROR).length;
  return { errors, warnings: groups.length - errors };
}

/** e.g. `2 errors, 1 warning`, by causes; how many findings that are, and how many are accepted */
export function summary(findings: readonly Finding[]): string {
  const { errors, warnings } = countByCause(findings);
  const counted = findings.filter(isCounted).length;
  const accepted = findings.filter(isAccepted).length;
  return (
    `${plural(errors, 'error')}, ${plural(warnings, 'warning')}${counted > errors + warnings ? `, from ${counted} findings` : ''}` +
    `${accepted > 0 ? `, ${accepted} accepted` : ''}`
  );
}

/** The summary, with the reasons of what is accepted. */
function summaryText(findings: readonly Finding[]): string {
  const reasons = findings.flatMap(({ suppressed }) => suppressed ?? []);
  return `${summary(findings)}${reasons.length > 0 ? `: ${someOf(reasons)}` : ''}`;
}

/**
 * Findings for machines: every field is always there, so that a reader needs no case for absent
 * ones.
 */
function jsonReport(findings: readonly Finding[]): string {
  return JSON.stringify(
    {
      findings: findings.map(
        ({
          rule,
          level,
          message,
          object,
          path,
          prop,
          value,
          fix,
          source,
          cause,
          construct,
          target,
          environment,
          file,
          line: row,
          suppressed,
        }) => ({
          rule,
          level,
          message,
          object: {
            apiVersion: object?.apiVersion ?? '',
            kind: object?.kind ?? '',
            namespace: object?.namespace ?? '',
            name: object?.name ?? '',
          },
          path,
          prop: prop ?? null,
          value: value ?? null,
          fix,
          source,
          cause: cause ?? null,
          construct: construct ?? null,
          target: target ?? null,
          environment: environment ?? null,
          file: file ?? null,
          line: row ?? null,
          suppressed: suppressed ?? null,
        }),
      ),
    },
    undefined,
    2,
  );
}

/**
 * Findings as annotations of a GitHub workflow, one for each cause.
 * @see https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
function githubReport(findings: readonly Finding[]): string {
  const lines = byCause(findings).map(({ level, findings: group }) => {
    const [{ file, line: row, cause, fix }] = group as [Finding];
    const properties = [
      ...(file ? [`file=${property(file)}`] : []),
      ...(row === undefined ? [] : [`line=${row}`]),
      `title=${property(rulesOf(group).join(', '))}`,
    ].join(',');
    const text =
      group.length === 1
        ? `${where(group[0]!)}: ${sentence(group[0]!)}. Fix: ${fix}`
        : `${cause} (${group.length} findings): ${someOf(group.map((finding) => `${where(finding)}: ${sentence(finding)}`))}. Fix: ${commonFix(group) ?? fix}`;
    return `::${level} ${properties}::${data(text)}`;
  });
  return [...lines, summary(findings)].join('\n');
}

/**
 * For a comment on a pull request: errors, warnings to unfold, and how many findings are accepted.
 */
function markdownReport(findings: readonly Finding[]): string {
  const groups = byCause(findings);
  const itemsOf = (level: FindingLevel): string[] =>
    groups.filter((group) => group.level === level).map(markdownItem);
  const [errors, warnings] = [itemsOf(FindingLevel.ERROR), itemsOf(FindingLevel.WARNING)];
  const accepted = findings.filter(isAccepted).length;
  const blocks = [
    `### Findings: ${plural(errors.length, 'error')}, ${plural(warnings.length, 'warning')}`,
    ...(errors.length > 0 ? [errors.join('\n')] : []),
    ...(warnings.length > 0
      ? [
          `<details><summary>${plural(warnings.length, 'warning')}</summary>`,
          warnings.join('\n'),
          '</details>',
        ]
      : []),
    ...(accepted > 0 ? [`${plural(accepted, 'accepted finding')}.`] : []),
  ];
  return blocks.join('\n\n');
}

/** How many findings of one cause a comment lists. */
const MOST_LISTED = 10;

/** One item of a list. */
function markdownItem({ level, findings }: CauseGroup): string {
  const [first] = findings as [Finding];
  const rules = `**${level}** ${rulesOf(findings).map(markdownCode).join(', ')}`;
  const fix = commonFix(findings);
  if (findings.length === 1) {
    return [
      `- ${rules} ${markdownProse(where(first))}`,
      markdownProse(sentence(first)),
      `**Fix:** ${markdownProse(first.fix)}`,
      ...markdownPlace(first),
    ].join('<br>');
  }
  const items = withSameOutcome(findings);
  const more = items.length - MOST_LISTED;
  return [
    [
      `- ${rules} ${markdownProse(first.cause!)} (${findings.length} findings)`,
      ...(fix === undefined ? [] : [`**Fix:** ${markdownProse(fix)}`]),
      ...markdownPlace(first),
    ].join('<br>'),
    ...items
      .slice(0, MOST_LISTED)
      .map(
        ([finding, others]) =>
          `  - ${markdownProse(where(finding))}: ${markdownProse(`${sentence(finding)}${alsoText(others)}`)}${finding.fix === fix ? '' : `<br>**Fix:** ${markdownProse(finding.fix)}`}`,
      ),
    ...(more > 0 ? [`  - … and ${more} more`] : []),
  ].join('\n');
}

function markdownPlace({ construct, place, ...finding }: Finding): readonly string[] {
  const at = [
    ...(construct === undefined ? [] : [`at ${markdownCode(plainText(construct))}`]),
    ...(place === undefined ? [] : [`in ${markdownCode(plainText(place))}`]),
    ...(finding.file === undefined
      ? []
      : [`in ${markdownCode(plainText(fileText({ ...finding, file: shortPath(finding.file) })))}`]),
  ];
  return at.length > 0 ? [at.join(' ')] : [];
}

/** What a finding is about, e.g. `Setting ntp-servers on dc1`. */
export function where({ object, target, environment, file, construct }: Finding): string {
  const place = target && inEnvironment(target, environment);
  if (object) {
    return place ? `${label(object)} on ${place}` : label(object);
  }
  return place ? `target ${place}` : (file ?? construct ?? 'the program');
}

function label({ kind, namespace, name }: FindingObject): string {
  return `${kind} ${namespace ? `${namespace}/` : ''}${name || 'without a name'}`;
}

// the escape of workflow commands; a line feed would end the command, a comma its property
function data(text: string): string {
  return plainText(text).replace(/%/g, '%25');
}

function property(text: string): string {
  return data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}
