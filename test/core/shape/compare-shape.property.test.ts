import { SchemaJudge } from './_schema-judge';
import { compareShape } from '../../../src/core/shape/compare-shape';
import { knownKinds, readShape, rootNode, ShapeFile } from '../../../src/core/shape/shape-node';
import { someOf, testOfAll } from '../../support/cases';
import { rootSchema } from '../../support/definition-of';
import { fc } from '../../support/properties';
import { objectsOf } from '../../support/schema-objects';

// servers read kinds of Kubernetes itself into types of Go, which no JSON Schema describes:
// test/core/kubernetes/verdicts.test.ts compares these with the verdicts of a server
const FILES = [...knownKinds()]
  .filter(([, { product }]) => product !== 'kubernetes')
  .flatMap(([kind, { versions }]) =>
    versions.map(({ from, file }) => [`${kind} ${from}`, file] as const),
  );

/** Without rules in CEL, which a JSON Schema validator does not know. */
function withoutRules(file: ShapeFile): ShapeFile {
  return JSON.parse(
    JSON.stringify(file, (key, value) => (key === 'x-kubernetes-validations' ? undefined : value)),
  );
}

describe('the shape of', () => {
  const verdicts = { accepted: 0, refused: 0 };

  test.each(someOf(FILES, 15))(
    '%s accepts what a JSON Schema validator accepts, and refuses what it refuses',
    (_, file) => {
      const schema = rootSchema(readShape(file));
      const judge = new SchemaJudge(schema);
      const node = rootNode(withoutRules(readShape(file)), false);
      fc.assert(
        fc.property(objectsOf(schema, 2), (object) => {
          // a server removes these nulls before it validates
          const { nulls, ...found } = compareShape(node, object);
          const differences = Object.values(found).filter(Array.isArray).flat();
          const accepted = judge.accepts(object);
          verdicts[accepted ? 'accepted' : 'refused']++;
          expect({ differences, says: judge.errors, accepted: differences.length === 0 }).toEqual({
            differences,
            says: judge.errors,
            accepted,
          });
        }),
        { numRuns: 40 },
      );
    },
  );

  testOfAll('some kind accepts and refuses enough for that to mean something', () => {
    expect(verdicts.accepted).toBeGreaterThan(500);
    expect(verdicts.refused).toBeGreaterThan(500);
  });
});

test('an object that cannot be read leaves nothing behind for the next one', () => {
  const node = rootNode(
    readShape(FILES.find(([name]) => name.includes('VirtualMachine '))![1]),
    false,
  );
  const unreadable = {
    spec: {
      get template(): object {
        throw new Error('cannot be read');
      },
    },
  };
  expect(() => compareShape(node, unreadable)).toThrow('cannot be read');
  expect(compareShape(node, { spec: { running: 1, template: {} } }).mismatches).toMatchObject([
    { path: 'spec.running' },
  ]);
});
