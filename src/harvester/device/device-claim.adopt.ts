import { DEVICE_KIND, GROUP_DEVICES, USB_RESOURCE_PREFIX } from './device.kind';
import {
  DraftProps,
  DraftValue,
  FoundObject,
  booleanAt,
  byName,
  declare,
  Inverse,
  inverseOf,
  listAt,
  referOn,
  Surroundings,
  textAt,
  unless,
} from '../../core/draft/draft';
import { kindKey, valueAt } from '../../core/manifest/manifest';
import { descriptionProp } from '../harvester-object.adopt';

/** From a PCIDeviceClaim to the construct. */
export const PCI_DEVICE_CLAIM_INVERSE: Inverse = {
  kinds: [kindKey(GROUP_DEVICES, DEVICE_KIND.PCI_CLAIM)],
  drafts: (object, around) => {
    const { target, manifest } = object;
    const [node, address] = [
      textAt(manifest, 'spec', 'nodeName'),
      textAt(manifest, 'spec', 'address'),
    ];
    if (node === undefined || address === undefined) {
      return [];
    }
    return declare(
      object,
      'PciDeviceClaim',
      {
        node: referOn(target, '/Node', node),
        address,
        resourceName: resourceNameOf(target, manifest.metadata.name, around),
        resourcePooling: booleanAt(manifest, 'spec', 'disableResourcePooling') ? false : undefined,
        ...claimProps(object),
      },
      { isNamedById: false },
    );
  },
  existing: byName('PciDeviceClaim'),
};

/** From a USBDeviceClaim to the construct. */
export const USB_DEVICE_CLAIM_INVERSE = inverseOf(
  'UsbDeviceClaim',
  kindKey(GROUP_DEVICES, DEVICE_KIND.USB_CLAIM),
  (_, object) => claimProps(object),
);

/** The UID is read from the device: another one means that the device was recreated. */
function claimProps(object: FoundObject): DraftProps {
  const username = valueAt(object.manifest, 'spec', 'userName');
  return {
    ...descriptionProp(object),
    username: typeof username === 'string' ? unless(username, 'admin') : undefined,
    adopted:
      listAt(object.manifest, 'metadata', 'ownerReferences').length > 0
        ? undefined
        : { owned: false },
  };
}

/** The resource name that Harvester gave a PCI device. */
function resourceNameOf(target: string, name: string, around: Surroundings): string | undefined {
  const device = around.find({ target, group: GROUP_DEVICES, kind: DEVICE_KIND.PCI, name });
  return device && textAt(device.manifest, 'status', 'resourceName');
}

/** A host device of a virtual machine: its claim where that has the same names. */
export function hostDeviceProps(
  target: string,
  name: string,
  deviceName: string,
  around: Surroundings,
): { readonly [prop: string]: DraftValue } {
  const isUsb = deviceName === `${USB_RESOURCE_PREFIX}${name}`;
  const kind = isUsb ? DEVICE_KIND.USB_CLAIM : DEVICE_KIND.PCI_CLAIM;
  const isClaimed =
    around.find({ target, group: GROUP_DEVICES, kind, name }) &&
    (isUsb || resourceNameOf(target, name, around) === deviceName);
  return isClaimed
    ? { claim: referOn(target, kindKey(GROUP_DEVICES, kind), name) }
    : { name, deviceName };
}
