import { isLate } from '../../core/late/late-token';
import { kindKey, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { rules } from '../../core/rule/kit/fact';
import { errorIf } from '../../core/rule/kit/relations';
import { JudgedObject } from '../../core/rule/rule';
import { goDuration } from '../../core/text/time';
import { hasFeature } from '../../core/version/target-features';
import { HarvesterGate } from '../version/harvester-version';
import { GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE } from '../virtual-machine/machine-manifest.facts';
import { shareableDisksOf } from '../virtual-machine/shareable-disk.rules';

const SCHEDULE = 'ScheduleVMBackup';
const KINDS = ['VirtualMachineBackup', SCHEDULE].map((kind) => kindKey(GROUPS.HARVESTER, kind));
const VALIDATOR = 'harvester/harvester:pkg/webhook/resources/virtualmachinebackup/validator.go';

// a schedule holds the spec of its backups, which are refused later
const specPath = ({ manifest: { kind } }: JudgedObject): readonly string[] => (kind === SCHEDULE ? ['spec', 'vmbackup'] : ['spec']);

const levelOf = ({ manifest: { kind } }: JudgedObject) => errorIf(kind !== SCHEDULE);

/** Rules on backups of virtual machines. */
export const MACHINE_BACKUP_RULES = rules({ kinds: KINDS, level: 'error' }, [
  {
    id: 'vm-backup/freeze-deadline',
    what: 'fsFreezeDeadline of a backup is a duration of 0 or more, which Harvester 1.9 and later know',
    source: `${VALIDATOR} Create, Update (1.9.0)`,
    judge: (object) => {
      const path = [...specPath(object), 'fsFreezeDeadline'];
      const value = valueAt(object.manifest, ...path);
      if (typeof value !== 'string' || isLate(value)) { return undefined; }
      const at = { path: path.join('.'), value };
      if (hasFeature(object.target, HarvesterGate.FS_FREEZE_DEADLINE) === false) {
        const message = 'cannot have an effect: this version of Harvester drops it';
        return { ...at, level: 'warning', message, fix: 'remove it, or upgrade Harvester to 1.9.0 or later' };
      }
      const seconds = goDuration(value);
      return !(seconds !== undefined && seconds >= 0) && {
        ...at,
        // the backups of a schedule fail, not the schedule
        level: levelOf(object),
        message: 'must be a duration of 0 or more',
        fix: 'give a duration such as 30s, or 0s for no deadline',
        ...(seconds === undefined ? {} : { says: 'must not be negative' }),
      };
    },
  },
  {
    id: 'vm-backup/shareable-disk',
    what: 'a virtual machine with a backup or snapshot has no shareable disk (Harvester 1.9 and later)',
    source: `${VALIDATOR} validateStandardBackup (1.9.0)`,
    gate: HarvesterGate.FS_FREEZE_DEADLINE,
    unknownVersion: 'warning',
    creation: true,
    judge: (object, world) => {
      const path = [...specPath(object), 'source', 'name'];
      const name = valueAt(object.manifest, ...path);
      if (typeof name !== 'string' || isLate(name)) { return undefined; }
      const { namespace = 'default' } = object.manifest.metadata;
      const machine = world.find(object, GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE, namespace, name);
      const disk = machine && shareableDisksOf(machine.manifest)[0]?.name;
      return disk !== undefined && {
        path: path.join('.'),
        value: name,
        level: levelOf(object),
        message: `cannot be backed up: its disk ${disk} is shareable, so other virtual machines may write to it at the same time`,
        fix: 'back up the data in the virtual machine, or remove shareable',
        says: `cannot back up VM ${namespace}/${name}: disk ${disk} is shareable and may be written by multiple VMs concurrently`,
      };
    },
  },
]);
