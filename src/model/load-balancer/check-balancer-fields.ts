import { isClusterBalancer } from './check-balancer';
import { SERVICE_NAME, SERVICE_PORT_NAME } from './check-service-ports';
import { IPAM_MODES, WORKLOAD_CLUSTER, WORKLOAD_VM } from './names';
import { isLate } from '../late-token';
import { isRecord, Manifest, valueAt } from '../manifest';
import { Problem } from '../problem';

const CHOICES: { readonly [field: string]: readonly string[] } = { workloadType: [WORKLOAD_VM, WORKLOAD_CLUSTER], ipam: IPAM_MODES };
const REQUIRED = ['port', 'protocol', 'backendPort'] as const;
/** What the server reads as numbers without a sign. */
const COUNTS = ['port', 'successThreshold', 'failureThreshold', 'periodSeconds', 'timeoutSeconds'] as const;
const PROTOCOLS: readonly unknown[] = ['TCP', 'UDP', 'SCTP'];

/** What the definition of LoadBalancer refuses beyond wrong types. */
export function* checkBalancerFields(manifest: Manifest): Iterable<Problem> {
  for (const [field, choices] of Object.entries(CHOICES)) {
    const value = valueAt(manifest, 'spec', field);
    if (typeof value !== 'string' || isLate(value) || choices.includes(value)) { continue; }
    const words = choices.map((choice) => JSON.stringify(choice));
    yield {
      path: `spec.${field}`,
      value,
      message: 'is not one that there is',
      fix: `give ${words.join(' or ')}, in lower case, or leave it out for ${words[0]}`,
      says: `spec.${field}: Unsupported value: ${JSON.stringify(value)}: supported values: ${words.join(', ')}`,
    };
  }
  for (const [index, listener] of listenersOf(manifest)) {
    for (const field of REQUIRED.filter((key) => (listener[key] ?? undefined) === undefined)) {
      const path = `spec.listeners[${index}].${field}`;
      yield { path, message: 'is missing', fix: 'give port, protocol and backendPort of every listener', says: `${path}: Required value` };
    }
  }
  const check = valueAt(manifest, 'spec', 'healthCheck');
  for (const field of COUNTS) {
    const value = valueAt(check, field);
    if (typeof value !== 'number' || value >= 0) { continue; }
    yield {
      path: `spec.healthCheck.${field}`,
      value,
      message: 'is negative',
      fix: 'give a whole number from 1',
      says: `json: cannot unmarshal number ${value} into Go struct field HealthCheck.${field} of type uint`,
    };
  }
}

/**
 * What the Service can not have that Harvester makes of a load balancer of virtual machines, under the same name and with a port for each listener:
 * the load balancer is accepted and never gets an address.
 *
 * @see harvester/load-balancer-harvester:pkg/lb/servicelb/manager.go constructService
 */
export function* checkBalancerService(manifest: Manifest): Iterable<Problem> {
  if (isClusterBalancer(manifest)) { return; }
  const { name } = manifest.metadata;
  if (!SERVICE_NAME.test(name) && !isLate(name)) {
    yield {
      path: 'metadata.name',
      value: name,
      message: 'is no name of a Service, and Harvester makes one of that name',
      fix: 'use up to 63 of a-z, 0-9 and hyphens, a letter first',
      says: 'fail to create service, error: … a DNS-1035 label must consist of lower case alphanumeric characters or \'-\', start with an alphabetic character',
    };
  }
  for (const [index, { name: port, protocol }] of listenersOf(manifest)) {
    if (typeof port === 'string' && port !== '' && !isLate(port) && !SERVICE_PORT_NAME.test(port)) {
      yield {
        path: `spec.listeners[${index}].name`,
        value: port,
        message: 'is no name of a port of a Service, which Harvester makes of it',
        fix: 'use up to 63 of a-z, 0-9 and hyphens',
        says: 'fail to create service, error: … a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\'',
      };
    }
    if (typeof protocol === 'string' && !isLate(protocol) && !PROTOCOLS.includes(protocol)) {
      yield {
        path: `spec.listeners[${index}].protocol`,
        value: protocol,
        message: 'is no protocol of a Service, which Harvester makes of it',
        fix: 'give TCP or UDP, in upper case',
        says: `Unsupported value: ${JSON.stringify(protocol)}: supported values: "SCTP", "TCP", "UDP"`,
      };
    }
  }
}

function listenersOf(manifest: Manifest): [index: number, listener: { readonly [field: string]: unknown }][] {
  const listeners = valueAt(manifest, 'spec', 'listeners');
  return (Array.isArray(listeners) ? listeners : []).flatMap((listener, index) => (isRecord(listener) ? [[index, listener]] : []));
}
