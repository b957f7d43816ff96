import { SCHEDULE_LIMITS } from './backup.check';
import { ANNOTATION_SKIP_CRON_CHECK, DEFAULT_RESOURCE_QUOTA } from './backup.kind';
import {
  enumValue,
  booleanAt,
  declare,
  Inverse,
  inverseOf,
  mapAt,
  numberAt,
  refer,
  sizeCall,
  textAt,
  unless,
} from '../../core/draft/draft';
import { goDurationOf } from '../../core/draft/durations';
import { annotationsOf, kindKey } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { descriptionProp } from '../harvester-object.adopt';
import { VIRTUAL_MACHINE } from '../machine/disk.adopt';

/** From a ScheduleVMBackup to the construct. */
export const SCHEDULE_VM_BACKUP_INVERSE = inverseOf(
  'ScheduleVmBackup',
  kindKey(GROUPS.HARVESTER, 'ScheduleVMBackup'),
  (manifest, object) => {
    const { namespace } = manifest.metadata;
    const retention = numberAt(manifest, 'spec', 'retain') ?? SCHEDULE_LIMITS.retain;
    const maxFailures = Math.max(
      SCHEDULE_LIMITS.minMaxFailure,
      Math.min(SCHEDULE_LIMITS.maxFailure, retention - 1),
    );
    return {
      ...descriptionProp(object),
      virtualMachine: refer(
        object,
        VIRTUAL_MACHINE,
        textAt(manifest, 'spec', 'vmbackup', 'source', 'name') ?? '',
        namespace,
      ),
      schedule: textAt(manifest, 'spec', 'cron'),
      type: enumValue(
        'VmBackupType',
        unless(textAt(manifest, 'spec', 'vmbackup', 'type'), 'backup'),
      ),
      retention: unless(retention, SCHEDULE_LIMITS.retain),
      maxFailures: unless(numberAt(manifest, 'spec', 'maxFailure'), maxFailures),
      fsFreezeDeadline: goDurationOf(textAt(manifest, 'spec', 'vmbackup', 'fsFreezeDeadline')),
      suspended: unless(booleanAt(manifest, 'spec', 'suspend'), false),
      skipCronCheck:
        annotationsOf(manifest)[ANNOTATION_SKIP_CRON_CHECK] === 'true' ? true : undefined,
    };
  },
  {
    // of the definition
    defaults: { 'spec.suspend': false },
  },
);

/** From the ResourceQuota of Harvester that limits snapshots to the construct. */
export const SNAPSHOT_QUOTA_INVERSE: Inverse = {
  kinds: [kindKey(GROUPS.HARVESTER, 'ResourceQuota')],
  drafts: (object) => {
    const { manifest } = object;
    const { namespace, name } = manifest.metadata;
    if (name !== DEFAULT_RESOURCE_QUOTA || namespace === undefined) {
      return [];
    }
    const machines = Object.entries(
      mapAt(manifest, 'spec', 'snapshotLimit', 'vmTotalSnapshotSizeQuota') ?? {},
    );
    return declare(
      object,
      'SnapshotQuota',
      {
        ...descriptionProp(object),
        namespace: refer(object, '/Namespace', namespace),
        total: sizeCall(
          numberAt(manifest, 'spec', 'snapshotLimit', 'namespaceTotalSnapshotSizeQuota'),
        ),
        virtualMachines:
          machines.length === 0
            ? undefined
            : machines.map(([machine, total]) => ({
                virtualMachine: refer(object, VIRTUAL_MACHINE, machine, namespace),
                total: sizeCall(total),
              })),
      },
      { id: `${namespace}-snapshots`, isNamedById: false },
    );
  },
};
