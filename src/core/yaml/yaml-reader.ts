import { Document, Tags, YAMLParseError, parseAllDocuments, visit } from 'yaml';
import { readOwnYaml } from './own-yaml';
import { doubleQuoted, inlineText } from './yaml-writer';
import { byText } from '../text/values';

const TIMESTAMP = 'tag:yaml.org,2002:timestamp';

/** A text is not valid YAML; the message has the position, never the content. */
export class NoYaml extends Error {}

/**
 * What the documents of a YAML or JSON text hold, by the rules of YAML 1.1 that kubectl, API servers and cloud-init read it by.
 *
 * Several checks read the same user data, and many machine pools have the same; a manifest file, which is long, is read once. Synthesized output that
 * is unchanged needs no parser of all of YAML.
 *
 * @throws NoYaml if the text is not valid YAML
 */
export const readYaml: (content: string) => unknown[] = byText((content) => readOwnYaml(content) ?? parsed(content), 32_000, 8_000_000);

function parsed(content: string): unknown[] {
  return documentsOf(content).map(plain);
}

/**
 * The documents of a text with the places of their nodes.
 *
 * @throws NoYaml if the text is not valid YAML
 */
export function documentsOf(content: string): Document[] {
  const documents = parseAllDocuments(content, {
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
    visit(document, {
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
