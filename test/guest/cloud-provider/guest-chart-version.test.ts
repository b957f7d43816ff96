import { GuestChartVersion } from '../../../src/guest/cloud-provider/chart-faults.data';

test.each([
  ['0.2.12', '0.2.12'],
  ['v0.2.12', '0.2.12'],
  ['0.2.1200', '0.2.12'],
  ['0.1.200', '0.1.2'],
  ['108.0.1+up0.2.12', '0.2.12'],
  ['104.0.2+up0.2.6', '0.2.6'],
])("%s is upstream's %s", (text, upstream) => {
  expect(GuestChartVersion.parse(text).upstream).toBe(upstream);
});

test.each([
  ['0.2.9', false],
  ['0.2.11', false],
  ['0.2.12', true],
  ['0.2.1400', true],
  ['107.0.1+up0.2.10', false],
  ['109.0.0+up0.2.12', true],
])('%s has extraArgs: %s', (text, has) => {
  expect(GuestChartVersion.parse(text).has('EXTRA_ARGS')).toBe(has);
});

test('refuses a text that is not a version', () => {
  expect(() => GuestChartVersion.parse('latest')).toThrow(
    'chart version: must be a full version such as "0.2.11", got "latest"',
  );
});
