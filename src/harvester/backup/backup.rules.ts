import { checkSchedule, EvenTimes, evenTimesOf, SCHEDULE_LIMITS } from './backup.check';
import {
  ANNOTATION_SKIP_CRON_CHECK,
  DEFAULT_RESOURCE_QUOTA,
  scheduledMachine,
  skipsCheckOfTimes,
} from './backup.kind';
import { isLate } from '../../core/late/late-token';
import { isRecord, Manifest, valueAt, specOf } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { Problem } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { errorIf, unique } from '../../core/rule/kit/relations';
import { JudgedObject } from '../../core/rule/rule';
import { perTarget } from '../../core/rule/world-lookup';

/**
 * Checks a ResourceQuota of Harvester's group, which limits the snapshots of a namespace.
 * @see harvester/harvester:pkg/webhook/resources/resourcequota/validator.go
 */
function* checkSnapshotQuota(quota: Manifest): Iterable<Problem> {
  const { name } = quota.metadata;
  if (name !== DEFAULT_RESOURCE_QUOTA && !isLate(name)) {
    const message = `must be ${DEFAULT_RESOURCE_QUOTA}`;
    yield {
      path: 'metadata.name',
      value: name,
      message,
      fix: `set ${DEFAULT_RESOURCE_QUOTA}`,
      says: `name ${message}`,
    };
  }
  const machines = valueAt(quota, 'spec', 'snapshotLimit', 'vmTotalSnapshotSizeQuota');
  for (const [machine, size] of Object.entries(isRecord(machines) ? machines : {})) {
    // the rule on types of fields reports other types
    if (typeof size === 'number' && size < 0) {
      const path = `spec.snapshotLimit.vmTotalSnapshotSizeQuota[${machine}]`;
      yield {
        path,
        value: size,
        message: 'must be 0 or more',
        fix: 'set a number of bytes',
        says: 'must be greater than or equal to 0',
      };
    }
  }
}

/** Rules on snapshot quotas. */
export const SNAPSHOT_QUOTA_RULES = rules({ kinds: ['harvesterhci.io/ResourceQuota'] }, [
  {
    id: 'snapshot-quota/spec',
    what: "the ResourceQuota of Harvester's group is named default-resource-quota, and its sizes are bytes",
    source: 'harvester/harvester:pkg/webhook/resources/resourcequota/validator.go',
    judge: ({ manifest }) => checkSnapshotQuota(manifest),
  },
]);

const KIND = 'ScheduleVMBackup';
const KINDS = [`${GROUPS.HARVESTER}/${KIND}`];
const VALIDATOR = 'harvester/harvester:pkg/webhook/resources/schedulevmbackup/validator.go';
const SNAPSHOT = 'snapshot';

const skipsCronCheck = ({ manifest }: JudgedObject): boolean => skipsCheckOfTimes(manifest);

const sourceOf = ({ manifest }: JudgedObject): string | undefined => scheduledMachine(manifest);

const typeOf = ({ manifest }: JudgedObject): unknown =>
  valueAt(manifest, 'spec', 'vmbackup', 'type') ?? 'backup';

const timesOf = ({ manifest }: JudgedObject): EvenTimes | undefined =>
  evenTimesOf(specOf(manifest).cron);

interface Place {
  readonly schedule: JudgedObject;
  readonly place: number;
}

/**
 * Schedules by the interval that the server compares, then by minute: the first of each, and the
 * position of each among all.
 */
const byMinute = perTarget(GROUPS.HARVESTER, KIND, (schedules) => {
  const groups = new Map<string, Map<number, Place>>();
  for (const [place, schedule] of schedules.entries()) {
    const times = timesOf(schedule);
    if (!times) {
      continue;
    }
    const key = `${times.granularity} ${times.days}`;
    const minutes = groups.get(key) ?? new Map<number, Place>();
    groups.set(key, minutes);
    if (!minutes.has(times.minute)) {
      minutes.set(times.minute, { schedule, place });
    }
  }
  return { groups, places: new Map(schedules.map((schedule, place) => [schedule, place])) };
});

const nameOf = ({ manifest }: JudgedObject): string =>
  `${manifest.metadata.namespace ?? 'default'}/${manifest.metadata.name}`;

/** Rules on backup schedules. */
export const SCHEDULE_RULES = rules({ kinds: KINDS }, [
  {
    id: 'schedule-backup/spec',
    what: 'a schedule runs at most once an hour, keeps 2 to 250 backups, and is suspended after fewer failures',
    source: `${VALIDATOR}; seen on Harvester 1.7.2`,
    judge: (object) => checkSchedule(object.manifest.spec, skipsCronCheck(object)),
  },
  {
    id: 'schedule-backup/machine-twice',
    what: 'a virtual machine has at most one schedule',
    source: VALIDATOR,
    judge: unique([GROUPS.HARVESTER, KIND], sourceOf, (other, object) => ({
      path: 'spec.vmbackup.source.name',
      value: valueAt(object.manifest, 'spec', 'vmbackup', 'source', 'name'),
      message: `can have one schedule only: it has ${other.manifest.metadata.name}`,
      fix: 'keep one of them',
      says: `VM ${sourceOf(object)} already has ${typeOf(other) === SNAPSHOT ? SNAPSHOT : 'backup'} schedule`,
    })),
  },
  {
    id: 'schedule-backup/offset',
    what: 'schedules with equal intervals run at least ten minutes apart, across all namespaces',
    source: `${VALIDATOR} cronGranularityCheck`,
    when: (object) => !skipsCronCheck(object),
    field: 'spec.cron',
    check: (path, value, object, world) => {
      const times = timesOf(object);
      if (!times) {
        return undefined;
      }
      const { groups, places } = byMinute(object, world);
      const minutes = groups.get(`${times.granularity} ${times.days}`);
      const nearby = Array.from({ length: SCHEDULE_LIMITS.offsetMinutes }, (_, offset) => [
        offset,
        -offset,
      ]).flat();
      for (const signed of nearby) {
        const found = minutes?.get((times.minute + signed + times.granularity) % times.granularity);
        // of two, the one that is declared later is reported
        if (!found || found.place >= (places.get(object) ?? 0)) {
          continue;
        }
        const [other, offset] = [found.schedule, Math.abs(signed)];
        return {
          path,
          value,
          // the server may use the longer offset between the runs of both
          level: errorIf(offset === 0),
          message:
            `must run at least ${SCHEDULE_LIMITS.offsetMinutes} minutes from the schedule ${nameOf(other)}: ` +
            `it runs ${offset === 0 ? 'at the same time' : `${offset} minutes from it`}`,
          fix: `choose a different minute, or set the annotation ${ANNOTATION_SKIP_CRON_CHECK}: "true"`,
          says: `same granularity as schedule ${other.manifest.metadata.name} and offset less than 10m0s`,
        };
      }
      return undefined;
    },
  },
  {
    id: 'schedule-backup/target',
    what: 'a schedule of the type backup requires the setting backup-target',
    source: `${VALIDATOR} checkTargetHealth`,
    creation: true,
    when: (object) => typeOf(object) !== SNAPSHOT && !isLate(typeOf(object)),
    judge: (object, world) => {
      const setting = world.find(object, GROUPS.HARVESTER, 'Setting', undefined, 'backup-target');
      const value = setting?.manifest.value;
      if (typeof value === 'string' && value !== '') {
        return undefined;
      }
      const unset = setting !== undefined;
      return {
        path: 'spec.vmbackup.type',
        // another program may set one without a value
        level: errorIf(
          typeof value === 'string' || world.isListed(object, GROUPS.HARVESTER, 'Setting'),
        ),
        message: `requires the setting backup-target, which is ${unset ? 'empty' : 'not known'}`,
        fix: 'set backup-target, or use the type snapshot',
        says: `setting backup-target is ${unset ? 'empty' : 'not set'}`,
      };
    },
  },
]);
