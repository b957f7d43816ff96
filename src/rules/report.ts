import { Finding, FindingObject } from '../model/finding';

/** The forms that findings can be told in. */
export const REPORT_FORMATS = ['text', 'json', 'github'] as const;
export type ReportFormat = typeof REPORT_FORMATS[number];

/** Whether a finding counts: not one that somebody suppressed with a reason. */
export function isCounted(finding: Finding): boolean {
  return finding.suppressed === undefined;
}

export function report(findings: readonly Finding[], format: ReportFormat): string {
  switch (format) {
    case 'text': return textReport(findings);
    case 'json': return jsonReport(findings);
    case 'github': return githubReport(findings);
  }
}

/**
 * Findings for people: what and where, what was given, what to do, and how many there are.
 */
export function textReport(findings: readonly Finding[]): string {
  const blocks = findings.map((finding) => [
    `${finding.level}  ${finding.rule}  ${where(finding)}`,
    `  ${finding.path ? `${finding.path}: ` : ''}${finding.value === undefined ? '' : `got ${finding.value}, `}${finding.message}`,
    `  fix: ${finding.fix}`,
    ...(finding.construct ? [`  at: ${finding.construct}`] : []),
    ...(finding.file ? [`  in: ${finding.file}${finding.line === undefined ? '' : `:${finding.line}`}`] : []),
    ...(finding.suppressed === undefined ? [] : [`  suppressed: ${finding.suppressed}`]),
  ].join('\n'));
  return [...blocks, summary(findings)].join('\n\n');
}

/** A finding on one line, without what to do. */
export function brief(finding: Finding): string {
  return `${finding.level}  ${finding.rule}  ${where(finding)}${finding.path ? `  ${finding.path}` : ''}: ${finding.message}`;
}

/** e.g. `2 errors, 1 warning` */
export function summary(findings: readonly Finding[]): string {
  const counted = findings.filter(isCounted);
  const errors = counted.filter((finding) => finding.level === 'error').length;
  const text = `${plural(errors, 'error')}, ${plural(counted.length - errors, 'warning')}`;
  return counted.length === findings.length ? text : `${text}, ${findings.length - counted.length} suppressed`;
}

/**
 * Findings for machines: every field is always there, so that a reader needs no case for absent ones.
 */
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

/**
 * Findings as annotations of a GitHub workflow.
 * @see https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
function githubReport(findings: readonly Finding[]): string {
  const lines = findings.filter(isCounted).map((finding) => {
    const properties = [
      ...(finding.file ? [`file=${property(finding.file)}`] : []), ...(finding.line === undefined ? [] : [`line=${finding.line}`]), `title=${property(finding.rule)}`,
    ].join(',');
    const text = `${where(finding)}: ${finding.path ? `${finding.path}: ` : ''}${finding.message}; ${finding.fix}`;
    return `::${finding.level} ${properties}::${data(text)}`;
  });
  return [...lines, summary(findings)].join('\n');
}

function where({ object, target, file, construct }: Finding): string {
  const name = object ? label(object) : file ?? construct ?? 'the program';
  return target ? `${name} on ${target}` : name;
}

function label({ kind, namespace, name }: FindingObject): string {
  return `${kind} ${namespace ? `${namespace}/` : ''}${name || 'without a name'}`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

// the escapes of workflow commands: a line feed would end the command, a comma its property
function data(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function property(text: string): string {
  return data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}
