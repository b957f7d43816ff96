import { cpSync, readFileSync, writeFileSync } from 'fs';
import { join } from 'path';
import Ajv from 'ajv';
import { checkAssembly, parseAssembly } from '../../../src/core/output/check-assembly';
import { printAssembly } from '../../../src/core/output/print-assembly';
import { checkSchema } from '../../../src/core/problem/json-schema';
import { readAssembly } from '../../../src/engine/read/load-assembly';
import { runsOf } from '../../support/cases';
import { messageOf } from '../../support/message-of';
import { configMap, newApp, newHarvester } from '../../support/programs';
import { fc } from '../../support/properties';
import { runCli } from '../../support/run-cli';
import { tempFolder } from '../../support/temp';

const ROOT = join(__dirname, '..', '..', '..');
const EXAMPLE = join(ROOT, 'examples', 'k3s-single-node', 'dist');
const TEXT = readFileSync(join(EXAMPLE, 'assembly.json'), 'utf8');
/** The first object. */
const FIRST: string = JSON.parse(TEXT).objects[0].id;
const SCHEMA = JSON.parse(readFileSync(join(ROOT, 'schema', 'assembly.v3.json'), 'utf8'));

/** Every place of a value, as the keys that lead there. */
function placesOf(value: unknown, path: readonly string[] = []): string[][] {
  const inner =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, item]) => placesOf(item, [...path, key]))
      : [];
  return path.length === 0 ? inner : [[...path], ...inner];
}

const PLACES = placesOf(JSON.parse(TEXT));
const OTHERS = [
  null,
  0,
  '',
  'x',
  true,
  [],
  {},
  ['x'],
  { x: 'x' },
  'late:nothing',
  '${late:nothing}',
  '../..',
];
const mutation = fc.record({
  place: fc.nat(PLACES.length - 1),
  way: fc.constantFrom('drop', 'replace', 'copy', 'double'),
  other: fc.nat(OTHERS.length - 1),
  from: fc.nat(PLACES.length - 1),
});

/**
 * The assembly of an example with one to three of its places dropped, replaced, or overwritten with
 * what is elsewhere.
 */
const mutated = fc.array(mutation, { minLength: 1, maxLength: 3 }).map((mutations) => {
  const assembly = JSON.parse(TEXT);
  const at = (keys: readonly string[]): any =>
    keys.reduce(
      (value: any, key) => (value === null || typeof value !== 'object' ? undefined : value[key]),
      assembly,
    );
  for (const { place, way, other, from } of mutations) {
    const keys = PLACES[place];
    const [parent, last] = [at(keys.slice(0, -1)), keys[keys.length - 1]];
    if (typeof parent !== 'object' || parent === null) {
      continue;
    }
    if (way === 'drop') {
      if (Array.isArray(parent)) {
        parent.splice(Number(last), 1);
      } else {
        delete parent[last];
      }
    } else if (way === 'double') {
      if (Array.isArray(parent)) {
        parent.push(parent[Number(last)] ?? null);
      } else {
        parent[`${last}2`] = parent[last] ?? null;
      }
    } else {
      parent[last] = JSON.parse(
        JSON.stringify((way === 'copy' ? at(PLACES[from]) : OTHERS[other]) ?? null),
      );
    }
  }
  return assembly;
});

test('the checker of schemas judges as a validator does', () => {
  const validate = new Ajv({ strict: false }).compile(SCHEMA);
  fc.assert(
    fc.property(mutated, (assembly) => {
      expect(checkSchema(assembly, SCHEMA).length === 0).toBe(validate(assembly));
    }),
    { numRuns: runsOf(1500) },
  );
});

test('a mutated assembly that is accepted is printed as what it was read as', () => {
  fc.assert(
    fc.property(mutated, (form) => {
      fc.pre(checkAssembly(form).length === 0);
      const assembly = parseAssembly(JSON.stringify(form), 'assembly.json');
      expect(parseAssembly(printAssembly(assembly), 'assembly.json')).toEqual(assembly);
    }),
    { numRuns: runsOf(300) },
  );
});

test('the checker of schemas refuses a keyword that it does not know', () => {
  expect(() => checkSchema('x', { type: 'string', format: 'uri' })).toThrow(
    'unknown keyword format',
  );
});

test.each(['k3s-single-node', 'custom-cluster', 'reference-stack'])(
  'the assembly of the example %s is whole',
  (name) => {
    expect(
      checkAssembly(
        JSON.parse(readFileSync(join(ROOT, 'examples', name, 'dist', 'assembly.json'), 'utf8')),
      ),
    ).toEqual([]);
  },
);

test('every command answers a mutated assembly with its own words', async () => {
  const folder = tempFolder();
  cpSync(EXAMPLE, folder, { recursive: true });
  const commands = [
    ['show', folder],
    ['lint', folder],
    ['impact', folder, '--before', EXAMPLE],
    ['rbac', folder],
    ['access', folder],
    ['addresses', folder],
  ];
  await fc.assert(
    fc.asyncProperty(mutated, fc.nat(commands.length - 1), async (assembly, index) => {
      writeFileSync(join(folder, 'assembly.json'), JSON.stringify(assembly));
      const { stderr } = await runCli(...commands[index]);
      expect(stderr).not.toMatch(
        /Cannot read|is not a function|not iterable|undefined|Maximum call stack|Cannot convert/,
      );
    }),
    { numRuns: runsOf(250) },
  );
});

function damaged(change: (text: string) => string): { file: string; message: string } {
  const folder = tempFolder();
  const file = join(folder, 'assembly.json');
  writeFileSync(file, change(TEXT));
  return { file, message: messageOf(() => readAssembly(folder)) };
}

const edited = (change: (assembly: any) => void) =>
  damaged((text) => {
    const assembly = JSON.parse(text);
    change(assembly);
    return JSON.stringify(assembly);
  });

test.each<[string, { file: string; message: string }, string]>([
  [
    'conflict markers',
    damaged((text) => text.replace('"objects"', '<<<<<<< HEAD\n"objects"')),
    'line 8 is a conflict marker of Git',
  ],
  ['half a file', damaged((text) => text.slice(0, 200)), 'is not valid JSON'],
  [
    'another version',
    edited((assembly) => {
      assembly.schemaVersion = '1';
    }),
    'schemaVersion must be "3", got "1"',
  ],
  [
    'no version',
    edited((assembly) => {
      delete assembly.schemaVersion;
    }),
    'schemaVersion: is missing',
  ],
  [
    'another form',
    edited((assembly) => {
      assembly.edges = [];
    }),
    'edges: is not a known field',
  ],
  [
    'a target without a version',
    edited((assembly) => {
      delete assembly.targets[0].version;
    }),
    'targets[0].version: is missing',
  ],
  [
    'a target twice',
    edited((assembly) => {
      assembly.targets.push(assembly.targets[0]);
    }),
    'targets[edge]: is listed twice',
  ],
  [
    'an object twice',
    edited(({ objects }) => {
      objects.push(objects[0]);
    }),
    `objects[${FIRST}]: is listed twice`,
  ],
  [
    'a name that leads elsewhere',
    edited((assembly) => {
      assembly.targets[0].name = '../..';
    }),
    'targets[0].name: must match',
  ],
  [
    'a folder that leads elsewhere',
    edited(({ objects: [first] }) => {
      first.file = '../../x.yaml';
    }),
    `objects[${FIRST}].file: must be in the folder of the target, edge/, got ../../`,
  ],
  [
    'an object of another target',
    edited(({ objects: [first] }) => {
      first.target = 'nowhere';
    }),
    'target: names the target nowhere, which the assembly does not hold',
  ],
  [
    'an object without a target',
    edited(({ objects: [first] }) => {
      delete first.target;
    }),
    'objects[0].target: is missing',
  ],
  [
    'an ID that is not one',
    edited(({ objects: [first] }) => {
      first.id = 'lab';
    }),
    'objects[0].id: must match',
  ],
  [
    'an ID of another kind',
    edited(({ objects: [first] }) => {
      first.kind = 'Gadget';
    }),
    `objects[${FIRST}].id: must begin with`,
  ],
  [
    'an object without kind',
    edited(({ objects: [first] }) => {
      first.kind = {};
    }),
    'objects[0].kind: must be a string, got {}',
  ],
  [
    'a folder that is not that of the target',
    edited((assembly) => {
      assembly.targets[0].folder = '../..';
    }),
    'targets[edge].folder: must be edge, the name of the target, got ../..',
  ],
  [
    'an unknown field',
    edited(({ objects: [first] }) => {
      first.extra = 1;
    }),
    'objects[0].extra: is not a known field',
  ],
  [
    'an edge to nothing',
    edited(({ objects: [first] }) => {
      first.after = ['late:nothing'];
    }),
    `objects[${FIRST}].after: names late:nothing`,
  ],
  [
    'an edge to no object and no construct',
    edited(({ objects: [first] }) => {
      first.gone = ['rancher/nothing'];
    }),
    `objects[${FIRST}].gone: names rancher/nothing`,
  ],
  [
    'a need of nothing',
    edited(({ objects: [first] }) => {
      first.needs = ['nothing'];
    }),
    `objects[${FIRST}].needs: names the object nothing`,
  ],
  [
    'a map as text',
    edited((assembly) => {
      assembly.lateValues[0].description = {};
    }),
    'lateValues[0].description: must be a string, got',
  ],
])('%s is answered with the place and what to do', (_, { file, message }, words) => {
  expect(message).toContain(file);
  expect(message).toContain(words);
  expect(message).toContain('Fix: run the program again: synthesis writes the file again');
});

test('a template that is not the object of its entry is answered with its place', () => {
  const { id, template: whole } = readAssembly(EXAMPLE).objects.find(
    ({ template }) => template?.kind === 'Secret',
  )!;
  const edit = (metadata: object | null) =>
    edited((assembly) => {
      const entry = assembly.objects.find((object: { id: string }) => object.id === id);
      entry.template = { ...whole, metadata };
    });
  expect(edit({ ...whole!.metadata, name: 'other' }).message).toContain(
    `objects[${id}].template.metadata.name: must be`,
  );
  expect(edit(null).message).toContain(`objects[${id}].template.metadata: must be a map`);
});

test('synthesis replaces a damaged assembly, and the files of both sides of a merge', () => {
  const app = newApp();
  configMap(newHarvester(app), 'a');
  app.synth();
  const file = join(app.outdir, 'assembly.json');
  const whole = readFileSync(file, 'utf8');
  const theirs = '{"id":"dc1//Secret/default/b","kind":"Secret","file":"dc1/20-secret.yaml"}';
  writeFileSync(join(app.outdir, 'dc1', '20-secret.yaml'), 'apiVersion: v1\n');
  expect(whole).toContain('"kind":"ConfigMap"');
  writeFileSync(
    file,
    whole.replace(
      /^( \{.*"kind":"ConfigMap".*)$/m,
      `<<<<<<< HEAD\n$1\n=======\n ${theirs}\n>>>>>>> theirs`,
    ),
  );
  app.synth();
  expect(readFileSync(file, 'utf8')).toBe(whole);
  expect(() => readFileSync(join(app.outdir, 'dc1', '20-secret.yaml'))).toThrow('ENOENT');
});
