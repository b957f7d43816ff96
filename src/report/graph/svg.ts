import { Layout, PlacedBox, PlacedLane, layoutOf } from './layout';
import { Picture } from './picture';
import { htmlText } from '../../core/text/html';

/** The colors of VitePress, as the pages of the documentation have them. */
const COLORS = {
  light: {
    back: '#ffffff',
    soft: '#f6f6f7',
    line: '#c2c2c4',
    text: '#3c3c43',
    quiet: '#67676c',
    brand: '#3451b2',
    late: '#915930',
    problem: '#b8272c',
  },
  dark: {
    back: '#1b1b1f',
    soft: '#202127',
    line: '#3c3f44',
    text: '#dfdfd6',
    quiet: '#98989f',
    brand: '#a8b1ff',
    late: '#f9b44e',
    problem: '#f66f81',
  },
} as const;

function variables(colors: (typeof COLORS)['light' | 'dark'] | { [name: string]: string }): string {
  return Object.entries(colors)
    .map(([name, color]) => `--${name}:${color}`)
    .join(';');
}

/** The colors as variables of an element, for light and dark screens. */
export function colorsOf(selector: string): string {
  return [
    `${selector}{${variables(COLORS.light)}}`,
    `@media(prefers-color-scheme:dark){${selector}{${variables(COLORS.dark)}}}`,
  ].join('\n');
}

/** The style of pictures; pages have it once for all of them. */
export const PICTURE_STYLE = [
  '.picture{font-family:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}',
  '.picture text{fill:var(--text);font-size:14px}',
  '.picture .title{font-weight:600;font-size:13px;fill:var(--brand)}',
  '.picture .noun,.picture .fact{font-size:12px;fill:var(--quiet)}',
  '.picture .name{font-weight:600}',
  '.picture .lane{fill:var(--soft);stroke:none}',
  '.picture .box rect{fill:var(--back);stroke:var(--line)}',
  '.picture .many rect{stroke-width:3;stroke:var(--line)}',
  '.picture .late rect{stroke:var(--late)}.picture .late.fact{fill:var(--late)}',
  '.picture .problem rect{stroke:var(--problem);stroke-width:2}.picture .problem.fact{fill:var(--problem)}',
  '.picture .around rect{stroke-dasharray:4 3}.picture .around .name{font-weight:400}',
  '.picture .needs{fill:none;stroke:var(--quiet);stroke-width:1.2;opacity:.7}',
  '.picture .head{fill:var(--quiet)}',
].join('\n');

/** What a picture means, for readers who see nothing but the picture. */
const LEGEND =
  'From left to right: what a cluster needs first. A line leads to what depends on a part.';

/** How the boxes of a picture are links. */
export type LinkOf = (box: PlacedBox['box']) => string | undefined;

/** A picture as a file of its own. */
export function svgFile(picture: Picture, title: string): string {
  const { svg } = drawing(picture, title, { style: `${colorsOf('.picture')}\n${PICTURE_STYLE}` });
  return svg;
}

/**
 * A picture, as part of a page or as a file.
 *
 * @param style what a file of its own needs
 */
export function drawing(
  picture: Picture,
  title: string,
  { style, linkOf = () => undefined }: { readonly style?: string; readonly linkOf?: LinkOf },
): { readonly svg: string; readonly layout: Layout } {
  const layout = layoutOf(picture);
  const { width, height } = layout;
  const names = new Map(
    layout.lanes.flatMap(({ boxes }) => boxes).map(({ box }, index) => [box, `b${index}`]),
  );
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" class="picture" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="${style === undefined ? 'group' : 'img'}" aria-label="${htmlText(title)}">`,
    `<title>${htmlText(title)}</title>`,
    `<desc>${LEGEND}</desc>`,
    ...(style === undefined ? [] : [`<style>${style}</style>`]),
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker></defs>',
    ...(style === undefined
      ? []
      : [`<rect class="back" width="${width}" height="${height}" fill="var(--back)"/>`]),
    ...layout.lanes.map(laneBack),
    ...layout.lines.map(
      ({ from, to, path }) =>
        `<path class="needs" data-from="${names.get(from)!}" data-to="${names.get(to)!}" marker-end="url(#head)" d="${path}"/>`,
    ),
    ...layout.lanes.flatMap(({ boxes }) =>
      boxes.map((placed) => boxText(placed, names.get(placed.box)!, linkOf(placed.box))),
    ),
    '</svg>',
  ].join('\n');
  return { svg, layout };
}

function laneBack({ x, y, width, height, title }: PlacedLane): string {
  return (
    `<rect class="lane" x="${x}" y="${y}" width="${width}" height="${height}" rx="8"/>` +
    `<text class="title" x="${x + 12}" y="${y + 18}">${htmlText(title)}</text>`
  );
}

function boxText(
  { box, noun, name, facts, x, y, width, height }: PlacedBox,
  id: string,
  href?: string,
): string {
  const classes = [
    'box',
    box.tone,
    ...(box.parts.length > 1 ? ['many'] : []),
    ...(box.isAround ? ['around'] : []),
  ];
  const left = x + 10;
  let bottom = y + 18;
  const rows: (readonly [classes: string, text: string, room: number])[] = [
    ['noun', noun, 18],
    ...name.map((row) => ['name', row, 16] as const),
    ...facts.map(({ tone, text }) => [`fact ${tone}`, text, 15] as const),
  ];
  const texts = rows.map(([kind, text, room]) => {
    const row = `<text class="${kind}" x="${left}" y="${bottom}">${htmlText(text)}</text>`;
    bottom += room;
    return row;
  });
  const label = [box.noun, box.name, ...box.facts.map(({ text }) => text)].join(', ');
  const content = [
    `<title>${htmlText(label)}</title>`,
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`,
    ...texts,
  ].join('');
  const group = `<g class="${classes.join(' ')}" data-box="${id}">${content}</g>`;
  return href === undefined ? group : `<a href="${htmlText(href)}">${group}</a>`;
}
