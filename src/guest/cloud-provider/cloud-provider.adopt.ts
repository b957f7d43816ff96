import { FoundAccount, accountIn, cloudConfigOf } from './cloud-config-secret.adopt';
import {
  CLOUD_PROVIDER_EXTERNAL,
  GUEST_CLOUD_CONFIG_SECRET,
  HARVESTER_CHARTS_REPOSITORY,
} from './cloud-provider.kind';
import {
  DraftProps,
  DraftValue,
  FoundObject,
  call,
  enumValue,
  Surroundings,
  referOn,
  unless,
} from '../../core/draft/draft';
import { isRecord, valueAt, Fields, itemsAt } from '../../core/manifest/manifest';
import { tableByName, defined, filledFields } from '../../core/text/values';
import { tryYaml } from '../../core/yaml/yaml-reader';
import { GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT } from '../../harvester/network/vm-network.kind';
import {
  CLOUD_CONFIG_FILE,
  CSI_CHART,
  DISABLE,
  PROVIDER_CHART,
  PROVIDER_NAME,
  SECRET_SCHEME,
} from '../cluster/cluster.kind';
import { fieldsOf, itemsOf, onHarvester, textMapOf, tolerationsOf } from '../guest-target.adopt';
import { KubernetesFields, distributionCall } from '../kubernetes/kubernetes.adopt';
import { EXTERNAL_CLOUD_PROVIDER, KUBELET_ARG } from '../kubernetes/kubernetes.check';
import { CLOUD_PROVIDER_CONFIG, CLOUD_PROVIDER_NAME } from '../kubernetes/rke2.data';

/** A guest cluster whose cloud provider is read. */
export interface ProviderPlace {
  readonly rancher: string;
  /** @default - unknown */
  readonly harvester?: string;
  readonly cluster: string;
  readonly fleetWorkspace: string;
  /** @default - unknown */
  readonly vmNamespace?: string;
  readonly around: Surroundings;
  /** Whether the program declares its account on Harvester. */
  readonly ownsAccount: boolean;
}

/** What of a Cluster is of its cloud provider. */
export interface ReadProvider {
  /** The prop `cloudProvider`. */
  readonly provider: DraftValue;
  /** Whether it is that of a cluster without one. @default false */
  readonly isNone?: boolean;
  /** What is left for Kubernetes. */
  readonly kubernetes: KubernetesFields;
  /** What is left of `machineSelectorFiles`. */
  readonly selectorFiles: readonly Fields[];
  /** What is left of `additionalManifest`. */
  readonly manifests: readonly Fields[];
  /** The paths of files that it adds to the user data. */
  readonly files: readonly string[];
  /** The account, where the program declares it. */
  readonly declares: readonly FoundObject[];
}

/** The documents of `additionalManifest`; undefined where they are not objects. */
export function manifestsIn(text: unknown): readonly Fields[] | undefined {
  const { documents = undefined } = typeof text === 'string' ? tryYaml(text) : { documents: [] };
  const manifests = documents?.filter((each) => each !== null && each !== undefined);
  return manifests?.every(isRecord) ? manifests : undefined;
}

/** Reads the cloud provider of a Cluster. */
export function cloudProviderCall(
  given: KubernetesFields,
  manifests: readonly Fields[],
  selectorFiles: readonly Fields[],
  place: ProviderPlace,
): ReadProvider {
  const none = {
    provider: call('CloudProvider', 'none'),
    isNone: true,
    kubernetes: given,
    manifests,
    selectorFiles,
    files: [],
    declares: [],
  };
  const { [CLOUD_PROVIDER_NAME]: name, [CLOUD_PROVIDER_CONFIG]: reference } = given.selectorConfig;
  if (
    name === PROVIDER_NAME &&
    typeof reference === 'string' &&
    reference.startsWith(SECRET_SCHEME) &&
    distributionCall(given.version) === 'rke2'
  ) {
    return bundled(given, reference.slice(SECRET_SCHEME.length), place, {
      manifests,
      selectorFiles,
    });
  }
  return chartOf(given, manifests, selectorFiles, place) ?? none;
}

function bundled(
  given: KubernetesFields,
  reference: string,
  place: ProviderPlace,
  rest: Pick<ReadProvider, 'manifests' | 'selectorFiles'>,
): ReadProvider {
  const colon = reference.lastIndexOf(':');
  const [namespace, secretName] = [reference.slice(0, colon), reference.slice(colon + 1)];
  const {
    [CLOUD_PROVIDER_NAME]: _,
    [CLOUD_PROVIDER_CONFIG]: __,
    ...selectorConfig
  } = given.selectorConfig;
  const { [PROVIDER_CHART]: values, [CSI_CHART]: csiValues, ...chartValues } = given.chartValues;
  const disabled = given.globalConfig[DISABLE];
  const isWithoutCsi = itemsAt(disabled).includes(CSI_CHART);
  const account = accountOf(place, secretName);
  const csi = filledFields(csiOptions(fieldsOf(csiValues), place));
  const options = {
    existingCloudConfig: account
      ? undefined
      : referOn(place.rancher, '/Secret', secretName, namespace),
    cloudConfig: account?.options,
    ...providerOptions(fieldsOf(values), place),
    csi: isWithoutCsi ? call('CsiDriver', 'none') : csi && call('CsiDriver', 'install', csi),
  };
  return {
    provider: filledFields(options) && call('CloudProvider', 'harvester', options),
    kubernetes: {
      ...given,
      selectorConfig,
      chartValues,
      globalConfig: withList(given.globalConfig, DISABLE, disabled, CSI_CHART),
    },
    ...rest,
    files: [],
    declares: account?.objects ?? [],
  };
}

/**
 * A chart that the control plane installs: that of K3s, and of RKE2 with another version of the
 * chart.
 */
function chartOf(
  given: KubernetesFields,
  manifests: readonly Fields[],
  selectorFiles: readonly Fields[],
  place: ProviderPlace,
): ReadProvider | undefined {
  const found = chartsIn(manifests);
  const distribution = distributionCall(given.version);
  if (!found || !distribution) {
    return undefined;
  }
  const { chart, values, csi, secret, path } = found;
  const file = path === undefined ? undefined : fileAt(path, selectorFiles);
  const fileSecret = file && secretOf(file);
  const account = accountOf(place, fileSecret ?? cloudConfigOf(place.cluster), file === undefined);
  if (!account && fileSecret === undefined) {
    return undefined;
  }
  const options = {
    existingCloudConfig: account
      ? undefined
      : referOn(place.rancher, '/Secret', fileSecret!, place.fleetWorkspace),
    cloudConfig: account?.options,
    ...providerOptions(values, place),
    ...chartOptions(chart),
    delivery: enumValue('CloudConfigDelivery', deliveryOf(secret, file)),
    csi: csi && csiCall(csi, secret !== undefined, place),
  };
  const isK3s = distribution === 'k3s';
  const ofProvider = [chart, csi, secret];
  return {
    provider: call('CloudProvider', isK3s ? 'harvester' : 'helmChart', options),
    kubernetes: isK3s ? withoutK3sOptions(given) : withoutRke2Options(given),
    manifests: manifests.filter((each) => !ofProvider.includes(each)),
    selectorFiles: selectorFiles.filter((each) => each !== file),
    files: file || path === undefined ? [] : [path],
    declares: account?.objects ?? [],
  };
}

/** The manifests of a cloud provider. */
interface ProviderCharts {
  readonly chart: Fields;
  /** The values of the chart. */
  readonly values: Fields;
  /** The chart of the CSI driver. */
  readonly csi?: Fields;
  /** The Secret in the guest cluster with the cloud config; undefined where that is a file. */
  readonly secret?: Fields;
  /** The path of the cloud config on a node. */
  readonly path?: string;
}

/** The charts of a cloud provider; undefined without one, or without its cloud config. */
function chartsIn(manifests: readonly Fields[]): ProviderCharts | undefined {
  const chart = manifests.find((each) => isChart(each, PROVIDER_CHART));
  if (!chart) {
    return undefined;
  }
  const values = valuesIn(chart);
  const { cloudConfigPath } = values;
  const path = typeof cloudConfigPath === 'string' ? cloudConfigPath : undefined;
  const isInGuest = valueAt(values, 'cloudConfig', 'secretName') === GUEST_CLOUD_CONFIG_SECRET;
  const secret = isInGuest ? manifests.find(isCloudConfigSecret) : undefined;
  if (path === undefined && secret === undefined) {
    return undefined;
  }
  return {
    chart,
    values: secret === undefined ? values : withoutCloudConfig(values),
    csi: manifests.find((each) => isChart(each, CSI_CHART)),
    secret,
    path,
  };
}

function isCloudConfigSecret(manifest: Fields): boolean {
  const name = valueAt(manifest, 'metadata', 'name');
  return manifest.kind === 'Secret' && name === GUEST_CLOUD_CONFIG_SECRET;
}

/** The entry of `machineSelectorFiles` that writes a file. */
function fileAt(path: string, selectorFiles: readonly Fields[]): Fields | undefined {
  const quoted = JSON.stringify(path);
  return selectorFiles.find((entry) => JSON.stringify(entry).includes(quoted));
}

/** The Secret that a file comes from. */
function secretOf({ fileSources }: Fields): string | undefined {
  const [source] = (fileSources as readonly unknown[] | undefined) ?? [];
  const name = valueAt(source, 'secret', 'name');
  return typeof name === 'string' ? name : undefined;
}

function deliveryOf(secret: Fields | undefined, file: Fields | undefined): string | undefined {
  if (secret) {
    return 'guest-secret';
  }
  return file ? 'machine-files' : undefined;
}

function csiCall(csi: Fields, isInGuest: boolean, place: ProviderPlace): DraftValue {
  const values = valuesIn(csi);
  return call('CsiDriver', 'install', {
    ...csiOptions(isInGuest ? withoutCloudConfig(values) : values, place),
    ...chartOptions(csi),
  });
}

/** What is left of the configuration of K3s without what the cloud provider sets. */
function withoutK3sOptions(given: KubernetesFields): KubernetesFields {
  const { [CLOUD_PROVIDER_NAME]: _, ...selectorConfig } = given.selectorConfig;
  const globalConfig = withoutOwnController(given.globalConfig);
  const withServiceLb = withList(globalConfig, DISABLE, globalConfig[DISABLE], 'servicelb');
  return {
    ...given,
    selectorConfig: withoutExternalArg(selectorConfig),
    globalConfig: withoutExternalArg(withServiceLb),
  };
}

/** What is left of the configuration of RKE2 without what the cloud provider sets. */
function withoutRke2Options(given: KubernetesFields): KubernetesFields {
  const {
    [KUBELET_ARG]: args,
    [CLOUD_PROVIDER_NAME]: name,
    ...selectorConfig
  } = given.selectorConfig;
  return {
    ...given,
    selectorConfig: defined({
      ...selectorConfig,
      [KUBELET_ARG]: args,
      [CLOUD_PROVIDER_NAME]: unless(name, CLOUD_PROVIDER_EXTERNAL),
    }),
    globalConfig: withoutOwnController(given.globalConfig),
  };
}

function withoutOwnController({ 'disable-cloud-controller': _, ...others }: Fields): Fields {
  return others;
}

function withoutExternalArg(config: Fields): Fields {
  return withList(config, KUBELET_ARG, config[KUBELET_ARG], EXTERNAL_CLOUD_PROVIDER);
}

/** A configuration whose list at a key lacks an item. */
function withList(config: Fields, key: string, list: unknown, item: string): Fields {
  const { [key]: _, ...others } = config;
  const rest = Array.isArray(list) ? list.filter((each) => each !== item) : list;
  return rest === undefined || (Array.isArray(rest) && rest.length === 0)
    ? others
    : { ...others, [key]: rest };
}

function withoutCloudConfig({ cloudConfig: _, ...others }: Fields): Fields {
  return others;
}

function isChart(manifest: Fields, name: string): boolean {
  return manifest.kind === 'HelmChart' && valueAt(manifest, 'metadata', 'name') === name;
}

function valuesIn(chart: Fields): Fields {
  return manifestsIn(valueAt(chart, 'spec', 'valuesContent'))?.[0] ?? {};
}

function chartOptions(chart: Fields): DraftProps {
  return {
    chartVersion: valueAt(chart, 'spec', 'version') as DraftValue,
    chartRepository: unless(valueAt(chart, 'spec', 'repo') as string, HARVESTER_CHARTS_REPOSITORY),
  };
}

const ARGS: { readonly [arg: string]: string } = tableByName({
  '--node-ip-cidr': 'nodeIpCidrs',
  '--node-exclude-ip-ranges': 'nodeExcludeIpRanges',
});

function providerOptions(values: Fields, { cluster, harvester }: ProviderPlace): DraftProps {
  const {
    'cloudConfigPath': _,
    global,
    replicasCount,
    extraArgs,
    resources,
    nodeSelector,
    tolerations,
    'kube-vip': kubeVip,
    ...others
  } = values;
  const props: { [prop: string]: DraftValue } = {};
  const more: string[] = [];
  for (const argument of itemsOf(extraArgs) ?? []) {
    const [name, value = ''] = String(argument).split('=');
    if (name === '--management-network') {
      props.managementNetwork = onHarvester(
        harvester,
        `${GROUP_ATTACHMENT}/${KIND_NETWORK_ATTACHMENT}`,
        value,
      );
    } else if (ARGS[name]) {
      props[ARGS[name]] = value.split(',');
    } else {
      more.push(String(argument));
    }
  }
  const vip = kubeVip === undefined ? undefined : vipOptions(fieldsOf(kubeVip));
  const { requests, limits } = fieldsOf(resources);
  const own =
    valueAt(global, 'cattle', 'clusterName') === cluster
      ? others
      : { ...others, ...(global === undefined ? {} : { global }) };
  const rest = { ...own, ...(vip?.rest ? { 'kube-vip': vip.rest } : {}) };
  return {
    ...props,
    extraArgs: itemsOf(more),
    adopted:
      valueAt(global, 'cattle', 'clusterName') === undefined ? { namesCluster: false } : undefined,
    replicas: replicasCount as DraftValue,
    requests: textMapOf(requests),
    limits: textMapOf(limits),
    nodeSelector: textMapOf(nodeSelector),
    tolerations: tolerationsOf(tolerations),
    kubeVip: vip?.options,
    values: Object.keys(rest).length > 0 ? (rest as DraftProps) : undefined,
  };
}

function vipOptions({ enabled, env, nodeSelector, tolerations, ...rest }: Fields): {
  readonly options?: DraftProps;
  readonly rest?: Fields;
} {
  const { vip_interface: networkInterface, ...variables } = textMapOf(env) ?? {};
  const options = {
    enabled: enabled as DraftValue,
    networkInterface,
    env: textMapOf(variables),
    nodeSelector: textMapOf(nodeSelector),
    tolerations: tolerationsOf(tolerations),
  };
  return { options: filledFields(options), rest: filledFields(rest) };
}

function csiOptions(values: Fields, { harvester }: ProviderPlace): DraftProps {
  const { hostStorageClass, replicasCount, kubeletRootDir, cloudConfig, ...rest } = values;
  const path = valueAt(cloudConfig, 'hostPath');
  const isMoved =
    typeof path === 'string' && path.endsWith(CLOUD_CONFIG_FILE.replace(/[^/]*$/, ''));
  const more = isMoved || cloudConfig === undefined ? rest : { ...rest, cloudConfig };
  return {
    hostStorageClass: onHarvester(harvester, 'storage.k8s.io/StorageClass', hostStorageClass),
    replicas: replicasCount as DraftValue,
    kubeletRootDirectory: kubeletRootDir as DraftValue,
    values: Object.keys(more).length > 0 ? (more as DraftProps) : undefined,
  };
}

/**
 * The account that the program declares, with its cloud config; undefined where it is not there, or
 * the cluster uses another one.
 */
function accountOf(place: ProviderPlace, secret: string, isFile = false): FoundAccount | undefined {
  const { around, harvester, rancher, cluster, fleetWorkspace, vmNamespace, ownsAccount } = place;
  if (
    !ownsAccount ||
    harvester === undefined ||
    vmNamespace === undefined ||
    secret !== cloudConfigOf(cluster)
  ) {
    return undefined;
  }
  const config = isFile
    ? []
    : around
        .objects(rancher, '/Secret')
        .filter(
          ({ manifest }) =>
            manifest.metadata.name === secret && manifest.metadata.namespace === fleetWorkspace,
        );
  const account =
    isFile || config.length > 0 ? accountIn(harvester, vmNamespace, cluster, around) : undefined;
  return account && { ...account, objects: [...config, ...account.objects] };
}
