import type { Document, Tags, YAMLParseError } from 'yaml';
import { readOwnYaml } from './own-yaml';
import { doubleQuoted, inlineText } from './yaml-writer';
import { lazily } from '../text/values';

const TIMESTAMP = 'tag:yaml.org,2002:timestamp';

/** A text is not valid YAML; the message has the position, never the content. */
export class NoYaml extends Error {}

// most programs that load the library read no YAML; the package is bundled, and the only parser that reads what API servers read
// eslint-disable-next-line @typescript-eslint/no-require-imports
const parser = lazily(() => require('yaml') as typeof import('yaml'));

/**
 * What the documents of a YAML or JSON text hold, by the rules of YAML 1.1 that kubectl, API servers and cloud-init read it by.
 *
 * @throws NoYaml where it is none
 */
export function readYaml(content: string): unknown[] {
  const known = read.get(content);
  if (known) { return known; }
  // synthesized output that is unchanged
  const documents = readOwnYaml(content) ?? parsed(content);
  // a manifest file is read once: only short texts within manifests come again
  if (content.length > MAX_SHARED) { return documents; }
  if (held + content.length > MAX_HELD) {
    read.clear();
    held = 0;
  }
  read.set(content, frozen(documents));
  held += content.length;
  return documents;
}

// several checks read the same user data, and many machine pools have the same: each text is parsed once while there is room
const MAX_HELD = 8_000_000;
const MAX_SHARED = 32_000;
const read = new Map<string, unknown[]>();
let held = 0;

/** The same value, which nothing can change any more: those who read a text share what it holds. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) { frozen(inner); }
  }
  return value;
}

function parsed(content: string): unknown[] {
  return documentsOf(content).map(plain);
}

/**
 * The documents of a text with the places of their nodes.
 *
 * @throws NoYaml where it is none
 */
export function documentsOf(content: string): Document[] {
  const documents = parser().parseAllDocuments(content, {
    // y, on and 0775 are what they are there
    version: '1.1',
    // but dates and numbers to the base of 60 are text
    customTags: (tags: Tags): Tags => tags.filter((tag) => typeof tag === 'string' || (tag.format !== 'TIME' && tag.tag !== TIMESTAMP)),
    // its warnings show pieces of the text
    logLevel: 'error',
  });
  const list: Document[] = Array.isArray(documents) ? documents : [];
  for (const { errors: [error] } of list) {
    if (error) { throw new NoYaml(reasonOf(error)); }
  }
  return list;
}

/**
 * A YAML text with other values for some of its scalars; everything else, comments and keys too, is kept.
 *
 * @param change gives the new value, or undefined to keep a scalar
 */
export function withScalars(text: string, change: (value: string) => string | undefined): string {
  const changes: { readonly start: number; readonly end: number; readonly by: string }[] = [];
  for (const document of documentsOf(text)) {
    parser().visit(document, {
      Scalar: (key, { value, range, type }, path) => {
        const by = key !== 'key' && typeof value === 'string' && range ? change(value) : undefined;
        if (by === undefined || !range) { return; }
        const [start, end] = range;
        // the end of a block is the end of its last line
        const lineBreak = text.slice(start, end).endsWith('\n') ? '\n' : '';
        const inFlow = path.some((node) => (node as { flow?: boolean }).flow === true);
        const isBare = type === 'PLAIN' && !inFlow && inlineText(by) === by;
        changes.push({ start, end, by: `${isBare ? by : doubleQuoted(by)}${lineBreak}` });
      },
    });
  }
  return changes.sort((a, b) => b.start - a.start).reduce((all, { start, end, by }) => all.slice(0, start) + by + all.slice(end), text);
}

// the parser's message contains a piece of the text; its code and place do not
function reasonOf({ code, linePos }: YAMLParseError): string {
  const place = linePos ? ` at line ${linePos[0].line}, column ${linePos[0].col}` : '';
  return `${code.toLowerCase().replace(/_/g, ' ')}${place}`;
}

function plain(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 1000 });
  } catch {
    throw new NoYaml('its aliases cannot be resolved');
  }
}
