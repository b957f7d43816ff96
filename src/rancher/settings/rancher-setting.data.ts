import { Duration } from 'cdk8s';
import { RANCHER_SETTINGS } from './rancher-names.data';
import { AgentTlsMode } from './rancher-setting.kind';
import {
  MIN_DELETE_INACTIVE_HOURS, RancherSettingCheck, checkServerUrl, cronExpression, dateTime, deletionPeriod, disruptionBudgetJson, goDurationFormat,
  jsonObjectFormat,
  oneOfWords, priorityClassJson, registry, retentionPeriod, secondsText, sessionMinutes, tokenMinutes, trueOrFalse, wholeNumber,
} from './setting-formats.check';
import { FLEET_DEFAULT } from '../../core/manifest/names';
import { AgentDisruptionBudget, AgentPriorityClass } from '../cluster/provisioning-cluster.check';

/** A setting of Rancher: all that is known of it, in one place. Its factory and the rules on its value come from here. */
interface RancherSettingEntry<V> {
  /** What it sets, as a phrase. */
  readonly what: string;
  /** The allowed values. */
  readonly format: string;
  /** The built-in default of current versions; undefined where it is set at build time or by the installation. */
  readonly default?: string;
  /** Whether the server refuses every change. */
  readonly readOnly?: true;
  /** The text that the factory writes, or an object that becomes JSON. */
  readonly print?: (value: V) => string | object;
  readonly check?: RancherSettingCheck;
  /** Whether the check also judges the empty value, which otherwise means the default. */
  readonly judgesEmpty?: true;
  /** The least value, which early versions use in place of a lower one and later ones require. */
  readonly least?: number;
  readonly source: string;
}

function setting<V>(entry: RancherSettingEntry<V>): RancherSettingEntry<V> {
  return entry;
}

/** The webhook's file. It asks only for some settings; its failure policy is Ignore, so without the webhook nothing is checked. */
export const SETTING_VALIDATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/setting/validator.go';

/** The list of settings and their defaults. */
export const SETTING_GO = 'rancher/rancher:pkg/settings/setting.go';

const CRT_GO = 'rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/clusterregistrationtoken.go ClampTTL, ClampGracePeriod';
const CLAMP = 'rancher/rancher:pkg/auth/tokens/manager.go ClampToMaxTTL';

const minutes = (duration: Duration): string => String(duration.toMinutes());
// Go reads no unit longer than the hour, and seconds are exact enough
const seconds = (duration: Duration): string => `${duration.toSeconds()}s`;

// Rancher accepts any number and uses the nearest allowed one
function clamped(least: number, zero?: 'never'): RancherSettingCheck {
  const check = wholeNumber(`use whole minutes from ${least}${zero ? ', 0 for never' : ''}`, least);
  return (value) => (zero && /^[+-]?0+$/.test(value) ? [] : check(value));
}

const TTL = { format: 'whole minutes, 0 for never', print: minutes, check: wholeNumber('use whole minutes, 0 for never') };
const FLAG = { format: 'true or false', print: String, source: SETTING_GO, check: trueOrFalse };
const CRON = { format: 'a cron expression', print: (cron: string) => cron, check: cronExpression };

const TOKEN_TTL = {
  format: 'a duration such as 30m',
  source: 'rancher/rancher:pkg/controllers/capr/bootstraptoken/controller.go tokenTTL',
  check: goDurationFormat('every token expires as soon as it is created, so no machine can join'),
};

// texts that are not whole numbers are the default, and only the log of Rancher shows it
const count = (what: string, byDefault: string): RancherSettingEntry<never> => ({
  what, format: 'a whole number', default: byDefault, source: `${SETTING_GO} GetInt`, check: wholeNumber(`use a whole number such as ${byDefault}`),
});

const AFFINITY = setting<never>({
  what: 'the affinity of an agent',
  format: 'JSON in the form of a Pod\'s spec.affinity',
  source: 'rancher/rancher:pkg/cluster/agent_customization.go unmarshalAffinity',
  check: jsonObjectFormat('Rancher cannot deploy the agent with any other text'),
});

const UI_OBJECT = { format: 'a JSON object', source: SETTING_GO, check: jsonObjectFormat('Rancher\'s UI ignores any other text', 'warning') };

const PRIORITY_CLASS = setting<AgentPriorityClass>({
  what: 'the priority class of an agent',
  format: 'JSON with value and preemptionPolicy',
  print: ({ priority, preemptionPolicy }) => ({ value: priority, preemptionPolicy }),
  source: `${SETTING_VALIDATOR} validateAgentPriorityClass`,
  check: priorityClassJson,
});

const DISRUPTION_BUDGET = setting<AgentDisruptionBudget>({
  what: 'the disruption budget of an agent',
  format: 'JSON with minAvailable and maxUnavailable',
  // in a setting Rancher requires both, 0 for the one that does not apply
  print: ({ minAvailable, maxUnavailable }) => ({ minAvailable: minAvailable ?? '0', maxUnavailable: maxUnavailable ?? '0' }),
  source: `${SETTING_VALIDATOR} validateAgentPodDisruptionBudget`,
  check: disruptionBudgetJson,
});

const ENTRIES = {
  'server-url': setting<string>({
    what: 'the URL at which clusters and nodes reach Rancher',
    format: 'an https URL without a path',
    print: (url) => url,
    source: SETTING_GO,
    // Rancher accepts a path and drops it
    check: (value) => checkServerUrl('value', value, 'warning'),
  }),
  'cacerts': setting<never>({ what: 'the certificate authority of Rancher', format: 'PEM', readOnly: true, source: `${SETTING_VALIDATOR} ReadOnlySettings` }),
  'agent-tls-mode': setting<AgentTlsMode>({
    what: 'the certificates that agents trust',
    format: 'strict or system-store',
    print: (mode) => mode,
    source: SETTING_VALIDATOR,
    check: oneOfWords(Object.values(AgentTlsMode), 'with any other text agents trust what their system trusts'),
  }),
  'agent-image': setting<never>({ what: 'the image of the cluster agent', format: 'an image', source: SETTING_GO }),
  'system-default-registry': setting<string>({
    what: 'the registry of Rancher\'s images', format: 'host, port and path without a scheme', default: '', print: (host) => host, source: SETTING_GO, check: registry,
  }),
  'fleet-default-workspace-name': setting<never>({ what: 'the Fleet workspace of new clusters', format: 'a namespace', default: FLEET_DEFAULT, source: SETTING_GO }),
  'password-min-length': setting<number>({
    what: 'the least length of local users\' passwords',
    format: 'a whole number',
    default: '12',
    print: String,
    source: SETTING_GO,
    // several parts of Rancher read it, and not all of them are known to use the default
    check: wholeNumber('use a whole number such as 12', 2, 'warning'),
  }),
  'hide-local-cluster': setting<boolean>({ ...FLAG, what: 'whether the cluster that Rancher runs in is hidden', default: 'false' }),
  'imported-cluster-version-management': setting<boolean>({
    ...FLAG,
    what: 'whether Rancher manages the versions of imported RKE2 and K3s clusters',
    default: 'true',
    source: 'rancher/webhook:pkg/resources/management.cattle.io/v3/cluster/validator.go versionManagementEnabled',
  }),
  'kubeconfig-generate-token': setting<boolean>({ ...FLAG, what: 'whether a kubeconfig holds a token', default: 'true' }),
  'kubeconfig-default-token-ttl-minutes': setting<Duration>({ ...TTL, what: 'the lifetime of kubeconfig tokens', default: '43200', source: CLAMP, check: tokenMinutes }),
  'auth-token-max-ttl-minutes': setting<Duration>({ ...TTL, what: 'the longest lifetime of tokens', default: '129600', source: CLAMP, check: tokenMinutes }),
  'kubeconfig-max-token-ttl-minutes': setting<Duration>({ ...TTL, what: 'the longest lifetime of kubeconfig tokens', default: '129600', source: CLAMP }),
  'auth-token-default-ttl-minutes': setting<Duration>({ ...TTL, what: 'the lifetime of tokens', source: SETTING_GO }),
  'crt-default-ttl-minutes': setting<Duration>({
    what: 'the lifetime of registration tokens until their rotation',
    format: 'whole minutes from 30, 0 for never',
    default: '43200',
    least: 30,
    print: minutes,
    source: CRT_GO,
    check: clamped(30, 'never'),
  }),
  'crt-default-grace-period-minutes': setting<Duration>({
    what: 'how long a rotated registration token is valid',
    format: 'whole minutes from 10, less than the lifetime of the token',
    default: '180',
    least: 10,
    print: minutes,
    source: CRT_GO,
    check: clamped(10),
  }),
  'auth-user-session-ttl-minutes': setting<Duration>({
    what: 'the duration of a login',
    format: 'whole minutes',
    default: '960',
    print: minutes,
    source: `${SETTING_VALIDATOR} validateAuthUserSessionTTLMinutes`,
    check: sessionMinutes(0, 'negative value'),
  }),
  'auth-user-session-idle-ttl-minutes': setting<Duration>({
    what: 'how long a login may be idle',
    format: 'whole minutes from 1, at most the duration of a login',
    print: minutes,
    source: `${SETTING_VALIDATOR} validateAuthUserSessionIdleTTLMinutes`,
    check: sessionMinutes(1, 'negative value or less than 1 minute'),
  }),
  'auth-user-info-max-age-seconds': setting<never>({
    what: 'how old the groups of a user may be',
    format: 'seconds',
    default: '3600',
    judgesEmpty: true,
    source: `${SETTING_VALIDATOR} validateAuthUserInfoMaxAgeSeconds`,
    check: secondsText,
  }),
  'auth-user-info-resync-cron': setting<string>({
    ...CRON, what: 'when Rancher reads the groups of all users again', default: '0 0 * * *', source: `${SETTING_VALIDATOR} validateAuthUserInfoResyncCron`,
  }),
  'disable-inactive-user-after': setting<Duration>({
    what: 'after how long without a login a user is disabled',
    format: 'a duration such as 720h',
    default: '',
    print: seconds,
    source: `${SETTING_VALIDATOR} validateDisableInactiveUserAfter`,
    check: retentionPeriod,
  }),
  'delete-inactive-user-after': setting<Duration>({
    what: 'after how long without a login a user is deleted',
    format: `a duration from ${MIN_DELETE_INACTIVE_HOURS}h`,
    default: '',
    print: seconds,
    source: `${SETTING_VALIDATOR} validateDeleteInactiveUserAfter`,
    check: deletionPeriod,
  }),
  'user-last-login-default': setting<never>({
    what: 'the last login of a user without one',
    format: 'a date and time of RFC 3339',
    default: '',
    source: `${SETTING_VALIDATOR} validateUserLastLoginDefault`,
    check: dateTime,
  }),
  'user-retention-cron': setting<string>({ ...CRON, what: 'when Rancher looks for inactive users', default: '', source: `${SETTING_VALIDATOR} validateUserRetentionCron` }),
  'user-retention-dry-run': setting<boolean>({ ...FLAG, what: 'whether inactive users are only reported', default: 'false' }),
  'system-agent-installer-token-ttl-enabled': setting<never>({ ...FLAG, what: 'whether the tokens with which machines install their agent expire', default: 'true' }),
  'system-agent-installer-token-long-ttl': setting<never>({
    ...TOKEN_TTL, what: 'how long after its creation such a token is valid; a machine that needs longer to start cannot join', default: '30m',
  }),
  'system-agent-installer-token-short-ttl': setting<never>({ ...TOKEN_TTL, what: 'how long after its last use such a token is valid', default: '30s' }),
  'delete-machine-on-failure-after': setting<never>({
    what: 'after how long a machine that could not be created is deleted',
    format: 'a duration such as 30m, 0s for never',
    default: '0s',
    source: 'rancher/rancher:pkg/controllers/capr/machineprovision/controller.go parseDeleteOnFailureAfterSetting',
    check: goDurationFormat(),
  }),
  'imported-cluster-day2-ops-enabled': setting<never>({ ...FLAG, what: 'whether Rancher carries out operations on imported RKE2 and K3s clusters', default: 'true' }),
  'system-default-registry-pull-secrets': setting<never>({
    what: 'Secrets in cattle-system with the credentials of system-default-registry; the agents of an import get them only if its ID is c- and five characters',
    format: 'names separated by commas',
    source: 'rancher/rancher:pkg/cluster/private_registry.go GlobalPullSecretRefs',
  }),
  'authorization-cache-ttl-seconds': count('how long Rancher remembers that a user may do something, in seconds', '10'),
  'authorization-deny-cache-ttl-seconds': count('how long Rancher remembers that a user may not do something, in seconds', '10'),
  'azure-group-cache-size': count('the number of groups of Entra ID that Rancher remembers', '10000'),
  'cluster-controller-start-count': count('the number of clusters whose controllers Rancher starts at a time', '50'),
  'k3s-based-upgrader-uninstall-concurrency': count('the number of clusters from which Rancher removes its upgrader at a time', '5'),
  'system-agent-upgrader-install-concurrency': count('the number of clusters in which Rancher upgrades the system agent at a time', '5'),
  'skip-helm-index-filtering': setting<never>({ ...FLAG, what: 'whether charts are listed that do not fit the versions of Rancher and Kubernetes', default: 'true' }),
  'unprivileged-jail-user': setting<never>({ ...FLAG, what: 'whether node drivers run as a user without privileges', default: 'true' }),
  'ui-banners': setting<never>({ ...UI_OBJECT, what: 'the banners of the UI', default: '{}' }),
  'ui-performance': setting<never>({ ...UI_OBJECT, what: 'options of the UI for many resources' }),
  'cluster-agent-default-affinity': AFFINITY,
  'fleet-agent-default-affinity': AFFINITY,
  'cluster-agent-default-priority-class': PRIORITY_CLASS,
  'fleet-agent-default-priority-class': PRIORITY_CLASS,
  'cluster-agent-default-pod-disruption-budget': DISRUPTION_BUDGET,
  'fleet-agent-default-pod-disruption-budget': DISRUPTION_BUDGET,
};

/** A setting that this library knows in more than its name. */
export type RancherSettingName = keyof typeof ENTRIES;

/** The value that the factory of a setting takes. */
export type RancherSettingValue<N extends RancherSettingName> = typeof ENTRIES[N] extends RancherSettingEntry<infer V> ? V : never;

/** The settings that are known in more than their name. */
export const KNOWN_SETTINGS: ReadonlyMap<string, RancherSettingEntry<never>> = new Map(Object.entries<RancherSettingEntry<never>>(ENTRIES));

/** Whether some version of Rancher has a setting of this name. */
export function isRancherSetting(name: string): boolean {
  return RANCHER_SETTINGS.has(name);
}

/** The text that the factory of a setting writes. */
export function printRancherSetting<N extends RancherSettingName>(name: N, value: RancherSettingValue<N>): string {
  const printed = (ENTRIES[name] as RancherSettingEntry<RancherSettingValue<N>>).print!(value);
  return typeof printed === 'string' ? printed : JSON.stringify(printed);
}
