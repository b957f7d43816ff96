import { MachineFacts, uncuredFaults, GuestChartVersion, hasFaults } from './chart-faults.data';
import { providerValuesOf } from './cloud-provider.rules';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, kindKey, valueAt } from '../../core/manifest/manifest';
import { NO_PROBLEMS, Problem, problemsOf } from '../../core/rule/problem';
import { JudgedObject, Rule } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { byText } from '../../core/text/values';
import { NoYaml, readYaml } from '../../core/yaml/yaml-reader';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.kind';
import { SupportMatrix } from '../../rancher/version/support-matrix';
import { API_HELM, KIND_CHART_CONFIG } from '../balancer/load-balancer-service.check';
import { kubernetesVersionOf, machineFactsOf, usesHarvester } from '../cluster/cluster-reader.facts';
import { PROVIDER_CHART } from '../cluster/cluster.kind';
import { KubernetesVersion } from '../kubernetes/kubernetes-version';

const SOURCE = 'harvester/docs#909; harvester/harvester#4678, #5348; src/guest/cloud-provider/chart-faults.data.ts';

/** The cloud provider's chart in a release of RKE2; undefined if it is unknown. */
const bundledChart = byText((kubernetes): GuestChartVersion | undefined => {
  try {
    const charts = SupportMatrix.bundledCharts(KubernetesVersion.parse(kubernetes));
    return charts && GuestChartVersion.parse(charts.cloudProvider);
  } catch {
    // another rule reports versions that cannot be parsed
    return undefined;
  }
});

/**
 * Checks a chart for known faults that its values do not cure.
 *
 * @param path of the values
 */
export function checkChartFaults(
  path: string, chart: string, version: GuestChartVersion | undefined, values: { readonly [key: string]: unknown }, machines: MachineFacts = {},
): readonly Problem[] {
  return problemsOf(uncuredFaults(chart, version, values, machines), ({ what, cure, until, source }) => [{
    path,
    level: 'warning',
    message: `must cure a known fault of chart ${chart} ${version!.upstream}: ${what} (${source.split(';')[0]})`,
    fix: `add ${JSON.stringify(cure)}, or use chart ${until} or later`,
  }]);
}

const BUNDLED: Rule = {
  id: 'cluster/bundled-chart-fault',
  level: 'warning',
  kinds: CLUSTER_KINDS,
  what: 'the values of the cloud provider that RKE2 bundles cure the known faults of its version',
  source: SOURCE,
  judge({ manifest }: JudgedObject): Iterable<Problem> {
    const version = usesHarvester(manifest) ? bundledChart(plainText(kubernetesVersionOf(manifest))) : undefined;
    if (!version || !hasFaults(version)) { return NO_PROBLEMS; }
    const [entry] = providerValuesOf(manifest);
    return checkChartFaults(entry?.path ?? `spec.rkeConfig.chartValues.${PROVIDER_CHART}`, PROVIDER_CHART, version, entry?.values ?? {}, machineFactsOf(manifest));
  },
};

const CONFIG: Rule = {
  id: 'helm-chart-config/chart-fault',
  level: 'warning',
  kinds: [kindKey(API_HELM.split('/')[0], KIND_CHART_CONFIG)],
  what: 'the values of a HelmChartConfig for the cloud provider that RKE2 bundles cure the known faults of its version',
  source: SOURCE,
  judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    const values = manifest.metadata.name === PROVIDER_CHART && target.kubernetesVersion !== undefined ? valuesIn(manifest) : undefined;
    if (values) { return checkChartFaults('spec.valuesContent', PROVIDER_CHART, bundledChart(target.kubernetesVersion!), values); }
    return NO_PROBLEMS;
  },
};

function valuesIn(manifest: Manifest): { readonly [key: string]: unknown } | undefined {
  const text = valueAt(manifest, 'spec', 'valuesContent') ?? '';
  if (typeof text !== 'string' || isLate(text)) { return undefined; }
  try {
    const [values] = text === '' ? [{}] : readYaml(text);
    return isRecord(values) ? values : undefined;
  } catch (error) {
    if (!(error instanceof NoYaml)) { throw error; }
    return undefined;
  }
}

/** Rules on known faults of charts in guest clusters. */
export const CHART_FAULT_RULES: readonly Rule[] = [BUNDLED, CONFIG];
