import { existsSync, readdirSync, readFileSync, statSync } from 'fs';
import { dirname, join, relative, resolve } from 'path';

const { REPOSITORY } = jest.requireActual<{ REPOSITORY: string }>('../projenrc/release/pages.js');
const { guidesOf } = jest.requireActual<{ guidesOf: (root: string) => string[] }>(
  '../projenrc/guides.js',
);
const ROOT = join(__dirname, '..');

/** Pages that people read; generated references link only among themselves and are many. */
const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...guidesOf(ROOT).map((file) => `docs/${file}`),
  ...below('docs/commands'),
  ...below('examples'),
];

function below(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !file.includes('node_modules'))
    .map((file) => `${folder}/${file}`)
    .sort();
}

/** Anchors of headings, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  const text = readFileSync(page, 'utf8').replace(/^```[^]*?^```/gm, '');
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  );
}

/**
 * The files of the repository that a page links to, as paths from its root; a release links to
 * those of its tag.
 */
function filesOf(page: string): [file: string, anchor: string | undefined][] {
  const text = readFileSync(join(ROOT, page), 'utf8').replace(/^```[^]*?^```/gm, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(
    ([, link]): [string, string | undefined][] => {
      const [target, anchor] = link.split('#');
      const [, own] = new RegExp(`^${REPOSITORY}/(?:blob|tree|raw)/[^/]+/(.*)$`).exec(target) ?? [];
      if (own !== undefined) {
        return [[own, anchor]];
      }
      return /^https?:/.test(link)
        ? []
        : [[target ? relative(ROOT, resolve(ROOT, dirname(page), target)) : page, anchor]];
    },
  );
}

function brokenLinksOf(page: string): string[] {
  return filesOf(page)
    .filter(([path, anchor]) => {
      const file = join(ROOT, path);
      // it is written at the end of a build
      if (path === 'API.md') {
        return false;
      }
      return (
        !existsSync(file) ||
        (anchor !== undefined &&
          (statSync(file).isDirectory() || !anchorsOf(file).includes(anchor)))
      );
    })
    .map((link) => link.join('#'));
}

test.each(PAGES)('%s links only to pages and headings that exist', (page) => {
  expect(brokenLinksOf(page)).toEqual([]);
});

test('lists every guide in the index of guides', () => {
  const listed = new Set(filesOf('docs/README.md').map(([file]) => file));
  expect(
    guidesOf(ROOT)
      .map((file) => `docs/${file}`)
      .filter((file) => file !== 'docs/README.md' && !listed.has(file)),
  ).toEqual([]);
});
