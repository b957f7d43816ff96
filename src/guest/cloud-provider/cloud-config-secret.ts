import { Construct, IConstruct } from 'constructs';
import { GuestChartVersion } from './chart-faults.data';
import {
  CLOUD_CONFIG_PREFIX,
  CLUSTER_ROLE_CLOUD_PROVIDER,
  CLUSTER_ROLE_CSI_DRIVER,
  LEGACY_CLOUD_CONFIG_PATH,
  RKE2_CLOUD_CONFIG_PATH,
} from './cloud-provider.kind';
import { ExistingResourceOptions, ResourceOptions } from '../../core/app/resource';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { own } from '../../core/construct/ownership';
import { IHarvesterTarget, INamespace, TargetKind, chartOf } from '../../core/construct/target';
import { API_VERSIONS, FLEET_DEFAULT, RFC1123_LABEL } from '../../core/manifest/names';
import { rfc1123LabelProblem } from '../../core/problem/label';
import {
  Problem,
  collectProblems,
  fail,
  failOnErrors,
  parsed,
  requireLiteral,
} from '../../core/problem/problem';
import { safeConcatName } from '../../core/text/plain-text';
import { SecretValue } from '../../core/value/secret-value';
import { FeatureGates } from '../../core/version/feature-gates';
import { AccountKubeconfig, checkServer } from '../../harvester/account/account-kubeconfig';
import { HarvesterGate, HarvesterVersion } from '../../harvester/version/harvester-version';
import {
  ExistingRancherResource,
  IRancherResource,
  RancherResource,
} from '../../rancher/rancher-resource';
import {
  CLOUD_CONFIG_KEY,
  OBJECT_AUTHORIZED,
  SECRET_AUTHORIZED,
  SECRET_DELETES,
  SECRET_SCHEME,
} from '../cluster/cluster.kind';
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

const roleBinding = (name: string): AccountBinding => ({
  id: 'RoleBinding',
  name,
  clusterRole: CLUSTER_ROLE_CLOUD_PROVIDER,
  everywhere: false,
});
const csiBinding = (name: string): AccountBinding => ({
  id: 'CsiBinding',
  name,
  clusterRole: CLUSTER_ROLE_CSI_DRIVER,
  everywhere: true,
});
const scriptContext = (account: string, namespace: string, cluster: string) =>
  `${account}-${namespace}-${cluster}`;

/**
 * The names and permissions of the account of a cloud config: those of Harvester's API, or of one
 * of the older scripts, for clusters that were set up with a script, so that existing objects are
 * adopted.
 *
 * Owner references are not set, since they need a UID of the live cluster.
 */
export class CloudConfigCompat {
  /**
   * As `POST /v1/harvester/kubeconfig` of Harvester, which Rancher's UI uses: the permissions of
   * the cloud provider in the namespace of the machines only, those of the CSI driver in all
   * namespaces. `GET` on that API refuses bindings without an owner reference: `is not owned by
   * serviceAccount`.
   * @see harvester/harvester:pkg/api/kubeconfig/generate_handler.go
   */
  public static readonly API = new CloudConfigCompat({
    tokenSecret: (account) => safeConcatName(account, 'token'),
    bindings: (account, namespace) => [
      roleBinding(safeConcatName(namespace, account)),
      csiBinding(safeConcatName(namespace, account)),
    ],
    context: () => 'default',
    defaultCluster: 'default',
    paths: [LEGACY_CLOUD_CONFIG_PATH, RKE2_CLOUD_CONFIG_PATH],
    indent: '',
  });
  /**
   * As generate_addon.sh: the permissions of the cloud provider in every namespace, with a
   * ClusterRoleBinding named like the account, so that an account of that name in a second
   * namespace takes them from the first. No permissions of the CSI driver.
   * @see harvester/cloud-provider-harvester:deploy/generate_addon.sh
   */
  public static readonly CLOUD_PROVIDER_SCRIPT = new CloudConfigCompat({
    tokenSecret: (account) => `${account}-token`,
    bindings: (account) => [
      { ...roleBinding(account), id: 'ClusterRoleBinding', everywhere: true },
    ],
    context: scriptContext,
    defaultCluster: 'local',
    paths: [LEGACY_CLOUD_CONFIG_PATH],
    indent: '',
  });
  /**
   * As generate_addon_csi.sh of 2026-04-14 and later: the permissions of `API` with the names of a
   * script.
   * @see harvester/harvester-csi-driver:deploy/generate_addon_csi.sh
   */
  public static readonly CSI_SCRIPT = new CloudConfigCompat({
    tokenSecret: (account) => `${account}-token`,
    bindings: (account, namespace) => [
      roleBinding(`${namespace}-${account}`),
      csiBinding(`${namespace}-${account}`),
    ],
    context: scriptContext,
    defaultCluster: 'local',
    paths: [RKE2_CLOUD_CONFIG_PATH],
    indent: '  ',
  });

  declare private readonly nominal: true;

  private constructor(
    /** @internal */
    public readonly _form: Form,
  ) {}

  /**
   * The `write_files` of user data that writes the cloud config to a machine, byte for byte.
   * @internal
   */
  public _userData(base64: string): string {
    const { indent, paths } = this._form;
    const lines = paths.flatMap((path) => [
      '- encoding: b64',
      `  content: ${base64}`,
      '  owner: root:root',
      `  path: ${path}`,
      "  permissions: '0644'",
    ]);
    return ['write_files:', ...lines.map((line) => indent + line), ''].join('\n');
  }
}

/**
 * The cloud config of a guest cluster as a Secret on Rancher: one of the program, or an existing
 * one.
 */
export interface ICloudConfigSecret extends IRancherResource {
  /** The namespace of the Secret, which is that of the Cluster. */
  readonly namespace: string;
  /** The reference for `cloud-provider-config`: `secret://<namespace>:<name>`. */
  readonly reference: string;
  /**
   * The kubeconfig, a late value.
   * @default - not known to the program: the Secret exists already
   */
  readonly kubeconfig?: SecretValue;
}

/** Options of a reference to an existing cloud config. */
export interface ExistingCloudConfigSecretOptions extends ExistingResourceOptions {
  /** The name of its namespace, which is that of the Cluster. @default 'fleet-default' */
  readonly namespace?: string;
}

/** What an account of a guest cluster has that scripts created outside of the program. */
export interface AdoptedCloudConfig {
  /** The names and permissions of the account. @default CloudConfigCompat.API */
  readonly compat?: CloudConfigCompat;
  /**
   * The name of the cluster in the kubeconfig; for scripts the one in the kubeconfig that they ran
   * with.
   * @default - `default` with Harvester's API, `local` with the scripts
   */
  readonly kubeconfigCluster?: string;
  /**
   * Whether the kubeconfig contains `preferences: {}`, as kubectl 1.33 and earlier writes.
   * @default false
   */
  readonly emptyPreferences?: boolean;
}

/**
 * The account of the cloud provider and the CSI driver of a guest cluster on Harvester, and how
 * they reach it.
 */
export interface CloudConfigOptions {
  /**
   * The name of the ServiceAccount: an RFC 1123 label, different for each guest cluster.
   * @default - the name of the cluster
   */
  readonly serviceAccountName?: string;
  /**
   * The URL at which nodes of the guest cluster reach the Kubernetes API of Harvester, without a
   * proxy.
   * @default - `https://<management address>:6443`; the address is read from Harvester if its chart does not set it
   */
  readonly server?: string;
  /**
   * Values that keep an existing account unchanged when you adopt it. `cdk8s-harvester adopt`
   * writes them; a new account needs none.
   * @default - the program creates the account
   */
  readonly adopted?: AdoptedCloudConfig;
}

/** Properties of a cloud config. */
export interface CloudConfigSecretProps extends CloudConfigOptions, ResourceOptions {
  /**
   * The name of the Secret.
   * @default - `harvesterconfig-<clusterName>`, with the prefix by which Rancher recognizes cloud configs
   */
  readonly name?: string;
  /**
   * The namespace of all machines on their Harvester cluster, in which the cloud provider creates
   * load balancers and volumes.
   */
  readonly vmNamespace: INamespace;
  /** The name of the provisioning Cluster. */
  readonly clusterName: string;
  /**
   * The Fleet workspace of the cluster: the namespace of its provisioning Cluster.
   * @default 'fleet-default'
   */
  readonly fleetWorkspace?: string;
  /**
   * Whether `machineSelectorFiles` of the Cluster may read files from the Secret.
   * @default false
   */
  readonly authorizeFiles?: boolean;
  /**
   * The version of chart `harvester-csi-driver` in the guest cluster, e.g. `0.1.28`. From 0.1.27
   * on, its driver may patch the virtual machines that it attaches volumes to; before Harvester
   * 1.8.0 the account then gets its own Role for that.
   * @default - the permissions of ClusterRole `harvesterhci.io:csi-driver` only
   * @see https://github.com/harvester/harvester/issues/10548
   */
  readonly csiChartVersion?: string;
}

/**
 * The Secret on Rancher with the cloud config of a guest cluster: the kubeconfig with which its
 * cloud provider and its CSI driver log in to Harvester.
 *
 * Creates on Harvester: a ServiceAccount, its permissions and a Secret with a token that does not
 * expire. Rancher writes the kubeconfig to the nodes, and deletes the Secret with the Cluster.
 * `CloudProvider` creates one itself.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/cloud-provider
 * @example
 * const vms = new HarvesterNamespace(dc1, 'shop-vms');
 * new CloudConfigSecret(rancher, 'shop-config', { vmNamespace: vms, clusterName: 'shop' });
 */
export class CloudConfigSecret extends RancherResource implements ICloudConfigSecret {
  /**
   * A reference to an existing Secret, created in Rancher's UI or by a secret management tool. It
   * has the kubeconfig in the key `credential`, and the annotation
   * `v2prov-secret-authorized-for-cluster: <cluster>`.
   */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingCloudConfigSecretOptions,
  ): ICloudConfigSecret {
    return new ExistingCloudConfig(scope, id, options);
  }

  public readonly namespace: string;
  public readonly reference: string;
  public readonly kubeconfig?: SecretValue;
  private readonly compat: CloudConfigCompat;

  constructor(scope: Construct, id: string, props: CloudConfigSecretProps) {
    super(scope, id, props);
    const { clusterName, fleetWorkspace = FLEET_DEFAULT } = props;
    const account = cloudConfigAccount(this, props);
    const { base64 } = account.kubeconfig;
    this.kubeconfig = account.kubeconfig;
    this.compat = compatOf(props);
    this.namespace = fleetWorkspace;
    this.reference = referenceTo(this);
    const secret = this._write(
      {
        ...SECRET,
        metadata: {
          namespace: fleetWorkspace,
          annotations: {
            [SECRET_AUTHORIZED]: clusterName,
            [SECRET_DELETES]: 'true',
            ...(props.authorizeFiles ? { [OBJECT_AUTHORIZED]: clusterName } : {}),
          },
        },
        type: 'Opaque',
        data: { [CLOUD_CONFIG_KEY]: base64 },
      },
      { deletion: 'cloud-config' },
    );
    // destroy runs in reverse: permissions are deleted after the cluster
    Ordering.of(secret)._add(account, OrderingType.APPLIED);
  }

  /**
   * User data that writes the cloud config to the paths where charts look for it, as Harvester's
   * API and scripts print it, from `write_files:` on. Contains a late value.
   */
  public get userData(): string {
    return this.compat._userData(this.kubeconfig!.base64);
  }

  /** @internal */
  public _nameOf({
    clusterName,
    name = `${CLOUD_CONFIG_PREFIX}-${clusterName}`,
  }: CloudConfigSecretProps): string {
    requireLiteral(this, 'clusterName', clusterName);
    return super._nameOf({ name });
  }
}

function compatOf({ adopted }: CloudConfigOptions): CloudConfigCompat {
  return adopted?.compat ?? CloudConfigCompat.API;
}

/** Creates the account of a guest cluster in the chart of its Harvester cluster. */
export function cloudConfigAccount(
  user: Construct,
  props: CloudConfigSecretProps,
): AccountKubeconfig {
  const { vmNamespace, clusterName, csiChartVersion, adopted } = props;
  const { name: namespace } = vmNamespace;
  const harvester = harvesterOf(user, vmNamespace);
  const name = props.serviceAccountName ?? clusterName;
  const scope = chartOf(harvester);
  const id = `CloudConfig-${namespace}-${name}`;
  collectProblems(user, [
    ...checkAccountName(name, vmNamespace, scope.node.tryFindChild(id)),
    ...checkServer(props.server, harvester),
  ]);
  const csi =
    csiChartVersion === undefined
      ? undefined
      : parsed(user, 'csiChartVersion', () => GuestChartVersion.parse(csiChartVersion));
  failOnErrors(user);
  const form = compatOf(props)._form;
  const cluster = adopted?.kubeconfigCluster ?? form.defaultCluster;
  const account = new AccountKubeconfig(scope, id, {
    name,
    namespace,
    tokenSecret: form.tokenSecret(name),
    cluster,
    context: form.context(name, namespace, cluster),
    contextNamespace: namespace,
    server: props.server,
    emptyPreferences: adopted?.emptyPreferences,
    labels: props.labels,
    annotations: props.annotations,
    deletionReason: `the cloud provider and the CSI driver of guest cluster ${clusterName} stop working: delete it after the cluster`,
  });
  own(user, account);
  Ordering.of(account)._add(vmNamespace, OrderingType.APPLIED);
  const version = HarvesterVersion.parse(harvester.version);
  const hasCsiRole = FeatureGates.of(HarvesterGate.CSI_CLUSTER_ROLE).supports(version);
  for (const binding of form.bindings(name, namespace)) {
    if (!binding.everywhere) {
      account.bind(binding.id, binding.name, namespace, binding.clusterRole);
    } else if (binding.id !== 'CsiBinding' || hasCsiRole) {
      account.bindEverywhere(binding.id, binding.name, binding.clusterRole);
    }
  }
  if (
    csi?.has('CSI_PATCHES_MACHINES') &&
    !FeatureGates.of(HarvesterGate.CSI_MACHINE_PATCH).supports(version)
  ) {
    account.grant('CsiVolumes', safeConcatName(name, 'csi-volumes'), CSI_PATCH_RULES);
  }
  return account;
}

/** The Harvester of the machines; throws for a namespace elsewhere. */
function harvesterOf(user: Construct, { name, target }: INamespace): IHarvesterTarget {
  if (target.targetKind === TargetKind.HARVESTER) {
    return target as IHarvesterTarget;
  }
  return fail(user, [
    {
      path: 'vmNamespace',
      value: name,
      message: `must be on a Harvester, where the machines run: it is on ${target.targetName}`,
      fix: 'use a HarvesterNamespace, or the namespace of a TenantProject on a Harvester of the program',
    },
  ]);
}

function checkAccountName(
  value: string,
  { name, target }: INamespace,
  other: IConstruct | undefined,
): Problem[] {
  const at = { path: 'serviceAccountName', value };
  if (!RFC1123_LABEL.test(value)) {
    return [rfc1123LabelProblem(at.path, value)];
  }
  return !other
    ? []
    : [
        {
          ...at,
          message: `must be unique in namespace ${name} of ${target.targetName}: two clusters cannot share an account`,
          fix: 'use another serviceAccountName, or another name for the cluster',
        },
      ];
}

/** A cloud config that the program does not declare. */
class ExistingCloudConfig extends ExistingRancherResource implements ICloudConfigSecret {
  public readonly namespace: string;
  public readonly reference: string;
  public readonly kubeconfig?: SecretValue;

  constructor(
    scope: Construct,
    id: string,
    { name, namespace = FLEET_DEFAULT }: ExistingCloudConfigSecretOptions,
  ) {
    super(scope, id, 'CloudConfigSecret.fromName', { ...SECRET, namespace }, { name });
    this.namespace = namespace;
    this.reference = referenceTo(this);
  }
}

const SECRET = { apiVersion: API_VERSIONS.CORE, kind: 'Secret' };

function referenceTo({ namespace, name }: Pick<ICloudConfigSecret, 'namespace' | 'name'>): string {
  return `${SECRET_SCHEME}${namespace}:${name}`;
}
