import { Duration, Size } from 'cdk8s';

/**
 * How many percent of what the nodes have virtual machines may be promised. Each is 100 or more.
 */
export interface OvercommitProps {
  /** CPUs: 1600 lets sixteen virtual ones share a real one. */
  readonly cpuPercent: number;
  /** Memory. */
  readonly memoryPercent: number;
  /** Storage. */
  readonly storagePercent: number;
}

/**
 * What happens to virtual machines of a node that is gone.
 */
export interface VmForceResetPolicyProps {
  /** Whether they are started elsewhere. @default true */
  readonly enable?: boolean;
  /** How long a node may be away, in whole seconds. */
  readonly period: Duration;
  /** How long live migration is waited for. Needs Harvester 1.7.0. @default - 180 seconds */
  readonly vmMigrationTimeout?: Duration;
}

/**
 * How live migrations go. All of it replaces what KubeVirt has: what is left out goes back to KubeVirt's own. Needs Harvester 1.7.0.
 *
 * @see https://kubevirt.io/user-guide/compute/live_migration/
 */
export interface KubevirtMigrationProps {
  /** @default - 5 */
  readonly parallelMigrationsPerCluster?: number;
  /** @default - 2 */
  readonly parallelOutboundMigrationsPerNode?: number;
  /** Whether a guest is slowed down so that its memory can be copied. @default - false */
  readonly allowAutoConverge?: boolean;
  /** How much a migration may send in a second. @default - as much as it can */
  readonly bandwidthPerMigration?: Size;
  /** How long each GiB of memory may take, in whole seconds. @default - 150 seconds */
  readonly completionTimeoutPerGib?: Duration;
  /** How long a migration may stand still. @default - 150 seconds */
  readonly progressTimeout?: Duration;
  /** Whether a guest may go on at its new node before all of its memory is there; a fault of the network then ends it. @default - false */
  readonly allowPostCopy?: boolean;
  /** Whether a guest may be stopped so that it can be moved. @default - false */
  readonly allowWorkloadDisruption?: boolean;
  /** @default - false */
  readonly disableTls?: boolean;
  /** @default - false */
  readonly unsafeMigrationOverride?: boolean;
  /** @default - false */
  readonly matchSeLinuxLevelOnMigration?: boolean;
}

/** The JSON of overcommitment. */
export function overcommitPercents({ cpuPercent, memoryPercent, storagePercent }: OvercommitProps): { readonly [key: string]: unknown } {
  return { cpu: cpuPercent, memory: memoryPercent, storage: storagePercent };
}

/** The JSON of the policy. */
export function vmForceResetPolicy({ enable, period, vmMigrationTimeout }: VmForceResetPolicyProps): { readonly [key: string]: unknown } {
  return { enable: enable ?? true, period: period.toSeconds(), vmMigrationTimeout: vmMigrationTimeout?.toSeconds() };
}

/** The JSON of migrations. */
export function kubevirtMigration(props: KubevirtMigrationProps): { readonly [key: string]: unknown } {
  return {
    parallelMigrationsPerCluster: props.parallelMigrationsPerCluster,
    parallelOutboundMigrationsPerNode: props.parallelOutboundMigrationsPerNode,
    allowAutoConverge: props.allowAutoConverge,
    bandwidthPerMigration: props.bandwidthPerMigration && `${props.bandwidthPerMigration.toMebibytes()}Mi`,
    completionTimeoutPerGiB: props.completionTimeoutPerGib?.toSeconds(),
    progressTimeout: props.progressTimeout?.toSeconds(),
    allowPostCopy: props.allowPostCopy,
    allowWorkloadDisruption: props.allowWorkloadDisruption,
    disableTLS: props.disableTls,
    unsafeMigrationOverride: props.unsafeMigrationOverride,
    matchSELinuxLevelOnMigration: props.matchSeLinuxLevelOnMigration,
  };
}
