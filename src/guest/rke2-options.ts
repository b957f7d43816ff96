import { KubernetesOptions } from './kubernetes-options';

/**
 * The network plugins that RKE2 brings along.
 */
export enum Rke2Cni {
  /** Calico. */
  CALICO = 'calico',
  /** Canal: Flannel with Calico's policies. */
  CANAL = 'canal',
  /** Cilium. */
  CILIUM = 'cilium',
  /** Flannel. */
  FLANNEL = 'flannel',
  /** None: nodes stay NotReady until you install one of your own. */
  NONE = 'none',
}

/**
 * The ingress controllers that RKE2 brings along.
 */
export enum Rke2IngressController {
  /** Ingress NGINX, which upstream has retired. */
  INGRESS_NGINX = 'ingress-nginx',
  /** Traefik. */
  TRAEFIK = 'traefik',
  /** None. */
  NONE = 'none',
}

/**
 * How RKE2 is configured.
 *
 * @see https://docs.rke2.io/reference/server_config
 */
export interface Rke2Options extends KubernetesOptions {
  /**
   * The network plugin. Never to be changed.
   * @default Rke2Cni.CALICO
   */
  readonly cni?: Rke2Cni;
  /**
   * Whether Multus runs before the network plugin, for pods with several networks.
   * @default false
   */
  readonly multus?: boolean;
  /**
   * The ingress controllers; the first one's class is the default. Rancher 2.14 and later, and releases of RKE2 with the chart of Traefik: that
   * earlier ones let the key pass is UNCONFIRMED, so there it goes into `config`. Rancher's UI asks for Traefik in new clusters.
   * @default - RKE2's own: which one it is depends on its release
   */
  readonly ingressControllers?: Rke2IngressController[];
  /**
   * A hardening profile, e.g. `cis`; `cis-1.23` before RKE2 1.29. It makes protectKernelDefaults true and the pod security template
   * `rancher-restricted` the default, as Rancher's UI does. The image of the machines must have the user `etcd` and the kernel's settings.
   * @default - none
   */
  readonly profile?: string;
  /** The audit policy of the API server: an object of kind Policy. @default - RKE2's own */
  readonly auditPolicy?: any;
}
