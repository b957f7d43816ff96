/**
 * The authorized cluster endpoint: direct access to the API server of the cluster for Rancher
 * users, without Rancher's proxy.
 *
 * @see https://ranchermanager.docs.rancher.com/reference-guides/rancher-manager-architecture/communicating-with-downstream-user-clusters
 */
export interface AuthorizedEndpoint {
  /** Whether the endpoint is enabled. @default true */
  readonly enabled?: boolean;
  /**
   * The host name of the control plane, with `:<port>` unless it is 443.
   * @default - kubeconfigs name each control plane node
   */
  readonly fqdn?: string;
  /**
   * The CA certificates of the host, in PEM form; needs fqdn.
   * @default - public CAs; without fqdn the CA of the cluster
   */
  readonly caCertificates?: string;
}
