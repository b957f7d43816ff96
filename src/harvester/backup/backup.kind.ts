import { areTooClose, evenTimesOf } from './backup.check';
import { FoundReference } from '../../core/kind/description/references';
import { PassingRefusal, REFUSED } from '../../core/kind/description/refusals';
import { deletes } from '../../core/kind/description/removal';
import { KindDescription, ON_HARVESTER } from '../../core/kind/kind';
import { MINUTE, byStatus } from '../../core/kind/ready/readiness';
import { isLate } from '../../core/late/late-token';
import { Manifest, annotationsOf, kindKey, valueAt } from '../../core/manifest/manifest';
import { DEFAULT_NAMESPACE, GROUPS } from '../../core/manifest/names';
import { textOrEmpty } from '../../core/text/plain-text';
import { HARVESTER_KIND } from '../harvester-object.kind';
import { HarvesterGate } from '../version/harvester-version';
import { KIND_VIRTUAL_MACHINE } from '../virtual-machine/machine-manifest.facts';

/**
 * Annotation of a schedule: it may run at the time of another.
 * @see harvester/harvester:pkg/util/constants.go AnnotationSVMBackupSkipCronCheck
 */
export const ANNOTATION_SKIP_CRON_CHECK = 'harvesterhci.io/svmbackupSkipCronCheck';

/** The VM of a schedule, `<namespace>/<name>`. */
export function scheduledMachine(schedule: Manifest): string | undefined {
  const name = valueAt(schedule, 'spec', 'vmbackup', 'source', 'name');
  return typeof name === 'string' && name !== '' && !isLate(name)
    ? `${schedule.metadata.namespace ?? DEFAULT_NAMESPACE}/${name}`
    : undefined;
}

/** Whether a schedule may run at the time of another. */
export function skipsCheckOfTimes(schedule: Manifest): boolean {
  return Boolean(annotationsOf(schedule)[ANNOTATION_SKIP_CRON_CHECK] ?? '');
}

/**
 * What only one of two schedules can have: their virtual machine, and the time.
 * @see harvester/harvester:pkg/webhook/resources/schedulevmbackup/validator.go
 */
function sharedBySchedules(schedule: Manifest, previous: Manifest): readonly string[] {
  const machine = scheduledMachine(schedule);
  const [cron, other] = [schedule, previous].map((each) => valueAt(each, 'spec', 'cron'));
  const isClose =
    !skipsCheckOfTimes(schedule) && areTooClose(evenTimesOf(cron), evenTimesOf(other));
  return [
    ...(machine !== undefined && machine === scheduledMachine(previous)
      ? [`virtual machine ${machine}`]
      : []),
    ...(isClose ? [`the time ${String(other)}`] : []),
  ];
}

const TARGET_NOT_YET: readonly PassingRefusal[] = [
  {
    status: REFUSED,
    words: /setting backup-target is empty/,
    missing: () => ({ kind: kindKey(GROUPS.HARVESTER, 'Setting'), name: 'backup-target' }),
    source:
      'seen on Harvester 1.7.2; harvester/harvester:pkg/webhook/resources/schedulevmbackup/validator.go',
  },
];

/** The validator of backups of volumes. */
export const VOLUME_BACKUP_VALIDATOR =
  'harvester/harvester:pkg/webhook/resources/volumeremotebackup/validator.go';

/** The validator of restores of virtual machines. Its words are the same in 1.4 to 1.9. */
export const MACHINE_RESTORE_VALIDATOR =
  'harvester/harvester:pkg/webhook/resources/virtualmachinerestore/validator.go';

const BACKUP = { ...HARVESTER_KIND, machinesGoWithout: () => true } as const;

/**
 * Harvester's kinds of backups and snapshots.
 * @see harvester/harvester:pkg/apis/harvesterhci.io/v1beta1/backup.go
 */
export const BACKUP_DESCRIPTIONS: readonly KindDescription[] = [
  {
    ...BACKUP,
    kind: 'VirtualMachineBackup',
    rank: 60,
    stage: 'backups',
    // after maxFailure
    writtenByOthers: ['spec.suspend'],
    rewritten: ['spec.suspend'],
    deletion: deletes('its backups are kept'),
    passing: TARGET_NOT_YET,
    immutable: [
      {
        id: 'machine-backup/update',
        what: 'the type of a backup is immutable',
        source:
          'harvester/harvester:deploy/charts/harvester-crd/templates/harvesterhci.io_virtualmachinebackups.yaml',
        since: HarvesterGate.BACKUP_TYPE_FIXED,
        fields: [
          {
            path: 'spec.type',
            default: 'backup',
            addable: true,
            omitted: 'changes',
            says: 'spec.type is immutable',
          },
        ],
        fix: 'keep the type, or create a backup with a different name',
      },
    ],
    holds: [
      { holds: 'data', what: 'the backup or snapshot', asks: true, searchedOn: ON_HARVESTER },
    ],
  },
  {
    ...BACKUP,
    kind: 'VirtualMachineRestore',
    rank: 62,
    stage: 'restores',
    // the owner: pkg/controller/master/backup/restore.go updateOwnerRefAndTargetUID the refusal:
    // pkg/webhook/resources/virtualmachinerestore/validator.go Delete
    // @see harvester/harvester
    serverOwner: KIND_VIRTUAL_MACHINE,
    refusedWhileOwned: {
      owner: KIND_VIRTUAL_MACHINE,
      says: 'Harvester refuses to delete a restore while its virtual machine exists',
    },
    immutable: [
      {
        id: 'vm-restore/update',
        what: 'the spec of a restore is immutable',
        source: MACHINE_RESTORE_VALIDATOR,
        fields: [
          {
            path: 'spec',
            addable: true,
            omitted: 'changes',
            says: 'VirtualMachineRestore spec is immutable',
          },
        ],
        message: 'cannot be changed',
        fix: 'create a restore with a different name',
      },
    ],
  },
  {
    ...BACKUP,
    kind: 'ScheduleVMBackup',
    part: { noun: 'backup schedule', order: 190 },
    rank: 60,
    stage: 'backups',
    passing: TARGET_NOT_YET,
    unique: {
      what: 'the use of',
      shared: sharedBySchedules,
      fix: 'choose another time, or delete the other schedule by hand',
    },
    immutable: [
      {
        id: 'schedule-backup/update',
        what: 'virtual machine and type of a schedule are immutable',
        source: 'harvester/harvester:pkg/webhook/resources/schedulevmbackup/validator.go',
        fields: [
          {
            path: 'spec.vmbackup.type',
            default: 'backup',
            addable: true,
            omitted: 'changes',
            says: 'spec.type is immutable',
          },
          {
            path: 'spec.vmbackup.source',
            addable: true,
            omitted: 'changes',
            says: "source vm can't be changed",
          },
        ],
        fix: 'delete this schedule, and create one with a different name',
      },
    ],
  },
];

/** The backup of one volume, and its restore. */
export const VOLUME_BACKUP_KIND = {
  BACKUP: 'VolumeRemoteBackup',
  RESTORE: 'VolumeRemoteRestore',
} as const;

const VOLUME_BACKUP = {
  ...BACKUP,
  served: HarvesterGate.VOLUME_REMOTE_BACKUP,
  ready: { ...byStatus('success', () => true), timeoutMs: 60 * MINUTE },
} as const;

const fixed = (field: string) =>
  ({ path: `spec.${field}`, omitted: 'changes', says: `spec.${field} cannot be changed` }) as const;

/**
 * Harvester's kinds of backups of volumes.
 * @see harvester/harvester:pkg/apis/harvesterhci.io/v1beta1/volumeremotebackup.go
 */
export const VOLUME_BACKUP_DESCRIPTIONS: readonly KindDescription[] = [
  {
    ...VOLUME_BACKUP,
    kind: VOLUME_BACKUP_KIND.BACKUP,
    rank: 60,
    stage: 'backups',
    looksUp: ['/PersistentVolumeClaim'],
    immutable: [
      {
        id: 'volume-backup/update',
        what: 'type and volume of a VolumeRemoteBackup are immutable',
        source: VOLUME_BACKUP_VALIDATOR,
        fields: [fixed('type'), fixed('source')],
        fix: 'create a backup with a different name',
      },
    ],
    holds: [{ holds: 'data', what: 'the backup', asks: true, searchedOn: ON_HARVESTER }],
  },
  {
    ...VOLUME_BACKUP,
    kind: VOLUME_BACKUP_KIND.RESTORE,
    rank: 62,
    stage: 'restores',
    references: backupOf,
    looksUp: [kindKey(GROUPS.HARVESTER, VOLUME_BACKUP_KIND.BACKUP)],
    immutable: [
      {
        id: 'volume-restore/update',
        what: 'type and backup of a VolumeRemoteRestore are immutable',
        source: VOLUME_BACKUP_VALIDATOR,
        fields: [fixed('type'), fixed('from')],
        fix: 'create a restore with a different name',
      },
    ],
  },
];

/**
 * The backup that a VolumeRemoteRestore reads: `<namespace>/<name>`, or a name in its own
 * namespace.
 */
export function backupOf({
  spec,
  metadata,
}: Manifest): readonly (FoundReference & { readonly namespaces: readonly string[] })[] {
  const from = textOrEmpty(valueAt(spec, 'from'));
  if (from === '') {
    return [];
  }
  const at = from.indexOf('/');
  const namespace = at < 0 ? (metadata.namespace ?? DEFAULT_NAMESPACE) : from.slice(0, at);
  return [
    {
      group: GROUPS.HARVESTER,
      kind: VOLUME_BACKUP_KIND.BACKUP,
      name: from.slice(at + 1),
      namespaces: [namespace],
    },
  ];
}

/**
 * The only name that Harvester reads a ResourceQuota by.
 * @see harvester/harvester:pkg/util/constants.go DefaultResourceQuotaName
 */
export const DEFAULT_RESOURCE_QUOTA = 'default-resource-quota';

/** Harvester's ResourceQuota, which limits the snapshots of a namespace. */
export const SNAPSHOT_QUOTA_DESCRIPTION: KindDescription = {
  ...HARVESTER_KIND,
  kind: 'ResourceQuota',
  rank: 20,
  deletion: deletes('snapshots are no longer limited'),
};
