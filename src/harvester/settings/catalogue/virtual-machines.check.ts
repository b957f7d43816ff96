import { MIGRATION_TIMEOUT_SINCE, SettingEntry, VALIDATOR, integerCheck, jsonCheck, syncer, unmarshalFailed, warn } from './entry';
import { BOOL, INT, INT64, QUANTITY, STRING, UINT32, pointer, struct } from '../../../core/go/go-json-decode';
import { parseFloat64, parseUint32 } from '../../../core/go/go-numbers';
import { Problem } from '../../../core/rule/problem';
import { SETTING } from '../harvester-setting.kind';

const OVERCOMMIT_FORMAT = '{"cpu":1000,"memory":150,"storage":100}';
const OVERCOMMIT_KEYS = ['cpu', 'memory', 'storage'] as const;
const MIN_OVERCOMMIT = 100;

function checkOvercommit(config: { readonly [key in typeof OVERCOMMIT_KEYS[number]]: number }): Problem[] {
  return OVERCOMMIT_KEYS.filter((key) => config[key] < MIN_OVERCOMMIT).map((key) => ({
    path: `value.${key}`,
    value: config[key],
    message: `must be ${MIN_OVERCOMMIT} percent or more; one that is left out counts as 0`,
    fix: `give all three: ${OVERCOMMIT_FORMAT}`,
    says: `Cannot undercommit. Should be greater than or equal to ${MIN_OVERCOMMIT} but got ${config[key]}`,
  }));
}

const RESET_FORMAT = '{"enable":true,"period":15,"vmMigrationTimeout":180}';

function checkResetPolicy({ period, vmMigrationTimeout }: { readonly period: number; readonly vmMigrationTimeout: number }): Problem[] {
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
      message: 'must not be negative',
      fix: 'give a number of seconds, 0 for the default of 180',
      says: `vmMigrationTimeout value should be greater than 0, value: ${vmMigrationTimeout}`,
    });
  }
  return problems;
}

const MIN_RATIO = 1;
const MAX_RATIO = 10;

function checkRatio(value: string): Problem[] {
  const at = { path: 'value', value, message: `must be 0 or a number from ${MIN_RATIO} to ${MAX_RATIO}`, fix: 'give e.g. 1.5; 0 turns it off' };
  const ratio = parseFloat64(value);
  if ('error' in ratio) { return [{ ...at, says: `value ${value} can't be converted to float64, error:${ratio.error}` }]; }
  if (Number.isNaN(ratio.number)) { return [warn({ ...at, message: 'is not a number, which the webhook accepts' })]; }
  if (ratio.number < MIN_RATIO && ratio.number !== 0) { return [{ ...at, says: `value ${value} can't be less than ${MIN_RATIO}` }]; }
  return ratio.number > MAX_RATIO ? [{ ...at, says: `value ${value} can't be greater than ${MAX_RATIO}` }] : [];
}

const MAX_HOTPLUG = 20;

const MIGRATION_FORMAT = '{"parallelMigrationsPerCluster":5,"parallelOutboundMigrationsPerNode":2,"allowAutoConverge":false,"bandwidthPerMigration":0,'
  + '"completionTimeoutPerGiB":150,"progressTimeout":150,"allowPostCopy":false}';

/** @see kubevirt/kubevirt:staging/src/kubevirt.io/api/core/v1/types.go MigrationConfiguration */
const MIGRATION = struct('v1.MigrationConfiguration', {
  nodeDrainTaintKey: pointer(STRING),
  parallelOutboundMigrationsPerNode: pointer(UINT32),
  parallelMigrationsPerCluster: pointer(UINT32),
  allowAutoConverge: pointer(BOOL),
  bandwidthPerMigration: pointer(QUANTITY),
  completionTimeoutPerGiB: pointer(INT64),
  progressTimeout: pointer(INT64),
  unsafeMigrationOverride: pointer(BOOL),
  allowPostCopy: pointer(BOOL),
  allowWorkloadDisruption: pointer(BOOL),
  disableTLS: pointer(BOOL),
  network: pointer(STRING),
  matchSELinuxLevelOnMigration: pointer(BOOL),
  utilityVolumesTimeout: pointer(INT64),
});

function checkMigration({ nodeDrainTaintKey, network }: { readonly nodeDrainTaintKey?: string; readonly network?: string }): Problem[] {
  const problems: Problem[] = [];
  if (nodeDrainTaintKey) {
    problems.push({
      path: 'value.nodeDrainTaintKey', value: nodeDrainTaintKey, message: 'is fixed, upgrades rely on it', fix: 'leave it out', says: 'nodeDrainTaintKey field cannot be configured',
    });
  }
  if (network) {
    problems.push({
      path: 'value.network',
      value: network,
      message: 'is set elsewhere',
      fix: `use the setting ${SETTING.VM_MIGRATION_NETWORK}`,
      says: 'network field is configured by vm-migration-network setting',
    });
  }
  return problems;
}

export const VIRTUAL_MACHINE_FAMILY: readonly SettingEntry[] = [
  {
    name: SETTING.OVERCOMMIT_CONFIG,
    what: 'how many percent of CPU, memory and storage virtual machines may be promised',
    format: OVERCOMMIT_FORMAT,
    default: '{"cpu":1000,"memory":150,"storage":100}, before 1.8.0 {"cpu":1600,"memory":150,"storage":200}',
    judgesDefault: 'always',
    level: 'error',
    controller: syncer({ value: '{"cpu":1600,"memory":150,"storage":200}', until: '1.3.2' }),
    source: `${VALIDATOR}; seen on Harvester 1.7.2`,
    check: jsonCheck({
      format: OVERCOMMIT_FORMAT,
      type: struct('settings.Overcommit', { cpu: INT, memory: INT, storage: INT }),
      says: (_error, value) => `Invalid JSON: ${value}`,
      judge: checkOvercommit,
    }),
  },
  {
    name: SETTING.VM_FORCE_RESET_POLICY,
    what: 'when virtual machines of a node that is gone are started elsewhere',
    format: RESET_FORMAT,
    default: `${RESET_FORMAT}, before 1.7.0 {"enable":true,"period":300}`,
    judgesDefault: 'always',
    level: 'error',
    source: `${VALIDATOR}; seen on Harvester 1.7.2`,
    check: jsonCheck({
      format: RESET_FORMAT,
      type: (context) => struct('settings.VMForceResetPolicy', {
        enable: BOOL, period: INT64, ...(context.atLeast(MIGRATION_TIMEOUT_SINCE) === false ? {} : { vmMigrationTimeout: INT64 }),
      }),
      says: unmarshalFailed,
      judge: checkResetPolicy,
    }),
  },
  {
    name: SETTING.ADDITIONAL_GUEST_MEMORY_OVERHEAD_RATIO,
    since: '1.4.0',
    what: 'the factor on the memory that is reserved around each virtual machine',
    format: `0, or ${MIN_RATIO} to ${MAX_RATIO}`,
    default: '1.5',
    judgesDefault: 'always',
    level: 'error',
    controller: syncer(),
    source: `${VALIDATOR}, pkg/settings/settings_helper.go; seen on Harvester 1.7.2`,
    check: checkRatio,
  },
  {
    name: SETTING.DEFAULT_VM_TERMINATION_GRACE_PERIOD_SECONDS,
    since: '1.2.0',
    what: 'the seconds that a virtual machine has to shut down',
    format: '120',
    default: '120',
    judgesDefault: 'always',
    level: 'error',
    source: VALIDATOR,
    check: integerCheck({
      what: 'a number of seconds, 0 or more', allowed: '0 or more seconds', refuses: (number) => (number < 0 ? 'can\'t be negative' : undefined),
    }),
  },
  {
    name: SETTING.MAX_HOTPLUG_RATIO,
    since: '1.6.0',
    what: 'how many times the CPUs and memory of a running virtual machine may grow',
    format: `1 to ${MAX_HOTPLUG}`,
    default: '4',
    judgesDefault: 'always',
    level: 'error',
    controller: syncer(),
    source: VALIDATOR,
    check: (value, context) => integerCheck({
      what: `a number from 1 to ${MAX_HOTPLUG}`,
      allowed: `1 to ${MAX_HOTPLUG}`,
      parse: parseUint32,
      says: (error) => `failed to parse value: ${value} ${error}`,
      refuses: (number) => (number < 1 || number > MAX_HOTPLUG ? `value: ${value} must be in range [1 .. ${MAX_HOTPLUG}]` : undefined),
    })(value, context),
  },
  {
    name: SETTING.KUBEVIRT_MIGRATION,
    since: '1.7.0',
    what: 'how live migrations go; it replaces the whole configuration of KubeVirt',
    format: MIGRATION_FORMAT,
    default: 'that of KubeVirt',
    judgesDefault: 'effective',
    level: 'error',
    controller: syncer(),
    source: VALIDATOR,
    check: jsonCheck({ format: MIGRATION_FORMAT, type: MIGRATION, says: unmarshalFailed, judge: checkMigration }),
  },
];
