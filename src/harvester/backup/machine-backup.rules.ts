import { isLate } from '../../core/late/late-token';
import { valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { NO_PROBLEMS, Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { goDuration } from '../../core/text/time';
import { hasFeature } from '../../core/version/target-features';
import { HarvesterGate } from '../version/harvester-version';
import { GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE } from '../virtual-machine/machine-manifest.facts';
import { shareableDisksOf } from '../virtual-machine/shareable-disk.rules';

const BACKUP = 'VirtualMachineBackup';
const SCHEDULE = 'ScheduleVMBackup';
const VALIDATOR = 'harvester/harvester:pkg/webhook/resources/virtualmachinebackup/validator.go';

// a schedule holds the spec of its backups, which are refused later
const specPath = ({ manifest: { kind } }: JudgedObject): readonly string[] => (kind === SCHEDULE ? ['spec', 'vmbackup'] : ['spec']);

const DEADLINE: Rule = {
  id: 'vm-backup/freeze-deadline',
  level: 'error',
  kinds: [`${GROUPS.HARVESTER}/${BACKUP}`, `${GROUPS.HARVESTER}/${SCHEDULE}`],
  what: 'fsFreezeDeadline of a backup is a duration of 0 or more, which Harvester 1.9 and later know',
  source: `${VALIDATOR} Create, Update (1.9.0)`,
  judge(object: JudgedObject): Iterable<Problem> {
    const path = [...specPath(object), 'fsFreezeDeadline'];
    const value = valueAt(object.manifest, ...path);
    if (typeof value !== 'string' || isLate(value)) { return NO_PROBLEMS; }
    const at = { path: path.join('.'), value };
    if (hasFeature(object.target, HarvesterGate.FS_FREEZE_DEADLINE) === false) {
      return [{ ...at, level: 'warning', message: 'cannot have an effect: this version of Harvester drops it', fix: 'remove it, or upgrade Harvester to 1.9.0 or later' }];
    }
    const seconds = goDuration(value);
    if (seconds !== undefined && seconds >= 0) { return NO_PROBLEMS; }
    const says = seconds === undefined ? {} : { says: 'must not be negative' };
    // the backups of a schedule fail, not the schedule
    return [{ ...at, ...levelOf(object), message: 'must be a duration of 0 or more', fix: 'give a duration such as 30s, or 0s for no deadline', ...says }];
  },
};

const SHAREABLE: Rule = {
  id: 'vm-backup/shareable-disk',
  level: 'error',
  kinds: [`${GROUPS.HARVESTER}/${BACKUP}`, `${GROUPS.HARVESTER}/${SCHEDULE}`],
  what: 'a virtual machine with a backup or snapshot has no shareable disk (Harvester 1.9 and later)',
  source: `${VALIDATOR} validateStandardBackup (1.9.0)`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const path = [...specPath(object), 'source', 'name'];
    const name = valueAt(object.manifest, ...path);
    const checked = hasFeature(object.target, HarvesterGate.FS_FREEZE_DEADLINE);
    if (typeof name !== 'string' || isLate(name) || checked === false || world.exists(object)) { return NO_PROBLEMS; }
    const { namespace = 'default' } = object.manifest.metadata;
    const machine = world.find(object, GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE, namespace, name);
    const disk = machine && shareableDisksOf(machine.manifest)[0]?.name;
    if (disk === undefined) { return NO_PROBLEMS; }
    return [{
      path: path.join('.'),
      value: name,
      ...(checked ? levelOf(object) : { level: 'warning' as const }),
      message: `cannot be backed up: its disk ${disk} is shareable, so other virtual machines may write to it at the same time`,
      fix: 'back up the data in the virtual machine, or remove shareable',
      says: `cannot back up VM ${namespace}/${name}: disk ${disk} is shareable and may be written by multiple VMs concurrently`,
    }];
  },
};

function levelOf({ manifest: { kind } }: JudgedObject): { level?: 'warning' } {
  return kind === SCHEDULE ? { level: 'warning' } : {};
}

/** Rules on backups of virtual machines. */
export const MACHINE_BACKUP_RULES: readonly Rule[] = [DEADLINE, SHAREABLE];
