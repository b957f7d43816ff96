import { isLoadBalancer } from './service';
import { isRecord, Manifest, valueAt } from '../manifest';
import { Problem } from '../problem';
import { NoYaml, readYaml } from '../yaml-reader';

/** An ingress controller that a distribution brings along, and where the values of its chart say what its Service is. */
export interface IngressChart {
  /** The HelmChart, in namespace kube-system. */
  readonly chart: string;
  readonly distribution: 'rke2' | 'k3s';
  /** The Service that the chart makes. */
  readonly service: string;
  /** The keys above the Service's annotations and type. */
  readonly values: readonly string[];
  /** What makes the Service one of type LoadBalancer, below the same keys. */
  readonly fields: { readonly [key: string]: unknown };
  /** What else it needs, from the root of the values. */
  readonly also: { readonly [key: string]: unknown };
  /** Where the traffic policy goes, below the same keys. */
  readonly trafficPolicy: readonly string[];
}

/** The namespace of the charts that a distribution bundles, and of what they install. */
export const BUNDLED_CHARTS_NAMESPACE = 'kube-system';

/** @see k3s-io/helm-controller:pkg/apis/helm.cattle.io/v1/types.go */
export const API_HELM = 'helm.cattle.io/v1';
export const KIND_CHART_CONFIG = 'HelmChartConfig';

/** The ports that they all listen on. */
const INGRESS_PORTS: readonly number[] = [80, 443];

export const INGRESS_CHARTS = {
  /** Its Service is off by default. @see rancher/rke2-charts:packages/rke2-ingress-nginx/generated-changes/patch/values.yaml.patch */
  RKE2_NGINX: {
    chart: 'rke2-ingress-nginx',
    distribution: 'rke2',
    service: 'rke2-ingress-nginx-controller',
    values: ['controller', 'service'],
    fields: { enabled: true, type: 'LoadBalancer' },
    // or Ingresses would show the addresses of nodes
    also: { controller: { publishService: { enabled: true } } },
    trafficPolicy: ['externalTrafficPolicy'],
  },
  /** Its Service is of type ClusterIP by default. @see rancher/rke2-charts:packages/rke2-traefik/generated-changes/patch/values.yaml.patch */
  RKE2_TRAEFIK: {
    chart: 'rke2-traefik',
    distribution: 'rke2',
    service: 'rke2-traefik',
    values: ['service'],
    fields: { type: 'LoadBalancer' },
    also: {},
    trafficPolicy: ['spec', 'externalTrafficPolicy'],
  },
  /** @see k3s-io/k3s:manifests/traefik.yaml; traefik/traefik-helm-chart:traefik/templates/_service.tpl */
  K3S_TRAEFIK: {
    chart: 'traefik',
    distribution: 'k3s',
    service: 'traefik',
    values: ['service'],
    fields: { type: 'LoadBalancer' },
    also: {},
    trafficPolicy: ['spec', 'externalTrafficPolicy'],
  },
} as const satisfies Record<string, IngressChart>;

/**
 * The values of a chart that make its Service a load balancer, with the user's own: nothing that is written here may be among those.
 *
 * @param chart of the ingress controller
 * @param given the user's values
 * @param annotations of the Service
 * @param trafficPolicy `Local` or `Cluster`
 */
export function ingressValues(
  chart: IngressChart, given: Fields, annotations: { readonly [key: string]: string }, trafficPolicy?: string,
): { readonly values: Fields; readonly problems: Problem[] } {
  const service = mergeFields({ ...chart.fields, annotations }, trafficPolicy === undefined ? {} : nested(chart.trafficPolicy, trafficPolicy));
  const own = mergeFields(chart.also, nested(chart.values, service) as Fields);
  const problems = leavesOf(own).filter((path) => valueAt(given, ...path) !== undefined).map((path): Problem => ({
    path: `values.${path.join('.')}`, value: valueAt(given, ...path), message: 'is written by this construct', fix: 'leave it out',
  }));
  return { values: mergeFields(given, own), problems };
}

interface Fields { readonly [key: string]: unknown }

function nested(path: readonly string[], value: unknown): Fields {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value) as Fields;
}

function mergeFields(below: Fields, above: Fields): Fields {
  const merged: { [key: string]: unknown } = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const other = merged[key];
    merged[key] = isRecord(value) && isRecord(other) ? mergeFields(other, value) : value;
  }
  return merged;
}

function leavesOf(fields: Fields): string[][] {
  return Object.entries(fields).flatMap(([key, value]) => (isRecord(value) ? leavesOf(value).map((path) => [key, ...path]) : [[key]]));
}

/** The Service that a HelmChartConfig makes an ingress controller have; undefined for other charts, and where it does not ask for a load balancer. */
export function ingressServiceOf(config: Manifest): Manifest | undefined {
  const { name, namespace } = config.metadata;
  const chart = Object.values(INGRESS_CHARTS).find((candidate) => candidate.chart === name);
  const content = valueAt(config, 'spec', 'valuesContent');
  if (!chart || namespace !== BUNDLED_CHARTS_NAMESPACE || typeof content !== 'string') { return undefined; }
  const values = valueAt(documentOf(content), ...chart.values);
  if (!isRecord(values)) { return undefined; }
  const service: Manifest = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: chart.service, namespace, annotations: isRecord(values.annotations) ? values.annotations as { [key: string]: string } : {} },
    spec: { type: values.type, ports: INGRESS_PORTS.map((port) => ({ port })), externalTrafficPolicy: valueAt(values, ...chart.trafficPolicy) },
  };
  return isLoadBalancer(service) ? service : undefined;
}

function documentOf(content: string): unknown {
  try {
    return readYaml(content)[0];
  } catch (error) {
    // that it is none is said where charts are judged
    if (error instanceof NoYaml) { return undefined; }
    throw error;
  }
}
