import {
  KubernetesDistribution,
  KubernetesVersion,
} from '../../../src/guest/kubernetes/kubernetes-version';
import { HarvesterVersion } from '../../../src/harvester/version/harvester-version';
import { RANCHER_PRODUCT, RancherVersion } from '../../../src/rancher/version/rancher-version';
import { NodeDriverVersion } from '../../support/node-drivers';
import { fc } from '../../support/properties';

const number = fc.integer({ min: 0, max: 30 });
const identifier = fc.oneof(
  number.map(String),
  fc.constantFrom('rc1', 'rc2', 'dev', 'alpha', 'rc-1', 'Z', '0a'),
);
const preRelease = fc.option(
  fc.array(identifier, { minLength: 1, maxLength: 3 }).map((ids) => `-${ids.join('.')}`),
  { nil: '' },
);
const core = fc
  .tuple(number, number, number, preRelease)
  .map(([a, b, c, pre]) => `${a}.${b}.${c}${pre}`);
const kubernetes = fc
  .tuple(core, fc.constantFrom('', '+rke2r1', '+rke2r2', '+rke2r10', '+k3s1', '+k3s2'))
  .map(([v, build]) => `v${v}${build}`);

describe('order and form', () => {
  test('printing and reading again gives the same version', () => {
    fc.assert(
      fc.property(core, (text) => {
        expect(RancherVersion.parse(text).toString()).toBe(text);
        expect(HarvesterVersion.parse(`v${text}`).toString()).toBe(text);
        expect(NodeDriverVersion.parse(text).compareTo(NodeDriverVersion.parse(`v${text}`))).toBe(
          0,
        );
      }),
    );
    fc.assert(
      fc.property(kubernetes, (text) => {
        expect(KubernetesVersion.parse(text).toString()).toBe(text);
        expect(KubernetesVersion.parse(text.slice(1)).toString()).toBe(text);
      }),
    );
  });

  test('the order is total', () => {
    fc.assert(
      fc.property(kubernetes, kubernetes, kubernetes, (x, y, z) => {
        const [a, b, c] = [x, y, z].map((text) => KubernetesVersion.parse(text));
        expect(Math.sign(a.compareTo(b)) + Math.sign(b.compareTo(a))).toBe(0);
        expect(a.compareTo(b) === 0).toBe(x === y);
        if (a.compareTo(b) <= 0 && b.compareTo(c) <= 0) {
          expect(a.compareTo(c)).toBeLessThanOrEqual(0);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('at least and before are opposites that agree with the order', () => {
    fc.assert(
      fc.property(core, core, (x, y) => {
        const [a, b] = [RancherVersion.parse(x), RancherVersion.parse(y)];
        expect(a.isAtLeast(y)).toBe(a.compareTo(b) >= 0);
        expect(a.isBefore(y)).toBe(!a.isAtLeast(y));
      }),
    );
  });

  test('the order is that of the specification', () => {
    const rising = [
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
      '1.0.1',
      '1.2.0',
      '1.10.0',
      '2.0.0-0',
      '2.0.0',
    ];
    const shuffled = [...rising].reverse().map((text) => HarvesterVersion.parse(text));
    expect(shuffled.sort((a, b) => a.compareTo(b)).map(String)).toEqual(rising);
  });

  test('releases of a distribution come in the order of their numbers, after the plain version', () => {
    const rising = [
      'v1.33.6-rc1+rke2r1',
      'v1.33.6',
      'v1.33.6+k3s1',
      'v1.33.6+rke2r1',
      'v1.33.6+rke2r2',
      'v1.33.6+rke2r10',
      'v1.33.7',
    ];
    const shuffled = [...rising].reverse().map((text) => KubernetesVersion.parse(text));
    expect(shuffled.sort((a, b) => a.compareTo(b)).map(String)).toEqual(rising);
  });
});

describe('parts', () => {
  test('of a Rancher version', () => {
    const version = RancherVersion.parse('v2.14.0-rc1');
    expect(version.product).toBe(RANCHER_PRODUCT);
    expect([
      version.majorNumber,
      version.minorNumber,
      version.patchNumber,
      version.preRelease,
    ]).toEqual([2, 14, 0, 'rc1']);
    expect(version.minor).toBe('2.14');
    expect(version.tag).toBe('v2.14.0-rc1');
    expect(RancherVersion.parse('2.13.8').preRelease).toBeUndefined();
  });

  test('of a Kubernetes version', () => {
    const rke2 = KubernetesVersion.parse('v1.33.6+rke2r1');
    expect([rke2.distribution, rke2.release, rke2.minor]).toEqual([
      KubernetesDistribution.RKE2,
      1,
      '1.33',
    ]);
    const k3s = KubernetesVersion.parse('v1.34.4+k3s12');
    expect([k3s.distribution, k3s.release]).toEqual([KubernetesDistribution.K3S, 12]);
    const plain = KubernetesVersion.parse('1.34.4');
    expect([plain.distribution, plain.release, plain.toString()]).toEqual([
      undefined,
      undefined,
      'v1.34.4',
    ]);
  });
});

describe('fails', () => {
  const wanted = 'must be a full version such as "2.13.8"';
  test.each([
    [
      '2.13',
      `rancher version: ${wanted}, got "2.13". Fix: name the patch version too, since features and image tags differ between patch versions`,
    ],
    [' 2.13.8', `rancher version: ${wanted}, got " 2.13.8". Fix: remove the spaces around it`],
    ['2.13.8\n', `rancher version: ${wanted}, got "2.13.8\\n". Fix: remove the spaces around it`],
    [
      '2.13.8+k3s1',
      `rancher version: ${wanted}, got "2.13.8+k3s1". Fix: leave out the part from the plus sign on`,
    ],
    [
      '2.13-head',
      `rancher version: ${wanted}, got "2.13-head". Fix: name a release, not a channel or a build of a branch`,
    ],
    [
      'latest',
      `rancher version: ${wanted}, got "latest". Fix: name a release, not a channel or a build of a branch`,
    ],
    [
      '2.14.0-rc.01',
      `rancher version: ${wanted}, got "2.14.0-rc.01". Fix: remove the leading zeros of numbers in the pre-release`,
    ],
    ['02.13.8', `rancher version: ${wanted}, got "02.13.8"`],
    ['2.13.8-', `rancher version: ${wanted}, got "2.13.8-"`],
    ['vv2.13.8', `rancher version: ${wanted}, got "vv2.13.8"`],
    ['', `rancher version: ${wanted}, got ""`],
  ])('rancher %j', (text, message) => {
    expect(() => RancherVersion.parse(text)).toThrow(new Error(message));
  });

  test('refuses a value that is not a string', () => {
    expect(() => RancherVersion.parse(undefined as unknown as string)).toThrow(
      new Error(`rancher version: ${wanted}, got undefined`),
    );
  });

  test('the other products, with their own words', () => {
    expect(() => HarvesterVersion.parse('1.7')).toThrow(
      'harvester version: must be a full version such as "1.7.2", got "1.7". Fix: name the patch',
    );
    expect(() => NodeDriverVersion.parse('x')).toThrow(
      new Error('node driver version: must be a full version such as "1.0.6", got "x"'),
    );
    expect(() => KubernetesVersion.parse('v1.33.6+rke2')).toThrow(
      new Error(
        'kubernetes version: must be a full version such as "v1.33.6+rke2r1", ' +
          'got "v1.33.6+rke2". Fix: write rke2rN or k3sN after the plus sign',
      ),
    );
  });

  test('comparing two products', () => {
    expect(() => RancherVersion.parse('2.13.8').compareTo(HarvesterVersion.parse('1.7.2'))).toThrow(
      new Error('version: must be a version of Rancher, got Harvester 1.7.2'),
    );
  });

  test('comparing two distributions', () => {
    expect(() => KubernetesVersion.parse('v1.33.6+k3s1').isAtLeast('1.33.6+rke2r1')).toThrow(
      new Error(
        'kubernetes version: must be ' +
          'a plain version or one of k3s, got "v1.33.6+rke2r1": releases of two distributions have no order. ' +
          'Fix: compare v1.33.6+k3s1 with "1.33.6"',
      ),
    );
    expect(KubernetesVersion.parse('v1.33.6+k3s1').isAtLeast('1.33.6')).toBe(true);
  });
});
