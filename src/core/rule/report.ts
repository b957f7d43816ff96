import { isAbsolute, relative } from 'path';
import { Finding, FindingObject } from './finding';
import { oneLine } from './problem';
import { Rule } from './rule';
import { plainText } from '../text/plain-text';
import { markdownCode, markdownTable, markdownText } from '../text/table';

/** The output formats of findings. */
export const REPORT_FORMATS = ['text', 'json', 'github', 'markdown'] as const;
export type ReportFormat = typeof REPORT_FORMATS[number];

/** Whether a finding is not suppressed. */
export function isCounted(finding: Finding): boolean {
  return finding.suppressed === undefined;
}

export function report(findings: readonly Finding[], format: ReportFormat): string {
  switch (format) {
    case 'text': return textReport(findings);
    case 'json': return jsonReport(findings);
    case 'github': return githubReport(findings);
    case 'markdown': return markdownReport(findings);
  }
}

/** Findings for people: what and where, what was given, what to do, and how many there are. */
export function textReport(findings: readonly Finding[]): string {
  const blocks = findings.map((finding) => [
    `${finding.level}  ${finding.rule}  ${where(finding)}`,
    `  ${oneLine({ ...finding, fix: '' })}`,
    `  fix: ${finding.fix}`,
    ...(finding.construct ? [`  at: ${finding.construct}${finding.place === undefined ? '' : ` (${finding.place})`}`] : []),
    ...(finding.file ? [`  in: ${finding.file}${finding.line === undefined ? '' : `:${finding.line}`}`] : []),
    ...(finding.suppressed === undefined ? [] : [`  suppressed: ${finding.suppressed}`]),
  ].map(plainText).join('\n'));
  return [...blocks, summary(findings)].join('\n\n');
}

/** A finding on one line, without what to do. */
export function brief(finding: Finding): string {
  return plainText(`${finding.level}  ${finding.rule}  ${where(finding)}${finding.path ? `  ${finding.path}` : ''}: ${finding.message}`);
}

/** e.g. `2 errors, 1 warning` */
export function summary(findings: readonly Finding[]): string {
  const counted = findings.filter(isCounted);
  const errors = counted.filter((finding) => finding.level === 'error').length;
  const text = `${plural(errors, 'error')}, ${plural(counted.length - errors, 'warning')}`;
  return counted.length === findings.length ? text : `${text}, ${findings.length - counted.length} suppressed`;
}

/** Findings for machines: every field is always there, so that a reader needs no case for absent ones. */
function jsonReport(findings: readonly Finding[]): string {
  return JSON.stringify({
    findings: findings.map(({ rule, level, message, object, path, value, fix, source, construct, target, file, line, suppressed }) => ({
      rule,
      level,
      message,
      object: { apiVersion: object?.apiVersion ?? '', kind: object?.kind ?? '', namespace: object?.namespace ?? '', name: object?.name ?? '' },
      path,
      value: value ?? null,
      fix,
      source,
      construct: construct ?? null,
      target: target ?? null,
      file: file ?? null,
      line: line ?? null,
      suppressed: suppressed ?? null,
    })),
  }, undefined, 2);
}

/** Findings as annotations of a GitHub workflow. @see https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
function githubReport(findings: readonly Finding[]): string {
  const lines = findings.filter(isCounted).map((finding) => {
    const properties = [
      ...(finding.file ? [`file=${property(finding.file)}`] : []), ...(finding.line === undefined ? [] : [`line=${finding.line}`]), `title=${property(finding.rule)}`,
    ].join(',');
    const text = `${where(finding)}: ${oneLine(finding)}`;
    return `::${finding.level} ${properties}::${data(text)}`;
  });
  return [...lines, summary(findings)].join('\n');
}

/** For a comment on a pull request: errors, warnings to unfold, and how many findings are accepted. */
function markdownReport(findings: readonly Finding[]): string {
  const counted = findings.filter(isCounted);
  const [errors, warnings] = [counted.filter(({ level }) => level === 'error'), counted.filter(({ level }) => level !== 'error')];
  const accepted = findings.length - counted.length;
  const blocks = [
    `### Findings: ${plural(errors.length, 'error')}, ${plural(warnings.length, 'warning')}`,
    ...errors.length > 0 ? [errors.map(markdownItem).join('\n')] : [],
    ...warnings.length > 0 ? [`<details><summary>${plural(warnings.length, 'warning')}</summary>`, warnings.map(markdownItem).join('\n'), '</details>'] : [],
    ...accepted > 0 ? [`${plural(accepted, 'accepted finding')}.`] : [],
  ];
  return blocks.join('\n\n');
}

/** One item of a list. */
function markdownItem(finding: Finding): string {
  const { level, rule, fix, construct, place, file, line: row } = finding;
  const at = [
    ...construct === undefined ? [] : [`at ${markdownCode(plainText(construct))}`],
    ...place === undefined ? [] : [`in ${markdownCode(plainText(place))}`],
    ...file === undefined ? [] : [`in ${markdownCode(plainText(`${withinRepository(file)}${row === undefined ? '' : `:${row}`}`))}`],
  ];
  return [
    `- **${level}** ${markdownCode(rule)} ${prose(where(finding))}`, prose(oneLine({ ...finding, fix: '' })), `**Fix:** ${prose(fix)}`, ...at.length > 0 ? [at.join(' ')] : [],
  ].join('<br>');
}

/** A sentence in Markdown, which notifies no one: `@name` would. */
function prose(text: string): string {
  return markdownText(plainText(text)).replace(/@/g, '@<!-- -->');
}

/** Where a file is for other readers of the repository: commands run in its root. */
function withinRepository(file: string): string {
  const path = relative(process.cwd(), file);
  return isAbsolute(file) && !path.startsWith('..') ? path : file;
}

/** What a finding is about, e.g. `Setting ntp-servers on dc1`. */
export function where({ object, target, file, construct }: Finding): string {
  if (object) { return target ? `${label(object)} on ${target}` : label(object); }
  return target ? `target ${target}` : file ?? construct ?? 'the program';
}

function label({ kind, namespace, name }: FindingObject): string {
  return `${kind} ${namespace ? `${namespace}/` : ''}${name || 'without a name'}`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

// the escape of workflow commands; a line feed would end the command, a comma its property
function data(text: string): string {
  return plainText(text).replace(/%/g, '%25');
}

function property(text: string): string {
  return data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}

/** The index of rules as a Markdown page: generated, so that it lists exactly the existing rules. */
export function rulesIndex(rules: readonly Rule[]): string {
  const families = new Map<string, Rule[]>();
  for (const rule of [...rules].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const family = rule.id.split('/')[0];
    families.set(family, [...(families.get(family) ?? []), rule]);
  }
  return [
    '# Rules',
    '',
    '<!-- generated by `npx projen docs:rules`; do not edit -->',
    '',
    `${rules.length} rules. An error fails synthesis and \`lint\`; a warning is reported. Single findings of a rule may have a lower level.`,
    'How to run and to suppress them: [rules and lint](rules-and-lint.md).',
    ...[...families].flatMap(([family, members]) => ['', `## ${family}`, '', ...table(members)]),
    '',
  ].join('\n');
}

function table(rules: readonly Rule[]): string[] {
  const cell = (text: string): string => text.replace(/\|/g, '\\|').replace(/\n/g, ' ');
  return markdownTable(
    ['id', 'level', 'what it holds', 'the server\'s words', 'source'],
    rules.map(({ id, level, what, says, source }) => [`\`${id}\``, level, what, says ? `\`${says}\`` : '', source].map(cell)),
  );
}
