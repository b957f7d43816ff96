import { AuthEndpoint } from './auth-endpoint';
import { CloudProvider } from './cloud-provider';
import { ClusterOperations } from './cluster-operations';
import { DataDirectories } from './data-directories';
import { EtcdBackup } from './etcd-backup';
import { Kubernetes } from './kubernetes';
import { MachineFile } from './machine-file';
import { MachineSelector } from './machine-selector';
import { Registries } from './registries';
import { StackPreference } from './stack-preference';
import { UpgradeStrategy } from './upgrade-strategy';
import { AgentDeployment, ManagementClusterId, WebhookDeployment } from '../rancher';

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
   * The namespace of the provisioning Cluster on Rancher: a Fleet workspace.
   * @default 'fleet-default'
   */
  readonly clusterNamespace?: string;
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
