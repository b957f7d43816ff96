import { Duration } from 'cdk8s';
import { Construct } from 'constructs';
import { ResourceProps } from '../../core/app/resource';
import { INamespace } from '../../core/construct/target';
import { isLate } from '../../core/late/late-token';
import { failOnErrors, parsed } from '../../core/problem/problem';
import { SecretValue } from '../../core/value/secret-value';
import { ClusterId } from '../../rancher/cluster/managed-cluster';
import { ICloudCredential } from '../../rancher/credential/cloud-credential';
import { IHarvesterImport } from '../../rancher/import/harvester-import';
import { ILocalUser } from '../../rancher/members/principal';
import {
  cloudConfigAccount,
  CloudConfigOptions,
  CloudConfigSecretProps,
} from '../cloud-provider/cloud-config-secret';
import {
  CLOUD_PROVIDER_EXTERNAL,
  LEGACY_CLOUD_CONFIG_PATH,
} from '../cloud-provider/cloud-provider.kind';
import { PROVIDER_NAME } from '../cluster/cluster.kind';
import { AuthorizedEndpoint } from '../endpoint/authorized-endpoint';
import { checkUsableKubeconfig } from '../kubeconfig/kubeconfig.check';
import { MachinePool } from '../machine-pool/machine-pool';
import { ClusterFields, NodeFile } from '../parts/cluster-parts';

/** The parts of an RKE1 cluster for its cloud provider. */
export interface Rke1CloudParts {
  /** cloudProvider of rancherKubernetesEngineConfig. */
  readonly spec?: ClusterFields;
  /** Files that user data writes to every node. */
  readonly files: readonly NodeFile[];
  /** The account on Harvester, if one is created. */
  readonly account?: Construct;
}

/**
 * The cloud provider of an RKE1 cluster: load balancers and volumes of the Harvester cluster that
 * its machines run on.
 *
 * This is only the configuration. RKE1 bundles no charts: install Harvester Cloud Provider and
 * Harvester CSI Driver from the apps of the
 * cluster in Rancher, and set `global.cattle.clusterName: <name>` for the cloud provider, so that
 * its load balancers do not collide with others.
 *
 * @see https://docs.harvesterhci.io/v1.5/rancher/cloud-provider
 */
export class Rke1CloudProvider {
  /**
   * The cloud provider that Rancher's UI calls Harvester (Out-of-tree). RKE1 writes the kubeconfig
   * of an account on Harvester to the nodes, `/etc/kubernetes/cloud-config`. The spec of the
   * management Cluster contains it in plain text: anyone who can read it can use it.
   */
  public static harvester(options: CloudConfigOptions = {}): Rke1CloudProvider {
    return new Rke1CloudProvider((cluster, props) => {
      const account = cloudConfigAccount(cluster, { ...options, ...props });
      return { spec: harvesterSpec(account.kubeconfig.token), files: [], account };
    });
  }

  /**
   * The same with an existing kubeconfig. The output contains it in plain text.
   *
   * @param kubeconfig as text, for the API of Harvester itself; its context names the namespace of the machines
   */
  public static harvesterFromKubeconfig(kubeconfig: SecretValue): Rke1CloudProvider {
    return new Rke1CloudProvider((cluster) => {
      const text = parsed(cluster, 'cloudProvider', () => kubeconfig._unwrap());
      if (!isLate(text)) {
        failOnErrors(cluster, checkUsableKubeconfig('cloudProvider', text));
      }
      return { spec: harvesterSpec(text), files: [] };
    });
  }

  /**
   * An external cloud provider: the user data of each machine writes the kubeconfig of an account
   * to `/etc/kubernetes/cloud-config`. That RKE1 does not change the file is unconfirmed.
   */
  public static external(options: CloudConfigOptions = {}): Rke1CloudProvider {
    return new Rke1CloudProvider((cluster, props) => {
      const account = cloudConfigAccount(cluster, { ...options, ...props });
      const file: NodeFile = {
        path: LEGACY_CLOUD_CONFIG_PATH,
        content: account.kubeconfig.base64,
        encoding: 'b64',
      };
      return { spec: { name: CLOUD_PROVIDER_EXTERNAL }, files: [file], account };
    });
  }

  /**
   * No cloud provider: Services of type LoadBalancer get no address, and volumes of Harvester are
   * not available.
   */
  public static none(): Rke1CloudProvider {
    return new Rke1CloudProvider(() => ({ files: [] }));
  }

  declare private readonly nominal: true;

  private constructor(
    /** @internal */ public readonly _build: (
      cluster: Construct,
      props: CloudConfigSecretProps,
    ) => Rke1CloudParts,
  ) {}
}

function harvesterSpec(cloudConfig: string): ClusterFields {
  return { name: PROVIDER_NAME, harvesterCloudProvider: { cloudConfig } };
}

/** The network plugins that RKE1 installs. */
export enum Rke1NetworkPlugin {
  /** Canal: Flannel's network with Calico's policies. */
  CANAL = 'canal',
  /** Calico. */
  CALICO = 'calico',
  /** Flannel, without network policies. */
  FLANNEL = 'flannel',
  /** Weave. */
  WEAVE = 'weave',
  /** No network plugin: install one yourself. */
  NONE = 'none',
}

/** The network of an RKE1 cluster. All props except `mtu` and `options` are immutable. */
export interface Rke1Network {
  /** The plugin. @default Rke1NetworkPlugin.CANAL */
  readonly plugin?: Rke1NetworkPlugin;
  /** The MTU of the interfaces of pods. @default - the plugin's default */
  readonly mtu?: number;
  /** Options of the plugin, e.g. `canal_iface`. @default - no options */
  readonly options?: { readonly [key: string]: string };
  /** The pod CIDR. @default - RKE1's default, 10.42.0.0/16 */
  readonly clusterCidr?: string;
  /** The service CIDR; needs clusterDns. @default - RKE1's default, 10.43.0.0/16 */
  readonly serviceCidr?: string;
  /** The address of the cluster DNS, in serviceCidr. @default - RKE1's default, 10.43.0.10 */
  readonly clusterDns?: string;
  /** The DNS domain of the cluster. @default - RKE1's default, cluster.local */
  readonly clusterDomain?: string;
}

/** Options of a component of RKE1. */
export interface Rke1Service {
  /**
   * Arguments, without leading hyphens, e.g. `max-pods: '200'`.
   * @default - no additional arguments
   */
  readonly extraArgs?: { readonly [name: string]: string };
  /**
   * Directories of the node that are mounted into the container, in Docker's form.
   * @default - no additional directories
   */
  readonly extraBinds?: string[];
  /** Environment variables, as `NAME=value`. @default - no additional variables */
  readonly extraEnv?: string[];
}

/** The pod security admission of RKE1. @see rancher/rke:cluster/defaults.go */
export enum Rke1PodSecurity {
  /** Pods are not restricted. */
  PRIVILEGED = 'privileged',
  /** Pods must meet the Pod Security Standard `restricted`, except in namespaces of the system. */
  RESTRICTED = 'restricted',
}

/** The API server of RKE1. */
export interface Rke1ApiServer extends Rke1Service {
  /** The ports of NodePort Services. @default '30000-32767' */
  readonly serviceNodePortRange?: string;
  /** Whether images are pulled whenever a pod starts. @default false */
  readonly alwaysPullImages?: boolean;
  /** Whether Secrets are encrypted in etcd. @default false */
  readonly secretsEncryption?: boolean;
  /** Whether the API server writes an audit log, with RKE1's policy. @default - RKE1's default */
  readonly auditLog?: boolean;
  /** The pod security admission. @default - RKE1's default */
  readonly podSecurityConfiguration?: Rke1PodSecurity;
}

/** The kubelet of RKE1. */
export interface Rke1Kubelet extends Rke1Service {
  /** Whether the kubelet refuses to start on a node with swap. @default false */
  readonly failSwapOn?: boolean;
  /** Whether the CA of the cluster signs the serving certificate of the kubelet. @default false */
  readonly generateServingCertificate?: boolean;
}

/** Scheduled etcd snapshots of RKE1 on its nodes. */
export interface Rke1EtcdBackup {
  /** Whether snapshots are created. @default true */
  readonly enabled?: boolean;
  /** The interval between snapshots, in whole hours. @default Duration.hours(12) */
  readonly interval?: Duration;
  /** How many snapshots are kept. @default 6 */
  readonly retention?: number;
  /** The maximum duration of a snapshot, in whole seconds. @default Duration.seconds(300) */
  readonly timeout?: Duration;
}

/** The etcd of RKE1. */
export interface Rke1Etcd extends Rke1Service {
  /** The etcd snapshots. @default - a snapshot every twelve hours, of which six are kept */
  readonly backup?: Rke1EtcdBackup;
}

/** The components of RKE1. */
export interface Rke1Services {
  /** The API server. @default - RKE1's defaults */
  readonly apiServer?: Rke1ApiServer;
  /** The controller manager. @default - RKE1's defaults */
  readonly controllerManager?: Rke1Service;
  /** The scheduler. @default - RKE1's defaults */
  readonly scheduler?: Rke1Service;
  /** The kubelet. @default - RKE1's defaults */
  readonly kubelet?: Rke1Kubelet;
  /** kube-proxy. @default - RKE1's defaults */
  readonly kubeProxy?: Rke1Service;
  /** The etcd of the cluster. @default - RKE1's defaults, with a snapshot every twelve hours */
  readonly etcd?: Rke1Etcd;
}

/** How a node of RKE1 is drained before it is upgraded. */
export interface Rke1Drain {
  /** Whether to delete pods that no controller would recreate. @default false */
  readonly force?: boolean;
  /** Whether to ignore pods of DaemonSets. @default true */
  readonly ignoreDaemonSets?: boolean;
  /** Whether to delete pods with emptyDir volumes, whose data is lost. @default false */
  readonly deleteEmptyDirData?: boolean;
  /**
   * The time that each pod has to terminate, in whole seconds.
   * @default - the grace period of the pod
   */
  readonly gracePeriod?: Duration;
  /**
   * The maximum duration of the drain of a node, in whole seconds.
   * @default Duration.seconds(120)
   */
  readonly timeout?: Duration;
}

/** How nodes of RKE1 are upgraded. */
export interface Rke1UpgradeStrategy {
  /**
   * How many nodes with control plane or etcd are upgraded at a time: a number or a percentage.
   * @default '1'
   */
  readonly maxUnavailableControlPlane?: string;
  /** How many workers are upgraded at a time: a number or a percentage. @default '10%' */
  readonly maxUnavailableWorker?: string;
  /** How nodes are drained before they are upgraded. @default - they are not drained */
  readonly drain?: Rke1Drain;
}

/**
 * A storage driver of Docker.
 * @see https://docs.docker.com/engine/storage/drivers/select-storage-driver
 */
export class DockerStorageDriver {
  /** OverlayFS, the default of Docker. */
  public static readonly OVERLAY2 = new DockerStorageDriver('overlay2');
  /** OverlayFS in user space. */
  public static readonly FUSE_OVERLAYFS = new DockerStorageDriver('fuse-overlayfs');
  /** Btrfs. */
  public static readonly BTRFS = new DockerStorageDriver('btrfs');
  /** ZFS. */
  public static readonly ZFS = new DockerStorageDriver('zfs');
  /** A plain copy of each layer, for tests. */
  public static readonly VFS = new DockerStorageDriver('vfs');

  /**
   * Another driver of the installed release of Docker.
   *
   * @param name as in `dockerd --storage-driver <name>`
   */
  public static of(name: string): DockerStorageDriver {
    return new DockerStorageDriver(name);
  }

  declare private readonly nominal: true;

  private constructor(
    /** The name of the driver. */
    public readonly name: string,
  ) {}
}

/** How Rancher installs Docker on the machines of an RKE1 cluster. */
export interface Rke1Docker {
  /**
   * The URL of the script that installs Docker, e.g.
   * `https://releases.rancher.com/install-docker/24.0.sh`.
   * @default - Rancher's default
   */
  readonly installUrl?: string;
  /** Options of the Docker daemon, by name without hyphens. @default - no options */
  readonly options?: { readonly [name: string]: string };
  /** Registries without TLS. @default - no such registries */
  readonly insecureRegistries?: string[];
  /** Mirrors of Docker Hub. @default - no mirrors */
  readonly registryMirrors?: string[];
  /** The storage driver. @default - Docker's default */
  readonly storageDriver?: DockerStorageDriver;
  /** The data directory of Docker. @default '/var/lib/docker' */
  readonly rootDirectory?: string;
}

/**
 * Properties of an RKE1 cluster.
 *
 * The name is the display name in Rancher's UI: 2 to 63 of a-z, 0-9 and hyphens. Virtual machines
 * are named `<name>-<pool>-<number>`; the management Cluster is named after its ID.
 */
export interface Rke1ClusterProps extends ResourceProps {
  /**
   * The import of the Harvester cluster that the machines run on. Its target must be a
   * HarvesterChart of the program, with a version before 1.6.0.
   */
  readonly harvesterImport: IHarvesterImport;
  /** The namespace of the machines on that Harvester cluster. */
  readonly vmNamespace: INamespace;
  /**
   * The machine pools, which together have every role. Rancher sets up machines of RKE1 with SSH,
   * so `sshUser` is required. Settings of Cluster API and its health checks are refused, except
   * `unhealthyNodeTimeout` (at most a year), after which Rancher replaces an unreachable node.
   * `machineConfigName` is the name of the NodeTemplate.
   */
  readonly pools: MachinePool[];
  /** The Kubernetes release of RKE1, one that this Rancher offers, e.g. `v1.27.16-rancher1-1`. */
  readonly kubernetesVersion: string;
  /**
   * The management cluster ID: `ClusterId.fixed` with `c-` and five of a-z and 0-9,
   * unique in Rancher. For other IDs Rancher creates no provisioning Cluster, so that neither its
   * UI nor Fleet knows the cluster. Immutable.
   * @default - `c-` and five characters that are derived from the name
   */
  readonly clusterId?: ClusterId;
  /** The Fleet workspace of the cluster. @default 'fleet-default' */
  readonly fleetWorkspace?: string;
  /**
   * The name of the target: the folder that manifests for the cluster itself are written to.
   * @default - the name
   */
  readonly targetName?: string;
  /** The description in Rancher's UI. @default - no description */
  readonly description?: string;
  /**
   * The user who owns the cluster and its node templates. Without one Rancher's log repeats
   * `nodeTemplate … has no creatorId annotation`, and only administrators see the templates.
   * Immutable.
   * @default - no user
   */
  readonly creator?: ILocalUser;
  /**
   * The cloud credential with which Rancher's node driver logs in to Harvester: a Secret in
   * `cattle-global-data`. Delete it after the cluster.
   * @default - a service account on Harvester that all guest clusters of this Harvester cluster share
   */
  readonly credential?: ICloudCredential;
  /** The network. @default - Canal with the addresses of RKE1 */
  readonly network?: Rke1Network;
  /**
   * The cloud provider, for load balancers and storage of the Harvester cluster.
   * @default Rke1CloudProvider.harvester()
   */
  readonly cloudProvider?: Rke1CloudProvider;
  /** The components. @default - RKE1's defaults, with etcd snapshots */
  readonly services?: Rke1Services;
  /**
   * How nodes are upgraded.
   * @default - one control plane node and a tenth of the workers at a time, without draining
   */
  readonly upgradeStrategy?: Rke1UpgradeStrategy;
  /** How Docker is installed. @default - Rancher's default script and settings */
  readonly docker?: Rke1Docker;
  /** Whether RKE1 installs the nginx ingress controller. @default true */
  readonly ingress?: boolean;
  /** The authorized cluster endpoint. @default - no endpoint */
  readonly authorizedEndpoint?: AuthorizedEndpoint;
  /**
   * Environment variables of Rancher's agents in the cluster, e.g. for a proxy.
   * @default - no variables
   */
  readonly agentEnvVars?: { readonly [name: string]: string };
  /** Whether network policies isolate projects; only with Canal. @default false */
  readonly enableNetworkPolicy?: boolean;
  /**
   * Objects that RKE1 applies when the cluster starts, each with apiVersion, kind and metadata.
   * @default - no objects
   */
  readonly additionalManifests?: any[];
  /** URLs of manifests that RKE1 applies when the cluster starts. @default - no manifests */
  readonly additionalManifestUrls?: string[];
  /**
   * Other keys of `rancherKubernetesEngineConfig`, with their JSON names, e.g. `privateRegistries`.
   * The output contains them in plain text.
   * @default - none
   */
  readonly config?: { readonly [key: string]: any };
}
