import { curesOf, GuestChartVersion } from '../../../src/guest/cloud-provider/chart-faults.data';
import {
  CHARTS_READ_TO,
  CSI_SIDECARS,
  GuestImages,
  KUBE_VIP_TAGS,
  RANCHER_LINES,
} from '../../../src/guest/images/guest-images.data';
import {
  CLOUD_PROVIDER_APPS,
  CSI_DRIVER_APPS,
} from '../../../src/rancher/support-matrix/support-matrix.facts';
import { RancherVersion } from '../../../src/rancher/version/rancher-version';

const rancher = RancherVersion.parse('2.13.8');
const images = (kubernetes: string, options: object = {}) =>
  GuestImages.forCluster({ kubernetes, rancher, ...options });
const references = (kubernetes: string, options: object = {}): string[] =>
  images(kubernetes, options).map(({ image, tag }) => `${image}:${tag ?? '?'}`);

// the list images-harvester.txt of these releases, rancher/rke2:scripts/build-images at their tags
test.each([
  [
    'v1.32.4+rke2r1',
    [
      'rancher/harvester-cloud-provider:v0.2.4',
      'rancher/mirrored-kube-vip-kube-vip-iptables:v0.8.7',
      'rancher/harvester-csi-driver:v0.2.2',
      'rancher/mirrored-longhornio-csi-node-driver-registrar:v2.3.0',
      'rancher/mirrored-longhornio-csi-resizer:v1.2.0',
      'rancher/mirrored-longhornio-csi-provisioner:v2.1.2',
      'rancher/mirrored-longhornio-csi-attacher:v3.2.1',
    ],
  ],
  [
    'v1.33.6+rke2r1',
    [
      'rancher/harvester-cloud-provider:v0.2.5',
      'rancher/mirrored-kube-vip-kube-vip-iptables:v0.9.2',
      'rancher/harvester-csi-driver:v0.2.4',
      'rancher/mirrored-longhornio-csi-node-driver-registrar:v2.3.0',
      'rancher/mirrored-longhornio-csi-resizer:v1.2.0',
      'rancher/mirrored-longhornio-csi-provisioner:v5.3.0-20250709',
      'rancher/mirrored-longhornio-csi-attacher:v3.2.1',
      'rancher/mirrored-longhornio-csi-snapshotter:v8.3.0-20250709',
    ],
  ],
  [
    'v1.36.3+rke2r1',
    [
      'rancher/harvester-cloud-provider:v0.2.7',
      'rancher/mirrored-kube-vip-kube-vip-iptables:v1.1.2',
      'rancher/harvester-csi-driver:v0.2.9',
      'rancher/mirrored-longhornio-csi-node-driver-registrar:v2.16.0-20260428',
      'rancher/mirrored-longhornio-csi-resizer:v2.1.0-20260428',
      'rancher/mirrored-longhornio-csi-provisioner:v5.3.0-20260428',
      'rancher/mirrored-longhornio-csi-attacher:v4.11.0-20260428',
      'rancher/mirrored-longhornio-csi-snapshotter:v8.5.0-20260428',
    ],
  ],
])("the images of Harvester's charts in %s are those of its own list", (release, expected) => {
  expect(references(release).filter((text) => /harvester|kube-vip|longhornio/.test(text))).toEqual(
    expected,
  );
});

test('names those of the distribution and of Rancher', () => {
  expect(references('v1.33.6+rke2r1').slice(0, 8)).toEqual([
    'rancher/system-agent-installer-rke2:v1.33.6-rke2r1',
    'rancher/rke2-runtime:v1.33.6-rke2r1',
    'rancher/rancher-agent:v2.13.8',
    'rancher/fleet-agent:v0.14.9',
    'rancher/rancher-webhook:v0.9.7',
    'rancher/shell:v0.6.4',
    'rancher/system-agent:v0.13.0-suc',
    'rancher/system-upgrade-controller:?',
  ]);
});

test('lists the kube-vip that cures the fault of a chart', () => {
  expect(references('v1.33.5+rke2r1').filter((text) => text.includes('kube-vip'))).toEqual([
    'rancher/mirrored-kube-vip-kube-vip-iptables:v0.8.7',
    'rancher/mirrored-kube-vip-kube-vip-iptables:v0.9.2',
  ]);
  expect(curesOf(GuestChartVersion.parse('0.2.10'), {})).toHaveLength(1);
});

test('lists charts on K3s that the cluster installs, and no others', () => {
  const ofCharts = (options?: object) =>
    references('v1.33.6+k3s1', options).filter((text) => /harvester|kube-vip|csi/.test(text));
  expect(references('v1.33.6+k3s1')[0]).toBe('rancher/system-agent-installer-k3s:v1.33.6-k3s1');
  expect(ofCharts()).toEqual([]);
  expect(ofCharts({ cloudProviderChart: '108.0.1+up0.2.12' })).toEqual([
    'rancher/harvester-cloud-provider:v0.2.6',
    'rancher/mirrored-kube-vip-kube-vip-iptables:v1.1.2',
  ]);
  expect(ofCharts({ csiChart: '0.1.24' })).toHaveLength(5);
});

test.each([
  ['a release that is later than the tables', references('v1.99.0+rke2r1')],
  [
    'charts that are later than the tables',
    references('v1.33.6+k3s1', { cloudProviderChart: '0.2.16', csiChart: '0.1.32' }),
  ],
  [
    'a Rancher that is later than the tables',
    references('v1.33.6+k3s1', { rancher: RancherVersion.parse('2.13.99') }),
  ],
])('does not guess the tags of %s', (_, list) => {
  expect(
    list.filter(
      (text) =>
        /harvester|kube-vip|longhornio|webhook|shell|system-agent:/.test(text) &&
        !text.endsWith(':?'),
    ).length,
  ).toBe(list.some((text) => text.startsWith('rancher/rancher-agent:v2.13.8')) ? 3 : 0);
});

test('points to the list that a release publishes', () => {
  expect(
    ['v1.33.6+rke2r1', 'v1.33.6+k3s1'].map((text) => GuestImages.listOf(text, 'arm64').url),
  ).toEqual([
    'https://github.com/rancher/rke2/releases/download/v1.33.6%2Brke2r1/rke2-images-all.linux-arm64.txt',
    'https://github.com/k3s-io/k3s/releases/download/v1.33.6%2Bk3s1/k3s-images.txt',
  ]);
});

describe('the tables', () => {
  test.each([
    ['CLOUD_PROVIDER_APPS', CLOUD_PROVIDER_APPS, CHARTS_READ_TO.provider],
    ['KUBE_VIP_TAGS', KUBE_VIP_TAGS, CHARTS_READ_TO.provider],
    ['CSI_DRIVER_APPS', CSI_DRIVER_APPS, CHARTS_READ_TO.csi],
    ['CSI_SIDECARS', CSI_SIDECARS, CHARTS_READ_TO.csi],
  ] as const)(
    '%s rises to the last chart that was read, and changes in each row',
    (_, table, readTo) => {
      for (const [index, [chart, value]] of table.entries()) {
        expect(GuestChartVersion.parse(readTo).isAtLeast(chart)).toBe(true);
        if (index === 0) {
          continue;
        }
        const [before, last] = table[index - 1];
        expect([chart, GuestChartVersion.parse(before).isAtLeast(chart)]).toEqual([chart, false]);
        expect([chart, value]).not.toEqual([chart, last]);
      }
    },
  );

  test('of Rancher begin with the first release, rise, and end where they were read', () => {
    for (const [minor, { readTo, ...lines }] of Object.entries(RANCHER_LINES)) {
      for (const [name, line] of Object.entries(lines)) {
        const patches = (line as string).split(' ').map((change) => Number(change.split(':')[0]));
        expect([minor, name, patches]).toEqual([
          minor,
          name,
          [...new Set(patches)].sort((a, b) => a - b),
        ]);
        expect([
          minor,
          name,
          patches[0] === 0 || minor === '2.8',
          patches.at(-1)! <= readTo,
        ]).toEqual([minor, name, true, true]);
      }
    }
  });
});
