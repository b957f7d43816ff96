import { htmlText } from '../../../core/text/html';
import { Block, Text, TextPart } from '../../../core/text/screen';

/** The entries of a list, or rows of a table, that a page shows at first. */
const SHOWN = 12;

/** Deeper rows are not indented more. */
const MOST_INDENT = 8;

/** What a page searches by itself. */
const FOUND = ' data-find';

/** A report for a terminal as HTML: the same words, and long lists folded. */
export function blocksHtml(blocks: readonly Block[], title: string): string {
  return blocks.map((block) => blockHtml(block, title, true)).join('\n');
}

function blockHtml(block: Block, title: string, isTop: boolean): string {
  if ('parts' in block) {
    const text = block.parts.map(partHtml).join('');
    return text === '' ? '' : `<p class="in${Math.min(block.indent, MOST_INDENT)}">${text}</p>`;
  }
  if ('head' in block) {
    return tableHtml(block, title, isTop);
  }
  const entries = block.entries.map(
    (entry) =>
      `<li${isTop ? FOUND : ''}>${entry.blocks.map((each) => blockHtml(each, title, false)).join('')}</li>`,
  );
  return folded(entries, block.noun, (own) => `<ul>${own.join('\n')}</ul>`);
}

function tableHtml(
  { head, rows }: Extract<Block, { readonly head: unknown }>,
  title: string,
  isTop: boolean,
): string {
  const titles = head.map((each) => `<th scope="col">${htmlText(each)}</th>`).join('');
  const lines = rows.map(
    (row) =>
      `<tr${isTop ? FOUND : ''}>${row.map((cell) => `<td>${cellHtml(cell)}</td>`).join('')}</tr>`,
  );
  return folded(
    lines,
    'rows',
    (own) =>
      `<div class="scroll" tabindex="0" role="region" aria-label="${htmlText(title)}"><table>` +
      `${titles === '' ? '' : `<thead><tr>${titles}</tr></thead>`}<tbody>${own.join('\n')}</tbody></table></div>`,
  );
}

/** The first ones, and the others behind their number. */
export function folded(
  entries: readonly string[],
  noun: string,
  around: (entries: readonly string[]) => string,
): string {
  // one entry more takes no more room than the number of the others
  if (entries.length <= SHOWN + 1) {
    return entries.length === 0 ? '' : around(entries);
  }
  const more = `${entries.length - SHOWN} more ${noun}`;
  return (
    around(entries.slice(0, SHOWN)) +
    `<details class="more"><summary>${htmlText(more)}</summary>${around(entries.slice(SHOWN))}</details>`
  );
}

function cellHtml(text: Text): string {
  return (Array.isArray(text) ? (text as readonly TextPart[]) : [text as TextPart])
    .map(partHtml)
    .join('');
}

function partHtml(part: TextPart): string {
  return typeof part === 'object'
    ? `<span class="${part.tone}">${htmlText(part.text)}</span>`
    : htmlText(String(part));
}
