import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { ResourceGroup, ResourceOptions } from '../../core/app/resource';
import { Ordering, OrderingType } from '../../core/construct/edge';
import { noteEffect } from '../../core/construct/object-notes';
import { harvesterTargetOf, IHarvesterTarget } from '../../core/construct/target';
import { ANNOTATION_SERVICE_ACCOUNT } from '../../core/kind/references';
import { KubeconfigParts, kubeconfigYaml } from '../../core/late/kubeconfig';
import { LateType, recordTokens } from '../../core/late/late-text';
import { isLate } from '../../core/late/late-token';
import { API_VERSIONS, GROUPS } from '../../core/manifest/names';
import { Problem } from '../../core/problem/problem';
import { byText } from '../../core/text/values';
import { LateSource, LateValue } from '../../core/value/late-value';
import { SecretValue } from '../../core/value/secret-value';
import { inlineText } from '../../core/yaml/yaml-writer';
import {
  HARVESTER_API_PORT,
  HARVESTER_SYSTEM,
  TYPE_SERVICE_ACCOUNT_TOKEN,
  VIP_CONFIG_MAP,
  VIP_KEY,
} from '../../guest/cloud-provider/cloud-provider.kind';
import { checkApiServer } from '../../guest/kubeconfig/kubeconfig.check';
import { DriverGrant } from '../../guest/machine-config/machine-config.kind';

/** A kubeconfig. YAML would parse names such as 123 as numbers. */
export function kubeconfigText({
  namespace,
  cluster,
  context,
  ...parts
}: Required<KubeconfigParts>): string {
  return kubeconfigYaml({
    ...parts,
    namespace: inlineText(namespace),
    cluster: inlineText(cluster),
    context: inlineText(context),
  });
}

/** The URL of a Harvester's Kubernetes API at its management address. */
export function harvesterApiUrl(vip: string): string {
  const isIpv6 = !isLate(vip) && vip.includes(':') && !vip.startsWith('[');
  return `https://${isIpv6 ? `[${vip}]` : vip}:${HARVESTER_API_PORT}`;
}

/** Properties of a ServiceAccount with a kubeconfig. */
interface AccountProps
  extends ResourceOptions, Required<Pick<KubeconfigParts, 'cluster' | 'context'>> {
  readonly name: string;
  readonly namespace: string;
  /** The name of the Secret with the token. */
  readonly tokenSecret: string;
  /** The namespace of the kubeconfig's context. */
  readonly contextNamespace: string;
  /**
   * The URL of the Harvester's API.
   * @default - the management address, read from the Harvester if the program does not set it
   */
  readonly server?: string;
  /** @default false */
  readonly emptyPreferences?: boolean;
  /** The effect of deleting the account. @default - as its construct notes it */
  readonly deletionReason?: string;
}

/**
 * A ServiceAccount on a Harvester with a token that does not expire, and its kubeconfig, a late
 * value. Not exported.
 *
 * The Secrets of upstream's tools have an owner reference to the account. Its UID is not known at
 * synthesis, so the reference is omitted. Kubernetes removes such a Secret with its account anyway.
 */
export class AccountKubeconfig extends ResourceGroup {
  /** The kubeconfig. */
  public readonly kubeconfig: SecretValue;
  /** The ServiceAccount. */
  public readonly serviceAccount: ApiObject;
  private readonly account: AccountProps;

  constructor(scope: Construct, id: string, props: AccountProps) {
    super(scope, id, props);
    this.account = props;
    if (props.deletionReason !== undefined) {
      noteEffect(this, props.deletionReason);
    }
    const { name, namespace, tokenSecret } = props;
    this.serviceAccount = this._writePart('ServiceAccount', {
      apiVersion: API_VERSIONS.CORE,
      kind: 'ServiceAccount',
      metadata: { name, namespace },
    });
    const secret = this._writePart(
      'TokenSecret',
      {
        apiVersion: API_VERSIONS.CORE,
        kind: 'Secret',
        metadata: {
          name: tokenSecret,
          namespace,
          annotations: { [ANNOTATION_SERVICE_ACCOUNT]: name },
        },
        type: TYPE_SERVICE_ACCOUNT_TOKEN,
      },
      { othersWrite: ['data'] },
    );
    // Kubernetes removes such a Secret without its account
    Ordering.of(secret)._add(this.serviceAccount, OrderingType.APPLIED);
    this.kubeconfig = SecretValue.fromLate(this.lateKubeconfig(this.target as IHarvesterTarget));
  }

  /** @internal */
  public _requireTarget(): IHarvesterTarget {
    return harvesterTargetOf(this, 'a service account');
  }

  /** Grants a ClusterRole to the account in one namespace. */
  public bind(id: string, name: string, namespace: string, clusterRole: string): ApiObject {
    return this.binding(id, 'RoleBinding', { name, namespace }, clusterRole);
  }

  /** Grants a ClusterRole to the account in all namespaces. */
  public bindEverywhere(id: string, name: string, clusterRole: string): void {
    this.binding(id, 'ClusterRoleBinding', { name }, clusterRole);
  }

  /**
   * Grants rules to the account in a namespace, by default its own, by a Role and a RoleBinding of
   * this name. Returns both.
   */
  public grant(
    id: string,
    name: string,
    rules: readonly DriverGrant[],
    namespace = this.account.namespace,
  ): ApiObject[] {
    const role = this.role(`${id}Role`, 'Role', { name, namespace }, rules);
    return [role, this.binding(`${id}Binding`, 'RoleBinding', { name, namespace }, name, 'Role')];
  }

  /**
   * Grants rules to the account in all namespaces, by a ClusterRole and a ClusterRoleBinding of
   * this name.
   */
  public grantEverywhere(id: string, name: string, rules: readonly DriverGrant[]): void {
    this.role(`${id}Role`, 'ClusterRole', { name }, rules);
    this.bindEverywhere(`${id}Binding`, name, name);
  }

  private role(
    id: string,
    kind: string,
    metadata: { name: string; namespace?: string },
    rules: readonly DriverGrant[],
  ): ApiObject {
    return this._writePart(id, { apiVersion: API_VERSIONS.RBAC, kind, metadata, rules });
  }

  private binding(
    id: string,
    kind: string,
    metadata: { name: string; namespace?: string },
    role: string,
    roleKind = 'ClusterRole',
  ): ApiObject {
    const { name, namespace } = this.account;
    return this._writePart(id, {
      apiVersion: API_VERSIONS.RBAC,
      kind,
      metadata,
      roleRef: { apiGroup: GROUPS.RBAC, kind: roleKind, name: role },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    });
  }

  private lateKubeconfig(target: IHarvesterTarget): LateValue {
    const { name, namespace, cluster, context } = this.account;
    const { contextNamespace, emptyPreferences = false } = this.account;
    const token = new LateValue(this, 'Token', {
      description: `token of ServiceAccount ${namespace}/${name}`,
      type: LateType.TOKEN,
      sensitive: true,
      source: this.tokenSecretKey('token', target),
    });
    const authority = new LateValue(this, 'Ca', {
      description: `certificate authority of ${target.targetName}`,
      source: this.tokenSecretKey('ca.crt', target),
    });
    const text = kubeconfigText({
      server: this.serverOf(target),
      ca: authority.base64,
      token: token.token,
      namespace: contextNamespace,
      cluster,
      context,
      preferences: emptyPreferences,
    });
    return new LateValue(this, 'Kubeconfig', {
      description: `kubeconfig of ServiceAccount ${namespace}/${name}`,
      source: LateSource.text(recordTokens(text)),
    });
  }

  /** The source of a late value that Kubernetes writes into the Secret of the token. */
  private tokenSecretKey(key: string, target: IHarvesterTarget): LateSource {
    const { namespace, tokenSecret } = this.account;
    return LateSource.secretKey(key, {
      target,
      apiVersion: API_VERSIONS.CORE,
      kind: 'Secret',
      namespace,
      name: tokenSecret,
    });
  }

  private serverOf(target: IHarvesterTarget): string {
    const { server } = this.account;
    if (server !== undefined) {
      return server;
    }
    if (target.vip !== undefined) {
      return harvesterApiUrl(target.vip);
    }
    const vip = new LateValue(this, 'Vip', {
      description: `management address of ${target.targetName}`,
      type: LateType.TOKEN,
      source: LateSource.field(`data.${VIP_KEY}`, {
        target,
        apiVersion: API_VERSIONS.CORE,
        kind: 'ConfigMap',
        namespace: HARVESTER_SYSTEM,
        name: VIP_CONFIG_MAP,
      }),
    });
    return harvesterApiUrl(vip.token);
  }
}

/**
 * Checks the URL of Harvester's API in a kubeconfig, as given or as the chart of the Harvester has
 * it.
 */
export function checkServer(
  server: string | undefined,
  { vip }: Pick<IHarvesterTarget, 'vip'>,
): readonly Problem[] {
  if (server !== undefined) {
    return checkApiServer('server', server);
  }
  return vip === undefined ? [] : checkVip(vip);
}

const checkVip = byText((vip) => checkApiServer('harvester.vip', harvesterApiUrl(vip)));
