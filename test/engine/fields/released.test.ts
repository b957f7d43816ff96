import { Entry, OURS, entry, live, widget } from './_objects';
import { withoutReleased } from '../../../src/engine/fields/released';

const web = 'k:{"name":"web"}';
const db = 'k:{"name":"db"}';

function rest(
  fields: object,
  owned: object,
  wanted: object,
  others: readonly Entry[] = [],
): object {
  const {
    apiVersion: _,
    kind: __,
    metadata: ___,
    ...left
  } = withoutReleased(
    live([], {}, fields),
    live([entry(OURS, 'Apply', owned), ...others]),
    widget(wanted),
    OURS,
  );
  return left;
}

test('releases fields of the program that it does not name', () => {
  const owned = { 'f:spec': { '.': {}, 'f:a': {}, 'f:b': {} } };
  expect(rest({ spec: { a: '1', b: '2', c: '3' } }, owned, { spec: { a: '1' } })).toEqual({
    spec: { a: '1', c: '3' },
  });
  expect(rest({ spec: { a: '1', b: '2' } }, owned, {})).toEqual({});
  expect(rest({ spec: { a: '1', b: '2' } }, owned, { spec: {} })).toEqual({ spec: {} });
  expect(rest({ spec: { a: '1' } }, owned, { spec: { a: null } })).toEqual({ spec: {} });
});

test('keeps what others have, too', () => {
  const owned = { 'f:spec': { 'f:a': {}, 'f:b': {} } };
  expect(
    rest({ spec: { a: '1', b: '2' } }, owned, {}, [
      entry('other', 'Update', { 'f:spec': { 'f:b': {} } }),
    ]),
  ).toEqual({ spec: { b: '2' } });
});

test('releases items of lists by their keys, at any position', () => {
  const owned = {
    'f:list': {
      [web]: { '.': {}, 'f:name': {}, 'f:image': {}, 'f:ports': {} },
      [db]: { '.': {}, 'f:name': {} },
    },
  };
  const list = [{ name: 'db' }, { name: 'else' }, { name: 'web', image: 'x', ports: [1] }];
  expect(rest({ list }, owned, { list: [{ name: 'web', image: 'x' }] })).toEqual({
    list: [{ name: 'else' }, { name: 'web', image: 'x' }],
  });
  expect(
    rest({ list }, owned, { list: [{ name: 'web', image: 'x', ports: [1] }] }, [
      entry('other', 'Apply', { 'f:list': { [db]: { '.': {}, 'f:name': {} } } }),
    ]),
  ).toEqual({ list: [{ name: 'db' }, { name: 'else' }, { name: 'web', image: 'x', ports: [1] }] });
});

test('so do values of lists that are sets, and lists that are one unit', () => {
  const owned = { 'f:set': { 'v:"a"': {}, 'v:"b"': {}, 'v:"c"': {} }, 'f:unit': {} };
  const fields = { set: ['a', 'b', 'c', 'd'], unit: [1, 2] };
  expect(
    rest(fields, owned, { set: ['a'] }, [entry('other', 'Update', { 'f:set': { 'v:"c"': {} } })]),
  ).toEqual({ set: ['a', 'c', 'd'] });
  expect(rest(fields, owned, { set: ['a', 'b', 'c'], unit: [1] })).toEqual(fields);
});

test('leaves an object of another program alone', () => {
  const object = live([], {}, { spec: { a: 1 } });
  expect(
    withoutReleased(object, live([entry('other', 'Apply', { 'f:spec': {} })]), widget(), OURS),
  ).toBe(object);
});
