import { Chart, harvesterChartIn, ADDITIONAL_MANIFEST } from './helm-chart.facts';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, kindKey, valueAt, Fields } from '../../core/manifest/manifest';
import { NO_PROBLEMS, Problem, problemsOf } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { JudgedObject, World } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { knownVersion } from '../../core/version/product-version';
import { tryYaml } from '../../core/yaml/yaml-reader';
import { addressPlan } from '../../harvester/load-balancer/address-plan.facts';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.facts';
import {
  BUNDLED_CHARTS_NAMESPACE,
  KIND_CHART_CONFIG,
} from '../balancer/load-balancer-service.check';
import { GuestChartVersion } from '../cloud-provider/chart-faults.data';
import { checkChartFaults } from '../cloud-provider/chart-faults.rules';
import {
  LEGACY_CLOUD_CONFIG_PATH,
  RKE2_CLOUD_CONFIG_PATH,
  SECRET_KEY_CSI,
} from '../cloud-provider/cloud-provider.kind';
import {
  checkClusterName,
  checkTopLevelName,
  clusterNameIn,
} from '../cloud-provider/cluster-name.check';
import {
  MachineFacts,
  additionalManifestOf,
  clusterDistribution,
  machineFactsOf,
  nodeConfigsOf,
  rkeConfigOf,
  userDataOf,
} from '../cluster/cluster-reader.facts';
import { DISABLE, PROVIDER_CHART } from '../cluster/cluster.kind';
import { EXTERNAL_CLOUD_PROVIDER, KUBELET_ARG, textsIn } from '../kubernetes/kubernetes.check';
import { distributionOf } from '../kubernetes/rke2.data';

const CHARTS = 'harvester/charts:charts/harvester-cloud-provider, charts/harvester-csi-driver';

/** The guest cluster that a chart is installed into. */
interface Guest {
  readonly distribution: 'rke2' | 'k3s' | undefined;
  /** The name of the provisioning Cluster. */
  readonly name?: string;
  /** The other manifests for the cluster. */
  readonly manifests: () => readonly unknown[];
  readonly machines?: MachineFacts;
  /** Whether user data writes a file to a path; undefined if it is unknown. */
  readonly writes: (path: string) => boolean | undefined;
}

/** Whether a chart has this version or a later one; undefined if it is unknown. */
function atLeast(chart: Chart, first: string): boolean | undefined {
  return chartVersion(chart)?.isAtLeast(first);
}

function chartVersion({ version }: Chart): GuestChartVersion | undefined {
  return knownVersion(GuestChartVersion.parse, version);
}

function* judgeChart(path: string, manifest: unknown, guest: Guest): Iterable<Problem> {
  const chart = harvesterChartIn(path, manifest);
  if (chart === 'unreadable') {
    yield {
      path: `${path}spec.valuesContent`,
      message: 'must be valid YAML',
      fix: 'correct the text',
    };
  } else if (chart) {
    yield* chart.name === PROVIDER_CHART
      ? judgeCloudProvider(chart, guest)
      : judgeCsiDriver(chart, guest);
  }
}

function* judgeCloudProvider(chart: Chart, guest: Guest): Iterable<Problem> {
  const { path, values } = chart;
  const at = `${path}.valuesContent`;
  const secret = valueAt(values, 'cloudConfig', 'secretName');
  const told = clusterNameIn(values);
  yield* checkTopLevelName(`${at}: clusterName`, values);
  yield* checkChartFaults(at, chart.name, chartVersion(chart), values, guest.machines);
  const problems = checkClusterName(
    `${at}: global.cattle.clusterName`,
    told,
    `write ${JSON.stringify(guest.name ?? 'the name of the Cluster')}`,
  );
  if (problems.length > 0) {
    yield* problems;
  } else if (
    guest.name !== undefined &&
    told !== guest.name &&
    !isLate(told) &&
    !isLate(guest.name)
  ) {
    yield {
      path: `${at}: global.cattle.clusterName`,
      value: told,
      level: 'warning',
      message: `must be the name of the Cluster, ${guest.name}, which the labels of its virtual machines contain`,
      fix: `write ${JSON.stringify(guest.name)}`,
    };
  }
  if (looksElsewhere(chart, guest)) {
    yield {
      path: `${at}: cloudConfigPath`,
      message:
        'must be set: charts 0.2.10 and later look for the file at the path of RKE2, and the pods wait for it indefinitely',
      fix: `set cloudConfigPath to the path of the file, e.g. ${LEGACY_CLOUD_CONFIG_PATH}`,
    };
  }
  // a chart does not start without its cloud config, but does without its arguments
  for (const [key, present, level] of [
    ['cloudConfig.secretName', secret, 'error'],
    ['extraArgs', values.extraArgs, 'warning'],
  ] as const) {
    if (present && atLeast(chart, '0.2.12') === false) {
      yield {
        path: `${at}: ${key}`,
        level,
        message: `has no effect in chart ${chart.version}: it needs 0.2.12`,
        fix: 'use chart 0.2.12 or later',
      };
    }
  }
}

/**
 * Whether a chart looks for its file at the wrong path: on K3s, and on RKE2 with user data that
 * writes it to the legacy path, the path differs.
 */
function looksElsewhere(chart: Chart, { distribution, writes }: Guest): boolean {
  const { values } = chart;
  const told =
    values.cloudConfigPath ||
    valueAt(values, 'cloudConfig', 'secretName') ||
    valueAt(values, 'cloudConfig', 'hostPath');
  if (told || atLeast(chart, '0.2.10') !== true || writes(RKE2_CLOUD_CONFIG_PATH) === true) {
    return false;
  }
  return distribution === 'k3s' || writes(LEGACY_CLOUD_CONFIG_PATH) === true;
}

/**
 * Whether the user data of all machines of a Cluster writes a file to a path; undefined if a
 * machine configuration is unknown.
 */
function writtenByUserData(cluster: JudgedObject, path: string, world: World): boolean | undefined {
  const texts = userDataOf(cluster, world);
  return texts.length === 0 || texts.includes(undefined)
    ? undefined
    : texts.every((text) => text?.includes(path));
}

function* judgeCsiDriver(chart: Chart, { distribution, manifests }: Guest): Iterable<Problem> {
  const at = `${chart.path}.valuesContent`;
  const ofKind = (kind: string): readonly unknown[] =>
    manifests().filter((other) => valueAt(other, 'kind') === kind);
  const hasSnapshots = ofKind('CustomResourceDefinition').some((other) =>
    plainText(valueAt(other, 'metadata', 'name')).endsWith('.snapshot.storage.k8s.io'),
  );
  if (distribution === 'k3s' && atLeast(chart, '0.1.25') === true && !hasSnapshots) {
    yield {
      path: `${chart.path}.version`,
      value: chart.version,
      level: 'warning',
      message:
        'cannot be installed on K3s without the definition of VolumeSnapshotClass, which K3s does not bundle',
      fix: 'install the definitions of snapshot.storage.k8s.io first, or use chart 0.1.24',
    };
  }
  const name = valueAt(chart.values, 'cloudConfig', 'secretName');
  const secret =
    typeof name === 'string' && name !== ''
      ? ofKind('Secret').find((other) => valueAt(other, 'metadata', 'name') === name)
      : undefined;
  const keys = ['data', 'stringData'].flatMap((field) =>
    Object.keys(isRecord(valueAt(secret, field)) ? (valueAt(secret, field) as Fields) : {}),
  );
  if (secret !== undefined && !keys.includes(SECRET_KEY_CSI)) {
    yield {
      path: `${at}: cloudConfig.secretName`,
      value: name,
      message: `must name a Secret with the key ${SECRET_KEY_CSI}: otherwise the driver looks for /etc/kubernetes/cloud-config`,
      fix: `put the kubeconfig under ${SECRET_KEY_CSI}`,
    };
  }
}

/**
 * What K3s leaves to the cloud provider of Harvester: it bundles a cloud controller and a load
 * balancer, which conflict with those of Harvester.
 */
const NEEDS_OF_K3S: ReadonlyArray<
  { readonly key: string; readonly isSet: (value: unknown) => boolean } & Problem
> = [
  {
    key: 'disable-cloud-controller',
    isSet: (value) => value === true || value === 'true',
    path: 'spec.rkeConfig.machineGlobalConfig.disable-cloud-controller',
    message:
      "must be true: otherwise K3s' own cloud controller uses port 10258, which Harvester's needs",
    fix: 'write disable-cloud-controller: true',
  },
  {
    key: DISABLE,
    isSet: (value) => textsIn(value).includes('servicelb'),
    path: `spec.rkeConfig.machineGlobalConfig.${DISABLE}`,
    message: "must contain servicelb: otherwise K3s' own load balancer handles the same Services",
    fix: 'write disable: [servicelb]',
  },
  {
    key: KUBELET_ARG,
    isSet: (value) => textsIn(value).includes(EXTERNAL_CLOUD_PROVIDER),
    path: 'spec.rkeConfig.machineSelectorConfig',
    message: 'must configure the kubelets for the cloud provider',
    fix: 'write config: {kubelet-arg: [cloud-provider=external]}',
  },
];

function judgeK3s(manifest: Manifest, chart: Chart | 'unreadable' | undefined): readonly Problem[] {
  if (chart === undefined || chart === 'unreadable' || chart.name !== PROVIDER_CHART) {
    return NO_PROBLEMS;
  }
  return problemsOf(
    NEEDS_OF_K3S,
    ({ key, isSet, ...problem }) =>
      !nodeConfigsOf(manifest).some(({ config }) => isSet(config[key])) && {
        ...problem,
        level: 'warning',
      },
  );
}

/** What is known of the guest cluster of a Cluster. */
function guestOf(cluster: JudgedObject, documents: readonly unknown[], world: World): Guest {
  const { manifest } = cluster;
  return {
    distribution: clusterDistribution(manifest),
    name: manifest.metadata.name,
    machines: machineFactsOf(manifest),
    manifests: () => documents,
    writes: (path) => writtenByUserData(cluster, path, world),
  };
}

/**
 * The charts that a Cluster has values for, each of which Rancher writes into a HelmChartConfig.
 */
function chartsOf(cluster: Manifest): readonly string[] {
  const values = rkeConfigOf(cluster)?.chartValues;
  return isRecord(values) ? Object.keys(values) : [];
}

/**
 * The charts that the HelmChartConfigs in a Cluster's additionalManifest are for, with their paths.
 */
function configsIn(cluster: Manifest): Array<{ readonly path: string; readonly chart: unknown }> {
  const text = additionalManifestOf(cluster);
  const documents = text.includes(KIND_CHART_CONFIG) ? (tryYaml(text).documents ?? []) : [];
  return documents.flatMap((document, index) =>
    valueAt(document, 'kind') === KIND_CHART_CONFIG &&
    isBundled(valueAt(document, 'metadata', 'namespace'))
      ? [{ path: `${ADDITIONAL_MANIFEST}[${index}]`, chart: valueAt(document, 'metadata', 'name') }]
      : [],
  );
}

const isBundled = (namespace: unknown): boolean => namespace === BUNDLED_CHARTS_NAMESPACE;

/**
 * The Cluster whose bundled chart a HelmChartConfig configures; undefined if it is unknown, and for
 * other charts.
 */
export function configuredCluster(config: JudgedObject, world: World): Manifest | undefined {
  return isBundled(config.manifest.metadata.namespace)
    ? addressPlan(world).guestOf(config)?.object.manifest
    : undefined;
}

/** What writes the values of a bundled chart in a Cluster; undefined if nothing does. */
function valuesWriter(cluster: Manifest, name: string): string | undefined {
  if (chartsOf(cluster).includes(name)) {
    return `chartValues.${name} of the Cluster`;
  }
  if (configsIn(cluster).some(({ chart }) => chart === name)) {
    return 'additionalManifest of the Cluster';
  }
  return undefined;
}

const twice = (by: string): string =>
  `must be set in one place: ${by} writes the same HelmChartConfig, and the last writer wins`;

/**
 * The charts of RKE2 on a Harvester whose HelmChartConfigs Harvester writes.
 * @see harvester/harvester-installer:pkg/config/templates rancherd-10, rancherd-23
 */
const CHARTS_OF_HARVESTER = ['rke2-ingress-nginx', 'rke2-multus'];

/** Rules for the Harvester charts in guest clusters, and for charts of a Harvester itself. */
export const HELM_CHART_RULES = rules({}, [
  {
    id: 'helm-chart/harvester',
    kinds: [kindKey('helm.cattle.io', 'HelmChart')],
    what: 'the charts of the Harvester cloud provider and CSI driver set the values that their versions require',
    source: CHARTS,
    judge: (object, world) => {
      const kinds = [
        ['', 'Secret'],
        ['apiextensions.k8s.io', 'CustomResourceDefinition'],
      ] as const;
      const manifests = () =>
        kinds.flatMap(([group, kind]) =>
          world.beside(object, group, kind).map(({ manifest }) => manifest),
        );
      return judgeChart('', object.manifest, {
        distribution: distributionOf(object.target.kubernetesVersion),
        manifests,
        writes: () => undefined,
      });
    },
  },
  {
    id: 'cluster/additional-manifest',
    kinds: CLUSTER_KINDS,
    what: 'additionalManifest is YAML with Kubernetes objects; it must set the required values of the Harvester cloud provider and CSI charts',
    source: `rancher/rancher:pkg/capr/planner/manifests.go; ${CHARTS}`,
    field: ADDITIONAL_MANIFEST,
    late: 'judged',
    *check(_, text, cluster, world) {
      if (typeof text !== 'string' || text === '') {
        return;
      }
      const { documents, fault } = tryYaml(text);
      if (!documents) {
        yield {
          path: ADDITIONAL_MANIFEST,
          message: `must be valid YAML: ${fault}`,
          fix: 'correct the text',
        };
        return;
      }
      const guest = guestOf(cluster, documents, world);
      for (const [index, document] of documents.entries()) {
        if (document === null) {
          continue;
        }
        const path = `${ADDITIONAL_MANIFEST}[${index}]`;
        if (
          !isRecord(document) ||
          typeof document.apiVersion !== 'string' ||
          typeof document.kind !== 'string'
        ) {
          yield {
            path,
            message: 'must be a Kubernetes object',
            fix: 'write apiVersion, kind and metadata',
          };
        } else if (document.kind === 'HelmChart') {
          yield* judgeChart(`${path}.`, document, guest);
          if (guest.distribution === 'k3s') {
            yield* judgeK3s(cluster.manifest, harvesterChartIn('', document));
          }
        }
      }
    },
  },
  {
    id: 'helm-chart/values-twice',
    kinds: [...CLUSTER_KINDS, kindKey('helm.cattle.io', KIND_CHART_CONFIG)],
    what: 'the values of a bundled chart have one writer: a HelmChartConfig, or chartValues of the Cluster, which Rancher writes into the same object',
    source:
      'rancher/rancher:pkg/capr/planner/config.go addChartConfigs, which writes a HelmChartConfig for each key of chartValues',
    judge: (object, world) => {
      const { manifest } = object;
      const { name } = manifest.metadata;
      if (manifest.kind !== KIND_CHART_CONFIG) {
        return problemsOf(
          configsIn(manifest),
          ({ path, chart }) =>
            typeof chart === 'string' &&
            chartsOf(manifest).includes(chart) && {
              path,
              value: chart,
              message: twice(`chartValues.${chart}`),
              fix: 'move the values to chartValues',
            },
        );
      }
      const cluster = configuredCluster(object, world);
      const by = cluster && valuesWriter(cluster, name);
      return (
        by && {
          path: 'metadata.name',
          value: name,
          message: twice(by),
          fix: 'keep one of the two, with all values',
        }
      );
    },
  },
  {
    id: 'helm-chart/values-of-harvester',
    level: 'warning',
    kinds: [kindKey('helm.cattle.io', KIND_CHART_CONFIG)],
    surelyOn: 'harvester',
    what: 'the values of the ingress controller and of Multus on a Harvester keep what Harvester requires',
    source:
      'harvester/harvester-installer:pkg/config/templates/rancherd-10-harvester.yaml, rancherd-23-multus-config.yaml; ' +
      'harvester/harvester:pkg/controller/master/setting/ssl_parameters.go',
    field: 'metadata.name',
    when: ({ manifest }) => isBundled(manifest.metadata.namespace),
    check: (_, name) =>
      CHARTS_OF_HARVESTER.includes(String(name)) && {
        message:
          'replaces the values that Harvester writes for this chart, and its settings on TLS replace these',
        fix: `copy those that you keep from kubectl get helmchartconfigs.helm.cattle.io ${String(name)} -n ${BUNDLED_CHARTS_NAMESPACE} -o yaml, or use the settings of Harvester`,
      },
  },
]);
