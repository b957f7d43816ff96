import { plainText } from './plain-text';

/** The cells of one row: Markdown pads no columns, for which table libraries exist. */
type Row = readonly (string | number)[];

/**
 * The lines of a Markdown table.
 *
 * @param rows cells as Markdown: values go through `markdownText` or `markdownCode`
 */
export function markdownTable(head: Row, rows: readonly Row[]): string[] {
  return [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---|').join('')}`,
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ];
}

/**
 * A value as one line of Markdown text: no character of it is markup, a link, or the end of a cell.
 */
export function markdownText(value: string): string {
  return value.replace(/[\\`*_{}[\]<>#|~]/g, (character) => `\\${character}`).replace(/\s+/g, ' ');
}

/** A sentence in Markdown, which notifies no one: `@name` would. */
export function markdownProse(text: string): string {
  return markdownText(plainText(text)).replace(/@/g, '@<!-- -->');
}

/** A value as Markdown code that fits into a cell. */
export function markdownCode(value: string): string {
  const fence = markdownFence(value, 1);
  const pad = fence.length > 1 ? ' ' : '';
  // GitHub's tables take a bar as the end of the cell in code, too
  return `${fence}${pad}${value.replace(/\|/g, '\\|').replace(/\s+/g, ' ')}${pad}${fence}`;
}

/** The backticks around code that no run of backticks in its text ends. */
export function markdownFence(text: string, least: number): string {
  return '`'.repeat(Math.max(least, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
}
