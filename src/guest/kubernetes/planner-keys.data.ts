/**
 * The keys of machineGlobalConfig and machineSelectorConfig that Rancher passes on to a node; it drops all others silently.
 *
 * Read for v1.31.1. Later releases may know more keys (unconfirmed), so an unknown key is only a warning.
 *
 * @see rancher/rancher:pkg/capr/planner/filter.go filterField
 * @see rancher/kontainer-driver-metadata:data/data.json (dev-v2.10) serverArgs and agentArgs
 */
interface PlannerKeys {
  /** Keys for control plane and etcd nodes. */
  readonly server: readonly string[];
  /** Keys for all nodes. */
  readonly agent: readonly string[];
}

const DATASTORE = ['datastore-cafile', 'datastore-certfile', 'datastore-endpoint', 'datastore-keyfile'];

const SERVER_OF_BOTH = [
  'cluster-cidr', 'cluster-dns', 'cluster-domain', ...DATASTORE, 'disable', 'disable-cloud-controller', 'disable-kube-proxy', 'disable-scheduler',
  'egress-selector-mode', 'embedded-registry', 'etcd-arg', 'etcd-expose-metrics', 'kube-apiserver-arg', 'kube-cloud-controller-manager-arg',
  'kube-controller-manager-arg', 'kube-scheduler-arg', 'service-cidr', 'service-node-port-range', 'supervisor-metrics', 'tls-san',
  'tls-san-security', 'write-kubeconfig-group',
];

const AGENT_OF_BOTH = [
  'bind-address', 'debug', 'default-runtime', 'disable-default-registry-endpoint', 'enable-pprof', 'kube-proxy-arg', 'kubelet-arg',
  'protect-kernel-defaults', 'resolv-conf', 'selinux', 'system-default-registry',
];

const EXTRA_OF_RKE2 = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-proxy', 'kube-scheduler', 'cloud-controller-manager']
  .flatMap((component) => [`${component}-extra-env`, `${component}-extra-mount`]);

/** The keys by distribution, as the end of a Kubernetes version names it. */
const PLANNER_KEYS: { readonly [distribution: string]: PlannerKeys } = {
  rke2: {
    server: [
      ...SERVER_OF_BOTH, 'audit-policy-file', 'cni', 'container-runtime-endpoint', 'etcd-image', 'kube-apiserver-image', 'kube-controller-manager-image',
      'kube-proxy-arg', 'kube-scheduler-image', 'kubelet-path', 'pause-image', 'runtime-image', 'snapshotter',
      // the dashboard of Rancher 2.14 writes it; that its releases pass it on is unconfirmed
      'ingress-controller',
    ],
    agent: [
      ...AGENT_OF_BOTH, ...EXTRA_OF_RKE2, 'audit-policy-file', 'cloud-provider-config', 'cloud-provider-name', 'control-plane-resource-limits',
      'control-plane-resource-requests', 'profile',
    ],
  },
  k3s: {
    server: [
      ...SERVER_OF_BOTH, 'default-local-storage-path', 'disable-apiserver', 'disable-controller-manager', 'disable-etcd', 'disable-network-policy',
      'flannel-backend', 'helm-job-image', 'kine-tls', 'secrets-encryption',
    ],
    agent: [
      ...AGENT_OF_BOTH, 'disable-apiserver-lb', 'docker', 'flannel-conf', 'flannel-iface', 'pause-image', 'snapshotter', 'vpn-auth', 'vpn-auth-file',
    ],
  },
};

/** Keys that name the cloud provider of RKE2; K3s uses a HelmChart instead. */
export const CLOUD_PROVIDER_NAME = 'cloud-provider-name';
export const CLOUD_PROVIDER_CONFIG = 'cloud-provider-config';

/**
 * The distribution at the end of a Kubernetes version; undefined for other texts.
 * @see rancher/rancher:pkg/capr/common.go GetRuntime
 */
export function distributionOf(kubernetesVersion: unknown): 'rke2' | 'k3s' | undefined {
  if (typeof kubernetesVersion !== 'string') { return undefined; }
  return kubernetesVersion.includes('+rke2') ? 'rke2' : kubernetesVersion.includes('+k3s') ? 'k3s' : undefined;
}

/** The distribution that knows a key which another does not. */
export function keyBelongsTo(key: string): string | undefined {
  return Object.keys(PLANNER_KEYS).find((distribution) => isPlannerKey(distribution, key));
}

/** Whether Rancher passes a key on to nodes of a distribution. */
export function isPlannerKey(distribution: string, key: string): boolean {
  const keys = PLANNER_KEYS[distribution];
  return keys !== undefined && (keys.server.includes(key) || keys.agent.includes(key));
}

/**
 * Whether Rancher passes on a value: a string, a boolean or a list. It drops numbers, maps and null silently.
 */
export function isPlannerValue(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Array.isArray(value);
}
