import { VirtualMachineProps, VmHostDevice } from './virtual-machine-props';
import { deviceOf } from './virtual-machine-spec';
import { IHarvesterTarget } from '../../../core/construct/target';
import { Problem } from '../../../core/problem/problem';
import { checkPciResourceName } from '../../device/device-claim.check';
import { checkSameHarvester } from '../../harvester-object';

/** Checks the devices of a host that a VM uses. */
export function checkDevices(
  { hostDevices = [], vgpus = [] }: VirtualMachineProps,
  harvester: IHarvesterTarget,
): Problem[] {
  return [
    ...checkUnique(
      hostDevices.map((device) => deviceOf(device).name),
      (index) => `hostDevices[${index}].name`,
    ),
    ...hostDevices.flatMap((device, index) =>
      checkHostDevice(`hostDevices[${index}]`, device, harvester),
    ),
    ...checkUnique(
      vgpus.map(({ _device }) => _device),
      (index) => `vgpus[${index}].device`,
    ),
    ...vgpus.flatMap(({ _device }, index) => {
      if (_device === undefined) {
        return [
          {
            path: `vgpus[${index}].device`,
            message: 'must be set: a VirtualMachine names its devices',
            fix: 'set the name of a VGPUDevice, e.g. node1-00000a004',
          },
        ];
      }
      return [];
    }),
  ];
}

function checkHostDevice(
  path: string,
  device: VmHostDevice,
  harvester: IHarvesterTarget,
): readonly Problem[] {
  const { claim } = device;
  const missing = (['name', 'deviceName'] as const).filter((prop) =>
    claim ? device[prop] !== undefined : device[prop] === undefined,
  );
  return [
    ...missing.map((prop) => ({
      path: `${path}.${prop}`,
      value: device[prop],
      message: claim
        ? 'cannot be set together with claim, which has it'
        : 'must be set without claim',
      fix: claim ? 'remove it' : 'set claim, e.g. a PciDeviceClaim, or name and deviceName',
    })),
    ...(claim ? checkSameHarvester(`${path}.claim`, claim.name, claim.harvester, harvester) : []),
    ...checkPciResourceName(
      claim ? `${path}.claim.resourceName` : `${path}.deviceName`,
      deviceOf(device).deviceName,
    ),
  ];
}

function checkUnique(
  names: readonly (string | undefined)[],
  pathOf: (index: number) => string,
): Problem[] {
  return names.flatMap((name, index) => {
    if (name === undefined || names.indexOf(name) === index) {
      return [];
    }
    return [
      {
        path: pathOf(index),
        value: name,
        message: 'must be unique: another device has this name',
        fix: 'list each device once',
      },
    ];
  });
}
