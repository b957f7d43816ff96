import { Duration } from 'cdk8s';
import { isLate } from '../../core/late/late-token';
import { Problem } from '../../core/rule/problem';
import { Fields } from '../cluster/cluster-parts';

/**
 * How nodes are changed: at upgrades and at changes of their configuration. It says nothing of the replacement of virtual machines, see the
 * rollingUpdate of a machine pool.
 */
export interface UpgradeStrategy {
  /**
   * How many control plane nodes at a time: a number or a percentage; `0` is all of them.
   * @default '1'
   */
  readonly controlPlaneConcurrency?: string;
  /**
   * How many workers at a time: a number or a percentage; `0` is all of them.
   * @default '1'
   */
  readonly workerConcurrency?: string;
  /** How control plane nodes are drained. @default - they are not */
  readonly controlPlaneDrain?: DrainOptions;
  /** How workers are drained. @default - they are not */
  readonly workerDrain?: DrainOptions;
}

/**
 * How a node is emptied before it is changed. Rancher's field ignoreErrors is declared, but not carried out, so it is not offered.
 */
export interface DrainOptions {
  /**
   * Whether nodes are drained.
   * @default true
   */
  readonly enabled?: boolean;
  /**
   * Whether pods go that no controller would make again.
   * @default false
   */
  readonly force?: boolean;
  /**
   * Whether pods of DaemonSets are left alone; without, a node that has some can not be drained.
   * @default true
   */
  readonly ignoreDaemonSets?: boolean;
  /**
   * Whether pods go that lose an emptyDir.
   * @default true
   */
  readonly deleteEmptyDirData?: boolean;
  /**
   * Whether pods are deleted rather than evicted, past their disruption budgets.
   * @default false
   */
  readonly disableEviction?: boolean;
  /** The time that each pod gets to end, in whole seconds. @default - the pod's own */
  readonly gracePeriod?: Duration;
  /**
   * How long the drain of a node may take, in whole seconds; zero is for ever.
   * @default Duration.seconds(120)
   */
  readonly timeout?: Duration;
  /**
   * Pods that have been ending for longer are not waited for, in whole seconds; zero waits for all.
   * @default Duration.seconds(0)
   */
  readonly skipWaitForDeleteTimeout?: Duration;
  /** Annotations that must be set on the machine's plan before its drain goes on. @default - none */
  readonly preDrainHooks?: string[];
  /** Annotations that must be set after the drain before the node is changed. @default - none */
  readonly postDrainHooks?: string[];
}

/** What the definition of Cluster takes. @see rancher/rancher:pkg/crds/yaml/generated/provisioning.cattle.io_clusters.yaml */
const CONCURRENCY = /^((([1-9]|[1-9][0-9]|100)%)|([1-9][0-9]*|0))$/;
const MAX_CONCURRENCY = 10;
const DRAIN_TIMEOUT = 120;

/** rkeConfig.upgradeStrategy, spelled out as the UI does. */
export function upgradeSpec({ controlPlaneConcurrency, workerConcurrency, controlPlaneDrain, workerDrain }: UpgradeStrategy = {}): Fields {
  return {
    controlPlaneConcurrency: controlPlaneConcurrency ?? '1',
    controlPlaneDrainOptions: drainSpec(controlPlaneDrain ?? { enabled: false }),
    workerConcurrency: workerConcurrency ?? '1',
    workerDrainOptions: drainSpec(workerDrain ?? { enabled: false }),
  };
}

function drainSpec(drain: DrainOptions): Fields {
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

function seconds(duration: Duration | undefined): number | undefined {
  return duration?.toSeconds({ integral: false });
}

function hooks(annotations: readonly string[] | undefined): { annotation: string }[] | undefined {
  return annotations && annotations.length > 0 ? annotations.map((annotation) => ({ annotation })) : undefined;
}

/** What is wrong with the strategy. */
export function* checkUpgrade(strategy: UpgradeStrategy = {}): Iterable<Problem> {
  for (const prop of ['controlPlaneConcurrency', 'workerConcurrency'] as const) {
    const value = strategy[prop];
    if (value === undefined || isLate(value) || (CONCURRENCY.test(value) && value.length <= MAX_CONCURRENCY)) { continue; }
    yield {
      path: `upgradeStrategy.${prop}`,
      value,
      message: 'is no number of nodes',
      fix: 'give a number such as "1", "0" for all of them, or a percentage from "1%" to "100%"',
      says: 'concurrency must be a number or a percentage',
    };
  }
  for (const drain of ['controlPlaneDrain', 'workerDrain'] as const) {
    for (const prop of ['gracePeriod', 'timeout', 'skipWaitForDeleteTimeout'] as const) {
      const value = seconds(strategy[drain]?.[prop]);
      if (value === undefined || Number.isInteger(value)) { continue; }
      yield { path: `upgradeStrategy.${drain}.${prop}`, value: `${value} seconds`, message: 'must be whole seconds', fix: 'round it' };
    }
  }
}
