/**
 * The authorized cluster endpoint: access to the cluster's own API server with the users of Rancher, without Rancher in between.
 *
 * @see https://ranchermanager.docs.rancher.com/reference-guides/rancher-manager-architecture/communicating-with-downstream-user-clusters
 */
export interface AuthEndpoint {
  /**
   * Whether there is one.
   * @default true
   */
  readonly enabled?: boolean;
  /** A host that leads to the control plane. @default - each control plane node is named in kubeconfigs */
  readonly fqdn?: string;
  /** Certificates in PEM form that the host's certificate is signed by; needs fqdn. @default - the cluster's own */
  readonly caCertificates?: string;
}
