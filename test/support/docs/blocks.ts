import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';

const { guidesOf } = jest.requireActual<{ guidesOf: (root: string) => string[] }>(
  '../../../projenrc/guides.js',
);
const ROOT = join(__dirname, '..', '..', '..');

/** Pages whose blocks are run. */
export const PAGES: readonly string[] = [
  'README.md',
  ...guidesOf(ROOT).map((file) => `docs/${file}`),
  ...readdirSync(join(ROOT, 'examples'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `examples/${name}/README.md`),
];

/** Sources whose doc comments hold examples. */
const SOURCES = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => `src/${file}`);

/** A block of code of a page or of a doc comment. */
export interface Block {
  /** The page or source, from the top folder. */
  readonly page: string;
  /** The page, and the line at which the block begins. */
  readonly name: string;
  /** What the page declares it to be, e.g. `ts`; empty if it declares nothing. */
  readonly language: string;
  readonly code: string;
}

/** The text of a file, by its path from the top folder. */
export function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** The matches of a pattern in files, each with the place where it begins. */
function matchesIn(
  files: readonly string[],
  pattern: RegExp,
): { page: string; name: string; groups: { [name: string]: string } }[] {
  return files.flatMap((page) => {
    const text = textOf(page);
    return [...text.matchAll(pattern)].map(({ groups, index }) => ({
      page,
      name: `${page}:${text.slice(0, index).split('\n').length}`,
      groups: groups!,
    }));
  });
}

/** All blocks of pages, those of lists without their indentation. */
export function blocksOfPages(): Block[] {
  return matchesIn(PAGES, /^(?<indent> *)```(?<language>.*)\n(?<code>[^]*?)^\k<indent>```$/gm).map(
    ({ page, name, groups: { indent, language, code } }) => ({
      page,
      name,
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}

/** All examples of doc comments. */
export function blocksOfSources(): Block[] {
  // up to the next tag or the end of the comment
  return matchesIn(SOURCES, /^ *\* @example\n(?<code>(?: *\*(?! @|\/).*\n)*)/gm).map(
    ({ page, name, groups: { code } }) => ({
      page,
      name,
      language: 'ts',
      code: code.replace(/^ *\* ?/gm, ''),
    }),
  );
}
