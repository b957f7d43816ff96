import { readdirSync, readFileSync } from 'fs';
import { join } from 'path';
import {
  BLANK,
  Block,
  PLAIN,
  Screen,
  Tone,
  line,
  list,
  render,
  table,
  toned,
  withTexts,
} from '../../../src/core/text/screen';
import { fc } from '../../support/properties';

const narrow: Screen = { colors: false, width: 30 };
// eslint-disable-next-line no-control-regex
const withoutColors = (text: string) => text.replace(/\u001b\[\d+m/g, '');

const ROWS = [
  ['Namespace payments-vms', 'limits.cpu', '16', 'no'],
  ['Project c-m-abcdefgh/p-payments', 'requests.storage', '4Ti', 'yes'],
];
const TABLE = table(['object', 'resource', 'limit', 'fits'], ROWS);

test('prints lines and tables as long as their text where nothing is known of the screen', () => {
  expect(render([line(['a ', toned('error', 'b')], 2), BLANK, TABLE], PLAIN)).toBe(
    [
      '  a b',
      '',
      'object                           resource          limit  fits',
      'Namespace payments-vms           limits.cpu        16     no',
      'Project c-m-abcdefgh/p-payments  requests.storage  4Ti    yes',
    ].join('\n'),
  );
});

test('breaks long lines between words, and indents what follows', () => {
  expect(render([line('the quota of payments is too small for two machines', 2)], narrow)).toBe(
    ['  the quota of payments is too', '    small for two machines'].join('\n'),
  );
});

test('leaves a word whole that is longer than a line, to be copied', () => {
  const id = 'rancher/provisioning.cattle.io/Cluster/fleet-default/shop';
  expect(render([line(`see ${id} there`)], narrow).split('\n')).toEqual([`see ${id}`, '  there']);
  expect(render([line(`declare again ${id} there`)], narrow).split('\n')).toEqual([
    'declare again',
    `  ${id}`,
    '  there',
  ]);
});

test('breaks the widest cells of a table first', () => {
  expect(render([TABLE], { colors: false, width: 50 })).toBe(
    [
      'object               resource          limit  fits',
      'Namespace            limits.cpu        16     no',
      'payments-vms',
      'Project              requests.storage  4Ti    yes',
      'c-m-abcdefgh/p-',
      'payments',
    ].join('\n'),
  );
});

test('prints each row as a list where the screen has no room for columns', () => {
  expect(render([TABLE], narrow).split('\n\n')[0]).toBe(
    ['object: Namespace payments-vms', 'resource: limits.cpu', 'limit: 16', 'fits: no'].join('\n'),
  );
});

test('folds a list, and prints how many entries it does not show', () => {
  const entries = ['a', 'b', 'c', 'd'].map((text) => line(text, 2));
  expect(render([list(entries, 'objects', 2)], { colors: false, most: 2 })).toBe(
    '  a\n  b\n  … and 2 more objects (--all)',
  );
  expect(render([list(entries, 'objects', 2)], { colors: false, most: 3 })).toBe(
    '  a\n  b\n  c\n  d',
  );
});

test('paints parts by what they mean, which changes no width', () => {
  const blocks = [
    line([toned('error', 'error'), '  quota']),
    table(['a', 'b'], [[toned('remove', 'x'), 'y']]),
  ];
  const painted = render(blocks, { colors: true, width: 40 });
  expect(painted).toContain('\u001b[31merror\u001b[39m  quota');
  expect(
    withoutColors(painted)
      .split('\n')
      .map((each) => each.trimEnd())
      .join('\n'),
  ).toBe(render(blocks, { colors: false, width: 40 }));
});

test('a color ends where its text breaks, and begins again for the whole next row', () => {
  const text = 'the quota of payments is too small for two machines';
  const rows = [
    '\u001b[31mthe quota of payments is too\u001b[39m',
    '  \u001b[31msmall for two machines\u001b[39m',
  ];
  expect(render([line(toned('error', text))], { colors: true, width: 29 }).split('\n')).toEqual(
    rows,
  );
  const cells = render([table([], [[toned('error', text), 'x'.repeat(20)]])], {
    colors: true,
    width: 50,
  }).split('\n');
  expect(cells).toEqual([`${rows[0]!}  ${'x'.repeat(20)}`, rows[1]!.trimStart()]);
});

test('prints what names contain as characters, not as commands of the terminal', () => {
  const evil = 'a\u001b[2Jb\nc\u202ed';
  const text = render([line([evil, toned('error', evil)]), table(['x'], [[evil]])], PLAIN);
  expect(text.split('\n')).toEqual([
    'a\\u001b[2Jb c\\u202eda\\u001b[2Jb c\\u202ed',
    'x',
    'a\\u001b[2Jb c\\u202ed',
  ]);
});

test('changes texts before they break', () => {
  const blocks: Block[] = [
    line(['the secret is ', toned('error', 'hunter2')]),
    list([table(['x'], [['hunter2']])], 'rows'),
  ];
  expect(
    render(
      withTexts(blocks, (text) => text.replaceAll('hunter2', '***')),
      PLAIN,
    ),
  ).toBe('the secret is ***\nx\n***');
});

test('loses no word and no cell, and no row of a table is wider than the screen', () => {
  const cell = fc.stringMatching(/^[a-z/ -]{0,40}$/);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, cell, cell), { maxLength: 5 }),
      fc.integer({ min: 28, max: 100 }),
      (rows, width) => {
        const text = render([table(['one', 'two', 'three'], rows)], { colors: false, width });
        expect(Math.max(...text.split('\n').map((each) => each.length))).toBeLessThanOrEqual(width);
        const letters = (given: string) => [...given.replace(/\s/g, '')].sort().join('');
        expect(letters(text)).toBe(letters(`onetwothree${rows.flat().join('')}`));
      },
    ),
  );
});

test('colors no space at the end of a row', () => {
  const words = fc.stringMatching(/^[a-z]{1,8}( [a-z]{1,8}){0,12}$/);
  fc.assert(
    fc.property(
      fc.array(words, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 12, max: 40 }),
      (parts, width) => {
        const text = render([line(parts.map((part) => toned('quiet', `${part} `)))], {
          colors: true,
          width,
        });
        for (const row of text.split('\n').slice(0, -1)) {
          expect(withoutColors(row)).toBe(withoutColors(row).trimEnd());
        }
      },
    ),
  );
});

/** Bold, underlined, faint, the colors that each theme of a terminal has, and their ends. */
const OF_THEMES = new Set(['1', '2', '4', '22', '24', '31', '32', '33', '39']);

const TONES: { readonly [tone in Tone]: true } = {
  section: true,
  title: true,
  error: true,
  warning: true,
  good: true,
  add: true,
  change: true,
  remove: true,
  quiet: true,
};

test('uses colors that are readable on light and on dark themes: no white, no bright ones', () => {
  const painted = Object.keys(TONES).map((tone) =>
    render([line(toned(tone as Tone, tone))], { colors: true }),
  );
  // eslint-disable-next-line no-control-regex
  const codes = painted.flatMap((text) => [...text.matchAll(/\u001b\[(\d+)m/g)].map(([, c]) => c));
  expect(codes.length).toBeGreaterThan(painted.length);
  expect(codes.filter((code) => !OF_THEMES.has(code!))).toEqual([]);
});

test('has the colors of all reports in one table', () => {
  const src = join(__dirname, '..', '..', '..', 'src');
  const painting = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) =>
      /styleText|(?:\\u001b|\\x1b)\[\d+m/.test(readFileSync(join(src, file), 'utf8')),
    );
  expect(painting).toEqual([join('core', 'text', 'screen.ts')]);
});
