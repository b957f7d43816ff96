import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import { DRAWINGS, SCENES, shotOf, svgOfDrawing } from '../projenrc/pictures/scenes';
import { svgOf, textOf } from '../projenrc/pictures/svg';

const { guidesOf } = jest.requireActual<{ guidesOf: (root: string) => string[] }>(
  '../projenrc/guides.js',
);
const ROOT = join(__dirname, '..');
const DOCS = join(ROOT, 'docs');

const read = (...path: readonly string[]): string => readFileSync(join(ROOT, ...path), 'utf8');
// eslint-disable-next-line no-control-regex
const withoutColors = (ansi: string): string => ansi.replace(/\u001b\[\d+m/g, '');

test.each(SCENES)(
  'the picture $name is what its command prints; otherwise run npx projen pictures',
  async (scene) => {
    const shot = await shotOf(scene);
    const picture = read('docs', 'pictures', `${scene.name}.svg`);
    expect(textOf(picture)).toBe(withoutColors(shot));
    expect(picture).toBe(svgOf(scene.title, shot));
  },
);

test.each(DRAWINGS)(
  'the picture $name is what graph draws; otherwise run npx projen pictures',
  (drawing) => {
    expect(read('docs', 'pictures', `${drawing.name}.svg`)).toBe(svgOfDrawing(drawing));
  },
);

test('a page shows each picture, and there are no others', () => {
  const names = [...SCENES, ...DRAWINGS].map(({ name }) => name).sort();
  const pages = [read('README.md'), ...guidesOf(ROOT).map((file) => read('docs', file))].join('\n');
  const shown = new Set(
    [...pages.matchAll(/!\[[^\]]+\]\((?:docs\/|\.\.\/)?pictures\/([a-z-]+)\.svg\)/g)].map(
      ([, name]) => name,
    ),
  );
  expect([...shown].sort()).toEqual(names);
  expect(readdirSync(join(DOCS, 'pictures')).sort()).toEqual(names.map((name) => `${name}.svg`));
});

test('a picture holds the text of the terminal, with its columns and its colors', () => {
  const ansi = '\u001b[1m\u001b[4mA & B\u001b[24m\u001b[22m\n  <c>  \u001b[31mx -> y\u001b[39m\n';
  const svg = svgOf('a < b', ansi);
  expect(textOf(svg)).toBe(withoutColors(ansi));
  expect(svg).toContain('<title>a &lt; b</title>');
  expect(svg).toContain('<tspan class="bold line">A &amp; B</tspan>');
  expect(svg).toContain(
    'textLength="104">  &lt;c&gt;  <tspan class="red">x -&gt; y</tspan></text>',
  );
  expect(svg).toMatch(/prefers-color-scheme:dark/);
});

test.each([
  ['a code without a style', '\u001b[35mx\u001b[39m', 'the code 35'],
  ['a style that does not end', '\u001b[31mx', 'ends in the style red'],
])('a picture of %s is refused', (_, ansi, message) => {
  expect(() => svgOf('x', ansi)).toThrow(message);
});
