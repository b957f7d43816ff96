/**
 * How Kubernetes is configured, whatever the distribution.
 */
export interface KubernetesOptions {
  /**
   * Further names and addresses that the certificate of the API server is valid for, e.g. a load balancer before the control plane.
   * @default - only those of the nodes
   */
  readonly tlsSan?: string[];
  /** CIDRs of pods, one a family of addresses, e.g. `10.42.0.0/16`. Never to be changed. @default - the distribution's own, 10.42.0.0/16 */
  readonly clusterCidr?: string[];
  /** CIDRs of services, one a family of addresses, e.g. `10.43.0.0/16`. Never to be changed. @default - the distribution's own, 10.43.0.0/16 */
  readonly serviceCidr?: string[];
  /** The address of the cluster's DNS, within serviceCidr. @default - the tenth of serviceCidr */
  readonly clusterDns?: string;
  /** The domain of the cluster. @default - the distribution's own, cluster.local */
  readonly clusterDomain?: string;
  /** Bundled components that are left out, by the name of their chart or manifest. @default - none */
  readonly disable?: string[];
  /**
   * Whether kube-proxy runs; false for a network plugin that takes its place.
   * @default true
   */
  readonly kubeProxy?: boolean;
  /**
   * Whether etcd shows its metrics outside of its node.
   * @default false
   */
  readonly etcdExposeMetrics?: boolean;
  /** A registry that images of the system come from, as `<host>[:port]`. @default - Docker Hub */
  readonly systemDefaultRegistry?: string;
  /** Whether SELinux is enabled in containerd. @default - false */
  readonly selinux?: boolean;
  /**
   * Whether the kubelet fails where settings of the kernel are not what it expects.
   * @default - false; true with a CIS profile
   */
  readonly protectKernelDefaults?: boolean;
  /** Arguments of the kubelet, e.g. `max-pods=200`. @default - none */
  readonly kubeletArgs?: string[];
  /** Arguments of the API server, e.g. `event-ttl=2h`. @default - none */
  readonly apiServerArgs?: string[];
  /** Arguments of the controller manager. @default - none */
  readonly controllerManagerArgs?: string[];
  /** Arguments of the scheduler. @default - none */
  readonly schedulerArgs?: string[];
  /** Arguments of kube-proxy. @default - none */
  readonly kubeProxyArgs?: string[];
  /** Arguments of etcd. @default - none */
  readonly etcdArgs?: string[];
  /**
   * Values of charts that the distribution bundles, by chart, e.g. `{'rke2-calico': {installation: {…}}}`. Rancher adds
   * `global.cattle.clusterId` to each. Of charts that are not bundled they have no effect.
   * @default - none
   */
  readonly chartValues?: { readonly [chart: string]: any };
  /**
   * Further keys of the distribution's configuration file, for all machines. Texts, true or false and lists: numbers, maps and null are refused,
   * since Rancher drops them without a word. So it does with keys that it does not know for the release.
   * @default - none
   */
  readonly config?: { readonly [key: string]: any };
}
