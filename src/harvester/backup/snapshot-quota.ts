import { ApiObject, Size, SizeRoundingBehavior } from 'cdk8s';
import { Construct } from 'constructs';
import { DEFAULT_RESOURCE_QUOTA } from './snapshot-quota.kind';
import { INamespace, harvesterTargetOf } from '../../core/app/target';
import { API_VERSIONS, RFC1123_LABEL } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { Problem, failOnErrors } from '../../core/rule/problem';
import { compare } from '../../core/text/values';

/**
 * Properties of a snapshot quota.
 */
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
        value: props.namespace.namespaceName,
        message: `must be on the Harvester of the quota, ${target.targetName}: it is on ${props.namespace.target.targetName}`,
        fix: 'create the quota in the chart of the namespace\'s Harvester',
      }]),
      ...check(props, machines.map(([name]) => name)),
    ]);
    const quota = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.HARVESTER,
      kind: 'ResourceQuota',
      metadata: { name: DEFAULT_RESOURCE_QUOTA, namespace: props.namespace.namespaceName },
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
