import { guest, machineConfig, pool, told } from '../../support/guest';

const WORKER = { etcdRole: false, controlPlaneRole: false };

function findings(
  fields: object,
  poolFields: object = {},
  kubernetesVersion = 'v1.33.6+rke2r1',
): string[] {
  return told([
    guest({ machinePools: [pool(poolFields)] }, { kubernetesVersion }),
    machineConfig(fields),
  ]).filter((line) => line.includes('cluster/machine-size'));
}

const disk = (size: number, bootOrder = 1): object => ({
  imageName: 'default/noble',
  size,
  bootOrder,
});
const disks = (...list: object[]): object => ({ diskInfo: JSON.stringify({ disks: list }) });

test('reports machines that are too small for their distribution', () => {
  expect(findings({ cpuCount: '1', memorySize: '2' })).toEqual([
    'warning cluster/machine-size spec.rkeConfig.machinePools[0].machineConfigRef: must have machines with 2 CPUs and 4 GiB or more for pool all, ' +
      'got "1 CPUs, 2 GiB": RKE2 may not start on smaller ones. Fix: use larger machines',
  ]);
  expect(findings({ cpuCount: '2', memorySize: '3' }, WORKER)).toEqual([
    expect.stringContaining('2 CPUs and 4 GiB or more'),
  ]);
  expect(findings({ cpuCount: '1', memorySize: '1' }, {}, 'v1.33.6+k3s1')).toEqual([
    expect.stringContaining('2 CPUs and 2 GiB or more'),
  ]);
});

test.each<[object, object, string | undefined]>([
  [{ cpuCount: '2', memorySize: '4' }, {}, undefined],
  // the defaults of the node driver
  [{ cpuCount: undefined, memorySize: undefined }, {}, undefined],
  [{ cpuCount: '2', memorySize: '2' }, {}, 'v1.33.6+k3s1'],
  [{ cpuCount: '1', memorySize: '1' }, WORKER, 'v1.33.6+k3s1'],
  [{ cpuCount: '1', memorySize: '1' }, {}, 'v1.33.6'],
  // other rules report these
  [{ cpuCount: 'two', memorySize: '4Gi' }, {}, undefined],
])('accepts %j', (fields, poolFields, version) => {
  expect(findings(fields, poolFields, version)).toEqual([]);
});

test('reports a first disk that the images of the distribution fill', () => {
  expect(findings(disks(disk(40, 2), disk(5, 1)))).toEqual([
    'warning cluster/machine-size spec.rkeConfig.machinePools[0].machineConfigRef: must have a first disk of at least 10 GiB for pool all, got "5 GiB": ' +
      'the images of RKE2 fill a smaller one. Fix: use a larger disk, e.g. 40 GiB',
  ]);
  expect(findings(disks(disk(40), disk(5, 2)))).toEqual([]);
});
