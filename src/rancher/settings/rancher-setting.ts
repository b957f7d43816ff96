import { Duration } from 'cdk8s';
import { Construct } from 'constructs';
import { checkRancherSettingText } from './rancher-setting.check';
import {
  printRancherSetting,
  RancherSettingName,
  RancherSettingValue,
} from './rancher-setting.data';
import { AgentTlsMode, ANNOTATION_FORCE } from './rancher-setting.kind';
import { checkServerUrl } from './setting-formats.check';
import { ResourceGroup, ResourceOptions } from '../../core/app/resource';
import { note, settingProps } from '../../core/construct/object-notes';
import { IRancherTarget, rancherTargetOf } from '../../core/construct/target';
import { isLate } from '../../core/late/late-token';
import { API_VERSIONS } from '../../core/manifest/names';
import { fail, failOnErrors, parsedAt, Problem } from '../../core/problem/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { AgentDisruptionBudget, AgentPriorityClass } from '../cluster/provisioning-cluster.check';
import { RancherResource } from '../rancher-resource';
import { RancherGate, RancherVersion } from '../version/rancher-version';

/** Lifetime of Rancher's tokens. Labels and annotations are those of the settings. */
export interface TokenLifetimeProps extends ResourceOptions {
  /**
   * Lifetime of kubeconfig tokens in whole minutes, at most `maxTtl`; `Duration.minutes(0)` for no
   * limit.
   * @default - no limit
   */
  readonly kubeconfigTtl?: Duration;
  /**
   * Longest lifetime of tokens in whole minutes; `Duration.minutes(0)` for no limit.
   * @default - the same as `kubeconfigTtl`
   */
  readonly maxTtl?: Duration;
}

/**
 * The settings for the lifetime of Rancher's tokens: by default, kubeconfig tokens never expire.
 *
 * From Rancher 2.8 on they expire after 30 days. A cloud credential for Harvester contains such a
 * token; after it has expired, machines can be neither created nor deleted. A permanent token needs
 * both the default and the maximum to be 0, so this writes both:
 * `kubeconfig-default-token-ttl-minutes` and `auth-token-max-ttl-minutes`, from Rancher 2.16 on
 * also `kubeconfig-max-token-ttl-minutes`. Existing tokens keep their expiry. From Rancher 2.12 on,
 * tokens of cloud credentials for Harvester never expire by themselves.
 *
 * @see https://github.com/harvester/harvester/issues/5827
 * @example
 * new TokenLifetime(rancher, 'tokens', { kubeconfigTtl: Duration.days(90) });
 */
export class TokenLifetime extends ResourceGroup {
  /** The Setting of the lifetime of kubeconfig tokens. */
  public readonly kubeconfigSetting: RancherSetting;
  /** The Setting of the longest lifetime of tokens. */
  public readonly maxSetting: RancherSetting;

  constructor(scope: Construct, id: string, props: TokenLifetimeProps = {}) {
    super(scope, id, props);
    const { labels, annotations } = props;
    const kubeconfig = minutesOf(props.kubeconfigTtl ?? Duration.minutes(0));
    const max = props.maxTtl ? minutesOf(props.maxTtl) : kubeconfig;
    const maxProp = props.maxTtl ? 'maxTtl' : 'kubeconfigTtl';
    failOnErrors(this, checkLifetimes(kubeconfig, max));

    const setting = (
      child: string,
      name: string,
      prop: keyof TokenLifetimeProps,
      minutes: number,
    ): RancherSetting => {
      const written = new RancherSetting(this, child, {
        name,
        value: String(minutes),
        labels,
        annotations,
      });
      note(written.apiObject, { props: { value: prop } });
      return written;
    };
    this.kubeconfigSetting = setting(
      'KubeconfigDefault',
      'kubeconfig-default-token-ttl-minutes',
      'kubeconfigTtl',
      kubeconfig,
    );
    this.maxSetting = setting('Max', 'auth-token-max-ttl-minutes', maxProp, max);
    if (
      FeatureGates.of(RancherGate.KUBECONFIG_MAX_TTL_SETTING).supports(
        RancherVersion.parse(this.target.version),
      )
    ) {
      setting('KubeconfigMax', 'kubeconfig-max-token-ttl-minutes', maxProp, max);
    }
  }

  /** @internal */
  public _requireTarget(): IRancherTarget {
    return rancherTargetOf(this, 'TokenLifetime');
  }
}

function minutesOf(lifetime: Duration): number {
  return lifetime.toMinutes({ integral: false });
}

function checkLifetimes(kubeconfig: number, max: number): Problem[] {
  const problems: Problem[] = [];
  for (const [path, value] of [
    ['kubeconfigTtl', kubeconfig],
    ['maxTtl', max],
  ] as const) {
    if (!Number.isInteger(value)) {
      problems.push({
        path,
        value,
        message: 'must be a whole number of minutes',
        fix: 'use whole minutes, 0 for no limit',
      });
    }
  }
  // Rancher silently reduces the default to the maximum
  if (max > 0 && (kubeconfig === 0 || kubeconfig > max)) {
    problems.push({
      path: 'kubeconfigTtl',
      value: kubeconfig,
      message: `must be at most maxTtl, ${max} minutes`,
      fix: 'reduce it, or use maxTtl: Duration.minutes(0)',
    });
  }
  return problems;
}

/** Name and value of a Rancher setting. */
export interface RancherSettingProps extends ResourceOptions {
  /**
   * Name of the setting and of its object, e.g. `server-url`.
   *
   * Rancher ignores a name that it does not know. A setting that the version of the chart lacks is
   * refused.
   */
  readonly name: string;
  /** The value as text, also for numbers, booleans and JSON. `''` is the default. */
  readonly value: string;
  /**
   * Whether Rancher skips its own check of the change (annotation `cattle.io/force`). Only for
   * `agent-tls-mode`.
   * @default false
   */
  readonly force?: boolean;
}

/** Options for the TLS mode of agents. */
export interface AgentTlsModeOptions {
  /**
   * Whether the mode may become strict before every cluster has passed Rancher's check. Clusters
   * that have not are disconnected.
   * @default false
   */
  readonly force?: boolean;
}

/**
 * A Rancher setting: gives a value to the Setting (management.cattle.io/v3) of that name on the
 * management cluster.
 *
 * Rancher creates these objects at its start, so only `value` is written. Deleting the object does
 * not reset the setting: set the value `''` instead. The typed methods know names and formats; the
 * constructor writes any setting.
 *
 * @see https://github.com/rancher/rancher/blob/main/pkg/settings/setting.go
 * @example
 * RancherSetting.serverUrl(rancher, 'server-url', 'https://rancher.example.com');
 * new RancherSetting(rancher, 'brand', { name: 'ui-pl', value: 'Example' });
 */
export class RancherSetting extends RancherResource {
  /**
   * The URL at which clusters and nodes reach Rancher: https, scheme and host only (`server-url`).
   * Without it no cluster can register.
   */
  public static serverUrl(scope: Construct, id: string, url: string): RancherSetting {
    const setting = RancherSetting.of(scope, id, 'server-url', url);
    // Rancher accepts http as well, which sends tokens in plain text
    const problems = [...checkServerUrl('url', url)];
    if (problems.length > 0) {
      fail(setting, problems);
    }
    return setting;
  }

  /**
   * The certificates that agents trust (`agent-tls-mode`). Rancher refuses to become strict until
   * every cluster has passed its check.
   */
  public static agentTlsMode(
    scope: Construct,
    id: string,
    mode: AgentTlsMode,
    options: AgentTlsModeOptions = {},
  ): RancherSetting {
    return RancherSetting.of(scope, id, 'agent-tls-mode', mode, options);
  }

  /**
   * The registry of Rancher's images, for clusters without internet access
   * (`system-default-registry`).
   * @param registry host, port and path without a scheme, e.g. `registry.example.com:5000`
   */
  public static systemDefaultRegistry(
    scope: Construct,
    id: string,
    registry: string,
  ): RancherSetting {
    return RancherSetting.of(scope, id, 'system-default-registry', registry);
  }

  /**
   * The least length of local users' passwords, from 2 (`password-min-length`). Rancher's default
   * is 12.
   */
  public static passwordMinLength(
    scope: Construct,
    id: string,
    characters: number,
  ): RancherSetting {
    return RancherSetting.of(scope, id, 'password-min-length', characters);
  }

  /**
   * Whether the cluster that Rancher runs in is hidden (`hide-local-cluster`). Rancher's default is
   * false.
   */
  public static hideLocalCluster(scope: Construct, id: string, hide: boolean): RancherSetting {
    return RancherSetting.of(scope, id, 'hide-local-cluster', hide);
  }

  /**
   * Whether a kubeconfig holds a token or asks for a login (`kubeconfig-generate-token`). Rancher's
   * default is true.
   */
  public static kubeconfigGenerateToken(
    scope: Construct,
    id: string,
    generate: boolean,
  ): RancherSetting {
    return RancherSetting.of(scope, id, 'kubeconfig-generate-token', generate);
  }

  /**
   * Whether Rancher manages the versions of imported RKE2 and K3s clusters
   * (`imported-cluster-version-management`). Needs Rancher 2.11.
   */
  public static importedClusterVersionManagement(
    scope: Construct,
    id: string,
    manage: boolean,
  ): RancherSetting {
    return RancherSetting.of(scope, id, 'imported-cluster-version-management', manage);
  }

  /**
   * The lifetime of registration tokens until their rotation (`crt-default-ttl-minutes`). Needs
   * Rancher 2.13.8, 2.14.4 or 2.15.0.
   * @param lifetime whole minutes from 30, or `Duration.minutes(0)` for never. Rancher's default is 30 days
   */
  public static registrationTokenLifetime(
    scope: Construct,
    id: string,
    lifetime: Duration,
  ): RancherSetting {
    return RancherSetting.of(scope, id, 'crt-default-ttl-minutes', lifetime);
  }

  /**
   * How long a registration token is valid after its rotation (`crt-default-grace-period-minutes`).
   * Needs Rancher 2.13.8, 2.14.4 or 2.15.0.
   * @param period whole minutes from 10, less than the lifetime. Rancher's default is 3 hours
   */
  public static registrationTokenGracePeriod(
    scope: Construct,
    id: string,
    period: Duration,
  ): RancherSetting {
    return RancherSetting.of(scope, id, 'crt-default-grace-period-minutes', period);
  }

  /**
   * The duration of a login (`auth-user-session-ttl-minutes`).
   * @param lifetime whole minutes, at most the time that users may be inactive. Rancher's default is 16 hours
   */
  public static sessionLifetime(scope: Construct, id: string, lifetime: Duration): RancherSetting {
    return RancherSetting.of(scope, id, 'auth-user-session-ttl-minutes', lifetime);
  }

  /**
   * How long a login may be idle: whole minutes from 1, at most the duration of a login
   * (`auth-user-session-idle-ttl-minutes`).
   */
  public static sessionIdleLifetime(
    scope: Construct,
    id: string,
    lifetime: Duration,
  ): RancherSetting {
    return RancherSetting.of(scope, id, 'auth-user-session-idle-ttl-minutes', lifetime);
  }

  /**
   * After how long without a login a user is disabled, at least the duration of a login; 0 for
   * never (`disable-inactive-user-after`).
   */
  public static disableInactiveUsersAfter(
    scope: Construct,
    id: string,
    period: Duration,
  ): RancherSetting {
    return RancherSetting.of(scope, id, 'disable-inactive-user-after', period);
  }

  /**
   * After how long without a login a user is deleted, at least 14 days; 0 for never
   * (`delete-inactive-user-after`).
   */
  public static deleteInactiveUsersAfter(
    scope: Construct,
    id: string,
    period: Duration,
  ): RancherSetting {
    return RancherSetting.of(scope, id, 'delete-inactive-user-after', period);
  }

  /**
   * When Rancher looks for inactive users: a cron expression of five fields, or `@daily`
   * (`user-retention-cron`).
   */
  public static userRetentionSchedule(
    scope: Construct,
    id: string,
    schedule: string,
  ): RancherSetting {
    return RancherSetting.of(scope, id, 'user-retention-cron', schedule);
  }

  /**
   * The priority class of the cluster agent (`cluster-agent-default-priority-class`). Needs Rancher
   * 2.11 and its feature `cluster-agent-scheduling-customization`.
   */
  public static clusterAgentPriorityClass(
    scope: Construct,
    id: string,
    priorityClass: AgentPriorityClass,
  ): RancherSetting {
    return RancherSetting.of(scope, id, 'cluster-agent-default-priority-class', priorityClass);
  }

  /**
   * The disruption budget of the cluster agent (`cluster-agent-default-pod-disruption-budget`).
   * Needs Rancher 2.11 and its feature `cluster-agent-scheduling-customization`.
   */
  public static clusterAgentDisruptionBudget(
    scope: Construct,
    id: string,
    budget: AgentDisruptionBudget,
  ): RancherSetting {
    return RancherSetting.of(scope, id, 'cluster-agent-default-pod-disruption-budget', budget);
  }

  private static of<N extends RancherSettingName>(
    scope: Construct,
    id: string,
    name: N,
    value: RancherSettingValue<N>,
    { force }: AgentTlsModeOptions = {},
  ): RancherSetting {
    // durations that are not whole fail here, before the construct exists
    const printed = parsedAt(`${scope.node.path}/${id}`, name, () =>
      printRancherSetting(name, value),
    );
    const setting = new RancherSetting(scope, id, { name, value: printed, force });
    note(setting.apiObject, { props: settingProps(name, value, printed) });
    return setting;
  }

  constructor(scope: Construct, id: string, props: RancherSettingProps) {
    super(scope, id, props);
    const { name, value, force } = props;
    failOnErrors(this, [
      ...checkRancherSettingText(name, value, this.rancher.version),
      ...(!force || name === FORCED || isLate(name)
        ? []
        : [
            {
              path: 'force',
              value: force,
              message: `has an effect on ${FORCED} alone`,
              fix: 'remove it',
            },
          ]),
    ]);
    this._write({
      apiVersion: API_VERSIONS.MANAGEMENT,
      kind: 'Setting',
      metadata: props.force ? { annotations: { [ANNOTATION_FORCE]: 'true' } } : undefined,
      value: props.value,
    });
  }
}

/** The setting whose check Rancher can skip. */
const FORCED = 'agent-tls-mode';
