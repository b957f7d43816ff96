import { AgentDeployment, WebhookDeployment } from '../../rancher/cluster/agent-deployment';
import { ManagementClusterId } from '../../rancher/cluster/managed-cluster';
import { CloudProvider } from '../cloud-provider/cloud-provider';
import { EtcdBackup } from '../etcd/etcd-backup';
import { Kubernetes } from '../kubernetes/kubernetes';
import { MachineFile, MachineSelector } from '../machine-file/machine-file';
import { Registries } from '../registries/registries';
import { UpgradeStrategy } from '../upgrade/upgrade-strategy';

/**
 * The authorized cluster endpoint: access to the cluster's own API server with the users of Rancher, without Rancher in between.
 *
 * @see https://ranchermanager.docs.rancher.com/reference-guides/rancher-manager-architecture/communicating-with-downstream-user-clusters
 */
export interface AuthEndpoint {
  /**
   * Whether there is one.
   * @default true
   */
  readonly enabled?: boolean;
  /** A host that leads to the control plane. @default - each control plane node is named in kubeconfigs */
  readonly fqdn?: string;
  /** Certificates in PEM form that the host's certificate is signed by; needs fqdn. @default - the cluster's own */
  readonly caCertificates?: string;
}

/**
 * Where the parts of a cluster keep their data on the nodes. Absolute paths, none within another; never to be changed. Rancher 2.9.0 and later.
 */
export interface DataDirectories {
  /** The distribution. @default - /var/lib/rancher/rke2 or /var/lib/rancher/k3s */
  readonly k8sDistro?: string;
  /** What Rancher provisions with. @default - /var/lib/rancher/capr */
  readonly provisioning?: string;
  /** Rancher's agent on the nodes. @default - /var/lib/rancher/agent */
  readonly systemAgent?: string;
}

/**
 * The families of addresses that components on a node use to talk to each other.
 *
 * @see rancher/rancher:pkg/apis/rke.cattle.io/v1/networking_stack_preference_types.go
 */
export enum StackPreference {
  /** IPv4. */
  IPV4 = 'ipv4',
  /** IPv6. Harvester's node driver needs an IPv4 address of a machine, so only for custom clusters. */
  IPV6 = 'ipv6',
  /** Both. */
  DUAL = 'dual',
}

/**
 * Operations that Rancher carries out once each time a number changes. They are no part of what a cluster is: give one, apply it, and leave the
 * number as it is until you want the operation again. Nothing is written for what is left out.
 */
export interface ClusterOperations {
  /** Certificates of the cluster are made anew. Rancher 2.6.4 and later. @default - none */
  readonly rotateCertificates?: RotateCertificates;
  /** The key that Secrets are encrypted with is made anew. Rancher 2.6.4 and later. @default - none */
  readonly rotateEncryptionKeys?: number;
  /** A snapshot of etcd is taken. @default - none */
  readonly createSnapshot?: number;
  /** The cluster goes back to a snapshot of etcd. @default - none */
  readonly restoreSnapshot?: RestoreSnapshot;
  /** The plans of all nodes are carried out again: Kubernetes restarts on them. @default - none */
  readonly provision?: number;
  /** Rancher's agent on the nodes is installed anew. @default - none */
  readonly redeploySystemAgent?: number;
}

/**
 * A rotation of certificates.
 */
export interface RotateCertificates {
  /** Change it to rotate. */
  readonly generation: number;
  /** Services of the distribution, e.g. `api-server`, `kubelet`. @default - all of them */
  readonly services?: string[];
}

/**
 * What is restored from a snapshot beside the data of etcd.
 */
export enum RestoreMode {
  /** Nothing. */
  NONE = 'none',
  /** The version of Kubernetes. */
  KUBERNETES_VERSION = 'kubernetesVersion',
  /** The version of Kubernetes and the configuration of the cluster. Rancher writes both into the Cluster, against what the program says. */
  ALL = 'all',
}

/**
 * A restore from a snapshot.
 */
export interface RestoreSnapshot {
  /** Change it to restore. */
  readonly generation: number;
  /** The name of the ETCDSnapshot on Rancher. */
  readonly name: string;
  /**
   * What is restored beside the data of etcd.
   * @default RestoreMode.NONE
   */
  readonly mode?: RestoreMode;
}

/**
 * What every guest cluster that Rancher provisions is told, whoever makes its machines.
 */
export interface ProvisionedClusterProps {
  /** Distribution, release and configuration of Kubernetes. */
  readonly kubernetes: Kubernetes;
  /**
   * The name of the provisioning Cluster: 2 to 63 of a-z, 0-9 and hyphens. Virtual machines, load balancers and the cloud provider's Secret have it
   * in their names, so keep it short, and begin with a letter. Never to be changed.
   * @default - the id of the construct
   */
  readonly name?: string;
  /**
   * The Fleet workspace of the cluster: the namespace of its provisioning Cluster. Immutable.
   * @default 'fleet-default'
   */
  readonly fleetWorkspace?: string;
  /**
   * The id of the management cluster. Create-only.
   * @default ManagementClusterId.derived(), and ManagementClusterId.late() below Rancher 2.8.0
   */
  readonly managementClusterId?: ManagementClusterId;
  /**
   * The name of the target: the folder that manifests for the guest cluster itself are written to.
   * @default - the name of the Cluster
   */
  readonly targetName?: string;
  /** Text that Rancher's UI shows. @default - none */
  readonly description?: string;
  /** Labels of the Cluster, also on its Fleet cluster. @default - none */
  readonly labels?: { readonly [key: string]: string };
  /** Annotations of the provisioning Cluster. @default - only those of this construct */
  readonly annotations?: { readonly [key: string]: string };
  /** Environment of Rancher's agents in the cluster and on its nodes, e.g. their proxy. @default - none */
  readonly agentEnvVars?: { readonly [name: string]: string };
  /** How the cluster agent is deployed. Rancher 2.7.5 and later. @default - Rancher's own */
  readonly clusterAgent?: AgentDeployment;
  /** How the Fleet agent is deployed. Rancher 2.7.5 and later. @default - Rancher's own */
  readonly fleetAgent?: AgentDeployment;
  /** How Rancher's webhook is deployed. Rancher 2.15.0 and later. @default - Rancher's own */
  readonly webhook?: WebhookDeployment;
  /**
   * Whether Rancher binds the one who applies as cluster owner. An identity of a GitOps engine is no user of Rancher, so the binding would fail;
   * give access by bindings of your own. False needs Rancher 2.10.0: earlier ones always bind.
   * @default false
   */
  readonly creatorRbac?: boolean;
  /** The container registries of the nodes. @default - those that images name */
  readonly registries?: Registries;
  /** Snapshots of etcd. @default - every five hours, five are kept on each node */
  readonly etcd?: EtcdBackup;
  /** How nodes are changed. @default - one at a time, not drained */
  readonly upgradeStrategy?: UpgradeStrategy;
  /** Families of addresses that components on a node use. Rancher 2.8.0 and later. @default - Rancher's own, IPv4 */
  readonly stackPreference?: StackPreference;
  /** The authorized cluster endpoint. Rancher 2.6.3 and later. @default - none */
  readonly authEndpoint?: AuthEndpoint;
  /** Where data lies on the nodes. Create-only. Rancher 2.9.0 and later. @default - the usual directories below /var/lib/rancher */
  readonly dataDirectories?: DataDirectories;
  /**
   * The pod security admission template, e.g. `rancher-restricted`. Rancher 2.7.2 and later. Rancher's webhook then adds a Secret,
   * machineSelectorFiles and an argument of the API server to the Cluster.
   * @default - `rancher-restricted` with a CIS profile, else Rancher's own: none
   */
  readonly podSecurityTemplate?: string;
  /** Whether projects are kept apart by network policies; needs a network plugin that enforces them. @default - Rancher's own, false */
  readonly enableNetworkPolicy?: boolean;
  /** Objects for the guest cluster that its control plane applies at its start, each with apiVersion, kind and metadata. @default - none */
  readonly additionalManifests?: any[];
  /** Configuration of some machines, above that for all of them. @default - none */
  readonly machineSelectors?: MachineSelector[];
  /** Files on the nodes. Rancher 2.7.2 and later. @default - none */
  readonly machineFiles?: MachineFile[];
  /** Operations that are carried out once. @default - none */
  readonly operations?: ClusterOperations;
  /**
   * What provides load balancers and storage of the Harvester.
   * @default - CloudProvider.harvester() where the Harvester and the namespace of the machines are known, else CloudProvider.none()
   */
  readonly cloudProvider?: CloudProvider;
}
