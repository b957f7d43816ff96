import { KeptObjects, deletes } from '../../core/kind/description/removal';
import { KindDescription, ON_HARVESTER } from '../../core/kind/kind';
import { byStatus } from '../../core/kind/ready/readiness';
import { Manifest, valueAt } from '../../core/manifest/manifest';

/**
 * The API group of Harvester's devices.
 * @see harvester/pcidevices:pkg/apis/devices.harvesterhci.io/v1beta1
 */
export const GROUP_DEVICES = 'devices.harvesterhci.io';

export const API_DEVICES = `${GROUP_DEVICES}/v1beta1`;

/**
 * Prefix of the resource names of USB devices.
 * @see harvester/pcidevices:pkg/controller/usbdevice/register.go KubeVirtResourcePrefix
 */
export const USB_RESOURCE_PREFIX = 'kubevirt.io/';

/**
 * Label of a virtual GPU: its GPU.
 * @see harvester/pcidevices:pkg/apis/devices.harvesterhci.io/v1beta1/sriovgpudevice.go ParentSRIOVGPUDeviceLabel
 */
export const LABEL_PARENT_GPU = 'harvesterhci.io/parentSRIOVGPUDevice';

/** The kinds of devices that others refer to. */
export const DEVICE_KIND = {
  PCI: 'PCIDevice',
  PCI_CLAIM: 'PCIDeviceClaim',
  USB: 'USBDevice',
  USB_CLAIM: 'USBDeviceClaim',
  VGPU: 'VGPUDevice',
  MIG: 'MigConfiguration',
} as const;

/** The kinds of devices, and of their claims. */
export const CLAIMED = [
  [DEVICE_KIND.PCI, DEVICE_KIND.PCI_CLAIM],
  [DEVICE_KIND.USB, DEVICE_KIND.USB_CLAIM],
] as const;

/** What Harvester makes for each node and device. */
export const MADE_BY_HARVESTER: readonly KeptObjects[] = [
  { says: 'Harvester creates one for each node or device' },
];

/** The add-on that serves the kinds comes before them, and machines with devices after them. */
const DEVICE = {
  group: GROUP_DEVICES,
  version: 'v1beta1',
  scope: 'Cluster',
  targets: ON_HARVESTER,
  stage: 'devices',
} as const;

const whenEnabled =
  (on: string, off: string) =>
  (live: Manifest): string =>
    valueAt(live, 'spec', 'enabled') === true ? on : off;

const CLAIM = {
  ...DEVICE,
  rank: 36,
  deletion: deletes(
    'Harvester gives the device back to its node, and refuses it while a virtual machine has the device',
  ),
} as const;

/** The kinds of devices of nodes, which virtual machines use. */
export const DEVICE_DESCRIPTIONS: readonly KindDescription[] = [
  {
    ...CLAIM,
    kind: DEVICE_KIND.PCI_CLAIM,
    owner: DEVICE_KIND.PCI,
    // @see harvester/pcidevices:pkg/webhook/pcideviceclaim.go Delete
    refusedWhileOwned: {
      owner: DEVICE_KIND.VGPU,
      says: 'Harvester refuses to delete the claim of a virtual GPU by itself',
    },
    writtenByOthers: ['metadata.annotations[pcidevice.harvesterhci.io/override-resource-name]'],
    ready: byStatus('passthroughEnabled', () => true),
  },
  { ...DEVICE, kind: DEVICE_KIND.PCI, rank: 45, kept: MADE_BY_HARVESTER },
  {
    ...CLAIM,
    kind: DEVICE_KIND.USB_CLAIM,
    owner: DEVICE_KIND.USB,
    immutable: [
      {
        id: 'usb-device-claim/update',
        what: 'the user of a USBDeviceClaim is immutable',
        says: 'username is immutable',
        source: 'harvester/pcidevices:pkg/webhook/usbdeviceclaim.go',
        fields: [{ path: 'spec.userName', omitted: 'changes' }],
        fix: 'keep the user name',
      },
    ],
  },
  { ...DEVICE, kind: DEVICE_KIND.USB, rank: 45, kept: MADE_BY_HARVESTER },
  {
    ...DEVICE,
    kind: DEVICE_KIND.VGPU,
    rank: 37,
    kept: MADE_BY_HARVESTER,
    ready: byStatus('vGPUStatus', whenEnabled('vGPUConfigured', '')),
  },
  { ...DEVICE, kind: 'SRIOVNetworkDevice', rank: 35, kept: MADE_BY_HARVESTER },
  { ...DEVICE, kind: 'SRIOVGPUDevice', rank: 35, kept: MADE_BY_HARVESTER },
  {
    ...DEVICE,
    kind: DEVICE_KIND.MIG,
    rank: 36,
    kept: MADE_BY_HARVESTER,
    ready: byStatus('status', whenEnabled('synced', 'disabled')),
  },
];
