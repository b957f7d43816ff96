import { Manifest, isRecord, sameValue, valueAt } from '../../core/manifest/manifest';

/**
 * What Rancher takes where a drain lacks an option.
 * @see rancher/rancher:pkg/controllers/capr/machinedrain/machinedrain.go getHelper
 */
const DRAIN: { readonly [option: string]: unknown } = {
  deleteEmptyDirData: false,
  disableEviction: false,
  force: false,
  gracePeriod: 0,
  ignoreDaemonSets: true,
  skipWaitForDeleteTimeoutSeconds: 0,
  timeout: 0,
};

const STRATEGY = 'spec.rkeConfig.upgradeStrategy';
const FIELD = /^(controlPlane|worker)(Concurrency|DrainOptions)(?:\.(\w+))?$/;

/**
 * Whether Rancher upgrades nodes without a field as with the value of the program: options of a
 * drain that is off have no effect.
 */
export function isUpgradeDefault(
  live: Manifest,
  path: string,
  before: unknown,
  desired: unknown,
): boolean {
  if (!path.startsWith(STRATEGY) || (before !== undefined && before !== null)) {
    return false;
  }
  const [, nodes, field, option] = FIELD.exec(path.slice(STRATEGY.length + 1)) ?? [];
  if (option !== undefined) {
    const isOff = valueAt(live, ...STRATEGY.split('.'), `${nodes}DrainOptions`, 'enabled') !== true;
    return isOff && option !== 'enabled'
      ? true
      : sameValue(option === 'enabled' ? false : DRAIN[option], desired);
  }
  if (nodes !== undefined) {
    return isDefault(`${nodes}${field}`, desired);
  }
  return (
    path === STRATEGY &&
    isRecord(desired) &&
    Object.entries(desired).every(([key, value]) => isDefault(key, value))
  );
}

/** @see rancher/rancher:pkg/capr/planner/planner.go calculateConcurrency */
function isDefault(key: string, value: unknown): boolean {
  return key.endsWith('Concurrency') ? value === '1' : valueAt(value, 'enabled') !== true;
}
