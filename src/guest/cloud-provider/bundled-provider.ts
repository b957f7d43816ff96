import { curesOf, BROKEN_CSI_CHART, CHART_FEATURES, GuestChartVersion } from './chart-faults.data';
import {
  CloudConfigOptions,
  ICloudConfigSecret,
  CloudConfigSecret,
  CloudConfigSecretProps,
} from './cloud-config-secret';
import { checkClusterName } from './cluster-name.check';
import { contains, parseCidr, parseIp } from '../../core/go/go-ip';
import { isLate } from '../../core/late/late-token';
import { Toleration } from '../../core/manifest/taint';
import {
  checkWholeNumber,
  fail,
  failOnErrors,
  NO_PROBLEMS,
  Problem,
} from '../../core/problem/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { IVmNetwork } from '../../harvester/network/vm-network';
import { HarvesterGate } from '../../harvester/version/harvester-version';
import { SupportMatrix } from '../../rancher/support-matrix/support-matrix.facts';
import {
  CLOUD_CONFIG_FILE,
  CSI_CHART,
  DATA_DIRECTORY,
  PROVIDER_CHART,
  PROVIDER_NAME,
} from '../cluster/cluster.kind';
import { CsiDriver, CsiDriverOptions } from '../csi/csi-driver';
import { definedFields } from '../kubernetes/kubernetes-config';
import { CLOUD_PROVIDER_CONFIG, CLOUD_PROVIDER_NAME, Rke2Gate } from '../kubernetes/rke2.data';
import { ClusterContext, ClusterParts, ClusterFields, mergedValues } from '../parts/cluster-parts';

/** How the cloud config gets to the nodes if a HelmChart installs the cloud provider. */
export enum CloudConfigDelivery {
  /**
   * A file that the user data of every machine writes, as documented. A new token changes the user
   * data, so Rancher replaces the machines.
   */
  USER_DATA = 'user-data',
  /**
   * A file that Rancher's agent writes, from a Secret on Rancher: a new token does not replace
   * machines. Rancher 2.7.2 and later. Read in Rancher's source code; Harvester's documentation
   * does not describe it (unconfirmed).
   */
  MACHINE_FILES = 'machine-files',
  /**
   * A Secret in the guest cluster. The spec of the Cluster contains it in plain text. Charts 0.2.12
   * and later.
   */
  GUEST_SECRET = 'guest-secret',
}

/** Options of kube-vip, which announces the addresses of load balancers in a guest cluster. */
export interface KubeVipOptions {
  /** Whether kube-vip is installed. `false` needs chart 0.2.7 or later. @default true */
  readonly enabled?: boolean;
  /**
   * The network interface of the nodes for announcements, e.g. `enp1s0`.
   * @default - the interface of the default route
   */
  readonly networkInterface?: string;
  /** The environment variables, e.g. `vip_arp`. @default - the chart's defaults */
  readonly env?: { readonly [name: string]: string };
  /** Labels of the nodes that it runs on. @default - control plane nodes */
  readonly nodeSelector?: { readonly [label: string]: string };
  /**
   * The tolerations of its pods, needed if control plane nodes have your own taints.
   * @default - the chart's defaults
   */
  readonly tolerations?: Toleration[];
}

/** Values that keep an existing cloud provider unchanged when you adopt it. */
export interface AdoptedCloudProvider {
  /**
   * Whether the values name the cluster (`global.cattle.clusterName`). Without the name, load balancers
   * of several clusters collide: false is for a cluster that exists, since a change restarts the cloud
   * provider.
   * @default true
   */
  readonly namesCluster?: boolean;
}

/** Options of the Harvester cloud provider. */
export interface HarvesterCloudProviderOptions {
  /**
   * The account on Harvester.
   * @default - an account named like the cluster, with the permissions that Harvester's API grants
   */
  readonly cloudConfig?: CloudConfigOptions;
  /** An existing cloud config instead of a new account. @default - a new account */
  readonly existingCloudConfig?: ICloudConfigSecret;
  /**
   * The network with the addresses of nodes, from which load balancers of the cluster get theirs.
   * Chart 0.2.12 and later; load balancers on it need Harvester 1.9.0.
   * @default - the first network
   */
  readonly managementNetwork?: IVmNetwork;
  /**
   * The CIDRs or addresses of nodes: at most one IPv4 and one IPv6 entry. Chart 0.2.12 and later.
   * @default - any address
   */
  readonly nodeIpCidrs?: string[];
  /**
   * Addresses and CIDRs that nodes do not have, e.g. those of load balancers. Chart 0.2.12 and
   * later.
   * @default - no exclusions
   */
  readonly nodeExcludeIpRanges?: string[];
  /**
   * Additional arguments, e.g. `--v=4`. Chart 0.2.12 and later.
   * @default - no additional arguments
   */
  readonly extraArgs?: string[];
  /** The number of pods, each on another node. @default - the chart's default, 1 */
  readonly replicas?: number;
  /** Resource requests of its pods, e.g. `{cpu: '100m', memory: '64Mi'}`. @default - no requests */
  readonly requests?: { readonly [resource: string]: string };
  /** Resource limits of its pods. @default - no limits */
  readonly limits?: { readonly [resource: string]: string };
  /** Labels of the nodes that it runs on. @default - any Linux node */
  readonly nodeSelector?: { readonly [label: string]: string };
  /** The tolerations of its pods, instead of those of the chart. @default - the chart's defaults */
  readonly tolerations?: Toleration[];
  /** The options of kube-vip. @default - the chart's defaults */
  readonly kubeVip?: KubeVipOptions;
  /** Additional values of the chart, which win over all options. @default - no additional values */
  readonly values?: { readonly [key: string]: any };
  /**
   * The CSI driver.
   * @default - the bundled one of RKE2; no driver on K3s and with CloudProvider.helmChart
   */
  readonly csi?: CsiDriver;
  /**
   * The version of the chart, `0.2.11` or in Rancher's form, `108.0.1+up0.2.12`. Cannot be set for
   * the chart that RKE2 bundles and upgrades.
   * @default - the version that was current with the Harvester version, without known faults
   */
  readonly chartVersion?: string;
  /**
   * The URL of the chart's repository. Cannot be set for the chart that RKE2 bundles.
   * @default 'https://charts.harvesterhci.io/'
   */
  readonly chartRepository?: string;
  /**
   * How the cloud config gets to the nodes. Cannot be set for the chart that RKE2 bundles.
   * @default CloudConfigDelivery.USER_DATA
   */
  readonly delivery?: CloudConfigDelivery;
  /**
   * Values that keep an existing cluster unchanged when you adopt it. `cdk8s-harvester adopt`
   * writes them; a new cluster needs none.
   * @default - the program creates the cluster
   */
  readonly adopted?: AdoptedCloudProvider;
}

/** Arguments that the chart or an option sets. */
const OWN_ARGS = [
  '--cluster-name',
  '--cloud-config',
  '--management-network',
  '--node-ip-cidr',
  '--node-exclude-ip-ranges',
];

/**
 * Networks without addresses of nodes.
 * @see harvester/cloud-provider-harvester:pkg/utils/config.go
 */
const NO_NODE_NETWORKS = [
  '127.0.0.0/8',
  '::1/128',
  '169.254.0.0/16',
  'fe80::/10',
  '224.0.0.0/4',
  'ff00::/8',
  '0.0.0.0/32',
  '::/128',
  '255.255.255.255/32',
];

/** The values of the chart harvester-cloud-provider, without those for the cloud config. */
export function providerValues(
  clusterName: string,
  options: HarvesterCloudProviderOptions,
): ClusterFields {
  const { requests, limits } = options;
  return {
    ...(options.adopted?.namesCluster === false ? {} : { global: { cattle: { clusterName } } }),
    ...definedFields({
      replicasCount: options.replicas,
      extraArgs: extraArgs(options),
      resources: requests || limits ? definedFields({ requests, limits }) : undefined,
      nodeSelector: options.nodeSelector,
      tolerations: options.tolerations,
    }),
    ...(options.kubeVip ? { 'kube-vip': kubeVipValues(options.kubeVip) } : {}),
  };
}

function extraArgs({
  managementNetwork,
  nodeIpCidrs = [],
  nodeExcludeIpRanges = [],
  extraArgs: more = [],
}: HarvesterCloudProviderOptions): string[] {
  return [
    ...(managementNetwork ? [`--management-network=${managementNetwork.networkId}`] : []),
    ...(nodeIpCidrs.length > 0 ? [`--node-ip-cidr=${nodeIpCidrs.join(',')}`] : []),
    ...(nodeExcludeIpRanges.length > 0
      ? [`--node-exclude-ip-ranges=${nodeExcludeIpRanges.join(',')}`]
      : []),
    ...more,
  ];
}

function kubeVipValues({
  enabled,
  networkInterface,
  env,
  nodeSelector,
  tolerations,
}: KubeVipOptions): ClusterFields {
  const variables = {
    ...(networkInterface === undefined ? {} : { vip_interface: networkInterface }),
    ...env,
  };
  return definedFields({
    enabled,
    env: Object.keys(variables).length > 0 ? variables : undefined,
    nodeSelector,
    tolerations,
  });
}

/** The values of the chart harvester-csi-driver, without those for the cloud config. */
export function csiValues({
  hostStorageClass,
  replicas,
  kubeletRootDirectory,
}: CsiDriverOptions): ClusterFields {
  return definedFields({
    replicasCount: replicas,
    kubeletRootDir: kubeletRootDirectory,
    hostStorageClass: hostStorageClass?.name,
  });
}

/**
 * Checks the options of the cloud provider.
 *
 * @param chart undefined if the version is unknown
 */
export function* checkProviderOptions(
  options: HarvesterCloudProviderOptions,
  chart: GuestChartVersion | undefined,
): Iterable<Problem> {
  const late = (what: string, feature: keyof typeof CHART_FEATURES): Problem[] =>
    !chart || chart.has(feature)
      ? []
      : [
          {
            path: `cloudProvider.${what}`,
            message: `has no effect in chart harvester-cloud-provider ${chart.upstream}: it needs ${CHART_FEATURES[feature]}`,
            fix: 'remove it, or use a later release of RKE2 or a later chartVersion',
          },
        ];
  for (const what of [
    'managementNetwork',
    'nodeIpCidrs',
    'nodeExcludeIpRanges',
    'extraArgs',
  ] as const) {
    if (options[what] !== undefined) {
      yield* late(what, 'EXTRA_ARGS');
    }
  }
  if (options.kubeVip?.enabled === false) {
    yield* late('kubeVip.enabled', 'KUBE_VIP_SWITCH');
  }
  if (options.extraArgs) {
    yield* checkExtraArgs(options.extraArgs);
  }
  if (options.nodeIpCidrs || options.nodeExcludeIpRanges) {
    yield* checkNodeAddresses(options);
  }
  yield* checkWholeNumber('cloudProvider.replicas', options.replicas, 0);
}

function* checkExtraArgs(args: readonly string[]): Iterable<Problem> {
  for (const [index, arg] of args.entries()) {
    const path = `cloudProvider.extraArgs[${index}]`;
    const own = OWN_ARGS.find((name) => arg === name || arg.startsWith(`${name}=`));
    if (own) {
      yield {
        path,
        value: arg,
        message: 'cannot be set here: an option sets it',
        fix: 'use that option',
      };
    }
    if (!arg.startsWith('-')) {
      yield { path, value: arg, message: 'must be an argument', fix: 'write --name=value' };
    }
    if (/["']/.test(arg)) {
      yield {
        path,
        value: arg,
        message: 'must not contain quotes, which would be part of the value',
        fix: 'remove them',
      };
    }
  }
}

function* checkNodeAddresses({
  nodeIpCidrs = [],
  nodeExcludeIpRanges = [],
}: HarvesterCloudProviderOptions): Iterable<Problem> {
  const families: number[] = [];
  for (const [prop, list] of [
    ['nodeIpCidrs', nodeIpCidrs],
    ['nodeExcludeIpRanges', nodeExcludeIpRanges],
  ] as const) {
    for (const [index, text] of list.entries()) {
      if (isLate(text)) {
        continue;
      }
      const path = `cloudProvider.${prop}[${index}]`;
      const family = parseCidr(text)?.family ?? parseIp(text)?.family;
      if (family === undefined) {
        yield {
          path,
          value: text,
          message: 'must be an address or a CIDR',
          fix: 'write e.g. 10.10.0.0/24',
        };
        continue;
      }
      if (prop === 'nodeExcludeIpRanges') {
        continue;
      }
      if (families.includes(family)) {
        yield {
          path,
          value: text,
          message: `must be the only IPv${family} entry`,
          says: `invalid configuration for --node-ip-cidr: multiple IPv${family} entries`,
          fix: 'remove one of them',
        };
      }
      families.push(family);
      const ip = parseIp(text.replace(/\/.*$/, ''));
      if (ip && NO_NODE_NETWORKS.some((network) => contains(parseCidr(network)!, ip))) {
        yield {
          path,
          value: text,
          message: 'must be a network with addresses of nodes',
          fix: 'use the network of the machines',
        };
      }
    }
  }
}

/** Configures the cloud provider and the CSI driver that RKE2 bundles, as Rancher's UI does. */
export function bundledProvider(
  options: HarvesterCloudProviderOptions,
  parts: ClusterParts,
  context: ClusterContext,
): void {
  const charts = SupportMatrix.bundledCharts(context.kubernetesVersion);
  const chart = charts && GuestChartVersion.parse(charts.cloudProvider);
  const csi = charts && GuestChartVersion.parse(charts.csi);
  const csiOptions = options.csi ? options.csi._options : {};
  failOnErrors(context.scope, [
    ...checkBundled(options, context),
    ...checkBundledProvider(parts, context),
    ...checkProviderVersion(chart, context),
    ...checkProviderOptions(options, chart),
    ...(csiOptions ? checkCsi(csiOptions, csi, context) : []),
  ]);
  // releases later than the table bundle a later driver
  const csiChartVersion = csiOptions && (charts?.csi ?? CHART_FEATURES.CSI_PATCHES_MACHINES);
  const secret = cloudConfigSecret(options, { ...context, csiChartVersion });
  parts.before.push(secret);
  parts.selectorConfig[CLOUD_PROVIDER_CONFIG] = secret.reference;
  parts.selectorConfig[CLOUD_PROVIDER_NAME] = PROVIDER_NAME;
  if (options.values) {
    parts.addChartValues(PROVIDER_CHART, options.values);
  }
  parts.addChartValues(PROVIDER_CHART, {
    cloudConfigPath: cloudConfigPath(context),
    ...providerValues(context.name, options),
  });
  parts.cures = { of: (machines) => curesOf(chart, machines) };
  for (const cure of curesOf(chart, context.machines ?? {})) {
    parts.addChartValues(PROVIDER_CHART, cure);
  }
  if (!csiOptions) {
    parts.addToList(parts.globalConfig, 'disable', CSI_CHART);
    return;
  }
  // the bundled chart looks below RKE2's own directory
  const moved =
    context.dataDirectory === DATA_DIRECTORY.rke2
      ? {}
      : { cloudConfig: { hostPath: cloudConfigDirectory(context) } };
  const values = mergedValues(csiOptions.values ?? {}, { ...csiValues(csiOptions), ...moved });
  if (Object.keys(values).length > 0) {
    parts.addChartValues(CSI_CHART, values);
  }
}

/** The path of the cloud config on nodes, as Rancher chooses it. */
export function cloudConfigPath({ dataDirectory }: ClusterContext): string {
  return `${dataDirectory}${CLOUD_CONFIG_FILE}`;
}

/** The directory of that file, as the chart of the CSI driver names it. */
export function cloudConfigDirectory(context: ClusterContext): string {
  return cloudConfigPath(context).replace(/[^/]*$/, '');
}

/** The cloud config of a cluster on Rancher: the existing one, or a new one. */
export function cloudConfigSecret(
  options: HarvesterCloudProviderOptions,
  context: ClusterContext,
  authorizeFiles?: boolean,
): ICloudConfigSecret {
  if (options.existingCloudConfig) {
    return options.existingCloudConfig;
  }
  return new CloudConfigSecret(context.scope, 'CloudConfig', {
    ...cloudConfigProps(options, context),
    authorizeFiles,
  });
}

/** The properties of the account of a cluster. */
export function cloudConfigProps(
  { cloudConfig }: HarvesterCloudProviderOptions,
  context: ClusterContext,
): CloudConfigSecretProps {
  const { harvester, namespace: vmNamespace, name: clusterName, fleetWorkspace } = context;
  if (!harvester || !vmNamespace) {
    fail(context.scope, [
      {
        path: 'cloudProvider',
        message:
          'must have an account on Harvester, for which the cluster must set harvesterImport and vmNamespace',
        fix: 'set harvesterImport and vmNamespace of the cluster, or existingCloudConfig, or use CloudProvider.none()',
      },
    ]);
  }
  return {
    ...cloudConfig,
    vmNamespace,
    clusterName,
    fleetWorkspace,
    csiChartVersion: context.csiChartVersion,
  };
}

function checkBundled(
  options: HarvesterCloudProviderOptions,
  { kubernetesVersion }: ClusterContext,
): Problem[] {
  const given = [
    ...(['chartVersion', 'chartRepository', 'delivery'] as const).filter(
      (prop) => options[prop] !== undefined,
    ),
    ...(['chartVersion', 'chartRepository'] as const)
      .filter((prop) => options.csi?._options?.[prop] !== undefined)
      .map((prop) => `csi.${prop}`),
  ];
  return [
    ...FeatureGates.of(Rke2Gate.RKE2_BUNDLED_CHARTS)._check(
      'cloudProvider',
      kubernetesVersion,
      'use CloudProvider.helmChart()',
    ),
    ...given.map((prop): Problem => ({
      path: `cloudProvider.${prop}`,
      message: `cannot be set: RKE2 ${kubernetesVersion} bundles its charts and upgrades them`,
      fix: 'remove it and use another Kubernetes version, or use CloudProvider.helmChart()',
    })),
  ];
}

/** Checks the requirements of the cloud provider on its cluster. */
export function checkBundledProvider(parts: ClusterParts, { name }: ClusterContext): Problem[] {
  const problems: Problem[] = [];
  for (const [config, where] of [
    [parts.globalConfig, 'machineGlobalConfig'],
    [parts.selectorConfig, 'machineSelectorConfig'],
  ] as const) {
    for (const key of [CLOUD_PROVIDER_NAME, CLOUD_PROVIDER_CONFIG].filter(
      (candidate) => candidate in config,
    )) {
      problems.push({
        path: `kubernetes.config[${key}]`,
        message: `cannot be set: cloudProvider sets it in ${where}`,
        fix: 'remove it, or use CloudProvider.none()',
      });
    }
  }
  for (const problem of checkClusterName('name', name, 'use another name for the cluster')) {
    problems.push({ ...problem, level: 'error' });
  }
  return problems;
}

/** Checks that Harvester is new enough for a cloud provider. */
export function checkProviderVersion(
  chart: GuestChartVersion | undefined,
  { harvesterVersion }: ClusterContext,
): readonly Problem[] {
  const fix = 'upgrade Harvester first, or use an earlier release of RKE2 or chart';
  return chart?.has('CLOUD_PROVIDER_V0_2')
    ? FeatureGates.of(HarvesterGate.CLOUD_PROVIDER_V0_2)._check(
        'cloudProvider',
        harvesterVersion,
        fix,
      )
    : NO_PROBLEMS;
}

/** Checks the options of the CSI driver. */
export function* checkCsi(
  { hostStorageClass, replicas }: CsiDriverOptions,
  chart: GuestChartVersion | undefined,
  context: ClusterContext,
): Iterable<Problem> {
  const path = 'cloudProvider.csi';
  if (hostStorageClass && context.harvester && hostStorageClass.harvester !== context.harvester) {
    yield {
      path: `${path}.hostStorageClass`,
      value: hostStorageClass.name,
      message: `must be a storage class of ${context.harvester.targetName}, where the machines run: it is one of ${hostStorageClass.harvester.targetName}`,
      fix: `use a storage class of ${context.harvester.targetName}`,
    };
  }
  yield* checkWholeNumber(`${path}.replicas`, replicas, 0);
  if (hostStorageClass && chart && !chart.has('CSI_HOST_STORAGE_CLASS')) {
    yield {
      path: `${path}.hostStorageClass`,
      message: `has no effect in chart harvester-csi-driver ${chart.upstream}: it needs ${CHART_FEATURES.CSI_HOST_STORAGE_CLASS}`,
      fix: 'set hostStorageClass of a GuestStorageClass instead, or use a later release of RKE2 or of the chart',
    };
  }
  const broken = chart?.upstream === BROKEN_CSI_CHART;
  if (
    broken &&
    context.harvesterVersion &&
    !FeatureGates.of(HarvesterGate.CSI_VOLUMES_RWX).supports(context.harvesterVersion)
  ) {
    yield {
      path,
      value: chart.upstream,
      message: `must be a CSI driver for Harvester ${context.harvesterVersion}: it needs Harvester 1.4.0 or later (harvester/docs#670)`,
      fix: 'upgrade Harvester first, use another release of RKE2 or chart, or CsiDriver.none()',
    };
  }
}
