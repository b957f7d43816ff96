/**
 * What happens to a volume when its claim goes.
 */
export enum ReclaimPolicy {
  /** It goes too, on the Harvester as well. */
  DELETE = 'Delete',
  /** It stays. */
  RETAIN = 'Retain',
}

/**
 * When a volume is made.
 */
export enum VolumeBindingMode {
  /** With its claim. */
  IMMEDIATE = 'Immediate',
  /** When a pod first uses it. */
  WAIT_FOR_FIRST_CONSUMER = 'WaitForFirstConsumer',
}
