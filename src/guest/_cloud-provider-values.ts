import { defined } from './_kubernetes-config';
import { Fields } from './_parts';
import { HarvesterCloudProviderOptions, KubeVipOptions } from './cloud-provider-options';
import { CsiDriverOptions } from './csi-driver';
import { contains, parseCidr, parseIp } from '../model/harvester-settings/go-ip';
import { isLate } from '../model/late-token';
import { Problem } from '../model/problem';
import { CHART_FEATURES, GuestChartVersion } from '../versions/guest-chart-version';

/** Arguments that the chart or an option writes. */
const OWN_ARGS = ['--cluster-name', '--cloud-config', '--management-network', '--node-ip-cidr', '--node-exclude-ip-ranges'];

/** Networks in which no address of a node lies. @see harvester/cloud-provider-harvester:pkg/utils/config.go */
const NO_NODE_NETWORKS = [
  '127.0.0.0/8', '::1/128', '169.254.0.0/16', 'fe80::/10', '224.0.0.0/4', 'ff00::/8', '0.0.0.0/32', '::/128', '255.255.255.255/32',
];

/** Values of the chart harvester-cloud-provider, without those that say where the cloud config is. */
export function providerValues(clusterName: string, options: HarvesterCloudProviderOptions): Fields {
  return {
    global: { cattle: { clusterName } },
    ...defined({
      replicasCount: options.replicas,
      extraArgs: extraArgs(options),
      resources: options.resources,
      nodeSelector: options.nodeSelector,
      tolerations: options.tolerations,
    }),
    ...(options.kubeVip ? { 'kube-vip': kubeVipValues(options.kubeVip) } : {}),
  };
}

function extraArgs({ managementNetwork, nodeIpCidrs = [], nodeExcludeIpRanges = [], extraArgs: more = [] }: HarvesterCloudProviderOptions): string[] {
  return [
    ...(managementNetwork ? [`--management-network=${managementNetwork.networkId}`] : []),
    ...(nodeIpCidrs.length > 0 ? [`--node-ip-cidr=${nodeIpCidrs.join(',')}`] : []),
    ...(nodeExcludeIpRanges.length > 0 ? [`--node-exclude-ip-ranges=${nodeExcludeIpRanges.join(',')}`] : []),
    ...more,
  ];
}

function kubeVipValues({ enabled, networkInterface, env, nodeSelector, tolerations }: KubeVipOptions): Fields {
  const variables = { ...(networkInterface === undefined ? {} : { vip_interface: networkInterface }), ...env };
  return defined({ enabled, env: Object.keys(variables).length > 0 ? variables : undefined, nodeSelector, tolerations });
}

/** Values of the chart harvester-csi-driver, without those that say where the cloud config is. */
export function csiValues({ hostStorageClass, replicas, kubeletRootDirectory }: CsiDriverOptions): Fields {
  return defined({ replicasCount: replicas, kubeletRootDir: kubeletRootDirectory, hostStorageClass: hostStorageClass?.storageClassName });
}

/**
 * What is wrong with options of the cloud provider.
 *
 * @param chart undefined where the version is not known
 */
export function* checkProviderOptions(options: HarvesterCloudProviderOptions, chart: GuestChartVersion | undefined): Iterable<Problem> {
  const late = (what: string, feature: keyof typeof CHART_FEATURES): Problem[] => (!chart || chart.has(feature) ? [] : [{
    path: `cloudProvider.${what}`,
    message: `needs chart harvester-cloud-provider ${CHART_FEATURES[feature]} or later, and ${chart.upstream} has no effect of it`,
    fix: 'leave it out, or use a later release of RKE2 or a later chartVersion',
  }]);
  for (const what of ['managementNetwork', 'nodeIpCidrs', 'nodeExcludeIpRanges', 'extraArgs'] as const) {
    if (options[what] !== undefined) { yield* late(what, 'EXTRA_ARGS'); }
  }
  if (options.kubeVip?.enabled === false) { yield* late('kubeVip.enabled', 'KUBE_VIP_SWITCH'); }
  yield* checkExtraArgs(options.extraArgs);
  yield* checkNodeAddresses(options);
  if (options.replicas !== undefined && !(Number.isInteger(options.replicas) && options.replicas >= 0)) {
    yield { path: 'cloudProvider.replicas', value: options.replicas, message: 'is no number of pods', fix: 'give a whole number' };
  }
}

function* checkExtraArgs(args: readonly string[] = []): Iterable<Problem> {
  for (const [index, arg] of args.entries()) {
    const path = `cloudProvider.extraArgs[${index}]`;
    const own = OWN_ARGS.find((name) => arg === name || arg.startsWith(`${name}=`));
    if (own) { yield { path, value: arg, message: 'is an argument that is written already', fix: 'use the option for it' }; }
    if (!arg.startsWith('-')) { yield { path, value: arg, message: 'is no argument', fix: 'give --name=value' }; }
    if (/["']/.test(arg)) { yield { path, value: arg, message: 'has quotes, which become part of the value', fix: 'leave them out' }; }
  }
}

function* checkNodeAddresses({ nodeIpCidrs = [], nodeExcludeIpRanges = [] }: HarvesterCloudProviderOptions): Iterable<Problem> {
  const families: number[] = [];
  for (const [prop, list] of [['nodeIpCidrs', nodeIpCidrs], ['nodeExcludeIpRanges', nodeExcludeIpRanges]] as const) {
    for (const [index, text] of list.entries()) {
      if (isLate(text)) { continue; }
      const path = `cloudProvider.${prop}[${index}]`;
      const family = parseCidr(text)?.family ?? parseIp(text)?.family;
      if (family === undefined) {
        yield { path, value: text, message: 'is neither an address nor a CIDR, and the cloud provider does not start with it', fix: 'give e.g. 10.10.0.0/24' };
        continue;
      }
      if (prop === 'nodeExcludeIpRanges') { continue; }
      if (families.includes(family)) {
        yield { path, value: text, message: `is the second of IPv${family}`, says: `invalid configuration for --node-ip-cidr: multiple IPv${family} entries`, fix: 'keep one' };
      }
      families.push(family);
      const ip = parseIp(text.replace(/\/.*$/, ''));
      if (ip && NO_NODE_NETWORKS.some((network) => contains(parseCidr(network)!, ip))) {
        yield { path, value: text, message: 'holds no addresses of nodes', fix: 'give the network of the machines' };
      }
    }
  }
}
