import { GateId } from '../../../src/core/version/feature-gate';
import { FeatureGates } from '../../../src/core/version/feature-gates';
import { KubernetesVersion } from '../../../src/guest/kubernetes/kubernetes-version';
import { RKE2_CHARTS } from '../../../src/guest/kubernetes/rke2.data';
import { GuestGate } from '../../../src/guest/version/guest-gates.data';
import { HarvesterVersion } from '../../../src/harvester/version/harvester-version';
import {
  SupportLevel,
  SupportMatrix,
} from '../../../src/rancher/support-matrix/support-matrix.facts';
import { RancherVersion } from '../../../src/rancher/version/rancher-version';
import { NODE_DRIVERS, NodeDriverVersion } from '../../support/node-drivers';

const rancher = (text: string) => RancherVersion.parse(text);
const harvester = (text: string) => HarvesterVersion.parse(text);
const kubernetes = (text: string) => KubernetesVersion.parse(text);

describe('bundled charts', () => {
  test.each([
    ['v1.21.4+rke2r1', undefined, undefined],
    ['v1.21.5+rke2r1', '0.1.200', '0.1.300'],
    ['v1.26.6+rke2r1', '0.2.200', '0.1.1600'],
    ['v1.30.13+rke2r1', '0.2.1000', '0.1.2300'],
    ['v1.30.14+rke2r1', '0.2.1000', '0.1.2300'],
    ['v1.30.14+rke2r2', '0.2.1000', '0.1.2400'],
    ['v1.33.5+rke2r1', '0.2.1000', '0.1.2400'],
    ['v1.33.6+rke2r1', '0.2.1100', '0.1.2500'],
    ['v1.33.13+rke2r1', '0.2.1100', '0.1.2800'],
    ['v1.33.13+rke2r2', '0.2.1400', '0.1.3000'],
    ['v1.36.9+rke2r1', '0.2.1400', '0.1.3000'],
    ['v1.37.0+rke2r1', undefined, undefined],
    ['v1.33.6+k3s1', undefined, undefined],
    ['1.33.6', undefined, undefined],
  ])('%s: %s and %s', (version, cloudProvider, csi) => {
    const charts = SupportMatrix.bundledCharts(kubernetes(version));
    expect([charts?.cloudProvider, charts?.csi]).toEqual([cloudProvider, csi]);
  });

  test('numbers rise within a minor line, and every row is well formed', () => {
    const number = (chart: string) =>
      Number(chart.split('.')[0]) * 1e6 + Number(chart.split('.')[1]);
    for (const [minor, row] of Object.entries(RKE2_CHARTS)) {
      const changes = row.split(', ');
      let [lastRelease, lastCloudProvider, lastCsi] = [-1, 0, 0];
      for (const change of changes) {
        expect(change).toMatch(/^[0-9]+-[1-9][0-9]* [12]\.[0-9]+00 1\.[0-9]+00$/);
        const [release, cloudProvider, csi] = change.split(' ');
        const at = Number(release.split('-')[0]) * 100 + Number(release.split('-')[1]);
        expect([minor, at > lastRelease]).toEqual([minor, true]);
        expect(number(cloudProvider)).toBeGreaterThanOrEqual(lastCloudProvider);
        expect(number(csi)).toBeGreaterThanOrEqual(lastCsi);
        expect(number(cloudProvider) + number(csi)).toBeGreaterThan(lastCloudProvider + lastCsi);
        [lastRelease, lastCloudProvider, lastCsi] = [at, number(cloudProvider), number(csi)];
      }
    }
  });

  test('the number of upstream', () => {
    expect(SupportMatrix.upstreamChart('0.2.1100')).toBe('0.2.11');
    expect(SupportMatrix.upstreamChart('0.2.200')).toBe('0.2.2');
    expect(() => SupportMatrix.upstreamChart('0.2.11')).toThrow(
      new Error(
        'chart: must be a chart version of RKE2, got "0.2.11". Fix: use a version such as 0.2.1100',
      ),
    );
  });

  test('the programs in the charts', () => {
    expect(
      ['0.2.0', '0.2.2', '0.2.5', '0.2.10', '0.2.13', '0.2.15'].map((chart) =>
        SupportMatrix.cloudProviderOf(chart),
      ),
    ).toEqual([undefined, 'v0.2.0', 'v0.2.1', 'v0.2.4', 'v0.2.6', 'v0.2.8']);
    expect(
      ['0.1.4', '0.1.20', '0.1.25', '0.1.31'].map((chart) => SupportMatrix.csiDriverOf(chart)),
    ).toEqual([undefined, 'v0.2.1', 'v0.2.4', 'v0.2.9']);
  });
});

test('decides the devices of a machine by the node driver that each Rancher includes', () => {
  const pairs: ReadonlyArray<readonly [GateId, GateId]> = [
    [GuestGate.VM_MULTIPLE_DISKS, GuestGate.DRIVER_MULTIPLE_DISKS],
    [GuestGate.VM_EFI, GuestGate.DRIVER_EFI],
    [GuestGate.VM_VGPU, GuestGate.DRIVER_EFI],
    [GuestGate.VM_CPU_PINNING, GuestGate.DRIVER_CPU_PINNING],
    [GuestGate.VM_TPM, GuestGate.DRIVER_TPM],
    [GuestGate.VM_GUEST_LABELS, GuestGate.DRIVER_GUEST_LABELS],
    [GuestGate.VM_RESERVED_MEMORY, GuestGate.DRIVER_RESERVED_MEMORY],
    [GuestGate.VM_CPU_MODEL, GuestGate.DRIVER_CPU_MODEL],
  ];
  const inRancher = (gate: GateId, version: string): boolean =>
    FeatureGates.of(gate).supports(rancher(version));
  const inDriver = (gate: GateId, version: string): boolean =>
    FeatureGates.of(gate).supports(NodeDriverVersion.parse(version));
  const differing = NODE_DRIVERS.flatMap(([version, driver]) =>
    pairs
      .filter(
        ([ofRancher, ofDriver]) => inRancher(ofRancher, version) !== inDriver(ofDriver, driver),
      )
      .map(([ofRancher]) => `${version} ${ofRancher}`),
  );
  expect(differing).toEqual([]);
});

test('charts of a Harvester', () => {
  expect(SupportMatrix.harvesterChartsBundled(harvester('1.7.2'))).toEqual({
    cloudProvider: '0.2.11',
    csi: '0.1.25',
    source: 'harvester/charts, branch release-v1.7',
  });
  expect(SupportMatrix.harvesterChartsBundled(harvester('1.3.0'))).toBeUndefined();
});

describe('Rancher and Harvester', () => {
  test.each([
    ['2.13.8', '1.7.2', SupportLevel.SUPPORTED],
    ['2.14.4', '1.7.2', SupportLevel.SUPPORTED],
    ['2.15.0', '1.7.2', SupportLevel.UNKNOWN],
    ['2.12.12', '1.7.2', SupportLevel.UNSUPPORTED],
    ['2.13.8', '1.8.0', SupportLevel.UNSUPPORTED],
    ['2.14.0', '1.9.0', SupportLevel.UNSUPPORTED],
    ['2.15.0', '1.9.0', SupportLevel.SUPPORTED],
    ['2.10.1', '1.2.2', SupportLevel.UNSUPPORTED],
    ['2.8.4', '1.2.2', SupportLevel.SUPPORTED],
    ['2.15.0', '1.10.0', SupportLevel.UNKNOWN],
  ])('Rancher %s with Harvester %s: %s', (r, h, level) => {
    expect(SupportMatrix.rancherHarvester(rancher(r), harvester(h)).level).toBe(level);
  });

  test('verdicts carry their source and what to do', () => {
    expect(SupportMatrix.rancherHarvester(rancher('2.12.12'), harvester('1.7.2'))).toEqual({
      level: SupportLevel.UNSUPPORTED,
      confirmed: false,
      source: 'harvester/docs v1.8 rancher/harvester-ui-extension.md; harvester/tests#2687',
      reason: 'Harvester 1.7 needs Rancher 2.13.0 or later; upgrade Rancher first',
    });
  });
});
