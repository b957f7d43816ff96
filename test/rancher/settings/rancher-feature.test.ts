import { RancherFeature } from '../../../src/rancher/settings/rancher-feature';
import { newApp, newHarvester, newRancher } from '../../support/programs';

test('gives a feature its value, and nothing else', () => {
  const rancher = newRancher(newApp());
  new RancherFeature(rancher, 'harvester-baremetal-container-workload', { enabled: true });
  new RancherFeature(rancher, 'legacy', { name: 'rke2', enabled: false });
  expect(rancher.toJson()).toEqual([
    {
      apiVersion: 'management.cattle.io/v3',
      kind: 'Feature',
      metadata: { name: 'harvester-baremetal-container-workload' },
      spec: { value: true },
    },
    {
      apiVersion: 'management.cattle.io/v3',
      kind: 'Feature',
      metadata: { name: 'rke2' },
      spec: { value: false },
    },
  ]);
});

test('is a feature of Rancher alone', () => {
  expect(() => new RancherFeature(newHarvester(newApp()), 'fleet', { enabled: true })).toThrow(
    'RancherFeature must be in a rancher target',
  );
});
