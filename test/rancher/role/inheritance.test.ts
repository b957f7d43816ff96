import { inheritanceCircles } from '../../../src/rancher/role/role.check';

const circles = (inherits: Record<string, string[]>) =>
  inheritanceCircles(Object.keys(inherits), (role) => inherits[role] ?? [])
    .map((circle) => circle.join(' '))
    .sort();

test('reports cycles from their smallest role, wherever they are entered', () => {
  expect(circles({ z: ['c'], c: ['b'], b: ['a'], a: ['c', 'x'], x: [] })).toEqual(['a c b a']);
  expect(circles({ d: ['d'] })).toEqual(['d d']);
});

test('reports all cycles, also those that share a role or a path', () => {
  expect(circles({ a: ['b', 'c'], b: ['a'], c: ['a'] })).toEqual(['a b a', 'a c a']);
  expect(circles({ a: ['b', 'c'], b: ['c'], c: ['a'] })).toEqual(['a b c a', 'a c a']);
  expect(circles({ a: ['a', 'b'], b: ['a'], p: ['q'], q: ['p'] })).toEqual([
    'a a',
    'a b a',
    'p q p',
  ]);
});

test('finds no cycle in roles that inherit the same role', () => {
  expect(circles({ a: ['b', 'c'], b: ['d'], c: ['d'], d: ['view'], e: ['a', 'nowhere'] })).toEqual(
    [],
  );
});

test('handles a chain of any length without a stack overflow', () => {
  const names = Array.from({ length: 50_000 }, (_, index) => `r${index}`);
  const chain = Object.fromEntries(
    names.map((name, index) => [name, index + 1 < names.length ? [names[index + 1]] : []]),
  );
  expect(circles(chain)).toEqual([]);
  expect(circles({ ...chain, r49999: ['r49998'] })).toEqual(['r49998 r49999 r49998']);
});

test('a tangle is cut short', () => {
  const names = Array.from({ length: 200 }, (_, index) => `r${index}`);
  expect(
    circles(
      Object.fromEntries(names.map((name) => [name, names.filter((other) => other !== name)])),
    ),
  ).toHaveLength(10);
});
