/** The effect of a taint on pods that do not tolerate it. @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ */
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
