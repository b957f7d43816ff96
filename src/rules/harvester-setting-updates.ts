import { SETTING_KINDS, settingContext, valueOf } from './harvester-setting-context';
import { JudgedObject, Rule } from './rule';
import { VALIDATOR } from '../model/harvester-settings/entry';
import { SETTING } from '../model/harvester-settings/names';
import { DUAL_STACK_SINCE } from '../model/harvester-settings/network-config';
import { rwxOf } from '../model/harvester-settings/networks';
import { Manifest, valueAt } from '../model/manifest';
import { Problem } from '../model/problem';
import { sameValue } from '../model/same-value';

// the versions whose webhook waits for the change before: 1.7 for the storage network was not read at its release
const IN_PROGRESS_SINCE = '1.8.0';
const WAITING = [SETTING.STORAGE_NETWORK, SETTING.RWX_NETWORK] as readonly string[];

const IN_PROGRESS: Rule = {
  id: 'harvester-setting/change-in-progress',
  level: 'error',
  kinds: SETTING_KINDS,
  what: 'storage-network and rwx-network are not changed again while the change before is carried out; a reset is allowed',
  source: `${VALIDATOR} validateUpdateStorageNetwork, checkRWXNotInProgress`,
  *judgeUpdate({ manifest, target }: JudgedObject, before: Manifest): Iterable<Problem> {
    const { name } = manifest.metadata;
    const value = valueOf(manifest);
    if (!WAITING.includes(name) || !value || value === valueOf(before)) { return; }
    const conditions = valueAt(before, 'status', 'conditions');
    const configured = (Array.isArray(conditions) ? conditions : []).find((condition) => valueAt(condition, 'type') === 'configured');
    if (valueAt(configured, 'status') !== 'False' || valueAt(configured, 'reason') !== 'In Progress') { return; }
    yield {
      path: 'value',
      ...(settingContext(target).atLeast(IN_PROGRESS_SINCE) === false ? { level: 'warning' as const } : {}),
      message: 'changes while Harvester still carries out the change before',
      fix: 'wait until its condition configured is True, or reset it with ""',
      says: `cannot update the setting "${name}" because it is still being configured (reason: "In Progress", message: `
        + `${JSON.stringify(valueAt(configured, 'message') ?? '')})`,
    };
  },
};

const RESERVED_RANGES: Rule = {
  id: 'harvester-setting/rwx-ranges-locked',
  level: 'error',
  kinds: SETTING_KINDS,
  what: 'rwx-network is not changed while hostIPRange and vipRange are set; they are removed first',
  source: `${VALIDATOR} checkRWXNetworkNotLocked`,
  *judgeUpdate({ manifest, target }: JudgedObject, before: Manifest): Iterable<Problem> {
    const context = settingContext(target);
    const [now, then] = [valueOf(manifest), valueOf(before)];
    if (manifest.metadata.name !== SETTING.RWX_NETWORK || !now || !then || context.atLeast(DUAL_STACK_SINCE) === false) { return; }
    const [config, earlier] = [rwxOf(now, context), rwxOf(then, context)];
    const reserves = (rwx: typeof config) => Boolean(rwx?.hostIPRange || rwx?.vipRange);
    if (!reserves(earlier) || !reserves(config) || sameValue(config, earlier)) { return; }
    yield {
      path: 'value',
      message: 'changes while hostIPRange and vipRange are set',
      fix: 'remove hostIPRange and vipRange first, then set the new value',
      says: `${SETTING.RWX_NETWORK} cannot be changed while hostIPRange and vipRange are set, remove them first`,
    };
  },
};

/** Rules on changes of settings. */
export const SETTING_UPDATE_RULES: readonly Rule[] = [IN_PROGRESS, RESERVED_RANGES];
