import { KubernetesOptions } from './kubernetes-options';

/**
 * How Flannel in K3s connects the nodes.
 */
export enum K3sFlannelBackend {
  /** VXLAN. */
  VXLAN = 'vxlan',
  /** Routes of the hosts, which must lie in one network. */
  HOST_GW = 'host-gw',
  /** WireGuard. */
  WIREGUARD_NATIVE = 'wireguard-native',
  /** No Flannel: install a network plugin of your own. */
  NONE = 'none',
}

/**
 * How K3s is configured.
 *
 * @see https://docs.k3s.io/cli/server
 */
export interface K3sOptions extends KubernetesOptions {
  /** How Flannel connects the nodes. @default - K3s' own, vxlan */
  readonly flannelBackend?: K3sFlannelBackend;
  /**
   * Whether Secrets are encrypted in the datastore. To be decided at the start.
   * @default false
   */
  readonly secretsEncryption?: boolean;
  /**
   * Whether K3s enforces NetworkPolicies.
   * @default true
   */
  readonly networkPolicy?: boolean;
  /** Whether nodes share the images that they have. @default - false */
  readonly embeddedRegistry?: boolean;
  /**
   * Whether Docker is used in place of containerd.
   * @default false
   */
  readonly docker?: boolean;
}
