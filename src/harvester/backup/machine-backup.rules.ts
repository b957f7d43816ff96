import { isLate } from '../../core/late/late-token';
import { at, kindKey, valueAt, specOf } from '../../core/manifest/manifest';
import { DEFAULT_NAMESPACE, GROUPS } from '../../core/manifest/names';
import { Problem } from '../../core/problem/problem';
import { Findings } from '../../core/rule/findings';
import { Fact, rules } from '../../core/rule/kit/fact';
import { errorIf, refersTo } from '../../core/rule/kit/relations';
import { JudgedObject, World } from '../../core/rule/rule';
import { goDuration } from '../../core/text/time';
import { hasFeature } from '../../core/version/target-features';
import { valueBeside } from '../settings/entry/setting.facts';
import { GROUP_STORAGE, LONGHORN } from '../storage/storage.kind';
import { HarvesterGate } from '../version/harvester-version';
import {
  ClaimTemplate,
  claimsOf,
  GROUP_KUBEVIRT,
  KIND_VIRTUAL_MACHINE,
} from '../virtual-machine/machine-manifest.facts';
import { shareableDisksOf } from '../virtual-machine/shareable-disk.rules';

const SCHEDULE = 'ScheduleVMBackup';
const KIND_BACKUP = kindKey(GROUPS.HARVESTER, 'VirtualMachineBackup');
const KINDS = [KIND_BACKUP, kindKey(GROUPS.HARVESTER, SCHEDULE)];
/** The type of a backup, unless it is a snapshot. */
const TYPE_BACKUP = 'backup';
const VALIDATOR = 'harvester/harvester:pkg/webhook/resources/virtualmachinebackup/validator.go';

/**
 * The judge of a text in the spec of a backup. A schedule contains the spec of its backups, which
 * are refused later.
 */
function ofBackup(
  field: string,
  check: (
    text: string,
    problem: Pick<Problem, 'path' | 'value' | 'level'>,
    object: JudgedObject,
    world: World,
  ) => Findings,
): NonNullable<Fact['judge']> {
  return (object, world) => {
    const isSchedule = object.manifest.kind === SCHEDULE;
    const path = `spec.${isSchedule ? 'vmbackup.' : ''}${field}`;
    const value = at(object.manifest, path.split('.'));
    return (
      typeof value === 'string' &&
      !isLate(value) &&
      check(value, { path, value, level: errorIf(!isSchedule) }, object, world)
    );
  };
}

/** The virtual machine of a backup, and the namespace of both. */
function sourceOf(
  object: JudgedObject,
  name: string,
  world: World,
): { readonly namespace: string; readonly machine: JudgedObject | undefined } {
  const { namespace = DEFAULT_NAMESPACE } = object.manifest.metadata;
  const machine = world.find(object, GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE, namespace, name);
  return { namespace, machine };
}

/** Whether a claim has a StorageClass of the V2 data engine. */
function isOnV2(object: JudgedObject, world: World): (claim: ClaimTemplate) => boolean {
  return ({ storageClassName: name }) =>
    name !== undefined &&
    valueAt(
      world.find(object, GROUP_STORAGE, 'StorageClass', undefined, name)?.manifest,
      'parameters',
      LONGHORN.DATA_ENGINE,
    ) === 'v2';
}

/** What holds of a backup itself; schedules have rules of their own. */
const OF_BACKUPS: readonly Fact[] = [
  {
    id: 'vm-backup/source',
    what: 'the virtual machine of a backup exists',
    source: `${VALIDATOR} validateStandardBackup`,
    kinds: [KIND_BACKUP],
    creation: true,
    field: 'spec.source.name',
    check: refersTo([GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE], {
      namespace: ({ manifest }) => manifest.metadata.namespace ?? DEFAULT_NAMESPACE,
      ifAny: true,
      problem: (name) => ({
        message: 'must be the name of a VirtualMachine in the same namespace',
        fix: 'declare the VirtualMachine, or correct the name',
        says: `virtualmachine.kubevirt.io "${name}" not found`,
      }),
    }),
  },
  {
    id: 'vm-backup/target',
    what: 'a backup of the type backup requires the setting backup-target',
    source: `${VALIDATOR} checkBackupTarget`,
    kinds: [KIND_BACKUP],
    creation: true,
    // an object with a status was restored from the backup target, and is complete
    when: ({ manifest }) => manifest.status === undefined,
    judge: (object, world) => {
      const { type = TYPE_BACKUP } = specOf(object.manifest);
      return (
        type === TYPE_BACKUP &&
        valueBeside(object, world, 'backup-target') === '' && {
          path: 'spec.type',
          value: type,
          message: 'requires the setting backup-target, which is empty',
          fix: 'set backup-target, or use the type snapshot',
          says: 'backup target is not set',
        }
      );
    },
  },
];

/** Rules on backups of virtual machines. */
export const MACHINE_BACKUP_RULES = rules({ kinds: KINDS }, [
  ...OF_BACKUPS,
  {
    id: 'vm-backup/freeze-deadline',
    what: 'fsFreezeDeadline of a backup is a duration of 0 or more, which Harvester 1.9 and later know',
    source: `${VALIDATOR} Create, Update (1.9.0)`,
    judge: ofBackup('fsFreezeDeadline', (deadline, problem, { target }) => {
      if (hasFeature(target, HarvesterGate.FS_FREEZE_DEADLINE) === false) {
        const message = 'cannot have an effect: this version of Harvester drops it';
        return {
          ...problem,
          level: 'warning',
          message,
          fix: 'remove it, or upgrade Harvester to 1.9.0 or later',
        };
      }
      const seconds = goDuration(deadline);
      return (
        !(seconds !== undefined && seconds >= 0) && {
          ...problem,
          message: 'must be a duration of 0 or more',
          fix: 'give a duration such as 30s, or 0s for no deadline',
          ...(seconds === undefined ? {} : { says: 'must not be negative' }),
        }
      );
    }),
  },
  {
    id: 'vm-backup/shareable-disk',
    what: 'a virtual machine with a backup or snapshot has no shareable disk (Harvester 1.9 and later)',
    source: `${VALIDATOR} validateStandardBackup (1.9.0)`,
    gate: HarvesterGate.FS_FREEZE_DEADLINE,
    unknownVersion: 'warning',
    creation: true,
    judge: ofBackup('source.name', (name, problem, object, world) => {
      const { namespace, machine } = sourceOf(object, name, world);
      const disk = machine && shareableDisksOf(machine.manifest)[0]?.name;
      return (
        disk !== undefined && {
          ...problem,
          message: `cannot be backed up: its disk ${disk} is shareable, so other virtual machines may write to it at the same time`,
          fix: 'back up the data in the virtual machine, or remove shareable',
          says: `cannot back up VM ${namespace}/${name}: disk ${disk} is shareable and may be written by multiple VMs concurrently`,
        }
      );
    }),
  },
  {
    id: 'vm-backup/data-engine',
    what: 'a virtual machine with a backup or snapshot has no volume of the V2 data engine of Longhorn (Harvester 1.9 and later)',
    source: `${VALIDATOR} checkLonghornV2Volume (1.9.0)`,
    gate: HarvesterGate.FS_FREEZE_DEADLINE,
    unknownVersion: 'warning',
    creation: true,
    judge: ofBackup('source.name', (name, problem, object, world) => {
      const { namespace, machine } = sourceOf(object, name, world);
      const claim = machine && claimsOf(machine.manifest).find(isOnV2(object, world));
      return (
        claim !== undefined && {
          ...problem,
          message: `cannot be backed up: its volume ${claim.name} is on the V2 data engine of Longhorn`,
          fix: 'use a StorageClass of the V1 data engine, or back up the data in the virtual machine',
          says: `vm ${namespace}/${name} contains Longhorn v2 volume from PVC ${namespace}/${claim.name}, which does not support VM backup`,
        }
      );
    }),
  },
]);
