import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { GLOBAL_DATA } from './secret.kind';
import { know } from '../../core/app/known-objects';
import { IHarvesterTarget, INamespace, IRancherTarget, ITarget, TargetKind, chartOf, rancherTargetOf } from '../../core/app/target';
import { EdgeType, Edges } from '../../core/late/edge';
import { isLate, waitsForCluster } from '../../core/late/late-token';
import { LateSource, LateValue } from '../../core/late/late-value';
import { SecretValue } from '../../core/late/secret-value';
import { API_VERSIONS, RFC1123_LABEL } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { Problem, collectProblems, fail, failOnErrors, parsed } from '../../core/rule/problem';
import { safeConcatName } from '../../core/text/plain-text';
import {
  ANNOTATION_HARVESTER_TOKEN, ANNOTATION_NAME, CLUSTER_TYPE, CREDENTIAL_KEY, HARVESTER_SYSTEM,
} from '../../guest/cloud-provider/cloud-provider.kind';
import { CREDENTIAL_DRIVER, PROVIDER_NAME } from '../../guest/cluster/cluster.kind';
import { checkUsableKubeconfig } from '../../guest/kubeconfig/kubeconfig.check';
import { NODE_DRIVER_LOOKUP_RULES, NODE_DRIVER_RULES, PolicyRule } from '../../guest/machine-config/machine-config.kind';
import { AccountKubeconfig, checkServer } from '../../harvester/account/account-kubeconfig';
import { IHarvesterImport } from '../import/harvester-import';
import { ANNOTATION_CREATOR_ID } from '../members/binding.kind';

/** A cloud credential of Rancher, which the Harvester node driver uses to log in to Harvester. */
export interface ICloudCredential extends IConstruct {
  /** The value of `cloudCredentialSecretName`: `cattle-global-data:<name>`, or the bare name of a Secret in the namespace of the Cluster. */
  readonly credentialName: string;
  /** The Rancher of the credential. */
  readonly rancher: IRancherTarget;
}

/** The account of a credential. */
interface CredentialAccountProps {
  readonly name: string;
  readonly namespace?: string;
  readonly clusterRole?: string;
  readonly server?: string;
}

const REASON = 'Rancher can then neither create nor delete machines of clusters that use the cloud credential';

/** The ServiceAccount of a cloud credential on Harvester, with its roles. */
class CredentialAccount extends Construct {
  /** @internal */
  public static _below(
    credential: Construct, harvester: IHarvesterImport, namespaces: readonly INamespace[], props: CredentialAccountProps,
  ): CredentialAccount {
    const target = harvesterOf(credential, harvester);
    const scope = chartOf(target);
    const id = `CloudCredential-${props.name}`;
    const other = scope.node.tryFindChild(id);
    failOnErrors(credential, [
      ...(other ? [{
        path: 'serviceAccountName',
        value: props.name,
        message: `must be unique on this Harvester: ${other.node.path} has this name`,
        fix: 'choose another serviceAccountName',
      }] : []),
      ...checkServer(props.server, target),
      ...namespaces.flatMap((namespace) => elsewhere(namespace, target)),
    ]);
    return new CredentialAccount(scope, id, target, credential, props);
  }

  private readonly account: AccountKubeconfig;
  private readonly role: string;
  private readonly name: string;

  private constructor(
    scope: Construct, id: string, private readonly harvester: ITarget, private readonly credential: IConstruct, props: CredentialAccountProps,
  ) {
    super(scope, id);
    const { name, namespace = HARVESTER_SYSTEM, server } = props;
    this.account = new AccountKubeconfig(this, 'Account', {
      name,
      namespace,
      tokenSecret: safeConcatName(name, 'token'),
      cluster: 'default',
      context: 'default',
      contextNamespace: namespace,
      server,
      deletionReason: REASON,
    });
    this.name = name;
    this.role = props.clusterRole ?? name;
    if (props.clusterRole === undefined) { this.writeRole('Role', name, NODE_DRIVER_RULES); }
    const lookup = `${name}-lookup`;
    this.writeRole('LookupRole', lookup, NODE_DRIVER_LOOKUP_RULES);
    this.account.bindEverywhere('LookupBinding', lookup, lookup);
  }

  public get kubeconfig(): SecretValue {
    return this.account.kubeconfig;
  }

  public allow(namespace: INamespace): void {
    const { name: name } = namespace;
    failOnErrors(this.credential, elsewhere(namespace, this.harvester));
    const id = `Binding-${name}`;
    if (this.account.node.tryFindChild(id)) { return; }
    Edges.of(this.account.bind(id, this.name, name, this.role))._add(namespace, EdgeType.APPLIED);
  }

  private writeRole(id: string, name: string, rules: readonly PolicyRule[]): void {
    const role = new ApiObject(this, id, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules });
    note(role, { deletion: { policy: 'delete', reason: REASON } });
  }
}

/** The Harvester itself. Throws if the program knows only its management cluster ID. */
function harvesterOf(construct: IConstruct, { clusterTarget: target }: IHarvesterImport): IHarvesterTarget {
  if (target?.targetKind !== TargetKind.HARVESTER) {
    fail(construct, [{
      path: 'harvesterImport',
      message: 'must be a target of the program, which creates an account there',
      fix: 'pass the HarvesterChart to HarvesterImport.fromClusterId, or use CloudCredential.imported, .external or .fromName',
    }]);
  }
  return target as IHarvesterTarget;
}

function elsewhere({ name: namespaceName, target }: INamespace, harvester: ITarget): Problem[] {
  return target === harvester ? [] : [{
    path: 'namespaces',
    value: namespaceName,
    message: `must be a namespace on ${harvester.targetName}, not on ${target.targetName}`,
    fix: 'use a namespace on the Harvester of the credential',
  }];
}

/** Options of every cloud credential. */
export interface CloudCredentialOptions {
  /** The name of the Secret in `cattle-global-data`: an RFC 1123 label. @default - the ID of the construct */
  readonly name?: string;
  /** The name that Rancher's UI shows. @default - the name of the Secret */
  readonly displayName?: string;
  /**
   * The name of the Rancher user, e.g. `u-x7k2p`, who can view and edit the credential. Without one only administrators can; clusters are
   * provisioned all the same, and Rancher's log repeats `cloud credential … has no creatorId annotation`.
   * @default - only administrators
   */
  readonly creatorId?: string;
}

/** Properties of a cloud credential with its own account. */
export interface ServiceAccountCredentialProps extends CloudCredentialOptions {
  /** The Harvester, which must be a target of the program. */
  readonly harvesterImport: IHarvesterImport;
  /** The namespaces on that Harvester where Rancher can create machines. */
  readonly namespaces: INamespace[];
  /** The name of the ServiceAccount on the Harvester. @default - the name of the Secret on Rancher */
  readonly serviceAccountName?: string;
  /**
   * The namespace of the ServiceAccount. Users who can read Secrets there can create machines in all the namespaces, so do not use one of a tenant.
   * @default 'harvester-system'
   */
  readonly serviceAccountNamespace?: string;
  /**
   * A ClusterRole on Harvester to bind in each of the namespaces, instead of one with the permissions that the node driver needs.
   * @default - the program writes a ClusterRole
   */
  readonly clusterRole?: string;
  /**
   * The URL of Harvester's Kubernetes API, as Rancher reaches it.
   * @default - `https://<management address>:6443`; a late value if the Harvester chart has no address
   */
  readonly server?: string;
}

/** The parts of a credential. */
interface Content {
  readonly kubeconfig: string;
  readonly clusterType: string;
  readonly clusterId?: string;
}

/**
 * A cloud credential for the Harvester node driver: a Secret in `cattle-global-data` on Rancher.
 *
 * A credential with its own account does not expire. Before Rancher 2.12.0, kubeconfigs that Rancher creates for users expire after 30 days; then
 * Rancher can neither create nor delete machines. Keep the credential as long as a cluster uses it: kubectl and GitOps engines delete it silently,
 * and the virtual machines remain.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/node/node-driver
 * @example
 * CloudCredential.serviceAccount(rancher, 'cc-dc1', { harvesterImport: harvester, namespaces: [new HarvesterNamespace(dc1, 'payments-vms')] });
 */
export class CloudCredential extends Construct implements ICloudCredential {
  /**
   * A credential with a ServiceAccount on Harvester, whose token does not expire. It has two ClusterRoles of least privilege: one bound in each
   * of the namespaces, and one to read images, networks and storage classes by name in all namespaces.
   *
   * Rancher connects to Harvester directly, not through the cluster agent: port 6443 of the management address must be open for Rancher.
   *
   * @param scope below the RancherChart
   */
  public static serviceAccount(scope: Construct, id: string, props: ServiceAccountCredentialProps): CloudCredential {
    const credential = new CloudCredential(scope, id, props);
    const { harvesterImport: harvester, clusterRole, server, serviceAccountNamespace } = props;
    credential.checkImport(harvester);
    const account = CredentialAccount._below(credential, harvester, props.namespaces, {
      name: props.serviceAccountName ?? credential.secretName, namespace: serviceAccountNamespace, clusterRole, server,
    });
    credential.account = account;
    for (const namespace of props.namespaces) { credential.allow(namespace); }
    const secret = credential.write(props, {
      kubeconfig: account.kubeconfig.base64, clusterType: CLUSTER_TYPE.IMPORTED, clusterId: harvester.clusterId,
    });
    Edges.of(secret)._add(account, EdgeType.APPLIED);
    return credential;
  }

  /**
   * A credential with a kubeconfig of an imported Harvester that Rancher created for a user: it connects through Rancher.
   *
   * Rancher allows each of its tokens in one credential only. The output contains the token in plain text.
   *
   * @param scope below the RancherChart
   * @param harvester the import
   * @param kubeconfig text of the kubeconfig
   */
  public static imported(
    scope: Construct, id: string, harvester: IHarvesterImport, kubeconfig: SecretValue, options: CloudCredentialOptions = {},
  ): CloudCredential {
    const credential = new CloudCredential(scope, id, options);
    credential.checkImport(harvester);
    const content = { kubeconfig: credential.encoded(kubeconfig), clusterType: CLUSTER_TYPE.IMPORTED, clusterId: harvester.clusterId };
    credential.write(options, content);
    return credential;
  }

  /**
   * A credential with a kubeconfig of a Harvester that is not imported. Rancher's UI offers no Harvester cloud provider for its clusters;
   * clusters of a program can use it nevertheless.
   *
   * @param scope below the RancherChart
   * @param kubeconfig text of a kubeconfig that connects to Harvester directly
   */
  public static external(scope: Construct, id: string, kubeconfig: SecretValue, options: CloudCredentialOptions = {}): CloudCredential {
    const credential = new CloudCredential(scope, id, options);
    credential.write(options, { kubeconfig: credential.encoded(kubeconfig), clusterType: CLUSTER_TYPE.EXTERNAL });
    return credential;
  }

  /**
   * References an existing credential, created in Rancher's UI or by a secret store.
   *
   * @param scope below the RancherChart
   * @param name `cattle-global-data:<name>`; a bare name is that of a Secret in the namespace of the Cluster, and the volumes of a cluster with
   * such a credential are not deleted with it
   */
  public static fromName(scope: Construct, id: string, name: string): ICloudCredential {
    return new ExistingCredential(scope, id, name);
  }

  /**
   * The credential that guest clusters of a Harvester share, created on first use below the chart of the Rancher that the Harvester is
   * imported into. Rancher can create machines with it in all the namespaces of these clusters.
   * @internal
   */
  public static _defaultFor(harvester: IHarvesterImport, namespace: INamespace): CloudCredential {
    const rancher = chartOf(harvester.rancher);
    const { targetName } = harvesterOf(harvester, harvester);
    const name = `cc-${targetName}`;
    const id = `CloudCredential-${targetName}`;
    const child = rancher.node.tryFindChild(id);
    const existing = child instanceof CloudCredential ? child : undefined;
    if (child && !existing) {
      fail(child, [{ path: '', message: `cannot have the ID of the credential that clusters on ${targetName} share`, fix: 'choose another ID' }]);
    }
    if (!existing) {
      const serviceAccountName = `${harvester.rancher.targetName}-node-driver`;
      return CloudCredential.serviceAccount(rancher, id, { harvesterImport: harvester, namespaces: [namespace], name, serviceAccountName });
    }
    existing.allow(namespace);
    return existing;
  }

  public readonly credentialName: string;
  public readonly rancher: IRancherTarget;
  private readonly secretName: string;
  private account?: CredentialAccount;

  private constructor(scope: Construct, id: string, options: CloudCredentialOptions) {
    super(scope, id);
    this.rancher = rancherTargetOf(this, 'CloudCredential');
    this.secretName = options.name ?? id;
    if (isLate(this.secretName) || !RFC1123_LABEL.test(this.secretName)) {
      collectProblems(this, [{
        path: 'name', value: this.secretName, message: 'must have at most 63 characters of a-z, 0-9 and hyphens', fix: 'use a-z, 0-9 and hyphens, e.g. harvester-dc1',
      }]);
    }
    this.credentialName = `${GLOBAL_DATA}:${this.secretName}`;
  }

  /**
   * Allows machines in one more namespace. Only for credentials with their own account; has no effect for a namespace that is allowed already.
   *
   * @param namespace on the Harvester of the credential
   */
  public allow(namespace: INamespace): void {
    if (!this.account) {
      fail(this, [{
        path: 'allow',
        value: namespace.name,
        message: 'cannot be added: this credential has the permissions of its kubeconfig',
        fix: 'grant the permissions to that account, or use CloudCredential.serviceAccount',
      }]);
    }
    this.account.allow(namespace);
  }

  private write(options: CloudCredentialOptions, content: Content): ApiObject {
    const secret = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.CORE,
      kind: 'Secret',
      metadata: {
        name: this.secretName,
        namespace: GLOBAL_DATA,
        // never none: Rancher 2.12 and later write into the map, and panic where it is missing
        annotations: {
          [ANNOTATION_NAME]: options.displayName ?? this.secretName,
          [CREDENTIAL_DRIVER]: PROVIDER_NAME,
          ...(options.creatorId === undefined ? {} : { [ANNOTATION_CREATOR_ID]: options.creatorId }),
        },
      },
      type: 'Opaque',
      data: {
        ...(content.clusterId === undefined ? {} : { [CREDENTIAL_KEY.CLUSTER_ID]: this.base64Of(content.clusterId) }),
        [CREDENTIAL_KEY.CLUSTER_TYPE]: this.base64Of(content.clusterType),
        [CREDENTIAL_KEY.KUBECONFIG]: content.kubeconfig,
      },
    });
    note(secret, {
      deletion: {
        policy: 'delete',
        reason: 'Rancher can then neither create nor delete machines of clusters that use it: delete it after the last of these clusters',
      },
      othersWrite: [
        `metadata.annotations[${ANNOTATION_HARVESTER_TOKEN}]`, `metadata.annotations[${ANNOTATION_CREATOR_ID}]`,
        'metadata.annotations[rancher.io/expiration-timestamp]', 'metadata.labels', 'metadata.finalizers',
      ],
    });
    return secret;
  }

  private checkImport(harvester: IHarvesterImport): void {
    if (harvester.rancher === this.rancher) { return; }
    collectProblems(this, [{
      path: 'harvesterImport',
      value: harvester.node.path,
      message: `must be imported into ${this.rancher.targetName}, not into ${harvester.rancher.targetName}`,
      fix: `create the credential below the chart ${harvester.rancher.targetName}`,
    }]);
  }

  private base64Of(text: string): string {
    if (!waitsForCluster(text)) { return Buffer.from(text).toString('base64'); }
    return new LateValue(this, 'ClusterId', { description: 'management cluster ID of the Harvester', source: LateSource.text(text) }).base64;
  }

  private encoded(kubeconfig: SecretValue): string {
    const text = parsed(this, 'kubeconfig', () => kubeconfig._unwrap());
    failOnErrors(this, isLate(text) ? [] : checkUsableKubeconfig('kubeconfig', text));
    return kubeconfig._base64();
  }
}

/** A credential that this program does not declare. */
class ExistingCredential extends Construct implements ICloudCredential {
  public readonly rancher: IRancherTarget;

  constructor(scope: Construct, id: string, public readonly credentialName: string) {
    super(scope, id);
    this.rancher = rancherTargetOf(this, 'CloudCredential.fromName');
    const name = credentialName.startsWith(`${GLOBAL_DATA}:`) ? credentialName.slice(GLOBAL_DATA.length + 1) : credentialName;
    failOnErrors(this, isLate(name) || /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(name) ? [] : [{
      path: 'name',
      value: credentialName,
      message: 'must name a cloud credential',
      fix: `use ${GLOBAL_DATA}:<name>, or the bare name of a Secret in the namespace of the Cluster`,
    }]);
    // the namespace of a bare name is that of the Cluster
    if (name !== credentialName) { know(this, { target: this.rancher, apiVersion: API_VERSIONS.CORE, kind: 'Secret', namespace: GLOBAL_DATA, name }); }
  }
}
