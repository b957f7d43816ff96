import { defined, filledList } from '../../../src/core/text/values';

test('fields that have a value stay, in their order, also those that are null, false or empty', () => {
  expect(Object.entries(defined<unknown>({ b: 1, a: undefined, c: null, d: false, e: '', f: 0 }))).toEqual([['b', 1], ['c', null], ['d', false], ['e', ''], ['f', 0]]);
});

test('a list without anything in it is none, and another one is a copy', () => {
  const items = ['a'];
  expect(filledList(items)).toEqual(['a']);
  expect(filledList(items)).not.toBe(items);
  expect([filledList([]), filledList()]).toEqual([undefined, undefined]);
});
