import { Duration } from 'cdk8s';
import { Construct } from 'constructs';
import { RancherSetting } from './rancher-setting';
import { rancherTargetOf } from '../../core/app/target';
import { Problem, failOnErrors } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { RancherVersion } from '../version/rancher-version';

/** Lifetime of Rancher's tokens. */
export interface TokenLifetimeProps {
  /**
   * Lifetime of kubeconfig tokens in whole minutes, at most `max`; `Duration.minutes(0)` for no limit.
   * @default - no limit
   */
  readonly kubeconfig?: Duration;
  /**
   * Longest lifetime of tokens in whole minutes; `Duration.minutes(0)` for no limit.
   * @default - the same as `kubeconfig`
   */
  readonly max?: Duration;
}

/**
 * The settings for the lifetime of Rancher's tokens: by default, kubeconfig tokens never expire.
 *
 * From Rancher 2.8 on they expire after 30 days. A cloud credential for Harvester contains such a token; after it has expired, machines can be
 * neither created nor deleted. A permanent token needs both the default and the maximum to be 0, so this writes both:
 * `kubeconfig-default-token-ttl-minutes` and `auth-token-max-ttl-minutes`, from Rancher 2.16 on also `kubeconfig-max-token-ttl-minutes`.
 * Existing tokens keep their expiry. From Rancher 2.12 on, tokens of cloud credentials for Harvester never expire by themselves.
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
    const kubeconfig = minutesOf(props.kubeconfig ?? Duration.minutes(0));
    const max = props.max ? minutesOf(props.max) : kubeconfig;
    failOnErrors(this, checkLifetimes(kubeconfig, max));

    const setting = (child: string, name: string, minutes: number) => new RancherSetting(this, child, { name, value: String(minutes) });
    this.kubeconfigSetting = setting('KubeconfigDefault', 'kubeconfig-default-token-ttl-minutes', kubeconfig);
    this.maxSetting = setting('Max', 'auth-token-max-ttl-minutes', max);
    if (FeatureGates.of(GateId.KUBECONFIG_MAX_TTL_SETTING).supports(RancherVersion.parse(target.version))) {
      setting('KubeconfigMax', 'kubeconfig-max-token-ttl-minutes', max);
    }
  }
}

function minutesOf(lifetime: Duration): number {
  return lifetime.toMinutes({ integral: false });
}

function checkLifetimes(kubeconfig: number, max: number): Problem[] {
  const problems: Problem[] = [];
  for (const [path, value] of [['kubeconfig', kubeconfig], ['max', max]] as const) {
    if (!Number.isInteger(value)) { problems.push({ path, value, message: 'must be a whole number of minutes', fix: 'use whole minutes, 0 for no limit' }); }
  }
  // Rancher silently reduces the default to the maximum
  if (max > 0 && (kubeconfig === 0 || kubeconfig > max)) {
    problems.push({ path: 'kubeconfig', value: kubeconfig, message: `must be at most max, ${max} minutes`, fix: 'reduce it, or use max: Duration.minutes(0)' });
  }
  return problems;
}
