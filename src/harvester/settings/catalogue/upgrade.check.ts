import {
  NODE_UPGRADE_SINCE, SETTINGS_GO, SettingContext, SettingEntry, VALIDATOR, jsonCheck, unmarshalFailed, webAddressCheck, wordCheck,
} from './entry';
import { BOOL, GoType, INT, STRING, named, pointer, slice, struct, unmarshal } from '../../../core/go/go-json-decode';
import { atoi } from '../../../core/go/go-numbers';
import { Problem } from '../../../core/rule/problem';
import { SETTING } from '../harvester-setting.kind';

/** How an upgrade goes. @see harvester/harvester:pkg/settings/settings_helper.go UpgradeConfig */
export interface UpgradeConfig {
  readonly imagePreloadOption: { readonly strategy: { readonly type: string; readonly concurrency: number } };
  readonly restoreVM: boolean;
  readonly logReadyTimeout?: string;
  readonly nodeUpgradeOption?: { readonly strategy?: { readonly mode?: string; readonly pauseNodes?: readonly string[] } };
}

const FORMAT = '{"imagePreloadOption":{"strategy":{"type":"sequential"}},"nodeUpgradeOption":{"strategy":{"mode":"auto"}},"restoreVM":false,"logReadyTimeout":"5"}';
const PRELOADS = ['skip', 'sequential', 'parallel'];
const MODES = ['auto', 'manual'];

function upgradeType(context: SettingContext): GoType {
  const preload = struct('settings.ImagePreloadOption', {
    strategy: struct('settings.PreloadStrategy', { type: named('settings.StrategyType'), concurrency: INT }),
  });
  const early = { imagePreloadOption: preload, restoreVM: BOOL };
  return struct('settings.UpgradeConfig', context.atLeast(NODE_UPGRADE_SINCE) === false ? early : {
    ...early,
    logReadyTimeout: STRING,
    nodeUpgradeOption: pointer(struct('settings.NodeUpgradeOption', {
      strategy: pointer(struct('settings.NodeUpgradeStrategy', { mode: pointer(named('settings.ModeType')), pauseNodes: slice(STRING) })),
    })),
  });
}

function checkUpgrade(config: UpgradeConfig): Problem[] {
  const { type, concurrency } = config.imagePreloadOption.strategy;
  const problems: Problem[] = [];
  if (!PRELOADS.includes(type)) {
    problems.push({
      path: 'value.imagePreloadOption.strategy.type',
      value: type,
      message: 'must always be given, and be a way of preloading images',
      fix: `give one of ${PRELOADS.join(', ')}`,
      says: `invalid image preload strategy type: ${type}`,
    });
  }
  if (concurrency < 0) {
    problems.push({
      path: 'value.imagePreloadOption.strategy.concurrency',
      value: concurrency,
      message: 'must not be negative',
      fix: 'give the number of nodes, 0 for all',
      says: `invalid image preload concurrency: ${concurrency}`,
    });
  }
  return [...problems, ...checkNodes(config), ...checkTimeout(config)];
}

function checkNodes({ nodeUpgradeOption }: UpgradeConfig): Problem[] {
  const strategy = nodeUpgradeOption?.strategy;
  // without a mode the server looks at nothing else
  if (strategy?.mode === undefined) { return []; }
  const { mode, pauseNodes = [] } = strategy;
  const path = 'value.nodeUpgradeOption.strategy';
  if (!MODES.includes(mode)) {
    return [{ path: `${path}.mode`, value: mode, message: 'is no way of upgrading nodes', fix: `give one of ${MODES.join(', ')}`, says: `invalid node upgrade strategy mode: ${mode}` }];
  }
  const twice = [...new Set(pauseNodes.filter((node, index) => pauseNodes.indexOf(node) < index))];
  return twice.map((node) => ({
    path: `${path}.pauseNodes`, value: node, message: 'is given twice', fix: 'name every node once', says: `duplicate pause node names: [${twice.join(' ')}]`,
  }));
}

function checkTimeout({ logReadyTimeout = '' }: UpgradeConfig): Problem[] {
  if (logReadyTimeout === '') { return []; }
  const at = { path: 'value.logReadyTimeout', value: logReadyTimeout, message: 'must be 1 to 20 minutes, as text', fix: 'give "1" to "20"' };
  const minutes = atoi(logReadyTimeout);
  if ('error' in minutes) { return [{ ...at, says: `invalid value for image preload timeout: ${logReadyTimeout}` }]; }
  return minutes.number >= 1 && minutes.number <= 20 ? [] : [{ ...at, says: 'invalid logReadyTimeout must be between 1m0s to 20m0s minutes' }];
}

/** What a value of upgrade-config says; undefined where it can not be read. */
export function upgradeConfigOf(value: string, context: SettingContext): UpgradeConfig | undefined {
  const result = unmarshal<UpgradeConfig>(value, upgradeType(context));
  return 'error' in result ? undefined : result.config;
}

/** The nodes at which an upgrade shall wait; the server asks that they exist. */
export function pausedNodes(config: UpgradeConfig): readonly string[] {
  const strategy = config.nodeUpgradeOption?.strategy;
  return strategy?.mode === undefined ? [] : strategy.pauseNodes ?? [];
}

export const UPGRADE_FAMILY: readonly SettingEntry[] = [
  {
    name: SETTING.UPGRADE_CONFIG,
    since: '1.4.0',
    what: 'how images are preloaded and nodes are gone through in an upgrade',
    format: FORMAT,
    default: FORMAT,
    judgesDefault: 'effective',
    level: 'error',
    source: VALIDATOR,
    check: jsonCheck<UpgradeConfig>({ format: FORMAT, type: upgradeType, says: unmarshalFailed, judge: checkUpgrade }),
  },
  {
    name: SETTING.RELEASE_DOWNLOAD_URL,
    what: 'where the images of releases are',
    format: 'a URL',
    default: 'https://releases.rancher.com/harvester',
    judgesDefault: 'never',
    level: 'warning',
    source: SETTINGS_GO,
    check: webAddressCheck,
  },
  {
    name: SETTING.UPGRADABLE_VERSIONS,
    what: 'the versions that this one can be upgraded to; Harvester writes it',
    format: 'versions, separated by commas',
    default: '',
    judgesDefault: 'never',
    level: 'warning',
    source: SETTINGS_GO,
  },
  {
    name: SETTING.UPGRADE_CHECKER_ENABLED,
    what: 'whether Harvester asks for new releases',
    format: 'true or false',
    default: 'true',
    judgesDefault: 'never',
    level: 'warning',
    source: SETTINGS_GO,
    check: wordCheck(['true', 'false'], 'anything but "true" counts as false'),
  },
  {
    name: SETTING.UPGRADE_CHECKER_URL,
    what: 'whom Harvester asks for new releases',
    format: 'a URL',
    default: 'https://harvester-upgrade-responder.rancher.io/v1/checkupgrade',
    judgesDefault: 'never',
    level: 'warning',
    source: SETTINGS_GO,
    check: webAddressCheck,
  },
];
