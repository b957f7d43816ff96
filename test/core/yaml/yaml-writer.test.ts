import * as fs from 'fs';
import * as path from 'path';
import * as vm from 'vm';
import { Yaml } from 'cdk8s';
import * as YAML from 'yaml';
import { knownKinds } from '../../../src/core/shape/shape-node';
import { toYaml } from '../../../src/core/yaml/yaml-writer';
import { runsOf, someOf } from '../../support/cases';
import { definitionOf } from '../../support/definition-of';
import { fc } from '../../support/properties';

/**
 * What some reader takes for something else when it is written plainly; the Go readers and PyYAML
 * were asked by hand.
 */
const NOT_PLAIN = [
  '',
  '~',
  'null',
  'Null',
  'NULL',
  'y',
  'Y',
  'n',
  'N',
  'yes',
  'Yes',
  'YES',
  'no',
  'No',
  'NO',
  'on',
  'On',
  'ON',
  'off',
  'Off',
  'OFF',
  'true',
  'True',
  'TRUE',
  'false',
  'False',
  'FALSE',
  '<<',
  '=',
  '.inf',
  '-.inf',
  '+.Inf',
  '.INF',
  '.nan',
  '.NaN',
  '.NAN',
  '0',
  '-0',
  '+1',
  '007',
  '0775',
  '08',
  '1_000',
  '0x1f',
  '0b11',
  '0o17',
  '1.5',
  '.5',
  '5.',
  '.',
  '1e3',
  '1E3',
  '1e+3',
  '.5e-3',
  'e5',
  'E5',
  '.e5',
  // Go: base prefixes of either case, a second sign, `_` anywhere but at the start
  '0O17',
  '0X1F',
  '0B11',
  '0b-1',
  '0o-7',
  '0x-1',
  '-0b1',
  '+0x1f',
  '0_x1f',
  '0x_1f',
  '+_1',
  '1e5_0',
  '5E_+7',
  '5_E+7',
  '1__0',
  '12:30:45',
  '1:2',
  '190:20:30.15',
  '-1:30',
  '52:54:00:12:34:56',
  '2001-01-01',
  '2001-1-1',
  '2001-12-14t21:59:43.10-05:00',
  '2001-12-14 21:59:43.10 -5',
  '2001-12-14T21:59:43Z',
  '2001-12-14T21:59:43.',
  '2001-12-14T21:59:43,5Z',
  '2001-12-14 21:59:43 +99:00',
  '2001-99-99',
  '-',
  '- x',
  '?',
  '? x',
  ':',
  ': x',
  'a:',
  'a: b',
  'a :',
  'a #b',
  '#x',
  '%YAML 1.1',
  '@a',
  '`a',
  '!tag',
  '!!str x',
  '&a',
  '*a',
  '|',
  '>',
  '>-',
  '---',
  '--- x',
  '---x',
  '...',
  '... x',
  '"a"',
  "'a'",
  '"',
  "'",
  '{}',
  '[]',
  '{a',
  '[a',
  '}',
  ']',
  ',',
  ' a',
  'a ',
  ' ',
  'a\tb',
  '\ta',
  'a\t',
  '\r',
  'a\rb',
  '\0',
  '\x07',
  '\x1b[0m',
  '\x7f',
  '\x80',
  '\x85',
  'a\x85b',
  '\x9f',
  '\u2028',
  'x\u2028---\u2028...',
  '\u2029',
  '\ufeff',
  '\ufeffa',
  'a\ufeff',
  '\ufffe',
  '\uffff',
  'a\r\nb\n',
  'a\n\tb',
  '\ta\nb',
  'a\n\ufeffb',
  'a\nb\u2028c',
  'a\nb\x85',
  'a \nb',
  'a\n ',
  'a\n \nb',
  '\n',
  '\n\n',
  ' \na',
];

/** What every reader takes for the string that it is. */
const PLAIN = [
  'a',
  'apps/v1',
  'nginx:1.25',
  'registry.example.com/a/b:1@sha256:0f',
  '10.0.0.1',
  '10.0.0.0/24',
  '1.2.3',
  '500m',
  '1Gi',
  '8080/TCP',
  'v1',
  '0xg',
  '1e',
  '--port',
  '-c',
  './x',
  '/dev/sda',
  'http://a/b?c=d#e',
  'a#b',
  'a:b',
  ':x',
  '?x',
  '-x',
  'a b',
  'a - b',
  "it's",
  'say "a"',
  '$(VAR)',
  '(a)',
  '<a>',
  '_1',
  'yEs',
  'nUll',
  'inf',
  'NaN',
  'x=y',
  'a, b',
  'a{b}',
  'a!b',
  'a&b',
  'a*b',
  'a|b',
  'a%b',
  '\\n',
  'é',
  '日本',
  '😀',
  '\xa0',
  '\u3000a',
  '\u200b',
  '\ufffd',
  '1:60',
  'fe80::1',
  '2001:db8::/32',
  'constructor',
  'toString',
  'word '.repeat(100).trim(),
  'a'.repeat(5000),
  '7k-'.repeat(1500),
];

/** What a block holds as it is. */
const LITERAL = [
  'a\nb',
  'a\nb\n',
  'a\n',
  'a\n\n',
  'a\n\n\nb\n\n\n',
  '\na',
  '\n\na\n',
  ' a\nb',
  '\n  a\nb\n',
  'a\n  b',
  '---\na',
  'a\n---\nb',
  '...\na\n',
  '%a\nb',
  '# a\nb',
  '- a\n- b',
  'a: b\nc: d',
  'if a; then\n  b \tc\n\n  \td\nfi\n',
  'a\t: b\nc',
  '"\n"',
  '😀\né\n',
  '#cloud-config\nusers:\n  - name: a\n',
  '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
];

const HOSTILE = [...NOT_PLAIN, ...PLAIN, ...LITERAL];

/** `cdk8s` cannot read these back from its own text, so it is not a reference for them. */
const STOCK_FAILS = /^<<$|\ufeff/;

function roundTrips(value: unknown): void {
  const text = toYaml(value);
  expect(text.endsWith('\n') && !text.startsWith('---')).toBe(true);
  expect(YAML.parse(text, { version: '1.1' })).toEqual(value);
  expect(YAML.parse(text, { version: '1.2' })).toEqual(value);
}

/** A string among collections of every kind, as a value and as a key. */
function around(text: string): unknown[] {
  return [
    text,
    [text],
    [[text, text]],
    { a: text, b: 1 },
    { [text]: 1 },
    { a: { [text]: { [text]: text } } },
    [{ [text]: [text], b: text }],
  ];
}

describe('strings', () => {
  test.each([
    ['ambiguous', NOT_PLAIN],
    ['plain', PLAIN],
    ['of several lines', LITERAL],
  ])('%s: are read back unchanged, in every position', (_, texts) => {
    for (const text of texts) {
      around(text).forEach(roundTrips);
    }
  });

  test('are quoted where a reader would take them for something else', () => {
    for (const text of NOT_PLAIN) {
      expect(toYaml([text])).toMatch(/^- ("[\x20-\x7e]*"|'[\x20-\x7e]*')\n$/);
      expect(toYaml({ [text]: 1 })).toMatch(/^("[\x20-\x7e]*"|'[\x20-\x7e]*'): 1\n$/);
    }
  });

  test('are plain where no reader would', () => {
    for (const text of PLAIN) {
      expect(toYaml([text])).toBe(`- ${text}\n`);
      if (text.length <= 1024) {
        expect(toYaml({ [text]: 1 })).toBe(`${text}: 1\n`);
      }
    }
  });

  test('of several lines are literal blocks', () => {
    for (const text of LITERAL) {
      expect(toYaml({ a: text })).toMatch(/^a: \|2?[-+]?\n/);
    }
    expect(toYaml({ a: 'x\ny', b: 'x\n\n y\n', c: ['x\n\n'], d: ' x\ny\n' })).toBe(
      'a: |-\n  x\n  y\nb: |\n  x\n\n   y\nc:\n  - |+\n    x\n\nd: |2\n   x\n  y\n',
    );
  });

  test('with unsafe white space or controls are escaped on one line', () => {
    expect(toYaml({ a: 'x \ny' })).toBe('a: "x \\ny"\n');
    expect(toYaml({ a: '\tx\ny\r\n' })).toBe('a: "\\tx\\ny\\r\\n"\n');
    expect(toYaml({ a: '\0\x01\x1b\x7f\x85\u2028\u2029\ufeff\uffff"\\' })).toBe(
      'a: "\\0\\x01\\e\\x7f\\N\\L\\P\\ufeff\\uffff\\"\\\\"\n',
    );
  });

  test('that hold double quotes only take single quotes, as in stock', () => {
    expect(toYaml({ a: '{"b":1}', c: '{"b":"it\'s"}' })).toBe(
      'a: \'{"b":1}\'\nc: "{\\"b\\":\\"it\'s\\"}"\n',
    );
  });

  test('of any length are written in linear time', () => {
    for (const part of [
      '1:1',
      'a:b c',
      '1_',
      '0',
      ':',
      ' ',
      '\n',
      ' \n',
      'a\n',
      '"',
      '\x01',
      '😀',
    ]) {
      for (const text of [
        part.repeat(2e5),
        `2001-01-01 ${part.repeat(2e5)}x`,
        `a${part.repeat(1365)} `,
      ]) {
        const written = toYaml({ a: text });
        expect(text.length > 2e4 || YAML.parse(written).a === text).toBe(true);
      }
    }
  });

  test('as keys longer than readers look for the colon are explicit keys', () => {
    const key = 'k'.repeat(1025);
    expect(toYaml({ [key]: { a: 1, b: [2] } })).toBe(`? ${key}\n: a: 1\n  b:\n    - 2\n`);
    for (const length of [1022, 1023, 1024, 1025]) {
      for (const value of [1, null, [1], {}, 'a\nb', { b: { c: 'x\n\n' }, d: [[1]] }]) {
        roundTrips({ ['k'.repeat(length)]: value, [' '.repeat(length)]: value });
      }
    }
  });
});

describe('collections and numbers', () => {
  test('have the form of stock', () => {
    const value = {
      a: { b: {}, c: [] },
      d: [[1, [2, { e: null }]], { f: [{ g: true }], h: false }, [], {}],
      i: [[], []],
      j: 1.5,
    };
    expect(toYaml(value)).toBe(Yaml.stringify(value));
    for (const root of [null, true, 1, 'a', '', [], {}, [[]], [{}], { a: [] }]) {
      expect(toYaml(root)).toBe(Yaml.stringify(root));
    }
  });

  test('keep the order of the keys', () => {
    expect(toYaml({ b: 1, a: 2, 10: 3, 9: 4 })).toBe('"9": 4\n"10": 3\nb: 1\na: 2\n');
  });

  test('shared objects are written out, never as anchors', () => {
    const shared = { x: [1] };
    expect(toYaml({ a: shared, b: shared, c: [shared, shared] })).not.toMatch(/[&*]/);
  });

  test('numbers are those of JSON, with a fraction before each exponent', () => {
    expect(toYaml([0, -0, 1e21, -1.5e-7, 5e-324, 2 ** 53, 1e20])).toBe(
      '- 0\n- 0\n- 1.0e+21\n- -1.5e-7\n- 5.0e-324\n- 9007199254740992\n- 100000000000000000000\n',
    );
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) =>
        roundTrips([number + 0]),
      ),
    );
  });

  test('objects of another realm and without prototype are plain', () => {
    expect(toYaml(vm.runInNewContext('({ a: [1, { b: [] }] })'))).toBe('a:\n  - 1\n  - b: []\n');
    expect(toYaml(Object.assign(Object.create(null), { a: 1 }))).toBe('a: 1\n');
  });

  test('200 levels are written, 201 are refused', () => {
    const nested = (levels: number) =>
      Array.from({ length: levels }).reduce<unknown>((value) => ({ a: value }), 1);
    roundTrips(nested(200));
    expect(() => toYaml(nested(201))).toThrow(
      /^cannot write YAML: a\.a\..*… .*: must have at most 200 levels$/,
    );
  });
});

describe('refusals name the path', () => {
  class Item {
    readonly a = 1;
  }
  class List extends Array {}
  const cycle: Record<string, unknown> = { b: [] };
  (cycle.b as unknown[]).push(1, { c: cycle });

  test.each<[unknown, string]>([
    [undefined, 'the document: must be a JSON value, got undefined'],
    [{ spec: { a: [1, undefined] } }, 'spec.a[1]: must be a JSON value, got undefined'],
    [[[1, , 2]], '[0][1]: must be a JSON value, got undefined'], // eslint-disable-line no-sparse-arrays
    [{ 'a b': { 'x/y': () => 1 } }, '["a b"]["x/y"]: must be a JSON value, got a function'],
    [{ a: Symbol('x') }, 'a: must be a JSON value, got a symbol'],
    [{ a: NaN }, 'a: must be a finite number, got NaN'],
    [{ a: [-Infinity] }, 'a[0]: must be a finite number, got -Infinity'],
    [{ a: 1n }, 'a: must be a number or a string, got a BigInt'],
    [{ a: new Date(0) }, 'a: must be a plain object or array, got an instance of Date'],
    [{ a: new Map() }, 'a: must be a plain object or array, got an instance of Map'],
    [[new Item()], '[0]: must be a plain object or array, got an instance of Item'],
    [{ a: new List() }, 'a: must be a plain object or array, got an instance of List'],
    [{ a: Object('text') }, 'a: must be a plain object or array, got an instance of String'],
    [
      { a: JSON.parse('{"__proto__":1}') },
      'a: cannot contain the key "__proto__", which readers may take for the prototype',
    ],
    [{ a: cycle }, 'a.b[1].c: must not be a cycle, got a reference to a'],
    [
      { a: ['secret\ud83d!'] },
      'a[0]: must be text of whole characters, got a lone surrogate U+D83D at index 6',
    ],
    [
      { a: 'secret\n\udc00' },
      'a: must be text of whole characters, got a lone surrogate U+DC00 at index 7',
    ],
    [
      { a: '\tsecret\ud800\ud800' },
      'a: must be text of whole characters, got a lone surrogate U+D800 at index 7',
    ],
    [
      { a: { 'b': 1, 'secret\ud800': 1 } },
      'a: key 2 must be text of whole characters, got a lone surrogate U+D800 at index 6',
    ],
  ])('%#: %s', (value, message) => {
    expect(() => toYaml(value)).toThrow(new Error(`cannot write YAML: ${message}`));
  });

  test('errors of getters pass as they are', () => {
    expect(() =>
      toYaml({
        get a() {
          throw new Error('mine');
        },
      }),
    ).toThrow(new Error('mine'));
  });
});

const fragment = fc.constantFrom(
  ...HOSTILE.filter((text) => text.length < 12),
  ...'abyn019_.-+:?#,[]{}&*!|>\'"%@`~=<\\/$eExXoObB \t\n\r',
  ': ',
  ' #',
  '\n  ',
  '\x85',
  '\u2028',
  '\xa0',
);
const hostile = fc
  .oneof(
    fc.constantFrom(...HOSTILE),
    fc.array(fragment, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc
      .array(fc.constantFrom('', ' ', 'x', ' x', '  x', 'x ', '\tx', '# x', '- x', '---', 'é'), {
        maxLength: 6,
      })
      .map((lines) => lines.join('\n')),
  )
  .filter((text) => text !== '__proto__');
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5 },
    { arbitrary: hostile, weight: 4 },
    fc.constantFrom(null, true, false),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.integer(),
    fc.array(tie('json'), { maxLength: 5 }),
    fc.dictionary(hostile, tie('json'), { maxKeys: 5, noNullPrototype: true }),
  ),
}));

function hasString(value: unknown, pattern: RegExp): boolean {
  if (typeof value === 'string') {
    return pattern.test(value);
  }
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).some((entry) => entry.some((part) => hasString(part, pattern)))
  );
}

/** The lines of all strings in a value, keys as well. */
function linesOf(value: unknown): string[] {
  if (typeof value === 'string') {
    return value.split('\n');
  }
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap((entry) => entry.flatMap(linesOf))
    : [];
}

describe('properties', () => {
  test('any JSON value reads back as itself, twice with the same bytes', () => {
    fc.assert(
      fc.property(json, (value) => {
        roundTrips(value);
        expect(toYaml(structuredClone(value))).toBe(toYaml(value));
      }),
      { numRuns: runsOf(1000) },
    );
  });

  test('reads back as stock does', () => {
    fc.assert(
      fc.property(fc.dictionary(hostile, json, { maxKeys: 4, noNullPrototype: true }), (value) => {
        fc.pre(!hasString(value, STOCK_FAILS));
        expect(YAML.parse(toYaml(value), { version: '1.1' })).toEqual(
          YAML.parse(Yaml.stringify(value), { version: '1.1' }),
        );
      }),
      { numRuns: runsOf(500) },
    );
  });

  test('no line breaks but `\\n`, no control characters, nothing that ends a document, whatever the strings', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(toYaml(value)).not.toMatch(/^(---|\.\.\.|%)/m);
        // a tab is only within a line of a block, or behind blanks that belong to the string: never
        // in the indentation
        expect(toYaml(value)).not.toMatch(/\t$/m);
        const own = linesOf(value).filter((line) => /^ +\t/.test(line));
        for (const [line] of toYaml(value).matchAll(/^ *\t.*/gm)) {
          expect([line, own.some((each) => line.endsWith(each))]).toEqual([line, true]);
        }
        expect(toYaml(value)).not.toMatch(
          /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/,
        );
      }),
    );
  });

  test('strings of anything but half characters are written, those are refused', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0xd700, max: 0xe0ff }), { maxLength: 6 }), (units) => {
        const text = String.fromCharCode(...units);
        if (/[\ud800-\udfff]/u.test(text)) {
          expect(() => toYaml({ a: text })).toThrow(
            /^cannot write YAML: a: must be text of whole characters, got a lone surrogate U\+D/,
          );
        } else {
          roundTrips([text]);
        }
      }),
      { numRuns: runsOf(1000) },
    );
  });
});

describe('documents of some length', () => {
  // the bytes may differ only where stock's text is fragile: see the strings above
  const fragile = /\t| (\n|$)/;
  const docs = path.resolve(__dirname, '..', '..', '..', 'docs');

  const pages = fs.readdirSync(docs).filter((file) => file.endsWith('.md'));
  test.each(someOf(pages, 8))(
    'read back as they are, with the bytes of stock: the texts of %s',
    (file) => {
      const text = fs.readFileSync(path.join(docs, file), 'utf8');
      for (const value of [text, ...text.split(/\n\n+/)].map((part) => ({
        description: part,
        list: [part.replace(/\n/g, ' ')],
      }))) {
        const written = toYaml(value);
        expect(YAML.parse(written, { version: '1.1' })).toEqual(value);
        if (!hasString(value, fragile)) {
          expect(written).toBe(Yaml.stringify(value));
        }
      }
    },
  );

  test.each(someOf([...knownKinds()], 12))(
    'read back as they are, with the bytes of stock: %s',
    (name, kind) => {
      for (const { file } of kind.versions) {
        const value = JSON.parse(JSON.stringify(definitionOf(name, kind, file)));
        const text = toYaml(value);
        expect(YAML.parse(text, { version: '1.1' })).toEqual(value);
        if (!hasString(value, fragile)) {
          expect(text).toBe(Yaml.stringify(value));
        }
      }
    },
  );
});
