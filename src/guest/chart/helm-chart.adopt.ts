import { HELM_CHART_KINDS } from './helm-chart.kind';
import { TargetKind } from '../../core/construct/target';
import {
  Draft,
  DraftProps,
  DraftValue,
  FoundObject,
  StaticCall,
  call,
  enumValue,
  member,
  optional,
  booleanAt,
  byName,
  idOfName,
  Inverse,
  inverseOf,
  listAt,
  numberAt,
  referOn,
  Surroundings,
  textAt,
} from '../../core/draft/draft';
import { goDurationOf } from '../../core/draft/durations';
import { Manifest, isRecord, valueAt, Fields } from '../../core/manifest/manifest';
import { tryYaml } from '../../core/yaml/yaml-reader';
import { IPAM_DHCP } from '../../harvester/load-balancer/load-balancer.kind';
import { GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT } from '../../harvester/network/vm-network.kind';
import {
  ANNOTATION_IPAM,
  ANNOTATION_KUBE_VIP_HOST,
  ANNOTATION_KUBE_VIP_HWADDR,
  ANNOTATION_KUBE_VIP_REQUESTED_IP,
  ANNOTATION_NETWORK,
  ANNOTATION_PRIMARY_SERVICE,
  BUNDLED_CHARTS_NAMESPACE,
  INGRESS_CHARTS,
  IngressChart,
} from '../balancer/load-balancer-service.check';
import {
  guestProps,
  harvesterOfTarget,
  itemsOf,
  onHarvester,
  textMapOf,
} from '../guest-target.adopt';

/** From a HelmChart to the construct. */
export const HELM_CHART_INVERSE = inverseOf(
  'HelmChartAddon',
  HELM_CHART_KINDS.CHART,
  (manifest, object) => {
    const nameAt = (field: string) => textAt(manifest, 'spec', field, 'name');
    return {
      namespace: guestProps(object, BUNDLED_CHARTS_NAMESPACE).namespace,
      chart: textAt(manifest, 'spec', 'chart'),
      chartContent: textAt(manifest, 'spec', 'chartContent'),
      repository: textAt(manifest, 'spec', 'repo'),
      version: textAt(manifest, 'spec', 'version'),
      targetNamespace: textAt(manifest, 'spec', 'targetNamespace'),
      createNamespace: booleanAt(manifest, 'spec', 'createNamespace'),
      ...valuesProps(manifest),
      set: textMapOf(valueAt(manifest, 'spec', 'set')),
      bootstrap: booleanAt(manifest, 'spec', 'bootstrap'),
      takeOwnership: booleanAt(manifest, 'spec', 'takeOwnership'),
      timeout: goDurationOf(valueAt(manifest, 'spec', 'timeout')),
      backOffLimit: numberAt(manifest, 'spec', 'backOffLimit'),
      jobImage: textAt(manifest, 'spec', 'jobImage'),
      caCertificates: textAt(manifest, 'spec', 'repoCA'),
      authSecret: nameAt('authSecret'),
      authPassCredentials: booleanAt(manifest, 'spec', 'authPassCredentials'),
      dockerRegistrySecret: nameAt('dockerRegistrySecret'),
      insecureSkipTlsVerify: booleanAt(manifest, 'spec', 'insecureSkipTLSVerify'),
    };
  },
  {
    existing: byName('HelmChartAddon', BUNDLED_CHARTS_NAMESPACE),
  },
);

function valuesProps(manifest: Manifest): DraftProps {
  const secrets = listAt(manifest, 'spec', 'valuesSecrets').filter(isRecord) as readonly {
    readonly [field: string]: DraftValue;
  }[];
  return {
    values: valuesOf(manifest) as DraftProps | undefined,
    valuesSecrets: itemsOf(
      secrets.map(({ name, keys, ignoreUpdates }) => ({ name, keys, ignoreUpdates })),
    ),
    failurePolicy: enumValue('HelmFailurePolicy', textAt(manifest, 'spec', 'failurePolicy')),
  };
}

/** The values of a chart; undefined without any, and where their text is not a YAML map. */
function valuesOf(manifest: Manifest): Fields | undefined {
  const values = tryYaml(textAt(manifest, 'spec', 'valuesContent') ?? '').documents?.[0];
  return isRecord(values) && Object.keys(values).length > 0 ? values : undefined;
}

/**
 * From a HelmChartConfig to the load balancer of an ingress controller in a guest cluster, or to
 * the values of any bundled chart.
 */
export const HELM_CHART_CONFIG_INVERSE: Inverse = {
  kinds: [HELM_CHART_KINDS.CONFIG],
  drafts: (object, around) => {
    const ingress =
      around.cluster(object.target).kind === TargetKind.GUEST
        ? ingressDraft(object, around)
        : undefined;
    const props = {
      namespace: guestProps(object, BUNDLED_CHARTS_NAMESPACE).namespace,
      ...valuesProps(object.manifest),
    };
    return [
      ...(ingress ? [ingress] : []),
      { type: 'HelmChartConfig', id: object.manifest.metadata.name, props, declares: [object] },
    ];
  },
};

function ingressDraft(object: FoundObject, around: Surroundings): Draft | undefined {
  const { target } = object;
  const { name, namespace } = object.manifest.metadata;
  const [controller, chart] =
    Object.entries(INGRESS_CHARTS).find(([, each]) => each.chart === name) ?? [];
  const values = valuesOf(object.manifest);
  if (!controller || !chart || namespace !== BUNDLED_CHARTS_NAMESPACE || !values) {
    return undefined;
  }
  const annotations = valueAt(values, ...chart.values, 'annotations');
  if (valueAt(values, ...chart.values, 'type') !== 'LoadBalancer' || !isRecord(annotations)) {
    return undefined;
  }
  const props = {
    controller: member('IngressController', controller),
    ...addressProps(target, annotations, around),
    externalTrafficPolicy: enumValue(
      'ExternalTrafficPolicy',
      valueAt(values, ...chart.values, ...chart.trafficPolicy),
    ),
    values: ownValues(values, chart) as DraftProps | undefined,
  };
  const service = { target, group: '', kind: 'Service', namespace, name: chart.service };
  return {
    type: 'IngressLoadBalancer',
    id: name,
    isNamedById: false,
    props,
    declares: [object],
    provides: new Map([[idOfName(service), (self) => self]]),
  };
}

const ADDRESS_ANNOTATIONS = [
  ANNOTATION_IPAM,
  ANNOTATION_PRIMARY_SERVICE,
  ANNOTATION_NETWORK,
  ANNOTATION_KUBE_VIP_REQUESTED_IP,
  ANNOTATION_KUBE_VIP_HWADDR,
];

/** The values of a chart without those that the construct sets. */
function ownValues(
  values: Fields,
  { values: service, fields, also, trafficPolicy }: IngressChart,
): Fields | undefined {
  const leaves = (value: unknown, path: readonly string[]): readonly (readonly string[])[] =>
    isRecord(value)
      ? Object.entries(value).flatMap(([key, each]) => leaves(each, [...path, key]))
      : [path];
  const set = [
    ...leaves(fields, service),
    ...leaves(also, []),
    [...service, ...trafficPolicy],
    ...ADDRESS_ANNOTATIONS.map((annotation) => [...service, 'annotations', annotation]),
  ];
  const rest = set.reduce<unknown>(without, values);
  return isRecord(rest) && Object.keys(rest).length > 0 ? rest : undefined;
}

/** A value without the field at a path, and without the maps that are empty then. */
function without(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (!isRecord(value) || !Object.hasOwn(value, key)) {
    return value;
  }
  const { [key]: inner, ...others } = value;
  const kept = rest.length === 0 ? undefined : without(inner, rest);
  if (kept === undefined || (isRecord(kept) && Object.keys(kept).length === 0)) {
    return others;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, name === key ? kept : each]),
  );
}

/** The props for the address of a Service, by its annotations. */
export function addressProps(
  target: string,
  annotations: Fields,
  around: Surroundings,
): DraftProps {
  const network = onHarvester(
    harvesterOfTarget(target, around),
    `${GROUP_ATTACHMENT}/${KIND_NETWORK_ATTACHMENT}`,
    annotations[ANNOTATION_NETWORK],
  );
  return { ipam: ipamOf(target, annotations), network };
}

function ipamOf(target: string, annotations: Fields): StaticCall {
  const primary = annotations[ANNOTATION_PRIMARY_SERVICE];
  if (typeof primary === 'string' && primary.includes('/')) {
    const [namespace, name] = primary.split('/');
    return call('Ipam', 'shareWith', referOn(target, '/Service', name, namespace));
  }
  if (annotations[ANNOTATION_IPAM] === undefined) {
    return call('Ipam', 'unset');
  }
  if (annotations[ANNOTATION_IPAM] !== IPAM_DHCP) {
    return call('Ipam', 'pool');
  }
  // kube-vip writes there what it received
  const isAssigned = annotations[ANNOTATION_KUBE_VIP_HOST] !== undefined;
  const asked = isAssigned
    ? {}
    : {
        requestedIp: annotations[ANNOTATION_KUBE_VIP_REQUESTED_IP],
        macAddress: annotations[ANNOTATION_KUBE_VIP_HWADDR],
      };
  return call('Ipam', 'dhcp', ...optional(asked as DraftProps));
}
