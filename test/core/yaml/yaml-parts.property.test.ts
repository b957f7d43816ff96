import { NoYaml, documentsOf, readYaml } from '../../../src/core/yaml/yaml-reader';
import { runsOf, testOfGrowth } from '../../support/cases';
import { cpuMs } from '../../support/cpu-time';
import { fc } from '../../support/properties';

/** What the parser of all of YAML makes of the whole text, which the reader takes apart. */
function whole(text: string): unknown {
  try {
    return documentsOf(text).map((document) => document.toJS() as unknown);
  } catch {
    // also an alias without its anchor
    return 'not valid';
  }
}

function read(text: string): unknown {
  try {
    return readYaml(text);
  } catch (error) {
    if (!(error instanceof NoYaml)) {
      throw error;
    }
    return 'not valid';
  }
}

const LINES = [
  '---',
  '--- a',
  '--- {b: 1}',
  '---\r',
  '----',
  ' ---',
  '...',
  '',
  '# a',
  ' # b',
  'a: 1',
  'b: |',
  '  text',
  '  ---',
  '- x',
  '- {y: z}',
  '"q',
  'r"',
  '\ufeff',
  '%YAML 1.1',
  '? k',
  'c: &d e',
  'f: *d',
  '# a\rb',
  'a\r--- b',
  '---\u2028',
  '---\t',
];

test('a text in parts is what it is as a whole', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...LINES), { maxLength: 9 }),
      fc.boolean(),
      (lines, ends) => {
        const text = `${lines.join('\n')}${ends ? '\n' : ''}`;
        expect(read(text)).toEqual(whole(text));
      },
    ),
    { numRuns: runsOf(2000), seed: 24 },
  );
});

const JSON_TOKENS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"a"',
  '"b"',
  '"c\\"d:"',
  '1',
  'null',
  ' ',
  '\n',
];

test('JSON is what it is as YAML, and a key that is there twice is not valid', () => {
  const loose = fc
    .array(fc.constantFrom(...JSON_TOKENS), { maxLength: 9 })
    .map((tokens) => `{${tokens.join('')}}`);
  fc.assert(
    fc.property(fc.oneof(loose, fc.json({ maxDepth: 4 })), (text) => {
      if (!/^\s*[{[]/.test(text)) {
        return;
      }
      expect(read(text)).toEqual(whole(text));
    }),
    { numRuns: runsOf(1000), seed: 24 },
  );
  expect(read('{"a": 1, "a": 2}')).toBe('not valid');
});

test('names the line in the text, in whatever part it is', () => {
  expect(() => readYaml('a: 1\n---\n# x\nb: 1\n---\nc: [1\n')).toThrow(/ at line [67], column 1/);
});

describe('refuses what would take a machine', () => {
  const bomb = [
    'a: &a0 [x, x]',
    ...Array.from(
      { length: 30 },
      (_, level) => `b${level}: &a${level + 1} [*a${level}, *a${level}, *a${level}]`,
    ),
  ].join('\n');
  const wide = `a: &a\n${'  - xxxxxxxxxxxxxxxxxxxx\n'.repeat(20_000)}b:\n${'  - *a\n'.repeat(900)}`;
  test.each([
    ['aliases of aliases', bomb, /^its aliases expand to more than/],
    ['many aliases of one long list', wide, /^its aliases expand to more than/],
    ['an alias that contains itself', 'a: &a [*a]', /^its aliases cannot be resolved/],
    [
      'lists in lists',
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      /^must have at most 500 levels/,
    ],
    ['maps in maps', `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`, /^must have at most 500 levels/],
    [
      'maps in maps by indentation',
      Array.from({ length: 600 }, (_, level) => `${' '.repeat(2 * level)}a:\n`).join(''),
      /^must have at most 500 levels/,
    ],
  ])('%s', (_, text, message) => {
    const error = (() => {
      try {
        return readYaml(text);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(NoYaml);
    expect((error as Error).message).toMatch(message);
  });
});

testOfGrowth('reads empty documents and JSON in a part of the time of the parser', () => {
  const separators = '---\n'.repeat(20_000);
  const json = JSON.stringify({
    items: Array.from({ length: 5_000 }, (_, index) => ({ name: `n${index}`, values: [1, 2, 3] })),
  });
  for (const text of [separators, json]) {
    expect(cpuMs(() => readYaml(text)) / cpuMs(() => whole(text))).toBeLessThan(0.7);
  }
});
