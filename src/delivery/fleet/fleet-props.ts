/** Properties of a delivery by Fleet, which is part of Rancher. */
export interface FleetDeliveryProps {
  /** URL of the Git repository that contains the output. */
  readonly repo: string;
  /** Branch of the repository. @default main */
  readonly branch?: string;
  /** The output folder, as a path in the repository. @default dist */
  readonly path?: string;
  /** Name of the Secret with the credentials of the repository, next to each GitRepo. @default - the repository needs none */
  readonly clientSecretName?: string;
  /** Prefix of the names of GitRepos and bundles, for several programs in one Rancher. @default - no prefix: the names of targets and stages */
  readonly namePrefix?: string;
  /**
   * The Clusters of Fleet, by target, as `<name>` or `<namespace>/<name>` of their Cluster of provisioning.cattle.io; the namespace is `fleet-default` if it
   * is left out. The GitRepo of a target is in the namespace of its Cluster.
   * @default - the Cluster that the program declares for the target, otherwise one with the name of the target; `local` for Rancher
   */
  readonly clusters?: { readonly [target: string]: string };
  /** Namespace of the Helm releases. Their Secrets contain the manifests, so few people should be able to read it. @default cattle-fleet-system */
  readonly releaseNamespace?: string;
}
