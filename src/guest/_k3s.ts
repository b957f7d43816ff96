import { Distribution, DistributionVersions } from './_distribution';
import { checkCommon, commonConfig, commonSelectorConfig, defined } from './_kubernetes-config';
import { Fields } from './_parts';
import { K3sOptions } from './k3s-options';
import { CLOUD_PROVIDER_CONFIG, CLOUD_PROVIDER_NAME } from '../model/guest/planner-keys';
import { DATA_DIRECTORY } from '../model/guest/rancher-names';
import { CONFIG_KEY } from '../model/guest-names';
import { Problem } from '../model/problem';
import { KubernetesDistribution } from '../versions';

/** The switches that the UI writes for a K3s cluster: all off. @see rancher/dashboard:shell/edit/provisioning.cattle.io.cluster/rke2.vue applyDefaults */
const SWITCHES = [
  'disable-apiserver', 'disable-cloud-controller', 'disable-controller-manager', 'disable-etcd', CONFIG_KEY.DISABLE_KUBE_PROXY,
  'disable-network-policy', 'disable-scheduler', CONFIG_KEY.ETCD_EXPOSE_METRICS, 'secrets-encryption',
];
const SELECTOR_SWITCHES = ['docker', CONFIG_KEY.PROTECT_KERNEL_DEFAULTS, CONFIG_KEY.SELINUX];

/** K3s with a user's options. */
export function k3sDistribution(options: K3sOptions): Distribution {
  const typed = typedConfig(options);
  const selectorConfig = { ...commonSelectorConfig(options), ...defined({ docker: options.docker }) };
  return {
    name: KubernetesDistribution.K3S,
    dataDirectory: DATA_DIRECTORY.k3s,
    globalConfig: { ...typed, ...options.config },
    globalDefaults: allOff(SWITCHES),
    selectorConfig,
    selectorDefaults: allOff(SELECTOR_SWITCHES),
    chartValues: options.chartValues ?? {},
    *check(versions: DistributionVersions): Iterable<Problem> {
      yield* checkCommon(KubernetesDistribution.K3S, options, { ...typed, ...selectorConfig }, versions);
      for (const key of [CLOUD_PROVIDER_NAME, CLOUD_PROVIDER_CONFIG].filter((name) => name in (options.config ?? {}))) {
        yield {
          path: `kubernetes.config[${key}]`,
          message: 'is a key of RKE2: K3s has none like it, and Rancher drops it without a word',
          fix: 'leave it out, and say what you want by cloudProvider',
        };
      }
    },
  };
}

function typedConfig(options: K3sOptions): Fields {
  const { flannelBackend, secretsEncryption, networkPolicy, embeddedRegistry } = options;
  return {
    ...commonConfig(options),
    ...defined({
      'disable-network-policy': networkPolicy === undefined ? undefined : !networkPolicy,
      'embedded-registry': embeddedRegistry,
      'flannel-backend': flannelBackend,
      'secrets-encryption': secretsEncryption,
    }),
  };
}

function allOff(keys: readonly string[]): Fields {
  return Object.fromEntries(keys.map((key) => [key, false]));
}
