import { durationText } from '../../../src/guest/machine-pool/machine-pool-spec';

test.each([
  [0, '0s'],
  [45, '45s'],
  [60, '1m0s'],
  [90, '1m30s'],
  [3600, '1h0m0s'],
  [5400, '1h30m0s'],
  [90061, '25h1m1s'],
])('writes %i seconds as %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});
