import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import { parseAllDocuments } from 'yaml';
import { readOwnYaml } from '../../../src/core/yaml/own-yaml';
import { readYaml } from '../../../src/core/yaml/yaml-reader';
import { toYaml } from '../../../src/core/yaml/yaml-writer';
import { fc } from '../../support/properties';

const EXAMPLES = join(__dirname, '..', '..', '..', 'examples');

/**
 * Without what readers disagree on by nature: the keys of a map have no order, and none is called
 * twice.
 */
const json = fc
  .dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 5 })
  // the writer refuses such a key
  .filter((value) => !JSON.stringify(value).includes('__proto__'));

test('reads what the writer wrote', () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = toYaml(value);
      const read = readOwnYaml(text);
      // what it leaves to the parser is right as well
      expect(read ?? readYaml(text)).toEqual([JSON.parse(JSON.stringify(value))]);
    }),
    { numRuns: 500 },
  );
});

test('reads all files of the examples, as the parser does', () => {
  const files = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /[\\/]dist[\\/].*\.ya?ml$/.test(name),
  );
  expect(files.length).toBeGreaterThan(50);
  for (const file of files) {
    const content = readFileSync(join(EXAMPLES, file), 'utf8');
    expect([file, readOwnYaml(content)]).toEqual([
      file,
      parseAllDocuments(content, { version: '1.1' }).map((document) => document.toJS()),
    ]);
  }
});

test.each<[string, string]>([
  ['a comment', 'a: 1 # one\n'],
  ['a comment of its own', '# head\na: 1\n'],
  ['an anchor', 'a: &x 1\nb: *x\n'],
  ['a tag', 'a: !!str 1\n'],
  ['a word that is true', 'a: yes\n'],
  ['a number of another form', 'a: 1.0\n'],
  ['an octal number', 'a: 0775\n'],
  ['a number that is too long', 'a: 12345678901234567890\n'],
  ['a map in flow form', 'a: {b: 1}\n'],
  ['a list at the indentation of its key', 'a:\n- 1\n'],
  ['a merged map', '<<: {a: 1}\n'],
  ['the same key twice', 'a: 1\na: 2\n'],
  ["a key that would be an object's own", '__proto__: 1\n'],
  ['a folded text', 'a: >\n  b\n'],
  ['an indentation that the header names', 'a: |2\n   b\n'],
  ['a text over two lines', 'a: b\n  c\n'],
  ['an indentation of four', 'a:\n    b: 1\n'],
  ['a tab', 'a:\tb\n'],
  ['no line end', 'a: 1'],
  ['Windows line ends', 'a: 1\r\n'],
  ['an end of a document', 'a: 1\n...\n'],
  ['a directive', '%YAML 1.1\n---\na: 1\n'],
  ['an empty document', 'a: 1\n---\n---\nb: 1\n'],
])('leaves %s to the parser', (_, text) => {
  expect(readOwnYaml(text)).toBeUndefined();
});

test('never reads a text otherwise than the parser does', () => {
  const piece = fc.constantFrom(
    'a',
    'b: ',
    'c:',
    '\n',
    '\n  ',
    '\n    ',
    '- ',
    '|',
    '|-',
    '\n---\n',
    '"x"',
    "'y'",
    '"',
    "'",
    '{}',
    '[]',
    '#',
    ' ',
    '1',
    '0x1',
    'no',
    '~',
    ':',
    '!t ',
    '\t',
    '\u0085',
    '\u2028',
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }).map((pieces) => `${pieces.join('')}\n`),
      (text) => {
        const own = readOwnYaml(text);
        if (own === undefined) {
          return;
        }
        expect(own).toEqual(
          parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS()),
        );
      },
    ),
    { numRuns: 3000 },
  );
});
