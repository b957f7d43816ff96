/** A part of a row in one style. */
interface Run {
  readonly text: string;
  readonly classes: readonly string[];
}

/** What the codes of `styleText` set: the class that they add, or the classes that they end. */
const CODES: {
  readonly [code: string]: { readonly begins: string } | { readonly ends: readonly string[] };
} = {
  1: { begins: 'bold' },
  2: { begins: 'gray' },
  4: { begins: 'line' },
  22: { ends: ['bold', 'gray'] },
  24: { ends: ['line'] },
  31: { begins: 'red' },
  32: { begins: 'green' },
  33: { begins: 'yellow' },
  39: { ends: ['red', 'green', 'yellow'] },
};

/** Pixels of a character, of a row, and around the text. */
const [WIDTH, HEIGHT, PADDING] = [8, 19, 16];

/** The colors of light and dark pages, with a contrast of at least 4.5. */
const STYLE = [
  'text{font:13px/19px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2328;white-space:pre}',
  'rect{fill:#f6f8fa;stroke:#d1d9e0}',
  '.bold{font-weight:700}.line{text-decoration:underline}.red{fill:#b3161f}.green{fill:#116329}.yellow{fill:#7d4e00}.gray{fill:#59636e}',
  '@media(prefers-color-scheme:dark){text{fill:#e6edf3}rect{fill:#161b22;stroke:#3d444d}.red{fill:#ff8182}.green{fill:#56d364}.yellow{fill:#e3b341}.gray{fill:#9198a1}}',
].join('\n');

/**
 * A picture of what a terminal shows, as text that can be selected.
 *
 * @param title what it shows, for readers who do not see it
 * @param ansi the output, with the codes of `styleText`
 */
export function svgOf(title: string, ansi: string): string {
  const rows = ansi.split('\n').map(runsOf);
  const columns = Math.max(...rows.map(columnsOf));
  const [width, height] = [columns * WIDTH + 2 * PADDING, rows.length * HEIGHT + 2 * PADDING];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="6"/>`,
    ...rows.map((runs, row) => {
      // the length holds columns together in any font
      const length = columnsOf(runs) === 0 ? '' : ` textLength="${columnsOf(runs) * WIDTH}"`;
      return `<text x="${PADDING}" y="${PADDING + row * HEIGHT + 14}"${length}>${runs.map(spanOf).join('')}</text>`;
    }),
    '</svg>',
    '',
  ].join('\n');
}

/** The text of a picture, by rows. */
export function textOf(svg: string): string {
  return [...svg.matchAll(/^<text[^>]*>(.*)<\/text>$/gm)]
    .map(([, row]) => unescaped(row!.replace(/<[^>]*>/g, '')))
    .join('\n');
}

/** The parts of a row, whose styles end with it. */
function runsOf(row: string): Run[] {
  let classes: readonly string[] = [];
  // eslint-disable-next-line no-control-regex
  const runs = row.split(/\u001b\[(\d+)m/).flatMap((part, index): Run[] => {
    if (index % 2 === 0) {
      return part === '' ? [] : [{ text: part, classes }];
    }
    const code = CODES[part];
    if (!code) {
      throw new Error(`the code ${part} of a terminal has no style. Fix: add it to CODES`);
    }
    classes =
      'begins' in code
        ? [...classes, code.begins]
        : classes.filter((each) => !code.ends.includes(each));
    return [];
  });
  if (classes.length > 0) {
    throw new Error(`a row ends in the style ${classes.join(' ')}: ${JSON.stringify(row)}`);
  }
  return runs;
}

function columnsOf(runs: readonly Run[]): number {
  return runs.reduce((sum, { text }) => sum + text.length, 0);
}

function spanOf({ text, classes }: Run): string {
  return classes.length === 0
    ? escaped(text)
    : `<tspan class="${classes.join(' ')}">${escaped(text)}</tspan>`;
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

function unescaped(text: string): string {
  return text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&');
}
