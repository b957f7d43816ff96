import { Duration, Size } from 'cdk8s';
import { FixedAddresses } from './fixed-addresses';
import { TaintEffect } from '../../core/manifest/taint';
import { SecretValue } from '../../core/value/secret-value';
import { MachineProps } from '../../harvester/machine/machine-props';
import { ICloudCredential } from '../../rancher/credential/cloud-credential';

/** The roles of the nodes of a pool. */
export interface MachineRolesProps {
  /** Whether the nodes run the control plane. @default false */
  readonly controlPlane?: boolean;
  /**
   * Whether the nodes run etcd. Use an odd number of such nodes in all pools together.
   * @default false
   */
  readonly etcd?: boolean;
  /** Whether the nodes run workloads. @default false */
  readonly worker?: boolean;
}

/** The roles of the nodes of a pool. The pools of a cluster together need every role. */
export class MachineRoles {
  /** Control plane, etcd and workloads, for small clusters. */
  public static readonly ALL = new MachineRoles(true, true, true);
  /** Control plane and etcd. */
  public static readonly CONTROL_PLANE_ETCD = new MachineRoles(true, true, false);
  /** Only the control plane. */
  public static readonly CONTROL_PLANE = new MachineRoles(true, false, false);
  /** Only etcd. */
  public static readonly ETCD = new MachineRoles(false, true, false);
  /** Only workloads. */
  public static readonly WORKER = new MachineRoles(false, false, true);

  /**
   * Any combination of roles.
   *
   * @param roles at least one
   */
  public static of(roles: MachineRolesProps): MachineRoles {
    return new MachineRoles(
      roles.controlPlane ?? false,
      roles.etcd ?? false,
      roles.worker ?? false,
    );
  }

  declare private readonly nominal: true;

  private constructor(
    /** Whether the nodes run the control plane. */
    public readonly controlPlane: boolean,
    /** Whether the nodes run etcd. */
    public readonly etcd: boolean,
    /** Whether the nodes run workloads. */
    public readonly worker: boolean,
  ) {}
}

/** The operating system of the nodes of a pool. */
export enum MachineOs {
  /** Linux. */
  LINUX = 'linux',
  /** Windows, for workloads only. */
  WINDOWS = 'windows',
}

/** A taint of the nodes of a pool. */
export interface MachineTaint {
  /** The key, a label name. */
  readonly key: string;
  /** The value. @default - a taint without a value */
  readonly value?: string;
  /** The effect on pods that do not tolerate the taint. */
  readonly effect: TaintEffect;
}

/** The program that sets the number of machines of a pool. */
export enum MachineAutoscaler {
  /**
   * Rancher's own autoscaler, from Rancher 2.13 on, or kubernetes/autoscaler with
   * `--cloud-provider=clusterapi`: the pool has no quantity.
   */
  CLUSTER_API = 'clusterapi',
  /**
   * kubernetes/autoscaler with `--cloud-provider=rancher`, which reads annotations of the pool and
   * writes its quantity: all pools of the cluster must have one.
   */
  RANCHER = 'rancher',
}

/** The bounds within which the cluster autoscaler sets the number of machines of a pool. */
export interface MachineAutoscaling {
  /** The minimum; at least 1 for pools with control plane or etcd. */
  readonly min: number;
  /** The maximum. */
  readonly max: number;
  /**
   * The program that sets the number of machines. All pools of a cluster have the same.
   * @default MachineAutoscaler.CLUSTER_API
   */
  readonly autoscaler?: MachineAutoscaler;
  /**
   * The ephemeral storage of a node. With it, annotations of the pool show `MachineAutoscaler.RANCHER`
   * what a node has, with the CPUs and the memory of the pool, so that it scales a pool from 0
   * machines. In `machineDeploymentAnnotations`, other amounts take precedence. Cannot be set with
   * another autoscaler.
   * @default - the autoscaler does not know what a node has: it leaves a pool without machines alone if pods request resources
   */
  readonly ephemeralStorage?: Size;
}

/** How many machines Rancher replaces at a time when the machines of a pool change. */
export interface MachineRollingUpdate {
  /**
   * The number of machines above the quantity: a number or a percentage, e.g. `1` or `25%`.
   * @default - Cluster API's default, 1
   */
  readonly maxSurge?: string;
  /**
   * The number of machines below the quantity: a number or a percentage.
   * @default - Cluster API's default, 0
   */
  readonly maxUnavailable?: string;
}

/**
 * What a machine pool has that the UI, Terraform or kubectl created: above all the texts of its
 * HarvesterConfig, or of the `harvesterConfig` of its NodeTemplate, byte for byte, so that it is
 * declared without replacing its machines.
 *
 * Rancher compares these texts literally. Terraform, Rancher's UI, people and this library write
 * the same value in different ways: other spaces, other order of keys, plain or in base64. A text is
 * written unchanged while it means the same as the props of the pool to the node driver. After an
 * edit of these props it has no effect, and a warning asks you to remove it.
 */
export interface AdoptedMachinePool {
  /** The disks, as JSON. @default - written from `disks` */
  readonly diskInfo?: string;
  /** The NICs, as JSON. @default - written from `networks` or `nics` */
  readonly networkInfo?: string;
  /** The virtual GPUs, as JSON. @default - written from `vgpus` */
  readonly vgpuInfo?: string;
  /** The affinity, as JSON, plain or in base64. @default - written from `affinity` */
  readonly vmAffinity?: string;
  /** The user data, as YAML, plain or in base64. @default - written from `cloudInit` */
  readonly userData?: string;
  /** The network data, as YAML, plain or in base64. @default - written from `networkData` */
  readonly networkData?: string;
  /**
   * Whether the only disk and the only NIC are in fields of their own, `imageName`, `diskSize`,
   * `networkName` and others, which the node driver still reads.
   * Has no effect for machines with several disks or NICs.
   * @default false - they are in diskInfo and networkInfo
   */
  readonly singleFields?: boolean;
  /**
   * The display name of the MachineDeployment, which Terraform sets to the name of the pool.
   * Rancher does not use it. Not supported by RKE1.
   * @default - not set, as in the UI
   */
  readonly displayName?: string;
}

/**
 * A machine pool of a guest cluster: equal virtual machines on Harvester, which Rancher creates
 * with its node driver.
 *
 * Creates a HarvesterConfig on Rancher and an entry of `rkeConfig.machinePools`. The node driver
 * creates the virtual machines on Harvester.
 *
 * Rancher replaces all machines of a pool, one after the other, if any field of their
 * HarvesterConfig changes: cpus, memory, disks, networks, user data, affinity, hardware and SSH.
 * Roles are immutable. Quantity, labels, taints, drain and health settings change in place.
 * `cdk8s-harvester explain MachinePool.<prop>` prints what an edit of a prop does.
 *
 * @see https://docs.harvesterhci.io/v1.7/rancher/node/rke2-cluster
 */
export interface MachinePool extends MachineProps {
  /**
   * The name: an RFC 1123 label, unique in the cluster, at most 50 characters together with the
   * name of the cluster. A new name creates a new pool.
   */
  readonly name: string;
  /**
   * The number of machines, 0 or more. With `MachineAutoscaler.RANCHER` the number at creation, which
   * the autoscaler changes from then on. Cannot be set together with another autoscaler.
   * @default - 1; the minimum with `MachineAutoscaler.RANCHER`
   */
  readonly quantity?: number;
  /** The roles of the nodes. */
  readonly roles: MachineRoles;
  /**
   * The user of the image for the shell in Rancher's UI, e.g. `ubuntu`, `opensuse` or `sles`.
   * Provisioning does not need it.
   * @default - the node driver's default, `root`, which cannot log in to most cloud images
   */
  readonly sshUser?: string;
  /**
   * A password for sshUser. The HarvesterConfig contains it in plain text.
   * @default - no password: Rancher creates a key for each machine
   */
  readonly sshPassword?: SecretValue;
  /** The port of the SSH server of the machines. @default 22 */
  readonly sshPort?: number;
  /**
   * The fixed addresses of the machines, each of which becomes a pool of its own. Cannot be set
   * together with `networkData` and `autoscaling`.
   * @default - DHCP, or `networkData`
   */
  readonly fixedAddresses?: FixedAddresses;
  /** Labels of the nodes. @default - no labels */
  readonly nodeLabels?: { readonly [key: string]: string };
  /** Taints of the nodes. @default - no taints */
  readonly taints?: MachineTaint[];
  /** Labels of the MachineDeployment of Cluster API. @default - no labels */
  readonly machineDeploymentLabels?: { readonly [key: string]: string };
  /** Annotations of the MachineDeployment of Cluster API. @default - no annotations */
  readonly machineDeploymentAnnotations?: { readonly [key: string]: string };
  /** Labels of the HarvesterConfig. A change of them replaces no machine. @default - no labels */
  readonly machineConfigLabels?: { readonly [key: string]: string };
  /**
   * Annotations of the HarvesterConfig. A change of them replaces no machine.
   * @default - no annotations
   */
  readonly machineConfigAnnotations?: { readonly [key: string]: string };
  /** Whether a node is drained before its machine is deleted. @default true */
  readonly drainBeforeDelete?: boolean;
  /**
   * The maximum duration of the drain, in whole seconds; then the machine is deleted in any case.
   * @default - no limit
   */
  readonly drainBeforeDeleteTimeout?: Duration;
  /**
   * How long a node may be unhealthy before its machine is replaced, in whole seconds; 0 means
   * indefinitely.
   * @default Duration.seconds(0)
   */
  readonly unhealthyNodeTimeout?: Duration;
  /**
   * How long a new machine may take to become a node before it is replaced.
   * @default - 10 minutes with unhealthyNodeTimeout, otherwise indefinitely
   */
  readonly nodeStartupTimeout?: Duration;
  /**
   * The number of unhealthy machines above which none is replaced: a number or a percentage.
   * @default - Cluster API's default, 100%
   */
  readonly maxUnhealthy?: string;
  /**
   * The range of unhealthy machines within which they are replaced, e.g. `[3-5]`.
   * @default - any number of them
   */
  readonly unhealthyRange?: string;
  /** How many machines are replaced at a time. @default - Cluster API's default, one at a time */
  readonly rollingUpdate?: MachineRollingUpdate;
  /**
   * The maximum length of host names, 10 to 63 characters. Longer names are cut and end in a hash,
   * so that a node and its virtual machine have different names, and the Harvester cloud provider
   * does not find the virtual machine. Rancher 2.7.5 and later.
   * @default 63
   */
  readonly hostnameLengthLimit?: number;
  /** Whether Rancher stops to reconcile the pool. @default false */
  readonly paused?: boolean;
  /** The operating system of the nodes. @default MachineOs.LINUX */
  readonly machineOs?: MachineOs;
  /**
   * The bounds for the cluster autoscaler, which then sets the quantity.
   * @default - no autoscaling
   */
  readonly autoscaling?: MachineAutoscaling;
  /** The cloud credential of the pool. @default - the credential of the cluster */
  readonly credential?: ICloudCredential;
  /**
   * The name of the HarvesterConfig. Pools of a cluster with the same name share it; their machines
   * must be equal.
   * @default - `nc-<cluster>-<pool>`
   */
  readonly machineConfigName?: string;
  /**
   * Values that keep an existing pool unchanged when you adopt it. `cdk8s-harvester adopt`
   * writes them; a new pool needs none.
   * @default - the program creates the pool
   */
  readonly adopted?: AdoptedMachinePool;
}
