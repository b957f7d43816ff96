import { ValueCheck, all, duration, each, eachValue, fields, integer, matches, must, oneOf, quantity, text } from '../../../../src/core/rule/kit/values';

const WORDS = { message: 'must be right', fix: 'correct it' };
const SHORT = matches(/^.{1,3}$/, { message: 'must be short', fix: 'use a shorter text' });
const paths = (check: ValueCheck, value: unknown) => check('a', value).map(({ path, message }) => `${path}: ${message}`);

test.each<[string, ValueCheck, readonly unknown[], readonly unknown[]]>([
  ['a test', must((value) => value === 1, WORDS), [1], [2, undefined]],
  ['a form', SHORT, ['abc', '', 5, undefined], ['abcd']],
  ['a form by a function', matches((value) => value === 'x', WORDS), ['x'], ['y']],
  ['some words', oneOf(['x', 'y']), ['x', '', undefined], ['z']],
  ['a whole number', integer({ min: 1, fix: 'use 1' }), [1, 70, undefined, null], [0, 1.5, '1', true]],
  ['a whole number within bounds', integer({ min: 10, max: 63, fix: 'use 10' }), [10, 63], [9, 64]],
  ['a quantity', quantity(), ['500m', 2, '1Gi'], ['1 GB', true]],
  ['a duration', duration(), ['5m', '1h30m', '', 5], ['5', '1d']],
])('%s', (_, check, accepted, refused) => {
  for (const value of [...accepted, '${late:cluster.id}']) { expect([value, paths(check, value)]).toEqual([value, []]); }
  for (const value of refused) { expect([value, paths(check, value).length]).toEqual([value, 1]); }
});

test('has the words of a definition for numbers', () => {
  expect(integer({ min: 10, max: 63, fix: 'set 10 to 63' })('spec.limit', 64)).toEqual([
    { path: 'spec.limit', value: 64, message: 'must be a whole number from 10 to 63', fix: 'set 10 to 63', says: 'should be less than or equal to 63' },
  ]);
  expect(integer({ min: 0, fix: 'set 0' })('a', -1)[0]).toMatchObject({ message: 'must be a whole number of 0 or more', says: 'should be greater than or equal to 0' });
});

test('replaces its words by those of the caller', () => {
  expect(oneOf(['x'], { message: 'must be x', level: 'warning' })('a', 'y')).toEqual([{ path: 'a', value: 'y', message: 'must be x', fix: 'use one of them', level: 'warning' }]);
  expect(matches(/^x$/, { ...WORDS, value: undefined })('a', 'secret')[0]!.value).toBeUndefined();
});

test('finds the items and fields that are wrong', () => {
  expect(paths(each(SHORT), ['ok', 'long one', 'ok', 'long two'])).toEqual(['a[1]: must be short', 'a[3]: must be short']);
  expect(paths(eachValue(SHORT), { x: 'long one', y: 'ok' })).toEqual(['a.x: must be short']);
  expect(paths(fields({ x: SHORT, y: each(SHORT) }), { x: 'long one', y: ['long two'], z: 'long three' })).toEqual(['a.x: must be short', 'a.y[0]: must be short']);
  expect(paths(all(SHORT, matches(/^\d+$/, WORDS)), 'long')).toEqual(['a: must be short', 'a: must be right']);
});

test('leaves values of other types to the rule on types', () => {
  for (const value of ['text', 5, null, undefined]) {
    for (const check of [each(SHORT), fields({ x: SHORT }), text(() => [{ path: '', ...WORDS }])].slice(0, value === 'text' ? 2 : 3)) { expect(check('a', value)).toEqual([]); }
  }
});
