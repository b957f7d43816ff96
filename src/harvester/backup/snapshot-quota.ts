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
  /** The namespace that it is for, on this Harvester; it has one. */
  readonly namespace: INamespace;
  /** How large all snapshots of volumes in the namespace may be together. @default - not limited */
  readonly total?: Size;
  /** How large the snapshots of single virtual machines may be, by the names of the machines. @default - not limited */
  readonly perVirtualMachine?: { readonly [virtualMachine: string]: Size };
}

/**
 * How much storage snapshots may take in a namespace: Harvester's own ResourceQuota `default-resource-quota`. CPU, memory and volumes are limited
 * by the quota of a TenantProject.
 *
 * @see https://docs.harvesterhci.io/latest/vm/resource-quota
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
        message: `is a namespace of ${props.namespace.target.targetName}, this quota lies in ${target.targetName}`,
        fix: 'create the quota below the chart of the namespace\'s Harvester',
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
    ...(total === undefined && machines.length === 0 ? [{ path: 'total', message: 'is missing, and so is perVirtualMachine: nothing is limited', fix: 'give one of them' }] : []),
    ...machines.filter((name) => !RFC1123_LABEL.test(name)).map((name) => ({
      path: `perVirtualMachine[${name}]`, message: 'is no name of a virtual machine', fix: 'use the name of the VirtualMachine object',
    })),
  ];
}

function bytes(size: Size): number {
  return Math.ceil(size.toKibibytes({ rounding: SizeRoundingBehavior.NONE }) * 1024);
}
