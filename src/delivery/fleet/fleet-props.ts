/**
 * Properties of a delivery by Fleet, which is part of Rancher.
 */
export interface FleetDeliveryProps {
  /** URL of the Git repository that contains the output. */
  readonly repo: string;
  /**
   * Branch of the repository.
   * @default main
   */
  readonly branch?: string;
  /**
   * The output folder, as a path in the repository.
   * @default dist
   */
  readonly path?: string;
  /**
   * Name of the Secret with the credentials of the repository, next to each GitRepo.
   * @default - the repository needs none
   */
  readonly clientSecretName?: string;
  /**
   * Prefix of the names of GitRepos and bundles, for several programs in one Rancher.
   * @default - no prefix: the names of targets and stages
   */
  readonly namePrefix?: string;
  /**
   * Names of the Clusters of Fleet, by target: in `fleet-default`, as their Clusters of provisioning.cattle.io.
   * @default - the name of the Cluster that the program declares for the target, otherwise the name of the target; `local` for Rancher
   */
  readonly clusters?: { readonly [target: string]: string };
  /**
   * Namespace of the Helm releases. Their Secrets contain the manifests, so few people should be able to read it.
   * @default cattle-fleet-system
   */
  readonly releaseNamespace?: string;
}
