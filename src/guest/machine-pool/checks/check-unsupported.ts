import { NO_PROBLEMS, Problem } from '../../../core/problem/problem';
import { Disk, NewDiskOptions } from '../../../harvester/machine/disk';
import { MachineProps } from '../../../harvester/machine/machine-props';
import { Nic } from '../../../harvester/machine/nic';
import { VolumeAccessMode, VolumeMode } from '../../../harvester/storage/storage.data';

/**
 * Checks that the node driver can create the machines of a pool: a VirtualMachine can have more.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/create.go addDisk, AddNetworkInterface; client.go patchRemovedPVCs
 */
export function checkUnsupported({ disks, nics = [], vgpus = [] }: MachineProps): Problem[] {
  return disks
    .flatMap((disk, index) => checkDisk(`disks[${index}]`, disk, index))
    .concat(
      nics.flatMap((nic, index) => checkNic(`nics[${index}]`, nic, index)),
      vgpus.flatMap(({ _device }, index) =>
        fixed(
          `vgpus[${index}]`,
          'device',
          _device,
          undefined,
          'Harvester chooses a device for each machine',
        ),
      ),
    );
}

function checkDisk(
  path: string,
  { _claim: claim, _volume: volume, _container: container, _options }: Disk,
  index: number,
): Problem[] {
  const { name, cache, shareable, hotPluggable = false } = _options;
  if (!claim) {
    const other = container === undefined ? 'an empty CD-ROM drive' : 'a container image';
    const what = volume ? 'a volume, which only one machine could use' : other;
    return [
      {
        path,
        value: volume?.name,
        message: `cannot be ${what}: the node driver creates the volumes of each machine`,
        fix: 'use Disk.image, Disk.empty or Disk.cdRom',
      },
    ];
  }
  const { volumeName, accessMode, volumeMode, deleteWithMachine }: NewDiskOptions = claim.options;
  return [
    ...fixed(path, 'name', name, `disk-${index}`, 'the node driver names the disks'),
    ...fixed(path, 'cache', cache, undefined, 'the node driver sets no cache'),
    ...fixed(
      path,
      'shareable',
      shareable,
      false,
      'the node driver creates the volumes of each machine',
    ),
    ...fixed(
      path,
      'volumeName',
      volumeName,
      undefined,
      'the node driver names the volumes of each machine',
    ),
    ...fixed(
      path,
      'accessMode',
      accessMode,
      VolumeAccessMode.READ_WRITE_MANY,
      'the node driver creates such volumes only',
    ),
    ...fixed(
      path,
      'volumeMode',
      volumeMode,
      VolumeMode.BLOCK,
      'the node driver creates such volumes only',
    ),
    ...fixed(
      path,
      'deleteWithMachine',
      deleteWithMachine,
      !hotPluggable,
      'the node driver keeps the volumes of hot-pluggable disks, and deletes all others',
    ),
  ];
}

function checkNic(path: string, { _network: network, _options }: Nic, index: number): Problem[] {
  const { name, bootOrder, managedTap, staticAddress, bridged } = _options;
  return [
    ...(network
      ? []
      : [
          {
            path,
            message:
              'cannot be in the management network: Rancher could not reach the machines there',
            fix: 'use Nic.network with a VmNetwork',
          },
        ]),
    ...fixed(path, 'name', name, `nic-${index}`, 'the node driver names the NICs'),
    ...fixed(
      path,
      'bootOrder',
      bootOrder,
      undefined,
      'the node driver boots machines from disks only',
    ),
    ...fixed(path, 'managedTap', managedTap, false, 'the node driver binds NICs by bridges only'),
    ...fixed(path, 'staticAddress', staticAddress, undefined, 'the machines would share it'),
    ...fixed(path, 'bridged', bridged, undefined, 'it is for the management network'),
  ];
}

/** An option whose value the node driver fixes. */
function fixed<T extends string | number | boolean>(
  path: string,
  option: string,
  value: T | undefined,
  only: T | undefined,
  why: string,
): readonly Problem[] {
  if (value === undefined || value === only) {
    return NO_PROBLEMS;
  }
  const message = only === undefined ? 'cannot be set in a pool' : `must be ${only} in a pool`;
  return [
    {
      path: `${path}.${option}`,
      value,
      message: `${message}: ${why}`,
      fix: 'remove it, or use VirtualMachine',
    },
  ];
}
