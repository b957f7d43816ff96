import { instanceOf, claimsOf, MACHINE_KINDS, VM_VALIDATOR } from './machine-manifest.facts';
import { isLate } from '../../core/late/late-token';
import { Manifest, records, valueAt } from '../../core/manifest/manifest';
import { NO_PROBLEMS, Problem } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { JudgedObject, World } from '../../core/rule/rule';
import {
  BUILT_IN_STORAGE_CLASSES,
  GROUP_STORAGE,
  LONGHORN_PROVISIONER,
} from '../storage/storage.kind';
import { HarvesterGate } from '../version/harvester-version';

/** A disk that several virtual machines may have, its position, and the claim of its volume. */
interface ShareableDisk {
  readonly index: number;
  readonly name: string;
  readonly disk: { readonly [field: string]: unknown };
  readonly claim?: string;
}

/** The shareable disks of a virtual machine. */
export function shareableDisksOf(machine: Manifest): ShareableDisk[] {
  const instance = instanceOf(machine);
  const shared = disksOf(machine).filter(([, { shareable }]) => shareable === true);
  if (shared.length === 0) {
    return [];
  }
  const claims = new Map(
    records(instance.volumes).map(([, volume]) => [
      volume.name,
      valueAt(volume, 'persistentVolumeClaim', 'claimName'),
    ]),
  );
  return shared.map(([index, disk]) => {
    const claim = claims.get(disk.name);
    return {
      index,
      name: String(disk.name),
      disk,
      ...(typeof claim === 'string' ? { claim } : {}),
    };
  });
}

function disksOf(machine: Manifest): ReturnType<typeof records> {
  return records(instanceOf(machine), 'domain', 'devices', 'disks');
}

const DISKS = 'spec.template.spec.domain.devices.disks';

function* judgeDisk(
  { index, name, disk, claim }: ShareableDisk,
  ordered: boolean,
): Iterable<Problem> {
  const path = `${DISKS}[${index}]`;
  if (disk.bootOrder === 1 || (!ordered && index === 0)) {
    yield {
      path,
      message: `cannot boot from the shareable disk ${name}`,
      fix: 'give another disk bootOrder 1',
      says: `disk ${name} cannot be shareable: a shareable disk cannot be used as the boot disk`,
    };
  }
  const { cache } = disk;
  if (cache !== undefined && cache !== '' && cache !== 'none' && !isLate(cache)) {
    yield {
      path: `${path}.cache`,
      value: cache,
      message: 'must be none on a shareable disk',
      fix: 'remove it',
      says: `disk ${name} cannot be shareable: a shareable disk requires cache mode none, got ${String(cache)}`,
    };
  }
  if (claim === undefined) {
    yield {
      path,
      message: `must have a PersistentVolumeClaim: the disk ${name} is shareable`,
      fix: 'use a volume of a claim, or remove shareable',
      says: `disk ${name} cannot be shareable: a shareable disk must be backed by a persistent volume claim`,
    };
  }
}

function judgeVolume(
  { name, claim }: ShareableDisk,
  object: JudgedObject,
  world: World,
): Iterable<Problem> {
  if (claim === undefined || isLate(claim)) {
    return NO_PROBLEMS;
  }
  const { namespace = 'default' } = object.manifest.metadata;
  const index = records(instanceOf(object.manifest).volumes).findIndex(
    ([, volume]) => volume.name === name,
  );
  const path = `spec.template.spec.volumes[${index}].persistentVolumeClaim.claimName`;
  const volume = world.find(object, '', 'PersistentVolumeClaim', namespace, claim)?.manifest.spec;
  return volume
    ? judgeShared(path, claim, volume, object, world)
    : judgeMissing(path, claim, object, world);
}

/** Judges a claim that is not known: the VM itself may create it. */
function judgeMissing(
  path: string,
  claim: string,
  object: JudgedObject,
  world: World,
): Iterable<Problem> {
  const isOwn = claimsOf(object.manifest).some((template) => template.name === claim);
  if (!isOwn || world.exists(object)) {
    return NO_PROBLEMS;
  }
  const { namespace = 'default' } = object.manifest.metadata;
  return [
    {
      path,
      value: claim,
      message:
        'must exist before the VM: a shareable disk cannot have a volume that is created with the VM',
      fix: 'declare the volume separately',
      says: `PVC ${namespace}/${claim} does not exist: a shareable disk requires an existing volume`,
    },
  ];
}

/** Judges the volume of a shareable disk. */
function judgeShared(
  path: string,
  claim: string,
  volume: unknown,
  object: JudgedObject,
  world: World,
): Iterable<Problem> {
  const at = { path, value: claim };
  const { namespace = 'default' } = object.manifest.metadata;
  const modes = valueAt(volume, 'accessModes');
  const isShared = Array.isArray(modes) && modes.includes('ReadWriteMany');
  if (!isShared || isLonghorns(object, world, valueAt(volume, 'storageClassName'))) {
    return [
      {
        ...at,
        message:
          'must be a ReadWriteMany volume of another provisioner than Longhorn: the disk is shareable',
        fix: 'use a volume of another StorageClass',
        says: `PVC ${namespace}/${claim} cannot back a shareable disk: a ReadWriteMany volume from a provisioner other than Longhorn is required`,
      },
    ];
  }
  const mode = valueAt(volume, 'volumeMode');
  if (mode === 'Block' || isLate(mode)) {
    return NO_PROBLEMS;
  }
  return [
    {
      ...at,
      message: 'must have the volumeMode Block: the disk is shareable',
      fix: 'use a volume of this mode',
      says: `PVC ${namespace}/${claim} cannot back a shareable disk: volumeMode must be Block`,
    },
  ];
}

/** Whether a StorageClass is known to be of Longhorn, as the built-in and the default class are. */
export function isLonghorns(object: JudgedObject, world: World, storageClass: unknown): boolean {
  if (typeof storageClass !== 'string' || BUILT_IN_STORAGE_CLASSES.includes(storageClass)) {
    return true;
  }
  return (
    world.find(object, GROUP_STORAGE, 'StorageClass', undefined, storageClass)?.manifest
      .provisioner === LONGHORN_PROVISIONER
  );
}

/** Rules on disks that several virtual machines may have. */
export const SHAREABLE_DISK_RULES = rules(
  { kinds: MACHINE_KINDS, surelyOn: 'harvester', unknownVersion: 'warning' },
  [
    {
      id: 'virtual-machine/shareable-disk',
      what: 'a shareable disk is an existing ReadWriteMany block volume that is not of Longhorn, has no cache, and is not the disk that boots',
      source: `${VM_VALIDATOR} checkShareableVolumes; harvester/harvester:pkg/util/virtualmachine/virtualmachine.go CheckShareableVolume (1.9.0)`,
      gate: HarvesterGate.SHAREABLE_DISK_CHECKED,
      *judge(object, world) {
        const ordered = disksOf(object.manifest).some(
          ([, { bootOrder }]) => bootOrder !== undefined,
        );
        for (const each of shareableDisksOf(object.manifest)) {
          yield* judgeDisk(each, ordered);
          yield* judgeVolume(each, object, world);
        }
      },
    },
    {
      id: 'virtual-machine/empty-cd-rom',
      what: 'an empty CD-ROM drive, and one whose volume is hot-pluggable, is on SATA',
      source:
        'harvester/harvester:pkg/util/virtualmachine/virtualmachine.go SupportInsertCdRomVolume, SupportEjectCdRomVolume (1.8.0)',
      gate: HarvesterGate.EMPTY_CD_ROM,
      *judge({ manifest }: JudgedObject): Iterable<Problem> {
        const volumes = new Map(
          records(instanceOf(manifest).volumes).map(([, volume]) => [volume.name, volume]),
        );
        for (const [index, { name, cdrom }] of disksOf(manifest)) {
          const volume = volumes.get(name);
          const bus = valueAt(cdrom, 'bus');
          const isHot = valueAt(volume, 'persistentVolumeClaim', 'hotpluggable') === true;
          // KubeVirt fills in a missing one
          if (
            typeof bus !== 'string' ||
            bus === '' ||
            bus === 'sata' ||
            isLate(bus) ||
            isLate(name) ||
            (volume && !isHot)
          ) {
            continue;
          }
          yield {
            path: `${DISKS}[${index}].cdrom.bus`,
            value: bus,
            message: `must be sata: the ${isHot ? 'volume of the CD-ROM is hot-pluggable' : 'CD-ROM drive is empty'}`,
            fix: 'set it to sata',
            says: isHot
              ? 'hotpluggable cd-rom volume should connect via SATA bus'
              : 'empty cd-rom device should connect via SATA bus',
          };
        }
      },
    },
  ],
);
