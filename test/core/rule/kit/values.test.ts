import {
  ValueCheck,
  durationCheck,
  each,
  eachValue,
  fields,
  matches,
  must,
  oneOf,
  quantity,
  text,
} from '../../../../src/core/rule/kit/values';

const WORDS = { message: 'must be right', fix: 'correct it' };
const SHORT = matches(/^.{1,3}$/, { message: 'must be short', fix: 'use a shorter text' });
const paths = (check: ValueCheck, value: unknown) =>
  check('a', value).map(({ path, message }) => `${path}: ${message}`);

test.each<[string, ValueCheck, readonly unknown[], readonly unknown[]]>([
  ['a test', must((value) => value === 1, WORDS), [1], [2, undefined]],
  ['a form', SHORT, ['abc', '', 5, undefined], ['abcd']],
  ['a form by a function', matches((value) => value === 'x', WORDS), ['x'], ['y']],
  ['some words', oneOf(['x', 'y']), ['x', '', undefined], ['z']],
  ['a quantity', quantity, ['500m', 2, '1Gi'], ['1 GB', true]],
  ['a duration', durationCheck, ['5m', '1h30m', '', 5], ['5', '1d']],
])('%s', (_, check, accepted, refused) => {
  for (const value of [...accepted, '${late:cluster.id}']) {
    expect([value, paths(check, value)]).toEqual([value, []]);
  }
  for (const value of refused) {
    expect([value, paths(check, value).length]).toEqual([value, 1]);
  }
});

test('replaces its words by those of the caller', () => {
  expect(oneOf(['x'], { message: 'must be x', level: 'warning' })('a', 'y')).toEqual([
    { path: 'a', value: 'y', message: 'must be x', fix: 'use one of them', level: 'warning' },
  ]);
  expect(matches(/^x$/, { ...WORDS, value: undefined })('a', 'secret')[0]!.value).toBeUndefined();
});

test('finds the items and fields that are wrong', () => {
  expect(paths(each(SHORT), ['ok', 'long one', 'ok', 'long two'])).toEqual([
    'a[1]: must be short',
    'a[3]: must be short',
  ]);
  expect(paths(eachValue(SHORT), { x: 'long one', y: 'ok' })).toEqual(['a.x: must be short']);
  expect(
    paths(fields({ x: SHORT, y: each(SHORT) }), {
      x: 'long one',
      y: ['long two'],
      z: 'long three',
    }),
  ).toEqual(['a.x: must be short', 'a.y[0]: must be short']);
});

test('leaves values of other types to the rule on types', () => {
  for (const value of ['text', 5, null, undefined]) {
    for (const check of [
      each(SHORT),
      fields({ x: SHORT }),
      text(() => [{ path: '', ...WORDS }]),
    ].slice(0, value === 'text' ? 2 : 3)) {
      expect(check('a', value)).toEqual([]);
    }
  }
});
