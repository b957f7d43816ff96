/**
 * The effect of a taint on pods that do not tolerate it.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
 */
export enum TaintEffect {
  /** The pods are not scheduled on the node. */
  NO_SCHEDULE = 'NoSchedule',
  /** The pods are scheduled on other nodes, if possible. */
  PREFER_NO_SCHEDULE = 'PreferNoSchedule',
  /** The pods are not scheduled on the node, and those that run there are evicted. */
  NO_EXECUTE = 'NoExecute',
}

/** How a toleration compares the value of a taint. */
export enum TolerationOperator {
  /** The taint has the value of the toleration. */
  EQUAL = 'Equal',
  /** The taint has any value. */
  EXISTS = 'Exists',
}

/**
 * A toleration of pods.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
 */
export interface Toleration {
  /** The key of the taint. @default - every key, with TolerationOperator.EXISTS */
  readonly key?: string;
  /** How the value is compared. @default TolerationOperator.EQUAL */
  readonly operator?: TolerationOperator;
  /** The value of the taint. @default - no value */
  readonly value?: string;
  /** The effect of the taint. @default - every effect */
  readonly effect?: TaintEffect;
  /**
   * Seconds until a pod is evicted; only with TaintEffect.NO_EXECUTE.
   * @default - pods are never evicted
   */
  readonly tolerationSeconds?: number;
}
