import { Duration } from 'cdk8s';
import { SecretValue } from '../late';

/**
 * Options of a registration token that the program declares.
 */
export interface DeclaredTokenOptions {
  /**
   * Name of the ClusterRegistrationToken; not `system` or `default-token`, which are Rancher's.
   * @default 'gitops'
   */
  readonly name?: string;
  /**
   * How long the token lives until Rancher rotates it; 30 minutes or more, zero for ever. Rancher 2.13.8, 2.14.4, 2.15.0 and later.
   * @default - Rancher's setting crt-default-ttl-minutes, 30 days; rotation is on by default from 2.15.0
   */
  readonly ttl?: Duration;
  /**
   * How long the former token still works after a rotation; 10 minutes or more, less than the ttl. Rancher 2.13.8, 2.14.4, 2.15.0 and later.
   * @default - Rancher's setting crt-default-grace-period-minutes, 3 hours
   */
  readonly gracePeriod?: Duration;
}

/**
 * Options of a token that the program or another tool puts into a Secret.
 */
export interface TokenSecretOptions {
  /**
   * What follows `crt-token-` in the name of the Secret. No ClusterRegistrationToken may have this name: Rancher would overwrite the token.
   * @default 'gitops'
   */
  readonly name?: string;
}

/**
 * Where the token of a registration comes from.
 *
 * Rancher looks tokens up by Secrets `crt-token-…` in the namespace of the cluster (2.13.8, 2.14.4, 2.15.0 and later): with `value` or `secret`
 * nothing has to be read back from a cluster, and a commit is enough.
 */
export class TokenSource {
  /**
   * The token that Rancher makes for every cluster, `default-token`: a late value. Works on every version of Rancher.
   */
  public static rancherDefault(): TokenSource {
    return new TokenSource('default', {});
  }

  /**
   * A ClusterRegistrationToken of the program's, whose token Rancher makes: a late value. Works on every version of Rancher.
   */
  public static declared(options: DeclaredTokenOptions = {}): TokenSource {
    return new TokenSource('declared', options);
  }

  /**
   * A token of your own, written to a Secret. It stands in the output in clear, on Rancher and in the Setting on Harvester, with warnings.
   *
   * @param token 16 or more of a-z and 0-9; Rancher's own have 54
   */
  public static value(token: SecretValue, options: TokenSecretOptions = {}): TokenSource {
    return new TokenSource('value', options, token);
  }

  /**
   * A token of your own in a Secret that another tool writes: a SealedSecret, an ExternalSecret, SOPS. Only its name is known, so the Setting on
   * Harvester, which holds the whole URL, is the one late value.
   *
   * The tool must write Secret `crt-token-<name>` with key `token` into the namespace of the cluster's id.
   */
  public static secret(options: TokenSecretOptions = {}): TokenSource {
    return new TokenSource('secret', options);
  }

  private constructor(
    /** @internal */
    public readonly _form: 'default' | 'declared' | 'value' | 'secret',
    /** @internal */
    public readonly _options: DeclaredTokenOptions,
    /** @internal */
    public readonly _token?: SecretValue,
  ) {}
}
