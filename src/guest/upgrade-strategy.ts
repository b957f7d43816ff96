import { Duration } from 'cdk8s';

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
