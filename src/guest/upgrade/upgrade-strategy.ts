import { Duration } from 'cdk8s';
import { checkConcurrency } from './upgrade-strategy.check';
import { Problem } from '../../core/problem/problem';
import { ClusterFields } from '../parts/cluster-parts';

/**
 * How nodes are upgraded and reconfigured. It does not affect the replacement of virtual machines,
 * see the rollingUpdate of a machine pool.
 */
export interface UpgradeStrategy {
  /**
   * How many control plane nodes are upgraded at a time: a number or a percentage; `0` means all.
   * @default '1'
   */
  readonly controlPlaneConcurrency?: string;
  /**
   * How many workers are upgraded at a time: a number or a percentage; `0` means all.
   * @default '1'
   */
  readonly workerConcurrency?: string;
  /**
   * How control plane nodes are drained. Setting any drain option enables draining.
   * @default - they are not drained
   */
  readonly controlPlaneDrain?: DrainOptions;
  /**
   * How workers are drained. Setting any drain option enables draining.
   * @default - they are not drained
   */
  readonly workerDrain?: DrainOptions;
}

/**
 * How a node is drained before it is upgraded. Rancher's field `ignoreErrors` has no effect, so
 * there is no prop for it.
 */
export interface DrainOptions {
  /** Whether nodes are drained. @default true */
  readonly enabled?: boolean;
  /** Whether to delete pods that no controller would recreate. @default false */
  readonly force?: boolean;
  /**
   * Whether to ignore pods of DaemonSets; otherwise a node with such pods cannot be drained.
   * @default true
   */
  readonly ignoreDaemonSets?: boolean;
  /** Whether to delete pods with emptyDir volumes, whose data is lost. @default true */
  readonly deleteEmptyDirData?: boolean;
  /**
   * Whether to delete pods instead of evicting them, which ignores disruption budgets.
   * @default false
   */
  readonly disableEviction?: boolean;
  /**
   * The time that each pod has to terminate, in whole seconds.
   * @default - the grace period of the pod
   */
  readonly gracePeriod?: Duration;
  /**
   * The maximum duration of the drain of a node, in whole seconds; 0 means indefinitely.
   * @default Duration.seconds(120)
   */
  readonly timeout?: Duration;
  /**
   * Do not wait for pods that have been terminating for longer than this, in whole seconds; 0 waits
   * for all.
   * @default Duration.seconds(0)
   */
  readonly skipWaitForDeleteTimeout?: Duration;
  /**
   * Annotations that another program must set on the machine's plan before the drain starts.
   * @default - no hooks
   */
  readonly preDrainHooks?: string[];
  /**
   * Annotations that another program must set after the drain, before the node is upgraded.
   * @default - no hooks
   */
  readonly postDrainHooks?: string[];
}

const DRAIN_TIMEOUT = 120;

/** The field `rkeConfig.upgradeStrategy`, with the defaults of Rancher's UI. */
export function upgradeSpec({
  controlPlaneConcurrency,
  workerConcurrency,
  controlPlaneDrain,
  workerDrain,
}: UpgradeStrategy = {}): ClusterFields {
  return {
    controlPlaneConcurrency: controlPlaneConcurrency ?? '1',
    controlPlaneDrainOptions: drainSpec(controlPlaneDrain ?? { enabled: false }),
    workerConcurrency: workerConcurrency ?? '1',
    workerDrainOptions: drainSpec(workerDrain ?? { enabled: false }),
  };
}

function drainSpec(drain: DrainOptions): ClusterFields {
  return {
    deleteEmptyDirData: drain.deleteEmptyDirData ?? true,
    disableEviction: drain.disableEviction ?? false,
    enabled: drain.enabled ?? true,
    force: drain.force ?? false,
    gracePeriod: seconds(drain.gracePeriod) ?? -1,
    ignoreDaemonSets: drain.ignoreDaemonSets ?? true,
    postDrainHooks: hooks(drain.postDrainHooks),
    preDrainHooks: hooks(drain.preDrainHooks),
    skipWaitForDeleteTimeoutSeconds: seconds(drain.skipWaitForDeleteTimeout) ?? 0,
    timeout: seconds(drain.timeout) ?? DRAIN_TIMEOUT,
  };
}

/** A duration in seconds, also in parts of a second. */
export function seconds(duration: Duration | undefined): number | undefined {
  return duration?.toSeconds({ integral: false });
}

function hooks(annotations: readonly string[] | undefined): { annotation: string }[] | undefined {
  return annotations && annotations.length > 0
    ? annotations.map((annotation) => ({ annotation }))
    : undefined;
}

/** Checks the upgrade strategy. */
export function* checkUpgrade(strategy: UpgradeStrategy = {}): Iterable<Problem> {
  for (const prop of ['controlPlaneConcurrency', 'workerConcurrency'] as const) {
    yield* checkConcurrency(`upgradeStrategy.${prop}`, strategy[prop]);
  }
  for (const drain of ['controlPlaneDrain', 'workerDrain'] as const) {
    for (const prop of ['gracePeriod', 'timeout', 'skipWaitForDeleteTimeout'] as const) {
      const value = seconds(strategy[drain]?.[prop]);
      if (value === undefined || Number.isInteger(value)) {
        continue;
      }
      yield {
        path: `upgradeStrategy.${drain}.${prop}`,
        value: `${value} seconds`,
        message: 'must be whole seconds',
        fix: 'round it',
      };
    }
  }
}
