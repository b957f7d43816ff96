import { ITarget } from '../../core/app/target';

/** Properties of a delivery by Argo CD. */
export interface ArgoCdDeliveryProps {
  /** URL of the Git repository that contains the output. */
  readonly repoUrl: string;
  /** Branch, tag or commit. @default HEAD */
  readonly targetRevision?: string;
  /** The output folder, as a path in the repository. @default dist */
  readonly path?: string;
  /** Namespace of the Applications. @default argocd */
  readonly namespace?: string;
  /** The project (AppProject) of the Applications. @default default */
  readonly project?: string;
  /** Prefix of the names of the Applications, for several programs in one namespace. @default - no prefix: the names of the targets */
  readonly namePrefix?: string;
  /** The target that Argo CD runs in. @default - the Rancher of the program; with several, all are reached by name */
  readonly runsIn?: ITarget;
  /** Names by which Argo CD knows the clusters of other targets, by target. @default - the names of the targets */
  readonly clusters?: { readonly [target: string]: string };
  /**
   * Whether Argo CD deletes objects that are removed from the output. Machines, data, Namespaces, Clusters, Settings and retained objects are always
   * kept; their Application is OutOfSync from then on.
   * @default true
   */
  readonly prune?: boolean;
  /** Whether Argo CD reverts changes that others make on the clusters. @default true */
  readonly selfHeal?: boolean;
}
