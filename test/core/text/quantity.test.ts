import { quantityOf } from '../../../src/core/text/values';

test.each([
  ['1', 1],
  [2, 2],
  ['500m', 0.5],
  ['1000m', 1],
  ['1Ki', 1024],
  ['131072Mi', 128 * 1024 ** 3],
  ['128Gi', 128 * 1024 ** 3],
  ['1e3', 1000],
  ['1E3', 1000],
  ['1E', 1e18],
  ['-1', -1],
  ['.5', 0.5],
  ['100n', 1e-7],
])('%s is %d', (text, number) => expect(quantityOf(text)).toBe(number));

test.each(['', 'two', '1 Gi', '1gi', '1KiB', null, undefined, {}])('%j is none', (text) =>
  expect(quantityOf(text)).toBeUndefined(),
);
