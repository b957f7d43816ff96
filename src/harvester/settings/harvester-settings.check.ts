import { PropObject, SettingController, SettingEntry, warn } from './entry/setting-entry.check';
import { SettingContext } from './entry/setting.facts';
import {
  HARVESTER_SETTINGS,
  contextOf,
  SettingName,
  SettingValue,
  ENTRIES,
} from './harvester-settings.data';
import { isLate } from '../../core/late/late-token';
import { Problem } from '../../core/problem/problem';
import { problemsAt } from '../../core/rule/findings';
import { nearestName } from '../../core/text/plain-text';

/** The problems of a value for a setting of a Harvester of some version. */
export function checkHarvesterSetting(name: string, value: string, version: string): Problem[] {
  const entry = HARVESTER_SETTINGS.get(name);
  // an unknown name may be one of a later release: a rule warns
  if (!entry) {
    return [];
  }
  const context = contextOf(version);
  const lacking = settingLacking(name, context);
  if (lacking) {
    return [{ ...lacking, path: 'name' }];
  }
  return [...readOnlyProblems(name, 'name'), ...checkSettingValue(name, value, context)];
}

/** The problem of setting a value that Harvester writes itself. */
export function readOnlyProblems(name: string, path: string): Problem[] {
  return HARVESTER_SETTINGS.get(name)?.readOnly
    ? [
        {
          path,
          value: name,
          message: 'cannot be set: Harvester writes it at every start',
          fix: 'remove it',
        },
      ]
    : [];
}

/** The problems of a value. */
export function checkSettingValue(name: string, value: string, context: SettingContext): Problem[] {
  const entry = HARVESTER_SETTINGS.get(name);
  const resets = value === '' ? resetValueOf(name, context) : '';
  if (resets !== '') {
    return [
      warn({
        path: 'value',
        value,
        message:
          'cannot be empty in this version, whose controller fails on it: the previous value remains in effect',
        fix: `set ${resets}`,
        says: 'unexpected end of JSON input',
      }),
    ];
  }
  if (value === '' || !entry) {
    return [];
  }
  const findings =
    isLate(value) && !entry.judgesLate ? undefined : entry.check?.(value, context, entry);
  const problems = [...problemsAt('value', findings, entry.secret ? undefined : value)];
  return [
    ...inertProblems(entry, context),
    ...(entry.level === 'warning' ? problems.map(warn) : problems),
  ];
}

function inertProblems({ inert }: SettingEntry<never>, context: SettingContext): Problem[] {
  if (!inert || context.atLeast(inert.since) !== true) {
    return [];
  }
  const { because, instead } = inert;
  return [
    warn({
      path: 'value',
      message: `cannot have an effect on Harvester ${context.harvesterVersion}: ${because}`,
      fix: `set ${instead}, and remove this setting`,
    }),
  ];
}

/** The objects that the value of a factory refers to, by prop. */
export function objectsOf<N extends SettingName>(
  name: N,
  value: SettingValue<N>,
): readonly PropObject[] {
  return (ENTRIES[name] as SettingEntry<SettingValue<N>>).refersTo?.(value) ?? [];
}

/** The props of a factory that a version of Harvester ignores. */
export function checkSettingProps<N extends SettingName>(
  name: N,
  value: SettingValue<N>,
  version: () => string,
): Problem[] {
  return Object.entries(HARVESTER_SETTINGS.get(name)?.propsSince ?? {})
    .filter(
      ([prop, since]) =>
        (value as { readonly [key: string]: unknown })[prop] !== undefined &&
        !contextOf(version()).atLeast(since),
    )
    .map(([prop, since]) => ({
      path: prop,
      message: `needs Harvester ${since} or later: ${version()} ignores it`,
      fix: 'remove it, or upgrade Harvester',
    }));
}

/**
 * Why a version of Harvester ignores a setting; undefined where it has it or its version is not
 * known.
 */
export function settingLacking(name: string, context: SettingContext): Problem | undefined {
  const since = HARVESTER_SETTINGS.get(name)?.since;
  return since === undefined || context.atLeast(since) !== false
    ? undefined
    : {
        path: 'metadata.name',
        value: name,
        message: `Harvester ${context.harvesterVersion ?? ''} has no setting ${name}: it would accept and ignore it`,
        fix: `upgrade Harvester to ${since} or later, or remove it`,
      };
}

/** The controller that acts on a setting; undefined where this version of Harvester has none. */
export function controllerOf(name: string, context: SettingContext): SettingController | undefined {
  return settingLacking(name, context) ? undefined : HARVESTER_SETTINGS.get(name)?.controller;
}

/**
 * The value that resets a setting to its default: an empty one, except where its controller fails
 * on it.
 */
export function resetValueOf(name: string, context: SettingContext): string {
  const { value = '', until } = controllerOf(name, context)?.resets ?? {};
  return until !== undefined && context.atLeast(until) !== false ? '' : value;
}

/** The value that resets a setting to its default on a version of Harvester. */
export function resetValue(name: string, version: string): string {
  return resetValueOf(name, contextOf(version));
}

/** The name that was probably meant. */
export function nearestSetting(name: string): string | undefined {
  return nearestName(name, [...HARVESTER_SETTINGS.keys()], Math.max(2, name.length / 3));
}
