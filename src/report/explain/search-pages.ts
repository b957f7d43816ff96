import { existsSync, readdirSync, readFileSync } from 'fs';
import { join, sep } from 'path';
import { lazily } from '../../core/text/values';

/** The guides, which are in the package. */
const DOCS = join(__dirname, '..', '..', '..', 'docs');

/** The pages of constructs, rules, and settings, which explain finds by themselves. */
const NO_GUIDES = /^(?:reference|rules|settings)\/|^(?:all-settings|rules)\.md$/;

/** A paragraph, an item, or a row of a guide. */
export interface Passage {
  /** The path of its page in the package, with the anchor of its section. */
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

/** The passages of all guides; programs in them have no sentences. */
export const passages = lazily(() => {
  if (!existsSync(DOCS)) {
    return [];
  }
  const files = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => file.endsWith('.md') && !NO_GUIDES.test(file));
  files.sort();
  const all = files.flatMap((file) => passagesOf(file, readFileSync(join(DOCS, file), 'utf8')));
  return withoutRepetitions(all);
});

/** The first passage of each text: the pages of several commands have the same option. */
function withoutRepetitions(all: readonly Passage[]): Passage[] {
  const first = new Map<string, Passage>();
  for (const passage of all) {
    if (!first.has(passage.text)) {
      first.set(passage.text, passage);
    }
  }
  return [...first.values()];
}

function passagesOf(file: string, text: string): Passage[] {
  let heading = '';
  let anchor = '';
  return text
    .replace(/^```[^]*?^```$/gm, '')
    .split('\n')
    .flatMap((line): Passage[] => {
      const [, title] = /^#+ (.+)$/.exec(line) ?? [];
      if (title !== undefined) {
        anchor = heading === '' ? '' : `#${anchorOf(title)}`;
        heading = title;
      }
      const plain = plainOf(line);
      return plain === '' || /^[|:\- ]+$/.test(line)
        ? []
        : [{ page: `docs/${file}${anchor}`, heading, text: plain }];
    });
}

/** The anchor of a heading, as GitHub makes it. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

/** A line without the marks of Markdown. */
function plainOf(line: string): string {
  const withoutLinks = line.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1');
  const withoutStart = withoutLinks.replace(/^[#>\s-]+|^\d+\. /, '');
  const cells = withoutStart.replace(/\s*\|\s*/g, ' | ').replace(/^ \| | \| $/g, '');
  return cells.replace(/[`*]/g, '').trim();
}
