import { isEmpty, lost } from './subset';

test('ignores fields that the server adds', () => {
  expect(
    lost(
      { spec: { a: 1, list: [{ b: 'x' }] } },
      { spec: { a: 1, list: [{ b: 'x', added: true }], added: 2 }, status: {} },
    ),
  ).toEqual([]);
});

test('names every field that is missing or has another value', () => {
  expect(
    lost(
      { spec: { gone: 'a', other: 4, list: [1, 2], same: true } },
      { spec: { other: '4', list: [1], same: true } },
    ),
  ).toEqual([
    '.spec.gone: sent "a", stored undefined',
    '.spec.other: sent 4, stored "4"',
    '.spec.list: sent [1,2], stored [1]',
  ]);
});

test('an empty value may be left out only where that is asked for', () => {
  const sent = { labels: {}, list: [], off: false, zero: 0, text: '' };
  expect(lost(sent, {})).toHaveLength(5);
  expect(lost(sent, {}, isEmpty)).toEqual([]);
  expect(lost({ off: false }, { off: true }, isEmpty)).toEqual(['.off: sent false, stored true']);
});
