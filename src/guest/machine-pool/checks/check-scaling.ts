import { Problem } from '../../../core/problem/problem';
import { MachineAutoscaling, MachinePool, MachineRoles } from '../machine-pool';
import { isScaledByRancherProvider } from '../machine-pool-spec';
import { checkScaledQuantity } from '../machine-pool.check';

/** Checks the autoscaling of a pool. */
export function checkScaling(pool: MachinePool): readonly Problem[] {
  if (!pool.autoscaling) {
    return [];
  }
  const bounds = checkBounds(pool.autoscaling, pool.roles);
  return isScaledByRancherProvider(pool)
    ? [...bounds, ...checkFirst(pool)]
    : [...bounds, ...checkScaledQuantity(pool), ...checkNoResources(pool)];
}

/** Checks that the number of machines at creation is within the bounds of the autoscaler. */
function checkFirst({ quantity, autoscaling }: MachinePool): Problem[] {
  const { min, max } = autoscaling!;
  return quantity === undefined || (quantity >= min && quantity <= max)
    ? []
    : [
        {
          path: 'quantity',
          value: quantity,
          message: `must be within the bounds of autoscaling, ${min} to ${max}`,
          fix: 'set the number of machines at creation, or remove it',
        },
      ];
}

/** Checks that no resources are given which nothing reads. */
function checkNoResources({ autoscaling }: MachinePool): Problem[] {
  return autoscaling?.ephemeralStorage === undefined
    ? []
    : [
        {
          path: 'autoscaling.ephemeralStorage',
          message:
            'cannot be set without autoscaler: MachineAutoscaler.RANCHER, which alone reads it',
          fix: 'remove it, or set autoscaler',
        },
      ];
}

/**
 * Checks the bounds of the autoscaler, which the definition of Cluster judges only where they are
 * fields: before Rancher 2.13 they are annotations.
 */
function checkBounds(
  { min, max }: MachineAutoscaling,
  { etcd, controlPlane }: MachineRoles,
): Problem[] {
  const at = { path: 'autoscaling.min', value: min };
  const roles = min === 0 ? [etcd && 'etcd', controlPlane && 'control plane'].filter(Boolean) : [];
  return [
    ...(min > max
      ? [{ ...at, message: `must be at most autoscaling.max, ${max}`, fix: 'lower it' }]
      : []),
    ...roles.map((role) => ({
      ...at,
      message: `must be at least 1 for a pool with the role ${role}`,
      fix: 'set it to 1 or more',
    })),
  ];
}
