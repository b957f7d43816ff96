import { scheduleTimes } from '../../../src/harvester/backup/backup.check';

const gaps = (cron: string): readonly number[] | undefined => scheduleTimes(cron)?.gaps;

test.each([
  ['0 2 * * *', [1440]],
  ['@hourly', [60]],
  ['30 */6 * * *', [360]],
  ['0 2,4 * * *', [120, 1320]],
  ['*/20 * * * *', [20]],
  ['10-12 3 * * 1', [1, 1440]],
  ['5/30 0 * * *', [30, 1410]],
  ['@every 90m', [90]],
  ['@every 500ms', [1 / 60]],
  ['0 0 1 1 *', [1440]],
])('computes the intervals of %s as %j minutes', (cron, expected) => {
  expect(gaps(cron)).toEqual(expected);
});

test.each(['', 'daily', '0 2 * *', '60 * * * *'])('%j has no runs', (cron) => {
  expect(scheduleTimes(cron)).toBeUndefined();
});
