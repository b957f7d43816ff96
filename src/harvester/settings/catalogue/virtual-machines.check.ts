import { Duration, Size } from 'cdk8s';
import { sizeCall, unless } from '../../../core/draft/draft';
import { durationOf } from '../../../core/draft/durations';
import {
  BOOL,
  INT,
  parseFloat64,
  parseUint32,
  pointer,
  QUANTITY,
  STRING,
  goStruct,
  UINT32,
} from '../../../core/go/go-json';
import { Problem } from '../../../core/problem/problem';
import { Findings } from '../../../core/rule/findings';
import { VALIDATOR, integer, json, settingEntry, syncer, warn } from '../entry/setting-entry.check';
import { readDuration, readJson, readNumber } from '../entry/setting-text.facts';

/**
 * Percent of the nodes' resources that virtual machines may request in total. Each is 100 or more.
 */
export interface OvercommitProps {
  /** CPUs. 1600 means that 16 virtual CPUs share one CPU of a node. */
  readonly cpuPercent: number;
  /** Memory. */
  readonly memoryPercent: number;
  /** Storage. */
  readonly storagePercent: number;
}

/** What happens to the virtual machines of a failed node. */
export interface VmForceResetPolicyProps {
  /** Whether they are started on other nodes. @default true */
  readonly enabled?: boolean;
  /** How long a node may be unreachable, in whole seconds. */
  readonly period: Duration;
  /**
   * How long Harvester waits for a live migration, in whole seconds. Needs Harvester 1.7.0.
   * @default - 180 seconds
   */
  readonly vmMigrationTimeout?: Duration;
}

/**
 * Live migration of virtual machines. Replaces KubeVirt's whole configuration: a property that is
 * left out gets KubeVirt's default. Needs Harvester 1.7.0.
 *
 * @see https://kubevirt.io/user-guide/compute/live_migration/
 */
export interface KubevirtMigrationProps {
  /** Number of migrations that run at the same time in the cluster. @default - 5 */
  readonly parallelMigrationsPerCluster?: number;
  /** Number of migrations that leave a node at the same time. @default - 2 */
  readonly parallelOutboundMigrationsPerNode?: number;
  /** Whether KubeVirt slows a guest down so that its memory can be copied. @default - false */
  readonly allowAutoConverge?: boolean;
  /** Amount of data that a migration may send each second. @default - unlimited */
  readonly bandwidthPerMigration?: Size;
  /** Time limit for each GiB of memory, in whole seconds. @default - 150 seconds */
  readonly completionTimeoutPerGib?: Duration;
  /** How long a migration may make no progress, in whole seconds. @default - 150 seconds */
  readonly progressTimeout?: Duration;
  /**
   * Whether a guest may resume on its new node before all of its memory is there. A network failure
   * then stops it.
   * @default - false
   */
  readonly allowPostCopy?: boolean;
  /** Whether KubeVirt may pause a guest to migrate it. @default - false */
  readonly allowWorkloadDisruption?: boolean;
  /** Whether migrations are not encrypted. @default - false */
  readonly disableTls?: boolean;
  /** Whether KubeVirt migrates a VM although its checks advise against it. @default - false */
  readonly unsafeMigrationOverride?: boolean;
  /** Whether the VM gets the SELinux level that it has on its old node. @default - false */
  readonly matchSeLinuxLevelOnMigration?: boolean;
}

const OVERCOMMIT_FORMAT = '{"cpu":1000,"memory":150,"storage":100}';
const OVERCOMMIT_KEYS = ['cpu', 'memory', 'storage'] as const;
const MIN_OVERCOMMIT = 100;

function checkOvercommit(config: {
  readonly [key in (typeof OVERCOMMIT_KEYS)[number]]: number;
}): Problem[] {
  return OVERCOMMIT_KEYS.filter((key) => config[key] < MIN_OVERCOMMIT).map((key) => ({
    path: `value.${key}`,
    value: config[key],
    message: `must be ${MIN_OVERCOMMIT} percent or more: one that is left out means 0`,
    fix: `give all three: ${OVERCOMMIT_FORMAT}`,
    says: `Cannot undercommit. Should be greater than or equal to ${MIN_OVERCOMMIT} but got ${config[key]}`,
  }));
}

const RESET_FORMAT = '{"enable":true,"period":15,"vmMigrationTimeout":180}';

/**
 * The version that knows vmMigrationTimeout.
 * @see harvester/docs:versioned_docs/version-v1.7/advanced/settings.md
 */
const MIGRATION_TIMEOUT_SINCE = '1.7.0';

function checkResetPolicy({
  period,
  vmMigrationTimeout,
}: {
  readonly period: number;
  readonly vmMigrationTimeout: number;
}): Problem[] {
  const problems: Problem[] = [];
  if (period <= 0) {
    problems.push({
      path: 'value.period',
      value: period,
      message: 'must be a number of seconds above 0, also where the policy is off',
      fix: `give ${RESET_FORMAT}`,
      says: `period value should be greater than 0, value: ${period}`,
    });
  }
  if (vmMigrationTimeout < 0) {
    problems.push({
      path: 'value.vmMigrationTimeout',
      value: vmMigrationTimeout,
      message: 'must be 0 or more seconds',
      fix: 'give a number of seconds, 0 for the default of 180',
      says: `vmMigrationTimeout value should be greater than 0, value: ${vmMigrationTimeout}`,
    });
  }
  return problems;
}

const MIN_RATIO = 1;
const MAX_RATIO = 10;

function checkRatio(value: string): Findings {
  const at = {
    message: `must be 0 or a number from ${MIN_RATIO} to ${MAX_RATIO}`,
    fix: 'give e.g. 1.5; 0 disables it',
  };
  const ratio = parseFloat64(value);
  if (ratio === undefined) {
    return at;
  }
  // the webhook accepts it
  if (Number.isNaN(ratio)) {
    return warn(at);
  }
  if (ratio < MIN_RATIO && ratio !== 0) {
    return { ...at, says: `value ${value} can't be less than ${MIN_RATIO}` };
  }
  return ratio > MAX_RATIO && { ...at, says: `value ${value} can't be greater than ${MAX_RATIO}` };
}

const MAX_HOTPLUG = 20;

/** @see kubevirt/kubevirt:staging/src/kubevirt.io/api/core/v1/types.go MigrationConfiguration */
const MIGRATION = goStruct({
  nodeDrainTaintKey: pointer(STRING),
  parallelOutboundMigrationsPerNode: pointer(UINT32),
  parallelMigrationsPerCluster: pointer(UINT32),
  allowAutoConverge: pointer(BOOL),
  bandwidthPerMigration: pointer(QUANTITY),
  completionTimeoutPerGiB: pointer(INT),
  progressTimeout: pointer(INT),
  unsafeMigrationOverride: pointer(BOOL),
  allowPostCopy: pointer(BOOL),
  allowWorkloadDisruption: pointer(BOOL),
  disableTLS: pointer(BOOL),
  network: pointer(STRING),
  matchSELinuxLevelOnMigration: pointer(BOOL),
  utilityVolumesTimeout: pointer(INT),
});

function checkMigration({
  nodeDrainTaintKey,
  network,
}: {
  readonly nodeDrainTaintKey?: string;
  readonly network?: string;
}): Problem[] {
  const taint: Problem[] = nodeDrainTaintKey
    ? [
        {
          path: 'value.nodeDrainTaintKey',
          value: nodeDrainTaintKey,
          message: 'cannot be set: upgrades rely on its value',
          fix: 'remove it',
          says: 'nodeDrainTaintKey field cannot be configured',
        },
      ]
    : [];
  return network
    ? [
        ...taint,
        {
          path: 'value.network',
          value: network,
          message: 'cannot be set here',
          fix: 'use the setting vm-migration-network',
          says: 'network field is configured by vm-migration-network setting',
        },
      ]
    : taint;
}

/** The settings of virtual machines. */
export const VIRTUAL_MACHINE_FAMILY = {
  'overcommit-config': settingEntry<OvercommitProps>({
    what: 'percent of CPU, memory and storage that virtual machines may request in total',
    format: OVERCOMMIT_FORMAT,
    default:
      '{"cpu":1000,"memory":150,"storage":100}, before 1.8.0 {"cpu":1600,"memory":150,"storage":200}',
    judgesDefault: 'always',
    print: ({ cpuPercent, memoryPercent, storagePercent }) => ({
      cpu: cpuPercent,
      memory: memoryPercent,
      storage: storagePercent,
    }),
    adopt: readJson(({ cpu: cpuPercent, memory: memoryPercent, storage: storagePercent }) => ({
      cpuPercent,
      memoryPercent,
      storagePercent,
    })),
    controller: syncer({ value: '{"cpu":1600,"memory":150,"storage":200}', until: '1.3.2' }),
    source: `${VALIDATOR}; seen on Harvester 1.7.2`,
    check: json({
      type: goStruct({ cpu: INT, memory: INT, storage: INT }),
      judge: checkOvercommit,
    }),
  }),
  'vm-force-reset-policy': settingEntry<VmForceResetPolicyProps>({
    propsSince: { vmMigrationTimeout: MIGRATION_TIMEOUT_SINCE },
    what: 'when virtual machines of a failed node are started on other nodes',
    format: RESET_FORMAT,
    default: `${RESET_FORMAT}, before 1.7.0 {"enable":true,"period":300}`,
    judgesDefault: 'always',
    carriesGuests: true,
    print: ({ enabled: enable, period, vmMigrationTimeout }) => ({
      enable: enable ?? true,
      period: period.toSeconds(),
      vmMigrationTimeout: vmMigrationTimeout?.toSeconds(),
    }),
    adopt: readJson(({ enable, period, vmMigrationTimeout }) => ({
      enabled: unless(enable, true),
      period: durationOf(period),
      vmMigrationTimeout: durationOf(vmMigrationTimeout),
    })),
    source: `${VALIDATOR}; seen on Harvester 1.7.2`,
    check: json({
      type: (context) =>
        goStruct({
          enable: BOOL,
          period: INT,
          ...(context.atLeast(MIGRATION_TIMEOUT_SINCE) === false
            ? {}
            : { vmMigrationTimeout: INT }),
        }),
      judge: checkResetPolicy,
    }),
  }),
  'additional-guest-memory-overhead-ratio': settingEntry<number>({
    since: '1.4.0',
    what: 'the factor for the memory that is reserved in addition to each virtual machine',
    format: `0, or ${MIN_RATIO} to ${MAX_RATIO}`,
    default: '1.5',
    judgesDefault: 'always',
    print: String,
    adopt: readNumber,
    controller: syncer(),
    source: `${VALIDATOR}, pkg/settings/settings_helper.go; seen on Harvester 1.7.2`,
    check: checkRatio,
  }),
  'default-vm-termination-grace-period-seconds': settingEntry<Duration>({
    since: '1.2.0',
    what: 'the seconds that a virtual machine has to shut down',
    format: 'whole seconds, 0 or more',
    default: '120',
    judgesDefault: 'always',
    print: (period) => String(period.toSeconds()),
    adopt: readDuration(1),
    source: VALIDATOR,
    check: integer({
      allowed: 'a number of seconds of 0 or more',
      refuses: (number) => (number < 0 ? "can't be negative" : undefined),
    }),
  }),
  'max-hotplug-ratio': settingEntry<number>({
    since: '1.6.0',
    what: 'the factor by which CPUs and memory of a running virtual machine may grow',
    format: `1 to ${MAX_HOTPLUG}`,
    default: '4',
    judgesDefault: 'always',
    print: String,
    adopt: readNumber,
    controller: syncer(),
    source: VALIDATOR,
    check: integer({
      allowed: `a number from 1 to ${MAX_HOTPLUG}`,
      parse: parseUint32,
      refuses: (number) =>
        number < 1 || number > MAX_HOTPLUG
          ? `value: ${number} must be in range [1 .. ${MAX_HOTPLUG}]`
          : undefined,
    }),
  }),
  'kubevirt-migration': settingEntry<KubevirtMigrationProps>({
    since: '1.7.0',
    what: 'live migration; it replaces the whole configuration of KubeVirt',
    format:
      '{"parallelMigrationsPerCluster":5,"parallelOutboundMigrationsPerNode":2,"allowAutoConverge":false,"bandwidthPerMigration":0,' +
      '"completionTimeoutPerGiB":150,"progressTimeout":150,"allowPostCopy":false}',
    default: 'that of KubeVirt',
    judgesDefault: 'effective',
    print: (props) => ({
      parallelMigrationsPerCluster: props.parallelMigrationsPerCluster,
      parallelOutboundMigrationsPerNode: props.parallelOutboundMigrationsPerNode,
      allowAutoConverge: props.allowAutoConverge,
      bandwidthPerMigration:
        props.bandwidthPerMigration && `${props.bandwidthPerMigration.toMebibytes()}Mi`,
      completionTimeoutPerGiB: props.completionTimeoutPerGib?.toSeconds(),
      progressTimeout: props.progressTimeout?.toSeconds(),
      allowPostCopy: props.allowPostCopy,
      allowWorkloadDisruption: props.allowWorkloadDisruption,
      disableTLS: props.disableTls,
      unsafeMigrationOverride: props.unsafeMigrationOverride,
      matchSELinuxLevelOnMigration: props.matchSeLinuxLevelOnMigration,
    }),
    adopt: readJson((config) => ({
      parallelMigrationsPerCluster: config.parallelMigrationsPerCluster,
      parallelOutboundMigrationsPerNode: config.parallelOutboundMigrationsPerNode,
      allowAutoConverge: config.allowAutoConverge,
      bandwidthPerMigration: sizeCall(config.bandwidthPerMigration),
      completionTimeoutPerGib: durationOf(config.completionTimeoutPerGiB),
      progressTimeout: durationOf(config.progressTimeout),
      allowPostCopy: config.allowPostCopy,
      allowWorkloadDisruption: config.allowWorkloadDisruption,
      disableTls: config.disableTLS,
      unsafeMigrationOverride: config.unsafeMigrationOverride,
      matchSeLinuxLevelOnMigration: config.matchSELinuxLevelOnMigration,
    })),
    controller: syncer(),
    source: VALIDATOR,
    check: json({ type: MIGRATION, judge: checkMigration }),
  }),
};
