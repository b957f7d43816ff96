import { MACHINE_RESTORE_VALIDATOR } from './backup.kind';
import { isLate } from '../../core/late/late-token';
import { valueAt, specOf } from '../../core/manifest/manifest';
import { DEFAULT_NAMESPACE, GROUPS } from '../../core/manifest/names';
import { DNS_SUBDOMAIN } from '../../core/problem/label';
import { rules } from '../../core/rule/kit/fact';
import { levelIfMissing } from '../../core/rule/kit/relations';
import { text } from '../../core/rule/kit/values';
import { JudgedObject, World } from '../../core/rule/rule';
import { anyText } from '../../core/text/plain-text';
import { valueBeside } from '../settings/entry/setting.facts';
import { GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE } from '../virtual-machine/machine-manifest.facts';

const RESTORE = [GROUPS.HARVESTER, 'VirtualMachineRestore'] as const;
const BACKUP = [GROUPS.HARVESTER, 'VirtualMachineBackup'] as const;
const MACHINE = [GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE] as const;
const SNAPSHOT = 'snapshot';
const RETAIN = 'retain';
const FIELD_TARGET = 'spec.target.name';
const FIELD_BACKUP = 'spec.virtualMachineBackupName';
const FIELD_KEEP_MAC = 'spec.keepMacAddress';

const spaceOf = ({ manifest }: JudgedObject): string =>
  manifest.metadata.namespace ?? DEFAULT_NAMESPACE;

const isNewMachine = ({ manifest }: JudgedObject): boolean => specOf(manifest).newVM === true;

/** The backup that a restore reads, as its namespace and name. Undefined if one is not known. */
function backupNameOf({ manifest }: JudgedObject): readonly [string, string] | undefined {
  const { virtualMachineBackupNamespace: namespace, virtualMachineBackupName: name } =
    specOf(manifest);
  const isKnown = [namespace, name].every(
    (part) => typeof part === 'string' && part !== '' && !isLate(part),
  );
  return isKnown ? [String(namespace), String(name)] : undefined;
}

/** The backup that a restore reads, where the world has it. */
function backupFor(restore: JudgedObject, world: World): JudgedObject | undefined {
  const name = backupNameOf(restore);
  return name && world.find(restore, ...BACKUP, ...name);
}

const typeOf = (backup: JudgedObject | undefined): unknown =>
  backup && (specOf(backup.manifest).type ?? 'backup');

const isFromSnapshot = (restore: JudgedObject, world: World): boolean =>
  typeOf(backupFor(restore, world)) === SNAPSHOT;

/** Whether another restore of the same backup also makes a machine with the same MAC addresses. */
function keepsSameAddresses(restore: JudgedObject, other: JudgedObject): boolean {
  return (
    other.manifest !== restore.manifest &&
    isNewMachine(other) &&
    specOf(other.manifest).keepMacAddress === true &&
    backupNameOf(other)?.join('/') === backupNameOf(restore)?.join('/')
  );
}

/** Rules on restores of virtual machines. */
export const MACHINE_RESTORE_RULES = rules(
  { kinds: [RESTORE.join('/')], source: MACHINE_RESTORE_VALIDATOR },
  [
    {
      id: 'vm-restore/target',
      what: 'a restore names a virtual machine: one that does not exist with newVM, otherwise one that exists and is stopped',
      creation: true,
      field: FIELD_TARGET,
      required: {
        message: 'must be set: the name of the virtual machine',
        fix: 'set the name of a VirtualMachine',
        says: 'Target VM name is invalid',
      },
      check: text((path, value, object, world) => {
        const name = anyText(value) ?? '';
        if (!DNS_SUBDOMAIN.test(name)) {
          return {
            path,
            value,
            message: 'must be a DNS subdomain',
            fix: 'use a-z, 0-9, hyphens and dots, at most 253 characters',
            says: 'Target VM name is invalid',
          };
        }
        const space = spaceOf(object);
        if (isNewMachine(object)) {
          return (
            world.knows(object, ...MACHINE, space, name) && {
              path,
              value,
              message: 'must not be the name of a virtual machine: newVM is true',
              fix: 'use a different name, or set newVM to false',
              says: `VM ${name} is already exists`,
            }
          );
        }
        const level = levelIfMissing(object, world, MACHINE, space, name);
        if (level) {
          return {
            path,
            value,
            level,
            message: `must be the name of a virtual machine in ${space}, which is not known`,
            fix: 'correct the name, or set newVM to true',
            says: `can't replace nonexistent vm ${name}`,
          };
        }
        const machine = world.find(object, ...MACHINE, space, name);
        const strategy = machine && valueAt(machine.manifest, 'spec', 'runStrategy');
        return (
          strategy !== undefined &&
          strategy !== 'Halted' && {
            path,
            value,
            // it may have stopped by itself
            level: 'warning',
            message: `must be stopped before its restore: its runStrategy is ${String(strategy)}`,
            fix: 'set runStrategy Halted in an earlier step',
            says: `Please stop the VM "${name}" before doing a restore`,
          }
        );
      }),
    },
    {
      id: 'vm-restore/backup',
      what: 'a restore names a backup or snapshot that exists',
      creation: true,
      field: FIELD_BACKUP,
      required: {
        message: 'must be set: the backup',
        fix: 'set the name of a VirtualMachineBackup',
        says: "can't get vmbackup",
      },
      check: (path, value, object, world) => {
        const name = backupNameOf(object);
        const level = name && levelIfMissing(object, world, BACKUP, ...name);
        return (
          level && {
            path,
            value,
            level,
            message: `must name a VirtualMachineBackup: ${name.join('/')} is not known`,
            fix: 'correct virtualMachineBackupNamespace and virtualMachineBackupName',
            says: `can't get vmbackup ${name.join('/')}`,
          }
        );
      },
    },
    {
      id: 'vm-restore/snapshot',
      what: 'a snapshot is restored in its own namespace, and one that replaces a virtual machine keeps the volumes',
      creation: true,
      when: isFromSnapshot,
      *judge(object) {
        const [namespace] = backupNameOf(object)!;
        if (spaceOf(object) !== namespace) {
          yield {
            path: FIELD_BACKUP,
            value: specOf(object.manifest).virtualMachineBackupName,
            message: `must be a backup in the namespace of the restore: it is a snapshot in ${namespace}`,
            fix: `create the restore in ${namespace}, or use a backup of the type backup`,
            says: 'restore to other namespace with backup type snapshot is not supported',
          };
        }
        const { deletionPolicy } = specOf(object.manifest);
        if (!isNewMachine(object) && deletionPolicy !== RETAIN && !isLate(deletionPolicy)) {
          yield {
            path: 'spec.deletionPolicy',
            value: deletionPolicy,
            message: `must be ${RETAIN}: a snapshot needs the volumes that it was taken of`,
            fix: `set ${RETAIN}`,
            says: 'delete policy with backup type snapshot for replacing VM is not supported',
          };
        }
      },
    },
    {
      id: 'vm-restore/backup-target',
      what: 'a restore of the type backup requires the setting backup-target',
      creation: true,
      when: (object, world) => typeOf(backupFor(object, world)) === 'backup',
      judge: (object, world) =>
        valueBeside(object, world, 'backup-target') === '' && {
          path: FIELD_BACKUP,
          value: specOf(object.manifest).virtualMachineBackupName,
          message: 'requires the setting backup-target, which is empty',
          fix: 'set backup-target to where the backup was stored',
          says: 'backup target is not set',
        },
    },
    {
      id: 'vm-restore/mac-address',
      what: 'two virtual machines do not get the same MAC addresses by a restore',
      creation: true,
      field: FIELD_KEEP_MAC,
      when: isNewMachine,
      check: (path, value, object, world) => {
        if (value !== true) {
          return undefined;
        }
        const problem = { path, value, fix: 'remove keepMacAddress' };
        const other = world
          .beside(object, ...RESTORE)
          .find((restore) => keepsSameAddresses(object, restore));
        if (other) {
          const where = `${spaceOf(other)}/${other.manifest.metadata.name}`;
          return {
            ...problem,
            message: `must be true for one restore of a backup only: it is for ${where}`,
            says: `can't restore the new vm with the same macaddress as the vmrestore ${where}`,
          };
        }
        const backup = backupFor(object, world);
        const source = backup && valueAt(backup.manifest, 'spec', 'source', 'name');
        const exists =
          typeof source === 'string' && world.knows(object, ...MACHINE, spaceOf(backup!), source);
        return (
          exists && {
            ...problem,
            // a machine of that name that was created again since has other addresses
            level: 'warning',
            message: `cannot be true while the virtual machine ${source} exists`,
            says: "can't restore the new vm with the same macaddress because the source vm is still existent",
          }
        );
      },
    },
    {
      id: 'vm-restore/in-use',
      what: 'a restore is not deleted while the virtual machine that it restored exists',
      judgeDeletion: (gone, world) => {
        const name = valueAt(gone.manifest, 'spec', 'target', 'name');
        return (
          typeof name === 'string' &&
          world.knows(gone, ...MACHINE, spaceOf(gone), name) && {
            // apply keeps it until then
            level: 'warning',
            message: `cannot be deleted while the virtual machine ${name} exists`,
            fix: 'keep the restore, or remove the virtual machine in an earlier step',
            says: `The restore can't be removed because the restored VM ${name} exists`,
          }
        );
      },
    },
  ],
);
