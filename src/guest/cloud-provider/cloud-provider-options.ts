import { CloudConfigOptions, ICloudConfigSecret } from './cloud-config-secret';
import { IVmNetwork } from '../../harvester/network/vm-network';
import { CsiDriver } from '../csi/csi-driver';

/**
 * How the cloud config gets to the nodes if a HelmChart installs the cloud provider.
 */
export enum CloudConfigDelivery {
  /**
   * A file that the user data of every machine writes, as documented. A new token changes the user data, so Rancher replaces the machines.
   */
  USER_DATA = 'user-data',

  /**
   * A file that Rancher's agent writes, from a Secret on Rancher: a new token does not replace machines. Rancher 2.7.2 and later. Read in Rancher's
   * source code; Harvester's documentation does not describe it (unconfirmed).
   */
  MACHINE_FILES = 'machine-files',

  /**
   * A Secret in the guest cluster. The spec of the Cluster contains it in plain text. Charts 0.2.12 and later.
   */
  GUEST_SECRET = 'guest-secret',
}

/**
 * Options of kube-vip, which announces the addresses of load balancers in a guest cluster.
 */
export interface KubeVipOptions {
  /** Whether kube-vip is installed. `false` needs chart 0.2.7 or later. @default true */
  readonly enabled?: boolean;
  /** The network interface of the nodes for announcements, e.g. `enp1s0`. @default - the interface of the default route */
  readonly networkInterface?: string;
  /** The environment variables, e.g. `vip_arp`. @default - the chart's defaults */
  readonly env?: { readonly [name: string]: string };
  /** Labels of the nodes that it runs on. @default - control plane nodes */
  readonly nodeSelector?: { readonly [label: string]: string };
  /** The Kubernetes tolerations, needed if control plane nodes have your own taints. @default - the chart's defaults */
  readonly tolerations?: any[];
}

/**
 * Options of the Harvester cloud provider.
 */
export interface HarvesterCloudProviderOptions {
  /** The account on Harvester. @default - an account named like the cluster, with the permissions that Harvester's API grants */
  readonly cloudConfig?: CloudConfigOptions;
  /** An existing cloud config instead of a new account. @default - a new account */
  readonly existingCloudConfig?: ICloudConfigSecret;
  /**
   * The network with the addresses of nodes, from which load balancers of the cluster get theirs. Chart 0.2.12 and later; load
   * balancers on it need Harvester 1.9.0.
   * @default - the first network
   */
  readonly managementNetwork?: IVmNetwork;
  /** The CIDRs or addresses of nodes: at most one IPv4 and one IPv6 entry. Chart 0.2.12 and later. @default - any address */
  readonly nodeIpCidrs?: string[];
  /** Addresses and CIDRs that nodes do not have, e.g. those of load balancers. Chart 0.2.12 and later. @default - no exclusions */
  readonly nodeExcludeIpRanges?: string[];
  /** Additional arguments, e.g. `--v=4`. Chart 0.2.12 and later. @default - no additional arguments */
  readonly extraArgs?: string[];
  /** The number of pods, each on another node. @default - the chart's default, 1 */
  readonly replicas?: number;
  /** The Kubernetes resource requests and limits of the pods. @default - no requests and limits */
  readonly resources?: any;
  /** Labels of the nodes that it runs on. @default - any Linux node */
  readonly nodeSelector?: { readonly [label: string]: string };
  /** The Kubernetes tolerations, instead of those of the chart. @default - the chart's defaults */
  readonly tolerations?: any[];
  /** The options of kube-vip. @default - the chart's defaults */
  readonly kubeVip?: KubeVipOptions;
  /** Additional values of the chart, which win over all options. @default - no additional values */
  readonly values?: { readonly [key: string]: any };
  /** The CSI driver. @default - the bundled one of RKE2; no driver on K3s and with CloudProvider.external */
  readonly csi?: CsiDriver;
  /**
   * The version of the chart, `0.2.11` or in Rancher's form, `108.0.1+up0.2.12`. Cannot be set for the chart that RKE2 bundles and upgrades.
   * @default - the version that was current with the Harvester version, without known faults
   */
  readonly chartVersion?: string;
  /** The URL of the chart's repository. Cannot be set for the chart that RKE2 bundles. @default 'https://charts.harvesterhci.io/' */
  readonly chartRepository?: string;
  /** How the cloud config gets to the nodes. Cannot be set for the chart that RKE2 bundles. @default CloudConfigDelivery.USER_DATA */
  readonly delivery?: CloudConfigDelivery;
}
