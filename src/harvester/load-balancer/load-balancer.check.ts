import { IPAM_MODES, WORKLOAD_CLUSTER, WORKLOAD_VM } from './load-balancer.kind';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { LABEL_NAME_FIX, LABEL_VALUE_FIX, labelNameFault, labelValueFault } from '../../core/text/label';

/** RFC 1035 label: what a Service is called, as its DNS name is made of it. */
export const SERVICE_NAME = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** A name of a port of a Service. */
export const SERVICE_PORT_NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
/** A name of a port of a container: at least one letter, no two hyphens in a row. */
const TARGET_NAME = /^(?=.*[a-z])(?!.*--)[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$/;
const MAX_PORT = 65535;

/** A port of a Service as the construct takes it. */
export interface ServicePort {
  readonly port: number;
  readonly targetPort?: number;
  readonly targetPortName?: string;
  readonly protocol?: string;
  readonly name?: string;
  readonly nodePort?: number;
}

/** What an API server refuses in the ports of a Service, and what the cloud provider can not share. */
export function checkServicePorts(ports: readonly ServicePort[]): Problem[] {
  if (ports.length === 0) { return [{ path: 'ports', message: 'are missing', fix: 'give at least one port', says: 'spec.ports: Required value' }]; }
  return ports.flatMap((port, index) => checkPort(`ports[${index}]`, port, ports.slice(0, index)));
}

function checkPort(path: string, given: ServicePort, others: readonly ServicePort[]): Problem[] {
  const { port, targetPort, targetPortName, name, nodePort } = given;
  const problems: Problem[] = [];
  for (const [field, value] of [['port', port], ['targetPort', targetPort], ['nodePort', nodePort]] as const) {
    if (value !== undefined && !(Number.isInteger(value) && value >= 1 && value <= MAX_PORT)) {
      problems.push({
        path: `${path}.${field}`,
        value,
        message: 'is no port',
        fix: `give 1 to ${MAX_PORT}`,
        says: 'must be between 1 and 65535, inclusive',
      });
    }
  }
  if (targetPort !== undefined && targetPortName !== undefined) {
    problems.push({ path: `${path}.targetPortName`, value: targetPortName, message: 'is given beside targetPort', fix: 'give one of them' });
  }
  if (targetPortName !== undefined && !TARGET_NAME.test(targetPortName)) {
    problems.push({
      path: `${path}.targetPortName`,
      value: targetPortName,
      message: 'is no name of a port',
      fix: 'use up to 15 of a-z, 0-9 and hyphens, with a letter',
    });
  }
  if (name !== undefined && !SERVICE_PORT_NAME.test(name)) {
    problems.push({ path: `${path}.name`, value: name, message: 'is no name of a port', fix: 'use up to 63 of a-z, 0-9 and hyphens' });
  }
  if (name !== undefined && others.some((other) => other.name === name)) {
    problems.push({
      path: `${path}.name`,
      value: name,
      message: 'is that of another port too',
      fix: 'give every port a name of its own',
      says: 'Duplicate value',
    });
  }
  if (others.some((other) => other.port === port && (other.protocol ?? 'TCP') === (given.protocol ?? 'TCP'))) {
    problems.push({
      path: `${path}.port`,
      value: port,
      message: 'is given twice for one protocol',
      fix: 'give every port once',
      says: 'Duplicate value',
    });
  }
  return problems;
}

const CHECK_BALANCER_MAX_PORT = 65535;
const LISTENERS = 'spec.listeners';

interface Listener {
  readonly path: string;
  readonly name: string;
  readonly protocol: unknown;
  readonly port: unknown;
  readonly backendPort: unknown;
}

/** Whether a LoadBalancer is one of the cloud provider's, which has no listeners of its own. */
export function isClusterBalancer(manifest: Manifest): boolean {
  return valueAt(manifest, 'spec', 'workloadType') === WORKLOAD_CLUSTER;
}

/**
 * What the server refuses in the listeners of a load balancer for virtual machines.
 * @see harvester/load-balancer-harvester:pkg/webhook/loadbalancer/validator.go checkListeners
 */
export function checkListeners(manifest: Manifest): Problem[] {
  if (isClusterBalancer(manifest)) { return []; }
  const listeners = listenersOf(manifest);
  if (listeners.length === 0) {
    return [{ path: LISTENERS, message: 'are missing', fix: 'give at least one port', says: 'the loadbalancer needs to have at least one listener' }];
  }
  return listeners.flatMap((listener, index) => [...checkTaken(listener, listeners.slice(0, index)), ...checkPorts(listener)]);
}

function checkTaken(listener: Listener, others: readonly Listener[]): Problem[] {
  const { path, name, protocol, port, backendPort } = listener;
  const taken = (field: 'port' | 'backendPort') => others.find((other) => other.protocol === protocol && other[field] === listener[field]);
  const problems: Problem[] = [];
  const twin = others.find((other) => other.name === name);
  if (twin) {
    problems.push({
      path: `${path}.name`,
      value: name,
      message: name === '' ? `is empty like that of ${twin.path}` : `is that of ${twin.path} too`,
      fix: 'give every listener a name of its own',
      says: `listener has duplicate name ${name}`,
    });
  }
  const samePort = taken('port');
  if (samePort) {
    problems.push({
      path: `${path}.port`,
      value: port,
      message: `is that of ${samePort.path} with the same protocol`,
      fix: 'give every listener a port of its own',
      says: `listener ${name} has duplicate port ${protocol}:${port} with listener ${samePort.name}`,
    });
  }
  const sameBackend = taken('backendPort');
  if (sameBackend) {
    problems.push({
      path: `${path}.backendPort`,
      value: backendPort,
      message: `is that of ${sameBackend.path} with the same protocol`,
      fix: 'give every listener a port of its own on the virtual machines',
      says: `listener ${name} has duplicate backend port ${protocol}:${backendPort} with listener ${sameBackend.name}`,
    });
  }
  return problems;
}

function checkPorts({ path, port, backendPort }: Listener): Problem[] {
  return [['port', 'port', port] as const, ['backendPort', 'backend port', backendPort] as const].flatMap(([field, words, value]): Problem[] => {
    if (typeof value !== 'number' || (value >= 1 && value <= CHECK_BALANCER_MAX_PORT)) { return []; }
    const limit = value < 1 ? '>= 1' : `<= ${CHECK_BALANCER_MAX_PORT}`;
    return [{
      path: `${path}.${field}`,
      value,
      message: 'is no port',
      fix: `give 1 to ${CHECK_BALANCER_MAX_PORT}`,
      says: `listener ${words} ${value} must ${limit}`,
    }];
  });
}

/**
 * What the server refuses in the health check of a load balancer for virtual machines.
 * @see harvester/load-balancer-harvester:pkg/webhook/loadbalancer/validator.go checkHealthyCheck
 */
export function checkHealthCheck(manifest: Manifest): Problem[] {
  const check = valueAt(manifest, 'spec', 'healthCheck');
  const port = valueAt(check, 'port');
  if (isClusterBalancer(manifest) || !isRecord(check) || typeof port !== 'number' || port === 0) { return []; }
  const behind = listenersOf(manifest).filter(({ backendPort }) => backendPort === port);
  if (behind.some(({ protocol }) => protocol === 'TCP')) { return []; }
  return [{
    path: 'spec.healthCheck.port',
    value: port,
    message: behind.length > 0 ? 'is a backend port, but not of TCP, the one protocol that is checked' : 'is no backend port of a listener',
    fix: 'give the backendPort of a TCP listener',
    says: `healthcheck port ${port} ${behind.length > 0 ? 'can only be a TCP backend port' : 'is not in listener backend port list'}`,
  }];
}

function listenersOf(manifest: Manifest): Listener[] {
  const listeners = valueAt(manifest, 'spec', 'listeners');
  return (Array.isArray(listeners) ? listeners : []).map((listener, index) => {
    const name = valueAt(listener, 'name');
    return {
      path: `${LISTENERS}[${index}]`,
      name: typeof name === 'string' ? name : '',
      protocol: valueAt(listener, 'protocol'),
      port: valueAt(listener, 'port'),
      backendPort: valueAt(listener, 'backendPort'),
    };
  });
}

/**
 * A selector that finds all machines, or that the controller can not read.
 * @see harvester/load-balancer-harvester:pkg/utils/selector.go NewSelector
 */
export function checkBackendSelector(manifest: Manifest): Problem[] {
  const selector = valueAt(manifest, 'spec', 'backendServerSelector') ?? {};
  const path = 'spec.backendServerSelector';
  const level = 'warning';
  if (isClusterBalancer(manifest) || !isRecord(selector)) { return []; }
  if (Object.keys(selector).length === 0) {
    return [{
      path,
      level,
      message: `is empty, so every virtual machine of namespace ${manifest.metadata.namespace ?? 'default'} stands behind the load balancer`,
      fix: 'give labels of the virtual machines that are meant, each with a list of values',
    }];
  }
  return Object.entries(selector).flatMap(([key, values]): Problem[] => {
    const at = { path: `${path}[${key}]`, level } as const;
    if (Array.isArray(values) && values.length === 0) {
      return [{
        ...at, message: 'takes no value', fix: 'give the values that the label may have', says: 'for \'in\', \'notin\' operators, values set can\'t be empty',
      }];
    }
    const wrong = (Array.isArray(values) ? values : []).find((value) => typeof value === 'string' && !isLate(value) && labelValueFault(value));
    return [
      ...(labelNameFault(key) ? [{ ...at, message: 'is no name of a label, so no machine is found', fix: LABEL_NAME_FIX }] : []),
      ...(wrong === undefined ? [] : [{ ...at, value: wrong, message: 'is no value of a label, so no machine is found', fix: LABEL_VALUE_FIX }]),
    ];
  });
}

/** Whether the labels of a virtual machine are those that a load balancer's selector asks for: every key, with one of its values. */
export function selectorMatches(selector: { readonly [key: string]: unknown }, labels: { readonly [key: string]: unknown }): boolean {
  const fits = (value: unknown, label: unknown) => value === label || isLate(value) || isLate(label);
  return Object.entries(selector).every(([key, values]) => Array.isArray(values) && values.some((value) => fits(value, labels[key])));
}

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
  for (const [index, listener] of listenersOfOfCheckBalancerFields(manifest)) {
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
  for (const [index, { name: port, protocol }] of listenersOfOfCheckBalancerFields(manifest)) {
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

function listenersOfOfCheckBalancerFields(manifest: Manifest): [index: number, listener: { readonly [field: string]: unknown }][] {
  const listeners = valueAt(manifest, 'spec', 'listeners');
  return (Array.isArray(listeners) ? listeners : []).flatMap((listener, index) => (isRecord(listener) ? [[index, listener]] : []));
}
