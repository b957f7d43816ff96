import { Fields, valueAt, isRecord, Manifest } from '../../core/manifest/manifest';
import { tryYaml } from '../../core/yaml/yaml-reader';
import { nested, mergeFields } from '../balancer/load-balancer-service.check';
import { additionalManifestOf } from '../cluster/cluster-reader.facts';
import { PROVIDER_CHART, CSI_CHART } from '../cluster/cluster.kind';

/** A chart with its values. */
export interface Chart {
  readonly path: string;
  readonly name: string;
  readonly version?: string;
  readonly values: Fields;
}

/** The field of a Cluster with the objects that its control plane installs. */
export const ADDITIONAL_MANIFEST = 'spec.rkeConfig.additionalManifest';

/**
 * A chart of Harvester that a HelmChart installs, with its effective values; undefined if it is
 * another chart.
 */
export function harvesterChartIn(
  path: string,
  manifest: unknown,
): Chart | 'unreadable' | undefined {
  const spec = valueAt(manifest, 'spec');
  if (!isRecord(spec) || typeof spec.chart !== 'string') {
    return undefined;
  }
  // a path or address ends in the name of the chart
  const file = spec.chart.split('/').pop() ?? '';
  const name = [PROVIDER_CHART, CSI_CHART].find((chart) => file.startsWith(chart));
  if (name === undefined) {
    return undefined;
  }
  const content =
    typeof spec.valuesContent === 'string' ? tryYaml(spec.valuesContent).documents : [];
  if (content === undefined) {
    return 'unreadable';
  }
  const set = Object.entries(isRecord(spec.set) ? spec.set : {}).map(([key, value]) =>
    nested(key.split('.'), value),
  );
  const values = [content[0], spec.values, ...set].filter(isRecord).reduce<Fields>(mergeFields, {});
  return {
    path: `${path}spec`,
    name,
    ...(typeof spec.version === 'string' ? { version: spec.version } : {}),
    values,
  };
}

/**
 * A chart of Harvester that the control plane of a Cluster installs from its additionalManifest;
 * undefined if there is none.
 */
export function installedChart(
  manifest: Manifest,
  name: string,
): { readonly path: string; readonly version?: string } | undefined {
  const documents = tryYaml(additionalManifestOf(manifest)).documents ?? [];
  const charts = documents.map((document, index) =>
    harvesterChartIn(`${ADDITIONAL_MANIFEST}[${index}].`, document),
  );
  const chart = charts
    .filter((each) => typeof each === 'object')
    .find((each) => each.name === name);
  return chart && { path: `${chart.path}.version`, version: chart.version };
}
