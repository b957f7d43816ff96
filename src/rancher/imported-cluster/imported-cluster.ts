import { Construct, IConstruct } from 'constructs';
import { DisplayNameOptions, ResourceOptions } from '../../core/app/resource';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { idSaltOf } from '../../core/construct/scope';
import { ITarget, checkTargetName } from '../../core/construct/target';
import { API_VERSIONS, FLEET_DEFAULT } from '../../core/manifest/names';
import {
  checkWholeNumber,
  collectProblems,
  fail,
  failOnErrors,
  parsed,
  Problem,
  requireLiteral,
} from '../../core/problem/problem';
import { SecretValue } from '../../core/value/secret-value';
import { FeatureGates } from '../../core/version/feature-gates';
import {
  checkEndpoint,
  authEndpointSpec,
  checkLabels,
  checkName,
} from '../../guest/cluster/cluster-spec';
import { AuthorizedEndpoint } from '../../guest/endpoint/authorized-endpoint';
import { GuestChart } from '../../guest/guest-chart';
import { KubernetesVersion } from '../../guest/kubernetes/kubernetes-version';
import { guestKubeconfig, makeGuestChart } from '../../guest/parts/guest-cluster-ref';
import { RegistryAuth, pullSecretName } from '../../guest/registries/registries';
import { checkRegistryHost } from '../../guest/registries/registries.check';
import {
  ANNOTATION_OPERATIONS,
  ANNOTATION_VERSION_MANAGEMENT,
  derivedMirroredId,
} from '../cluster/cluster.facts';
import {
  IManagedCluster,
  ManagedCluster,
  AdoptedManagedCluster,
  ManagedClusterProps,
  ClusterId,
  agentEnv,
  agentSpec,
  checkAgents,
  checkMirroredId,
  checkOwnAnnotations,
  checkOwnKeys,
  clusterAnnotations,
} from '../cluster/managed-cluster';
import { checkAgentEnvVars } from '../cluster/provisioning-cluster.check';
import { ExistingManagedCluster } from '../import/existing-cluster';
import { RegistrationToken, TokenSource } from '../import/registration-token';
import { RancherGate, RancherVersion } from '../version/rancher-version';

/** Whether Rancher carries out a task on an imported RKE2 or K3s cluster. */
export enum FeatureMode {
  /** Rancher performs the task. */
  ENABLED = 'true',
  /** Rancher leaves the task to the owner of the cluster. */
  DISABLED = 'false',
  /** Rancher's setting for all clusters decides. */
  SYSTEM_DEFAULT = 'system-default',
}

/** How Rancher upgrades the nodes of an imported RKE2 or K3s cluster. */
export interface ImportedClusterUpgrade {
  /** How many control plane nodes are upgraded at a time. @default 1 */
  readonly controlPlaneConcurrency?: number;
  /** How many workers are upgraded at a time. @default 1 */
  readonly workerConcurrency?: number;
  /** Whether control plane nodes are drained before their upgrade. @default false */
  readonly drainControlPlane?: boolean;
  /** Whether workers are drained before their upgrade. @default false */
  readonly drainWorkers?: boolean;
}

/** The container registry that the images of Rancher's agents come from. */
export interface ImportedClusterRegistry {
  /** The registry, as `<host>[:port]`. */
  readonly host: string;
  /**
   * Its credentials, which Rancher gives to its agents. Rancher 2.15.0 and later.
   * @default - the nodes have the credentials, or need none
   */
  readonly auth?: RegistryAuth;
}

/** Properties of an imported cluster. */
export interface ImportedClusterProps extends ResourceOptions, ManagedClusterProps {
  /**
   * Values that keep an existing cluster unchanged when you adopt it. `cdk8s-harvester adopt`
   * writes them; a new cluster needs none.
   * @default - the program creates the cluster
   */
  readonly adopted?: AdoptedManagedCluster;
  /**
   * The name of the cluster in Rancher, and of its target: 2 to 63 characters of a-z, 0-9 and
   * hyphens. The object itself is named after the management cluster ID.
   * @default - the path of the construct below its target chart, as for other constructs
   */
  readonly name?: string;
  /**
   * The management cluster ID: `c-` and five characters. Immutable.
   * @default - derived from Fleet workspace and name
   */
  readonly clusterId?: ClusterId;
  /** The Fleet workspace of the cluster. @default 'fleet-default' */
  readonly fleetWorkspace?: string;
  /** Where the registration token comes from. @default TokenSource.rancherDefault() */
  readonly registrationToken?: TokenSource;
  /**
   * The Kubernetes version of the cluster, e.g. `v1.33.6+k3s1` or `v1.33.5`: that of `chart`. With
   * `versionManagement` enabled, Rancher upgrades the cluster to it.
   * @default - the program has no chart for the cluster
   */
  readonly kubernetesVersion?: string;
  /**
   * The name of the target: the folder that manifests for the cluster itself are written to.
   * @default - the name
   */
  readonly targetName?: string;
  /**
   * Whether Rancher upgrades an RKE2 or K3s cluster to `kubernetesVersion`. Rancher 2.11.0 and
   * later.
   * @default - the setting `imported-cluster-version-management` of Rancher, without a version of the program
   */
  readonly versionManagement?: FeatureMode;
  /**
   * How Rancher upgrades the nodes; needs `versionManagement` enabled.
   * @default - one node at a time, without draining
   */
  readonly upgradeStrategy?: ImportedClusterUpgrade;
  /**
   * Whether Rancher takes and restores etcd snapshots and rotates encryption keys of an RKE2 or K3s
   * cluster. Rancher 2.15.0 and later.
   * @default - the setting `imported-cluster-day2-ops-enabled` of Rancher
   */
  readonly dayTwoOperations?: FeatureMode;
  /** The authorized cluster endpoint, for RKE2 and K3s. @default - no endpoint */
  readonly authorizedEndpoint?: AuthorizedEndpoint;
  /**
   * The container registry of Rancher's agents.
   * @default - the setting `system-default-registry` of Rancher
   */
  readonly privateRegistry?: ImportedClusterRegistry;
}

/** Options of a reference to a cluster of Rancher. */
export interface ExistingImportedClusterOptions {
  /**
   * The management cluster ID: in the URL of Rancher's UI, e.g. `c-abcde`; `local` for the cluster
   * that Rancher runs on.
   */
  readonly clusterId: string;
  /**
   * The chart of the cluster: tenants need it for their namespaces.
   * @default - the program has no target for it
   */
  readonly clusterTarget?: ITarget;
}

/** Options of a reference to a cluster of Rancher by the name that the UI shows. */
export interface DisplayedImportedClusterOptions extends DisplayNameOptions {
  /**
   * The chart of the cluster: tenants need it for their namespaces.
   * @default - the program has no target for it
   */
  readonly clusterTarget?: ITarget;
}

/**
 * Imports an existing Kubernetes cluster into Rancher, as Import Existing > Generic in its UI:
 * RKE2, K3s, or any other distribution. For a Harvester cluster use `HarvesterImport`.
 *
 * On Rancher it writes the management Cluster, and with a token of your own, or projects, the
 * Namespace of the cluster. Rancher creates the provisioning Cluster, named after the ID. The
 * cluster registers when you apply the manifest at `token.registrationUrl` to it with kubectl.
 * Constructs in `chart` go to the cluster itself, through Rancher.
 *
 * @see https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/kubernetes-clusters-in-rancher-setup/register-existing-clusters
 * @example
 * const edge = new ImportedCluster(rancher, 'edge', {
 *   kubernetesVersion: 'v1.33.6+k3s1',
 *   versionManagement: FeatureMode.ENABLED,
 * });
 * new TenantProject(rancher, 'edge-apps', { cluster: edge, tenantNamespaces: [{ name: 'apps' }] });
 */
export class ImportedCluster extends ManagedCluster implements IManagedCluster {
  /**
   * A reference to a cluster of Rancher that the program does not declare, of any kind.
   *
   * @param scope a RancherChart, or a construct in one
   * @param id the ID of the construct
   */
  public static fromClusterId(
    scope: Construct,
    id: string,
    options: ExistingImportedClusterOptions,
  ): IManagedCluster {
    return new ExistingManagedCluster(scope, id, options);
  }

  /**
   * A reference to a cluster of Rancher that the program does not declare, by the name that
   * Rancher's UI shows. Its ID is a late value.
   *
   * @param scope a RancherChart, or a construct in one
   * @param id the ID of the construct
   */
  public static fromDisplayName(
    scope: Construct,
    id: string,
    options: DisplayedImportedClusterOptions,
  ): IManagedCluster {
    return new ExistingManagedCluster(scope, id, options);
  }

  public readonly clusterId: string;
  /** The Fleet workspace of the cluster. */
  public readonly fleetWorkspace: string;
  /**
   * The Kubernetes version of the cluster.
   * @default - undefined if the program does not declare it
   */
  public readonly kubernetesVersion?: string;
  /** @internal */
  public readonly _clusterTarget?: GuestChart;
  /** The registration token, with the URL of the manifest that registers the cluster. */
  public readonly registrationToken: RegistrationToken;

  constructor(scope: Construct, id: string, props: ImportedClusterProps = {}) {
    super(scope, id, props);
    const { kubernetesVersion, clusterId } = props;
    this._exists = clusterId?._isWritten === false;
    this.fleetWorkspace = props.fleetWorkspace ?? FLEET_DEFAULT;
    requireLiteral(this, 'fleetWorkspace', this.fleetWorkspace);
    if (kubernetesVersion !== undefined) {
      requireLiteral(this, 'kubernetesVersion', kubernetesVersion);
    }
    // empty for an ID that Rancher would choose, which the checks refuse
    this.clusterId = clusterId
      ? (clusterId._of(this, this.fleetWorkspace, this.name) ?? '')
      : derivedMirroredId(this.fleetWorkspace, this.name, idSaltOf(this));
    const version = RancherVersion.parse(this.rancher.version);
    collectProblems(this, [
      ...checkProps(props, this.name, this.clusterId, version),
      ...checkAgents(props, this.rancher, version),
      ...(props.registrationToken?._check(this, version) ?? []),
    ]);
    const kubernetes =
      kubernetesVersion === undefined
        ? undefined
        : parsed(this, 'kubernetesVersion', () => KubernetesVersion.parse(kubernetesVersion));
    failOnErrors(this, checkManagement(props, kubernetes));

    this.kubernetesVersion = kubernetes?.toString();
    this.writeCluster(props, version);
    if (kubernetes) {
      const chart = makeGuestChart(this, {
        targetName: props.targetName ?? this.name,
        version: kubernetes.toString(),
        provisioningCluster: `${this.fleetWorkspace}/${this.clusterId}`,
        rancher: this.rancher,
      });
      this._clusterTarget = chart;
      Ordering.of(chart)._add(this.apiObject, OrderingType.READY);
    }
    this.registrationToken = new RegistrationToken(this, 'Token', {
      cluster: this,
      source: props.registrationToken,
    });
  }

  /** The target chart: constructs in it go to the cluster. Fails without kubernetesVersion. */
  public get chart(): GuestChart {
    return (
      this._clusterTarget ??
      fail(this, [
        {
          path: 'chart',
          message: 'requires the version of the cluster',
          fix: 'set kubernetesVersion',
        },
      ])
    );
  }

  /**
   * The kubeconfig of the cluster through Rancher, with the permissions of its owner, a late value.
   */
  public get kubeconfig(): SecretValue {
    return guestKubeconfig(this, this.clusterId, this.apiObject);
  }

  private writeCluster(props: ImportedClusterProps, version: RancherVersion): void {
    const { description, privateRegistry: registry, versionManagement, dayTwoOperations } = props;
    const place = {
      scope: this,
      name: this.name,
      fleetWorkspace: this.fleetWorkspace,
      rancher: this.rancher,
    };
    const before: IConstruct[] = [];
    const pullSecret =
      registry?.auth && pullSecretName(place, registry.host, registry.auth, before);
    const cluster = this._write(
      {
        apiVersion: API_VERSIONS.MANAGEMENT,
        kind: 'Cluster',
        metadata: {
          name: this.clusterId,
          annotations: {
            ...clusterAnnotations({ adopted: props.adopted }, version, undefined),
            ...(versionManagement === undefined
              ? {}
              : { [ANNOTATION_VERSION_MANAGEMENT]: versionManagement }),
            ...(dayTwoOperations === undefined
              ? {}
              : { [ANNOTATION_OPERATIONS]: dayTwoOperations }),
          },
        },
        spec: {
          displayName: this.name,
          description,
          fleetWorkspaceName: this.fleetWorkspace,
          ...agentSpec(props),
          agentEnvVars: agentEnv(props.agentEnvVars),
          enableNetworkPolicy: props.enableNetworkPolicy,
          localClusterAuthEndpoint: authEndpointSpec(props.authorizedEndpoint),
          importedConfig: registry && {
            privateRegistryURL: registry.host,
            privateRegistryPullSecrets: pullSecret && [pullSecret],
          },
          ...(versionManagement === FeatureMode.ENABLED
            ? upgradeSpec(this.kubernetesVersion!, props.upgradeStrategy)
            : {}),
        },
      },
      { deletion: 'import' },
    );
    for (const secret of before) {
      Ordering.of(cluster)._add(secret, OrderingType.APPLIED);
    }
  }
}

/**
 * The distributions that Rancher upgrades, with the fields of a management Cluster.
 * @see rancher/rancher:pkg/apis/management.cattle.io/v3/k3s_base_types.go
 */
const MANAGED: { readonly [distribution: string]: readonly [config: string, strategy: string] } = {
  rke2: ['rke2Config', 'rke2upgradeStrategy'],
  k3s: ['k3sConfig', 'k3supgradeStrategy'],
};

function upgradeSpec(
  version: string,
  strategy: ImportedClusterUpgrade = {},
): { readonly [config: string]: unknown } {
  const [config, field] = MANAGED[KubernetesVersion.parse(version).distribution!];
  return {
    [config]: {
      kubernetesVersion: version,
      // Rancher sets 1 only where it creates the field
      [field]: {
        serverConcurrency: strategy.controlPlaneConcurrency ?? 1,
        workerConcurrency: strategy.workerConcurrency ?? 1,
        drainServerNodes: strategy.drainControlPlane,
        drainWorkerNodes: strategy.drainWorkers,
      },
    },
  };
}

function* checkProps(
  props: ImportedClusterProps,
  name: string,
  id: string,
  version: RancherVersion,
): Iterable<Problem> {
  const {
    versionManagement,
    upgradeStrategy = {},
    dayTwoOperations,
    privateRegistry,
    authorizedEndpoint,
  } = props;
  yield* checkName(name);
  yield* checkMirroredId(id, props.fleetWorkspace);
  if (props.targetName !== undefined) {
    yield* checkTargetName(props.targetName, props.targetName);
  }
  yield* checkLabels(props.labels);
  yield* checkOwnAnnotations(props.annotations);
  yield* checkOwnKeys('annotations', props.annotations, {
    [ANNOTATION_VERSION_MANAGEMENT]: 'use versionManagement',
    [ANNOTATION_OPERATIONS]: 'use dayTwoOperations',
  });
  yield* checkAgentEnvVars('agentEnvVars', agentEnv(props.agentEnvVars));
  if (authorizedEndpoint) {
    yield* checkEndpoint(authorizedEndpoint);
  }
  if (privateRegistry) {
    yield* checkRegistryHost('privateRegistry', privateRegistry.host);
  }
  const gates = [
    ['versionManagement', RancherGate.IMPORTED_VERSION_MANAGEMENT, versionManagement],
    ['dayTwoOperations', RancherGate.OPERATIONS, dayTwoOperations],
    ['privateRegistry.auth', RancherGate.IMPORT_PULL_SECRETS, privateRegistry?.auth],
  ] as const;
  for (const [path, gate, value] of gates) {
    if (value !== undefined) {
      yield* FeatureGates.of(gate)._check(path, version, 'remove it, or upgrade Rancher');
    }
  }
  if (props.upgradeStrategy && versionManagement !== FeatureMode.ENABLED) {
    yield {
      path: 'upgradeStrategy',
      message: 'has no effect unless versionManagement is ENABLED',
      fix: 'set versionManagement: FeatureMode.ENABLED, or remove it',
    };
  }
  for (const prop of ['controlPlaneConcurrency', 'workerConcurrency'] as const) {
    yield* checkWholeNumber(`upgradeStrategy.${prop}`, upgradeStrategy[prop], 1);
  }
}

function checkManagement(
  { versionManagement, kubernetesVersion }: ImportedClusterProps,
  kubernetes: KubernetesVersion | undefined,
): Problem[] {
  if (versionManagement !== FeatureMode.ENABLED || kubernetes?.distribution) {
    return [];
  }
  return [
    {
      path: 'kubernetesVersion',
      value: kubernetesVersion,
      message: 'must be a release of RKE2 or K3s where Rancher manages the version',
      fix: 'set e.g. v1.33.6+k3s1',
    },
  ];
}
