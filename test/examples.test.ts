import { readFileSync, readdirSync } from 'fs';
import { dirname, join } from 'path';
import Ajv from 'ajv';
import { filesIn } from './support/programs';
import { outputOf } from './support/run-program';
import { objectKey, refKey } from '../src/core/manifest/manifest';
import { checkAssembly } from '../src/core/output/check-assembly';
import { secretFields } from '../src/core/secret/secret-fields';
import { readManifests } from '../src/engine/files/documents';
import { impliedEdges } from '../src/engine/graph/build-graph';
import { loadAssembly } from '../src/engine/read/load-assembly';

const EXAMPLES = join(__dirname, '..', 'examples');
const names = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const schema = JSON.parse(
  readFileSync(join(__dirname, '..', 'schema', 'assembly.v3.json'), 'utf8'),
);
const validate = new Ajv({ allErrors: true, strict: false }).compile(schema);

test('there are examples', () => {
  expect(names).toEqual(expect.arrayContaining(['quickstart', 'import-air-gapped']));
});

describe.each(names)('%s', (name) => {
  // a difference is meant or a defect; when it is meant: npx projen golden
  test('writes its committed output, byte for byte, twice', () => {
    const golden = filesIn(join(EXAMPLES, name, 'dist'));
    expect(Object.keys(golden)).toContain('assembly.json');
    expect(outputOf(join(EXAMPLES, name))).toEqual(golden);
    expect(outputOf(join(EXAMPLES, name))).toEqual(golden);
  });

  test('writes an assembly of the schema', () => {
    validate(JSON.parse(readFileSync(join(EXAMPLES, name, 'dist', 'assembly.json'), 'utf8')));
    expect(validate.errors).toBeNull();
  });

  test('has every object after all that it refers to, in the order of its stages and files', () => {
    const { assembly, manifests } = loadAssembly(join(EXAMPLES, name, 'dist'));
    const stages = assembly.stages?.map(({ folder }) => folder) ?? [];
    const files = [...new Set(assembly.objects.flatMap(({ file }) => file ?? []))].sort(
      (a, b) => stages.indexOf(dirname(a)) - stages.indexOf(dirname(b)) || (a < b ? -1 : 1),
    );
    const places = new Map(
      files
        .flatMap((file) =>
          readManifests(join(EXAMPLES, name, 'dist', file)).map(
            ({ manifest }) => `${file} ${objectKey(manifest)}`,
          ),
        )
        .map((place, index) => [place, index]),
    );
    const placeOf = (id: string): number | undefined => {
      const object = assembly.objects.find((each) => each.id === id);
      return object?.file === undefined
        ? undefined
        : places.get(`${object.file} ${refKey(object)}`);
    };
    const targetOf = (id: string): string => id.slice(0, id.indexOf('/'));
    const wrong = [...impliedEdges(assembly, manifests)]
      .filter(({ from, to }) => targetOf(from) === targetOf(to))
      .filter(({ from, to }) => (placeOf(from) ?? Infinity) < (placeOf(to) ?? -Infinity));
    expect(wrong.map(({ from, to }) => `${from} comes before ${to}`)).toEqual([]);
  });

  test('has a README', () => {
    expect(readFileSync(join(EXAMPLES, name, 'README.md'), 'utf8')).toMatch(/^# /);
  });
});

test('the quickstart has no warning, and no secret', () => {
  const { assembly, manifests } = loadAssembly(join(EXAMPLES, 'quickstart', 'dist'));
  expect(assembly.findings).toEqual([]);
  expect([...manifests.values()].filter(({ kind }) => kind === 'Secret')).toEqual([]);
  expect([...manifests.values()].flatMap((manifest) => secretFields(manifest, new Set()))).toEqual(
    [],
  );
});

test('an object that has both a file and a template is refused', () => {
  const assembly = JSON.parse(
    readFileSync(join(EXAMPLES, 'quickstart', 'dist', 'assembly.json'), 'utf8'),
  );
  const object = assembly.objects.find(({ template }: { template?: object }) => template);
  object.file = 'dc1/12-setting.harvesterhci.io.yaml';
  const [{ path, message }] = checkAssembly(assembly);
  expect(path).toBe(`objects[${object.id}]`);
  expect(message).toBe('must have either a file or a template');
});
