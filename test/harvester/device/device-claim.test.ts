import { Size } from 'cdk8s';
import {
  PciDeviceClaim,
  PciDeviceClaimProps,
  UsbDeviceClaim,
} from '../../../src/harvester/device/device-claim';
import { Disk } from '../../../src/harvester/machine/disk';
import { HarvesterNode } from '../../../src/harvester/node/node';
import { VirtualMachine } from '../../../src/harvester/virtual-machine/virtual-machine';
import { newApp, newHarvester } from '../../support/programs';

const API = 'devices.harvesterhci.io/v1beta1';
const UID = '0d1c2b3a-1111-2222-3333-444455556666';

function claimIn(props: Partial<PciDeviceClaimProps> = {}) {
  const dc1 = newHarvester(newApp());
  const claim = new PciDeviceClaim(dc1, 'gpu', {
    node: HarvesterNode.fromName(dc1, 'node', { name: 'node1' }),
    address: '0000:04:01.0',
    ...props,
  });
  return { dc1, claim };
}

test('claims a PCI device by the name that Harvester gives it, owned by the device', () => {
  const { dc1, claim } = claimIn({
    deviceUid: UID,
    resourceName: 'nvidia.com/GP104',
    username: 'ana',
    resourcePooling: false,
  });
  expect(dc1.toJson()).toEqual([
    {
      apiVersion: API,
      kind: 'PCIDeviceClaim',
      metadata: {
        name: 'node1-000004010',
        ownerReferences: [
          { apiVersion: API, kind: 'PCIDevice', name: 'node1-000004010', uid: UID },
        ],
      },
      spec: {
        address: '0000:04:01.0',
        nodeName: 'node1',
        userName: 'ana',
        disableResourcePooling: true,
      },
    },
  ]);
  expect([claim.name, claim.resourceName]).toEqual(['node1-000004010', 'nvidia.com/GP104']);
});

test('knows the resource name of a USB device, and reads what else is live', () => {
  const dc1 = newHarvester(newApp());
  const claim = new UsbDeviceClaim(dc1, 'dongle', { name: 'node1-0951-1666-001002' });
  expect(claim.resourceName).toBe('kubevirt.io/node1-0951-1666-001002');
  expect(UsbDeviceClaim.fromName(dc1, 'there', { name: 'node1-a' }).resourceName).toBe(
    'kubevirt.io/node1-a',
  );
  expect(dc1.toJson()[0]).toMatchObject({
    metadata: {
      ownerReferences: [{ kind: 'USBDevice', uid: expect.stringContaining('deviceuid') }],
    },
    spec: { userName: 'admin' },
  });
  expect(PciDeviceClaim.fromName(dc1, 'pci', { name: 'node1-b' }).resourceName).toContain(
    'resourcename',
  );
});

test('refuses addresses, resource names and UIDs that no device has', () => {
  expect(() => claimIn({ address: '04:01.0' })).toThrow(
    '[dc1/gpu] address: must be a PCI address in lower case, <domain>:<bus>:<device>.<function>, got "04:01.0"',
  );
  expect(() => claimIn({ deviceUid: 'x', resourceName: 'y' })).toThrow(
    /deviceUid: must be a UID, got "x"[^]*resourceName: must be a resource name/,
  );
});

const MACHINE = { cpus: 1, memory: Size.gibibytes(1), disks: [Disk.empty(Size.gibibytes(1))] };

test('gives a virtual machine the devices of claims', () => {
  const { dc1, claim } = claimIn({ deviceUid: UID, resourceName: 'nvidia.com/GP104' });
  const machine = new VirtualMachine(dc1, 'vm', {
    ...MACHINE,
    hostDevices: [{ claim }, { name: 'node1-a', deviceName: 'intel.com/X710' }],
  });
  expect(machine.apiObject.toJson()).toMatchObject({
    spec: {
      template: {
        spec: {
          domain: {
            devices: {
              hostDevices: [
                { name: 'node1-000004010', deviceName: 'nvidia.com/GP104' },
                { name: 'node1-a', deviceName: 'intel.com/X710' },
              ],
            },
          },
        },
      },
    },
  });
});

test('refuses a claim together with names, without either, twice, and of another Harvester', () => {
  const { dc1, claim } = claimIn({ resourceName: 'nvidia.com/GP104' });
  const withDevices =
    (hostDevices: object[], chart = dc1) =>
    () =>
      new VirtualMachine(chart, `vm-${chart.node.children.length}`, { ...MACHINE, hostDevices });
  expect(withDevices([{ claim, name: 'a' }])).toThrow(
    'hostDevices[0].name: cannot be set together with claim, which has it, got "a"',
  );
  expect(withDevices([{ name: 'a' }])).toThrow(
    'hostDevices[0].deviceName: must be set without claim',
  );
  expect(withDevices([{ claim }, { claim }])).toThrow(
    'hostDevices[1].name: must be unique, got "node1-000004010": another device has this name',
  );
  expect(withDevices([{ claim }], newHarvester(newApp(), '1.7.2', 'dc2'))).toThrow(
    'hostDevices[0].claim: must be on the same Harvester, dc2, got "node1-000004010": it is on dc1',
  );
});
