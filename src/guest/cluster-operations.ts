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
