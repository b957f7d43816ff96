import {
  Composer,
  Document,
  Lexer,
  Parser,
  Range,
  Tags,
  YAMLParseError,
  isAlias,
  isCollection,
  isPair,
  isScalar,
  visit,
} from 'yaml';
import { readOwnYaml } from './own-yaml';
import { Unread, kubernetesLexer, refuseControls } from './yaml-lexer';
import { BINARY_TAG, NOT_JSON_NUMBER, NUMBER_TAG, TAGGED_NUMBERS } from './yaml-scalars';
import { doubleQuoted, inlineText } from './yaml-writer';
import { byText } from '../text/values';

const TAG = 'tag:yaml.org,2002:';

/**
 * Tags whose values this runtime has types for. Without them, the value is what it is without its
 * tag.
 */
const NOT_JSON: ReadonlySet<string> = new Set(
  ['timestamp', 'binary', 'omap', 'pairs', 'set'].map((name) => `${TAG}${name}`),
);

/** Tags of numbers, which kubectl reads in other forms. */
const NUMBERS: ReadonlySet<string> = new Set(['int', 'float'].map((name) => `${TAG}${name}`));

/** A text is not valid YAML; the message has the position, never the content. */
export class NoYaml extends Error {}

/**
 * What the documents of a YAML or JSON text hold, by the rules of YAML 1.1 that kubectl, API
 * servers and cloud-init read it by.
 *
 * Several checks read the same user data, and many machine pools have the same; a manifest file,
 * which is long, is read once. Synthesized output that is unchanged needs no parser of all of YAML.
 *
 * @throws NoYaml if the text is not valid YAML
 */
export const readYaml: (content: string) => unknown[] = byText(
  (content) => readJson(content) ?? parsed(content),
  32_000,
  8_000_000,
);

/** The documents of a text, or why it is not valid YAML. */
type TriedYaml =
  | { readonly documents: unknown[]; readonly fault?: undefined }
  | { readonly documents?: undefined; readonly fault: string };

/** Reads a text that may not be valid YAML. */
export function tryYaml(content: string): TriedYaml {
  try {
    return { documents: readYaml(content) };
  } catch (error) {
    if (!(error instanceof NoYaml)) {
      throw error;
    }
    return { fault: error.message };
  }
}

/**
 * The one value of a JSON text; undefined for any other text, and where a key is twice in a map,
 * which the parser of YAML reports.
 */
function readJson(content: string): unknown[] | undefined {
  if (!/^\s*[{[]/.test(content)) {
    return undefined;
  }
  try {
    const value: unknown = JSON.parse(content);
    // a text before a colon is a key: no other text is
    let keys = 0;
    for (const [, colon] of content.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)) {
      if (colon !== undefined) {
        keys++;
      }
    }
    const { keys: found, levels } = extentOf(value);
    return keys === found && levels <= MAX_LEVELS ? [value] : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The limit of maps and lists in each other. Rules call themselves for each level, so that an
 * endless nesting would end them.
 */
const MAX_LEVELS = 500;

const DEEP = `must have at most ${MAX_LEVELS} levels of maps and lists`;

/**
 * The keys of a value with those in it, and its levels. A level after the other, since a call for
 * each would end at some depth.
 */
function extentOf(value: unknown): { readonly keys: number; readonly levels: number } {
  let [keys, levels] = [0, 0];
  for (let level = [value].filter(isObject); level.length > 0 && levels <= MAX_LEVELS; levels++) {
    const below: object[] = [];
    for (const each of level) {
      const inner: unknown[] = Object.values(each);
      if (!Array.isArray(each)) {
        keys += inner.length;
      }
      for (const one of inner) {
        if (isObject(one)) {
          below.push(one);
        }
      }
    }
    level = below;
  }
  return { keys, levels };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function parsed(content: string): unknown[] {
  const values: unknown[] = [];
  for (const { text, line } of yamlParts(content)) {
    if (EMPTY_PART.test(text)) {
      values.push(null);
    } else {
      // cloud-init begins with a comment
      const own = text.includes(DEEP_INDENT)
        ? undefined
        : readOwnYaml(text.replace(/^(?:#.*\n)+/, ''));
      // not by spreading: a text may have millions of documents
      for (const value of own ?? parse(text, line).map((document) => plain(document, text))) {
        values.push(value);
      }
    }
  }
  return values;
}

/** The indentation of a text in our own form with more levels than are read. */
const DEEP_INDENT = ' '.repeat(2 * MAX_LEVELS);

const EMPTY_PART = /^---(?:\r?\n)*$/;

/**
 * Three dashes at the begin of a line, with nothing or space behind them. A line ends with a line
 * feed, other breaks are text here.
 */
const MARK = /(?<![^\n])---(?=[ \t\n]|\r\n|(?![^]))/g;

/** A part of a text, with the characters and the lines before it. */
interface Part {
  readonly text: string;
  readonly start: number;
  readonly line: number;
}

/**
 * The parts of a text that begin with a mark of a document, which no value contains at the begin of
 * a line.
 */
export function* yamlParts(content: string): Generator<Part> {
  // a directive is about the next document
  if (/^%/m.test(content)) {
    return yield { text: content, start: 0, line: 0 };
  }
  let [start, line, counted] = [0, 0, 0];
  const part = (end: number): Part => {
    for (
      let at = content.indexOf('\n', counted);
      at >= 0 && at < start;
      at = content.indexOf('\n', counted)
    ) {
      line++;
      counted = at + 1;
    }
    return { text: content.slice(start, end), start, line };
  };
  for (const match of content.matchAll(MARK)) {
    // before the first mark, comments belong to no document
    if (
      match.index > start &&
      (start > 0 || content.startsWith('---') || SOMETHING.test(content.slice(0, match.index)))
    ) {
      yield part(match.index);
    }
    start = match.index;
  }
  if (start < content.length) {
    yield part(content.length);
  }
}

/** A line with something other than a comment. */
const SOMETHING = /^[^\S\n]*[^\s#]/m;

/**
 * The documents of a text with the places of their nodes. @throws NoYaml if the text is not valid
 * YAML
 */
export function documentsOf(content: string): Document[] {
  return parse(content, 0);
}

/**
 * The documents of a text that are not empty, one after the other, with the place where the text of
 * each begins.
 */
export function* placedDocumentsOf(
  content: string,
): Generator<{ readonly document: Document; readonly start: number }> {
  for (const { text, start, line } of yamlParts(content)) {
    if (!EMPTY_PART.test(text)) {
      for (const document of parse(text, line)) {
        yield { document, start };
      }
    }
  }
}

function parse(content: string, line: number): Document[] {
  const placeOf = (offset: number): string => {
    const before = content.slice(0, offset).split('\n');
    const column = before[before.length - 1].length + 1;
    return ` at line ${before.length + line}, column ${column}`;
  };
  const list = within(() => {
    try {
      return composed(content);
    } catch (error) {
      throw error instanceof Unread ? new NoYaml(`${error.reason}${placeOf(error.offset)}`) : error;
    }
  });
  for (const document of list) {
    const error = document.errors.find((each) => !each.message.startsWith(COMMENT));
    if (error) {
      throw new NoYaml(reasonOf(error, placeOf));
    }
    checkNodes(document, placeOf);
  }
  return list;
}

/** What the parser reports of a comment after a bracket or a comma, which kubectl reads. */
const COMMENT = 'Comments must be separated from other tokens';

function composed(content: string): Document[] {
  const parser = new Parser();
  const composer = new Composer({
    // y, on and 0775 are what they are there
    version: '1.1',
    // but dates and numbers to the base of 60 are text, and every value is one that JSON has
    customTags: (tags: Tags): Tags => [
      ...tags.filter(
        (tag) =>
          typeof tag === 'string' ||
          (tag.format !== 'TIME' && !NOT_JSON.has(tag.tag) && !NUMBERS.has(tag.tag)),
      ),
      NUMBER_TAG,
      ...TAGGED_NUMBERS,
      BINARY_TAG,
    ],
    // a comment may follow a quote
    strict: false,
    // its warnings show pieces of the text
    logLevel: 'error',
  });
  // kubectl reads JSON by the rules of JSON, which allows more characters and escapes
  const isJson = readJson(content) !== undefined;
  const lexer = isJson ? new Lexer() : kubernetesLexer();
  function* tokens(): ReturnType<Parser['parse']> {
    for (const lexeme of lexer.lex(content)) {
      yield* parser.next(lexeme);
    }
    yield* parser.end();
  }
  if (!isJson) {
    refuseControls(content);
  }
  return [...composer.compose(tokens())];
}

/** The result of a parser that calls itself for each level. */
function within<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof RangeError ? new NoYaml(DEEP) : error;
  }
}

/**
 * A YAML text with other values for some of its scalars; everything else, comments and keys too, is
 * kept.
 *
 * @param change gives the new value, or undefined to keep a scalar
 */
export function withScalars(text: string, change: (value: string) => string | undefined): string {
  const changes: { readonly start: number; readonly end: number; readonly by: string }[] = [];
  for (const document of documentsOf(text)) {
    visit(document, {
      Scalar: (key, { value, range, type }, path) => {
        const by = key !== 'key' && typeof value === 'string' && range ? change(value) : undefined;
        if (by === undefined || !range) {
          return;
        }
        const [start, end] = range;
        // the end of a block is the end of its last line
        const lineBreak = text.slice(start, end).endsWith('\n') ? '\n' : '';
        const inFlow = path.some((node) => (node as { flow?: boolean }).flow === true);
        const isBare = type === 'PLAIN' && !inFlow && inlineText(by) === by;
        changes.push({ start, end, by: `${isBare ? by : doubleQuoted(by)}${lineBreak}` });
      },
    });
  }
  return changes
    .sort((a, b) => b.start - a.start)
    .reduce((all, { start, end, by }) => all.slice(0, start) + by + all.slice(end), text);
}

// the parser's message contains a piece of the text; its code and place do not
function reasonOf({ code, pos }: YAMLParseError, placeOf: (offset: number) => string): string {
  const reason = code === 'RESOURCE_EXHAUSTION' ? DEEP : code.toLowerCase().replace(/_/g, ' ');
  return `${reason}${placeOf(pos[0])}`;
}

function plain(document: Document, text: string): unknown {
  if (text.includes('*')) {
    checkAliases(document);
  }
  try {
    const value: unknown = within(() => document.toJS({ maxAliasCount: 1000 }));
    if (extentOf(value).levels > MAX_LEVELS) {
      throw new NoYaml(DEEP);
    }
    return value;
  } catch (error) {
    throw error instanceof NoYaml ? error : new NoYaml('its aliases cannot be resolved');
  }
}

/** The names of anchors. @see yaml/go-yaml:scannerc.go yaml_parser_scan_anchor, in v2.4.2 */
const ANCHOR = /^[-\w]+$/;

/** Throws for what YAML has and kubectl does not read: keys that are not text, values without JSON. */
function checkNodes(document: Document, placeOf: (offset: number) => string): void {
  const refuse = (reason: string, { range }: { readonly range?: Range | null }): never => {
    throw new NoYaml(`${reason}${range ? placeOf(range[0]) : ''}`);
  };
  within(() => {
    visit(document, {
      Node(key, node) {
        const name = isAlias(node) ? node.source : (node as { anchor?: string }).anchor;
        if (name !== undefined && !ANCHOR.test(name)) {
          refuse(
            'the name of an anchor must have letters, digits, - and _',
            node as { range?: Range },
          );
        }
        if (
          isScalar(node) &&
          key !== 'key' &&
          node.type === 'PLAIN' &&
          NOT_JSON_NUMBER.test(node.source ?? '')
        ) {
          refuse('infinity and NaN are not JSON', node);
        }
      },
      Pair(_, { key, value }) {
        if (isCollection(key) || key === null || (isScalar(key) && key.value === null)) {
          refuse('a key must be text', (key ?? value ?? {}) as { range?: Range });
        }
      },
    });
  });
}

/**
 * How many characters and values the aliases of a document may expand to: a few lines may expand to
 * more than a machine holds.
 */
const MAX_ALIASED = 10_000_000;

/** Throws for aliases that contain themselves, or expand to too much together. */
function checkAliases(document: Document): void {
  const sizes = new Map<string, number>();
  let aliased = 0;
  const sizeOf = (node: unknown): number => {
    if (isAlias(node)) {
      const size = sizes.get(node.source);
      // a name without a size is not defined, which the parser reports, or not read to its end
      if (size === undefined) {
        throw new NoYaml('its aliases cannot be resolved');
      }
      aliased += size;
      if (aliased > MAX_ALIASED) {
        throw new NoYaml(`its aliases expand to more than ${MAX_ALIASED} characters`);
      }
      return size;
    }
    if (isScalar(node)) {
      return anchored(node.anchor, 1 + String(node.value).length);
    }
    if (isPair(node)) {
      return sizeOf(node.key) + sizeOf(node.value);
    }
    if (!isCollection(node)) {
      return 1;
    }
    if (node.anchor !== undefined) {
      sizes.delete(node.anchor);
    }
    let size = 1;
    for (const item of node.items) {
      size += sizeOf(item);
    }
    return anchored(node.anchor, size);
  };
  const anchored = (anchor: string | undefined, size: number): number => {
    if (anchor !== undefined) {
      sizes.set(anchor, size);
    }
    return size;
  };
  within(() => sizeOf(document.contents));
}
