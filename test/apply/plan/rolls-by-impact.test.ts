import { rollsByImpact } from '../../../src/apply/plan/rolls-by-impact';
import { Manifest } from '../../../src/model/manifest';

function cluster(quantity: number): Manifest {
  return {
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: { name: 'shop', namespace: 'fleet-default' },
    spec: {
      kubernetesVersion: 'v1.33.6+rke2r1',
      rkeConfig: { machinePools: [{ name: 'all', quantity, etcdRole: true, controlPlaneRole: true, workerRole: true, machineConfigRef: { kind: 'HarvesterConfig', name: 'nc-shop-all' } }] },
    },
  } as Manifest;
}

function config(memorySize: string): Manifest {
  return { apiVersion: 'rke-machine-config.cattle.io/v1', kind: 'HarvesterConfig', metadata: { name: 'nc-shop-all', namespace: 'fleet-default' }, memorySize } as Manifest;
}

const side = (...manifests: Manifest[]) => ({ target: 'rancher', version: '2.13.8', manifests });

test('a pool whose machine configuration changes rolls, with the change that is the cause', () => {
  expect(rollsByImpact(side(cluster(3), config('8')), side(cluster(3), config('16')))).toEqual([{
    target: 'rancher',
    cluster: 'fleet-default/shop',
    pool: 'all',
    effect: 'replace',
    machines: 3,
    what: expect.stringContaining('its machines are replaced'),
    causes: [expect.stringMatching(/HarvesterConfig.*memorySize: "8" -> "16"/)],
  }]);
});

test('a Cluster that goes takes its machines along', () => {
  expect(rollsByImpact(side(cluster(3), config('8')), side(config('8')))).toEqual([{
    target: 'rancher',
    cluster: 'fleet-default/shop',
    effect: 'delete',
    machines: 3,
    what: 'the Cluster is gone: all of its machines are deleted with their disks',
    causes: ['Cluster fleet-default/shop (is gone)'],
  }]);
});

test('a pool that only grows does not', () => {
  expect(rollsByImpact(side(cluster(3), config('8')), side(cluster(5), config('8')))).toEqual([]);
});
