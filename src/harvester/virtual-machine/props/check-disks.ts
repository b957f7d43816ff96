import { checkLabel, checkOnHarvester, checkSameNamespace, checkGate } from './check-references';
import { SYSPREP_VOLUME } from '../machine-manifest.facts';
import { VirtualMachineProps } from './virtual-machine-props';
import { MachineIdentity, PlacedDisk, cloudInitDisk, placedDisks } from './virtual-machine-spec';
import { IHarvesterTarget } from '../../../core/construct/target';
import { isRecord } from '../../../core/manifest/manifest';
import { Problem } from '../../../core/problem/problem';
import { Disk } from '../../machine/disk';
import { HarvesterGate } from '../../version/harvester-version';
import { checkSize } from '../../volume/volume';

/** Checks the disks of a VM. */
export function checkVmDisks(
  machine: MachineIdentity,
  props: VirtualMachineProps,
  harvester: IHarvesterTarget,
): Problem[] {
  const foreign = props.disks.flatMap((disk, index) =>
    isDisk(disk) ? [] : [foreignDisk(`disks[${index}]`, disk)],
  );
  if (foreign.length > 0) {
    return foreign;
  }
  const disks = placedDisks(machine, props.disks);
  if (disks.length === 0) {
    return [
      {
        path: 'disks',
        message: 'must have at least one disk',
        fix: 'add a disk, e.g. Disk.image(image, Size.gibibytes(40))',
      },
    ];
  }
  const claims = disks.map(({ claimName }) => claimName);
  return disks.flatMap((placed, index) => [
    ...checkDisk(
      `disks[${index}]`,
      placed,
      { machine, taken: [cloudInitDisk(props), SYSPREP_VOLUME] },
      harvester,
    ),
    ...(placed.claimName === undefined || claims.indexOf(placed.claimName) === index
      ? []
      : [
          {
            path: `disks[${index}]`,
            value: placed.claimName,
            message: 'must be unique: another disk has this volume',
            fix: 'use a different volume for each disk',
          },
        ]),
  ]);
}

/** By property, not by class: two copies of the library in one program have two classes. */
export function isDisk(disk: unknown): disk is Disk {
  return isRecord(disk) && '_cdRom' in disk && isRecord(disk._options);
}

/** Only a program in JavaScript gets this far: the compiler of any other language refuses it. */
function foreignDisk(path: string, disk: unknown): Problem {
  return {
    path,
    message: `must be a Disk, got ${foreignType(disk)}`,
    fix: 'use Disk, e.g. Disk.image(image, Size.gibibytes(40))',
  };
}

function foreignType(value: unknown): string {
  if (value === null) {
    return 'null';
  }
  return Array.isArray(value) ? 'a list' : typeof value;
}

interface DiskPlace {
  readonly machine: MachineIdentity;
  /** The names of disks that the construct adds. */
  readonly taken: readonly string[];
}

function checkDisk(
  path: string,
  { disk, name, claimName }: PlacedDisk,
  { machine, taken }: DiskPlace,
  harvester: IHarvesterTarget,
): Problem[] {
  const { _claim: claim, _volume: volume } = disk;
  return [
    ...checkLabel(`${path}.name`, name),
    ...(taken.includes(name)
      ? [
          {
            path: `${path}.name`,
            value: name,
            message: `cannot be used: it is the name of the disk with ${name === SYSPREP_VOLUME ? 'the answer file of Windows' : 'cloud-init'}`,
            fix: 'choose another name',
          },
        ]
      : []),
    ...(claim &&
    claimName !== undefined &&
    !/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(claimName)
      ? [
          {
            path: `${path}.volumeName`,
            value: claimName,
            message: 'must be a valid name of a PersistentVolumeClaim',
            fix: 'use a-z, 0-9, hyphens and dots',
          },
        ]
      : []),
    ...(claim ? checkSize(`${path}.size`, claim.size) : []),
    ...checkOnHarvester(path, claim?.image?.imageId, claim?.image?.harvester, harvester),
    ...checkOnHarvester(path, claim?.storageClass?.name, claim?.storageClass?.harvester, harvester),
    ...checkOnHarvester(path, volume?.name, volume?.harvester, harvester),
    ...checkSameNamespace(path, volume?.name, volume?.namespace, machine),
    ...(['hotPluggable', 'shareable'] as const).flatMap((option) => {
      if (disk._options[option] && disk._container !== undefined) {
        return [
          {
            path: `${path}.${option}`,
            message: 'cannot be set for a container image',
            fix: `remove ${option}`,
          },
        ];
      }
      return [];
    }),
    ...(!claim && !volume && disk._container === undefined
      ? checkGate(path, HarvesterGate.EMPTY_CD_ROM, harvester, 'use Disk.cdRom')
      : []),
  ];
}
