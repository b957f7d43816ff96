import { ApiObject, Duration } from 'cdk8s';
import { Construct } from 'constructs';
import { checkRancherSetting, rancherSetting } from './rancher-setting.check';
import { ANNOTATION_FORCE, RANCHER_SETTINGS } from './rancher-setting.kind';
import { checkServerUrl } from './setting-formats.check';
import { rancherTargetOf } from '../../core/app/target';
import { isLate } from '../../core/late/late-token';
import { API_VERSIONS } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { Problem, fail, failOnErrors, parsedAt } from '../../core/rule/problem';
import { lazily } from '../../core/text/values';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { Since } from '../../core/version/product-version';
import { RancherVersion } from '../version/rancher-version';

/**
 * Properties of a Rancher setting.
 */
export interface RancherSettingProps {
  /**
   * The name of the setting, which is the name of the object, e.g. `server-url`.
   *
   * A name that this Rancher does not know does nothing; what is known not to be in the version that the chart names is refused.
   */
  readonly name: string;
  /**
   * The value, always as text: numbers, booleans and JSON too. `''` goes back to the default.
   */
  readonly value: string;
  /**
   * Whether Rancher shall skip its own check of the change (annotation `cattle.io/force`). Only `agent-tls-mode` has one.
   * @default false
   */
  readonly force?: boolean;
}

/**
 * Whose certificates Rancher's agents trust when they connect to Rancher.
 */
export enum AgentTlsMode {
  /** Rancher's own `cacerts` alone. The default of new installations from Rancher 2.9 on. */
  STRICT = 'strict',
  /** What the system of the node or container trusts. The default of earlier installations, also after an upgrade. */
  SYSTEM_STORE = 'system-store',
}

/**
 * Options for the TLS mode of agents.
 */
export interface AgentTlsModeOptions {
  /**
   * Whether to go from system-store to strict although not every cluster has passed the check of it; those that have not are cut off.
   * @default false
   */
  readonly force?: boolean;
}

/**
 * The priority class that Rancher makes for an agent where a cluster says nothing else.
 */
export interface AgentPriorityClassOptions {
  /** The priority, -1,000,000,000 to 1,000,000,000. */
  readonly priority: number;
  /** `Never` or `PreemptLowerPriority`. @default - Kubernetes' own, PreemptLowerPriority */
  readonly preemptionPolicy?: string;
}

/**
 * The disruption budget that Rancher makes for an agent where a cluster says nothing else. One of both is given.
 */
export interface AgentDisruptionBudgetOptions {
  /** A number or a percentage, e.g. `1` or `50%`. @default - maxUnavailable counts */
  readonly minAvailable?: string;
  /** A number or a percentage, e.g. `1` or `50%`. @default - minAvailable counts */
  readonly maxUnavailable?: string;
}

/**
 * What is wrong with giving a setting of a Rancher of some version a value.
 */
export function checkSetting(name: string, value: string, version: string): Problem[] {
  return [...checkVersion(name, version), ...checkRancherSetting(name, value)];
}

function checkVersion(name: string, version: string): Problem[] {
  const since = rancherSetting(name)?.since;
  if (!since || Since.of(...since).includes(RancherVersion.parse(version))) { return []; }
  return [{ path: 'name', value: name, message: `is no setting of Rancher ${version}, which would drop it`, fix: `it needs Rancher ${Since.of(...since)}` }];
}

// the checks of all values are large, and a program may set none
// eslint-disable-next-line @typescript-eslint/no-require-imports
const checks = lazily(() => require('./rancher-setting') as typeof import('./rancher-setting'));

/**
 * Sets a setting of Rancher, on the management cluster.
 *
 * Creates a cluster-scoped `management.cattle.io/v3` Setting. Rancher makes these objects itself at its start, so an apply changes one that is
 * there; only `value` is written. It needs nothing else to exist. Deleting the object is no reset: set the value `''` instead.
 *
 * The factories know names and formats; the constructor takes any setting.
 *
 * @see https://github.com/rancher/rancher/blob/main/pkg/settings/setting.go
 * @example
 * RancherSetting.serverUrl(rancher, 'server-url', 'https://rancher.example.com');
 * new RancherSetting(rancher, 'brand', { name: 'ui-pl', value: 'Example' });
 */
export class RancherSetting extends Construct {
  /**
   * Sets the URL that clusters and nodes reach Rancher by (`server-url`). Without it no cluster can register.
   *
   * @param url https, scheme and host only
   */
  public static serverUrl(scope: Construct, id: string, url: string): RancherSetting {
    const setting = new RancherSetting(scope, id, { name: RANCHER_SETTINGS.SERVER_URL, value: url });
    // Rancher takes http as well; nobody who sets it by this factory wants tokens in clear
    const problems = [...checkServerUrl('url', url)];
    if (problems.length > 0) { fail(setting, problems); }
    return setting;
  }

  /**
   * Sets whose certificates agents trust (`agent-tls-mode`).
   *
   * Rancher refuses to go from system-store to strict until every cluster has passed its check.
   */
  public static agentTlsMode(scope: Construct, id: string, mode: AgentTlsMode, options: AgentTlsModeOptions = {}): RancherSetting {
    return new RancherSetting(scope, id, { name: RANCHER_SETTINGS.AGENT_TLS_MODE, value: mode, force: options.force });
  }

  /**
   * Sets the registry that Rancher's images come from (`system-default-registry`), for clusters without access to the internet.
   *
   * @param registry host, port and path without a scheme, e.g. `registry.example.com:5000`
   */
  public static systemDefaultRegistry(scope: Construct, id: string, registry: string): RancherSetting {
    return new RancherSetting(scope, id, { name: RANCHER_SETTINGS.SYSTEM_DEFAULT_REGISTRY, value: registry });
  }

  /**
   * Sets the least length of the passwords of local users (`password-min-length`). Rancher's default is 12.
   *
   * @param characters a whole number from 2
   */
  public static passwordMinLength(scope: Construct, id: string, characters: number): RancherSetting {
    return new RancherSetting(scope, id, { name: RANCHER_SETTINGS.PASSWORD_MIN_LENGTH, value: String(characters) });
  }

  /** Sets whether the cluster that Rancher runs in is hidden (`hide-local-cluster`). Rancher's default is false. */
  public static hideLocalCluster(scope: Construct, id: string, hide: boolean): RancherSetting {
    return new RancherSetting(scope, id, { name: RANCHER_SETTINGS.HIDE_LOCAL_CLUSTER, value: String(hide) });
  }

  /** Sets whether a kubeconfig holds a token (`kubeconfig-generate-token`) or asks for a login. Rancher's default is true. */
  public static kubeconfigGenerateToken(scope: Construct, id: string, generate: boolean): RancherSetting {
    return new RancherSetting(scope, id, { name: RANCHER_SETTINGS.KUBECONFIG_GENERATE_TOKEN, value: String(generate) });
  }

  /** Sets whether Rancher manages the versions of imported RKE2 and K3s clusters (`imported-cluster-version-management`). Rancher 2.11 and later. */
  public static importedClusterVersionManagement(scope: Construct, id: string, manage: boolean): RancherSetting {
    return new RancherSetting(scope, id, { name: RANCHER_SETTINGS.IMPORTED_VERSION_MANAGEMENT, value: String(manage) });
  }

  /**
   * Sets after how long registration tokens are rotated (`crt-default-ttl-minutes`). Rancher 2.13.8, 2.14.4, 2.15.0 and later.
   *
   * @param lifetime from 30 minutes, or `Duration.minutes(0)` for never. Rancher's default is 30 days
   */
  public static registrationTokenLifetime(scope: Construct, id: string, lifetime: Duration): RancherSetting {
    return RancherSetting.text(scope, id, RANCHER_SETTINGS.CRT_DEFAULT_TTL, () => minutes(lifetime));
  }

  /**
   * Sets how long a registration token stays valid after its rotation (`crt-default-grace-period-minutes`). Rancher 2.13.8, 2.14.4, 2.15.0 and
   * later.
   *
   * @param period from 10 minutes, less than the lifetime. Rancher's default is 3 hours
   */
  public static registrationTokenGracePeriod(scope: Construct, id: string, period: Duration): RancherSetting {
    return RancherSetting.text(scope, id, RANCHER_SETTINGS.CRT_DEFAULT_GRACE, () => minutes(period));
  }

  /**
   * Sets how long a login lasts (`auth-user-session-ttl-minutes`).
   *
   * @param lifetime in minutes, not more than users may be inactive. Rancher's default is 16 hours
   */
  public static sessionLifetime(scope: Construct, id: string, lifetime: Duration): RancherSetting {
    return RancherSetting.text(scope, id, RANCHER_SETTINGS.SESSION_TTL, () => minutes(lifetime));
  }

  /**
   * Sets after how long without use a login ends (`auth-user-session-idle-ttl-minutes`).
   *
   * @param lifetime from 1 minute, not more than the login lasts
   */
  public static sessionIdleLifetime(scope: Construct, id: string, lifetime: Duration): RancherSetting {
    return RancherSetting.text(scope, id, RANCHER_SETTINGS.SESSION_IDLE_TTL, () => minutes(lifetime));
  }

  /**
   * Sets after how long without a login a user is disabled (`disable-inactive-user-after`).
   *
   * @param period not less than a login lasts; zero for never
   */
  public static disableInactiveUsersAfter(scope: Construct, id: string, period: Duration): RancherSetting {
    return RancherSetting.text(scope, id, RANCHER_SETTINGS.DISABLE_INACTIVE_USER, () => goText(period));
  }

  /**
   * Sets after how long without a login a user is deleted (`delete-inactive-user-after`).
   *
   * @param period from 14 days; zero for never
   */
  public static deleteInactiveUsersAfter(scope: Construct, id: string, period: Duration): RancherSetting {
    return RancherSetting.text(scope, id, RANCHER_SETTINGS.DELETE_INACTIVE_USER, () => goText(period));
  }

  /**
   * Sets when Rancher looks for inactive users (`user-retention-cron`).
   *
   * @param cron five fields, e.g. `0 0 * * *`, or `@daily`
   */
  public static userRetentionSchedule(scope: Construct, id: string, cron: string): RancherSetting {
    return new RancherSetting(scope, id, { name: RANCHER_SETTINGS.USER_RETENTION_CRON, value: cron });
  }

  /**
   * Sets the priority class of the cluster agent (`cluster-agent-default-priority-class`). Rancher 2.11 and later, with the feature
   * `cluster-agent-scheduling-customization`.
   */
  public static clusterAgentPriorityClass(scope: Construct, id: string, options: AgentPriorityClassOptions): RancherSetting {
    const value = JSON.stringify({ value: options.priority, preemptionPolicy: options.preemptionPolicy });
    return new RancherSetting(scope, id, { name: RANCHER_SETTINGS.CLUSTER_AGENT_PRIORITY_CLASS, value });
  }

  /**
   * Sets the disruption budget of the cluster agent (`cluster-agent-default-pod-disruption-budget`). Rancher 2.11 and later, with the feature
   * `cluster-agent-scheduling-customization`.
   */
  public static clusterAgentDisruptionBudget(scope: Construct, id: string, options: AgentDisruptionBudgetOptions): RancherSetting {
    // in a setting Rancher wants both, 0 for the one that does not count
    const value = JSON.stringify({ minAvailable: options.minAvailable ?? '0', maxUnavailable: options.maxUnavailable ?? '0' });
    return new RancherSetting(scope, id, { name: RANCHER_SETTINGS.CLUSTER_AGENT_BUDGET, value });
  }

  // durations that are not whole fail here, where the construct is not yet made
  private static text(scope: Construct, id: string, name: string, produce: () => string): RancherSetting {
    return new RancherSetting(scope, id, { name, value: parsedAt(`${scope.node.path}/${id}`, name, produce) });
  }

  /** The name of the setting. */
  public readonly settingName: string;

  constructor(scope: Construct, id: string, props: RancherSettingProps) {
    super(scope, id);
    const target = rancherTargetOf(this, 'RancherSetting');
    failOnErrors(this, [...checks().checkSetting(props.name, props.value, target.version), ...checkForce(props)]);
    this.settingName = props.name;
    const setting = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.MANAGEMENT,
      kind: 'Setting',
      metadata: { name: props.name, ...(props.force ? { annotations: { [ANNOTATION_FORCE]: 'true' } } : {}) },
      value: props.value,
    });
    note(setting, {
      deletion: { policy: 'reset', reason: 'Rancher owns its settings: the value "" goes back to the default, a deleted object comes back at the next start only' },
      othersWrite: ['default', 'customized', 'source'],
    });
  }
}

function checkForce({ name, force }: RancherSettingProps): Problem[] {
  if (!force || name === RANCHER_SETTINGS.AGENT_TLS_MODE || isLate(name)) { return []; }
  return [{ path: 'force', value: force, message: 'means nothing for this setting', fix: `leave it out; it is for ${RANCHER_SETTINGS.AGENT_TLS_MODE}` }];
}

// a rest of seconds is refused by Duration itself
function minutes(duration: Duration): string {
  return String(duration.toMinutes());
}

// Go reads no unit longer than the hour, and seconds are always whole enough
function goText(duration: Duration): string {
  return `${duration.toSeconds()}s`;
}

/**
 * Properties of the lifetime of tokens.
 */
export interface TokenLifetimeProps {
  /**
   * How long the tokens of kubeconfigs live, in whole minutes, not more than `max`; `Duration.minutes(0)` for ever.
   * @default - for ever
   */
  readonly kubeconfig?: Duration;
  /**
   * How long tokens live at most, in whole minutes; `Duration.minutes(0)` for ever.
   * @default - the same as `kubeconfig`
   */
  readonly max?: Duration;
}

/**
 * Sets how long tokens of Rancher live, on the management cluster: by default, those of kubeconfigs for ever.
 *
 * From Rancher 2.8 on they expire after 30 days. A cloud credential for Harvester holds such a token, and when it has expired no machine can be
 * created or deleted any more. "For ever" needs both the default and the maximum to be 0, so this writes the pair:
 * `kubeconfig-default-token-ttl-minutes` and `auth-token-max-ttl-minutes`, from Rancher 2.16 on also `kubeconfig-max-token-ttl-minutes`.
 * Tokens that exist keep their expiry. From Rancher 2.12 on, tokens of cloud credentials for Harvester never expire by themselves.
 *
 * @see https://github.com/harvester/harvester/issues/5827
 * @example
 * new TokenLifetime(rancher, 'tokens', { kubeconfig: Duration.days(90) });
 */
export class TokenLifetime extends Construct {
  /** The Setting of the lifetime of kubeconfig tokens. */
  public readonly kubeconfigSetting: RancherSetting;

  /** The Setting of the longest lifetime of tokens. */
  public readonly maxSetting: RancherSetting;

  constructor(scope: Construct, id: string, props: TokenLifetimeProps = {}) {
    super(scope, id);
    const target = rancherTargetOf(this, 'TokenLifetime');
    const kubeconfig = props.kubeconfig ?? Duration.minutes(0);
    const max = props.max ?? kubeconfig;
    const problems = checkLifetimes(minutesOf(kubeconfig), minutesOf(max));
    if (problems.length > 0) { fail(this, problems); }

    this.kubeconfigSetting = this.setting('KubeconfigDefault', RANCHER_SETTINGS.KUBECONFIG_DEFAULT_TTL, kubeconfig);
    this.maxSetting = this.setting('Max', RANCHER_SETTINGS.AUTH_TOKEN_MAX_TTL, max);
    if (FeatureGates.of(GateId.KUBECONFIG_MAX_TTL_SETTING).supports(RancherVersion.parse(target.version))) {
      this.setting('KubeconfigMax', RANCHER_SETTINGS.KUBECONFIG_MAX_TTL, max);
    }
  }

  private setting(id: string, name: string, lifetime: Duration): RancherSetting {
    return new RancherSetting(this, id, { name, value: String(minutesOf(lifetime)) });
  }
}

function minutesOf(lifetime: Duration): number {
  return lifetime.toMinutes({ integral: false });
}

function checkLifetimes(kubeconfig: number, max: number): Problem[] {
  const problems: Problem[] = [];
  for (const [path, value] of [['kubeconfig', kubeconfig], ['max', max]] as const) {
    if (!Number.isInteger(value)) { problems.push({ path, value, message: 'is no whole number of minutes', fix: 'use whole minutes, 0 for ever' }); }
  }
  // Rancher cuts the default at the maximum without a word
  if (max > 0 && (kubeconfig === 0 || kubeconfig > max)) {
    problems.push({
      path: 'kubeconfig', value: kubeconfig, message: `is longer than max, ${max} minutes, which Rancher would use in its place`, fix: 'use no more than max, or max: Duration.minutes(0)',
    });
  }
  return problems;
}
