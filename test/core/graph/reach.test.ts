import { inverted, reach } from '../../../src/core/graph/reach';

test('reaches each node once, also in cycles', () => {
  const edges: { readonly [node: string]: readonly string[] } = {
    a: ['b', 'c'],
    b: ['d'],
    c: ['d'],
    d: ['a'],
    e: ['a'],
  };
  expect([...reach(['a'], (node) => edges[node])]).toEqual(['a', 'b', 'c', 'd']);
});

test('reaches the end of a chain of 100,000 nodes', () => {
  expect(reach([0], (node) => (node < 100_000 ? [node + 1] : [])).size).toBe(100_001);
});

test('inverts edges', () => {
  expect(
    inverted([
      ['a', 'c'],
      ['b', 'c'],
      ['c', 'd'],
    ]),
  ).toEqual(
    new Map([
      ['c', ['a', 'b']],
      ['d', ['c']],
    ]),
  );
});
