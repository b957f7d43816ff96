import { KindDescription, ON_HARVESTER } from '../../core/kind/kind';
import { GROUPS } from '../../core/manifest/names';

/** Annotation of a schedule: it may run at the time of another. @see harvester/harvester:pkg/util/constants.go AnnotationSVMBackupSkipCronCheck */
export const ANNOTATION_SKIP_CRON_CHECK = 'harvesterhci.io/svmbackupSkipCronCheck';

const BACKUP = { group: GROUPS.HARVESTER, version: 'v1beta1', scope: 'Namespaced', targets: ON_HARVESTER } as const;

/** Harvester's kinds of backups and snapshots. @see harvester/harvester:pkg/apis/harvesterhci.io/v1beta1/backup.go */
export const BACKUP_DESCRIPTIONS: readonly KindDescription[] = [
  {
    ...BACKUP,
    kind: 'VirtualMachineBackup',
    rank: 60,
    holds: [{ holds: 'data', what: 'the backup or snapshot', asks: true, searchedOn: ON_HARVESTER }],
  },
  { ...BACKUP, kind: 'VirtualMachineRestore', rank: 62 },
  { ...BACKUP, kind: 'ScheduleVMBackup', rank: 60 },
];
