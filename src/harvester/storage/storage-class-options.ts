/**
 * What happens to a volume when its claim is deleted.
 */
export enum ReclaimPolicy {
  /** The volume is deleted too, also on the Harvester. */
  DELETE = 'Delete',
  /** The volume is kept. */
  RETAIN = 'Retain',
}

/**
 * When a volume is created.
 */
export enum VolumeBindingMode {
  /** The volume is created with its claim. */
  IMMEDIATE = 'Immediate',
  /** The volume is created when a pod first uses it. */
  WAIT_FOR_FIRST_CONSUMER = 'WaitForFirstConsumer',
}
