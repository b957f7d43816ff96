/**
 * What runs behind a Kubernetes API that manifests are for.
 */
export enum TargetKind {
  /** The Rancher management cluster ("local"). */
  RANCHER = 'rancher',
  /** A Harvester cluster. */
  HARVESTER = 'harvester',
  /** A guest Kubernetes cluster on Harvester VMs. */
  GUEST = 'guest',
}
