import { AuthEndpoint } from './auth-endpoint';
import { MachinePool } from './machine-pool';
import { Rke1CloudProvider } from './rke1-cloud-provider';
import { Rke1Docker, Rke1Network, Rke1Services, Rke1UpgradeStrategy } from './rke1-options';
import { INamespace } from '../model/namespace';
import { ICloudCredential, IHarvesterImport } from '../rancher';

/**
 * Properties of an RKE1 cluster.
 */
export interface Rke1ClusterProps {
  /** The imported Harvester that the machines run on. Its target must be a HarvesterChart of the program, of a version before 1.6.0. */
  readonly harvester: IHarvesterImport;
  /** The namespace of the machines on that Harvester. */
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
   * @default - the id of the construct
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
  /** Text that Rancher's UI shows. @default - none */
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
   * @default - a service account on the Harvester that all guest clusters of this Harvester share
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
