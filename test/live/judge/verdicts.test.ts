import { join } from 'path';
import { compareRecorded, JUDGED_TARGETS } from './compare';
import { LINT_ALONE, SERVER_ALONE } from './differences';
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

test('the table has no row that explains nothing', () => {
  const all = RECORDED.flatMap(([, { differences }]) => differences);
  const unused = [
    ...LINT_ALONE.filter(
      ([, reason]) => !all.some((each) => each.side === 'lint' && each.reason === reason),
    ),
    ...SERVER_ALONE.filter(
      ([, reason]) => !all.some((each) => each.side === 'server' && each.reason === reason),
    ),
  ];
  // rows of few changes are not in the sample
  expect(unused.length).toBeLessThan(20);
});
