/** A part of a program, which is one line where it fits, and otherwise one line for each item. */
export type Piece = string | Bracketed | readonly Piece[];

/** Items in brackets. */
interface Bracketed {
  readonly open: string;
  readonly items: readonly Piece[];
  readonly close: string;
  /** Whether a line has spaces within the brackets. */
  readonly isSpaced?: boolean;
}

/** The width of lines. */
export const WIDTH = 120;

/** The text of a piece that begins at a column and whose lines are indented. */
export function layOut(piece: Piece, column: number, indent: number, after = 0): string {
  const line = oneLine(piece);
  if (line !== undefined && column + line.length + after <= WIDTH) {
    return line;
  }
  if (typeof piece === 'string') {
    return piece;
  }
  if (isList(piece)) {
    return series(piece, column, indent, after);
  }
  const { open, items, close } = piece;
  if (items.length === 0) {
    return `${open}${close}`;
  }
  // a call whose last argument opens a block keeps the others on its line
  const hugged = hug(items, open, close, column, indent, after);
  if (hugged !== undefined) {
    return hugged;
  }
  const inner = ' '.repeat(indent + 2);
  const lines = items.map((each) => `${inner}${layOut(each, indent + 2, indent + 2, 1)},`);
  return `${open}\n${lines.join('\n')}\n${' '.repeat(indent)}${close}`;
}

function series(pieces: readonly Piece[], column: number, indent: number, after: number): string {
  let text = '';
  pieces.forEach((each, index) => {
    const last = text.lastIndexOf('\n');
    const at = last < 0 ? column + text.length : text.length - last - 1;
    const rest = pieces
      .slice(index + 1)
      .map(oneLine)
      .reduce<number>((sum, line) => sum + (line?.length ?? 0), after);
    text += layOut(each, at, indent, rest);
  });
  return text;
}

function hug(
  items: readonly Piece[],
  open: string,
  close: string,
  column: number,
  indent: number,
  after: number,
): string | undefined {
  const last = items[items.length - 1];
  if (
    !open.endsWith('(') ||
    isList(last) ||
    (typeof last === 'string' ? !last.includes('\n') : last.items.length === 0)
  ) {
    return undefined;
  }
  const before = items.slice(0, -1).map(oneLine);
  if (before.includes(undefined)) {
    return undefined;
  }
  const head = `${open}${before.map((each) => `${each}, `).join('')}`;
  if (typeof last === 'string') {
    return `${head}${last}${close}`;
  }
  if (column + head.length + last.open.length > WIDTH) {
    return undefined;
  }
  return `${head}${layOut(last, column + head.length, indent, close.length + after)}${close}`;
}

/** Undefined for what contains a line break. */
function oneLine(piece: Piece): string | undefined {
  if (typeof piece === 'string') {
    return piece.includes('\n') ? undefined : piece;
  }
  const parts = (isList(piece) ? piece : piece.items).map(oneLine);
  if (parts.includes(undefined)) {
    return undefined;
  }
  if (isList(piece)) {
    return parts.join('');
  }
  const space = piece.isSpaced && parts.length > 0 ? ' ' : '';
  return `${piece.open}${space}${parts.join(', ')}${space}${piece.close}`;
}

function isList(piece: Piece): piece is readonly Piece[] {
  return Array.isArray(piece);
}

/** A text as a literal: in single quotes, or a template where it has several lines. */
export function literal(text: string): string {
  if (/\n./.test(text)) {
    return `\`${templatePart(text)}\``;
  }
  const quoted = text.replace(/[\\']/g, '\\$&');
  const inOneLine = quoted.replace(/\n/g, '\\n').replace(/\r/g, '\\r');
  return `'${inOneLine.replace(/[\u2028\u2029]/g, escaped)}'`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16)}`;
}

/** A text within a template literal. */
export function templatePart(text: string): string {
  return text.replace(/[\\`]|\$(?=\{|$)/g, '\\$&').replace(/\r/g, '\\r');
}

/** A key of an object as a literal. */
export function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}
