import { Duration } from 'cdk8s';
import { ITarget } from '../../core/app/target';

/** What happens to the objects of a Kustomization that is deleted. */
export enum FluxDeletionPolicy {
  /** All objects are kept. */
  ORPHAN = 'Orphan',
  /** Objects are deleted, except those that are kept. */
  DELETE = 'Delete',
  /** As DELETE; the Kustomization is gone once they are. */
  WAIT_FOR_TERMINATION = 'WaitForTermination',
  /** Objects are deleted where pruning is enabled. */
  MIRROR_PRUNE = 'MirrorPrune',
}

/** Properties of a delivery by Flux. */
export interface FluxDeliveryProps {
  /** Name of the source that contains the output. */
  readonly repository: string;
  /** Kind of the source: `GitRepository`, `OCIRepository`, or `Bucket`. @default GitRepository */
  readonly repositoryKind?: string;
  /** The output folder, as a path in the source. @default dist */
  readonly path?: string;
  /** Namespace of the Kustomizations, and of the Secrets with kubeconfigs. @default flux-system */
  readonly namespace?: string;
  /**
   * Prefix of the names of the Kustomizations, for several programs in one namespace.
   * @default - no prefix: the names of the stages, e.g. `rancher-1`
   */
  readonly namePrefix?: string;
  /** The target that Flux runs in. @default - the Rancher of the program; with several, each needs a kubeconfig */
  readonly runsIn?: ITarget;
  /** Names of the Secrets with the kubeconfigs of other targets, by target. @default - `<target>-kubeconfig` */
  readonly kubeconfigSecrets?: { readonly [target: string]: string };
  /** How often Flux compares the clusters with the source. @default Duration.minutes(10) */
  readonly interval?: Duration;
  /** How soon a failed Kustomization is tried again. @default Duration.seconds(10) */
  readonly retryInterval?: Duration;
  /**
   * How long Flux waits until a stage is healthy. Stages with images, machines or add-ons that others wait for have a longer one.
   * @default Duration.minutes(5)
   */
  readonly timeout?: Duration;
  /**
   * Whether Flux deletes objects that are removed from the output. Machines, data, Namespaces, Clusters, Settings and retained objects are always kept.
   * @default true
   */
  readonly prune?: boolean;
  /** What happens to the objects if a Kustomization is deleted. @default FluxDeletionPolicy.ORPHAN */
  readonly deletionPolicy?: FluxDeletionPolicy;
}
