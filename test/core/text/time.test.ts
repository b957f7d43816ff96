import { goDuration, goDurationSays } from '../../../src/core/text/time';

test.each([['0', 0], ['336h', 1209600], ['1h30m', 5400], ['-1.5s', -1.5], ['+.5m', 30], ['5.s', 5], ['1ms', 0.001], ['1h1h', 7200]])('%s is %d seconds', (text, seconds) => {
  expect(goDuration(text)).toBeCloseTo(seconds, 9);
});

test.each([
  ['', 'time: invalid duration ""'], ['14d', 'time: unknown unit "d" in duration "14d"'], ['15', 'time: missing unit in duration "15"'],
  ['h', 'time: invalid duration "h"'], ['99999999h', 'time: invalid duration "99999999h"'],
])('%j: %s', (text, says) => {
  expect(goDuration(text)).toBeUndefined();
  expect(goDurationSays(text)).toBe(says);
});
