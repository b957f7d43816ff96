import { cronFault } from '../../../src/core/go/cron';

test.each([
  '* * * * *',
  '0 0 * * ?',
  '*/15 0-23/2 1,15 JAN-dec mon-fri',
  '5/10 * * * *',
  '@yearly',
  '@midnight',
  '@every 90m',
  ' 0  0 * * 0 ',
  ', * * * *',
])('%j is one', (text) => {
  expect(cronFault(text)).toBeUndefined();
});

test.each([
  ['', 'Empty spec string'],
  ['0 0 * * * *', 'Expected exactly 5 fields, found 6: 0 0 * * * *'],
  ['60 * * * *', 'End of range (60) above maximum (59): 60'],
  ['1-2-3 * * * *', 'Too many hyphens: 1-2-3'],
  ['1/2/3 * * * *', 'Too many slashes: 1/2/3'],
  ['-1 * * * *', 'Failed to parse int from '],
  ['* * * sun *', 'Failed to parse int from sun'],
  ['@fortnightly', 'Unrecognized descriptor: @fortnightly'],
  ['CRON_TZ=UTC 0 0 * * *', 'Expected exactly 5 fields, found 6: CRON_TZ=UTC 0 0 * * *'],
])('%j: %s', (text, says) => expect(cronFault(text)).toBe(says));
