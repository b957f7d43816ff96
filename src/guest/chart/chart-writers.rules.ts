import { isRecord, kindKey, Manifest, valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { NoYaml, readYaml } from '../../core/yaml/yaml-reader';
import { addressPlan } from '../../harvester/load-balancer/address-plan.rules';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.kind';
import { BUNDLED_CHARTS_NAMESPACE, KIND_CHART_CONFIG } from '../balancer/load-balancer-service.check';
import { rkeConfigOf } from '../cluster/cluster-reader.check';

const MANIFEST = 'spec.rkeConfig.additionalManifest';
const SOURCE = 'rancher/rancher:pkg/capr/planner/config.go addChartConfigs, which writes a HelmChartConfig for each key of chartValues';

/** The charts that a Cluster has values for, each of which Rancher writes into a HelmChartConfig. */
function chartsOf(cluster: Manifest): readonly string[] {
  const values = rkeConfigOf(cluster)?.chartValues;
  return isRecord(values) ? Object.keys(values) : [];
}

/** The charts that the HelmChartConfigs in a Cluster's additionalManifest are for, with their paths. */
function configsIn(cluster: Manifest): Array<{ readonly path: string; readonly chart: unknown }> {
  const text = rkeConfigOf(cluster)?.additionalManifest;
  if (typeof text !== 'string' || !text.includes(KIND_CHART_CONFIG)) { return []; }
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
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
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
  },
};

/** Rules for who writes the values of charts. */
export const CHART_WRITER_RULES: readonly Rule[] = [TWICE];
