import { WrittenOnce } from '../../core/kind/description/fields';
import { Fields, Manifest, isRecord, itemsAt, valueAt } from '../../core/manifest/manifest';
import { RANCHER_AUTOSCALER } from '../machine-config/machine-config.kind';

/**
 * Whether kubernetes/autoscaler sets the quantity of an entry of `machinePools`, with its provider
 * for Rancher.
 */
export function isPoolScaledByRancherProvider({ machineDeploymentAnnotations }: Fields): boolean {
  return [RANCHER_AUTOSCALER.MIN, RANCHER_AUTOSCALER.MAX].every(
    (key) => valueAt(machineDeploymentAnnotations, key) !== undefined,
  );
}

/** The quantities of a Cluster that belong to an autoscaler once the Cluster exists. */
export function quantitiesOfAutoscaler({ spec }: Manifest): readonly WrittenOnce[] {
  return itemsAt(valueAt(spec, 'rkeConfig'), 'machinePools').flatMap((pool, index) =>
    isRecord(pool) && pool.quantity !== undefined && isPoolScaledByRancherProvider(pool)
      ? [
          {
            path: ['spec', 'rkeConfig', 'machinePools', index, 'quantity'],
            owner: 'an autoscaler',
            what: `the quantity of pool ${String(pool.name)}`,
          },
        ]
      : [],
  );
}
