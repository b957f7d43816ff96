import * as fs from 'node:fs';
import * as https from 'node:https';
import * as path from 'node:path';
import { ApiObject } from 'cdk8s';
import { fc } from '../../support/properties';
import { tempFolder } from '../../support/temp';
import { clientOf, clusters, describeCluster } from '../clusters';
import { writeObjects } from '../doubles/program';

const GROUP = 'faults-of-input.example.com';

/**
 * Words of YAML, of its elder versions, of numbers, times and templates; what ends lines and
 * documents in one reader and not in the other.
 */
const WORDS = [
  'y',
  'no',
  'on',
  'null',
  '~',
  '<<',
  '=',
  '0775',
  '0o17',
  '1e3',
  '1_000',
  '12:30:45',
  '2001-01-01',
  '.inf',
  '---',
  '--- x',
  '...',
  '%YAML 1.1',
  '!!binary x',
  '&a',
  '*a',
  '@',
  '`',
  '|',
  '>-',
  '? a',
  '- a',
  'a: b',
  'a #b',
  '{}',
  '[',
  '\u0000',
  '\u0007',
  '\u0085',
  'a\u0085b',
  '\u2028',
  'x\u2028---\u2028...',
  '\u2029',
  '\ufeff',
  '\ufffe',
  '\u00a0',
  '\u200b',
  '\u202e',
  'e\u0301',
  '😀',
  '👩‍👩‍👧',
  '\r',
  'a\r\nb',
  '\ta',
  'a\t',
  ' \na',
  'a\n\n',
  '# a\nb',
  '{{ x }}',
  '$(X)',
  '\\',
  '"',
  "'",
];
const text = fc
  .oneof(
    fc.constantFrom(...WORDS),
    fc
      .array(fc.constantFrom(...WORDS, 'a', ' ', '\n', ':'), { maxLength: 4 })
      .map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 10 }),
    fc.string({ unit: 'grapheme', maxLength: 10 }),
    // taken for the name of a prototype, or for a late value
  )
  .filter((word) => word !== '__proto__' && !word.includes('${'));
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    { arbitrary: text, weight: 4 },
    fc.boolean(),
    fc.integer(),
    fc.constantFrom(2 ** 53 - 1, -(2 ** 53), 1e21, 1.5e-7, 0.1),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(text, tie('json'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

describeCluster('faults of input', () => {
  const folder = tempFolder();

  beforeAll(async () => {
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `things.${GROUP}` },
      spec: {
        group: GROUP,
        scope: 'Namespaced',
        names: { plural: 'things', singular: 'thing', kind: 'Thing' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: { 'type': 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        ],
      },
    };
    await clientOf('harvester').apply(definition);
    while (!(await clientOf('harvester').serves(`${GROUP}/v1`, 'Thing'))) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });
  afterAll(async () => {
    await clientOf('harvester').delete({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `things.${GROUP}` },
    });
  });

  const thing = (
    spec: unknown,
    name = 'thing',
  ): {
    apiVersion: string;
    kind: string;
    metadata: { name: string; namespace: string };
    spec: object;
  } => ({
    apiVersion: `${GROUP}/v1`,
    kind: 'Thing',
    metadata: { name, namespace: 'default' },
    spec: { of: spec },
  });

  /**
   * What the reader of a Kubernetes server, which is Go's, makes of what is written of it; strict,
   * and without keeping it.
   */
  async function readByServer(dist: string): Promise<unknown> {
    const [file] = fs.readdirSync(path.join(dist, 'dc1')).filter((name) => name.endsWith('.yaml'));
    const body = fs.readFileSync(path.join(dist, 'dc1', file), 'utf8');
    const { url, ca, token } = clusters().connections.harvester;
    const at = new URL(
      `/apis/${GROUP}/v1/namespaces/default/things?dryRun=All&fieldValidation=Strict`,
      url,
    );
    const answer = await new Promise<string>((resolve, reject) => {
      const request = https.request(
        at,
        {
          method: 'POST',
          ca,
          headers: {
            'authorization': `Bearer ${token}`,
            'content-type': 'application/yaml',
            'accept': 'application/json',
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response
            .on('data', (chunk: Buffer) => chunks.push(chunk))
            .once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
        },
      );
      request.once('error', reject).end(body);
    });
    const { spec, message } = JSON.parse(answer) as { spec?: { of: unknown }; message?: string };
    expect([message, spec]).toEqual([undefined, expect.anything()]);
    return spec!.of;
  }

  test('writes any object so that a real server reads it as declared', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(json, { minLength: 40, maxLength: 40 }), async (values) => {
        const dist = writeObjects(folder, `fuzz-${runs++}`, (dc1) => {
          new ApiObject(dc1, 'thing', thing([WORDS, values]));
        });
        expect(await readByServer(dist)).toEqual([WORDS, values]);
      }),
      { numRuns: 15, endOnFailure: true },
    );
    expect(runs).toBe(15);
  });

  const cycle: { [key: string]: unknown } = {};
  cycle.again = { cycle };
  const deep = Array.from({ length: 5_000 }).reduce<unknown>((inner) => [inner], 1);

  test.each<[string, unknown]>([
    ['NaN', NaN],
    ['a number without end', Infinity],
    ['a bigint', 1n],
    ['a date', new Date(0)],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['a map', new Map([[1, 2]])],
    ['an own __proto__', JSON.parse('{"__proto__":{"polluted":1}}')],
    ['half a character', 'a\ud800'],
    ['a circle', cycle],
    ['5000 levels', deep],
  ])('%s is an error that names the construct, and nothing is written', (_, value) => {
    const name = `bad-${_.replace(/\W+/g, '-')}`;
    const write = (): string =>
      writeObjects(folder, name, (dc1) => {
        new ApiObject(dc1, 'wrong', thing(value));
      });
    expect(write).toThrow(/dc1\/wrong/);
    expect(write).not.toThrow(RangeError);
    expect(write).not.toThrow(TypeError);
    expect(fs.existsSync(path.join(folder, `dist-${name}`, 'assembly.json'))).toBe(false);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test('writes any value, or reports an error that names the construct', () => {
    let n = 0;
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSparseArray: true,
      withTypedArray: true,
      withObjectString: true,
    });
    fc.assert(
      fc.property(anything, (value) => {
        try {
          writeObjects(folder, `any-${n++ % 10}`, (dc1) => {
            new ApiObject(dc1, 'thing', thing(value));
          });
        } catch (error) {
          expect((error as Error).message).toContain('dc1/thing');
        }
      }),
      { numRuns: 150 },
    );
  });

  test('reports an object that is declared twice with both construct paths, and writes nothing', () => {
    const write = (): string =>
      writeObjects(folder, 'twice', (dc1) => {
        new ApiObject(dc1, 'one', thing(1));
        new ApiObject(dc1, 'two', thing(2));
      });
    expect(write).toThrow(
      /Thing default\/thing on dc1\n  is declared twice on dc1: at dc1\/one and at dc1\/two/,
    );
    expect(fs.existsSync(path.join(folder, 'dist-twice', 'assembly.json'))).toBe(false);
  });
});
