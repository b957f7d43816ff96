import { Duration } from 'cdk8s';
import { Rke1CloudProvider } from './rke1-cloud-provider';
import { INamespace } from '../../core/app/target';
import { ICloudCredential } from '../../rancher/credential/cloud-credential';
import { IHarvesterImport } from '../../rancher/import/harvester-import';
import { AuthEndpoint } from '../cluster/provisioned-cluster-props';
import { MachinePool } from '../machine-pool/machine-pool';

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
  /** None: you install one yourself. */
  NONE = 'none',
}

/**
 * The network of an RKE1 cluster. Only `mtu` and `options` can be changed later on.
 */
export interface Rke1Network {
  /** The plugin. @default Rke1NetworkPlugin.CANAL */
  readonly plugin?: Rke1NetworkPlugin;
  /** The MTU of pods' interfaces. @default - the plugin's own */
  readonly mtu?: number;
  /** Options of the plugin, e.g. `canal_iface`. @default - none */
  readonly options?: { readonly [key: string]: string };
  /** Addresses of pods, a CIDR. @default - RKE1's own, 10.42.0.0/16 */
  readonly podCidr?: string;
  /** Addresses of Services, a CIDR; needs clusterDns. @default - RKE1's own, 10.43.0.0/16 */
  readonly serviceCidr?: string;
  /** The address of the cluster's DNS, in serviceCidr. @default - RKE1's own, 10.43.0.10 */
  readonly clusterDns?: string;
  /** The DNS domain of the cluster. @default - RKE1's own, cluster.local */
  readonly clusterDomain?: string;
}

/**
 * How a component of RKE1 is run.
 */
export interface Rke1Service {
  /** Arguments, without leading hyphens, e.g. `max-pods: '200'`. @default - none */
  readonly extraArgs?: { readonly [name: string]: string };
  /** Directories of the node that the container sees, as Docker takes them. @default - none */
  readonly extraBinds?: string[];
  /** Environment, as `NAME=value`. @default - none */
  readonly extraEnv?: string[];
}

/**
 * The API server of RKE1.
 */
export interface Rke1ApiServer extends Rke1Service {
  /** The ports of NodePort Services. @default '30000-32767' */
  readonly serviceNodePortRange?: string;
  /** Whether images are pulled at each start of a pod. @default false */
  readonly alwaysPullImages?: boolean;
  /** Whether Secrets are encrypted in etcd. @default false */
  readonly secretsEncryption?: boolean;
  /** Whether the API server writes an audit log, by RKE1's own policy. @default - RKE1's own */
  readonly auditLog?: boolean;
  /** Pod security admission, `privileged` or `restricted`. @default - RKE1's own */
  readonly podSecurityConfiguration?: string;
}

/**
 * The kubelet of RKE1.
 */
export interface Rke1Kubelet extends Rke1Service {
  /** Whether it refuses to start on a node with swap. @default false */
  readonly failSwapOn?: boolean;
  /** Whether its serving certificate is made from the cluster's authority. @default false */
  readonly generateServingCertificate?: boolean;
}

/**
 * Snapshots of RKE1's etcd on its nodes.
 */
export interface Rke1EtcdBackup {
  /** Whether they are taken. @default true */
  readonly enabled?: boolean;
  /** How often, in whole hours. @default Duration.hours(12) */
  readonly interval?: Duration;
  /** How many are kept. @default 6 */
  readonly retention?: number;
  /** How long one may take, in whole seconds. @default Duration.seconds(300) */
  readonly timeout?: Duration;
}

/**
 * The etcd of RKE1.
 */
export interface Rke1Etcd extends Rke1Service {
  /** Snapshots. @default - every twelve hours, six are kept, as Rancher's UI has it */
  readonly backup?: Rke1EtcdBackup;
}

/**
 * The components of RKE1.
 */
export interface Rke1Services {
  /** The API server. @default - RKE1's own settings */
  readonly apiServer?: Rke1ApiServer;
  /** The controller manager. @default - RKE1's own settings */
  readonly controllerManager?: Rke1Service;
  /** The scheduler. @default - RKE1's own settings */
  readonly scheduler?: Rke1Service;
  /** The kubelet. @default - RKE1's own settings */
  readonly kubelet?: Rke1Kubelet;
  /** kube-proxy. @default - RKE1's own settings */
  readonly kubeProxy?: Rke1Service;
  /** Etcd. @default - snapshots every twelve hours */
  readonly etcd?: Rke1Etcd;
}

/**
 * How a node of RKE1 is emptied before it is upgraded.
 */
export interface Rke1Drain {
  /** Whether pods go that no controller would make again. @default false */
  readonly force?: boolean;
  /** Whether pods of DaemonSets are left alone. @default true */
  readonly ignoreDaemonSets?: boolean;
  /** Whether pods go that lose an emptyDir. @default false */
  readonly deleteLocalData?: boolean;
  /** The time that each pod has to terminate, in whole seconds. @default - the grace period of the pod */
  readonly gracePeriod?: Duration;
  /** How long the drain of a node may take, in whole seconds. @default Duration.seconds(120) */
  readonly timeout?: Duration;
}

/**
 * How nodes of RKE1 are upgraded.
 */
export interface Rke1UpgradeStrategy {
  /** How many nodes of control plane and etcd at a time: a number or a percentage. @default '1' */
  readonly maxUnavailableControlPlane?: string;
  /** How many workers at a time: a number or a percentage. @default '10%' */
  readonly maxUnavailableWorker?: string;
  /** How nodes are drained before. @default - they are not */
  readonly drain?: Rke1Drain;
}

/**
 * How Rancher installs Docker on the machines of an RKE1 cluster.
 */
export interface Rke1Docker {
  /** The URL of the script that installs Docker, e.g. `https://releases.rancher.com/install-docker/24.0.sh`. @default - Rancher's own */
  readonly installUrl?: string;
  /** Options of the Docker daemon, by name without hyphens. @default - none */
  readonly options?: { readonly [name: string]: string };
  /** Registries that are spoken to without TLS. @default - none */
  readonly insecureRegistries?: string[];
  /** Mirrors of Docker Hub. @default - none */
  readonly registryMirrors?: string[];
  /** The storage driver. @default - Docker's own */
  readonly storageDriver?: string;
  /** Where Docker keeps its data. @default '/var/lib/docker' */
  readonly rootDirectory?: string;
}

/**
 * Properties of an RKE1 cluster.
 */
export interface Rke1ClusterProps {
  /** The imported Harvester that the machines run on. Its target must be a HarvesterChart of the program, of a version before 1.6.0. */
  readonly harvester: IHarvesterImport;
  /** The namespace of the machines on that Harvester cluster. */
  readonly namespace: INamespace;
  /**
   * The pools of machines; together they have each role. Rancher works on machines of RKE1 by ssh, so `sshUser` is required. Settings of Cluster
   * API and its health checks are refused, but `unhealthyNodeTimeout`: after it Rancher replaces a node that does not answer, up to a year.
   * `machineConfigName` is the name of the NodeTemplate.
   */
  readonly pools: MachinePool[];
  /** The release of RKE1's Kubernetes that this Rancher offers, e.g. `v1.27.16-rancher1-1`. */
  readonly kubernetesVersion: string;
  /**
   * The name that Rancher's UI shows: 2 to 63 of a-z, 0-9 and hyphens. Virtual machines are called `<name>-<pool>-<number>`.
   * @default - the ID of the construct
   */
  readonly name?: string;
  /**
   * The id of the management cluster: `c-` and five of a-z and 0-9, unique in the Rancher. Of other forms Rancher makes no provisioning Cluster,
   * so that neither its UI nor Fleet knows them. Never to be changed.
   * @default - made from the name, the same in every synthesis
   */
  readonly managementClusterId?: string;
  /**
   * The Fleet workspace of the cluster.
   * @default 'fleet-default'
   */
  readonly fleetWorkspace?: string;
  /** The name of the target: the folder that manifests for the cluster itself are written to. @default - the name */
  readonly targetName?: string;
  /** The description in Rancher's UI. @default - no description */
  readonly description?: string;
  /** Labels of the management Cluster. @default - none */
  readonly labels?: { readonly [key: string]: string };
  /** Annotations of the management Cluster. @default - only those of this construct */
  readonly annotations?: { readonly [key: string]: string };
  /**
   * The id of a user of Rancher, e.g. `u-x7k2p`, who owns the cluster and its node templates. Without one Rancher's log repeats
   * `nodeTemplate … has no creatorId annotation`, and only administrators see the templates. Create-only.
   * @default - none
   */
  readonly creatorId?: string;
  /**
   * What Rancher's node driver logs in to the Harvester with: a Secret in `cattle-global-data`. It may never go before the cluster.
   * @default - a service account on Harvester that all guest clusters of this Harvester cluster share
   */
  readonly credential?: ICloudCredential;
  /** The network. @default - Canal with the addresses of RKE1 */
  readonly network?: Rke1Network;
  /** What provides load balancers and storage of the Harvester. @default Rke1CloudProvider.harvester() */
  readonly cloudProvider?: Rke1CloudProvider;
  /** The components. @default - RKE1's own settings, with snapshots of etcd */
  readonly services?: Rke1Services;
  /** How nodes are upgraded. @default - one node of the control plane, a tenth of the workers at a time, not drained */
  readonly upgradeStrategy?: Rke1UpgradeStrategy;
  /** How Docker is installed. @default - Rancher's own script and settings */
  readonly docker?: Rke1Docker;
  /** Whether RKE1 installs the nginx ingress controller. @default true */
  readonly ingress?: boolean;
  /** The authorized cluster endpoint. @default - none */
  readonly authEndpoint?: AuthEndpoint;
  /** Environment of Rancher's agents in the cluster, e.g. their proxy. @default - none */
  readonly agentEnvVars?: { readonly [name: string]: string };
  /** Whether projects are kept apart by network policies; with Canal only. @default false */
  readonly enableNetworkPolicy?: boolean;
  /** Objects for the cluster that RKE1 applies at its start, each with apiVersion, kind and metadata. @default - none */
  readonly addons?: any[];
  /** URLs of manifests that RKE1 applies at its start. @default - none */
  readonly addonsInclude?: string[];
  /**
   * Other keys of `rancherKubernetesEngineConfig`, as its JSON names them, e.g. `privateRegistries`. What stands in them is in the output in clear.
   * @default - none
   */
  readonly config?: { readonly [key: string]: any };
}
