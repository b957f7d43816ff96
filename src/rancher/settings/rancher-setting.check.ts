import { AGENT_TLS_MODES, RANCHER_SETTINGS as S, UNCHECKED_SETTINGS } from './rancher-setting.kind';
import {
  MIN_DELETE_INACTIVE_HOURS, RancherSettingEntry, SETTING_GO, SETTING_VALIDATOR, checkServerUrl, cronExpression, dateTime, deletionPeriod,
  disruptionBudgetJson, oneOf, priorityClassJson, registry, retentionPeriod, secondsText, sessionMinutes, trueOrFalse, wholeNumber,
} from './setting-formats.check';
import { isLate } from '../../core/late/late-token';
import { FLEET_DEFAULT } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';

const CRT_SINCE = ['2.13.8', '2.14.4', '2.15.0'];
const NEXT = ['2.16.0'];
const SINCE_2_11 = ['2.11.0'];
const CRT_GO = 'rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/clusterregistrationtoken.go ClampTTL, ClampGracePeriod';
const CLAMP = 'rancher/rancher:pkg/auth/tokens/manager.go ClampToMaxTTL';
const MINUTES = 'whole minutes, 0 for never';

const minutesOrNever = wholeNumber('use whole minutes, 0 for never');

const ENTRIES: readonly RancherSettingEntry[] = [
  {
    name: S.SERVER_URL,
    what: 'the URL that clusters and nodes reach Rancher by',
    format: 'an https URL without a path',
    source: SETTING_GO,
    // Rancher accepts a path and drops it
    check: (value) => checkServerUrl('value', value, 'warning'),
  },
  { name: S.CA_CERTS, what: 'the certificate authority of Rancher', format: 'PEM', readOnly: true, source: `${SETTING_VALIDATOR} ReadOnlySettings` },
  {
    name: S.AGENT_TLS_MODE,
    what: 'whose certificates agents trust',
    format: 'strict or system-store',
    source: SETTING_VALIDATOR,
    check: oneOf(Object.values(AGENT_TLS_MODES), 'agents trust what their system trusts, as with system-store'),
  },
  { name: S.AGENT_IMAGE, what: 'the image of the cluster agent', format: 'an image', source: SETTING_GO },
  {
    name: S.SYSTEM_DEFAULT_REGISTRY,
    what: 'the registry of Rancher\'s images',
    format: 'host, port and path without a scheme',
    default: '',
    source: SETTING_GO,
    check: registry,
  },
  { name: S.FLEET_DEFAULT_WORKSPACE, what: 'the Fleet workspace of new clusters', format: 'a namespace', default: FLEET_DEFAULT, source: SETTING_GO },
  {
    name: S.PASSWORD_MIN_LENGTH,
    what: 'the least length of the passwords of local users',
    format: 'a whole number',
    default: '12',
    source: SETTING_GO,
    // several parts of Rancher read it, and not all of them are known to take the default
    check: wholeNumber('use a whole number such as 12', 2, 'warning'),
  },
  { name: S.HIDE_LOCAL_CLUSTER, what: 'whether the cluster that Rancher runs in is hidden', format: 'true or false', default: 'false', source: SETTING_GO, check: trueOrFalse },
  {
    name: S.IMPORTED_VERSION_MANAGEMENT,
    what: 'whether Rancher manages the versions of imported RKE2 and K3s clusters',
    format: 'true or false',
    default: 'true',
    since: SINCE_2_11,
    check: trueOrFalse,
    source: 'rancher/webhook:pkg/resources/management.cattle.io/v3/cluster/validator.go versionManagementEnabled',
  },
  { name: S.KUBECONFIG_GENERATE_TOKEN, what: 'whether a kubeconfig holds a token', format: 'true or false', default: 'true', source: SETTING_GO, check: trueOrFalse },
  { name: S.KUBECONFIG_DEFAULT_TTL, what: 'how long tokens of kubeconfigs live', format: MINUTES, default: '43200', source: CLAMP, check: minutesOrNever },
  { name: S.AUTH_TOKEN_MAX_TTL, what: 'how long tokens live at most', format: MINUTES, default: '129600', source: CLAMP, check: minutesOrNever },
  { name: S.KUBECONFIG_MAX_TTL, what: 'how long tokens of kubeconfigs live at most', format: MINUTES, default: '129600', since: NEXT, source: CLAMP, check: minutesOrNever },
  { name: S.AUTH_TOKEN_DEFAULT_TTL, what: 'how long tokens live', format: MINUTES, since: NEXT, source: SETTING_GO, check: minutesOrNever },
  {
    name: S.CRT_DEFAULT_TTL,
    what: 'after how long registration tokens are rotated',
    format: 'whole minutes from 30, 0 for never',
    default: '43200',
    since: CRT_SINCE,
    source: CRT_GO,
    check: clamped(30, true),
  },
  {
    name: S.CRT_DEFAULT_GRACE,
    what: 'how long a rotated registration token stays valid',
    format: 'whole minutes from 10, less than the life of the token',
    default: '180',
    since: CRT_SINCE,
    source: CRT_GO,
    check: clamped(10, false),
  },
  {
    name: S.SESSION_TTL,
    what: 'how long a login lasts',
    format: 'whole minutes',
    default: '960',
    source: `${SETTING_VALIDATOR} validateAuthUserSessionTTLMinutes`,
    check: sessionMinutes(0, 'negative value'),
  },
  {
    name: S.SESSION_IDLE_TTL,
    what: 'after how long without use a login ends',
    format: 'whole minutes from 1, not more than the login lasts',
    since: SINCE_2_11,
    source: `${SETTING_VALIDATOR} validateAuthUserSessionIdleTTLMinutes`,
    check: sessionMinutes(1, 'negative value or less than 1 minute'),
  },
  {
    name: S.USER_INFO_MAX_AGE,
    what: 'how old the groups of a user may be',
    format: 'seconds',
    default: '3600',
    judgesEmpty: true,
    source: `${SETTING_VALIDATOR} validateAuthUserInfoMaxAgeSeconds`,
    check: secondsText,
  },
  {
    name: S.USER_INFO_RESYNC_CRON,
    what: 'when the groups of all users are read anew',
    format: 'a cron expression',
    default: '0 0 * * *',
    source: `${SETTING_VALIDATOR} validateAuthUserInfoResyncCron`,
    check: cronExpression,
  },
  {
    name: S.DISABLE_INACTIVE_USER,
    what: 'after how long without a login a user is disabled',
    format: 'a duration such as 720h',
    default: '',
    source: `${SETTING_VALIDATOR} validateDisableInactiveUserAfter`,
    check: retentionPeriod,
  },
  {
    name: S.DELETE_INACTIVE_USER,
    what: 'after how long without a login a user is deleted',
    format: `a duration from ${MIN_DELETE_INACTIVE_HOURS}h`,
    default: '',
    source: `${SETTING_VALIDATOR} validateDeleteInactiveUserAfter`,
    check: deletionPeriod,
  },
  {
    name: S.USER_LAST_LOGIN_DEFAULT,
    what: 'what counts as the last login of a user without one',
    format: 'a date and time of RFC 3339',
    default: '',
    source: `${SETTING_VALIDATOR} validateUserLastLoginDefault`,
    check: dateTime,
  },
  {
    name: S.USER_RETENTION_CRON,
    what: 'when inactive users are looked for',
    format: 'a cron expression',
    default: '',
    source: `${SETTING_VALIDATOR} validateUserRetentionCron`,
    check: cronExpression,
  },
  { name: S.USER_RETENTION_DRY_RUN, what: 'whether inactive users are only reported', format: 'true or false', default: 'false', source: SETTING_GO, check: trueOrFalse },
  ...[S.CLUSTER_AGENT_PRIORITY_CLASS, S.FLEET_AGENT_PRIORITY_CLASS].map((name) => ({
    name,
    what: 'the priority class of an agent',
    format: 'JSON with value and preemptionPolicy',
    since: SINCE_2_11,
    source: `${SETTING_VALIDATOR} validateAgentPriorityClass`,
    check: priorityClassJson,
  })),
  ...[S.CLUSTER_AGENT_BUDGET, S.FLEET_AGENT_BUDGET].map((name) => ({
    name,
    what: 'the disruption budget of an agent',
    format: 'JSON with minAvailable and maxUnavailable',
    since: SINCE_2_11,
    source: `${SETTING_VALIDATOR} validateAgentPodDisruptionBudget`,
    check: disruptionBudgetJson,
  })),
];

// Rancher takes any number and uses the nearest allowed one
function clamped(min: number, zeroIsNever: boolean): (value: string) => Iterable<Problem> {
  const check = wholeNumber(`use whole minutes from ${min}${zeroIsNever ? ', 0 for never' : ''}`, min);
  return (value) => (zeroIsNever && /^[+-]?0+$/.test(value) ? [] : check(value));
}

const BY_NAME = new Map(ENTRIES.map((entry) => [entry.name as string, entry]));
const UNCHECKED = new Set(UNCHECKED_SETTINGS);

/** The settings that are known in more than their name. */
export function rancherSettings(): readonly RancherSettingEntry[] {
  return ENTRIES;
}

/** What is known of a setting beside its name; undefined where that is nothing. */
export function rancherSetting(name: string): RancherSettingEntry | undefined {
  return BY_NAME.get(name);
}

/** Whether some version of Rancher that we know has a setting of this name. */
export function isRancherSetting(name: string): boolean {
  return BY_NAME.has(name) || UNCHECKED.has(name);
}

/**
 * What is wrong with the value of a setting, by itself. An empty value means the default and is nearly always right.
 */
export function checkRancherSetting(name: string, value: string): Problem[] {
  const entry = rancherSetting(name);
  if (!entry) { return []; }
  if (entry.readOnly) {
    return [{
      path: 'value',
      message: 'can not be set: Rancher takes it from its installation',
      says: 'setting is read only',
      fix: 'give Rancher its certificate authority in the Secret cattle-system/tls-ca',
    }];
  }
  if (!entry.check || isLate(value) || (value === '' && !entry.judgesEmpty)) { return []; }
  return [...entry.check(value)];
}
