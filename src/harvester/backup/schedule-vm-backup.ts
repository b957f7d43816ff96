import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { SCHEDULE_LIMITS, checkSchedule } from './schedule-vm-backup.check';
import { ANNOTATION_SKIP_CRON_CHECK } from './schedule-vm-backup.kind';
import { IHarvesterTarget, harvesterTargetOf } from '../../core/app/target';
import { EdgeType, Edges } from '../../core/late/edge';
import { ANNOTATION_DESCRIPTION, API_VERSIONS } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { failOnErrors } from '../../core/rule/problem';
import { asProps, failUnlessSameHarvester, objectName } from '../object-name';
import { IVirtualMachine } from '../virtual-machine/virtual-machine';
import { GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE } from '../virtual-machine/virtual-machine.kind';

/** Where a schedule keeps what it takes of a machine. */
export enum VmBackupType {
  /** In the backup target: the Harvester needs the setting backup-target. */
  BACKUP = 'backup',
  /** On the Harvester itself, beside the volumes. */
  SNAPSHOT = 'snapshot',
}

/**
 * Properties of a schedule of backups.
 */
export interface ScheduleVmBackupProps {
  /** The machine, in whose namespace the schedule is; it can have one. Create-only. */
  readonly virtualMachine: IVirtualMachine;
  /**
   * When: five fields of cron, in the time of the Harvester, which is UTC, or e.g. `@daily`. An hour or more between runs; ten minutes or more from
   * other schedules that run as often.
   */
  readonly cron: string;
  /** Where to. Create-only. @default VmBackupType.BACKUP */
  readonly type?: VmBackupType;
  /** How many are kept: 2 to 250. @default 8 */
  readonly retain?: number;
  /** After how many failures in a row it is suspended: 2 or more, and less than retain. @default - 4, or one less than retain where that is 3 or 4 */
  readonly maxFailures?: number;
  /** Whether it does nothing for now. @default false */
  readonly suspended?: boolean;
  /** Whether it may run at the time of another, or more often than once an hour. @default false */
  readonly skipCronCheck?: boolean;
  /** The name of the ScheduleVMBackup. @default - the id of the construct */
  readonly name?: string;
  /** Text that the UI shows. @default - none */
  readonly description?: string;
  /** Labels of the ScheduleVMBackup. @default - none */
  readonly labels?: { readonly [key: string]: string };
}

/**
 * Defines backups, or snapshots, of a virtual machine by schedule, on its Harvester.
 *
 * Harvester suspends it after failures: to resume it, somebody sets `spec.suspend` to false, here by an apply.
 *
 * @see https://docs.harvesterhci.io/latest/vm/backup-restore
 */
export class ScheduleVmBackup extends Construct {
  /** The name of the ScheduleVMBackup. */
  public readonly scheduleName: string;
  /** Its namespace, that of the machine. */
  public readonly namespace: string;
  /** The Harvester that it is on. */
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, props: ScheduleVmBackupProps) {
    super(scope, id);
    const { virtualMachine, description } = props;
    this.harvester = harvesterTargetOf(this, 'ScheduleVmBackup');
    failUnlessSameHarvester(this, 'virtualMachine', virtualMachine.vmName, virtualMachine.harvester, this.harvester);
    this.scheduleName = objectName(this, props.name);
    this.namespace = virtualMachine.namespace;
    const retain = props.retain ?? SCHEDULE_LIMITS.retain;
    const spec = {
      cron: props.cron,
      retain,
      maxFailure: props.maxFailures ?? Math.max(SCHEDULE_LIMITS.minMaxFailure, Math.min(SCHEDULE_LIMITS.maxFailure, retain - 1)),
      suspend: props.suspended ?? false,
      vmbackup: {
        type: props.type ?? VmBackupType.BACKUP,
        source: { apiGroup: GROUP_KUBEVIRT, kind: KIND_VIRTUAL_MACHINE, name: virtualMachine.vmName },
      },
    };
    failOnErrors(this, asProps(checkSchedule(spec, props.skipCronCheck ?? false), { maxFailure: 'maxFailures' }));
    const annotations = {
      ...(description === undefined ? {} : { [ANNOTATION_DESCRIPTION]: description }),
      ...(props.skipCronCheck ? { [ANNOTATION_SKIP_CRON_CHECK]: 'true' } : {}),
    };
    const schedule = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.HARVESTER,
      kind: 'ScheduleVMBackup',
      metadata: {
        name: this.scheduleName,
        namespace: this.namespace,
        labels: props.labels,
        annotations: Object.keys(annotations).length > 0 ? annotations : undefined,
      },
      spec,
    });
    note(schedule, {
      deletion: { policy: 'delete', reason: 'backups that it made stay' },
      // after maxFailure
      othersWrite: ['metadata.finalizers', 'spec.suspend', 'status'],
    });
    Edges.of(this)._add(virtualMachine, EdgeType.APPLIED);
  }
}
