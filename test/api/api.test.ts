import { readFileSync } from 'fs';
import { join } from 'path';
import { Api, readPublicApi } from './_api';
import { breakingChanges, movedTypes, thaw, unnamed, withNewNames } from './_changes';
import { EXCEPTIONS, exceptionFor } from './_exceptions';
import { SHAPES } from './_shapes';
import {
  Violation,
  otherTypes,
  rowsBelow,
  secondNames,
  secondNamesIn,
  severalTypes,
  termsOf,
  textReferences,
} from './_terms';
import { COMMANDS } from '../../src/cli/main';
import { FORMER_TYPES } from '../../src/report/explain/former-names.data';

const current = readPublicApi();
const { assembly, names } = current;
const api = new Api(assembly);
const terms = termsOf(rowsBelow('### Names of the API'));

const CHECKS: { readonly [check: string]: () => readonly Violation[] } = {
  'second names': () => secondNames(api, terms),
  'types of names': () => otherTypes(api, terms),
  'one type': () => severalTypes(api),
  'text instead of references': () => textReferences(api, terms),
  'names of cdk8s-harvester/engine': () =>
    secondNamesIn(
      names.map((path) => ({ path, name: path.replace(/^.*\./, '') })),
      terms,
    ),
  'options of the command line': () =>
    secondNamesIn(
      Object.entries(COMMANDS).flatMap(([command, create]) =>
        create().options.map((option) => ({
          path: `${command} ${option.long}`,
          name: option.attributeName(),
        })),
      ),
      terms,
    ),
  ...Object.fromEntries(Object.entries(SHAPES).map(([shape, check]) => [shape, () => check(api)])),
};

test.each(Object.keys(CHECKS))('follows the table of ARCHITECTURE.md: %s', (check) => {
  expect(
    CHECKS[check]()
      .filter(({ path }) => exceptionFor(check, path) === undefined)
      .map(({ path, message }) => `${path} ${message}`),
  ).toEqual([]);
});

test('excepts nothing that follows the table', () => {
  const stale = Object.entries(EXCEPTIONS).flatMap(([check, paths]) => {
    const found = new Set(CHECKS[check]().map(({ path }) => exceptionFor(check, path)));
    return Object.keys(paths)
      .filter((path) => !found.has(path))
      .map((path) => `${check}: ${path}`);
  });
  expect(stale).toEqual([]);
});

test('verifies every shape that ARCHITECTURE.md lists', () => {
  expect(Object.keys(SHAPES)).toEqual(rowsBelow('### Shapes of the API').map(([shape]) => shape));
});

// after a change that is meant: a row in docs/previous-names.md, whose first cell has the old name, and the
// second the new one, or what replaces it
test('has the previous names of what is removed, renamed, or has another type than the frozen API', async () => {
  const frozen = thaw(readFileSync(join(__dirname, 'frozen.json'), 'utf8'), assembly);
  const changes = [
    ...movedTypes(frozen, current),
    ...(await breakingChanges(withNewNames(frozen, current, FORMER_TYPES), current)),
  ];
  expect(
    unnamed(
      changes,
      readFileSync(join(__dirname, '..', '..', 'docs', 'previous-names.md'), 'utf8'),
    ),
  ).toEqual([]);
});

test('lists names that the API uses', () => {
  const callables = [...api.types.values()].flatMap((type) => api.callablesOf(type));
  const used = new Set([
    ...[...api.named(), ...callables].map(({ name }) => name),
    ...api.types.keys(),
    'string',
  ]);
  const listed = terms.flatMap((term) => [...term.names, ...term.types, ...term.attributeTypes]);
  expect(listed.filter((name) => !used.has(name))).toEqual([]);
});
