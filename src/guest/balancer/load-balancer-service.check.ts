import {
  ANNOTATIONS_OVERWRITTEN, ANNOTATION_IPAM, ANNOTATION_KUBE_VIP_INTERFACE, ANNOTATION_KUBE_VIP_IPS, ANNOTATION_NETWORK, ANNOTATION_PRIMARY_SERVICE, CLOUD_PROVIDER_PREFIX, SERVICE_ANNOTATIONS,
} from './load-balancer-service.kind';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, valueAt } from '../../core/manifest/manifest';
import { annotationsOf, labelsOf } from '../../core/manifest/metadata';
import { NAMESPACED_NAME } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { NoYaml, readYaml } from '../../core/yaml/yaml-reader';
import { IPAM_MODES } from '../../harvester/load-balancer/load-balancer.kind';

/** Whether a Service is one that the cloud provider of its cluster gives an address; one with a class of its own is for another controller. */
export function isLoadBalancer(manifest: Manifest): boolean {
  return valueAt(manifest, 'spec', 'type') === 'LoadBalancer' && (valueAt(manifest, 'spec', 'loadBalancerClass') ?? undefined) === undefined;
}

/** The `<namespace>/<name>` of the Service whose address a Service shares; undefined where it has one of its own. */
export function primaryOf(manifest: Manifest): string | undefined {
  const primary = annotationsOf(manifest)[ANNOTATION_PRIMARY_SERVICE];
  return typeof primary === 'string' && primary !== '' ? primary : undefined;
}

/** The port numbers of a Service. */
export function portsOf(manifest: Manifest): number[] {
  const ports = valueAt(manifest, 'spec', 'ports');
  return (Array.isArray(ports) ? ports : []).map((port) => valueAt(port, 'port')).filter((port): port is number => typeof port === 'number');
}

const at = (annotation: string): string => `metadata.annotations[${annotation}]`;

/** Modes that Harvester's API refuses when the cloud provider creates the load balancer there. */
export function checkServiceIpam(manifest: Manifest): Problem[] {
  const ipam = annotationsOf(manifest)[ANNOTATION_IPAM];
  // an empty one is left out on the Harvester, which takes a pool
  if (typeof ipam !== 'string' || ipam === '' || isLate(ipam) || IPAM_MODES.includes(ipam)) { return []; }
  return [{
    path: at(ANNOTATION_IPAM),
    value: ipam,
    message: 'is no way to get an address: the Service would wait for ever',
    fix: 'give "pool" or "dhcp", in lower case',
    says: `spec.ipam: Unsupported value: "${ipam}": supported values: "pool", "dhcp"`,
  }];
}

/** What the cloud provider can not read as the name of a Service. */
export function checkPrimaryName(manifest: Manifest): Problem[] {
  const primary = primaryOf(manifest);
  if (primary === undefined || isLate(primary) || NAMESPACED_NAME.test(primary)) { return []; }
  return [{
    path: at(ANNOTATION_PRIMARY_SERVICE),
    value: primary,
    message: 'is no name of a Service',
    fix: 'give <namespace>/<name>, the namespace too',
    says: `invalid service name ${primary}`,
  }];
}

/** A mode on a Service that shares the address of another. */
export function checkPrimaryAndIpam(manifest: Manifest): Problem[] {
  const ipam = annotationsOf(manifest)[ANNOTATION_IPAM];
  if (primaryOf(manifest) === undefined || ipam === undefined) { return []; }
  return [{
    path: at(ANNOTATION_IPAM),
    value: ipam,
    message: 'is removed by the cloud provider, since the Service shares the address of another: it would be fought over',
    fix: 'leave it out',
  }];
}

/** The form of a network. */
export function checkServiceNetwork(manifest: Manifest): Problem[] {
  const network = annotationsOf(manifest)[ANNOTATION_NETWORK];
  if (typeof network !== 'string' || network === '' || isLate(network) || NAMESPACED_NAME.test(network)) { return []; }
  const { name, namespace } = manifest.metadata;
  return [{
    path: at(ANNOTATION_NETWORK),
    value: network,
    message: 'is no network',
    fix: 'give <namespace>/<name> of a NetworkAttachmentDefinition on the Harvester',
    says: `network ${network} not found in NAD mapping for service ${namespace ?? 'default'}/${name}`,
  }];
}

/** Keys of a Service that the cloud provider writes. */
export function checkWrittenByProvider(manifest: Manifest): Problem[] {
  // one that was read from a server has them
  if (manifest.metadata.uid !== undefined || manifest.metadata.resourceVersion !== undefined) { return []; }
  const fix = 'leave it out; a tool that applies again and again would fight the cloud provider over it';
  const keys = [ANNOTATION_KUBE_VIP_IPS, ANNOTATION_KUBE_VIP_INTERFACE].filter((key) => key in annotationsOf(manifest)).map(at);
  const label = ANNOTATION_PRIMARY_SERVICE in labelsOf(manifest) ? [`metadata.labels[${ANNOTATION_PRIMARY_SERVICE}]`] : [];
  return [...keys, ...label].map((path) => ({ path, message: 'is written by the cloud provider', fix }));
}

const KNOWN = [ANNOTATION_IPAM, ANNOTATION_PRIMARY_SERVICE, ANNOTATION_NETWORK];

/** Keys of the cloud provider's prefix that do nothing. */
export function checkUnknownKeys(manifest: Manifest): Problem[] {
  return Object.keys(annotationsOf(manifest)).filter((key) => key.startsWith(CLOUD_PROVIDER_PREFIX)).flatMap((key): Problem[] => {
    if (ANNOTATIONS_OVERWRITTEN.includes(key)) {
      return [{
        path: at(key),
        message: 'does nothing: Harvester overwrites it with what it knows of the namespace',
        fix: 'leave it out; scope the IP pool instead',
      }];
    }
    if (SERVICE_ANNOTATIONS.includes(key)) { return []; }
    return [{
      path: at(key),
      message: key.includes('healthcheck')
        ? 'does nothing since cloud provider 0.2: the Service itself says which endpoints are ready'
        : 'is known to no cloud provider and does nothing',
      fix: `leave it out; a pool is not chosen by name but by its scope. Known are ${KNOWN.join(', ')}`,
    }];
  });
}

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
