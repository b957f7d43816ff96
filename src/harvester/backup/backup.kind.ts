import { KindDescription, ON_HARVESTER, PassingRefusal, REFUSED } from '../../core/kind/kind';
import { kindKey } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { HarvesterGate } from '../version/harvester-version';

/** Annotation of a schedule: it may run at the time of another. @see harvester/harvester:pkg/util/constants.go AnnotationSVMBackupSkipCronCheck */
export const ANNOTATION_SKIP_CRON_CHECK = 'harvesterhci.io/svmbackupSkipCronCheck';

const TARGET_NOT_YET: readonly PassingRefusal[] = [
  {
    status: REFUSED,
    words: /setting backup-target is empty/,
    missing: () => ({ kind: kindKey(GROUPS.HARVESTER, 'Setting'), name: 'backup-target' }),
    source: 'seen on Harvester 1.7.2; harvester/harvester:pkg/webhook/resources/schedulevmbackup/validator.go',
  },
];

const BACKUP = { group: GROUPS.HARVESTER, version: 'v1beta1', scope: 'Namespaced', targets: ON_HARVESTER, machinesGoWithout: () => true } as const;

/** Harvester's kinds of backups and snapshots. @see harvester/harvester:pkg/apis/harvesterhci.io/v1beta1/backup.go */
export const BACKUP_DESCRIPTIONS: readonly KindDescription[] = [
  {
    ...BACKUP,
    kind: 'VirtualMachineBackup',
    rank: 60,
    stage: 'backups',
    passing: TARGET_NOT_YET,
    immutable: [{
      id: 'machine-backup/update',
      level: 'error',
      what: 'the type of a backup is immutable',
      source: 'harvester/harvester:deploy/charts/harvester-crd/templates/harvesterhci.io_virtualmachinebackups.yaml',
      since: HarvesterGate.BACKUP_TYPE_FIXED,
      fields: [{ path: 'spec.type', default: 'backup', addable: true, omitted: 'changes', says: 'spec.type is immutable' }],
      fix: 'keep the type, or create a backup with a different name',
    }],
    holds: [{ holds: 'data', what: 'the backup or snapshot', asks: true, searchedOn: ON_HARVESTER }],
  },
  { ...BACKUP, kind: 'VirtualMachineRestore', rank: 62, stage: 'restores' },
  {
    ...BACKUP,
    kind: 'ScheduleVMBackup',
    rank: 60,
    stage: 'backups',
    passing: TARGET_NOT_YET,
    immutable: [{
      id: 'schedule-backup/update',
      level: 'error',
      what: 'virtual machine and type of a schedule are immutable',
      source: 'harvester/harvester:pkg/webhook/resources/schedulevmbackup/validator.go',
      fields: [
        { path: 'spec.vmbackup.type', default: 'backup', addable: true, omitted: 'changes', says: 'spec.type is immutable' },
        { path: 'spec.vmbackup.source', addable: true, omitted: 'changes', says: 'source vm can\'t be changed' },
      ],
      fix: 'delete this schedule, and create one with a different name',
    }],
  },
];

/** The only name that Harvester reads a ResourceQuota by. @see harvester/harvester:pkg/util/constants.go DefaultResourceQuotaName */
export const DEFAULT_RESOURCE_QUOTA = 'default-resource-quota';

/** Harvester's ResourceQuota, which limits the snapshots of a namespace. */
export const SNAPSHOT_QUOTA_DESCRIPTION: KindDescription = {
  group: GROUPS.HARVESTER, version: 'v1beta1', kind: 'ResourceQuota', scope: 'Namespaced', targets: ON_HARVESTER, rank: 20,
};
