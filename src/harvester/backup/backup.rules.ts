import { checkSchedule, SCHEDULE_LIMITS, scheduleTimes } from './backup.check';
import { ANNOTATION_SKIP_CRON_CHECK, DEFAULT_RESOURCE_QUOTA } from './backup.kind';
import { isLate } from '../../core/late/late-token';
import { annotationsOf, isRecord, Manifest, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { NO_PROBLEMS, Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { perTarget, specOf } from '../context.rules';

const PATH = 'spec.snapshotLimit';

/**
 * Checks a ResourceQuota of Harvester's group, which limits the snapshots of a namespace.
 * @see harvester/harvester:pkg/webhook/resources/resourcequota/validator.go
 */
function* checkSnapshotQuota(quota: Manifest): Iterable<Problem> {
  const { name } = quota.metadata;
  if (name !== DEFAULT_RESOURCE_QUOTA && !isLate(name)) {
    yield {
      path: 'metadata.name', value: name, message: `must be ${DEFAULT_RESOURCE_QUOTA}`, fix: `set ${DEFAULT_RESOURCE_QUOTA}`, says: `name must be ${DEFAULT_RESOURCE_QUOTA}`,
    };
  }
  const limit = valueAt(quota, 'spec', 'snapshotLimit');
  yield* checkBytes(`${PATH}.namespaceTotalSnapshotSizeQuota`, valueAt(limit, 'namespaceTotalSnapshotSizeQuota'));
  const machines = valueAt(limit, 'vmTotalSnapshotSizeQuota');
  for (const [machine, size] of Object.entries(isRecord(machines) ? machines : {})) { yield* checkBytes(`${PATH}.vmTotalSnapshotSizeQuota[${machine}]`, size); }
}

function* checkBytes(path: string, size: unknown): Iterable<Problem> {
  // the rule on types of fields reports other types
  if (typeof size === 'number' && size < 0) {
    yield { path, value: size, message: 'must be 0 or more', fix: 'set a number of bytes', says: 'must be greater than or equal to 0' };
  }
}

const QUOTA: Rule = {
  id: 'snapshot-quota/spec',
  level: 'error',
  kinds: ['harvesterhci.io/ResourceQuota'],
  what: 'the ResourceQuota of Harvester\'s group is named default-resource-quota, and its sizes are bytes',
  source: 'harvester/harvester:pkg/webhook/resources/resourcequota/validator.go',
  judge({ manifest }: JudgedObject): Iterable<Problem> {
    return checkSnapshotQuota(manifest);
  },
};

/** Rules on snapshot quotas. */
export const SNAPSHOT_QUOTA_RULES: readonly Rule[] = [QUOTA];

const KIND = 'ScheduleVMBackup';
const KINDS = [`${GROUPS.HARVESTER}/${KIND}`];
const VALIDATOR = 'harvester/harvester:pkg/webhook/resources/schedulevmbackup/validator.go';
const SNAPSHOT = 'snapshot';

const skipsCronCheck = ({ manifest }: JudgedObject): boolean => {
  const value = annotationsOf(manifest)[ANNOTATION_SKIP_CRON_CHECK];
  return value !== undefined && value !== '';
};

const SPEC: Rule = {
  id: 'schedule-backup/spec',
  level: 'error',
  kinds: KINDS,
  what: 'a schedule runs at most once an hour, and is suspended after fewer failures than it keeps backups',
  source: `${VALIDATOR}; seen on Harvester 1.7.2`,
  judge(object: JudgedObject): Iterable<Problem> {
    return checkSchedule(object.manifest.spec, skipsCronCheck(object));
  },
};

/** The VM of a schedule, `<namespace>/<name>`. */
function sourceOf({ manifest }: JudgedObject): string | undefined {
  const name = valueAt(manifest, 'spec', 'vmbackup', 'source', 'name');
  return typeof name === 'string' && name !== '' && !isLate(name) ? `${manifest.metadata.namespace ?? 'default'}/${name}` : undefined;
}

const typeOf = ({ manifest }: JudgedObject): unknown => valueAt(manifest, 'spec', 'vmbackup', 'type') ?? 'backup';

const firstByMachine = perTarget(GROUPS.HARVESTER, KIND, (schedules) => {
  const first = new Map<string, JudgedObject>();
  for (const schedule of schedules) {
    const machine = sourceOf(schedule);
    if (machine !== undefined && !first.has(machine)) { first.set(machine, schedule); }
  }
  return first;
});

const TWICE: Rule = {
  id: 'schedule-backup/machine-twice',
  level: 'error',
  kinds: KINDS,
  what: 'a virtual machine has at most one schedule',
  source: VALIDATOR,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const machine = sourceOf(object);
    const first = machine === undefined ? undefined : firstByMachine(object, world).get(machine);
    if (!first || first.manifest.metadata.name === object.manifest.metadata.name) { return NO_PROBLEMS; }
    return [{
      path: 'spec.vmbackup.source.name',
      value: valueAt(object.manifest, 'spec', 'vmbackup', 'source', 'name'),
      message: `can have one schedule only: it has ${first.manifest.metadata.name}`,
      fix: 'keep one of them',
      says: `VM ${machine} already has ${typeOf(first) === SNAPSHOT ? SNAPSHOT : 'backup'} schedule`,
    }];
  },
};

interface Times { readonly granularity: number; readonly minute: number; readonly days: string }

/** The times of a schedule with even intervals. The server compares others differently each time. */
function timesOf({ manifest }: JudgedObject): Times | undefined {
  const { cron } = specOf(manifest);
  const times = typeof cron === 'string' && !isLate(cron) ? scheduleTimes(cron) : undefined;
  const [granularity] = times?.gaps ?? [];
  if (!times?.minutes || times.gaps.length !== 1 || granularity === undefined) { return undefined; }
  return { granularity, minute: times.minutes[0]! % granularity, days: times.days ?? '' };
}

interface Place { readonly schedule: JudgedObject; readonly place: number }

/** Schedules by the interval that the server compares, then by minute: the first of each, and the position of each among all. */
const byMinute = perTarget(GROUPS.HARVESTER, KIND, (schedules) => {
  const groups = new Map<string, Map<number, Place>>();
  for (const [place, schedule] of schedules.entries()) {
    const times = timesOf(schedule);
    if (!times) { continue; }
    const key = `${times.granularity} ${times.days}`;
    const minutes = groups.get(key) ?? new Map<number, Place>();
    groups.set(key, minutes);
    if (!minutes.has(times.minute)) { minutes.set(times.minute, { schedule, place }); }
  }
  return { groups, places: new Map(schedules.map((schedule, place) => [schedule, place])) };
});

const nameOf = ({ manifest: { metadata } }: JudgedObject): string => `${metadata.namespace ?? 'default'}/${metadata.name}`;

const OFFSET: Rule = {
  id: 'schedule-backup/offset',
  level: 'error',
  kinds: KINDS,
  what: 'schedules with equal intervals run at least ten minutes apart, across all namespaces',
  source: `${VALIDATOR} cronGranularityCheck`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const times = timesOf(object);
    if (!times || skipsCronCheck(object)) { return; }
    const { groups, places } = byMinute(object, world);
    const minutes = groups.get(`${times.granularity} ${times.days}`);
    const nearby = Array.from({ length: SCHEDULE_LIMITS.offsetMinutes }, (_, offset) => [offset, -offset]).flat();
    for (const signed of nearby) {
      const found = minutes?.get((times.minute + signed + times.granularity) % times.granularity);
      // of two, the one that is declared later is reported
      if (!found || found.place >= (places.get(object) ?? 0)) { continue; }
      const [other, offset] = [found.schedule, Math.abs(signed)];
      yield {
        path: 'spec.cron',
        value: specOf(object.manifest).cron,
        // the server may use the longer offset between the runs of both
        ...(offset === 0 ? {} : { level: 'warning' as const }),
        message: `must run at least ${SCHEDULE_LIMITS.offsetMinutes} minutes from the schedule ${nameOf(other)}: it runs ${offset === 0 ? 'at the same time' : `${offset} minutes from it`}`,
        fix: `choose a different minute, or set the annotation ${ANNOTATION_SKIP_CRON_CHECK}: "true"`,
        says: `same granularity as schedule ${other.manifest.metadata.name} and offset less than 10m0s`,
      };
      return;
    }
  },
};

const TARGET: Rule = {
  id: 'schedule-backup/target',
  level: 'error',
  kinds: KINDS,
  what: 'a schedule of the type backup requires the setting backup-target',
  source: `${VALIDATOR} checkTargetHealth`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (typeOf(object) === SNAPSHOT || isLate(typeOf(object)) || world.exists(object)) { return NO_PROBLEMS; }
    const setting = world.find(object, GROUPS.HARVESTER, 'Setting', undefined, 'backup-target');
    const value = setting?.manifest.value;
    if (typeof value === 'string' && value !== '') { return NO_PROBLEMS; }
    const unset = setting !== undefined;
    return [{
      path: 'spec.vmbackup.type',
      // another program may set one without a value
      ...(typeof value === 'string' || world.isListed(object, GROUPS.HARVESTER, 'Setting') ? {} : { level: 'warning' as const }),
      message: `requires the setting backup-target, which is ${unset ? 'empty' : 'not known'}`,
      fix: 'set backup-target, or use the type snapshot',
      says: `setting backup-target is ${unset ? 'empty' : 'not set'}`,
    }];
  },
};

/** Rules on backup schedules. */
export const SCHEDULE_RULES: readonly Rule[] = [SPEC, TWICE, OFFSET, TARGET];
