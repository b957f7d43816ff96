import { uncuredFaults, GuestChartVersion, hasFaults } from './chart-faults.data';
import { isRecord, kindKey } from '../../core/manifest/manifest';
import { NO_PROBLEMS, Problem, problemsOf } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { Rule } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { byText } from '../../core/text/values';
import { knownVersion } from '../../core/version/product-version';
import { tryYaml } from '../../core/yaml/yaml-reader';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.facts';
import { SupportMatrix } from '../../rancher/support-matrix/support-matrix.facts';
import { API_HELM, KIND_CHART_CONFIG } from '../balancer/load-balancer-service.check';
import {
  MachineFacts,
  providerPath,
  providerValuesOf,
  kubernetesVersionOf,
  machineFactsOf,
  usesHarvester,
} from '../cluster/cluster-reader.facts';
import { PROVIDER_CHART } from '../cluster/cluster.kind';
import { KubernetesVersion } from '../kubernetes/kubernetes-version';

const SOURCE =
  'harvester/docs#909; harvester/harvester#4678, #5348; src/guest/cloud-provider/chart-faults.data.ts';

/** The cloud provider's chart in a release of RKE2; undefined if it is unknown. */
const bundledChart = byText((kubernetes): GuestChartVersion | undefined => {
  const version = knownVersion(KubernetesVersion.parse, kubernetes);
  return knownVersion(
    GuestChartVersion.parse,
    version && SupportMatrix.bundledCharts(version)?.cloudProvider,
  );
});

/**
 * Checks a chart for known faults that its values do not cure.
 *
 * @param path of the values
 */
export function checkChartFaults(
  path: string,
  chart: string,
  version: GuestChartVersion | undefined,
  values: { readonly [key: string]: unknown },
  machines: MachineFacts = {},
): readonly Problem[] {
  return problemsOf(
    uncuredFaults(chart, version, values, machines),
    ({ what, cure, until, source }) => ({
      path,
      level: 'warning',
      message: `must cure a known fault of chart ${chart} ${version!.upstream}: ${what} (${source.split(';')[0]})`,
      fix: `add ${JSON.stringify(cure)}, or use chart ${until} or later`,
    }),
  );
}

/** The values of a chart in a text; undefined for what is not YAML. */
function chartValuesIn(text: unknown): unknown {
  if (text === '') {
    return {};
  }
  return typeof text === 'string' ? tryYaml(text).documents?.[0] : undefined;
}

/** Rules on known faults of charts in guest clusters. */
export const CHART_FAULT_RULES: readonly Rule[] = [
  ...rules({ kinds: CLUSTER_KINDS }, [
    {
      id: 'cluster/bundled-chart-fault',
      level: 'warning',
      what: 'the values of the cloud provider that RKE2 bundles cure the known faults of its version',
      source: SOURCE,
      when: ({ manifest }) => usesHarvester(manifest),
      judge: ({ manifest }) => {
        const version = bundledChart(plainText(kubernetesVersionOf(manifest)));
        if (!version || !hasFaults(version)) {
          return NO_PROBLEMS;
        }
        const entries = providerValuesOf(manifest);
        return checkChartFaults(
          providerPath(entries),
          PROVIDER_CHART,
          version,
          entries[0]?.values ?? {},
          machineFactsOf(manifest),
        );
      },
    },
  ]),
  ...rules({ kinds: [kindKey(API_HELM.split('/')[0], KIND_CHART_CONFIG)] }, [
    {
      id: 'helm-chart-config/chart-fault',
      level: 'warning',
      what: 'the values of a HelmChartConfig for the cloud provider that RKE2 bundles cure the known faults of its version',
      source: SOURCE,
      when: ({ manifest, target }) =>
        manifest.metadata.name === PROVIDER_CHART && target.kubernetesVersion !== undefined,
      field: 'spec.valuesContent',
      missing: 'judged',
      check: (path, text = '', { target }) => {
        const values = chartValuesIn(text);
        return (
          isRecord(values) &&
          checkChartFaults(path, PROVIDER_CHART, bundledChart(target.kubernetesVersion!), values)
        );
      },
    },
  ]),
];
