import { ApiObject, Size, SizeRoundingBehavior } from 'cdk8s';
import { Construct } from 'constructs';
import { SCHEDULE_LIMITS, checkSchedule } from './backup.check';
import { ANNOTATION_SKIP_CRON_CHECK, DEFAULT_RESOURCE_QUOTA } from './backup.kind';
import { objectName } from '../../core/app/resource';
import { IHarvesterTarget, harvesterTargetOf, INamespace } from '../../core/app/target';
import { EdgeType, Edges } from '../../core/late/edge';
import { ANNOTATION_DESCRIPTION, API_VERSIONS, RFC1123_LABEL } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { failOnErrors, Problem } from '../../core/rule/problem';
import { compare } from '../../core/text/values';
import { asProps, requireSameHarvester } from '../harvester-object';
import { GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE } from '../virtual-machine/machine-manifest.check';
import { IVirtualMachine } from '../virtual-machine/virtual-machine';

/** The type of a backup schedule: where its backups are stored. */
export enum VmBackupType {
  /** Backups in the backup target, which requires the setting backup-target. */
  BACKUP = 'backup',
  /** Snapshots on the Harvester, next to the volumes. */
  SNAPSHOT = 'snapshot',
}

/** Properties of a backup schedule. */
export interface ScheduleVmBackupProps {
  /** The virtual machine, which can have at most one schedule. The schedule is created in its namespace. Immutable. */
  readonly virtualMachine: IVirtualMachine;
  /**
   * The times as a cron expression of five fields in UTC, or e.g. `@daily`. Runs must be at least an hour apart, and at least ten minutes from those of
   * other schedules with the same interval.
   */
  readonly cron: string;
  /** The type of backups. Immutable. @default VmBackupType.BACKUP */
  readonly type?: VmBackupType;
  /** The number of backups to keep: 2 to 250. @default 8 */
  readonly retain?: number;
  /** The number of consecutive failures after which it is suspended: 2 or more, less than retain. @default - 4, or one less than retain if that is 3 or 4 */
  readonly maxFailures?: number;
  /** Whether the schedule is suspended. @default false */
  readonly suspended?: boolean;
  /** Whether Harvester skips its check of the times: the schedule may overlap another, or run more than once an hour. @default false */
  readonly skipCronCheck?: boolean;
  /** The name of the ScheduleVMBackup. @default - the ID of the construct */
  readonly name?: string;
  /** The description that the UI shows. @default - no description */
  readonly description?: string;
  /** Labels of the ScheduleVMBackup. @default - no labels */
  readonly labels?: { readonly [key: string]: string };
}

/**
 * The ScheduleVMBackup of a Harvester: scheduled backups or snapshots of a virtual machine.
 *
 * Harvester suspends it after failures. To resume it, set `spec.suspend` to false, e.g. by an apply.
 *
 * @see https://docs.harvesterhci.io/latest/vm/backup-restore
 * @example
 * const web = VirtualMachine.fromName(dc1, 'web', 'web', 'payments-vms');
 * new ScheduleVmBackup(dc1, 'web-nightly', { virtualMachine: web, cron: '0 2 * * *', retain: 14 });
 */
export class ScheduleVmBackup extends Construct {
  /** The name of the ScheduleVMBackup. */
  public readonly scheduleName: string;
  /** The namespace, which is that of the virtual machine. */
  public readonly namespace: string;
  /** The Harvester of the schedule. */
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, props: ScheduleVmBackupProps) {
    super(scope, id);
    const { virtualMachine, description } = props;
    this.harvester = harvesterTargetOf(this, 'ScheduleVmBackup');
    requireSameHarvester(this, 'virtualMachine', virtualMachine.vmName, virtualMachine.harvester, this.harvester);
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
      deletion: { policy: 'delete', reason: 'its backups are kept' },
      // after maxFailure
      othersWrite: ['metadata.finalizers', 'spec.suspend', 'status'],
    });
    Edges.of(this)._add(virtualMachine, EdgeType.APPLIED);
  }
}

/** Properties of a snapshot quota. */
export interface SnapshotQuotaProps {
  /** The namespace, on the same Harvester. It can have only one snapshot quota. */
  readonly namespace: INamespace;
  /** The total size of all snapshots of volumes in the namespace. @default - not limited */
  readonly total?: Size;
  /** The total size of the snapshots of a virtual machine, by the name of the VM. @default - not limited */
  readonly perVirtualMachine?: { readonly [virtualMachine: string]: Size };
}

/**
 * Harvester's ResourceQuota `default-resource-quota`, which limits the size of snapshots in a namespace. The quota of a TenantProject limits CPU,
 * memory and volumes.
 *
 * @see https://docs.harvesterhci.io/latest/vm/resource-quota
 * @example
 * new SnapshotQuota(dc1, 'snapshots', { namespace: new HarvesterNamespace(dc1, 'payments-vms'), total: Size.gibibytes(200) });
 */
export class SnapshotQuota extends Construct {
  constructor(scope: Construct, id: string, props: SnapshotQuotaProps) {
    super(scope, id);
    const target = harvesterTargetOf(this, 'SnapshotQuota');
    const machines = Object.entries(props.perVirtualMachine ?? {}).sort(([a], [b]) => compare(a, b));
    failOnErrors(this, [
      ...(props.namespace.target === target ? [] : [{
        path: 'namespace',
        value: props.namespace.name,
        message: `must be on the Harvester of the quota, ${target.targetName}: it is on ${props.namespace.target.targetName}`,
        fix: 'create the quota in the chart of the namespace\'s Harvester',
      }]),
      ...check(props, machines.map(([name]) => name)),
    ]);
    const quota = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.HARVESTER,
      kind: 'ResourceQuota',
      metadata: { name: DEFAULT_RESOURCE_QUOTA, namespace: props.namespace.name },
      spec: {
        snapshotLimit: {
          namespaceTotalSnapshotSizeQuota: props.total && bytes(props.total),
          vmTotalSnapshotSizeQuota: machines.length > 0 ? Object.fromEntries(machines.map(([name, size]) => [name, bytes(size)])) : undefined,
        },
      },
    });
    note(quota, { deletion: { policy: 'delete', reason: 'snapshots are no longer limited' }, othersWrite: ['status'] });
  }
}

function check({ total }: SnapshotQuotaProps, machines: string[]): Problem[] {
  return [
    ...(total === undefined && machines.length === 0 ? [{ path: 'total', message: 'must be set, unless perVirtualMachine is set', fix: 'set total or perVirtualMachine' }] : []),
    ...machines.filter((name) => !RFC1123_LABEL.test(name)).map((name) => ({
      path: `perVirtualMachine[${name}]`, message: 'must be the name of a virtual machine', fix: 'use the name of the VirtualMachine',
    })),
  ];
}

function bytes(size: Size): number {
  return Math.ceil(size.toKibibytes({ rounding: SizeRoundingBehavior.NONE }) * 1024);
}
