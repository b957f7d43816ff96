import {
  bundledProvider,
  checkBundledProvider,
  checkCsi,
  checkProviderOptions,
  checkProviderVersion,
  cloudConfigDirectory,
  cloudConfigPath,
  cloudConfigProps,
  cloudConfigSecret,
  csiValues,
  providerValues,
  CloudConfigDelivery,
  HarvesterCloudProviderOptions,
} from './bundled-provider';
import {
  curesOf,
  withoutKnownFault,
  CHART_FEATURES,
  GuestChartVersion,
  OLDEST_CLOUD_PROVIDER,
} from './chart-faults.data';
import { cloudConfigAccount } from './cloud-config-secret';
import {
  CLOUD_PROVIDER_EXTERNAL,
  GUEST_CLOUD_CONFIG_SECRET,
  HARVESTER_CHARTS_REPOSITORY,
  SECRET_KEY_CLOUD_PROVIDER,
  SECRET_KEY_CSI,
} from './cloud-provider.kind';
import { API_VERSIONS } from '../../core/manifest/names';
import { Problem, fail, failOnErrors, parsed } from '../../core/problem/problem';
import { freeForm } from '../../core/value/free-form';
import { SecretValue } from '../../core/value/secret-value';
import { FeatureGates } from '../../core/version/feature-gates';
import { SupportMatrix } from '../../rancher/support-matrix/support-matrix.facts';
import { BUNDLED_CHARTS_NAMESPACE } from '../balancer/load-balancer-service.check';
import { HelmChartOptions, helmChart } from '../chart/helm-chart';
import { CLOUD_CONFIG_KEY, CSI_CHART, PROVIDER_CHART } from '../cluster/cluster.kind';
import { CsiDriverOptions } from '../csi/csi-driver';
import { KubernetesDistribution } from '../kubernetes/kubernetes-version';
import { CLOUD_PROVIDER_NAME } from '../kubernetes/rke2.data';
import { ClusterContext, ClusterParts, ClusterFields, mergedValues } from '../parts/cluster-parts';
import { GuestGate } from '../version/guest-gates.data';

/** The last chart of the CSI driver that is installed without the definitions of snapshots. */
const LAST_CSI_WITHOUT_SNAPSHOTS = '0.1.24';

const KUBELET_ARG = 'kubelet-arg';
const DISABLE_CONTROLLER = 'disable-cloud-controller';

/** How a distribution is configured for an external cloud provider. */
interface Machinery {
  readonly tell: (parts: ClusterParts) => void;
  /** Whether the definitions of snapshots are bundled. */
  readonly snapshotDefinitions: boolean;
}

const MACHINERY: Record<KubernetesDistribution, Machinery> = {
  // RKE2 disables its own controller only for the providers that it bundles
  [KubernetesDistribution.RKE2]: {
    tell: (parts) => {
      parts.selectorConfig[CLOUD_PROVIDER_NAME] = CLOUD_PROVIDER_EXTERNAL;
    },
    snapshotDefinitions: true,
  },
  [KubernetesDistribution.K3S]: {
    tell: (parts) => {
      parts.addToList(parts.globalConfig, 'disable', 'servicelb');
      // Rancher replaces a list of one by the list of the other
      const config =
        KUBELET_ARG in parts.globalConfig && !(KUBELET_ARG in parts.selectorConfig)
          ? parts.globalConfig
          : parts.selectorConfig;
      parts.addToList(config, KUBELET_ARG, 'cloud-provider=external');
    },
    snapshotDefinitions: false,
  },
};

/** The values of the charts for the cloud config. */
interface Found {
  readonly provider: ClusterFields;
  readonly csi: ClusterFields;
}

/**
 * Configures the cloud provider with a HelmChart that the control plane installs: for K3s, and for
 * RKE2 with another chart version.
 */
function chartProvider(
  options: HarvesterCloudProviderOptions,
  parts: ClusterParts,
  context: ClusterContext,
): void {
  const { scope } = context;
  const machinery = MACHINERY[context.kubernetesVersion.distribution!];
  const delivery = options.delivery ?? CloudConfigDelivery.USER_DATA;
  const version = options.chartVersion ?? defaultVersion(context);
  const chart = parsed(scope, 'cloudProvider.chartVersion', () => GuestChartVersion.parse(version));
  const csi = csiChart(options.csi?._options, machinery, context);
  const own = freeForm('cloudProvider.values', options.values);
  const ownOfCsi = freeForm('cloudProvider.csi.values', csi?.options.values);
  failOnErrors(scope, [
    ...own.problems,
    ...ownOfCsi.problems,
    ...checkBundledProvider(parts, context),
    ...checkController(parts),
    ...checkProviderVersion(chart, context),
    ...checkProviderOptions(options, chart),
    ...checkDelivery(delivery, chart, options, context),
    ...(csi
      ? [...checkCsi(csi.options, csi.chart, context), ...checkSnapshots(csi, machinery)]
      : []),
  ]);
  machinery.tell(parts);
  parts.globalConfig[DISABLE_CONTROLLER] = true;
  const found = DELIVERIES[delivery](options, parts, { ...context, csiChartVersion: csi?.version });
  parts.cures = { of: (machines) => curesOf(chart, machines) };
  const cures = curesOf(chart, context.machines ?? {});
  addChart(parts, PROVIDER_CHART, {
    repository: options.chartRepository ?? HARVESTER_CHARTS_REPOSITORY,
    version,
    // nodes only become ready with the cloud provider
    bootstrap: true,
    values: [{ ...found.provider, ...providerValues(context.name, options) }, ...cures].reduce(
      mergedValues,
      own.value ?? {},
    ),
  });
  if (csi) {
    addChart(parts, CSI_CHART, {
      repository: csi.options.chartRepository ?? HARVESTER_CHARTS_REPOSITORY,
      version: csi.version,
      values: mergedValues(ownOfCsi.value ?? {}, { ...csiValues(csi.options), ...found.csi }),
    });
  }
}

function addChart(parts: ClusterParts, name: string, options: HelmChartOptions): void {
  const chart = helmChart(name, {
    chart: name,
    targetNamespace: BUNDLED_CHARTS_NAMESPACE,
    ...options,
  });
  // it becomes YAML in the Cluster, where undefined fields must not remain
  parts.manifests.push(JSON.parse(JSON.stringify(chart)) as ClusterFields);
}

function defaultVersion({ harvesterVersion, scope }: ClusterContext): string {
  const bundled =
    harvesterVersion && SupportMatrix.harvesterChartsBundled(harvesterVersion)?.cloudProvider;
  if (bundled) {
    return withoutKnownFault(bundled);
  }
  if (harvesterVersion?.isAtLeast('1.2.0') && harvesterVersion.isBefore('1.4.0')) {
    return OLDEST_CLOUD_PROVIDER;
  }
  return fail(scope, [
    {
      path: 'cloudProvider.chartVersion',
      message: `must be set: the chart version for ${harvesterVersion ? `Harvester ${harvesterVersion}` : 'an unknown Harvester version'} is unknown`,
      fix: 'set chartVersion',
    },
  ]);
}

type CsiChart = NonNullable<ReturnType<typeof csiChart>>;

function csiChart(
  options: CsiDriverOptions | undefined,
  { snapshotDefinitions }: Machinery,
  { harvesterVersion, scope }: ClusterContext,
) {
  if (!options) {
    return undefined;
  }
  const bundled = harvesterVersion && SupportMatrix.harvesterChartsBundled(harvesterVersion)?.csi;
  const version =
    options.chartVersion ??
    (bundled && capped(bundled, options.snapshotDefinitions ?? snapshotDefinitions));
  if (version === undefined) {
    fail(scope, [
      {
        path: 'cloudProvider.csi.chartVersion',
        message: 'must be set: the chart version for this Harvester version is unknown',
        fix: 'set chartVersion',
      },
    ]);
  }
  return {
    options,
    version,
    chart: parsed(scope, 'cloudProvider.csi.chartVersion', () => GuestChartVersion.parse(version)),
  };
}

function capped(bundled: string, snapshotDefinitions: boolean): string {
  return !snapshotDefinitions && GuestChartVersion.parse(bundled).has('CSI_SNAPSHOT_CLASS')
    ? LAST_CSI_WITHOUT_SNAPSHOTS
    : bundled;
}

function checkSnapshots(
  { options, chart }: CsiChart,
  { snapshotDefinitions }: Machinery,
): Problem[] {
  if (options.snapshotDefinitions ?? snapshotDefinitions ?? false) {
    return [];
  }
  return !chart.has('CSI_SNAPSHOT_CLASS')
    ? []
    : [
        {
          path: 'cloudProvider.csi.chartVersion',
          value: chart.upstream,
          message: 'cannot be installed on K3s without the definition of VolumeSnapshotClass',
          fix: `install the definitions of snapshots and set snapshotDefinitions to true, or use ${LAST_CSI_WITHOUT_SNAPSHOTS}`,
        },
      ];
}

function checkController({ globalConfig }: ClusterParts): Problem[] {
  return globalConfig[DISABLE_CONTROLLER] !== false
    ? []
    : [
        {
          path: `kubernetes.config[${DISABLE_CONTROLLER}]`,
          value: false,
          message:
            'must be true: otherwise the controller of the distribution initializes nodes before the cloud provider does',
          fix: 'leave it out',
        },
      ];
}

function checkDelivery(
  delivery: CloudConfigDelivery,
  chart: GuestChartVersion,
  { existingCloudConfig }: HarvesterCloudProviderOptions,
  { rancherVersion }: ClusterContext,
): Problem[] {
  const path = 'cloudProvider.delivery';
  const problems: Problem[] = [];
  if (delivery === CloudConfigDelivery.GUEST_SECRET && !chart.has('CLOUD_CONFIG_SECRET')) {
    problems.push({
      path,
      value: delivery,
      message: `needs chart harvester-cloud-provider ${CHART_FEATURES.CLOUD_CONFIG_SECRET} or later: ${chart.upstream} ignores cloudConfig.secretName`,
      fix: 'use another delivery or a later chartVersion',
    });
  }
  if (delivery === CloudConfigDelivery.MACHINE_FILES) {
    problems.push(
      ...FeatureGates.of(GuestGate.MACHINE_SELECTOR_FILES)._check(
        path,
        rancherVersion,
        'use another delivery',
      ),
    );
  } else if (existingCloudConfig && !existingCloudConfig.kubeconfig) {
    problems.push({
      path,
      value: delivery,
      message: 'needs the kubeconfig itself: only the name of an existing cloud config is known',
      fix: 'use CloudConfigDelivery.MACHINE_FILES, with annotation rke.cattle.io/object-authorized-for-clusters on the Secret',
    });
  }
  return problems;
}

const DELIVERIES: Record<
  CloudConfigDelivery,
  (options: HarvesterCloudProviderOptions, parts: ClusterParts, context: ClusterContext) => Found
> = {
  [CloudConfigDelivery.USER_DATA]: (options, parts, context) => {
    const path = cloudConfigPath(context);
    parts.files.push({
      path,
      content: kubeconfigFor(options, parts, context).base64,
      encoding: 'b64',
      owner: 'root:root',
      permissions: '0644',
    });
    return foundAt(path, context);
  },
  [CloudConfigDelivery.MACHINE_FILES]: (options, parts, context) => {
    const path = cloudConfigPath(context);
    const secret = cloudConfigSecret(options, context, true);
    parts.before.push(secret);
    // dynamic: a new token does not restart Kubernetes on the nodes
    parts.selectorFiles.push({
      fileSources: [
        { secret: { name: secret.name, items: [{ key: CLOUD_CONFIG_KEY, path, dynamic: true }] } },
      ],
    });
    return foundAt(path, context);
  },
  [CloudConfigDelivery.GUEST_SECRET]: (options, parts, context) => {
    const kubeconfig = kubeconfigFor(options, parts, context).base64;
    const secretName = GUEST_CLOUD_CONFIG_SECRET;
    parts.manifests.push({
      apiVersion: API_VERSIONS.CORE,
      kind: 'Secret',
      metadata: { name: secretName, namespace: BUNDLED_CHARTS_NAMESPACE },
      type: 'Opaque',
      // each chart reads another key
      data: { [SECRET_KEY_CLOUD_PROVIDER]: kubeconfig, [SECRET_KEY_CSI]: kubeconfig },
    });
    return {
      provider: { cloudConfig: { secretName, secretKey: SECRET_KEY_CLOUD_PROVIDER } },
      csi: { cloudConfig: { secretName } },
    };
  },
};

// always set: its default changed in 0.2.10
function foundAt(path: string, context: ClusterContext): Found {
  return {
    provider: { cloudConfigPath: path },
    csi: { cloudConfig: { hostPath: cloudConfigDirectory(context) } },
  };
}

function kubeconfigFor(
  options: HarvesterCloudProviderOptions,
  parts: ClusterParts,
  context: ClusterContext,
): SecretValue {
  const { existingCloudConfig } = options;
  if (existingCloudConfig?.kubeconfig) {
    parts.before.push(existingCloudConfig);
    return existingCloudConfig.kubeconfig;
  }
  const account = cloudConfigAccount(context.scope, cloudConfigProps(options, context));
  parts.before.push(account);
  return account.kubeconfig;
}

const HARVESTER: Record<KubernetesDistribution, typeof chartProvider> = {
  [KubernetesDistribution.RKE2]: bundledProvider,
  [KubernetesDistribution.K3S]: chartProvider,
};

/**
 * The cloud provider of a guest cluster: load balancers and volumes of the Harvester cluster that
 * its machines run on.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/cloud-provider
 */
export class CloudProvider {
  /**
   * The Harvester cloud provider: with RKE2 the bundled one and the bundled CSI driver, with K3s a
   * HelmChart.
   *
   * RKE2 upgrades its charts itself. Set `chartVersion` to upgrade the chart on K3s.
   */
  public static harvester(options: HarvesterCloudProviderOptions = {}): CloudProvider {
    return new CloudProvider((parts, context) =>
      HARVESTER[context.kubernetesVersion.distribution!](options, parts, context),
    );
  }

  /**
   * The Harvester cloud provider as a HelmChart, also with RKE2, whose bundled one is disabled, to
   * use another chart version. Set `csi` to install the CSI driver.
   */
  public static helmChart(options: HarvesterCloudProviderOptions = {}): CloudProvider {
    return new CloudProvider((parts, context) => chartProvider(options, parts, context));
  }

  /**
   * No cloud provider: Services of type LoadBalancer get no address, and volumes of Harvester are
   * not available.
   */
  public static none(): CloudProvider {
    return new CloudProvider(() => undefined);
  }

  declare private readonly nominal: true;

  private constructor(
    /** @internal */ public readonly _contribute: (
      parts: ClusterParts,
      context: ClusterContext,
    ) => void,
  ) {}
}
