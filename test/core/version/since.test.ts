import { Since } from '../../../src/core/version/product-version';
import { KubernetesVersion } from '../../../src/guest/kubernetes/kubernetes-version';
import { RancherVersion } from '../../../src/rancher/version/rancher-version';
import { fc } from '../../support/properties';

const since = Since.of('2.13.8', '2.14.4', '2.15.0');

test.each([
  ['2.12.12', false],
  ['2.13.7', false],
  ['2.13.8-rc1', false],
  ['2.13.8', true],
  ['2.13.20', true],
  ['2.14.0', false],
  ['2.14.3', false],
  ['2.14.4', true],
  ['2.15.0-rc1', false],
  ['2.15.0', true],
  ['2.16.0-alpha1', true],
  ['3.0.0', true],
])('2.13.8, 2.14.4, 2.15.0 and later: %s %s', (version, expected) => {
  expect(since.includes(RancherVersion.parse(version))).toBe(expected);
});

test('words', () => {
  expect(since.toString()).toBe('2.13.8, 2.14.4, 2.15.0 and later');
  expect(since.versions).toEqual(['2.13.8', '2.14.4', '2.15.0']);
  expect(Since.of('v2.8.0').toString()).toBe('2.8.0 and later');
  expect(Since.always().toString()).toBe('every version');
  expect(Since.of('1.33.13+rke2r2').toString()).toBe('1.33.13+rke2r2 and later');
});

test('always includes every version', () => {
  expect(Since.always().includes(RancherVersion.parse('0.0.0-0'))).toBe(true);
});

test('releases of RKE2 count', () => {
  const rke2 = Since.of('1.33.13+rke2r2', '1.34.10+rke2r1');
  expect(rke2.includes(KubernetesVersion.parse('v1.33.13+rke2r1'))).toBe(false);
  expect(rke2.includes(KubernetesVersion.parse('v1.33.13+rke2r2'))).toBe(true);
});

test('includes all later versions of a minor line', () => {
  const small = fc.integer({ min: 0, max: 20 });
  fc.assert(
    fc.property(fc.integer({ min: 10, max: 17 }), small, small, (minor, a, b) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)].map((patch) =>
        RancherVersion.parse(`2.${minor}.${patch}`),
      );
      expect(!since.includes(low) || since.includes(high)).toBe(true);
    }),
  );
});

describe('fails', () => {
  test('without a version', () => {
    expect(() => Since.of()).toThrow(
      new Error(
        'since: must contain a version. Fix: use Since.always() for features of every version',
      ),
    );
  });
  test.each([[['2.14.4', '2.13.8']], [['2.13.8', '2.13.9']], [['2.13.8', '2.13.8']]])(
    'with %j',
    (versions) => {
      const given = versions.map((v) => `"${v}"`).join(', ');
      expect(() => Since.of(...versions)).toThrow(
        new Error(`since: must be rising versions, one for each minor line, got ${given}`),
      );
    },
  );
});
