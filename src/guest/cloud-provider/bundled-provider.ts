import { IConstruct } from 'constructs';
import { CloudConfigSecret, CloudConfigSecretProps, ICloudConfigSecret } from './cloud-config-secret';
import { HarvesterCloudProviderOptions, KubeVipOptions } from './cloud-provider-options';
import { BROKEN_CSI_CHART, CHART_FEATURES, GuestChartVersion } from './guest-chart-version';
import { contains, parseCidr, parseIp } from '../../core/go/go-ip';
import { EdgeType, Edges } from '../../core/late/edge';
import { isLate } from '../../core/late/late-token';
import { RFC1123_LABEL } from '../../core/manifest/names';
import { Problem, fail, failOnErrors } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { SupportMatrix } from '../../rancher/version/support-matrix';
import { ClusterContext, ClusterParts, Fields } from '../cluster/cluster-parts';
import { CLOUD_CONFIG_FILE, CSI_CHART, DATA_DIRECTORY, PROVIDER_CHART, PROVIDER_NAME } from '../cluster/cluster.kind';
import { CsiDriverOptions } from '../csi/csi-driver';
import { defined } from '../kubernetes/kubernetes-config';
import { CLOUD_PROVIDER_CONFIG, CLOUD_PROVIDER_NAME } from '../kubernetes/planner-keys.data';

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

/** The name that the cloud provider has where nobody gives it one: clusters with it take each other's load balancers. */
const NAMELESS = 'kubernetes';

/** RKE2 with the cloud provider and the CSI driver that it bundles: what Rancher's UI writes. */
export function bundledProvider(options: HarvesterCloudProviderOptions, parts: ClusterParts, context: ClusterContext): void {
  const charts = SupportMatrix.bundledCharts(context.kubernetesVersion);
  const chart = charts && GuestChartVersion.parse(charts.cloudProvider);
  const csi = charts && GuestChartVersion.parse(charts.csi);
  const csiOptions = options.csi ? options.csi._options : {};
  failOnErrors(context.scope, [
    ...checkBundled(options, context),
    ...checkCluster(parts, context),
    ...checkProviderVersion(chart, context),
    ...checkProviderOptions(options, chart),
    ...(csiOptions ? checkCsi(csiOptions, csi, context) : []),
  ]);
  // minor lines later than the table have a later driver
  const csiChartVersion = csiOptions && (charts?.csi ?? CHART_FEATURES.CSI_PATCHES_MACHINES);
  const secret = cloudConfigSecret(options, { ...context, csiChartVersion });
  parts.before.push(secret);
  parts.selectorConfig[CLOUD_PROVIDER_CONFIG] = secret.reference;
  parts.selectorConfig[CLOUD_PROVIDER_NAME] = PROVIDER_NAME;
  parts.addChartValues(PROVIDER_CHART, options.values ?? {});
  parts.addChartValues(PROVIDER_CHART, { cloudConfigPath: cloudConfigPath(context), ...providerValues(context.name, options) });
  if (!csiOptions) {
    parts.addToList(parts.globalConfig, 'disable', CSI_CHART);
    return;
  }
  const values = new ClusterParts();
  values.addChartValues(CSI_CHART, csiOptions.values ?? {});
  values.addChartValues(CSI_CHART, { ...csiValues(csiOptions), ...movedDirectory(context) });
  if (Object.keys(values.chartValues[CSI_CHART]).length > 0) { parts.addChartValues(CSI_CHART, values.chartValues[CSI_CHART]); }
}

/** Where Rancher writes the cloud config to, and where we have it written where Rancher does not. */
export function cloudConfigPath({ dataDirectory }: ClusterContext): string {
  return `${dataDirectory}${CLOUD_CONFIG_FILE}`;
}

/** The directory of that file, as the chart of the CSI driver names it. */
export function cloudConfigDirectory(context: ClusterContext): string {
  return cloudConfigPath(context).replace(/[^/]*$/, '');
}

// the bundled chart looks below RKE2's own directory
function movedDirectory(context: ClusterContext): Fields {
  return context.dataDirectory === DATA_DIRECTORY.rke2 ? {} : { cloudConfig: { hostPath: cloudConfigDirectory(context) } };
}

/** The cloud config of a cluster on Rancher: the one that is given, or a new one. */
export function cloudConfigSecret(options: HarvesterCloudProviderOptions, context: ClusterContext, authorizeFiles?: boolean): ICloudConfigSecret {
  if (options.existingCloudConfig) { return options.existingCloudConfig; }
  const secret = new CloudConfigSecret(context.scope, 'CloudConfig', { ...cloudConfigProps(options, context), authorizeFiles });
  waitForNamespace(secret._account, context);
  return secret;
}

/** An account and its rights lie in the namespace of the machines. */
export function waitForNamespace(account: IConstruct, { namespace }: ClusterContext): void {
  if (namespace) { Edges.of(account)._add(namespace, EdgeType.APPLIED); }
}

/** What the account of a cluster is made from. */
export function cloudConfigProps({ cloudConfig }: HarvesterCloudProviderOptions, context: ClusterContext): CloudConfigSecretProps {
  const { harvester, vmNamespace, name: clusterName, fleetWorkspace } = context;
  if (!harvester || vmNamespace === undefined) {
    fail(context.scope, [{
      path: 'cloudProvider',
      message: 'needs an account on the Harvester, and the cluster names neither a Harvester nor a namespace of its machines there',
      fix: 'give the cluster harvester and namespace, or give existingCloudConfig, or use CloudProvider.none()',
    }]);
  }
  return { ...cloudConfig, harvester, vmNamespace, clusterName, fleetWorkspace, csiChartVersion: context.csiChartVersion };
}

function checkBundled(options: HarvesterCloudProviderOptions, { kubernetesVersion }: ClusterContext): Problem[] {
  const gate = FeatureGates.of(GateId.RKE2_BUNDLED_CHARTS).problem(kubernetesVersion);
  const given = [
    ...(['chartVersion', 'chartRepository', 'delivery'] as const).filter((prop) => options[prop] !== undefined),
    ...(['chartVersion', 'chartRepository'] as const).filter((prop) => options.csi?._options?.[prop] !== undefined).map((prop) => `csi.${prop}`),
  ];
  return [
    ...(gate ? [{ path: 'cloudProvider', message: gate, fix: 'use CloudProvider.external()' }] : []),
    ...given.map((prop): Problem => ({
      path: `cloudProvider.${prop}`,
      message: `can not be chosen: RKE2 ${kubernetesVersion} brings its charts along, and upgrading RKE2 upgrades them`,
      fix: 'leave it out and choose another version of Kubernetes, or use CloudProvider.external()',
    })),
  ];
}

/** What is wrong with a cluster that shall have a cloud provider. */
export function checkCluster(parts: ClusterParts, { name }: ClusterContext): Problem[] {
  const problems: Problem[] = [];
  for (const [config, where] of [[parts.globalConfig, 'machineGlobalConfig'], [parts.selectorConfig, 'machineSelectorConfig']] as const) {
    for (const key of [CLOUD_PROVIDER_NAME, CLOUD_PROVIDER_CONFIG].filter((candidate) => candidate in config)) {
      problems.push({ path: `kubernetes.config[${key}]`, message: `is what cloudProvider writes into ${where}`, fix: 'leave it out, or use CloudProvider.none()' });
    }
  }
  if (name === NAMELESS || !RFC1123_LABEL.test(name)) {
    problems.push({
      path: 'name',
      value: name,
      message: name === NAMELESS ? 'is the name of every cluster that has none, so load balancers of several clusters would collide' : 'is no RFC 1123 label',
      fix: 'choose another name for the cluster',
    });
  }
  return problems;
}

/** Whether a Harvester is new enough for a cloud provider. */
export function checkProviderVersion(chart: GuestChartVersion | undefined, { harvesterVersion }: ClusterContext): Problem[] {
  if (!chart?.has('CLOUD_PROVIDER_V0_2') || !harvesterVersion) { return []; }
  const gate = FeatureGates.of(GateId.CLOUD_PROVIDER_V0_2).problem(harvesterVersion, '');
  return gate ? [{ path: 'cloudProvider', value: chart.upstream, message: gate, fix: 'upgrade Harvester first, or use an earlier release of RKE2 or chart' }] : [];
}

/** What is wrong with options of the CSI driver. */
export function* checkCsi(
  { hostStorageClass, replicas }: CsiDriverOptions, chart: GuestChartVersion | undefined, context: ClusterContext,
): Iterable<Problem> {
  const path = 'cloudProvider.csi';
  if (hostStorageClass && context.harvester && hostStorageClass.harvester !== context.harvester) {
    yield {
      path: `${path}.hostStorageClass`,
      value: hostStorageClass.storageClassName,
      message: `lies on ${hostStorageClass.harvester.targetName}`,
      fix: `give one of ${context.harvester.targetName}, where the machines are`,
    };
  }
  if (replicas !== undefined && !(Number.isInteger(replicas) && replicas >= 0)) {
    yield { path: `${path}.replicas`, value: replicas, message: 'is no number of pods', fix: 'give a whole number' };
  }
  if (hostStorageClass && chart && !chart.has('CSI_HOST_STORAGE_CLASS')) {
    yield {
      path: `${path}.hostStorageClass`,
      message: `needs chart harvester-csi-driver ${CHART_FEATURES.CSI_HOST_STORAGE_CLASS}, and ${chart.upstream} ignores it`,
      fix: 'name the class in GuestStorageClass instead, or use a later release of RKE2 or chart',
    };
  }
  const broken = chart?.upstream === BROKEN_CSI_CHART;
  if (broken && context.harvesterVersion && !FeatureGates.of(GateId.CSI_VOLUMES_RWX).supports(context.harvesterVersion)) {
    yield {
      path,
      value: chart.upstream,
      message: `does not work with Harvester before 1.4.0, and the chart names ${context.harvesterVersion} (harvester/docs#670)`,
      fix: 'upgrade Harvester first, use another release of RKE2 or chart, or CsiDriver.none()',
    };
  }
}
