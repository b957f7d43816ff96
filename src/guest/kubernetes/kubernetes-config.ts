import { KubernetesDistribution, KubernetesVersion } from './kubernetes-version';
import { isPlannerValue } from './planner-keys.data';
import { parseCidr } from '../../core/go/go-ip';
import { isLate } from '../../core/late/late-token';
import { Problem } from '../../core/rule/problem';
import { RancherVersion } from '../../rancher/version/rancher-version';
import { Fields } from '../cluster/cluster-parts';
import { CONFIG_KEY } from '../cluster/cluster.kind';

/** The versions that a distribution is judged by. */
export interface DistributionVersions {
  readonly kubernetes: KubernetesVersion;
  readonly rancher: RancherVersion;
}

/** What the distributions of Kubernetes differ in, with the user's options in it. */
export interface Distribution {
  readonly name: KubernetesDistribution;
  /** Where it keeps its data on a node unless told otherwise. */
  readonly dataDirectory: string;
  /** machineGlobalConfig as the user asks for it. */
  readonly globalConfig: Fields;
  /** What the UI writes there beside, where neither the user nor a part of the cluster says anything else. */
  readonly globalDefaults: Fields;
  /** The entry of machineSelectorConfig that is for all machines, as the user asks for it. */
  readonly selectorConfig: Fields;
  /** What the UI writes there beside. */
  readonly selectorDefaults: Fields;
  /** Values of bundled charts, by chart. */
  readonly chartValues: { readonly [chart: string]: Fields };
  /** The pod security admission template that goes with the options; undefined where none does. */
  readonly podSecurityTemplate?: string;
  /** What is wrong with the options, each with a path below `kubernetes`. */
  check(versions: DistributionVersions): Iterable<Problem>;
}

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

const EXAMPLES: Record<KubernetesDistribution, string> = {
  [KubernetesDistribution.RKE2]: 'v1.33.6+rke2r1',
  [KubernetesDistribution.K3S]: 'v1.33.6+k3s1',
};

/** What the options of both distributions say in machineGlobalConfig; what is not asked for is left out. */
export function commonConfig(options: KubernetesOptions): Fields {
  return defined({
    'cluster-cidr': joined(options.clusterCidr),
    'cluster-dns': options.clusterDns,
    'cluster-domain': options.clusterDomain,
    'disable': options.disable,
    [CONFIG_KEY.DISABLE_KUBE_PROXY]: options.kubeProxy === undefined ? undefined : !options.kubeProxy,
    'etcd-arg': options.etcdArgs,
    [CONFIG_KEY.ETCD_EXPOSE_METRICS]: options.etcdExposeMetrics,
    'kube-apiserver-arg': options.apiServerArgs,
    'kube-controller-manager-arg': options.controllerManagerArgs,
    'kube-proxy-arg': options.kubeProxyArgs,
    'kube-scheduler-arg': options.schedulerArgs,
    'kubelet-arg': options.kubeletArgs,
    'service-cidr': joined(options.serviceCidr),
    'system-default-registry': options.systemDefaultRegistry,
    'tls-san': options.tlsSan,
  });
}

/** What the options of both distributions say in the entry of machineSelectorConfig that is for all machines, as the UI places it. */
export function commonSelectorConfig(options: KubernetesOptions): Fields {
  return defined({
    [CONFIG_KEY.PROTECT_KERNEL_DEFAULTS]: options.protectKernelDefaults,
    [CONFIG_KEY.SELINUX]: options.selinux,
  });
}

/** Without what is undefined or an empty list. */
export function defined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)));
}

function joined(list: readonly string[] | undefined): string | undefined {
  return list && list.length > 0 ? list.join(',') : undefined;
}

/** What is wrong with the options of either distribution. */
export function* checkCommon(
  name: KubernetesDistribution, options: KubernetesOptions, typed: Fields, { kubernetes }: DistributionVersions,
): Iterable<Problem> {
  if (kubernetes.distribution !== name) {
    yield {
      path: 'kubernetes.version',
      value: kubernetes.toString(),
      message: kubernetes.distribution ? `is a release of ${kubernetes.distribution}, not of ${name}` : 'names no distribution, and Rancher installs none without',
      fix: `give a release like ${EXAMPLES[name]}${kubernetes.distribution ? `, or use Kubernetes.${kubernetes.distribution}` : ''}`,
    };
  }
  yield* checkConfigValues('kubernetes.config', options.config);
  for (const key of Object.keys(options.config ?? {}).filter((own) => own in typed)) {
    yield { path: `kubernetes.config[${key}]`, message: 'is given twice: an option of its own says it too', fix: 'keep one of them' };
  }
  yield* checkCidrs('kubernetes.clusterCidr', options.clusterCidr);
  yield* checkCidrs('kubernetes.serviceCidr', options.serviceCidr);
}

/**
 * Values that Rancher drops on their way to the nodes.
 * @see rancher/rancher:pkg/capr/planner/filter.go filterField
 */
export function* checkConfigValues(path: string, config: { readonly [key: string]: unknown } | undefined): Iterable<Problem> {
  for (const [key, value] of Object.entries(config ?? {})) {
    if (value === undefined || isPlannerValue(value)) { continue; }
    yield {
      path: `${path}[${key}]`,
      value,
      message: `is ${value === null ? 'null' : typeof value === 'number' ? 'a number' : 'a map'}, which Rancher drops without a word`,
      fix: typeof value === 'number' ? `write it as text, "${value}"` : 'give text, true or false, or a list',
    };
  }
}

function* checkCidrs(path: string, cidrs: readonly string[] | undefined): Iterable<Problem> {
  const parsed = (cidrs ?? []).map((text) => (isLate(text) ? undefined : parseCidr(text)));
  for (const [index, text] of (cidrs ?? []).entries()) {
    if (!parsed[index] && !isLate(text)) {
      yield { path: `${path}[${index}]`, value: text, message: 'is no CIDR', fix: 'give a network with the length of its prefix, e.g. 10.42.0.0/16' };
    }
  }
  if (parsed.length > 2 || (parsed.length === 2 && parsed[0] && parsed[0].family === parsed[1]?.family)) {
    yield { path, value: cidrs, message: 'names more than one network of a family of addresses', fix: 'give one of IPv4, one of IPv6, or one of each' };
  }
}
