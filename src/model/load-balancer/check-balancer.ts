import { LABEL_NAME_FIX, LABEL_VALUE_FIX, labelNameFault, labelValueFault } from '../checks/label-name';
import { isLate } from '../late-token';
import { isRecord, Manifest, valueAt } from '../manifest';
import { Problem } from '../problem';
import { WORKLOAD_CLUSTER } from './names';

const MAX_PORT = 65535;
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
    if (typeof value !== 'number' || (value >= 1 && value <= MAX_PORT)) { return []; }
    const limit = value < 1 ? '>= 1' : `<= ${MAX_PORT}`;
    return [{
      path: `${path}.${field}`,
      value,
      message: 'is no port',
      fix: `give 1 to ${MAX_PORT}`,
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
