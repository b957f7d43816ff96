import { Duration, Size, SizeRoundingBehavior } from 'cdk8s';
import { Construct } from 'constructs';
import { SCHEDULE_LIMITS, checkSchedule } from './backup.check';
import { ANNOTATION_SKIP_CRON_CHECK, DEFAULT_RESOURCE_QUOTA } from './backup.kind';
import {
  ExistingNamespacedResourceOptions,
  ResourceOptions,
  ResourceManifest,
} from '../../core/app/resource';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { INamespace } from '../../core/construct/target';
import { GrowingProps } from '../../core/growing/growing-props';
import { API_VERSIONS } from '../../core/manifest/names';
import { Problem, asProps, collectProblems, failOnErrors } from '../../core/problem/problem';
import { goDurationText } from '../../core/text/time';
import { compare } from '../../core/text/values';
import { requireSameHarvester } from '../harvester-object';
import {
  ExistingNamespacedHarvesterResource,
  HarvesterResourceProps,
  NamespacedHarvesterResource,
} from '../harvester-resource';
import { INamespacedHarvesterResource } from '../harvester-resource-ref';
import { GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE } from '../virtual-machine/machine-manifest.facts';
import { IVirtualMachine } from '../virtual-machine/virtual-machine';

const KIND = { apiVersion: API_VERSIONS.HARVESTER, kind: 'ScheduleVMBackup' };

/** The props that set fields of other names. */
const PROPS = {
  'spec.vmbackup.fsFreezeDeadline': 'fsFreezeDeadline',
  'spec.cron': 'schedule',
  'spec.retain': 'retention',
  'spec.maxFailure': 'maxFailures',
};

/** The type of a backup schedule: where its backups are stored. */
export enum VmBackupType {
  /** Backups in the backup target, which requires the setting backup-target. */
  BACKUP = 'backup',
  /** Snapshots on the Harvester, next to the volumes. */
  SNAPSHOT = 'snapshot',
}

/** A backup schedule on a Harvester: declared by the program, or existing. */
export interface IScheduleVmBackup extends INamespacedHarvesterResource {
  /** The ID of the object in Rancher's API: `<namespace>/<name>`. */
  readonly scheduleVmBackupId: string;
}

/** Properties of a backup schedule. */
export interface ScheduleVmBackupProps extends HarvesterResourceProps {
  /**
   * The virtual machine, which can have at most one schedule. The schedule is created in its
   * namespace. Immutable.
   */
  readonly virtualMachine: IVirtualMachine;
  /**
   * The times as a cron expression of five fields in UTC, or e.g. `@daily`. Runs must be at least
   * an hour apart, and at least ten minutes from those of other schedules with the same interval.
   */
  readonly schedule: string;
  /** The type of backups. Immutable. @default VmBackupType.BACKUP */
  readonly type?: VmBackupType;
  /** The number of backups to keep: 2 to 250. @default 8 */
  readonly retention?: number;
  /**
   * The number of consecutive failures after which it is suspended: 2 or more, less than retention.
   * @default - 4, or one less than retention if that is 3 or 4
   */
  readonly maxFailures?: number;
  /**
   * How long a file system of the guest may be frozen while a backup is taken; zero for no limit.
   * Harvester 1.9.0 and later.
   * @default - 1 second
   */
  readonly fsFreezeDeadline?: Duration;
  /** Whether the schedule is suspended. @default false */
  readonly suspended?: boolean;
  /**
   * Whether Harvester skips its check of the times: the schedule may overlap another, or run more
   * than once an hour.
   * @default false
   */
  readonly skipCronCheck?: boolean;
}

/**
 * The ScheduleVMBackup of a Harvester: scheduled backups or snapshots of a virtual machine.
 *
 * Harvester suspends it after failures. To resume it, set `spec.suspend` to false, e.g. by an
 * apply.
 *
 * @see https://docs.harvesterhci.io/latest/vm/backup-restore
 * @example
 * const web = VirtualMachine.fromName(dc1, 'web', { name: 'web', namespace: 'payments-vms' });
 * new ScheduleVmBackup(dc1, 'web-nightly', { virtualMachine: web, schedule: '0 2 * * *', retention: 14 });
 */
export class ScheduleVmBackup extends NamespacedHarvesterResource implements IScheduleVmBackup {
  /** A reference to an existing schedule. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingNamespacedResourceOptions,
  ): IScheduleVmBackup {
    return new ExistingScheduleVmBackup(scope, id, 'ScheduleVmBackup.fromName', KIND, options);
  }

  constructor(scope: Construct, id: string, props: ScheduleVmBackupProps) {
    super(scope, id, props);
    const { virtualMachine } = props;
    requireSameHarvester(
      this,
      'virtualMachine',
      virtualMachine.name,
      virtualMachine.harvester,
      this.harvester,
    );
    const retain = props.retention ?? SCHEDULE_LIMITS.retain;
    const spec = {
      cron: props.schedule,
      retain,
      maxFailure:
        props.maxFailures ??
        Math.max(SCHEDULE_LIMITS.minMaxFailure, Math.min(SCHEDULE_LIMITS.maxFailure, retain - 1)),
      suspend: props.suspended ?? false,
      vmbackup: {
        type: props.type ?? VmBackupType.BACKUP,
        source: { apiGroup: GROUP_KUBEVIRT, kind: KIND_VIRTUAL_MACHINE, name: virtualMachine.name },
        fsFreezeDeadline:
          props.fsFreezeDeadline && goDurationText(props.fsFreezeDeadline.toMilliseconds()),
      },
    };
    collectProblems(this, asProps(checkSchedule(spec, props.skipCronCheck ?? false), PROPS));
    this._write(
      {
        ...KIND,
        metadata: {
          annotations: props.skipCronCheck ? { [ANNOTATION_SKIP_CRON_CHECK]: 'true' } : undefined,
        },
        spec,
      },
      { props: PROPS },
    );
    Ordering.of(this)._add(virtualMachine, OrderingType.APPLIED);
  }

  public get scheduleVmBackupId(): string {
    return `${this.namespace}/${this.name}`;
  }

  /** @internal */
  public _namespaceOf({ virtualMachine }: ScheduleVmBackupProps): string {
    return virtualMachine.namespace;
  }
}

class ExistingScheduleVmBackup
  extends ExistingNamespacedHarvesterResource
  implements IScheduleVmBackup
{
  public get scheduleVmBackupId(): string {
    return `${this.namespace}/${this.name}`;
  }
}

/** The limit for the snapshots of a virtual machine. */
export interface VmSnapshotQuota {
  /** The virtual machine, in the namespace of the quota. */
  readonly virtualMachine: IVirtualMachine;
  /** The total size of its snapshots. */
  readonly total: Size;
}

/** Properties of a snapshot quota. */
export interface SnapshotQuotaProps extends ResourceOptions {
  /** The namespace, on the same Harvester. It can have only one snapshot quota. */
  readonly namespace: INamespace;
  /** The total size of all snapshots of volumes in the namespace. @default - not limited */
  readonly total?: Size;
  /**
   * The total size of the snapshots of single virtual machines, each once.
   * @default - not limited
   */
  readonly virtualMachines?: VmSnapshotQuota[];
}

/**
 * Harvester's ResourceQuota `default-resource-quota`, which limits the size of snapshots in a
 * namespace. The quota of a TenantProject limits CPU, memory and volumes.
 *
 * @see https://docs.harvesterhci.io/latest/vm/resource-quota
 * @example
 * new SnapshotQuota(dc1, 'snapshots', { namespace: new HarvesterNamespace(dc1, 'payments-vms'), total: Size.gibibytes(200) });
 */
export class SnapshotQuota extends NamespacedHarvesterResource {
  private readonly growing: GrowingProps<SnapshotQuotaProps>;

  constructor(scope: Construct, id: string, props: SnapshotQuotaProps) {
    super(scope, id, { ...props, name: DEFAULT_RESOURCE_QUOTA });
    this.growing = new GrowingProps(this, props, (all) => this.manifestOf(all));
    this._writeGrowing(this.growing);
  }

  /** Limits the snapshots of one more virtual machine. */
  public addVirtualMachine(limit: VmSnapshotQuota): void {
    this.growing.add('addVirtualMachine', 'virtualMachines', limit);
  }

  private manifestOf(props: SnapshotQuotaProps): ResourceManifest {
    const machines = (props.virtualMachines ?? []).map(
      ({ virtualMachine, total }) => [virtualMachine.name, bytes(total)] as const,
    );
    failOnErrors(this, checkQuota(this, props));
    return {
      apiVersion: API_VERSIONS.HARVESTER,
      kind: 'ResourceQuota',
      spec: {
        snapshotLimit: {
          namespaceTotalSnapshotSizeQuota: props.total && bytes(props.total),
          vmTotalSnapshotSizeQuota:
            machines.length > 0
              ? Object.fromEntries(machines.sort(([a], [b]) => compare(a, b)))
              : undefined,
        },
      },
    };
  }
}

function checkQuota(
  { harvester, namespace }: SnapshotQuota,
  { total, virtualMachines = [] }: SnapshotQuotaProps,
): Problem[] {
  if (total === undefined && virtualMachines.length === 0) {
    return [
      {
        path: 'total',
        message: 'must be set, unless virtualMachines is set',
        fix: 'set total or virtualMachines',
      },
    ];
  }
  const idOf = (machine: IVirtualMachine): string =>
    `${machine.harvester.targetName}/${machine.namespace}/${machine.name}`;
  const ids = virtualMachines.map(({ virtualMachine }) => idOf(virtualMachine));
  return ids.flatMap((value, index): Problem[] => {
    const at = { path: `virtualMachines[${index}].virtualMachine`, value };
    if (ids.indexOf(value) < index) {
      return [{ ...at, message: 'must be unique', fix: 'list each virtual machine once' }];
    }
    const place = `${harvester.targetName}/${namespace}/`;
    if (value.startsWith(place)) {
      return [];
    }
    return [
      {
        ...at,
        message: `must be in the namespace of the quota, ${namespace} on ${harvester.targetName}`,
        fix: 'create a quota for each namespace',
      },
    ];
  });
}

function bytes(size: Size): number {
  return Math.ceil(size.toKibibytes({ rounding: SizeRoundingBehavior.NONE }) * 1024);
}
