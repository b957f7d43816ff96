import './registry/register';
export {
  DeviceClaimProps,
  ExistingPciDeviceClaimOptions,
  PciDeviceClaim,
  PciDeviceClaimProps,
  UsbDeviceClaim,
  UsbDeviceClaimProps,
} from './harvester/device/device-claim';
