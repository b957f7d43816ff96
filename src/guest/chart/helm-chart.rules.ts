import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, kindKey, valueAt } from '../../core/manifest/manifest';
import { rule } from '../../core/rule/kit/fact';
import { NO_PROBLEMS, Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { NoYaml, readYaml } from '../../core/yaml/yaml-reader';
import { addressPlan } from '../../harvester/load-balancer/address-plan.facts';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.kind';
import { BUNDLED_CHARTS_NAMESPACE, KIND_CHART_CONFIG } from '../balancer/load-balancer-service.check';
import { MachineFacts, GuestChartVersion } from '../cloud-provider/chart-faults.data';
import { checkChartFaults } from '../cloud-provider/chart-faults.rules';
import { LEGACY_CLOUD_CONFIG_PATH, RKE2_CLOUD_CONFIG_PATH, SECRET_KEY_CSI } from '../cloud-provider/cloud-provider.kind';
import { checkClusterName, checkTopLevelName } from '../cloud-provider/cluster-name.check';
import { configOf, machineFactsOf, nodeConfigsOf, poolsOf, rkeConfigOf } from '../cluster/cluster-reader.facts';
import { CSI_CHART, PROVIDER_CHART } from '../cluster/cluster.kind';
import { distributionOf } from '../kubernetes/rke2.data';
import { cloudInitText } from '../machine-config/machine-json.facts';

const KINDS = [kindKey('helm.cattle.io', 'HelmChart')];
const MANIFEST = 'spec.rkeConfig.additionalManifest';
const CHARTS = 'harvester/charts:charts/harvester-cloud-provider, charts/harvester-csi-driver';

type Fields = { readonly [key: string]: unknown };

/** The guest cluster that a chart is installed into. */
interface Guest {
  readonly distribution?: 'rke2' | 'k3s';
  /** The name of the provisioning Cluster. */
  readonly name?: string;
  /** The other manifests for the cluster. */
  readonly manifests: () => readonly unknown[];
  readonly machines?: MachineFacts;
  /** Whether user data writes a file to a path; undefined if it is unknown. */
  readonly writes: (path: string) => boolean | undefined;
}

/** A chart with its values. */
interface Chart {
  readonly path: string;
  readonly name: string;
  readonly version?: string;
  readonly values: Fields;
}

function chartOf(path: string, manifest: unknown): Chart | 'unreadable' | undefined {
  const spec = valueAt(manifest, 'spec');
  if (!isRecord(spec) || typeof spec.chart !== 'string') { return undefined; }
  // a path or address ends in the name of the chart
  const file = spec.chart.split('/').pop() ?? '';
  const name = [PROVIDER_CHART, CSI_CHART].find((chart) => file.startsWith(chart));
  if (name === undefined) { return undefined; }
  try {
    const content = typeof spec.valuesContent === 'string' ? readYaml(spec.valuesContent)[0] : undefined;
    const set = isRecord(spec.set) ? nested(spec.set) : {};
    const values = [content, spec.values, set].filter(isRecord).reduce<Fields>(merge, {});
    return { path: `${path}spec`, name, ...(typeof spec.version === 'string' ? { version: spec.version } : {}), values };
  } catch (error) {
    if (!(error instanceof NoYaml)) { throw error; }
    return 'unreadable';
  }
}

/** A chart of Harvester that the control plane of a Cluster installs from its additionalManifest; undefined if there is none. */
export function installedChart(manifest: Manifest, name: string): { readonly path: string; readonly version?: string } | undefined {
  const text = rkeConfigOf(manifest)?.additionalManifest;
  if (typeof text !== 'string') { return undefined; }
  const charts = (documentsIn(text) ?? []).map((document, index) => chartOf(`${MANIFEST}[${index}].`, document));
  const chart = charts.filter((each) => typeof each === 'object').find((each) => each.name === name);
  return chart && { path: `${chart.path}.version`, version: chart.version };
}

function documentsIn(text: string): unknown[] | undefined {
  try {
    return readYaml(text);
  } catch (error) {
    if (!(error instanceof NoYaml)) { throw error; }
    return undefined;
  }
}

function nested(set: Fields): Fields {
  const below = (key: string, value: unknown): Fields => key.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), value) as Fields;
  return Object.entries(set).reduce<Fields>((values, [key, value]) => merge(values, below(key, value)), {});
}

function merge(below: Fields, above: Fields): Fields {
  const merged: { [key: string]: unknown } = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const old = merged[key];
    merged[key] = isRecord(old) && isRecord(value) ? merge(old, value) : value;
  }
  return merged;
}

/** Whether a chart has this version or a later one; undefined if it is unknown. */
function atLeast(chart: Chart, first: string): boolean | undefined {
  return chartVersion(chart)?.isAtLeast(first);
}

function chartVersion({ version }: Chart): GuestChartVersion | undefined {
  try {
    return version === undefined || isLate(version) ? undefined : GuestChartVersion.parse(version);
  } catch {
    return undefined;
  }
}

function* judgeChart(path: string, manifest: unknown, guest: Guest): Iterable<Problem> {
  const chart = chartOf(path, manifest);
  if (chart === 'unreadable') {
    yield { path: `${path}spec.valuesContent`, message: 'must be valid YAML', fix: 'correct the text' };
  } else if (chart) {
    yield* chart.name === PROVIDER_CHART ? judgeCloudProvider(chart, guest) : judgeCsiDriver(chart, guest);
  }
}

function* judgeCloudProvider(chart: Chart, guest: Guest): Iterable<Problem> {
  const { path, values } = chart;
  const at = `${path}.valuesContent`;
  const secret = valueAt(values, 'cloudConfig', 'secretName');
  const given = valueAt(values, 'global', 'cattle', 'clusterName');
  // a name of digits without quotes
  const told = typeof given === 'number' ? String(given) : given;
  yield* checkTopLevelName(`${at}: clusterName`, values);
  yield* checkChartFaults(at, chart.name, chartVersion(chart), values, guest.machines);
  const problems = checkClusterName(`${at}: global.cattle.clusterName`, told, `write ${JSON.stringify(guest.name ?? 'the name of the Cluster')}`);
  if (problems.length > 0) {
    yield* problems;
  } else if (guest.name !== undefined && told !== guest.name && !isLate(told) && !isLate(guest.name)) {
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
      message: 'must be set: charts 0.2.10 and later look for the file at the path of RKE2, and the pods wait for it indefinitely',
      fix: `set cloudConfigPath to the path of the file, e.g. ${LEGACY_CLOUD_CONFIG_PATH}`,
    };
  }
  // a chart does not start without its cloud config, but does without its arguments
  for (const [key, present, level] of [['cloudConfig.secretName', secret, 'error'], ['extraArgs', values.extraArgs, 'warning']] as const) {
    if (present && atLeast(chart, '0.2.12') === false) {
      yield { path: `${at}: ${key}`, level, message: `has no effect in chart ${chart.version}: it needs 0.2.12`, fix: 'use chart 0.2.12 or later' };
    }
  }
}

/** Whether a chart looks for its file at the wrong path: on K3s, and on RKE2 with user data that writes it to the legacy path, the path differs. */
function looksElsewhere(chart: Chart, { distribution, writes }: Guest): boolean {
  const { values } = chart;
  const told = values.cloudConfigPath || valueAt(values, 'cloudConfig', 'secretName') || valueAt(values, 'cloudConfig', 'hostPath');
  if (told || atLeast(chart, '0.2.10') !== true || writes(RKE2_CLOUD_CONFIG_PATH) === true) { return false; }
  return distribution === 'k3s' || writes(LEGACY_CLOUD_CONFIG_PATH) === true;
}

/** Whether the user data of all machines of a Cluster writes a file to a path; undefined if a machine configuration is unknown. */
function writtenByUserData(cluster: JudgedObject, path: string, world: World): boolean | undefined {
  const texts = poolsOf(cluster.manifest).map((pool) => {
    const config = configOf(cluster, pool, world);
    return config && (cloudInitText(config.manifest, 'userData') ?? '');
  });
  return texts.length === 0 || texts.includes(undefined) ? undefined : texts.every((text) => text?.includes(path));
}

function* judgeCsiDriver(chart: Chart, { distribution, manifests }: Guest): Iterable<Problem> {
  const at = `${chart.path}.valuesContent`;
  const ofKind = (kind: string): readonly unknown[] => manifests().filter((other) => valueAt(other, 'kind') === kind);
  const hasSnapshots = ofKind('CustomResourceDefinition').some((other) => plainText(valueAt(other, 'metadata', 'name')).endsWith('.snapshot.storage.k8s.io'));
  if (distribution === 'k3s' && atLeast(chart, '0.1.25') === true && !hasSnapshots) {
    yield {
      path: `${chart.path}.version`,
      value: chart.version,
      level: 'warning',
      message: 'cannot be installed on K3s without the definition of VolumeSnapshotClass, which K3s does not bundle',
      fix: 'install the definitions of snapshot.storage.k8s.io first, or use chart 0.1.24',
    };
  }
  const name = valueAt(chart.values, 'cloudConfig', 'secretName');
  const secret = typeof name === 'string' && name !== '' ? ofKind('Secret').find((other) => valueAt(other, 'metadata', 'name') === name) : undefined;
  const keys = ['data', 'stringData'].flatMap((field) => Object.keys(isRecord(valueAt(secret, field)) ? valueAt(secret, field) as Fields : {}));
  if (secret !== undefined && !keys.includes(SECRET_KEY_CSI)) {
    yield {
      path: `${at}: cloudConfig.secretName`,
      value: name,
      message: `must name a Secret with the key ${SECRET_KEY_CSI}: otherwise the driver looks for /etc/kubernetes/cloud-config`,
      fix: `put the kubeconfig under ${SECRET_KEY_CSI}`,
    };
  }
}

const CHART: Rule = {
  id: 'helm-chart/harvester',
  level: 'error',
  kinds: KINDS,
  what: 'the charts of the Harvester cloud provider and CSI driver have the values that their versions need',
  source: CHARTS,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const distribution = distributionOf(object.target.kubernetesVersion);
    const kinds = [['', 'Secret'], ['apiextensions.k8s.io', 'CustomResourceDefinition']] as const;
    const manifests = () => kinds.flatMap(([group, kind]) => world.beside(object, group, kind).map(({ manifest }) => manifest));
    return judgeChart('', object.manifest, { ...(distribution ? { distribution } : {}), manifests, writes: () => undefined });
  },
};

const ADDITIONAL: Rule = {
  id: 'cluster/additional-manifest',
  level: 'error',
  kinds: CLUSTER_KINDS,
  fields: [MANIFEST],
  what: 'additionalManifest is YAML with Kubernetes objects; charts of the Harvester cloud provider and CSI driver in it have the values that they need',
  source: `rancher/rancher:pkg/capr/planner/manifests.go; ${CHARTS}`,
  *judge(cluster: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = cluster;
    const documents = yield* documentsOf(manifest);
    if (documents === undefined) { return; }
    const distribution = distributionOf(valueAt(manifest, 'spec', 'kubernetesVersion'));
    const guest: Guest = {
      ...(distribution ? { distribution } : {}),
      name: manifest.metadata.name,
      machines: machineFactsOf(manifest),
      manifests: () => documents,
      writes: (path) => writtenByUserData(cluster, path, world),
    };
    for (const [index, document] of documents.entries()) {
      if (document === null) { continue; }
      const path = `${MANIFEST}[${index}]`;
      if (!isRecord(document) || typeof document.apiVersion !== 'string' || typeof document.kind !== 'string') {
        yield { path, message: 'must be a Kubernetes object', fix: 'write apiVersion, kind and metadata' };
      } else if (document.kind === 'HelmChart') {
        yield* judgeChart(`${path}.`, document, guest);
        if (distribution === 'k3s') { yield* judgeK3s(manifest, chartOf('', document)); }
      }
    }
  },
};

function* documentsOf(manifest: Manifest): Generator<Problem, unknown[] | undefined> {
  const text = rkeConfigOf(manifest)?.additionalManifest;
  if (typeof text !== 'string' || text === '') { return undefined; }
  try {
    return readYaml(text);
  } catch (error) {
    if (!(error instanceof NoYaml)) { throw error; }
    yield { path: MANIFEST, message: `must be valid YAML: ${error.message}`, fix: 'correct the text' };
    return undefined;
  }
}

// K3s bundles a cloud controller and a load balancer, which conflict with those of Harvester
function* judgeK3s(manifest: Manifest, chart: Chart | 'unreadable' | undefined): Iterable<Problem> {
  if (chart === undefined || chart === 'unreadable' || chart.name !== PROVIDER_CHART) { return; }
  const configs = nodeConfigsOf(manifest).map(({ config }) => config);
  const path = 'spec.rkeConfig.machineGlobalConfig';
  const lists = (key: string, item: string) => configs.some(({ [key]: value }) => (Array.isArray(value) ? value.includes(item) : value === item));
  if (!configs.some((config) => config['disable-cloud-controller'] === true || config['disable-cloud-controller'] === 'true')) {
    yield {
      path: `${path}.disable-cloud-controller`,
      level: 'warning',
      message: "must be true: otherwise K3s' own cloud controller uses port 10258, which Harvester's needs",
      fix: 'write disable-cloud-controller: true',
    };
  }
  if (!lists('disable', 'servicelb')) {
    yield {
      path: `${path}.disable`,
      level: 'warning',
      message: "must contain servicelb: otherwise K3s' own load balancer handles the same Services",
      fix: 'write disable: [servicelb]',
    };
  }
  if (!lists('kubelet-arg', 'cloud-provider=external')) {
    yield {
      path: 'spec.rkeConfig.machineSelectorConfig',
      level: 'warning',
      message: 'must configure the kubelets for the cloud provider',
      fix: 'write config: {kubelet-arg: [cloud-provider=external]}',
    };
  }
}

const SOURCE = 'rancher/rancher:pkg/capr/planner/config.go addChartConfigs, which writes a HelmChartConfig for each key of chartValues';

/** The charts that a Cluster has values for, each of which Rancher writes into a HelmChartConfig. */
function chartsOf(cluster: Manifest): readonly string[] {
  const values = rkeConfigOf(cluster)?.chartValues;
  return isRecord(values) ? Object.keys(values) : [];
}

function mentionsConfig(text: unknown): text is string {
  return typeof text === 'string' && text.includes(KIND_CHART_CONFIG);
}

/** The charts that the HelmChartConfigs in a Cluster's additionalManifest are for, with their paths. */
function configsIn(cluster: Manifest): Array<{ readonly path: string; readonly chart: unknown }> {
  const text = rkeConfigOf(cluster)?.additionalManifest;
  if (!mentionsConfig(text)) { return []; }
  try {
    return readYaml(text).flatMap((document, index) => (valueAt(document, 'kind') === KIND_CHART_CONFIG && isBundled(valueAt(document, 'metadata', 'namespace'))
      ? [{ path: `${MANIFEST}[${index}]`, chart: valueAt(document, 'metadata', 'name') }] : []));
  } catch (error) {
    // another rule reports it
    if (error instanceof NoYaml) { return []; }
    throw error;
  }
}

const isBundled = (namespace: unknown): boolean => namespace === BUNDLED_CHARTS_NAMESPACE;

const TWICE: Rule = {
  id: 'helm-chart/values-twice',
  level: 'error',
  kinds: [...CLUSTER_KINDS, kindKey('helm.cattle.io', KIND_CHART_CONFIG)],
  what: 'the values of a bundled chart have one writer: a HelmChartConfig, or chartValues of the Cluster, which Rancher writes into the same object',
  source: SOURCE,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const isConcerned = object.manifest.kind === KIND_CHART_CONFIG || mentionsConfig(rkeConfigOf(object.manifest)?.additionalManifest);
    return isConcerned ? valuesTwice(object, world) : NO_PROBLEMS;
  },
};

function* valuesTwice(object: JudgedObject, world: World): Iterable<Problem> {
  const { manifest } = object;
  const message = (by: string): string => `must be set in one place: ${by} writes the same HelmChartConfig, and the last writer wins`;
  if (manifest.kind === KIND_CHART_CONFIG) {
    const guest = isBundled(manifest.metadata.namespace) ? addressPlan(world).guestOf(object)?.object : undefined;
    if (!guest) { return; }
    const { name } = manifest.metadata;
    const by = chartsOf(guest.manifest).includes(name) ? `chartValues.${name} of the Cluster`
      : configsIn(guest.manifest).some(({ chart }) => chart === name) ? 'additionalManifest of the Cluster' : undefined;
    if (by) { yield { path: 'metadata.name', value: name, message: message(by), fix: 'keep one of the two, with all values' }; }
    return;
  }
  const charts = chartsOf(manifest);
  for (const { path, chart } of configsIn(manifest)) {
    if (typeof chart === 'string' && charts.includes(chart)) { yield { path, value: chart, message: message(`chartValues.${chart}`), fix: 'move the values to chartValues' }; }
  }
}

/** The charts of RKE2 on a Harvester whose HelmChartConfigs Harvester writes. @see harvester/harvester-installer:pkg/config/templates rancherd-10, rancherd-23 */
const CHARTS_OF_HARVESTER = ['rke2-ingress-nginx', 'rke2-multus'];

const OF_HARVESTER = rule({
  id: 'helm-chart/values-of-harvester',
  level: 'warning',
  kinds: [kindKey('helm.cattle.io', KIND_CHART_CONFIG)],
  surelyOn: 'harvester',
  what: 'the values of the ingress controller and of Multus on a Harvester are those that Harvester needs',
  source: 'harvester/harvester-installer:pkg/config/templates/rancherd-10-harvester.yaml, rancherd-23-multus-config.yaml; '
    + 'harvester/harvester:pkg/controller/master/setting/ssl_parameters.go',
  field: 'metadata.name',
  when: ({ manifest }) => isBundled(manifest.metadata.namespace),
  check: (_, name) => CHARTS_OF_HARVESTER.includes(String(name)) && {
    message: 'replaces the values that Harvester writes for this chart, and its settings on TLS replace these',
    fix: `copy those that you keep from kubectl get helmchartconfigs.helm.cattle.io ${String(name)} -n ${BUNDLED_CHARTS_NAMESPACE} -o yaml, or use the settings of Harvester`,
  },
});

/** Rules for the Harvester charts in guest clusters, and for charts of a Harvester itself. */
export const HELM_CHART_RULES: readonly Rule[] = [CHART, ADDITIONAL, TWICE, OF_HARVESTER];
