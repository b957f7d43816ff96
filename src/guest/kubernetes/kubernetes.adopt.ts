import { KubernetesDistribution } from './kubernetes-version';
import {
  DraftProps,
  DraftValue,
  StaticCall,
  call,
  enumValue,
  optional,
} from '../../core/draft/draft';
import { isRecord, Fields, records, valueAt } from '../../core/manifest/manifest';
import { tableByName } from '../../core/text/values';
import { tryYaml } from '../../core/yaml/yaml-reader';
import { CONFIG_KEY } from '../cluster/cluster.kind';

/** What of a Cluster is of its Kubernetes, without what its cloud provider added. */
export interface KubernetesFields {
  readonly version: unknown;
  /** The field `machineGlobalConfig`. */
  readonly globalConfig: Fields;
  /** The entry of `machineSelectorConfig` for all machines. */
  readonly selectorConfig: Fields;
  readonly chartValues: Fields;
  /** Whether the Cluster lacks defaults of Rancher's UI. */
  readonly isPlain?: boolean;
}

/** Whether a Cluster lacks defaults of Rancher's UI, which the nodes would get. */
export function lacksDefaults(
  version: unknown,
  { etcd, machineGlobalConfig, machineSelectorConfig }: Fields,
): boolean {
  const isRke2 = distributionCall(version) === KubernetesDistribution.RKE2;
  const protects = [
    machineGlobalConfig,
    ...records(machineSelectorConfig).map(([, { config }]) => config),
  ].some((config) => valueAt(config, CONFIG_KEY.PROTECT_KERNEL_DEFAULTS) !== undefined);
  return (
    !isRecord(etcd) ||
    !protects ||
    (isRke2 && !(isRecord(machineGlobalConfig) && CONFIG_KEY.CNI in machineGlobalConfig))
  );
}

/** The keys of switches that mean the opposite of their prop. */
const INVERTED: { readonly [key: string]: string } = tableByName({
  [CONFIG_KEY.DISABLE_KUBE_PROXY]: 'kubeProxy',
});

const LISTS: { readonly [key: string]: string } = tableByName({
  'disable': 'disabledComponents',
  'etcd-arg': 'etcdArgs',
  'kube-apiserver-arg': 'apiServerArgs',
  'kube-controller-manager-arg': 'controllerManagerArgs',
  'kube-proxy-arg': 'kubeProxyArgs',
  'kube-scheduler-arg': 'schedulerArgs',
  'kubelet-arg': 'kubeletArgs',
  'tls-san': 'tlsSans',
});
const TEXTS: { readonly [key: string]: string } = tableByName({
  'cluster-dns': 'clusterDns',
  'cluster-domain': 'clusterDomain',
  'system-default-registry': 'systemDefaultRegistry',
});
const CIDRS: { readonly [key: string]: string } = tableByName({
  'cluster-cidr': 'clusterCidrs',
  'service-cidr': 'serviceCidrs',
});
/** Switches of K3s, which its clusters have off. */
const K3S_SWITCHES = [
  'disable-apiserver',
  'disable-cloud-controller',
  'disable-controller-manager',
  'disable-etcd',
  'disable-scheduler',
];

/** The distribution of a version; undefined for what is not one. */
export function distributionCall(version: unknown): KubernetesDistribution | undefined {
  return [KubernetesDistribution.RKE2, KubernetesDistribution.K3S].find(
    (each) => typeof version === 'string' && version.includes(`+${each}`),
  );
}

/** The Kubernetes of a Cluster, as a program writes it. */
export function kubernetesOf({
  version,
  globalConfig,
  selectorConfig,
  chartValues,
  isPlain = false,
}: KubernetesFields): StaticCall {
  const distribution = distributionCall(version) ?? KubernetesDistribution.RKE2;
  const props: { [prop: string]: DraftValue } = {};
  const config: { [key: string]: DraftValue } = {};
  const {
    [CONFIG_KEY.PROTECT_KERNEL_DEFAULTS]: kernel,
    [CONFIG_KEY.SELINUX]: selinux,
    docker,
  } = selectorConfig;
  const hasProfile =
    distribution === KubernetesDistribution.RKE2 && globalConfig[CONFIG_KEY.PROFILE] !== undefined;
  // the option writes that of the nodes, and a patch the one of the cluster
  const hasDocker = distribution === KubernetesDistribution.K3S && typeof docker === 'boolean';
  for (const [key, value] of Object.entries(globalConfig)) {
    const own =
      distribution === KubernetesDistribution.RKE2
        ? rke2Option(key, value, isPlain)
        : k3sOption(key, value);
    const known = own ?? common(key, value);
    if (known) {
      Object.assign(props, known);
    } else if (isConfig(value) && !(key === 'docker' && hasDocker)) {
      config[key] = value as DraftValue;
    }
  }
  const values = Object.entries(chartValues).filter(
    ([, each]) => !isRecord(each) || Object.keys(each).length > 0,
  );
  const options = {
    ...props,
    selinux:
      distribution === KubernetesDistribution.K3S && selinux === false
        ? undefined
        : (selinux as DraftValue),
    protectKernelDefaults: kernel === hasProfile && !isPlain ? undefined : (kernel as DraftValue),
    ...(hasDocker ? { docker } : {}),
    chartValues: values.length > 0 ? (Object.fromEntries(values) as DraftProps) : undefined,
    config: Object.keys(config).length > 0 ? config : undefined,
  };
  return call('Kubernetes', distribution, String(version), ...optional(options));
}

/** What `config` accepts: Rancher drops everything else. */
function isConfig(value: unknown): boolean {
  return (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (Array.isArray(value) && value.every((each) => typeof each === 'string'))
  );
}

function common(key: string, value: unknown): DraftProps | undefined {
  if (INVERTED[key]) {
    if (typeof value !== 'boolean') {
      return undefined;
    }
    if (value) {
      return { [INVERTED[key]]: false };
    }
    return {};
  }
  if (key === CONFIG_KEY.ETCD_EXPOSE_METRICS) {
    if (typeof value !== 'boolean') {
      return undefined;
    }
    if (value) {
      return { etcdExposeMetrics: true };
    }
    return {};
  }
  if (LISTS[key] && Array.isArray(value)) {
    return value.length > 0 ? { [LISTS[key]]: value } : {};
  }
  if (TEXTS[key] && typeof value === 'string') {
    return { [TEXTS[key]]: value };
  }
  return CIDRS[key] && typeof value === 'string' ? { [CIDRS[key]]: value.split(',') } : undefined;
}

function rke2Option(key: string, value: unknown, isPlain: boolean): DraftProps | undefined {
  switch (key) {
    case CONFIG_KEY.CNI: {
      if (typeof value !== 'string') {
        return undefined;
      }
      const [first, second] = value.split(',');
      const cni = first === 'multus' ? second : first;
      return {
        multus: first === 'multus' || undefined,
        cni: cni === 'calico' && !isPlain ? undefined : enumValue('Rke2Cni', cni),
      };
    }
    case CONFIG_KEY.INGRESS_CONTROLLER:
      return {
        ingressControllers: (Array.isArray(value) ? value : [value]).map((each) =>
          enumValue('Rke2IngressController', each),
        ),
      };
    case CONFIG_KEY.PROFILE:
      return { profile: call('Rke2Profile', 'of', String(value)) };
    case CONFIG_KEY.AUDIT_POLICY: {
      const policy = typeof value === 'string' ? tryYaml(value).documents?.[0] : undefined;
      return isRecord(policy) ? { auditPolicy: policy as DraftProps } : undefined;
    }
    default:
      return undefined;
  }
}

function k3sOption(key: string, value: unknown): DraftProps | undefined {
  if (K3S_SWITCHES.includes(key) && value === false) {
    return {};
  }
  switch (key) {
    case 'disable-network-policy':
      return value === true ? { networkPolicy: false } : {};
    case 'secrets-encryption':
      return value === true ? { secretsEncryption: true } : {};
    case 'embedded-registry':
      return { embeddedRegistry: value as DraftValue };
    case 'flannel-backend':
      return { flannelBackend: enumValue('K3sFlannelBackend', value) };
    default:
      return undefined;
  }
}
