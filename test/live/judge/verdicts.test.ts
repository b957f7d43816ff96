import { join } from 'path';
import { compareRecorded, JUDGED_TARGETS } from './compare';
import { DIFFERENCES } from './differences/by-product';
import { fileOf, readRecording } from './recording';
import { PRODUCTS } from '../lab/kubeconfigs';

const RECORDED = PRODUCTS.map((product) => {
  const recording = readRecording(join(__dirname, fileOf(product)));
  return [product, compareRecorded(recording, JUDGED_TARGETS[product])] as const;
});

test.each(RECORDED)('lint and a %s agree, apart from what has a reason', (_, { differences }) => {
  const unexplained = differences.filter(({ reason }) => reason === undefined);
  expect(unexplained).toEqual([]);
});

test.each(RECORDED)('almost all that a %s refuses, lint refuses', (_, { total, differences }) => {
  const silent = differences.filter(({ side }) => side === 'server');
  expect(total).toBeGreaterThan(1_000);
  expect(silent.length / total).toBeLessThan(0.02);
});

test('lint is right about most that a dry run of a Rancher does not decide', () => {
  const { total, agree, settled } = new Map(RECORDED).get('rancher')!;
  expect((agree + settled) / total).toBeGreaterThan(0.98);
});

test.each(RECORDED)('the table of a %s has no row that explains nothing', (product, summary) => {
  const { lintAlone, serverAlone } = DIFFERENCES[product];
  const explains = (side: 'lint' | 'server', reason: string): boolean =>
    summary.differences.some((each) => each.side === side && each.reason === reason);
  const unused = [
    ...lintAlone.filter(([, reason]) => !explains('lint', reason)),
    ...serverAlone.filter(([, reason]) => !explains('server', reason)),
  ];
  // rows of few changes are not in the sample
  expect(unused.length).toBeLessThan(20);
});
