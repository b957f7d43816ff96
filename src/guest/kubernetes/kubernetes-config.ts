import { KubernetesDistribution, KubernetesVersion } from './kubernetes-version';
import { checkConfigValues } from './kubernetes.check';
import { parseCidr } from '../../core/go/go-ip';
import { isLate } from '../../core/late/late-token';
import { Problem } from '../../core/problem/problem';
import { isPlainObject, freeFormKind } from '../../core/value/free-form';
import { RancherVersion } from '../../rancher/version/rancher-version';
import { CONFIG_KEY } from '../cluster/cluster.kind';
import { ClusterFields } from '../parts/cluster-parts';

/** The versions that determine what a distribution supports. */
export interface DistributionVersions {
  readonly kubernetes: KubernetesVersion;
  readonly rancher: RancherVersion;
}

/** A Kubernetes distribution with the options of the user. */
export interface Distribution {
  readonly name: KubernetesDistribution;
  /** The default data directory on a node. */
  readonly dataDirectory: string;
  /** The options of the user in machineGlobalConfig. */
  readonly globalConfig: ClusterFields;
  /** The defaults of Rancher's UI in machineGlobalConfig. */
  readonly globalDefaults: ClusterFields;
  /** The options of the user in the entry of machineSelectorConfig for all machines. */
  readonly selectorConfig: ClusterFields;
  /** The defaults of Rancher's UI in that entry. */
  readonly selectorDefaults: ClusterFields;
  /** Values of bundled charts, by chart. */
  readonly chartValues: { readonly [chart: string]: ClusterFields };
  /** The pod security admission template that the options imply. */
  readonly podSecurityTemplate?: string;
  /** Checks the options; paths begin with `kubernetes`. */
  check(versions: DistributionVersions): Iterable<Problem>;
}

/** Options of Kubernetes in both distributions. */
export interface KubernetesOptions {
  /**
   * Additional names and addresses in the certificate of the API server, e.g. of a load balancer in
   * front of the control plane.
   * @default - only names and addresses of the nodes
   */
  readonly tlsSans?: string[];
  /**
   * The pod CIDRs, one for each IP family, e.g. `10.42.0.0/16`. Immutable.
   * @default - the distribution's default, 10.42.0.0/16
   */
  readonly clusterCidrs?: string[];
  /**
   * The service CIDRs, one for each IP family, e.g. `10.43.0.0/16`. Immutable.
   * @default - the distribution's default, 10.43.0.0/16
   */
  readonly serviceCidrs?: string[];
  /** The address of the cluster DNS, in serviceCidrs. @default - the tenth address of serviceCidrs */
  readonly clusterDns?: string;
  /** The DNS domain of the cluster. @default - the distribution's default, cluster.local */
  readonly clusterDomain?: string;
  /**
   * Bundled components that are not installed, by the name of their chart or manifest.
   * @default - all are installed
   */
  readonly disabledComponents?: string[];
  /** Whether kube-proxy runs; set it to false if the network plugin replaces it. @default true */
  readonly kubeProxy?: boolean;
  /** Whether etcd exposes its metrics outside of its node. @default false */
  readonly etcdExposeMetrics?: boolean;
  /** The registry of system images, as `<host>[:port]`. @default - Docker Hub */
  readonly systemDefaultRegistry?: string;
  /** Whether SELinux is enabled in containerd. @default - false */
  readonly selinux?: boolean;
  /**
   * Whether the kubelet fails if kernel parameters differ from its defaults.
   * @default - false; true with a CIS profile
   */
  readonly protectKernelDefaults?: boolean;
  /** Arguments of the kubelet, e.g. `max-pods=200`. @default - no additional arguments */
  readonly kubeletArgs?: string[];
  /** Arguments of the API server, e.g. `event-ttl=2h`. @default - no additional arguments */
  readonly apiServerArgs?: string[];
  /** Arguments of the controller manager. @default - no additional arguments */
  readonly controllerManagerArgs?: string[];
  /** Arguments of the scheduler. @default - no additional arguments */
  readonly schedulerArgs?: string[];
  /** Arguments of kube-proxy. @default - no additional arguments */
  readonly kubeProxyArgs?: string[];
  /** Arguments of etcd. @default - no additional arguments */
  readonly etcdArgs?: string[];
  /**
   * Values of bundled charts, by chart, e.g. `{'rke2-calico': {installation: {…}}}`. Rancher adds
   * `global.cattle.clusterId` to each. Values of other charts have no effect.
   * @default - none
   */
  readonly chartValues?: { readonly [chart: string]: any };
  /**
   * Additional keys of the distribution's configuration file, for all machines: strings, booleans
   * and lists. Numbers, maps and null are refused, since Rancher drops them silently. It also drops
   * keys that it does not know for the release.
   * @default - none
   */
  readonly config?: { readonly [key: string]: any };
}

const EXAMPLES: Record<KubernetesDistribution, string> = {
  [KubernetesDistribution.RKE2]: 'v1.33.6+rke2r1',
  [KubernetesDistribution.K3S]: 'v1.33.6+k3s1',
};

/** The common options in machineGlobalConfig, without those that are not set. */
export function commonConfig(options: KubernetesOptions): ClusterFields {
  return definedFields({
    'cluster-cidr': joined(options.clusterCidrs),
    'cluster-dns': options.clusterDns,
    'cluster-domain': options.clusterDomain,
    'disable': options.disabledComponents,
    [CONFIG_KEY.DISABLE_KUBE_PROXY]:
      options.kubeProxy === undefined ? undefined : !options.kubeProxy,
    'etcd-arg': options.etcdArgs,
    [CONFIG_KEY.ETCD_EXPOSE_METRICS]: options.etcdExposeMetrics,
    'kube-apiserver-arg': options.apiServerArgs,
    'kube-controller-manager-arg': options.controllerManagerArgs,
    'kube-proxy-arg': options.kubeProxyArgs,
    'kube-scheduler-arg': options.schedulerArgs,
    'kubelet-arg': options.kubeletArgs,
    'service-cidr': joined(options.serviceCidrs),
    'system-default-registry': options.systemDefaultRegistry,
    'tls-san': options.tlsSans,
  });
}

/**
 * The common options in the entry of machineSelectorConfig for all machines, where Rancher's UI
 * writes them.
 */
export function commonSelectorConfig(options: KubernetesOptions): ClusterFields {
  return definedFields({
    [CONFIG_KEY.PROTECT_KERNEL_DEFAULTS]: options.protectKernelDefaults,
    [CONFIG_KEY.SELINUX]: options.selinux,
  });
}

/**
 * The values of bundled charts that are set. Others than objects are left to the check, which
 * reports them.
 */
export function givenChartValues({ chartValues = {} }: KubernetesOptions): {
  readonly [chart: string]: ClusterFields;
} {
  return Object.fromEntries(
    Object.entries(chartValues).filter(([, values]) => isPlainObject(values)),
  ) as { readonly [chart: string]: ClusterFields };
}

/** The fields without those that are undefined or an empty list. */
export function definedFields(fields: ClusterFields): ClusterFields {
  const set: ClusterFields = {};
  for (const key of Object.keys(fields)) {
    const value = fields[key];
    const isEmpty = Array.isArray(value) && value.length === 0;
    if (value !== undefined && !isEmpty) {
      set[key] = value;
    }
  }
  return set;
}

function joined(list: readonly string[] | undefined): string | undefined {
  return list && list.length > 0 ? list.join(',') : undefined;
}

/** Checks the common options. */
export function* checkCommon(
  name: KubernetesDistribution,
  options: KubernetesOptions,
  typed: ClusterFields,
  { kubernetes }: DistributionVersions,
): Iterable<Problem> {
  if (kubernetes.distribution !== name) {
    yield {
      path: 'kubernetes.version',
      value: kubernetes.toString(),
      message: `must be a release of ${name}`,
      fix: `use a release such as ${EXAMPLES[name]}${kubernetes.distribution ? `, or use Kubernetes.${kubernetes.distribution}` : ''}`,
    };
  }
  yield* checkOwnConfig('kubernetes.config', options.config);
  for (const [chart, values] of Object.entries(options.chartValues ?? {})) {
    if (values === undefined || isPlainObject(values)) {
      continue;
    }
    yield {
      path: `kubernetes.chartValues[${chart}]`,
      message: `must be an object, got ${freeFormKind(values)}`,
      fix: 'set the values of the chart by key, or leave it out',
    };
  }
  for (const key of Object.keys(options.config ?? {}).filter((own) => own in typed)) {
    yield {
      path: `kubernetes.config[${key}]`,
      message: 'cannot be set together with the option for it',
      fix: 'remove one of the two',
    };
  }
  yield* checkCidrs('kubernetes.clusterCidrs', options.clusterCidrs);
  yield* checkCidrs('kubernetes.serviceCidrs', options.serviceCidrs);
}

/** Checks a configuration of the user. Also null is an error: a program can leave the key out. */
export function* checkOwnConfig(
  path: string,
  config: { readonly [key: string]: unknown } = {},
): Iterable<Problem> {
  const given = Object.fromEntries(
    Object.entries(config).filter(([, value]) => value !== undefined),
  );
  for (const problem of checkConfigValues(given, (key) => `${path}[${key}]`)) {
    yield { ...problem, level: 'error' };
  }
}

function* checkCidrs(path: string, cidrs: readonly string[] | undefined): Iterable<Problem> {
  const parsed = (cidrs ?? []).map((text) => (isLate(text) ? undefined : parseCidr(text)));
  for (const [index, text] of (cidrs ?? []).entries()) {
    if (!parsed[index] && !isLate(text)) {
      yield {
        path: `${path}[${index}]`,
        value: text,
        message: 'must be a CIDR',
        fix: 'write a network with a prefix length, e.g. 10.42.0.0/16',
      };
    }
  }
  if (
    parsed.length > 2 ||
    (parsed.length === 2 && parsed[0] && parsed[0].family === parsed[1]?.family)
  ) {
    yield {
      path,
      value: cidrs,
      message: 'must have at most one network for each IP family',
      fix: 'use one IPv4 network, one IPv6 network, or one of each',
    };
  }
}
