import { styleText } from 'util';
import { plainText } from './plain-text';

/**
 * Where a text report is shown. One layout for all reports: blocks with tones, hanging indents,
 * tables that become records where they do not fit, and folded lists; libraries of tables and
 * colors have a part of it each, and measure texts otherwise.
 */
export interface Screen {
  /**
   * Columns of the terminal.
   * @default - lines and cells are as long as their text, for logs and files
   */
  readonly width?: number;
  /** Whether it shows colors. */
  readonly colors: boolean;
  /** How many entries of a long list are shown, and how many more there are. @default - all */
  readonly most?: number;
  /** How to get a folded list whole. @default - by the option `--all` */
  readonly whole?: string;
}

/** A log, a file, a test: no colors, no limits. */
export const PLAIN: Screen = { colors: false };

/** What a part of a text means: it decides its color. */
export type Tone =
  'section' | 'title' | 'error' | 'warning' | 'good' | 'add' | 'change' | 'remove' | 'quiet';

const STYLES: { readonly [tone in Tone]: Parameters<typeof styleText>[0] } = {
  section: ['bold', 'underline'],
  title: 'bold',
  error: 'red',
  warning: 'yellow',
  good: 'green',
  add: 'green',
  change: 'yellow',
  remove: 'red',
  // faint text keeps the color of the terminal, while gray is that of some dark backgrounds
  quiet: 'dim',
};

/** A part of a text with a meaning of its own. */
export interface Toned {
  readonly tone: Tone;
  readonly text: string;
}

/** A text of any origin; what it contains does nothing to the terminal. */
export type TextPart = string | number | Toned;
export type Text = TextPart | readonly TextPart[];

/** A piece of a report, from which its text is made for any screen. */
export type Block = LineBlock | TableBlock | ListBlock;

interface LineBlock {
  readonly parts: readonly TextPart[];
  readonly indent: number;
  /** What its other rows are indented by, in addition. */
  readonly hang: number;
  /** Whether the screen breaks it, not the report: what is copied from it has no line feed. */
  readonly whole?: boolean;
  /** Whether words break, too, that are longer than a row. */
  readonly breaksWords?: boolean;
}

interface TableBlock {
  readonly head: readonly string[];
  readonly rows: readonly (readonly Text[])[];
  readonly indent: number;
}

interface ListBlock {
  readonly entries: readonly Entry[];
  readonly noun: string;
  readonly indent: number;
}

interface Entry {
  readonly blocks: readonly Block[];
  /** Whether it is shown in a folded list, too. */
  readonly pinned: boolean;
}

/** A part in the color of its meaning. */
export function toned(tone: Tone, text: unknown): Toned {
  return { tone, text: plainText(text) };
}

/** Columns that the second and later rows of a line are indented by. */
const HANG = 2;

/**
 * A line; on a narrow screen its other rows are indented, e.g. below the text after a first word.
 */
export function line(text: Text, indent = 0, hang = HANG): Block {
  return { parts: partsOf(text), indent, hang };
}

/**
 * A line of a long list, whose names are read rather than copied: those that are longer than a row
 * break.
 */
export function listed(text: Text, indent = 0, hang = HANG): Block {
  return { parts: partsOf(text), indent, hang, breaksWords: true };
}

/** A command to be copied: one line on every screen. */
export function command(text: string, indent = 0): Block {
  return { parts: [text], indent, hang: 0, whole: true };
}

/** An empty line. */
export const BLANK: Block = line('');

/**
 * A table whose columns fit the screen: long cells break, and where there is no room for columns at
 * all, each row is a list of its cells.
 *
 * @param head the titles of the columns; empty: cells are aligned, without titles
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly Text[])[],
  indent = 0,
): Block {
  return { head, rows, indent };
}

/**
 * A list that is folded where it is longer than the screen allows: its first entries, and the
 * number of the others.
 *
 * @param noun what the entries are, in the plural, e.g. `objects`
 */
export function list(
  entries: readonly (Block | readonly Block[] | Pinned)[],
  noun: string,
  indent = 0,
): Block {
  const entryOf = (entry: Block | readonly Block[] | Pinned): Entry =>
    'blocks' in entry
      ? entry
      : {
          blocks: Array.isArray(entry) ? (entry as readonly Block[]) : [entry as Block],
          pinned: false,
        };
  return { entries: entries.map(entryOf), noun, indent };
}

/** An entry of a list that no screen folds, e.g. what is deleted. */
export type Pinned = Entry & { readonly pinned: true };

export function pinned(blocks: readonly Block[]): Pinned {
  return { blocks, pinned: true };
}

/** The blocks with other texts, e.g. without secrets: before a row breaks one in two. */
export function withTexts(blocks: readonly Block[], change: (text: string) => string): Block[] {
  const changed = (text: Text): readonly TextPart[] =>
    partsOf(text).map((part) =>
      typeof part === 'object' ? toned(part.tone, change(part.text)) : change(textOf(part)),
    );
  return blocks.map((block): Block => {
    if ('parts' in block) {
      return { ...block, parts: changed(block.parts) };
    }
    return 'head' in block
      ? { ...block, rows: block.rows.map((row) => row.map(changed)) }
      : {
          ...block,
          entries: block.entries.map((entry) => ({
            ...entry,
            blocks: withTexts(entry.blocks, change),
          })),
        };
  });
}

/** The text of a report on a screen, without a line feed at its end. */
export function render(blocks: readonly Block[], screen: Screen): string {
  return blocks.flatMap((block) => linesOf(block, screen)).join('\n');
}

function linesOf(block: Block, screen: Screen): string[] {
  if ('parts' in block) {
    return lineOf(block, screen);
  }
  return 'head' in block ? tableOf(block, screen) : listOf(block, screen);
}

function lineOf(
  { parts, indent, hang, whole = false, breaksWords = false }: LineBlock,
  screen: Screen,
): string[] {
  const width = whole ? undefined : screen.width;
  const first = width === undefined ? undefined : Math.max(MIN_COLUMN, width - indent);
  const more = first !== undefined && first - hang < MIN_COLUMN ? HANG : hang;
  const rows = first === undefined ? [parts] : wrapped(parts, first, first - more, breaksWords);
  return rows.map((row, index) =>
    `${' '.repeat(indent + (index === 0 ? 0 : more))}${painted(row, screen)}`.trimEnd(),
  );
}

function listOf({ entries, noun, indent }: ListBlock, screen: Screen): string[] {
  const shown = folded(entries, screen, (entry) => entry.pinned);
  return [
    ...shown.flatMap(({ blocks }) => blocks.flatMap((block) => linesOf(block, screen))),
    ...moreOf(entries.length - shown.length, noun, indent, screen),
  ];
}

/** The entries that a screen shows: the first ones, and those that it must not hide. */
function folded<T>(
  entries: readonly T[],
  { most = Infinity }: Screen,
  isPinned: (entry: T) => boolean = () => false,
): readonly T[] {
  const foldable = entries.filter((entry) => !isPinned(entry));
  // one entry more takes no more room than the number of the others
  if (foldable.length <= most + 1) {
    return entries;
  }
  const hidden = new Set(foldable.slice(most));
  return entries.filter((entry) => !hidden.has(entry));
}

function moreOf(count: number, noun: string, indent: number, screen: Screen): string[] {
  return count > 0
    ? linesOf(
        line(toned('quiet', `… and ${count} more ${noun} (${screen.whole ?? '--all'})`), indent),
        screen,
      )
    : [];
}

/** Columns between cells. */
const GAP = 2;
/** Less is not readable. */
const MIN_COLUMN = 8;

function tableOf({ head, rows, indent }: TableBlock, screen: Screen): string[] {
  const cells = rows.map((row) => row.map(partsOf));
  const natural = (cells[0] ?? head).map((_, column) =>
    Math.max(lengthOf([head[column] ?? '']), ...cells.map((row) => lengthOf(row[column]!))),
  );
  const room =
    screen.width === undefined ? Infinity : screen.width - indent - GAP * (natural.length - 1);
  const widths = fitted(natural, room);
  if (widths === undefined) {
    return recordsOf(head, cells, indent, screen);
  }
  const print = (row: readonly (readonly TextPart[])[]): string[] => {
    const columns = row.map((cell, column) =>
      wrapped(cell, widths[column]!, widths[column]!, true),
    );
    return Array.from({ length: Math.max(...columns.map(({ length }) => length)) }, (_, at) =>
      `${' '.repeat(indent)}${columns.map((lines, column) => padded(lines[at] ?? [], widths[column]!, screen)).join(' '.repeat(GAP))}`.trimEnd(),
    );
  };
  const titles = head.length === 0 ? [] : print(head.map((title) => [toned('title', title)]));
  const shown = folded(cells, screen);
  return [
    ...titles,
    ...shown.flatMap(print),
    ...moreOf(cells.length - shown.length, 'rows', indent, screen),
  ];
}

/** The widths of columns: the widest lose first. Undefined where too little would be left. */
function fitted(natural: readonly number[], room: number): number[] | undefined {
  const widths = [...natural];
  let over = widths.reduce((sum, width) => sum + width, 0) - room;
  while (over > 0) {
    const widest = Math.max(...widths);
    if (widest <= MIN_COLUMN) {
      return undefined;
    }
    const at = widths.lastIndexOf(widest);
    const next = Math.max(MIN_COLUMN, ...widths.filter((width) => width < widest));
    const less = Math.max(1, Math.min(over, widest - next));
    widths[at] = widest - less;
    over -= less;
  }
  return widths;
}

/** Each row as lines `title: cell`. */
function recordsOf(
  head: readonly string[],
  rows: readonly (readonly (readonly TextPart[])[])[],
  indent: number,
  screen: Screen,
): string[] {
  const shown = folded(rows, screen);
  return [
    ...shown.flatMap((row, index) => [
      ...(index === 0 ? [] : ['']),
      ...row.flatMap((cell, column) => {
        const title = head[column] === undefined ? [] : [toned('title', `${head[column]}: `)];
        return lengthOf(cell) === 0 ? [] : linesOf(line([...title, ...cell], indent), screen);
      }),
    ]),
    ...moreOf(rows.length - shown.length, 'rows', indent, screen),
  ];
}

function partsOf(text: Text): readonly TextPart[] {
  return Array.isArray(text) ? (text as readonly TextPart[]) : [text as TextPart];
}

function textOf(part: TextPart): string {
  return typeof part === 'object' ? part.text : plainText(String(part));
}

function lengthOf(parts: readonly TextPart[]): number {
  return parts.reduce<number>((sum, part) => sum + columnsOf(textOf(part)), 0);
}

/**
 * Characters that take two columns of a terminal, and marks that take none.
 * @see https://www.unicode.org/reports/tr11/
 */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const MARK = /\p{M}/u;

/** The columns of a terminal that a text takes. */
export function columnsOf(text: string): number {
  // eslint-disable-next-line no-control-regex
  if (/^[\u0000-\u02ff]*$/.test(text)) {
    return text.length;
  }
  return [...text].reduce((sum, character) => sum + columnsOfCharacter(character), 0);
}

function columnsOfCharacter(character: string): number {
  if (MARK.test(character)) {
    return 0;
  }
  return WIDE.test(character) ? 2 : 1;
}

function painted(parts: readonly TextPart[], { colors }: Screen): string {
  // older releases of Node know no options
  const paint = styleText as (
    style: Parameters<typeof styleText>[0],
    text: string,
    options?: { readonly validateStream: boolean },
  ) => string;
  return parts
    .map((part) =>
      colors && typeof part === 'object' && part.text !== ''
        ? paint(STYLES[part.tone], part.text, { validateStream: false })
        : textOf(part),
    )
    .join('');
}

function padded(parts: readonly TextPart[], width: number, screen: Screen): string {
  return `${painted(parts, screen)}${' '.repeat(Math.max(0, width - lengthOf(parts)))}`;
}

/** A word with the tone of the part that it comes from, or the space before it. */
interface Word {
  readonly text: string;
  readonly tone?: Tone;
}

/**
 * Breaks a text into rows.
 *
 * @param breaksWords whether a word that is longer than a row is broken; otherwise it is left whole, to be copied, in a row of its own
 */
function wrapped(
  parts: readonly TextPart[],
  first: number,
  others: number,
  breaksWords: boolean,
): TextPart[][] {
  if (lengthOf(parts) <= first) {
    return [[...parts]];
  }
  const rows: Word[][] = [[]];
  let left = first;
  for (const word of wordsOf(parts, breaksWords ? Math.max(MIN_COLUMN, others) : Infinity)) {
    const length = columnsOf(word.text);
    const used = (rows.length === 1 ? first : others) - left;
    // a sign or a short label is not left alone in its row
    const mayBreak = length <= others || used > MIN_COLUMN;
    if (length > left && mayBreak && rows.at(-1)!.length > 0) {
      rows.push([]);
      left = others;
    }
    // the space at which a row breaks is not printed; the indent of a first row is
    if (word.text.trim() === '' && rows.length > 1 && rows.at(-1)!.length === 0) {
      continue;
    }
    rows.at(-1)!.push(word);
    left -= length;
  }
  return rows.map(joined);
}

/**
 * The words of a row as parts: neighbors of one tone are one part, and no space is at the end,
 * which a color would show.
 */
function joined(row: readonly Word[]): TextPart[] {
  const parts: Word[] = [];
  row.forEach(({ text, tone }, index) => {
    const last = parts.at(-1);
    if (row.slice(index).every((word) => word.text.trim() === '')) {
      return;
    }
    if (last && last.tone === tone) {
      parts.splice(-1, 1, { ...last, text: last.text + text });
    } else {
      parts.push({ text, tone });
    }
  });
  return parts.map(({ text, tone }) => (tone ? { text, tone } : text));
}

/**
 * Words and spaces; a word that is too long in pieces, after a character that separates where there
 * is one.
 */
function wordsOf(parts: readonly TextPart[], longest: number): Word[] {
  return parts.flatMap((part) =>
    textOf(part)
      .split(/(\s+)/)
      .filter((text) => text !== '')
      .flatMap((text) => {
        const pieces: Word[] = [];
        const tone = typeof part === 'object' ? { tone: part.tone } : {};
        let rest = text;
        while (columnsOf(rest) > longest) {
          const begin = firstOf(rest, longest);
          const separator = Math.max(
            ...['/', '.', ':', ',', '_', '-', '='].map((character) => begin.lastIndexOf(character)),
          );
          const piece = separator >= begin.length / 2 ? begin.slice(0, separator + 1) : begin;
          pieces.push({ text: piece, ...tone });
          rest = rest.slice(piece.length);
        }
        return [...pieces, { text: rest, ...tone }];
      }),
  );
}

/** As much of the beginning of a text as there is room for. */
export function firstOf(text: string, columns: number): string {
  let [begin, left] = ['', columns];
  for (const character of text) {
    left -= columnsOf(character);
    if (left < 0) {
      break;
    }
    begin += character;
  }
  return begin;
}
