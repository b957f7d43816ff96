import { textsIn } from './kubernetes.check';
import {
  CNI_OF_CHART,
  INGRESS_OF_CHART,
  K3S_BUNDLED_CHARTS,
  RKE2_BUNDLED_CHARTS,
  RKE2_NOT_READ,
  RKE2_PROFILES,
} from './rke2.data';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, kindKey, valueAt } from '../../core/manifest/manifest';
import { NO_PROBLEMS, Problem, problemsOf, problemsOfKeys } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { named } from '../../core/rule/world-lookup';
import { nearestName, plainText } from '../../core/text/plain-text';
import { tableByName, byObject, byText } from '../../core/text/values';
import { Since, knownVersion } from '../../core/version/product-version';
import { Semver, parseSemver } from '../../core/version/semver';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.facts';
import { KIND_CHART_CONFIG } from '../balancer/load-balancer-service.check';
import { configuredCluster } from '../chart/helm-chart.rules';
import {
  ClusterPool,
  additionalManifestOf,
  clusterDistribution,
  kubernetesVersionOf,
  nodeConfigsOf,
  poolsOf,
  rkeConfigOf,
  userDataOf,
} from '../cluster/cluster-reader.facts';
import { CONFIG_KEY, DISABLE } from '../cluster/cluster.kind';
import { KUBERNETES_PRODUCT } from '../version/guest-gates.data';

const HELM = 'helm.cattle.io';
const CHARTS =
  'rancher/rke2:charts/chart_versions.yaml; rancher/rancher:pkg/capr/planner/config.go addChartConfigs';

const versionAt = byText((text) =>
  knownVersion((version) => parseSemver(version, KUBERNETES_PRODUCT), text),
);

const versionOf = (manifest: Manifest): Semver | undefined =>
  versionAt(plainText(kubernetesVersionOf(manifest)));

/** Whether a release is one of these versions, one for each minor line, or a later one. */
const includes = (version: Semver, ...since: string[]): boolean =>
  since.length > 0 && Since.of(...since)._includes(version);

/** All values of a key in the configurations of the nodes, with their paths. */
function settingsOf(manifest: Manifest, key: string): readonly Setting[] {
  const configs = nodeConfigsOf(manifest);
  if (configs.every(({ config }) => config[key] === undefined)) {
    return NO_SETTINGS;
  }
  return configs
    .filter(({ config }) => config[key] !== undefined && !isLate(config[key]))
    .map(({ path, config }) => ({ path: `${path}.${key}`, value: config[key] }));
}

interface Setting {
  readonly path: string;
  readonly value: unknown;
}

const NO_SETTINGS: readonly Setting[] = [];

/** The words of a key whose value is a list, or a text with commas; undefined if it is not set. */
function wordsOf(manifest: Manifest, key: string): string[] | undefined {
  const values = settingsOf(manifest, key);
  return values.length === 0
    ? undefined
    : values
        .flatMap(({ value }) => textsIn(value))
        .flatMap((text) => text.split(',').map((word) => word.trim()));
}

const isTrue = (value: unknown): boolean => value === true || value === 'true';

function checkKernelDefaults(manifest: Manifest, profile: string): readonly Problem[] {
  if (!profile.startsWith('cis')) {
    return NO_PROBLEMS;
  }
  return problemsOf(
    settingsOf(manifest, CONFIG_KEY.PROTECT_KERNEL_DEFAULTS),
    ({ path, value }) =>
      (value === false || value === 'false') && {
        path,
        value,
        message: `must be true with profile ${profile}`,
        fix: 'write true, or remove it',
        says: `--protect-kernel-defaults must be true when using --profile=${profile}`,
      },
  );
}

/** Why values for a chart have no effect in a Cluster; undefined if they have. */
function judgeChart(cluster: Manifest, chart: string, world: World): Unplaced | undefined {
  const runs = clusterDistribution(cluster);
  if (runs === undefined || isLate(chart)) {
    return undefined;
  }
  const problem = runs === 'k3s' ? judgeK3sChart(chart) : judgeRke2Chart(cluster, chart);
  return problem && isInstalled(cluster, chart, world) ? undefined : problem;
}

/** Whether another manifest installs a chart, to which the values then apply. */
function isInstalled(manifest: Manifest, chart: string, world: World): boolean {
  return (
    additionalManifestOf(manifest).includes(chart) ||
    named(world, HELM, 'HelmChart', chart).length > 0
  );
}

type Unplaced = Omit<Problem, 'path'>;

function judgeK3sChart(chart: string): Unplaced | undefined {
  if (K3S_BUNDLED_CHARTS.includes(chart)) {
    return undefined;
  }
  return {
    message: `has no effect: K3s bundles only the charts ${K3S_BUNDLED_CHARTS.join(' and ')}`,
    fix: 'remove it, or install the chart with a HelmChart in additionalManifest',
  };
}

/** The keys of the configuration that choose between charts. */
const CHOSEN = [
  { users: CNI_OF_CHART, key: CONFIG_KEY.CNI },
  { users: INGRESS_OF_CHART, key: CONFIG_KEY.INGRESS_CONTROLLER },
] as const;

/** The charts that a release bundles. */
const bundledIn = byObject(
  (version: Semver): ReadonlySet<string> =>
    new Set(
      Object.keys(RKE2_BUNDLED_CHARTS).filter((chart) =>
        includes(version, `${RKE2_BUNDLED_CHARTS[chart]}.0`),
      ),
    ),
);

function judgeRke2Chart(manifest: Manifest, chart: string): Unplaced | undefined {
  const since = RKE2_BUNDLED_CHARTS[chart];
  const version = versionOf(manifest);
  if (since === undefined) {
    const known = Object.keys(RKE2_BUNDLED_CHARTS);
    // some dashboards add the version to the name
    if (
      known.some(
        (name) => chart.startsWith(`${name}-`) && /^-v?\d/.test(chart.slice(name.length)),
      ) ||
      (version && includes(version, RKE2_NOT_READ))
    ) {
      return undefined;
    }
    const near =
      nearestName(chart, known) ??
      nearestName(`rke2-${chart}`, known) ??
      known.find((name) => name.startsWith(`${chart}-`));
    return {
      message: 'has no effect: RKE2 bundles no chart of this name',
      fix: near ? `write ${near}` : `use one of ${known.join(', ')}`,
    };
  }
  if (version && !bundledIn(version).has(chart)) {
    return {
      message: `has no effect: RKE2 bundles this chart since ${since}`,
      fix: 'remove it, or upgrade RKE2',
    };
  }
  if (wordsOf(manifest, DISABLE)?.includes(chart)) {
    return {
      message: 'has no effect: the chart is disabled',
      fix: 'remove it, or remove the chart from disable',
    };
  }
  for (const { users, key } of CHOSEN) {
    const words = users[chart] === undefined ? undefined : wordsOf(manifest, key);
    if (words && !words.includes(users[chart]!)) {
      return {
        message: `has no effect: ${key} is ${words.join(',')}`,
        fix: `remove it, or set ${key} to ${users[chart]}`,
      };
    }
  }
  return undefined;
}

/** How a network plugin replaces kube-proxy. */
interface Replacement {
  readonly chart: string;
  readonly isSet: (values: unknown) => boolean;
  readonly key: string;
  readonly text: string;
}

const REPLACEMENTS: { readonly [plugin: string]: Replacement | undefined } = tableByName({
  cilium: {
    chart: 'rke2-cilium',
    isSet: (values) =>
      [true, 'true', 'strict', 'partial', 'probe'].includes(
        valueAt(values, 'kubeProxyReplacement') as string,
      ),
    key: 'kubeProxyReplacement',
    text: 'kubeProxyReplacement (true), k8sServiceHost and k8sServicePort',
  },
  calico: {
    chart: 'rke2-calico',
    isSet: (values) => valueAt(values, 'installation', 'calicoNetwork', 'linuxDataplane') === 'BPF',
    key: 'linuxDataplane',
    text: 'installation.calicoNetwork.linuxDataplane (BPF)',
  },
});

/** Whether other manifests, or files that the machines write, configure the replacement. */
function isSetElsewhere(cluster: JudgedObject, { chart, key }: Replacement, world: World): boolean {
  return (
    additionalManifestOf(cluster.manifest).includes(key) ||
    named(world, HELM, 'HelmChartConfig', chart).length > 0 ||
    Array.isArray(rkeConfigOf(cluster.manifest)?.machineSelectorFiles) ||
    userDataOf(cluster, world).some((text) => text?.includes(key))
  );
}

const WINDOWS_PLUGINS = ['calico', 'flannel'];

function* checkWindows(manifest: Manifest, { path, fields }: ClusterPool): Iterable<Problem> {
  const at = { path: `${path}.machineOS`, value: 'windows' };
  if (fields.etcdRole === true || fields.controlPlaneRole === true) {
    yield {
      ...at,
      message: 'must be linux for machines with etcd or the control plane',
      fix: 'use a pool of workers for Windows',
    };
  }
  const plugins = wordsOf(manifest, CONFIG_KEY.CNI);
  if (clusterDistribution(manifest) === 'k3s') {
    yield {
      ...at,
      level: 'warning',
      message: 'must be linux: K3s does not run on Windows',
      fix: 'use RKE2',
    };
  } else if (plugins && !plugins.some((plugin) => WINDOWS_PLUGINS.includes(plugin))) {
    yield {
      ...at,
      level: 'warning',
      message: `must be linux with ${plugins.join(',')}, which does not run on Windows`,
      fix: `use ${WINDOWS_PLUGINS.join(' or ')}`,
    };
  }
}

/** Rules for the options of RKE2 and K3s. */
export const DISTRIBUTION_RULES: readonly Rule[] = [
  ...rules({ kinds: CLUSTER_KINDS }, [
    {
      id: 'cluster/profile',
      what: 'the hardening profile of RKE2 is one that its release accepts, with protect-kernel-defaults: with any other, RKE2 does not start',
      says: 'invalid value provided for --profile flag',
      source:
        'rancher/rke2:pkg/cli/cmds/profile_linux.go, pkg/rke2/rke2.go at the release tags 1.21 to 1.36',
      judge: ({ manifest }) => {
        const profiles = settingsOf(manifest, CONFIG_KEY.PROFILE);
        const version =
          profiles.length > 0 && clusterDistribution(manifest) === 'rke2'
            ? versionOf(manifest)
            : undefined;
        return (
          version &&
          problemsOf(profiles, ({ path, value }) => {
            if (typeof value !== 'string' || value === '') {
              return undefined;
            }
            const { since = [], until, says } = RKE2_PROFILES[value] ?? {};
            const dropped = until !== undefined && includes(version, until);
            // a later release may accept profiles that were not read
            if (!dropped && (includes(version, ...since) || includes(version, RKE2_NOT_READ))) {
              return checkKernelDefaults(manifest, value);
            }
            const accepted = Object.entries(RKE2_PROFILES)
              .filter(
                ([, each]) =>
                  includes(version, ...each.since) &&
                  !(each.until !== undefined && includes(version, each.until)),
              )
              .map(([name]) => name);
            return {
              path,
              value,
              message: `must be a profile of this release of RKE2: ${accepted.join(' or ')}`,
              fix: `write ${accepted.find((name) => name.startsWith('cis')) ?? accepted[0]}`,
              ...(dropped && says ? { says } : {}),
            };
          })
        );
      },
    },
    {
      id: 'cluster/kube-proxy',
      level: 'warning',
      what: 'without kube-proxy, the network plugin replaces it: otherwise the addresses of Services do not work, and the cluster does not become ready',
      source:
        'https://docs.rke2.io/networking/basic_network_options (Cilium, Calico eBPF); rancher/rke2-charts:packages/rke2-cilium, rke2-calico values.yaml',
      judge: (cluster, world) => {
        const { manifest } = cluster;
        const disabled = nodeConfigsOf(manifest).find(({ config }) =>
          isTrue(config[CONFIG_KEY.DISABLE_KUBE_PROXY]),
        );
        if (!disabled) {
          return undefined;
        }
        const at = {
          path: `${disabled.path}.${CONFIG_KEY.DISABLE_KUBE_PROXY}`,
          value: disabled.config[CONFIG_KEY.DISABLE_KUBE_PROXY],
        };
        if (clusterDistribution(manifest) === 'k3s') {
          const backend = settingsOf(manifest, 'flannel-backend').find(
            ({ value }) => value === 'none',
          );
          return (
            !backend && {
              ...at,
              message: 'cannot be set with Flannel, which does not replace kube-proxy',
              fix: 'remove it, or set flannel-backend to none and install another network plugin',
            }
          );
        }
        const plugins =
          wordsOf(manifest, CONFIG_KEY.CNI)?.filter((plugin) => plugin !== 'multus') ?? [];
        const [plugin] = plugins;
        if (
          clusterDistribution(manifest) !== 'rke2' ||
          plugins.length !== 1 ||
          plugin === undefined ||
          plugin === 'none'
        ) {
          return undefined;
        }
        const replacement = REPLACEMENTS[plugin];
        if (!replacement) {
          return {
            ...at,
            message: `cannot be set with ${plugin}, which does not replace kube-proxy`,
            fix: 'remove it, or use cilium or calico with eBPF',
          };
        }
        const isSet =
          replacement.isSet(valueAt(rkeConfigOf(manifest), 'chartValues', replacement.chart)) ||
          isSetElsewhere(cluster, replacement, world);
        return (
          !isSet && {
            ...at,
            message: `must be used together with ${replacement.text} in the values of ${replacement.chart}`,
            fix: `set it, or remove ${CONFIG_KEY.DISABLE_KUBE_PROXY}`,
          }
        );
      },
    },
    {
      id: 'cluster/windows',
      what: 'a cluster with Windows machines is RKE2 with Calico or Flannel, and they are only workers',
      source: 'https://docs.rke2.io/install/requirements (Windows)',
      judge: ({ manifest }) =>
        problemsOf(
          poolsOf(manifest),
          (pool) => pool.fields.machineOS === 'windows' && checkWindows(manifest, pool),
        ),
    },
  ]),
  ...rules({ kinds: [...CLUSTER_KINDS, kindKey(HELM, KIND_CHART_CONFIG)] }, [
    {
      id: 'cluster/chart-values',
      level: 'warning',
      what: 'chartValues and HelmChartConfigs are for charts that the release bundles and the cluster uses; values for others have no effect',
      source: CHARTS,
      judge: (object, world) => {
        const { manifest } = object;
        if (manifest.kind === KIND_CHART_CONFIG) {
          const { name } = manifest.metadata;
          const cluster = configuredCluster(object, world);
          const problem = cluster && judgeChart(cluster, name, world);
          return problem && { path: 'metadata.name', value: name, ...problem };
        }
        const values = rkeConfigOf(manifest)?.chartValues;
        if (!isRecord(values)) {
          return undefined;
        }
        return problemsOfKeys(values, (chart) => {
          const given = values[chart];
          // the UI writes empty values
          const problem =
            isRecord(given) && Object.keys(given).length > 0
              ? judgeChart(manifest, chart, world)
              : undefined;
          return problem && { path: `spec.rkeConfig.chartValues.${chart}`, ...problem };
        });
      },
    },
  ]),
];
