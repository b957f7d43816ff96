import {
  ANNOTATION_IPAM, ANNOTATION_KUBE_VIP_INTERFACE, ANNOTATION_KUBE_VIP_IPS, ANNOTATION_NETWORK, ANNOTATION_PRIMARY_SERVICE, ANNOTATIONS_OVERWRITTEN,
  CLOUD_PROVIDER_PREFIX, IPAM_MODES, NAMESPACED_NAME, SERVICE_ANNOTATIONS,
} from './names';
import { annotationsOf, labelsOf } from '../checks/metadata-maps';
import { isLate } from '../late-token';
import { Manifest, valueAt } from '../manifest';
import { Problem } from '../problem';

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
