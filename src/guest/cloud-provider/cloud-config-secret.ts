import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { GuestChartVersion } from './chart-faults.data';
import {
  CLOUD_CONFIG_PREFIX, CLUSTER_ROLE_CLOUD_PROVIDER, CLUSTER_ROLE_CSI_DRIVER, LEGACY_CLOUD_CONFIG_PATH, RKE2_CLOUD_CONFIG_PATH,
} from './cloud-provider.kind';
import { know } from '../../core/app/known-objects';
import { IHarvesterTarget, chartOf, rancherTargetOf } from '../../core/app/target';
import { EdgeType, Edges } from '../../core/late/edge';
import { LateValue } from '../../core/late/late-value';
import { API_VERSIONS, FLEET_DEFAULT, RFC1123_LABEL } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { Problem, collectProblems, failOnErrors, parsed, requireLiteral } from '../../core/rule/problem';
import { safeConcatName } from '../../core/text/plain-text';
import { FeatureGates } from '../../core/version/feature-gates';
import { AccountKubeconfig, checkServer } from '../../harvester/account/account-kubeconfig';
import { HarvesterGate, HarvesterVersion } from '../../harvester/version/harvester-version';
import { CLOUD_CONFIG_KEY, OBJECT_AUTHORIZED, SECRET_AUTHORIZED, SECRET_DELETES, SECRET_SCHEME } from '../cluster/cluster.kind';
import { CSI_PATCH_RULES } from '../machine-config/machine-config.kind';

/** A binding of an account. */
interface AccountBinding {
  readonly id: string;
  readonly name: string;
  readonly clusterRole: string;
  /** Whether it applies to every namespace. */
  readonly everywhere: boolean;
}

/** The names and permissions that one of the upstream tools uses. */
interface Form {
  readonly tokenSecret: (account: string) => string;
  readonly bindings: (account: string, namespace: string) => readonly AccountBinding[];
  readonly context: (account: string, namespace: string, cluster: string) => string;
  readonly defaultCluster: string;
  readonly paths: readonly string[];
  /** The indentation of each line of user data. */
  readonly indent: string;
}

const roleBinding = (name: string): AccountBinding => ({ id: 'RoleBinding', name, clusterRole: CLUSTER_ROLE_CLOUD_PROVIDER, everywhere: false });
const csiBinding = (name: string): AccountBinding => ({ id: 'CsiBinding', name, clusterRole: CLUSTER_ROLE_CSI_DRIVER, everywhere: true });
const scriptContext = (account: string, namespace: string, cluster: string) => `${account}-${namespace}-${cluster}`;

/**
 * The names and permissions of the account of a cloud config: those of Harvester's API, or of one of the older scripts, for clusters that were
 * set up with a script, so that existing objects are adopted.
 *
 * Owner references are not set, since they need a UID of the live cluster.
 */
export class CloudConfigCompat {
  /**
   * As `POST /v1/harvester/kubeconfig` of Harvester, which Rancher's UI uses: the permissions of the cloud provider in the namespace of the machines
   * only, those of the CSI driver in all namespaces. `GET` on that API refuses bindings without an owner reference: `is not owned by serviceAccount`.
   * @see harvester/harvester:pkg/api/kubeconfig/generate_handler.go
   */
  public static readonly API = new CloudConfigCompat({
    tokenSecret: (account) => safeConcatName(account, 'token'),
    bindings: (account, namespace) => [roleBinding(safeConcatName(namespace, account)), csiBinding(safeConcatName(namespace, account))],
    context: () => 'default',
    defaultCluster: 'default',
    paths: [LEGACY_CLOUD_CONFIG_PATH, RKE2_CLOUD_CONFIG_PATH],
    indent: '',
  });

  /**
   * As generate_addon.sh: the permissions of the cloud provider in every namespace, with a ClusterRoleBinding named like the account, so that an
   * account of that name in a second namespace takes them from the first. No permissions of the CSI driver.
   * @see harvester/cloud-provider-harvester:deploy/generate_addon.sh
   */
  public static readonly CLOUD_PROVIDER_SCRIPT = new CloudConfigCompat({
    tokenSecret: (account) => `${account}-token`,
    bindings: (account) => [{ ...roleBinding(account), id: 'ClusterRoleBinding', everywhere: true }],
    context: scriptContext,
    defaultCluster: 'local',
    paths: [LEGACY_CLOUD_CONFIG_PATH],
    indent: '',
  });

  /**
   * As generate_addon_csi.sh of 2026-04-14 and later: the permissions of `API` with the names of a script.
   * @see harvester/harvester-csi-driver:deploy/generate_addon_csi.sh
   */
  public static readonly CSI_SCRIPT = new CloudConfigCompat({
    tokenSecret: (account) => `${account}-token`,
    bindings: (account, namespace) => [roleBinding(`${namespace}-${account}`), csiBinding(`${namespace}-${account}`)],
    context: scriptContext,
    defaultCluster: 'local',
    paths: [RKE2_CLOUD_CONFIG_PATH],
    indent: '  ',
  });

  private constructor(
    /** @internal */
    public readonly _form: Form,
  ) {}

  /** The `write_files` of user data that writes the cloud config to a machine, byte for byte. @internal */
  public _userData(base64: string): string {
    const { indent, paths } = this._form;
    const lines = paths.flatMap((path) => [
      '- encoding: b64', `  content: ${base64}`, '  owner: root:root', `  path: ${path}`, "  permissions: '0644'",
    ]);
    return ['write_files:', ...lines.map((line) => indent + line), ''].join('\n');
  }
}

/** The cloud config of a guest cluster as a Secret on Rancher: one of the program, or an existing one. */
export interface ICloudConfigSecret extends IConstruct {
  /** The name of the Secret. */
  readonly secretName: string;
  /** The namespace of the Secret, which is that of the Cluster. */
  readonly secretNamespace: string;
  /** The reference for `cloud-provider-config`: `secret://<namespace>:<name>`. */
  readonly reference: string;
}

/** The account of the cloud provider and the CSI driver of a guest cluster on Harvester, and how they reach it. */
export interface CloudConfigOptions {
  /** The name of the ServiceAccount: an RFC 1123 label, different for each guest cluster. @default - the name of the cluster */
  readonly serviceAccountName?: string;
  /** The names and permissions of the account. @default CloudConfigCompat.API */
  readonly compat?: CloudConfigCompat;
  /**
   * The URL at which nodes of the guest cluster reach the Kubernetes API of Harvester, without a proxy.
   * @default - `https://<management address>:6443`; the address is read from Harvester if its chart does not set it
   */
  readonly server?: string;
  /**
   * The name of the cluster in the kubeconfig; for scripts the one in the kubeconfig that they ran with.
   * @default - `default` with Harvester's API, `local` with the scripts
   */
  readonly kubeconfigCluster?: string;
  /** Whether the kubeconfig contains `preferences: {}`, as kubectl 1.33 and earlier writes. @default false */
  readonly emptyPreferences?: boolean;
}

/** Properties of a cloud config. */
export interface CloudConfigSecretProps extends CloudConfigOptions {
  /** The Harvester cluster that the machines run on. */
  readonly harvester: IHarvesterTarget;
  /** The namespace of all machines, in which the cloud provider creates load balancers and volumes. */
  readonly vmNamespace: string;
  /** The name of the provisioning Cluster. */
  readonly clusterName: string;
  /** The Fleet workspace of the cluster: the namespace of its provisioning Cluster. @default 'fleet-default' */
  readonly fleetWorkspace?: string;
  /** The name of the Secret. @default - `harvesterconfig-<cluster>` */
  readonly name?: string;
  /** Whether `machineSelectorFiles` of the Cluster may read files from the Secret. @default false */
  readonly authorizeFiles?: boolean;
  /**
   * The version of chart `harvester-csi-driver` in the guest cluster, e.g. `0.1.28`. From 0.1.27 on, its driver may patch the virtual machines that it
   * attaches volumes to; before Harvester 1.8.0 the account then gets its own Role for that.
   * @default - the permissions of ClusterRole `harvesterhci.io:csi-driver` only
   * @see https://github.com/harvester/harvester/issues/10548
   */
  readonly csiChartVersion?: string;
}

/**
 * The cloud config of a guest cluster: the kubeconfig with which its cloud provider and its CSI driver log in to Harvester.
 *
 * Creates on Harvester: a ServiceAccount, its permissions and a Secret with a token that does not expire. On Rancher: the Secret with the kubeconfig,
 * which Rancher writes to the nodes and deletes with the Cluster. `CloudProvider` creates one itself.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/cloud-provider
 * @example
 * new CloudConfigSecret(rancher, 'shop-config', { harvester: dc1, vmNamespace: 'payments-vms', clusterName: 'shop' });
 */
export class CloudConfigSecret extends Construct implements ICloudConfigSecret {
  /**
   * An existing Secret, created in Rancher's UI or by a secret management tool. It has the kubeconfig in the key `credential`, and the
   * annotation `v2prov-secret-authorized-for-cluster: <cluster>`.
   *
   * @param scope in the RancherChart
   * @param name of the Secret
   * @param namespace of the Secret, by default `fleet-default`
   */
  public static fromName(scope: Construct, id: string, name: string, namespace: string = FLEET_DEFAULT): ICloudConfigSecret {
    return new ExistingCloudConfig(scope, id, name, namespace);
  }

  public readonly secretName: string;
  public readonly secretNamespace: string;
  public readonly reference: string;
  /** The kubeconfig, a sensitive late value. */
  public readonly kubeconfig: LateValue;
  /** @internal */
  public readonly _account: AccountKubeconfig;
  private readonly compat: CloudConfigCompat;

  constructor(scope: Construct, id: string, props: CloudConfigSecretProps) {
    super(scope, id);
    rancherTargetOf(this, 'CloudConfigSecret');
    const { clusterName, fleetWorkspace = FLEET_DEFAULT } = props;
    for (const [prop, value] of [['clusterName', clusterName], ['vmNamespace', props.vmNamespace]] as const) { requireLiteral(this, prop, value); }
    const account = cloudConfigAccount(this, props);
    this._account = account;
    this.kubeconfig = account.kubeconfig;
    this.compat = props.compat ?? CloudConfigCompat.API;
    this.secretName = props.name ?? `${CLOUD_CONFIG_PREFIX}-${clusterName}`;
    this.secretNamespace = fleetWorkspace;
    this.reference = referenceTo(fleetWorkspace, this.secretName);
    const secret = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.CORE,
      kind: 'Secret',
      metadata: {
        name: this.secretName,
        namespace: fleetWorkspace,
        annotations: {
          [SECRET_AUTHORIZED]: clusterName,
          [SECRET_DELETES]: 'true',
          ...(props.authorizeFiles ? { [OBJECT_AUTHORIZED]: clusterName } : {}),
        },
      },
      type: 'Opaque',
      data: { [CLOUD_CONFIG_KEY]: account.kubeconfig.base64 },
    });
    note(secret, { deletion: { policy: 'delete', reason: 'Rancher cannot write the plans of the nodes without it, and deletes it with the Cluster' } });
    // destroy runs in reverse: permissions are deleted after the cluster
    Edges.of(secret)._add(account, EdgeType.APPLIED);
  }

  /**
   * User data that writes the cloud config to the paths where charts look for it, as Harvester's API and scripts print it, from `write_files:` on.
   * Contains a late value.
   */
  public get userData(): string {
    return this.compat._userData(this.kubeconfig.base64);
  }
}

/** Creates the account of a guest cluster in the chart of its Harvester cluster. */
export function cloudConfigAccount(user: Construct, props: CloudConfigSecretProps): AccountKubeconfig {
  const { harvester, vmNamespace: namespace, clusterName, csiChartVersion, compat = CloudConfigCompat.API } = props;
  const name = props.serviceAccountName ?? clusterName;
  const scope = chartOf(harvester);
  const id = `CloudConfig-${namespace}-${name}`;
  collectProblems(user, [...checkAccountName(name, props, scope.node.tryFindChild(id)), ...checkServer(props.server, harvester)]);
  const csi = csiChartVersion === undefined ? undefined : parsed(user, 'csiChartVersion', () => GuestChartVersion.parse(csiChartVersion));
  failOnErrors(user);
  const form = compat._form;
  const cluster = props.kubeconfigCluster ?? form.defaultCluster;
  const account = new AccountKubeconfig(scope, id, {
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
  const hasCsiRole = FeatureGates.of(HarvesterGate.CSI_CLUSTER_ROLE).supports(version);
  for (const binding of form.bindings(name, namespace)) {
    if (!binding.everywhere) {
      account.bind(binding.id, binding.name, namespace, binding.clusterRole);
    } else if (binding.id !== 'CsiBinding' || hasCsiRole) {
      account.bindEverywhere(binding.id, binding.name, binding.clusterRole);
    }
  }
  if (csi?.has('CSI_PATCHES_MACHINES') && !FeatureGates.of(HarvesterGate.CSI_MACHINE_PATCH).supports(version)) {
    account.grant('CsiVolumes', safeConcatName(name, 'csi-volumes'), CSI_PATCH_RULES);
  }
  return account;
}

function checkAccountName(value: string, { vmNamespace, harvester }: CloudConfigSecretProps, other: IConstruct | undefined): Problem[] {
  const at = { path: 'serviceAccountName', value };
  if (!RFC1123_LABEL.test(value)) { return [{ ...at, message: 'must be an RFC 1123 label', fix: 'use at most 63 of a-z, 0-9 and hyphens' }]; }
  return !other ? [] : [{
    ...at,
    message: `must be unique in namespace ${vmNamespace} of ${harvester.targetName}: two clusters cannot share an account`,
    fix: 'use another serviceAccountName, or another name for the cluster',
  }];
}

/** A cloud config that the program does not declare. */
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
