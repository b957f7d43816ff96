import { ApiObject, Duration } from 'cdk8s';
import { Construct } from 'constructs';
import { checkRegistrationToken } from './registration-token.check';
import { DEFAULT_TOKEN, SYSTEM_TOKEN, TOKEN_SECRET_KEY, TOKEN_SECRET_PREFIX, importPath } from './registration-token.kind';
import { rancherTargetOf } from '../../core/app/target';
import { EdgeType, Edges } from '../../core/late/edge';
import { LateType } from '../../core/late/late-text';
import { LateSource, LateValue } from '../../core/late/late-value';
import { SecretValue } from '../../core/late/secret-value';
import { API_VERSIONS } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { Problem, fail, failOnErrors, parsed } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { IManagedCluster, ManagedCluster } from '../cluster/managed-cluster';
import { RancherVersion } from '../version/rancher-version';

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

/**
 * A registration token that Rancher makes, itself: from its Secret, or from the status of its ClusterRegistrationToken on a Rancher that has no
 * such Secrets. One for a scope.
 * @see rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/token_secret.go
 */
export function lateToken(scope: Construct, { clusterId: namespace, rancher: target, node }: IManagedCluster, name: string): LateValue {
  const id = 'NodeToken';
  const existing = scope.node.tryFindChild(id);
  if (existing) { return existing as LateValue; }
  const inSecret = FeatureGates.of(GateId.REGISTRATION_TOKEN_SECRET).supports(RancherVersion.parse(target.version));
  const late = new LateValue(scope, id, {
    description: `registration token ${name} of ${namespace}`,
    type: LateType.TOKEN,
    sensitive: true,
    source: inSecret
      ? LateSource.secretKey({ target, apiVersion: API_VERSIONS.CORE, kind: 'Secret', namespace, name: `${TOKEN_SECRET_PREFIX}${name}` }, TOKEN_SECRET_KEY)
      : LateSource.field({ target, apiVersion: API_VERSIONS.MANAGEMENT, kind: 'ClusterRegistrationToken', namespace, name }, 'status.token'),
  });
  if (node.defaultChild) { Edges.of(late)._add(node.defaultChild, EdgeType.APPLIED); }
  return late;
}

/**
 * Properties of a registration token.
 */
export interface RegistrationTokenProps {
  /** The cluster that registers with it. */
  readonly cluster: IManagedCluster;
  /**
   * Where the token comes from.
   * @default TokenSource.rancherDefault()
   */
  readonly source?: TokenSource;
}

/**
 * A token that a cluster registers with, in the namespace of its management cluster on Rancher.
 *
 * Depending on its source: nothing (Rancher's own default token), a ClusterRegistrationToken, or a Namespace and a Secret.
 *
 * To revoke a token of a Secret, delete the Secret: deleting a ClusterRegistrationToken alone leaves it valid.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/kubernetes-clusters-in-rancher-setup/register-existing-clusters
 */
export class RegistrationToken extends Construct {
  /**
   * The URL of the import manifest, `<server>/v3/import/<token>_<cluster id>.yaml`; it holds the token. A late value unless the program knows
   * the token, and right on every version of Rancher, also where `status.manifestUrl` holds `{token}`.
   */
  public readonly registrationUrl: string;
  /** Whether the URL is known at synthesis. */
  public readonly isKnown: boolean;
  /** The late value that the URL waits for; undefined where it is known. */
  public readonly lateValue?: LateValue;
  private readonly cluster: IManagedCluster;
  private readonly source: TokenSource;

  constructor(scope: Construct, id: string, props: RegistrationTokenProps) {
    super(scope, id);
    this.cluster = props.cluster;
    const target = rancherTargetOf(this, 'RegistrationToken');
    if (target !== props.cluster.rancher) {
      fail(this, [{
        path: 'cluster',
        value: props.cluster.node.path,
        message: `is a cluster of ${props.cluster.rancher.targetName}, this token lies in ${target.targetName}`,
        fix: 'create the token below the chart of the cluster\'s Rancher',
      }]);
    }
    this.source = props.source ?? TokenSource.rancherDefault();
    const { source } = this;
    failOnErrors(this, this.check(source));
    switch (source._form) {
      case 'default': this.lateValue = this.lateUrl(DEFAULT_TOKEN); break;
      case 'declared': this.lateValue = this.declare(source); break;
      case 'value': this.writeSecret(source); break;
      case 'secret': this.lateValue = this.readSecret(source); break;
    }
    this.isKnown = this.lateValue === undefined;
    this.registrationUrl = source._form === 'value' ? this.urlOf(this.unwrap(source))
      : source._form === 'secret' ? this.urlOf(this.lateValue!.token) : this.lateValue!.token;
  }

  /**
   * The token itself, as nodes of custom clusters register with; a late value unless the program knows it.
   * @internal
   */
  public _value(): string {
    switch (this.source._form) {
      case 'value': return this.unwrap(this.source);
      case 'secret': return this.lateValue!.token;
      case 'default': return lateToken(this, this.cluster, DEFAULT_TOKEN).token;
      case 'declared': return lateToken(this, this.cluster, declaredName(this.source)).token;
    }
  }

  private unwrap(source: TokenSource): string {
    return parsed(this, 'source', () => source._token!._unwrap());
  }

  private urlOf(token: string): string {
    return `${this.cluster.rancher.serverUrl}${importPath(token, this.cluster.clusterId)}`;
  }

  private lateUrl(name: string): LateValue {
    const { clusterId: namespace, rancher: target } = this.cluster;
    const late = new LateValue(this, 'Url', {
      description: `registration URL of ${namespace} by token ${name}`,
      type: LateType.URL,
      sensitive: true,
      source: LateSource.registrationUrl({ target, apiVersion: API_VERSIONS.MANAGEMENT, kind: 'ClusterRegistrationToken', namespace, name }),
    });
    this.afterCluster(late);
    return late;
  }

  private declare(source: TokenSource): LateValue {
    const { ttl, gracePeriod } = source._options;
    const name = declaredName(source);
    const { clusterId: namespace } = this.cluster;
    const token = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.MANAGEMENT,
      kind: 'ClusterRegistrationToken',
      metadata: { name, namespace },
      spec: { clusterName: namespace, ttl: ttl?.toMinutes(), gracePeriod: gracePeriod?.toMinutes() },
    });
    note(token, {
      deletion: { policy: 'delete', reason: 'its URL stops working; agents that registered with it stay' },
      othersWrite: ['status'],
    });
    this.afterCluster(token);
    return this.lateUrl(name);
  }

  // the Cluster alone, not what lies below its construct: this token does; one that is imported already is there
  private afterCluster(construct: Construct): void {
    const cluster = this.cluster.node.defaultChild;
    if (cluster) { Edges.of(construct)._add(cluster, EdgeType.APPLIED); }
  }

  private writeSecret(source: TokenSource): void {
    this.ensureNamespace();
    const secret = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.CORE,
      kind: 'Secret',
      metadata: { name: this.secretName(source), namespace: this.cluster.clusterId },
      type: 'Opaque',
      // data, not stringData: that is no field of the stored object, so server-side apply could never take a key back
      data: { [TOKEN_SECRET_KEY]: source._token!._base64() },
    });
    note(secret, { deletion: { policy: 'delete', reason: 'revokes the token; agents that registered with it stay' } });
  }

  private readSecret(source: TokenSource): LateValue {
    this.ensureNamespace();
    const { clusterId: namespace, rancher: target } = this.cluster;
    return new LateValue(this, 'Token', {
      description: `registration token in Secret ${namespace}/${this.secretName(source)}`,
      type: LateType.TOKEN,
      sensitive: true,
      source: LateSource.secretKey({ target, apiVersion: API_VERSIONS.CORE, kind: 'Secret', namespace, name: this.secretName(source) }, TOKEN_SECRET_KEY),
    });
  }

  private secretName(source: TokenSource): string {
    return `${TOKEN_SECRET_PREFIX}${source._options.name ?? 'gitops'}`;
  }

  private ensureNamespace(): void {
    // by what it can, not by its class: two copies of the library in one program have two of these
    if ('_ensureNamespace' in this.cluster) { (this.cluster as ManagedCluster)._ensureNamespace(); }
  }

  private check(source: TokenSource): Problem[] {
    const { rancher } = this.cluster;
    const version = RancherVersion.parse(rancher.version);
    const { name, ttl, gracePeriod } = source._options;
    const problems: Problem[] = [];
    if (source._form === 'value' || source._form === 'secret') {
      const gate = FeatureGates.of(GateId.REGISTRATION_TOKEN_SECRET).problem(version);
      if (gate) {
        problems.push({
          path: 'source',
          message: gate,
          fix: 'use TokenSource.rancherDefault() or TokenSource.declared(), whose URL is a late value, or name a newer Rancher',
        });
      }
      if (name === DEFAULT_TOKEN || name === SYSTEM_TOKEN) { problems.push(reserved(name)); }
    }
    if (source._form === 'declared') {
      if (name === DEFAULT_TOKEN || name === SYSTEM_TOKEN) { problems.push(reserved(name)); }
      problems.push(...checkTimes(version, ttl, gracePeriod));
    }
    return [...problems, ...checkName(name), ...(source._token ? checkRegistrationToken('source', this.unwrap(source)) : [])];
  }
}

function declaredName(source: TokenSource): string {
  return source._options.name ?? 'gitops';
}

function reserved(name: string): Problem {
  return { path: 'source.name', value: name, message: 'is the name of a token that Rancher makes itself', fix: 'choose another name, or use TokenSource.rancherDefault()' };
}

function checkName(name: string | undefined): Problem[] {
  if (name === undefined || /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)) { return []; }
  const fix = name.startsWith(TOKEN_SECRET_PREFIX) ? `leave the prefix ${TOKEN_SECRET_PREFIX} out` : 'use a-z, 0-9 and hyphens';
  return [{ path: 'source.name', value: name, message: 'is no name for a token', fix }];
}

function checkTimes(version: RancherVersion, ttl?: Duration, gracePeriod?: Duration): Problem[] {
  if (!ttl && !gracePeriod) { return []; }
  const gate = FeatureGates.of(GateId.REGISTRATION_TOKEN_TTL).problem(version);
  if (gate) { return [{ path: 'source.ttl', message: gate, fix: 'leave ttl and gracePeriod out' }]; }
  const problems: Problem[] = [];
  const [minutes, grace] = [ttl?.toMinutes({ integral: false }), gracePeriod?.toMinutes({ integral: false })];
  for (const [path, value] of [['source.ttl', minutes], ['source.gracePeriod', grace]] as const) {
    if (value !== undefined && !Number.isInteger(value)) {
      problems.push({ path, value: `${value} minutes`, message: 'must be whole minutes', fix: 'round it' });
    }
  }
  if (minutes !== undefined && minutes !== 0 && minutes < 30) {
    problems.push({ path: 'source.ttl', value: `${minutes} minutes`, message: 'Rancher raises this to 30 minutes', fix: 'give 30 minutes or more, or zero for no rotation' });
  }
  if (grace !== undefined && (grace < 10 || (minutes !== undefined && minutes !== 0 && grace >= minutes))) {
    problems.push({ path: 'source.gracePeriod', value: `${grace} minutes`, message: 'Rancher changes this', fix: 'give 10 minutes or more, and less than the ttl' });
  }
  return problems;
}
