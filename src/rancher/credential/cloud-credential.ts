import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { CREDENTIAL_KEY } from './cloud-credential.facts';
import { CredentialAccount, harvesterOf } from './credential-account';
import { defaultAccountName, defaultCredentialName } from './default-credential.facts';
import { GLOBAL_DATA } from './secret.kind';
import {
  ExistingResourceOptions,
  ResourceOptions,
  ResourceProps,
  labelName,
} from '../../core/app/resource';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { INamespace, chartOf } from '../../core/construct/target';
import { isLate } from '../../core/late/late-token';
import { ANNOTATION_DESCRIPTION, API_VERSIONS } from '../../core/manifest/names';
import { collectProblems, fail, failOnErrors, parsed } from '../../core/problem/problem';
import { LateValue } from '../../core/value/late-value';
import { SecretValue } from '../../core/value/secret-value';
import { ANNOTATION_NAME, CLUSTER_TYPE } from '../../guest/cloud-provider/cloud-provider.kind';
import { CREDENTIAL_DRIVER, PROVIDER_NAME } from '../../guest/cluster/cluster.kind';
import { checkUsableKubeconfig } from '../../guest/kubeconfig/kubeconfig.check';
import { AccountRole } from '../../harvester/account/service-account-kubeconfig';
import { ANNOTATION_CREATOR_ID } from '../binding/binding.kind';
import { IHarvesterImport } from '../import/harvester-import';
import { ILocalUser } from '../members/principal';
import { ExistingRancherResource, IRancherResource, RancherResource } from '../rancher-resource';

const KIND = { apiVersion: API_VERSIONS.CORE, kind: 'Secret' };

/** A cloud credential of Rancher, which the Harvester node driver uses to log in to Harvester. */
export interface ICloudCredential extends IRancherResource {
  /**
   * The value of `cloudCredentialSecretName`: `cattle-global-data:<name>`, or the bare name of a
   * Secret in the namespace of the Cluster.
   */
  readonly credentialId: string;
}

/** Options of every cloud credential. */
export interface CloudCredentialOptions extends ResourceOptions {
  /**
   * The name of the Secret in `cattle-global-data`: an RFC 1123 label.
   * @default - the path of the construct below its target chart, as for other constructs
   */
  readonly name?: string;
  /** The name that Rancher's UI shows. @default - the name of the Secret */
  readonly displayName?: string;
  /** The description that Rancher's UI shows. @default - no description */
  readonly description?: string;
  /**
   * The user who can view and edit the credential. Without one only administrators can; clusters
   * are provisioned all the same, and Rancher's log repeats `cloud credential … has no creatorId
   * annotation`.
   * @default - only administrators
   */
  readonly creator?: ILocalUser;
}

/** Properties of a cloud credential with a kubeconfig of a Harvester that is not imported. */
export interface ExternalCredentialProps extends CloudCredentialOptions {
  /** The kubeconfig, which connects to Harvester directly. */
  readonly kubeconfig: SecretValue;
}

/** Properties of a cloud credential with a kubeconfig of an imported Harvester. */
export interface ImportedCredentialProps extends CloudCredentialOptions {
  /** The import of the Harvester. */
  readonly harvesterImport: IHarvesterImport;
  /** The kubeconfig that Rancher created for a user. */
  readonly kubeconfig: SecretValue;
}

/** Options of a reference to an existing cloud credential. */
export interface ExistingCloudCredentialOptions extends ExistingResourceOptions {
  /**
   * The namespace of the Secret. It may be that of the provisioning Cluster, for clusters there;
   * the volumes of a cluster with such a credential are not deleted with it.
   * @default 'cattle-global-data'
   */
  readonly namespace?: string;
}

/** Properties of a cloud credential with its own account. */
export interface ServiceAccountCredentialProps extends CloudCredentialOptions {
  /** The Harvester, which must be a target of the program. */
  readonly harvesterImport: IHarvesterImport;
  /** The namespaces on that Harvester where Rancher can create machines. */
  readonly namespaces: INamespace[];
  /**
   * The name of the ServiceAccount on the Harvester.
   * @default - the name of the Secret on Rancher
   */
  readonly serviceAccountName?: string;
  /**
   * The namespace of the ServiceAccount. Users who can read Secrets there can create machines in
   * all the namespaces, so do not use one of a tenant.
   * @default 'harvester-system'
   */
  readonly serviceAccountNamespace?: INamespace;
  /**
   * The permissions of the account in each of the namespaces: an existing ClusterRole, or one that
   * the program writes.
   * @default AccountRole.nodeDriver() - what the node driver needs
   */
  readonly accountRole?: AccountRole;
  /**
   * The URL of Harvester's Kubernetes API, as Rancher reaches it.
   * @default - `https://<management address>:6443`; a late value if the Harvester chart has no address
   */
  readonly server?: string;
}

/**
 * A cloud credential for the Harvester node driver: a Secret in `cattle-global-data` on Rancher.
 *
 * A credential with its own account does not expire. Before Rancher 2.12.0, kubeconfigs that
 * Rancher creates for users expire after 30 days; then Rancher can neither create nor delete
 * machines. Keep the credential as long as a cluster uses it: kubectl and GitOps engines delete it
 * silently, and the virtual machines remain.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/node/node-driver
 * @example
 * CloudCredential.serviceAccount(rancher, 'cc-dc1', { harvesterImport: harvester, namespaces: [new HarvesterNamespace(dc1, 'payments-vms')] });
 */
export class CloudCredential extends RancherResource implements ICloudCredential {
  /**
   * A credential with a ServiceAccount on Harvester, whose token does not expire. It has two
   * ClusterRoles of least privilege: one bound in each of the namespaces, and one to read images,
   * networks and storage classes by name in all namespaces.
   *
   * Rancher connects to Harvester directly, not through the cluster agent: port 6443 of the
   * management address must be open for Rancher.
   */
  public static serviceAccount(
    scope: Construct,
    id: string,
    props: ServiceAccountCredentialProps,
  ): CloudCredential {
    const credential = new CloudCredential(scope, id, props);
    const {
      harvesterImport: harvester,
      accountRole: role,
      server,
      serviceAccountNamespace,
      labels,
      annotations,
    } = props;
    credential.checkImport(harvester);
    const account = CredentialAccount.of(credential, harvester, props.namespaces, {
      name: props.serviceAccountName ?? credential.name,
      namespace: serviceAccountNamespace?.name,
      role,
      server,
      labels,
      annotations,
    });
    credential.account = account;
    for (const namespace of props.namespaces) {
      credential.addNamespace(namespace);
    }
    const secret = credential.write(props, {
      kubeconfig: account.kubeconfig.base64,
      clusterType: CLUSTER_TYPE.IMPORTED,
      clusterId: harvester.clusterId,
    });
    Ordering.of(secret)._add(account, OrderingType.APPLIED);
    return credential;
  }

  /**
   * A credential with a kubeconfig of an imported Harvester that Rancher created for a user: it
   * connects through Rancher.
   *
   * Rancher allows each of its tokens in one credential only. The output contains the token in
   * plain text.
   */
  public static imported(
    scope: Construct,
    id: string,
    props: ImportedCredentialProps,
  ): CloudCredential {
    const credential = new CloudCredential(scope, id, props);
    const { harvesterImport, kubeconfig } = props;
    credential.checkImport(harvesterImport);
    credential.write(props, {
      kubeconfig: credential.encoded(kubeconfig),
      clusterType: CLUSTER_TYPE.IMPORTED,
      clusterId: harvesterImport.clusterId,
    });
    return credential;
  }

  /**
   * A credential with a kubeconfig of a Harvester that is not imported. Rancher's UI offers no
   * Harvester cloud provider for its clusters; clusters of a program can use it nevertheless.
   */
  public static external(
    scope: Construct,
    id: string,
    props: ExternalCredentialProps,
  ): CloudCredential {
    const credential = new CloudCredential(scope, id, props);
    credential.write(props, {
      kubeconfig: credential.encoded(props.kubeconfig),
      clusterType: CLUSTER_TYPE.EXTERNAL,
    });
    return credential;
  }

  /**
   * A reference to an existing credential, created in Rancher's UI or by a secret store, e.g.
   * `cc-abcde`.
   */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingCloudCredentialOptions,
  ): ICloudCredential {
    return new ExistingCredential(scope, id, options);
  }

  /**
   * The credential that guest clusters of a Harvester share, created on first use below the chart
   * of the Rancher that the Harvester is imported into. Rancher can create machines with it in all
   * the namespaces of these clusters.
   * @internal
   */
  public static _defaultFor(harvester: IHarvesterImport, namespace: INamespace): CloudCredential {
    const rancher = chartOf(harvester.rancher);
    const { targetName } = harvesterOf(harvester, harvester);
    const name = defaultCredentialName(targetName);
    const id = `CloudCredential-${targetName}`;
    const child = rancher.node.tryFindChild(id);
    const existing = child instanceof CloudCredential ? child : undefined;
    if (child && !existing) {
      fail(child, [
        {
          path: '',
          message: `cannot have the ID of the credential that clusters on ${targetName} share`,
          fix: 'choose another ID',
        },
      ]);
    }
    if (!existing) {
      const serviceAccountName = defaultAccountName(harvester.rancher.targetName);
      return CloudCredential.serviceAccount(rancher, id, {
        harvesterImport: harvester,
        namespaces: [namespace],
        name,
        serviceAccountName,
      });
    }
    existing.addNamespace(namespace);
    return existing;
  }

  private account?: CredentialAccount;

  private constructor(scope: Construct, id: string, options: CloudCredentialOptions) {
    super(scope, id, options);
  }

  public get credentialId(): string {
    return `${GLOBAL_DATA}:${this.name}`;
  }

  /** @internal */
  public _nameOf({ name }: ResourceProps): string {
    return labelName(this, name, 'harvester-dc1');
  }

  /**
   * Allows machines in one more namespace. Only for credentials with their own account; has no
   * effect for a namespace that is allowed already.
   *
   * @param namespace on the Harvester of the credential
   */
  public addNamespace(namespace: INamespace): void {
    if (!this.account) {
      fail(this, [
        {
          path: 'addNamespace',
          value: namespace.name,
          message: 'cannot be added: this credential has the permissions of its kubeconfig',
          fix: 'grant the permissions to that account, or use CloudCredential.serviceAccount',
        },
      ]);
    }
    this.account.grant(namespace);
  }

  private write(
    options: CloudCredentialOptions,
    content: { kubeconfig: string; clusterType: string; clusterId?: string },
  ): ApiObject {
    const { displayName = this.name, creator, description } = options;
    const secret = this._write(
      {
        ...KIND,
        metadata: {
          namespace: GLOBAL_DATA,
          // never none: Rancher 2.12 and later write into the map, and panic where it is missing
          annotations: {
            [ANNOTATION_NAME]: displayName,
            [CREDENTIAL_DRIVER]: PROVIDER_NAME,
            ...(creator ? { [ANNOTATION_CREATOR_ID]: creator.name } : {}),
            ...(description === undefined ? {} : { [ANNOTATION_DESCRIPTION]: description }),
          },
        },
        type: 'Opaque',
        data: {
          [CREDENTIAL_KEY.CLUSTER_ID]:
            content.clusterId === undefined
              ? undefined
              : LateValue._base64Of(this, 'ClusterId', content.clusterId, {
                  description: 'management cluster ID of the Harvester',
                }),
          [CREDENTIAL_KEY.CLUSTER_TYPE]: Buffer.from(content.clusterType).toString('base64'),
          [CREDENTIAL_KEY.KUBECONFIG]: content.kubeconfig,
        },
      },
      {
        deletion: 'cloud-credential',
        othersWrite: [`metadata.annotations[${ANNOTATION_CREATOR_ID}]`],
      },
    );
    if (creator) {
      Ordering.of(secret)._add(creator, OrderingType.APPLIED);
    }
    return secret;
  }

  private checkImport(harvester: IHarvesterImport): void {
    if (harvester.rancher === this.rancher) {
      return;
    }
    collectProblems(this, [
      {
        path: 'harvesterImport',
        value: harvester.node.path,
        message: `must be imported into ${this.rancher.targetName}, not into ${harvester.rancher.targetName}`,
        fix: `create the credential below the chart ${harvester.rancher.targetName}`,
      },
    ]);
  }

  private encoded(kubeconfig: SecretValue): string {
    const text = parsed(this, 'kubeconfig', () => kubeconfig._unwrap());
    failOnErrors(this, isLate(text) ? [] : checkUsableKubeconfig('kubeconfig', text));
    return kubeconfig._base64();
  }
}

/** A credential that this program does not declare. */
class ExistingCredential extends ExistingRancherResource implements ICloudCredential {
  public readonly credentialId: string;

  constructor(
    scope: Construct,
    id: string,
    { name, namespace = GLOBAL_DATA }: ExistingCloudCredentialOptions,
  ) {
    super(scope, id, 'CloudCredential.fromName', { ...KIND, namespace }, { name });
    // Rancher reads a bare name in the namespace of the Cluster
    this.credentialId = namespace === GLOBAL_DATA ? `${GLOBAL_DATA}:${name}` : name;
  }
}
