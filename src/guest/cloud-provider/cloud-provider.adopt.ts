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
  const chart = manifests.find((each) => isChart(each, PROVIDER_CHART));
  const csi = manifests.find((each) => isChart(each, CSI_CHART));
  const secretName = cloudConfigOf(place.cluster);
  const values = chart && valuesIn(chart);
  const path = values?.cloudConfigPath;
  const inGuest = manifests.find(
    (each) =>
      each.kind === 'Secret' && valueAt(each, 'metadata', 'name') === GUEST_CLOUD_CONFIG_SECRET,
  );
  const isInGuest =
    inGuest !== undefined &&
    valueAt(values, 'cloudConfig', 'secretName') === GUEST_CLOUD_CONFIG_SECRET;
  const distribution = distributionCall(given.version);
  if (!chart || !values || (typeof path !== 'string' && !isInGuest) || !distribution) {
    return undefined;
  }
  const fromFiles =
    typeof path === 'string'
      ? selectorFiles.find((entry) => JSON.stringify(entry).includes(JSON.stringify(path)))
      : undefined;
  const fileSecret =
    fromFiles &&
    valueAt((fromFiles.fileSources as readonly unknown[] | undefined)?.[0], 'secret', 'name');
  const account = accountOf(
    place,
    typeof fileSecret === 'string' ? fileSecret : secretName,
    fromFiles === undefined,
  );
  if (!account && typeof fileSecret !== 'string') {
    return undefined;
  }
  const {
    [KUBELET_ARG]: args,
    [CLOUD_PROVIDER_NAME]: name,
    ...selectorConfig
  } = given.selectorConfig;
  const { 'disable-cloud-controller': _, ...globalConfig } = given.globalConfig;
  const csiValues = fieldsOf(csi && valuesIn(csi));
  const csiFields = csi && {
    ...csiOptions(isInGuest ? withoutCloudConfig(csiValues) : csiValues, place),
    ...chartOptions(csi),
  };
  const fileDelivery = fromFiles ? 'machine-files' : undefined;
  const options = {
    existingCloudConfig: account
      ? undefined
      : referOn(place.rancher, '/Secret', String(fileSecret), place.fleetWorkspace),
    cloudConfig: account?.options,
    ...providerOptions(isInGuest ? withoutCloudConfig(values) : values, place),
    ...chartOptions(chart),
    delivery: enumValue('CloudConfigDelivery', isInGuest ? 'guest-secret' : fileDelivery),
    csi: csiFields && call('CsiDriver', 'install', csiFields),
  };
  return {
    provider: call('CloudProvider', distribution === 'k3s' ? 'harvester' : 'helmChart', options),
    kubernetes: {
      ...given,
      selectorConfig:
        distribution === 'k3s'
          ? withList(selectorConfig, KUBELET_ARG, args, EXTERNAL_CLOUD_PROVIDER)
          : defined({
              ...selectorConfig,
              [KUBELET_ARG]: args,
              [CLOUD_PROVIDER_NAME]: unless(name, CLOUD_PROVIDER_EXTERNAL),
            }),
      globalConfig:
        distribution === 'k3s'
          ? withList(
              withList(globalConfig, DISABLE, globalConfig[DISABLE], 'servicelb'),
              KUBELET_ARG,
              globalConfig[KUBELET_ARG],
              EXTERNAL_CLOUD_PROVIDER,
            )
          : globalConfig,
    },
    manifests: manifests.filter(
      (each) => each !== chart && each !== csi && !(isInGuest && each === inGuest),
    ),
    selectorFiles: selectorFiles.filter((each) => each !== fromFiles),
    files: fromFiles || typeof path !== 'string' ? [] : [path],
    declares: account?.objects ?? [],
  };
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

function valuesIn(chart: Fields): Fields | undefined {
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
