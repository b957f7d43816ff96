import { Lexer } from 'yaml';

/** What a text has that kubectl and API servers do not read, and its position. */
export class Unread extends Error {
  public constructor(
    public readonly reason: string,
    public readonly offset: number,
  ) {
    super(reason);
  }
}

/** The state of the lexer of `yaml`, which it declares as private; the package bundles its version. */
interface LexerState {
  buffer: string;
  pos: number;
  /** The indentation that the next lines of a text need. */
  indentNext: number;
  flowLevel: number;
  /** The indentation in the header of a block, as an offset to `indentNext`; -1 without one. */
  blockScalarIndent: number;
  parseStream: () => Generator<string, unknown>;
  parseBlockStart: () => Generator<string, unknown>;
  parseFlowCollection: () => Generator<string, unknown>;
  parseLineStart: () => Generator<string, unknown>;
  parseQuotedScalar: () => Generator<string, unknown>;
  parseBlockScalar: () => Generator<string, unknown>;
  parsePlainScalar: () => Generator<string, unknown>;
}

/**
 * A lexer that reads a text as kubectl does, where this is another text than YAML 1.2 allows: lines
 * of quoted texts, lists, and maps in brackets may have less indentation than their key; tabs do not
 * indent.
 *
 * @see yaml/go-yaml:scannerc.go yaml_parser_fetch_flow_scalar, yaml_parser_scan_to_next_token, in v2.4.2
 * @throws Unread while it reads
 */
export function kubernetesLexer(): Lexer {
  const lexer = new Lexer();
  const state = lexer as unknown as LexerState;
  // the methods are those of the class: `read` has them before they are replaced
  const read = Object.getPrototypeOf(lexer) as LexerState;
  let isAfterPlain = false;

  /** Reads something whose lines may have any indentation. */
  function* atAnyIndent(method: () => Generator<string, unknown>): Generator<string, unknown> {
    isAfterPlain = false;
    const { indentNext } = state;
    state.indentNext = 0;
    const next = yield* method.call(lexer);
    state.indentNext = indentNext;
    return next;
  }

  return Object.assign(lexer, {
    *parseStream() {
      if (state.buffer[state.pos] === '%') {
        throw new Unread('a directive, which kubectl does not read', state.pos);
      }
      refuseTab(state);
      return yield* read.parseStream.call(lexer);
    },
    *parseLineStart() {
      // the lines after a text without quotes can be part of it
      if (!(isAfterPlain && /^ +\t[ \t]*$/.test(lineAt(state)))) {
        refuseTab(state);
      }
      return yield* read.parseLineStart.call(lexer);
    },
    *parseBlockStart() {
      if (/[-?]/.test(state.buffer[state.pos] ?? '')) {
        refuseTab(state, 1);
      }
      return yield* read.parseBlockStart.call(lexer);
    },
    *parsePlainScalar() {
      isAfterPlain = true;
      return yield* read.parsePlainScalar.call(lexer);
    },
    *parseBlockScalar() {
      isAfterPlain = false;
      refuseTabsInBlock(state);
      return yield* read.parseBlockScalar.call(lexer);
    },
    parseFlowCollection: () => atAnyIndent(read.parseFlowCollection),
    *parseQuotedScalar() {
      if (state.buffer[state.pos] === '"') {
        refuseEscapes(state);
      }
      return yield* atAnyIndent(read.parseQuotedScalar);
    },
  });
}

/** The rest of the line that the lexer is at. */
function lineAt({ buffer, pos }: LexerState): string {
  const end = buffer.indexOf('\n', pos);
  return buffer.slice(pos, end < 0 ? undefined : end);
}

const TAB = 'a tab as indentation';

/** Refuses a tab after the spaces at a place where a key may begin. */
function refuseTab({ buffer, pos }: LexerState, from = 0): void {
  let at = pos + from;
  while (buffer[at] === ' ') {
    at++;
  }
  if (buffer[at] === '\t') {
    throw new Unread(TAB, at);
  }
}

/** Refuses a tab in the indentation of a block. */
function refuseTabsInBlock({ buffer, pos, indentNext, blockScalarIndent }: LexerState): void {
  let indent = blockScalarIndent < 0 ? undefined : indentNext + blockScalarIndent;
  for (let at = pos; at < buffer.length;) {
    let column = 0;
    while (buffer[at + column] === ' ' && (indent === undefined || column < indent)) {
      column++;
    }
    const isEmpty = /[\r\n]/.test(buffer[at + column] ?? '\n');
    if (buffer[at + column] === '\t' && column < (indent ?? Infinity)) {
      throw new Unread(TAB, at + column);
    }
    if (!isEmpty) {
      if (column < (indent ?? indentNext)) {
        return;
      }
      indent ??= column;
    }
    const end = buffer.indexOf('\n', at);
    at = end < 0 ? buffer.length : end + 1;
  }
}

/** An escape in a text in double quotes. */
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|[^])|"/g;

/** Refuses escapes that JSON has and YAML 1.1 lacks, and those of halves of characters. */
function refuseEscapes({ buffer: text, pos }: LexerState): void {
  ESCAPE.lastIndex = pos + 1;
  for (let found = ESCAPE.exec(text); found && found[0] !== '"'; found = ESCAPE.exec(text)) {
    const code = parseInt(found[1] ?? found[2] ?? '0', 16);
    if (found[0] === '\\/' || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) {
      throw new Unread('an unknown escape', found.index);
    }
  }
}

/** A character that YAML 1.1 does not allow. */
const CONTROL =
  // eslint-disable-next-line no-control-regex
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

/** Refuses characters that YAML 1.1 does not allow. @see yaml/go-yaml:readerc.go, in v2.4.2 */
export function refuseControls(text: string): void {
  const found = CONTROL.exec(text);
  if (found) {
    throw new Unread('a control character', found.index);
  }
}
