import { existsSync, readdirSync, readFileSync, statSync } from 'fs';
import { dirname, join, relative, resolve } from 'path';

const ROOT = join(__dirname, '..');

/** Pages that people read; generated references link only among themselves and are many. */
const PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...below('docs').filter((file) => !file.startsWith('docs/reference/')), ...below('examples')];

function below(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md') && !file.includes('node_modules')).map((file) => `${folder}/${file}`).sort();
}

/** Anchors of headings, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  const text = readFileSync(page, 'utf8').replace(/^```[^]*?^```/gm, '');
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) => title.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').trim().replace(/\s/g, '-'));
}

function brokenLinksOf(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8').replace(/^```[^]*?^```/gm, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link).filter((link) => !/^https?:/.test(link)).filter((link) => {
    const [path, anchor] = link.split('#');
    const file = path ? resolve(ROOT, dirname(page), path) : join(ROOT, page);
    // it is written at the end of a build
    if (relative(ROOT, file) === 'API.md') { return false; }
    return !existsSync(file) || (anchor !== undefined && (statSync(file).isDirectory() || !anchorsOf(file).includes(anchor)));
  });
}

test.each(PAGES)('%s links only to pages and headings that exist', (page) => {
  expect(brokenLinksOf(page)).toEqual([]);
});

test('lists every guide in the README', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  expect(below('docs').filter((file) => !file.startsWith('docs/reference/') && !readme.includes(`](${file}`))).toEqual([]);
});
