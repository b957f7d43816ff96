import { VOLUME_BACKUP_KIND, VOLUME_BACKUP_VALIDATOR, backupOf } from './backup.kind';
import { valueAt } from '../../core/manifest/manifest';
import { GROUPS, DEFAULT_NAMESPACE } from '../../core/manifest/names';
import { rules } from '../../core/rule/kit/fact';
import { refersTo, levelIfMissing } from '../../core/rule/kit/relations';
import { text } from '../../core/rule/kit/values';
import { JudgedObject, Rule } from '../../core/rule/rule';
import {
  GROUP_KUBEVIRT,
  KIND_VIRTUAL_MACHINE,
  claimNamesOf,
  claimsOf,
} from '../virtual-machine/machine-manifest.facts';
import { shareableDisksOf } from '../virtual-machine/shareable-disk.rules';

const BACKUPS = [GROUPS.HARVESTER, VOLUME_BACKUP_KIND.BACKUP] as const;
const spaceOf = ({ manifest }: Pick<JudgedObject, 'manifest'>): string =>
  manifest.metadata.namespace ?? DEFAULT_NAMESPACE;

/** Rules on backups, snapshots and data of single volumes. */
export const VOLUME_BACKUP_RULES: readonly Rule[] = [
  ...rules({ source: VOLUME_BACKUP_VALIDATOR, creation: true }, [
    {
      id: 'volume-backup/source',
      kinds: [BACKUPS.join('/')],
      what: 'a VolumeRemoteBackup names a volume of its namespace',
      field: 'spec.source',
      required: {
        message: 'must be set: the volume',
        fix: 'set the name of a PersistentVolumeClaim',
        says: 'spec.source is required',
      },
      check: refersTo(['', 'PersistentVolumeClaim'], {
        namespace: spaceOf,
        ifAny: true,
        problem: (_, object) => ({
          message: `must be the name of a volume in ${spaceOf(object)}`,
          fix: 'use the name of a PersistentVolumeClaim',
          says: 'failed to get PVC',
        }),
      }),
    },
    {
      id: 'volume-restore/from',
      kinds: [`${GROUPS.HARVESTER}/${VOLUME_BACKUP_KIND.RESTORE}`],
      what: 'a VolumeRemoteRestore names a backup that succeeded',
      field: 'spec.from',
      required: {
        message: 'must be set: the backup',
        fix: 'set <namespace>/<name> of a VolumeRemoteBackup',
        says: 'spec.from is required',
      },
      check: text((path, value, object, world) => {
        const {
          name,
          namespaces: [namespace],
        } = backupOf(object.manifest)[0]!;
        const backup = world.find(object, ...BACKUPS, namespace, name);
        const [at, where] = [{ path, value }, `${String(namespace)}/${name}`];
        if (!backup) {
          const level = levelIfMissing(object, world, BACKUPS, namespace, name);
          return (
            level && {
              ...at,
              level,
              message: `must name a VolumeRemoteBackup: ${where} is not known`,
              fix: 'correct the name',
              says: `failed to get PVCBackup ${where}`,
            }
          );
        }
        return (
          valueAt(backup.manifest, 'status') !== undefined &&
          valueAt(backup.manifest, 'status', 'success') !== true && {
            ...at,
            message: `must name a backup that succeeded: ${where} has not`,
            fix: 'wait for the backup',
            says: `PVCBackup ${where} is not ready`,
          }
        );
      }),
    },
    {
      id: 'volume-restore/name',
      kinds: [`${GROUPS.HARVESTER}/${VOLUME_BACKUP_KIND.RESTORE}`],
      what: 'the name of a VolumeRemoteRestore is not that of a backup in its namespace',
      field: 'metadata.name',
      check: text(
        (path, value, object, world) =>
          world.knows(object, ...BACKUPS, spaceOf(object), value) && {
            path,
            value,
            message: 'must not be the name of a VolumeRemoteBackup in the same namespace',
            fix: 'use a different name',
            says: `a RemoteBackup with name ${value} already exists`,
          },
      ),
    },
    {
      id: 'volume-snapshot/shareable-disk',
      kinds: ['snapshot.storage.k8s.io/VolumeSnapshot'],
      what: 'a volume that several virtual machines write to has no snapshot (Harvester 1.9 and later)',
      source: 'harvester/harvester:pkg/webhook/resources/volumesnapshot/validator.go (1.9.0)',
      surelyOn: 'harvester',
      field: 'spec.source.persistentVolumeClaimName',
      check: text((path, value, object, world) => {
        const machine = world
          .beside(object, GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE)
          .find(
            ({ manifest }) =>
              spaceOf({ manifest }) === spaceOf(object) &&
              shareableDisksOf(manifest).some(({ claim }) => claim === value),
          );
        return (
          machine && {
            path,
            value,
            message: `cannot have a snapshot: it is a shareable disk of the VirtualMachine ${machine.manifest.metadata.name}`,
            fix: 'back up the data in the virtual machine',
            says: 'as a shareable disk and may be written by multiple VMs concurrently',
          }
        );
      }),
    },
  ]),
  ...rules(
    {
      kinds: ['cdi.kubevirt.io/DataVolume'],
      source: 'harvester/harvester:pkg/webhook/resources/datavolume/validator.go',
    },
    [
      {
        id: 'data-volume/in-use',
        what: 'a DataVolume is not deleted while a virtual machine has it',
        surelyOn: 'harvester',
        judgeDeletion: (gone, world) => {
          const { name } = gone.manifest.metadata;
          const machine = world
            .beside(gone, GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE)
            .find(
              ({ manifest }) =>
                spaceOf({ manifest }) === spaceOf(gone) &&
                (claimsOf(manifest).some((claim) => claim.name === name) ||
                  claimNamesOf(manifest).includes(name)),
            );
          return (
            machine && {
              message: `cannot be deleted while it is a disk of the VirtualMachine ${machine.manifest.metadata.name}`,
              fix: 'remove the disk in an earlier step',
              says: 'which is attached to VM',
            }
          );
        },
      },
    ],
  ),
];
