import { Duration } from 'cdk8s';
import { Construct } from 'constructs';
import { RancherSetting } from './rancher-setting';
import { fail } from '../model/errors';
import { Problem } from '../model/problem';
import { RANCHER_SETTINGS } from '../model/rancher-settings/names';
import { rancherTargetOf } from '../model/target';
import { FeatureGates, GateId, RancherVersion } from '../versions';

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
