import { isLate } from '../../core/late/late-token';
import { NO_PROBLEMS, Problem } from '../../core/problem/problem';

const PCI_ADDRESS = /^[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/;
const UID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const RESOURCE_NAME = /^[a-z0-9.-]+\/[-A-Za-z0-9_.]+$/;

/**
 * The name that Harvester gives a PCI device.
 * @see harvester/pcidevices:pkg/apis/devices.harvesterhci.io/v1beta1/pcidevice.go PCIDeviceNameForHostname
 */
export function pciDeviceName(node: string, address: string): string {
  return `${node}-${address.replace(/[:.]/g, '')}`;
}

/** Checks the address of a PCI device. */
export function checkPciAddress(path: string, address: string): readonly Problem[] {
  if (isLate(address) || PCI_ADDRESS.test(address)) {
    return NO_PROBLEMS;
  }
  return [
    {
      path,
      value: address,
      message: 'must be a PCI address in lower case, <domain>:<bus>:<device>.<function>',
      fix: 'use the status.address of the PCIDevice, e.g. 0000:04:01.0',
    },
  ];
}

/** Checks the UID of a device. */
export function checkUid(uid: string | undefined): readonly Problem[] {
  if (uid === undefined || isLate(uid) || UID.test(uid)) {
    return NO_PROBLEMS;
  }
  return [
    {
      path: 'deviceUid',
      value: uid,
      message: 'must be a UID',
      fix: 'use the metadata.uid of the device, or remove it: apply reads it',
    },
  ];
}

/** Checks the resource name of a device. */
export function checkResourceName(path: string, value: string | undefined, fix: string): Problem[] {
  return value === undefined || isLate(value) || RESOURCE_NAME.test(value)
    ? []
    : [{ path, value, message: 'must be a resource name, <vendor>/<type>', fix }];
}

/** Checks the resource name of a PCI device. */
export function checkPciResourceName(path: string, value: string | undefined): Problem[] {
  return checkResourceName(path, value, 'use the status.resourceName of the PCIDevice');
}
