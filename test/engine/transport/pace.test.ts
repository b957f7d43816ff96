import { inWords } from '../../../src/engine/transport/pace';

test.each([
  [400, '0 s'],
  [45_000, '45 s'],
  [119_000, '119 s'],
  [120_000, '2 min'],
  [150_000, '2.5 min'],
  [600_000, '10 min'],
])('prints %i ms as %s', (ms, words) => {
  expect(inWords(ms)).toBe(words);
});
