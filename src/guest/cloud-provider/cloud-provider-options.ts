import { CloudConfigOptions, ICloudConfigSecret } from './cloud-config-secret';
import { IVmNetwork } from '../../harvester/network/vm-network';
import { CsiDriver } from '../csi/csi-driver';

/**
 * How the cloud config gets to the nodes where the cloud provider comes by a HelmChart.
 */
export enum CloudConfigDelivery {
  /**
   * As a file that the user data of every machine writes: the documented way. A new token changes the user data, so Rancher replaces the machines.
   */
  USER_DATA = 'user-data',

  /**
   * As a file that Rancher's agent writes, from a Secret on Rancher: a new token changes no machine. Rancher 2.7.2 and later. Taken from Rancher's
   * source; no documentation of Harvester's describes it (UNCONFIRMED).
   */
  MACHINE_FILES = 'machine-files',

  /**
   * As a Secret in the guest cluster. It stands in the spec of the Cluster, readable by who may read that. Charts 0.2.12 and later.
   */
  GUEST_SECRET = 'guest-secret',
}

/**
 * Options of kube-vip, which announces the addresses of load balancers in a guest cluster.
 */
export interface KubeVipOptions {
  /** Whether it is installed. False needs chart 0.2.7 or later. @default true */
  readonly enabled?: boolean;
  /** The network interface of the nodes that it announces on, e.g. `enp1s0`. @default - that of the default route */
  readonly networkInterface?: string;
  /** Its environment, by variable, e.g. `vip_arp`. @default - that of the chart */
  readonly env?: { readonly [name: string]: string };
  /** Labels of the nodes that it runs on. @default - those of the control plane */
  readonly nodeSelector?: { readonly [label: string]: string };
  /** Its tolerations, as Kubernetes has them: needed where control plane nodes have taints of your own. @default - those of the chart */
  readonly tolerations?: any[];
}

/**
 * Options of the Harvester cloud provider.
 */
export interface HarvesterCloudProviderOptions {
  /** The account that it has on the Harvester. @default - one named like the cluster, with the rights that Harvester's API gives */
  readonly cloudConfig?: CloudConfigOptions;
  /** A cloud config that is there, or one that is made apart, in place of an account of its own. @default - none */
  readonly existingCloudConfig?: ICloudConfigSecret;
  /**
   * The network whose addresses are the nodes' own, and which load balancers of the cluster take theirs from. Chart 0.2.12 and later; load
   * balancers on it need Harvester 1.9.0.
   * @default - the first network
   */
  readonly managementNetwork?: IVmNetwork;
  /** Where the addresses of nodes lie: at most one IPv4 and one IPv6 CIDR or address. Chart 0.2.12 and later. @default - anywhere */
  readonly nodeIpCidrs?: string[];
  /** Addresses and CIDRs that are no addresses of nodes, e.g. those of load balancers. Chart 0.2.12 and later. @default - none */
  readonly nodeExcludeIpRanges?: string[];
  /** More arguments of the program, e.g. `--v=4`. Chart 0.2.12 and later. @default - none */
  readonly extraArgs?: string[];
  /** How many pods; no two run on one node. @default - that of the chart, 1 */
  readonly replicas?: number;
  /** Requests and limits of the pods, as Kubernetes has them. @default - none */
  readonly resources?: any;
  /** Labels of the nodes that it runs on. @default - any Linux node */
  readonly nodeSelector?: { readonly [label: string]: string };
  /** Its tolerations, as Kubernetes has them, in place of those of the chart. @default - those of the chart */
  readonly tolerations?: any[];
  /** kube-vip. @default - as the chart has it */
  readonly kubeVip?: KubeVipOptions;
  /** Values of the chart that have no option here, and values that win over all options. @default - none */
  readonly values?: { readonly [key: string]: any };
  /** The CSI driver. @default - the bundled one of RKE2; none on K3s, and with CloudProvider.external */
  readonly csi?: CsiDriver;
  /**
   * The version of the chart, `0.2.11` or as Rancher counts, `108.0.1+up0.2.12`. Not for the bundled one of RKE2, which is upgraded with RKE2.
   * @default - the one that was current with the Harvester, but none with a known fault
   */
  readonly chartVersion?: string;
  /** The URL of the chart's repository. Not for the bundled one of RKE2. @default 'https://charts.harvesterhci.io/' */
  readonly chartRepository?: string;
  /** How the cloud config gets to the nodes. Not for the bundled one of RKE2: Rancher writes it there. @default CloudConfigDelivery.USER_DATA */
  readonly delivery?: CloudConfigDelivery;
}
