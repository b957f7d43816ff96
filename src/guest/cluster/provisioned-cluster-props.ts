import { ResourceProps } from '../../core/app/resource';
import {
  AdoptedManagedCluster,
  ManagedClusterProps,
  ClusterId,
} from '../../rancher/cluster/managed-cluster';
import { CloudProvider } from '../cloud-provider/cloud-provider';
import { AuthorizedEndpoint } from '../endpoint/authorized-endpoint';
import { EtcdBackup } from '../etcd/etcd-backup';
import { Kubernetes } from '../kubernetes/kubernetes';
import { MachineFile, MachineSelector } from '../machine-file/machine-file';
import { Registries } from '../registries/registries';
import { UpgradeStrategy } from '../upgrade/upgrade-strategy';

/**
 * The data directories of a cluster on its nodes: absolute paths, none inside another. Immutable.
 * Rancher 2.9.0 and later.
 */
export interface DataDirectories {
  /** The directory of the distribution. @default - /var/lib/rancher/rke2 or /var/lib/rancher/k3s */
  readonly k8sDistro?: string;
  /** The directory of Rancher's provisioning. @default - /var/lib/rancher/capr */
  readonly provisioning?: string;
  /** The directory of Rancher's system agent. @default - /var/lib/rancher/agent */
  readonly systemAgent?: string;
}

/**
 * The IP families that components on a node use to communicate.
 *
 * @see rancher/rancher:pkg/apis/rke.cattle.io/v1/networking_stack_preference_types.go
 */
export enum StackPreference {
  /** Only IPv4. */
  IPV4 = 'ipv4',
  /**
   * Only IPv6. Harvester's node driver needs an IPv4 address, so this works only for custom
   * clusters.
   */
  IPV6 = 'ipv6',
  /** IPv4 and IPv6. */
  DUAL = 'dual',
}

/**
 * Operations that Rancher runs once each time a number changes. Set an operation, apply it, and
 * keep the number until you need the operation again.
 */
export interface ClusterOperations {
  /** Rotates the certificates of the cluster. Rancher 2.6.4 and later. @default - no rotation */
  readonly rotateCertificates?: RotateCertificates;
  /** Rotates the key that encrypts Secrets. Rancher 2.6.4 and later. @default - no rotation */
  readonly rotateEncryptionKeys?: number;
  /** Creates an etcd snapshot. @default - no snapshot besides the scheduled ones */
  readonly createSnapshot?: number;
  /** Restores an etcd snapshot. @default - no restore */
  readonly restoreSnapshot?: RestoreSnapshot;
  /** Runs the plans of all nodes again, which restarts Kubernetes on them. @default - no run */
  readonly provision?: number;
  /** Reinstalls Rancher's system agent on the nodes. @default - no reinstallation */
  readonly redeploySystemAgent?: number;
}

/**
 * A service of RKE2 or K3s whose certificates are rotated.
 * @see https://docs.rke2.io/security/certificates
 */
export class CertificateService {
  /** The administrator, e.g. of `kubectl` on a node. */
  public static readonly ADMIN = new CertificateService('admin');
  /** The API server. */
  public static readonly API_SERVER = new CertificateService('api-server');
  /** The proxy of the aggregation layer. */
  public static readonly AUTH_PROXY = new CertificateService('auth-proxy');
  /** The cloud controller manager of the distribution. */
  public static readonly CLOUD_CONTROLLER = new CertificateService('cloud-controller');
  /** The controller manager. */
  public static readonly CONTROLLER_MANAGER = new CertificateService('controller-manager');
  /** The members of etcd. */
  public static readonly ETCD = new CertificateService('etcd');
  /** The kubelets. */
  public static readonly KUBELET = new CertificateService('kubelet');
  /** kube-proxy. */
  public static readonly KUBE_PROXY = new CertificateService('kube-proxy');
  /** The scheduler. */
  public static readonly SCHEDULER = new CertificateService('scheduler');
  /** The controllers of RKE2. */
  public static readonly RKE2_CONTROLLER = new CertificateService('rke2-controller');
  /** The supervisor of RKE2. */
  public static readonly RKE2_SERVER = new CertificateService('rke2-server');
  /** The controllers of K3s. */
  public static readonly K3S_CONTROLLER = new CertificateService('k3s-controller');
  /** The supervisor of K3s. */
  public static readonly K3S_SERVER = new CertificateService('k3s-server');

  /**
   * Another service of the distribution's release.
   *
   * @param name as in `rke2 certificate rotate --service <name>`
   */
  public static of(name: string): CertificateService {
    return new CertificateService(name);
  }

  declare private readonly nominal: true;

  private constructor(
    /** The name of the service. */
    public readonly name: string,
  ) {}
}

/** A one-time rotation of the Kubernetes certificates on the nodes. */
export interface RotateCertificates {
  /** A counter. Rancher rotates the certificates each time it changes. */
  readonly generation: number;
  /** The services of the distribution. @default - all services */
  readonly services?: CertificateService[];
}

/** What is restored from a snapshot in addition to the data of etcd. */
export enum RestoreMode {
  /** Only the data of etcd. */
  NONE = 'none',
  /** The data of etcd and the Kubernetes version. */
  KUBERNETES_VERSION = 'kubernetesVersion',
  /**
   * The data of etcd, the Kubernetes version, and the cluster configuration. Rancher writes the
   * last two into the Cluster, even if the program declares others.
   */
  ALL = 'all',
}

/** A restore from a snapshot. */
export interface RestoreSnapshot {
  /** A counter. Rancher restores the snapshot each time it changes. */
  readonly generation: number;
  /** The name of the ETCDSnapshot on Rancher. */
  readonly name: string;
  /** What is restored in addition to the data of etcd. @default RestoreMode.NONE */
  readonly mode?: RestoreMode;
}

/** Values that keep an existing provisioned cluster unchanged when you adopt it. */
export interface AdoptedProvisionedCluster extends AdoptedManagedCluster {
  /**
   * Whether the Cluster contains the defaults of Rancher's UI in `machineGlobalConfig`,
   * `machineSelectorConfig` and `etcd`. Set it to false for a Cluster that Terraform or a manifest
   * created without them: to add them restarts Kubernetes on the nodes. Without `etcd`, RKE2 takes
   * snapshots every 12 hours.
   * @default true
   */
  readonly uiDefaults?: boolean;
}

/**
 * Properties of all guest clusters that Rancher provisions.
 *
 * The name is that of the provisioning Cluster: 2 to 63 of a-z, 0-9 and hyphens, immutable. The
 * names of virtual machines, load balancers and the cloud provider's Secret contain it, so keep it
 * short, and begin with a letter. The Fleet cluster has the labels of the Cluster.
 */
export interface ProvisionedClusterProps extends ResourceProps, ManagedClusterProps {
  /**
   * Values that keep an existing cluster unchanged when you adopt it. `cdk8s-harvester adopt`
   * writes them; a new cluster needs none.
   * @default - the program creates the cluster
   */
  readonly adopted?: AdoptedProvisionedCluster;
  /** The Kubernetes distribution, its release and its configuration. */
  readonly kubernetes: Kubernetes;
  /**
   * The Fleet workspace of the cluster: the namespace of its provisioning Cluster. Immutable.
   * @default 'fleet-default'
   */
  readonly fleetWorkspace?: string;
  /**
   * The management cluster ID. Immutable.
   * @default ClusterId.derived(), and ClusterId.late() below Rancher 2.8.0
   */
  readonly clusterId?: ClusterId;
  /**
   * The name of the target: the folder with the manifests for the guest cluster itself.
   * @default - the name of the Cluster
   */
  readonly targetName?: string;
  /** The container registries of the nodes. @default - the registries that images name */
  readonly registries?: Registries;
  /** The etcd snapshots. @default - a snapshot every five hours, of which each node keeps five */
  readonly etcd?: EtcdBackup;
  /** How nodes are upgraded. @default - one at a time, without draining */
  readonly upgradeStrategy?: UpgradeStrategy;
  /**
   * The IP families that components on a node use. Rancher 2.8.0 and later.
   * @default - Rancher's default, IPv4
   */
  readonly stackPreference?: StackPreference;
  /** The authorized cluster endpoint. Rancher 2.6.3 and later. @default - no endpoint */
  readonly authorizedEndpoint?: AuthorizedEndpoint;
  /**
   * The data directories on the nodes. Immutable. Rancher 2.9.0 and later.
   * @default - the usual directories below /var/lib/rancher
   */
  readonly dataDirectories?: DataDirectories;
  /**
   * The pod security admission template, e.g. `rancher-restricted`. Rancher 2.7.2 and later.
   * Rancher's webhook then adds a Secret, machineSelectorFiles and an argument of the API server to
   * the Cluster. An empty text means no template.
   * @default - `rancher-restricted` with a CIS profile, otherwise no template
   */
  readonly podSecurityTemplate?: string;
  /**
   * Objects that the control plane applies when it starts, each with apiVersion, kind and metadata.
   * @default - no objects
   */
  readonly additionalManifests?: any[];
  /**
   * Configuration of some machines, which wins over the configuration of all machines.
   * @default - no such configuration
   */
  readonly machineSelectors?: MachineSelector[];
  /** Files on the nodes. Rancher 2.7.2 and later. @default - no files */
  readonly machineFiles?: MachineFile[];
  /** Operations that run once. @default - no operations */
  readonly operations?: ClusterOperations;
  /**
   * The cloud provider, for load balancers and storage of the Harvester cluster.
   * @default - CloudProvider.harvester() if the Harvester cluster and the namespace of the machines are known, otherwise CloudProvider.none()
   */
  readonly cloudProvider?: CloudProvider;
}
