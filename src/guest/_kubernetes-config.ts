import { DistributionVersions } from './_distribution';
import { Fields } from './_parts';
import { KubernetesOptions } from './kubernetes-options';
import { isPlannerValue } from '../model/guest/planner-keys';
import { CONFIG_KEY } from '../model/guest-names';
import { parseCidr } from '../model/harvester-settings/go-ip';
import { isLate } from '../model/late-token';
import { Problem } from '../model/problem';
import { KubernetesDistribution } from '../versions';

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
