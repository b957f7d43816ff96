import { goDuration } from '../../../src/core/text/time';

test.each([
  ['0', 0],
  ['336h', 1209600],
  ['1h30m', 5400],
  ['-1.5s', -1.5],
  ['+.5m', 30],
  ['5.s', 5],
  ['1ms', 0.001],
  ['1h1h', 7200],
])('%s is %d seconds', (text, seconds) => {
  expect(goDuration(text)).toBeCloseTo(seconds, 9);
});

test.each(['', '14d', '15', 'h', '99999999h'])('%j is not a duration', (text) =>
  expect(goDuration(text)).toBeUndefined(),
);
