import * as fs from 'node:fs';
import * as path from 'node:path';
import { withFields, withoutFields } from '../../../projenrc/shapes/fields-at';
import { rootShape } from '../../../projenrc/shapes/shape-of-schema';
import { printShape, shareParts } from '../../../projenrc/shapes/shape-printer';
import { BETWEEN } from '../../../projenrc/shapes/sources';
import { knownKinds, readShape } from '../../../src/core/shape/shape-node';
import { rootSchema } from '../../support/definition-of';

const FOLDER = path.resolve(__dirname, '..', '..', '..', 'schema', 'shapes');
const FILES = [...knownKinds().values()].flatMap(({ versions }) => versions.map(({ file }) => file));

const shapeIn = (file: string) => rootShape(rootSchema(readShape(file)));

test.each(FILES)('the generator writes %s again from the definition that it describes', (file) => {
  expect(`${printShape(shareParts(shapeIn(file)))}\n`).toBe(fs.readFileSync(path.join(FOLDER, file), 'utf8'));
});

test('the index names each file once', () => {
  const found = fs.readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json') && file !== 'index.json');
  expect([...FILES].sort()).toEqual(found.sort());
});

test.each(Object.entries(BETWEEN))('the versions of %s without a source of their own differ in the fields that the generator lists', (kind, derived) => {
  const { versions } = knownKinds().get(kind)!;
  const at = (from: string) => shapeIn(versions.find((version) => version.from === from)!.file);
  for (const { from, without, with: added } of derived) {
    const place = versions.findIndex((version) => version.from === from);
    const changed = without
      ? withoutFields(at(versions[place + 1].from), without)
      : withFields(at(versions[place - 1].from), added!, shapeIn(versions.at(-1)!.file));
    expect(at(from)).toEqual(changed);
  }
});

test.each([
  ['a keyword that is new', { type: 'string', newKeyword: 1 }, 'cannot express newKeyword'],
  ['a format that is new', { type: 'string', format: 'ipv9' }, 'cannot express string with format ipv9'],
  ['a value without a type', {}, 'has no type'],
])('the generator refuses %s, so that nothing is lost silently', (_, schema, message) => {
  expect(() => rootShape({ type: 'object', properties: { spec: schema } })).toThrow(message);
});
