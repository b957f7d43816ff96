import {
  annotationsOf,
  isRecord,
  itemsAt,
  Manifest,
  valueAt,
  Fields,
} from '../../core/manifest/manifest';
import { Problem } from '../../core/problem/problem';
import { filledText } from '../../core/text/plain-text';
import { tryYaml } from '../../core/yaml/yaml-reader';

/**
 * The prefix of the cloud provider's keys.
 * @see harvester/cloud-provider-harvester:pkg/utils/consts.go
 */
export const CLOUD_PROVIDER_PREFIX = 'cloudprovider.harvesterhci.io/';

/**
 * Annotation of a Service: `pool` or `dhcp`. Without it the cloud provider uses `pool`, and
 * Rancher's UI `dhcp`.
 */
export const ANNOTATION_IPAM = 'cloudprovider.harvesterhci.io/ipam';

/**
 * Annotation of a Service: the `<namespace>/<name>` whose address it shares. As a label,
 * `<namespace>.<name>`, the cloud provider's own mark.
 */
export const ANNOTATION_PRIMARY_SERVICE = 'cloudprovider.harvesterhci.io/primary-service';

/**
 * Annotation of a Service: the VM network of its address, `<namespace>/<name>`. Cloud provider
 * 0.2.7 and later; with a pool, Harvester 1.9 and later.
 */
export const ANNOTATION_NETWORK = 'cloudprovider.harvesterhci.io/network';

/**
 * Annotations of a Service that are copied to Harvester and overwritten there.
 * @see harvester/load-balancer-harvester:pkg/webhook/loadbalancer/mutator.go
 */
export const ANNOTATIONS_OVERWRITTEN: readonly string[] = [
  'cloudprovider.harvesterhci.io/project',
  'cloudprovider.harvesterhci.io/namespace',
];

/**
 * The annotations of a Service that the cloud provider reads: any other with its prefix is a
 * mistake.
 */
export const SERVICE_ANNOTATIONS: readonly string[] = [
  ANNOTATION_IPAM,
  ANNOTATION_PRIMARY_SERVICE,
  ANNOTATION_NETWORK,
];

/**
 * Annotations of a Service that the cloud provider writes for kube-vip.
 * @see harvester/cloud-provider-harvester:pkg/cloud-controller-manager/annotation.go
 */
export const ANNOTATION_KUBE_VIP_IPS = 'kube-vip.io/loadbalancerIPs';
export const ANNOTATION_KUBE_VIP_INTERFACE = 'kube-vip.io/serviceInterface';

/**
 * Annotation of a Service that kube-vip writes: the node that answers.
 * @see kube-vip/kube-vip:pkg/services (updateStatus)
 */
export const ANNOTATION_KUBE_VIP_HOST = 'kube-vip.io/vipHost';

/**
 * Annotations of a Service that kube-vip reads: the address and the MAC address to request from
 * DHCP. It writes there what it received.
 * @see harvester/harvester.github.io:kb/2023-08-21; kube-vip/kube-vip:pkg/services (updateStatus)
 */
export const ANNOTATION_KUBE_VIP_REQUESTED_IP = 'kube-vip.io/requestedIP';
export const ANNOTATION_KUBE_VIP_HWADDR = 'kube-vip.io/hwaddr';

/**
 * Whether the cloud provider assigns an address to a Service; one with a class is for another
 * controller.
 */
export function isLoadBalancer(manifest: Manifest): boolean {
  return (
    valueAt(manifest, 'spec', 'type') === 'LoadBalancer' &&
    (valueAt(manifest, 'spec', 'loadBalancerClass') ?? undefined) === undefined
  );
}

/**
 * The `<namespace>/<name>` of the Service whose address a Service shares; undefined if it has its
 * own.
 */
export function primaryOf(manifest: Manifest): string | undefined {
  return filledText(annotationsOf(manifest)[ANNOTATION_PRIMARY_SERVICE]);
}

/** The port numbers of a Service. */
export function portsOf(manifest: Manifest): number[] {
  return itemsAt(manifest, 'spec', 'ports')
    .map((port) => valueAt(port, 'port'))
    .filter((port): port is number => typeof port === 'number');
}

/** The problem of a shared address that is itself shared. */
export function sharesItself(path: string, primary: string, of?: string): Problem {
  return {
    path,
    value: primary,
    message: 'must have its own address: it shares the address of another Service',
    fix: `share the address of that Service${of === undefined ? '' : `, ${of}`}`,
    says: `service ${primary} is not a primary service`,
  };
}

/** A bundled ingress controller, and the values of its chart that configure its Service. */
export interface IngressChart {
  /** The HelmChart, in namespace kube-system. */
  readonly chart: string;
  /** The Service that the chart creates. */
  readonly service: string;
  /** The path to the annotations and type of the Service. */
  readonly values: readonly string[];
  /** The fields for a Service of type LoadBalancer, below the same path. */
  readonly fields: { readonly [key: string]: unknown };
  /** Other required values, from the root. */
  readonly also: { readonly [key: string]: unknown };
  /** The path of the traffic policy, below the same path. */
  readonly trafficPolicy: readonly string[];
}

/** The namespace of the charts that a distribution bundles, and of what they install. */
export const BUNDLED_CHARTS_NAMESPACE = 'kube-system';

/** @see k3s-io/helm-controller:pkg/apis/helm.cattle.io/v1/types.go */
export const API_HELM = 'helm.cattle.io/v1';
export const KIND_CHART_CONFIG = 'HelmChartConfig';

/** The ports of all ingress controllers. */
const INGRESS_PORTS: readonly number[] = [80, 443];

export const INGRESS_CHARTS = {
  /**
   * Its Service is disabled by default.
   * @see rancher/rke2-charts:packages/rke2-ingress-nginx/generated-changes/patch/values.yaml.patch
   */
  RKE2_NGINX: {
    chart: 'rke2-ingress-nginx',
    service: 'rke2-ingress-nginx-controller',
    values: ['controller', 'service'],
    fields: { enabled: true, type: 'LoadBalancer' },
    // otherwise Ingresses show the addresses of nodes
    also: { controller: { publishService: { enabled: true } } },
    trafficPolicy: ['externalTrafficPolicy'],
  },
  /**
   * Its Service is of type ClusterIP by default.
   * @see rancher/rke2-charts:packages/rke2-traefik/generated-changes/patch/values.yaml.patch
   */
  RKE2_TRAEFIK: {
    chart: 'rke2-traefik',
    service: 'rke2-traefik',
    values: ['service'],
    fields: { type: 'LoadBalancer' },
    also: {},
    trafficPolicy: ['spec', 'externalTrafficPolicy'],
  },
  /**
   * @see k3s-io/k3s:manifests/traefik.yaml; traefik/traefik-helm-chart:traefik/templates/_service.tpl
   */
  K3S_TRAEFIK: {
    chart: 'traefik',
    service: 'traefik',
    values: ['service'],
    fields: { type: 'LoadBalancer' },
    also: {},
    trafficPolicy: ['spec', 'externalTrafficPolicy'],
  },
} as const satisfies Record<string, IngressChart>;

/**
 * The values of a chart that make its Service a load balancer, merged with those of the user, which
 * must not set the same keys.
 *
 * @param chart of the ingress controller
 * @param given the user's values
 * @param annotations of the Service
 * @param trafficPolicy `Local` or `Cluster`
 */
export function ingressValues(
  chart: IngressChart,
  given: Fields,
  annotations: { readonly [key: string]: string },
  trafficPolicy?: string,
): { readonly values: Fields; readonly problems: Problem[] } {
  const service = mergeFields(
    { ...chart.fields, annotations },
    trafficPolicy === undefined ? {} : nested(chart.trafficPolicy, trafficPolicy),
  );
  return ownValues(given, mergeFields(chart.also, nested(chart.values, service)));
}

/**
 * The values of any chart whose Service at a path becomes a load balancer, and those of the user
 * that it would replace.
 */
export function serviceValues(
  path: readonly string[],
  given: Fields,
  annotations: { readonly [key: string]: string },
): { readonly values: Fields; readonly problems: Problem[] } {
  return ownValues(given, nested(path, { type: 'LoadBalancer', annotations }));
}

function ownValues(
  given: Fields,
  own: Fields,
): { readonly values: Fields; readonly problems: Problem[] } {
  const problems = leavesOf(own)
    .filter((path) => valueAt(given, ...path) !== undefined)
    .map((path): Problem => ({
      path: `values.${path.join('.')}`,
      value: valueAt(given, ...path),
      message: 'cannot be set: this construct sets it',
      fix: 'remove it',
    }));
  return { values: mergeFields(given, own), problems };
}

/** A value below the keys of a path. */
export function nested(path: readonly string[], value: unknown): Fields {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value) as Fields;
}

/** Two maps with all that is in them; where both have a value, that of the second. */
export function mergeFields(below: Fields, above: Fields): Fields {
  const merged: { [key: string]: unknown } = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const other = merged[key];
    merged[key] = isRecord(value) && isRecord(other) ? mergeFields(other, value) : value;
  }
  return merged;
}

function leavesOf(fields: Fields): string[][] {
  return Object.entries(fields).flatMap(([key, value]) =>
    isRecord(value) ? leavesOf(value).map((path) => [key, ...path]) : [[key]],
  );
}

/**
 * The load balancer Service that a HelmChartConfig configures for an ingress controller; undefined
 * for other charts and other Services.
 */
export function ingressServiceOf(config: Manifest): Manifest | undefined {
  const { name, namespace } = config.metadata;
  const chart = Object.values(INGRESS_CHARTS).find((candidate) => candidate.chart === name);
  const content = valueAt(config, 'spec', 'valuesContent');
  if (!chart || namespace !== BUNDLED_CHARTS_NAMESPACE || typeof content !== 'string') {
    return undefined;
  }
  const values = valueAt(tryYaml(content).documents?.[0], ...chart.values);
  if (!isRecord(values)) {
    return undefined;
  }
  const service: Manifest = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: chart.service,
      namespace,
      annotations: isRecord(values.annotations)
        ? (values.annotations as { [key: string]: string })
        : {},
    },
    spec: {
      type: values.type,
      ports: INGRESS_PORTS.map((port) => ({ port })),
      externalTrafficPolicy: valueAt(values, ...chart.trafficPolicy),
    },
  };
  return isLoadBalancer(service) ? service : undefined;
}
