import { readdirSync, readFileSync, writeFileSync } from 'fs';
import { join } from 'path';
import { checkAssembly, parseAssembly } from '../../../src/core/output/check-assembly';
import { printAssembly } from '../../../src/core/output/print-assembly';
import { textReport } from '../../../src/core/rule/report';
import { readYaml } from '../../../src/core/yaml/yaml-reader';
import { lintPaths } from '../../../src/engine/read/lint';
import { runsOf } from '../../support/cases';
import { fc } from '../../support/properties';
import { tempFolder } from '../../support/temp';

const EXAMPLES = join(__dirname, '..', '..', '..', 'examples');

/** Words of a program that met what it did not expect. */
const CONFUSED =
  /Cannot read|is not a function|not iterable|is not defined|Maximum call stack|Cannot convert|Invalid array length|Converting circular|\[object Object\]/;

/** Every manifest file of the examples. */
const TEXTS = ['reference-stack', 'rke2-production', 'k3s-single-node'].flatMap((example) => {
  const dist = join(EXAMPLES, example, 'dist');
  return readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => readFileSync(join(dist, file), 'utf8'));
});

const PIECES = [
  '',
  ' ',
  '\n',
  '---\n',
  '- ',
  ': ',
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  'null',
  '5',
  'true',
  '*a',
  '&a ',
  '<<: ',
  '!!binary ',
  '|\n',
  '\0',
  '\u001b[2J',
  '\ufeff',
  '\t',
  '😀',
  '9'.repeat(400),
  '${late:x}',
  '%YAML 9\n',
];

/**
 * One to five places of a text, of which each is cut, overwritten, repeated, or has something put
 * in.
 */
const damage = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    length: fc.nat(40),
    way: fc.constantFrom('cut', 'put', 'overwrite', 'repeat', 'end'),
    piece: fc.constantFrom(...PIECES),
  }),
  { minLength: 1, maxLength: 5 },
);

type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

function damaged(whole: string, changes: Damage): string {
  return changes.reduce((text, { at, length, way, piece }) => {
    const start = Math.floor(at * text.length);
    const [head, middle, tail] = [
      text.slice(0, start),
      text.slice(start, start + length),
      text.slice(start + length),
    ];
    switch (way) {
      case 'cut':
        return head + tail;
      case 'put':
        return head + piece + middle + tail;
      case 'overwrite':
        return head + piece + tail;
      case 'repeat':
        return head + middle + middle + tail;
      default:
        return head;
    }
  }, whole);
}

test('a damaged manifest is judged, or reported as what it is', () => {
  const file = join(tempFolder(), 'a.yaml');
  fc.assert(
    fc.property(fc.nat(TEXTS.length - 1), damage, (index, changes) => {
      writeFileSync(file, damaged(TEXTS[index], changes));
      const text = textReport(
        lintPaths([file], { targetKind: 'rancher', rancherVersion: '2.13.8' }),
      );
      expect(text).not.toMatch(CONFUSED);
      // eslint-disable-next-line no-control-regex
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    }),
    { numRuns: runsOf(400), seed: 12_000 },
  );
});

/** Every place of a value, as the keys that lead there. */
function placesOf(value: unknown, path: readonly string[] = []): string[][] {
  const inner =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, item]) => placesOf(item, [...path, key]))
      : [];
  return path.length === 0 ? inner : [[...path], ...inner];
}

const OTHERS = [
  null,
  0,
  -1,
  1e308,
  '',
  'x',
  true,
  [],
  {},
  ['x'],
  { x: 'x' },
  '__proto__',
  '../..',
  [[[]]],
  'late:nothing',
  '${late:nothing}',
];

test('a manifest of which any field has another type is judged', () => {
  const file = join(tempFolder(), 'a.json');
  const objects = TEXTS.flatMap(readYaml) as object[];
  expect(objects.length).toBeGreaterThan(50);
  const others = fc.constantFrom(...OTHERS);
  fc.assert(
    fc.property(
      fc.nat(objects.length - 1),
      fc.nat(),
      others,
      fc.nat(),
      others,
      (index, one, value, two, other) => {
        const object = structuredClone(objects[index]);
        for (const [place, replacement] of [
          [one, value],
          [two, other],
        ] as const) {
          const places = placesOf(object);
          const path = places[place % places.length];
          const parent = path.slice(0, -1).reduce((node: any, key) => node[key], object);
          parent[path.at(-1)!] = structuredClone(replacement);
        }
        writeFileSync(file, JSON.stringify(object));
        expect(textReport(lintPaths([file]))).not.toMatch(CONFUSED);
      },
    ),
    { numRuns: runsOf(500), seed: 12_000 },
  );
});

test('a damaged assembly is refused with the place and a fix, or holds together', () => {
  const whole = readFileSync(join(EXAMPLES, 'k3s-single-node', 'dist', 'assembly.json'), 'utf8');
  fc.assert(
    fc.property(damage, (changes) => {
      try {
        const assembly = parseAssembly(damaged(whole, changes), 'assembly.json');
        const printed = printAssembly(assembly);
        expect(checkAssembly(JSON.parse(printed))).toEqual([]);
        expect(parseAssembly(printed, 'assembly.json')).toEqual(assembly);
      } catch (error) {
        expect((error as Error).message).toMatch(
          /^assembly\.json: [^]+\. Fix: run the program again/,
        );
        expect((error as Error).message).not.toMatch(CONFUSED);
      }
    }),
    { numRuns: runsOf(1500), seed: 8_060 },
  );
});
