import { valueAt } from '../../core/manifest/manifest';
import { isPoolScaledByRancherProvider } from '../autoscaler/autoscaler.facts';
import { ClusterPool } from '../cluster/cluster-reader.facts';
import {
  AUTOSCALER_MAX,
  AUTOSCALER_MIN,
  RANCHER_AUTOSCALER,
} from '../machine-config/machine-config.kind';

/** The fields that set how many machines a pool has: a number, or the bounds of an autoscaler. */
export interface PoolSize {
  readonly quantity: unknown;
  readonly min: unknown;
  readonly max: unknown;
}

/**
 * The size of a pool; before Rancher 2.13 an autoscaler is bounded by annotations alone, and the
 * provider for Rancher always is.
 */
export function poolSizeOf({ fields }: ClusterPool): PoolSize {
  const annotations = fields.machineDeploymentAnnotations;
  if (isPoolScaledByRancherProvider(fields)) {
    // the number in the manifest is the one at creation
    return {
      quantity: undefined,
      min: valueAt(annotations, RANCHER_AUTOSCALER.MIN),
      max: valueAt(annotations, RANCHER_AUTOSCALER.MAX),
    };
  }
  return {
    quantity: fields.quantity ?? undefined,
    min: fields.autoscalingMinSize ?? valueAt(annotations, AUTOSCALER_MIN) ?? undefined,
    max: fields.autoscalingMaxSize ?? valueAt(annotations, AUTOSCALER_MAX) ?? undefined,
  };
}

/**
 * How many machines a pool has; undefined where an autoscaler decides, or the number is yet to
 * come.
 */
export function machinesOfPool(pool: ClusterPool): number | undefined {
  const { quantity, min } = poolSizeOf(pool);
  if (typeof quantity === 'number') {
    return quantity;
  }
  return quantity === undefined && min === undefined ? 1 : undefined;
}

/** Whether an autoscaler sets the number of machines. */
export function isScaled({ quantity, min }: PoolSize): boolean {
  return quantity === undefined && min !== undefined;
}

/** The least number of machines; 0 if it is unknown. */
export function leastOf(size: PoolSize): number {
  return numberOf(isScaled(size) ? size.min : (size.quantity ?? 1)) ?? 0;
}

/** The largest number of machines; infinite if it is unknown. */
export function mostOf(size: PoolSize): number {
  return numberOf(isScaled(size) ? size.max : (size.quantity ?? 1)) ?? Infinity;
}

/**
 * The number of machines that a rolling update of a pool may create before it deletes others.
 * Rancher passes maxSurge on to the MachineDeployment, where it is 1 by default. The concurrency of
 * the upgrade strategy creates no machines: it changes nodes in place.
 *
 * @see rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go machineDeployments
 * @see kubernetes-sigs/cluster-api:internal/webhooks/machinedeployment.go Default, internal/controllers/machinedeployment/mdutil/util.go MaxSurge
 */
export function surgeOf(rollingUpdate: unknown, machines: number): number {
  if (machines === 0) {
    return 0;
  }
  const text = String(valueAt(rollingUpdate, 'maxSurge') ?? 1);
  const percent = /^(\d+)%$/.exec(text)?.[1];
  return percent === undefined
    ? (numberOf(text) ?? 0)
    : Math.ceil((machines * Number(percent)) / 100);
}

/**
 * The number of machines that a rolling update of a pool may delete before others are ready: 0 by
 * default.
 */
export function unavailableOf(rollingUpdate: unknown, machines: number): number {
  const text = String(valueAt(rollingUpdate, 'maxUnavailable') ?? 0);
  const percent = /^(\d+)%$/.exec(text)?.[1];
  return percent === undefined
    ? (numberOf(text) ?? 0)
    : Math.floor((machines * Number(percent)) / 100);
}

// annotations hold numbers as text
function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value))
    ? Number(value)
    : undefined;
}
