import { Manifest } from '../../../../src/core/manifest/manifest';
import { oneLine } from '../../../../src/core/problem/problem';
import { judge } from '../../../../src/core/rule/judge';
import { JudgedObject, World } from '../../../../src/core/rule/rule';
import { DEVICE_FIT_RULES } from '../../../../src/harvester/device/device-fit.rules';
import { fitTable } from '../../../../src/report/fits/fit-table';
import { fitImpacts } from '../../../../src/report/impact/fit-impacts';
import { guest, machineConfig, pool } from '../../../support/guest';
import { machine } from '../../../support/machines';
import { HARVESTER, RANCHER } from '../../../support/tenancy';
import '../../../../src/registry/register';

const on = (...manifests: readonly Manifest[]): JudgedObject[] =>
  manifests.map((manifest) => ({ manifest, target: HARVESTER }));

/** What the rule reports of a world, as `level object message`. */
const told = (...args: ConstructorParameters<typeof World>): string[] =>
  judge(DEVICE_FIT_RULES, new World(...args)).map(
    (finding) => `${finding.level} ${finding.object?.name} ${oneLine(finding)}`,
  );

/** The rows of devices, as `resource limit needs peak fits`. */
const rows = (...args: ConstructorParameters<typeof World>): string[] =>
  fitTable(new World(...args))
    .filter(({ object }) => object === 'devices of nodes')
    .map(({ resource, limit, needs, peak, fits }) =>
      [resource, limit, needs, peak, fits].join(' '),
    );

const device = (kind: string, name: string, fields: object): Manifest => ({
  apiVersion: 'devices.harvesterhci.io/v1beta1',
  kind,
  metadata: { name },
  ...fields,
});

const NIC = 'intel.com/82599';
const USB = { name: 'node1-0951-1666-001002', deviceName: 'kubevirt.io/node1-0951-1666-001002' };
const VGPU = 'nvidia.com/NVIDIA_A2-4Q';
const nic = (name: string): object => ({ name, deviceName: NIC });
const vm = (name: string, hostDevices: readonly object[], spec: object = {}): Manifest =>
  machine(name, { devices: { hostDevices }, spec });
const pci = (name: string): Manifest =>
  device('PCIDevice', name, { status: { resourceName: NIC } });
const claim = (name: string, spec: object = {}): Manifest =>
  device('PCIDeviceClaim', name, { spec });
const vgpu = (name: string): Manifest =>
  device('VGPUDevice', name, { spec: { enabled: true, vGPUTypeName: 'NVIDIA A2-4Q' } });

describe('a device in two machines that run', () => {
  test.each([
    ['a PCI device', nic('node1-000004000'), NIC],
    ['a USB device', USB, USB.deviceName],
    ['a device whose resource is a late value', { ...USB, deviceName: '${late:a.b.c}' }, USB.name],
  ])('does not fit: %s', (_, shared, resource) => {
    const both = on(vm('a', [shared]), vm('b', [shared]));
    expect(rows(both)).toEqual([`${resource} 1 2 2 no`]);
    expect(told(both)).toEqual([
      expect.stringMatching(
        /^error a .*hostDevices\[0\].name: cannot run at the same time as VirtualMachine default\/b/,
      ),
      expect.stringMatching(/^error b .*together they need 2 of the device .*, and dc1 has 1/),
    ]);
  });

  test.each([
    ['is stopped', { runStrategy: 'Halted' }],
    ['is started by hand', { runStrategy: 'Manual' }],
    ['does not run', { runStrategy: undefined, running: false }],
  ])('fits where one of them %s', (_, spec) => {
    const both = on(vm('a', [USB]), vm('b', [USB], spec));
    expect(rows(both)).toEqual([`${USB.deviceName} 1 1 1 yes`]);
    expect(told(both)).toEqual([]);
  });

  test('may fit where a claim that no machine names can have the same resource', () => {
    const both = on(vm('a', [nic('n-1')]), vm('b', [nic('n-1')]), claim('n-1'), claim('n-2'));
    expect(rows(both)).toEqual([`${NIC} 1 2 2 probably not`]);
    expect(told(both)).toEqual([
      expect.stringMatching(/^warning a .*unless another claimed device has the same resource/),
      expect.stringMatching(/^warning b /),
    ]);
    const alone = on(vm('a', [nic('n-1')]), vm('b', [nic('n-1')]), claim('n-1'));
    expect(rows([...alone, ...on(claim('n-2', { disableResourcePooling: true }))])).toEqual([
      `${NIC} 1 2 2 no`,
    ]);
  });

  test('is judged by the claimed devices of live nodes, of which a machine gets any', () => {
    const both = on(vm('a', [nic('n-1')]), vm('b', [nic('n-1')]));
    const live = on(pci('n-1'), pci('n-2'), claim('n-1'));
    expect(rows(both, live)).toEqual([`${NIC} 1 2 2 no`]);
    expect(rows(both, [...live, ...on(claim('n-2'))])).toEqual([`${NIC} 2 2 2 yes`]);
  });

  test('is an impact of the edit that adds the second machine', () => {
    const [one, two] = [on(vm('a', [USB])), on(vm('a', [USB]), vm('b', [USB]))];
    expect(fitImpacts(new World(one), new World(two))).toEqual([
      expect.objectContaining({
        effect: 'refuse',
        object: 'devices of nodes',
        risks: ['a machine without a device does not start: no node has one left'],
      }),
    ]);
    expect(fitImpacts(new World(two), new World(two))).toEqual([]);
    expect(fitImpacts(new World(two), new World(one))).toEqual([]);
  });
});

describe('a pool of machines with virtual GPUs', () => {
  const world = (quantity: number, rollingUpdate?: object): JudgedObject[] => [
    {
      target: RANCHER,
      manifest: machineConfig({
        vmNamespace: 'vms',
        vgpuInfo: JSON.stringify({ vGPURequests: [{ name: '', deviceName: VGPU }] }),
      }),
    },
    { target: RANCHER, manifest: guest({ machinePools: [pool({ quantity, rollingUpdate })] }) },
    ...on(machine('other')),
  ];
  const GPUS = on(vgpu('node1-000008004'), vgpu('node1-000008005'));

  test('needs one for each machine, next to virtual machines', () => {
    const other = on(vm('ai', [{ name: 'node1-000008004', deviceName: VGPU }]));
    expect(rows([...world(2), ...other], GPUS)).toEqual([`${VGPU} 2 3 4 no`]);
    expect(told([...world(2), ...other], GPUS)).toEqual([
      expect.stringMatching(
        /^error shop .*machinePools\[0\]: needs 2 of the device .*, next to VirtualMachine default\/ai: dc1 has 2/,
      ),
      expect.stringMatching(/^error ai .*at the same time as 2 machines of pool all of shop/),
    ]);
  });

  test('needs one more for a rolling update that creates first', () => {
    expect(rows(world(2), GPUS)).toEqual([`${VGPU} 2 2 3 without surge`]);
    expect(told(world(2), GPUS)).toEqual([
      expect.stringMatching(
        /^warning shop .*set rollingUpdate.maxSurge to 0 and maxUnavailable to 1/,
      ),
    ]);
    expect(rows(world(2, { maxSurge: '0', maxUnavailable: '1' }), GPUS)).toEqual([
      `${VGPU} 2 2 2 yes`,
    ]);
  });

  test('is left out where the number of virtual GPUs is not known', () => {
    expect(rows(world(2))).toEqual([]);
    expect(told(world(2))).toEqual([]);
  });
});
