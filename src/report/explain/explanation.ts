import { markdownCode, markdownText } from '../../core/text/table';

/** What a name is the name of: `VirtualMachine` is a construct and a kind. */
export type Subject = 'construct' | 'type' | 'member' | 'kind' | 'field' | 'rule' | 'setting';

/** A part of an explanation: lines below a title. */
export interface ExplanationPart {
  readonly title: string;
  readonly lines: readonly string[];
}

/** All that the library knows of one name. */
export interface Explanation {
  readonly subject: Subject;
  /** The full name: `Cluster (provisioning.cattle.io/v1)`. */
  readonly name: string;
  readonly summary: string;
  readonly parts: readonly ExplanationPart[];
  /** The page to read on, as a path in the repository or a URL. */
  readonly docs: string;
}

export const EXPLAIN_FORMATS = ['text', 'json', 'markdown'] as const;

/** An explanation, without the parts that have no lines. */
export function explanation(
  subject: Subject, name: string, summary: string, docs: string, parts: { readonly [title: string]: readonly (string | undefined)[] },
): Explanation {
  const all = Object.entries(parts).map(([title, lines]) => ({ title, lines: lines.flatMap((line) => line || []) }));
  return { subject, name, summary, parts: all.filter(({ lines }) => lines.length > 0), docs };
}

/** The text of explanations. */
export function printExplanations(explanations: readonly Explanation[], format: typeof EXPLAIN_FORMATS[number]): string {
  if (format === 'json') { return JSON.stringify(explanations, undefined, 2); }
  return explanations.map(format === 'text' ? textOf : markdownOf).join('\n\n');
}

function textOf({ subject, name, summary, parts, docs }: Explanation): string {
  const blocks = parts.map(({ title, lines }) => `${title}:\n${lines.map((line) => `  ${line.replace(/\n/g, '\n    ')}`).join('\n')}`);
  return [`${name}: ${subject}`, ...(summary ? [`  ${summary.replace(/\n/g, '\n  ')}`] : []), ...blocks, `docs: ${docs}`].join('\n');
}

function markdownOf({ subject, name, summary, parts, docs }: Explanation): string {
  const blocks = parts.map(({ title, lines }) => `**${title}**\n\n${lines.map((line) => `- ${markdownText(line)}`).join('\n')}`);
  return [`## ${markdownCode(name)}: ${subject}`, ...(summary ? [markdownText(summary)] : []), ...blocks, `Docs: ${docs}`].join('\n\n');
}
