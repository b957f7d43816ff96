import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { CloudConfigCompat } from './cloud-config-compat';
import { ServiceAccountKubeconfig } from '../harvester/_service-account';
import { EdgeType, Edges, LateValue } from '../late';
import { CLOUD_CONFIG_PREFIX } from '../model/cloud-provider-names';
import { CSI_PATCH_RULES } from '../model/driver-role';
import { fail, failUnlessLiteral, parsed } from '../model/errors';
import { CLOUD_CONFIG_KEY, OBJECT_AUTHORIZED, SECRET_AUTHORIZED, SECRET_DELETES, SECRET_SCHEME } from '../model/guest/rancher-names';
import { know } from '../model/known-objects';
import { API_VERSIONS, FLEET_DEFAULT, RFC1123_LABEL } from '../model/names';
import { note } from '../model/object-notes';
import { IHarvesterTarget, rancherTargetOf } from '../model/target';
import { safeConcatName } from '../model/tenancy/backing-namespace';
import { FeatureGates, GateId, HarvesterVersion } from '../versions';
import { GuestChartVersion } from '../versions/guest-chart-version';

/**
 * The cloud config of a guest cluster as a Secret on Rancher: one that the program makes, or one that is there.
 */
export interface ICloudConfigSecret extends IConstruct {
  /** The name of the Secret. */
  readonly secretName: string;
  /** Its namespace: that of the Cluster. */
  readonly secretNamespace: string;
  /** What `cloud-provider-config` takes: `secret://<namespace>:<name>`. */
  readonly reference: string;
}

/**
 * Who the cloud provider and the CSI driver of a guest cluster are on the Harvester, and how they reach it.
 */
export interface CloudConfigOptions {
  /** The name of the ServiceAccount: an RFC 1123 label, one for each guest cluster. @default - the name of the cluster */
  readonly serviceAccountName?: string;
  /** Whose names and rights the account has. @default CloudConfigCompat.API */
  readonly compat?: CloudConfigCompat;
  /**
   * The URL that the guest's nodes reach the Harvester's Kubernetes API by; not that of a proxy.
   * @default - `https://<management address>:6443`; the address is read from the Harvester where its chart does not name one
   */
  readonly server?: string;
  /**
   * The name that the scripts give the cluster in the kubeconfig: what it is called in the kubeconfig that they are run with.
   * @default - `default` as Harvester's API, `local` as the scripts in Harvester's documentation
   */
  readonly kubeconfigCluster?: string;
  /** Whether the kubeconfig has the line `preferences: {}`, as kubectl 1.33 and earlier writes. @default false */
  readonly emptyPreferences?: boolean;
}

/**
 * Properties of a cloud config.
 */
export interface CloudConfigSecretProps extends CloudConfigOptions {
  /** The Harvester that the machines run on. */
  readonly harvester: IHarvesterTarget;
  /** The namespace of all the machines on it: the cloud provider makes load balancers and volumes there. */
  readonly vmNamespace: string;
  /** The name of the provisioning Cluster. */
  readonly clusterName: string;
  /** The namespace of the provisioning Cluster. @default 'fleet-default' */
  readonly clusterNamespace?: string;
  /** The name of the Secret. @default - `harvesterconfig-<cluster>` */
  readonly name?: string;
  /** Whether `machineSelectorFiles` of the Cluster may take files from the Secret. @default false */
  readonly authorizeFiles?: boolean;
  /**
   * The version of chart `harvester-csi-driver` in the guest cluster, e.g. `0.1.28`. From 0.1.27 on, its driver may patch the virtual machines that it
   * attaches volumes to; before Harvester 1.8.0 the account then gets a Role of its own for that.
   * @default - the permissions of ClusterRole `harvesterhci.io:csi-driver` only
   * @see https://github.com/harvester/harvester/issues/10548
   */
  readonly csiChartVersion?: string;
}

/**
 * The cloud config of a guest cluster: the kubeconfig that its cloud provider and its CSI driver log in to the Harvester with.
 *
 * On the Harvester: a ServiceAccount, its rights and a Secret with a token that does not expire. On Rancher: the Secret with the kubeconfig, which
 * Rancher puts on the nodes and deletes with the Cluster. `CloudProvider` makes one by itself.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/cloud-provider
 */
export class CloudConfigSecret extends Construct implements ICloudConfigSecret {
  /**
   * A Secret that is there, made in Rancher's UI or by a tool that keeps secrets. It has the kubeconfig under the key `credential`, and the
   * annotation `v2prov-secret-authorized-for-cluster: <cluster>`.
   *
   * @param scope below the RancherChart
   * @param name of the Secret
   * @param namespace of the Secret, `fleet-default` unless given
   */
  public static fromName(scope: Construct, id: string, name: string, namespace: string = FLEET_DEFAULT): ICloudConfigSecret {
    return new ExistingCloudConfig(scope, id, name, namespace);
  }

  public readonly secretName: string;
  public readonly secretNamespace: string;
  public readonly reference: string;
  /** The kubeconfig, a late value and a secret. */
  public readonly kubeconfig: LateValue;
  /**
   * User data that writes the cloud config to the paths where charts look for it, as Harvester's API and scripts print it: from `write_files:` on.
   * Holds a late value.
   */
  public readonly userData: string;
  /** @internal */
  public readonly _account: ServiceAccountKubeconfig;

  constructor(scope: Construct, id: string, props: CloudConfigSecretProps) {
    super(scope, id);
    rancherTargetOf(this, 'CloudConfigSecret');
    const { clusterName, clusterNamespace = FLEET_DEFAULT } = props;
    for (const [prop, value] of [['clusterName', clusterName], ['vmNamespace', props.vmNamespace]] as const) { failUnlessLiteral(this, prop, value); }
    const account = cloudConfigAccount(this, props);
    this._account = account;
    this.kubeconfig = account.kubeconfig;
    this.userData = (props.compat ?? CloudConfigCompat.API)._userData(account.kubeconfig.base64);
    this.secretName = props.name ?? `${CLOUD_CONFIG_PREFIX}-${clusterName}`;
    this.secretNamespace = clusterNamespace;
    this.reference = referenceTo(clusterNamespace, this.secretName);
    const secret = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.CORE,
      kind: 'Secret',
      metadata: {
        name: this.secretName,
        namespace: clusterNamespace,
        annotations: {
          [SECRET_AUTHORIZED]: clusterName,
          [SECRET_DELETES]: 'true',
          ...(props.authorizeFiles ? { [OBJECT_AUTHORIZED]: clusterName } : {}),
        },
      },
      type: 'Opaque',
      data: { [CLOUD_CONFIG_KEY]: account.kubeconfig.base64 },
    });
    note(secret, { deletion: { policy: 'delete', reason: 'nodes of the cluster can then not be planned; Rancher deletes it with the Cluster' } });
    // destroy goes the other way: the rights go after the cluster
    Edges.of(secret)._add(account, EdgeType.APPLIED);
  }
}

/**
 * The account of a guest cluster, below the chart of its Harvester.
 */
export function cloudConfigAccount(user: Construct, props: CloudConfigSecretProps): ServiceAccountKubeconfig {
  const { harvester, vmNamespace: namespace, clusterName, compat = CloudConfigCompat.API } = props;
  const name = props.serviceAccountName ?? clusterName;
  if (!RFC1123_LABEL.test(name)) {
    fail(user, [{
      path: 'serviceAccountName', value: name, message: 'is no name of a ServiceAccount', fix: 'give up to 63 of a-z, 0-9 and hyphens',
    }]);
  }
  const scope = harvester as unknown as Construct;
  const id = `CloudConfig-${namespace}-${name}`;
  const other = scope.node.tryFindChild(id);
  if (other) {
    fail(user, [{
      path: 'serviceAccountName',
      value: name,
      message: `is taken in namespace ${namespace} of ${harvester.targetName}: two clusters with one account would cut each other off`,
      fix: 'choose another serviceAccountName, or another name for the cluster',
    }]);
  }
  const form = compat._form;
  const cluster = props.kubeconfigCluster ?? form.defaultCluster;
  const account = new ServiceAccountKubeconfig(scope, id, {
    name,
    namespace,
    tokenSecret: form.tokenSecret(name),
    cluster,
    context: form.context(name, namespace, cluster),
    contextNamespace: namespace,
    server: props.server,
    emptyPreferences: props.emptyPreferences,
    deletionReason: `the cloud provider and the CSI driver of guest cluster ${clusterName} stop working: delete it after the cluster`,
  });
  const version = HarvesterVersion.parse(harvester.version);
  const hasCsiRole = FeatureGates.of(GateId.CSI_CLUSTER_ROLE).supports(version);
  for (const binding of form.bindings(name, namespace)) {
    if (!binding.everywhere) {
      account.bind(binding.id, binding.name, namespace, binding.clusterRole);
    } else if (binding.id !== 'CsiBinding' || hasCsiRole) {
      account.bindEverywhere(binding.id, binding.name, binding.clusterRole);
    }
  }
  const { csiChartVersion } = props;
  const csi = csiChartVersion === undefined ? undefined : parsed(user, 'csiChartVersion', () => GuestChartVersion.parse(csiChartVersion));
  if (csi?.has('CSI_PATCHES_MACHINES') && !FeatureGates.of(GateId.CSI_MACHINE_PATCH).supports(version)) {
    account.grant('CsiVolumes', safeConcatName(name, 'csi-volumes'), CSI_PATCH_RULES);
  }
  return account;
}

/** A cloud config that somebody else made. */
class ExistingCloudConfig extends Construct implements ICloudConfigSecret {
  public readonly reference: string;

  constructor(scope: Construct, id: string, public readonly secretName: string, public readonly secretNamespace: string) {
    super(scope, id);
    const target = rancherTargetOf(this, 'CloudConfigSecret.fromName');
    know(this, { target, apiVersion: API_VERSIONS.CORE, kind: 'Secret', namespace: secretNamespace, name: secretName });
    this.reference = referenceTo(secretNamespace, secretName);
  }
}

function referenceTo(namespace: string, name: string): string {
  return `${SECRET_SCHEME}${namespace}:${name}`;
}
