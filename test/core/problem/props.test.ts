import { asProps, propOf } from '../../../src/core/problem/problem';

const PROPS = {
  'spec.ranges': 'ranges',
  'spec.ranges[].rangeStart': 'ranges[].start',
  'spec.pools[1]': 'pools[b]',
  'spec.volumes[].userData': 'cloudInit',
  'spec.plugin': '',
};

test.each([
  ['spec.ranges', 'ranges'],
  ['spec.ranges[2].subnet', 'ranges[2].subnet'],
  ['spec.ranges[2].rangeStart', 'ranges[2].start'],
  ['spec.ranges[2].rangeStartOf', 'ranges[2].rangeStartOf'],
  ['spec.pools[1].quantity', 'pools[b].quantity'],
  ['spec.pools[0].quantity', undefined],
  ['spec.volumes[3].userData.hostname', 'cloudInit.hostname'],
  ['spec.plugin.version', 'version'],
  ['spec.rangesOf', undefined],
])('finds the prop of the field %s', (path, prop) => {
  expect(propOf(path, PROPS)).toBe(prop);
});

test('names other fields of spec by themselves', () => {
  expect(
    asProps(
      [
        { path: 'spec.vlan', message: 'm', fix: 'f' },
        { path: 'spec.ranges[0]', message: 'm', fix: 'f' },
      ],
      PROPS,
    ).map(({ path }) => path),
  ).toEqual(['vlan', 'ranges[0]']);
});
