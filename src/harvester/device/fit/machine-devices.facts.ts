import { Manifest, records, valueAt } from '../../../core/manifest/manifest';
import { instanceOf } from '../../virtual-machine/machine-manifest.facts';

/** The fields of a VM with devices of nodes: those that are passed through, and virtual GPUs. */
const DEVICE_FIELDS = ['hostDevices', 'gpus'] as const;

/** A device of a node that a VM names. */
export interface MachineDevice {
  /** The name of the device, which is also that of its claim. */
  readonly name: unknown;
  /** The resource name, by which Kubernetes allocates a device. */
  readonly deviceName: unknown;
  readonly path: string;
}

/** The host devices and virtual GPUs of a VM. */
export function devicesOf(machine: Manifest): MachineDevice[] {
  const devices = valueAt(instanceOf(machine), 'domain', 'devices');
  return DEVICE_FIELDS.flatMap((field) =>
    records(devices, field).map(([index, { name, deviceName }]) => ({
      name,
      deviceName,
      path: `spec.template.spec.domain.devices.${field}[${index}]`,
    })),
  );
}
