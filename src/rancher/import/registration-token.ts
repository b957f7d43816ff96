import { Duration } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import {
  checkLifetime,
  checkLifetimeType,
  checkRegistrationToken,
} from './registration-token.check';
import {
  DEFAULT_TOKEN,
  SYSTEM_TOKEN,
  TOKEN_SECRET_KEY,
  TOKEN_SECRET_PREFIX,
  importPath,
} from './registration-token.kind';
import { ResourceGroup, ResourceOptions } from '../../core/app/resource';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { IRancherTarget, rancherTargetOf } from '../../core/construct/target';
import { LateType } from '../../core/late/late-text';
import { API_VERSIONS } from '../../core/manifest/names';
import { Problem, failOnErrors, parsed } from '../../core/problem/problem';
import { LateSource, LateValue } from '../../core/value/late-value';
import { SecretValue } from '../../core/value/secret-value';
import { FeatureGates } from '../../core/version/feature-gates';
import { IManagedCluster, ManagedCluster, requireSameRancher } from '../cluster/managed-cluster';
import { RancherGate, RancherVersion } from '../version/rancher-version';

/** Options of a ClusterRegistrationToken of the program. */
export interface DeclaredTokenOptions {
  /**
   * Name of the ClusterRegistrationToken. Rancher reserves `system` and `default-token`.
   * @default 'gitops'
   */
  readonly name?: string;
  /**
   * How long the token is valid before Rancher rotates it: at least 30 minutes, or zero for a token
   * that does not expire. Rancher 2.13.8, 2.14.4, 2.15.0 and later.
   * @default - the Rancher setting `crt-default-ttl-minutes`, 30 days; Rancher rotates by default from 2.15.0
   */
  readonly ttl?: Duration;
  /**
   * How long the previous token remains valid after a rotation: at least 10 minutes, less than
   * `ttl`. Rancher 2.13.8, 2.14.4, 2.15.0 and later.
   * @default - the Rancher setting `crt-default-grace-period-minutes`, 3 hours
   */
  readonly gracePeriod?: Duration;
}

/** Options of a registration token in a Secret. */
export interface TokenSecretOptions {
  /**
   * The name of the Secret without its prefix `crt-token-`. No ClusterRegistrationToken may have
   * this name: Rancher would overwrite the token.
   * @default 'gitops'
   */
  readonly name?: string;
}

/**
 * Source of a registration token.
 *
 * Rancher finds tokens by Secrets `crt-token-…` in the namespace of the cluster (2.13.8, 2.14.4,
 * 2.15.0 and later). With `value` or `secret` nothing is read from a cluster, and one commit is
 * enough.
 */
export class TokenSource {
  /**
   * The token `default-token` that Rancher creates for every cluster, as a late value. Works on
   * every version of Rancher.
   */
  public static rancherDefault(): TokenSource {
    return new TokenSource('default', DEFAULT_TOKEN, {});
  }

  /**
   * A ClusterRegistrationToken of the program, for which Rancher generates the token: a late value.
   * Works on every version of Rancher.
   */
  public static declared(options: DeclaredTokenOptions = {}): TokenSource {
    return new TokenSource('declared', options.name ?? 'gitops', options);
  }

  /**
   * A token of your own, written to a Secret. The output holds it in plain text, in the Secret and
   * in the Setting on Harvester, with warnings.
   *
   * @param token at least 16 characters of a-z and 0-9; those that Rancher generates have 54
   */
  public static value(token: SecretValue, options: TokenSecretOptions = {}): TokenSource {
    return new TokenSource('value', options.name ?? 'gitops', options, token);
  }

  /**
   * A token of your own in a Secret that another tool writes: a SealedSecret, an ExternalSecret,
   * SOPS. The program knows only the Secret's name, so the Setting on Harvester, which holds the
   * whole URL, is the one late value.
   *
   * The tool must write the Secret `crt-token-<name>` with the key `token` to the namespace named
   * after the management cluster ID.
   */
  public static secret(options: TokenSecretOptions = {}): TokenSource {
    return new TokenSource('secret', options.name ?? 'gitops', options);
  }

  declare private readonly nominal: true;

  private constructor(
    /** @internal */
    public readonly _form: 'default' | 'declared' | 'value' | 'secret',
    /** @internal */
    public readonly _name: string,
    /** @internal */
    public readonly _options: DeclaredTokenOptions,
    /** @internal */
    public readonly _value?: SecretValue,
  ) {}

  /** The lifetime in minutes, as a ClusterRegistrationToken has it. @internal */
  public get _lifetime(): { readonly ttl?: number; readonly gracePeriod?: number } {
    const { ttl, gracePeriod } = this._options;
    return {
      ttl: ttl?.toMinutes({ integral: false }),
      gracePeriod: gracePeriod?.toMinutes({ integral: false }),
    };
  }

  /** Checks the source of the token that a construct takes. @internal */
  public *_check(construct: IConstruct, version: RancherVersion): Iterable<Problem> {
    const token =
      this._value && parsed(construct, 'registrationToken', () => this._value!._unwrap());
    if (this._form === 'value' || this._form === 'secret') {
      const fix =
        'use TokenSource.rancherDefault() or TokenSource.declared(), whose URL is a late value, or upgrade Rancher';
      yield* FeatureGates.of(RancherGate.REGISTRATION_TOKEN_SECRET)._check(
        'registrationToken',
        version,
        fix,
      );
    }
    if (this._form !== 'default') {
      yield* checkName(this._name);
    }
    const lifetime = this._lifetime;
    if (lifetime.ttl !== undefined || lifetime.gracePeriod !== undefined) {
      const tooOld = FeatureGates.of(RancherGate.REGISTRATION_TOKEN_TTL)._check(
        'ttl',
        version,
        'remove ttl and gracePeriod',
      );
      for (const problem of tooOld.length > 0
        ? tooOld
        : [...checkLifetimeType(lifetime), ...checkLifetime(lifetime)]) {
        yield { ...problem, path: `token.${problem.path}` };
      }
    }
    if (token !== undefined) {
      yield* checkRegistrationToken('registrationToken', token);
    }
  }
}

/**
 * A registration token that Rancher generates, as a late value: from its Secret, or from the status
 * of its ClusterRegistrationToken where Rancher writes no Secrets. At most one per scope.
 * @see rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/token_secret.go
 */
export function lateToken(
  scope: Construct,
  { clusterId: namespace, rancher: target, node }: IManagedCluster,
  name: string,
): LateValue {
  const inSecret = FeatureGates.of(RancherGate.REGISTRATION_TOKEN_SECRET).supports(
    RancherVersion.parse(target.version),
  );
  return LateValue._once(
    scope,
    'NodeToken',
    {
      description: `registration token ${name} of ${namespace}`,
      type: LateType.TOKEN,
      sensitive: true,
      source: inSecret
        ? LateSource.secretKey(TOKEN_SECRET_KEY, {
            target,
            apiVersion: API_VERSIONS.CORE,
            kind: 'Secret',
            namespace,
            name: `${TOKEN_SECRET_PREFIX}${name}`,
          })
        : LateSource.field('status.token', {
            target,
            apiVersion: API_VERSIONS.MANAGEMENT,
            kind: 'ClusterRegistrationToken',
            namespace,
            name,
          }),
    },
    node.defaultChild,
  );
}

/** Properties of a registration token. */
export interface RegistrationTokenProps extends ResourceOptions {
  /** The cluster that registers with the token. */
  readonly cluster: IManagedCluster;
  /** Where the token comes from. @default TokenSource.rancherDefault() */
  readonly source?: TokenSource;
}

/**
 * A registration token of a cluster, in the namespace of its management cluster on Rancher.
 *
 * Depending on its source it writes nothing (the default token), a ClusterRegistrationToken, or a
 * Namespace and a Secret.
 *
 * To revoke a token in a Secret, delete the Secret: the token remains valid if you delete only its
 * ClusterRegistrationToken.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/kubernetes-clusters-in-rancher-setup/register-existing-clusters
 * @example
 * const token = new RegistrationToken(rancher, 'token', { cluster: shop, source: TokenSource.value(SecretValue.fromEnv('REGISTRATION_TOKEN')) });
 */
export class RegistrationToken extends ResourceGroup {
  /**
   * The URL of the import manifest, `<server>/v3/import/<token>_<management cluster ID>.yaml`. It
   * contains the token, and is a late value unless the program knows the token. Correct on every
   * version of Rancher, also where `status.manifestUrl` holds `{token}`.
   */
  public readonly registrationUrl: string;
  /** Whether the URL is known at synthesis. */
  public readonly isKnown: boolean;
  /** The late value that the URL waits for; undefined if the URL is known at synthesis. */
  public readonly lateValue?: LateValue;
  private readonly cluster: IManagedCluster;
  private readonly tokenName: string;
  /** The token itself, where the program knows it or reads it from a Secret of another tool. */
  private readonly token?: string;

  constructor(scope: Construct, id: string, props: RegistrationTokenProps) {
    super(scope, id, props);
    const { cluster } = props;
    this.cluster = cluster;
    const { rancher, clusterId } = cluster;
    requireSameRancher(this, 'token', this.target as IRancherTarget, cluster);
    const source = props.source ?? TokenSource.rancherDefault();
    this.tokenName = source._name;
    failOnErrors(this, source._check(this, RancherVersion.parse(rancher.version)));
    const [namespace, name] = [clusterId, this.tokenName];
    const ofToken = { apiVersion: API_VERSIONS.MANAGEMENT, kind: 'ClusterRegistrationToken' };
    // the Cluster alone, not the children of its construct: this token is one of them; a cluster
    // that is imported already has no Cluster here
    const written = cluster.node.defaultChild;
    if (source._form === 'declared') {
      const token = this._writePart('Resource', {
        ...ofToken,
        metadata: { name, namespace },
        spec: { clusterName: namespace, ...source._lifetime },
      });
      if (written) {
        Ordering.of(token)._add(written, OrderingType.APPLIED);
      }
    }
    if (source._value) {
      this.writeSecret(source._value);
    }
    if (!source._value) {
      this.lateValue =
        source._form === 'secret'
          ? this.readSecret()
          : LateValue._once(
              this,
              'Url',
              {
                description: `registration URL of ${namespace} by token ${name}`,
                type: LateType.URL,
                sensitive: true,
                source: LateSource.registrationUrl({
                  target: rancher,
                  ...ofToken,
                  namespace,
                  name,
                }),
              },
              written,
            );
    }
    this.isKnown = this.lateValue === undefined;
    this.token =
      source._value?._unwrap() ?? (source._form === 'secret' ? this.lateValue!.token : undefined);
    this.registrationUrl =
      this.token === undefined
        ? this.lateValue!.token
        : `${rancher.serverUrl}${importPath(this.token, clusterId)}`;
  }

  /** @internal */
  public _requireTarget(): IRancherTarget {
    return rancherTargetOf(this, 'RegistrationToken');
  }

  /**
   * The token that nodes of custom clusters register with: a late value unless the program knows
   * it. @internal
   */
  public _value(): string {
    return this.token ?? lateToken(this, this.cluster, this.tokenName).token;
  }

  private readSecret(): LateValue {
    this.ensureNamespace();
    const { clusterId: namespace, rancher: target } = this.cluster;
    const name = `${TOKEN_SECRET_PREFIX}${this.tokenName}`;
    return new LateValue(this, 'Token', {
      description: `registration token in Secret ${namespace}/${name}`,
      type: LateType.TOKEN,
      sensitive: true,
      source: LateSource.secretKey(TOKEN_SECRET_KEY, {
        target,
        apiVersion: API_VERSIONS.CORE,
        kind: 'Secret',
        namespace,
        name,
      }),
    });
  }

  private writeSecret(token: SecretValue): void {
    this.ensureNamespace();
    this._writePart(
      'Resource',
      {
        apiVersion: API_VERSIONS.CORE,
        kind: 'Secret',
        metadata: {
          name: `${TOKEN_SECRET_PREFIX}${this.tokenName}`,
          namespace: this.cluster.clusterId,
        },
        type: 'Opaque',
        // data, not stringData: the API server does not store stringData, so server-side apply
        // could never remove a key
        data: { [TOKEN_SECRET_KEY]: token._base64() },
      },
      { deletion: 'registration-token' },
    );
  }

  // the Cluster alone, not the children of its construct: this token is one of them; a cluster that
  // is imported already has no Cluster here
  private ensureNamespace(): void {
    // by its method, not by its class: two copies of the library in one program have two classes
    if ('_ensureNamespace' in this.cluster) {
      (this.cluster as ManagedCluster)._ensureNamespace();
    }
  }
}

function checkName(name: string): Problem[] {
  if (name === DEFAULT_TOKEN || name === SYSTEM_TOKEN) {
    return [
      {
        path: 'token.name',
        value: name,
        message: 'cannot be the name of a token that Rancher creates for every cluster',
        fix: 'choose another name, or use TokenSource.rancherDefault()',
      },
    ];
  }
  if (/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)) {
    return [];
  }
  return [
    {
      path: 'token.name',
      value: name,
      message: 'must consist of a-z, 0-9 and hyphens, with a letter or digit first and last',
      fix: 'use a-z, 0-9 and hyphens, e.g. dc1-token',
    },
  ];
}
