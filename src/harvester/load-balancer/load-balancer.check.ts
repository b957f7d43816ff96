import { WORKLOAD_CLUSTER } from './load-balancer.kind';
import { isLate } from '../../core/late/late-token';
import { isRecord, Manifest, records, valueAt, itemsAt } from '../../core/manifest/manifest';
import {
  LABEL_NAME_FIX,
  LABEL_VALUE_FIX,
  labelNameFault,
  labelValueFault,
} from '../../core/problem/label';
import { Problem } from '../../core/problem/problem';
import { textOrEmpty } from '../../core/text/plain-text';

/** RFC 1035 label: what a Service is called, as its DNS name is made of it. */
export const BALANCER_NAME = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** The name of a port of a Service. */
const SERVICE_PORT_NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
/** The name of a port of a container: at least one letter, no consecutive hyphens. */
const TARGET_NAME = /^(?=.*[a-z])(?!.*--)[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$/;
const MAX_PORT = 65535;
const NO_PORT = { message: `must be a port from 1 to ${MAX_PORT}`, fix: 'set a port number' };
const PORT_NAME_FIX = 'use at most 63 of a-z, 0-9 and hyphens';

/** A port of a Service in the terms of the construct. */
interface ServicePort {
  readonly port: number;
  readonly targetPort?: number;
  readonly targetPortName?: string;
  readonly protocol?: string;
  readonly name?: string;
  readonly nodePort?: number;
}

/** Checks the ports of a Service. */
export function checkServicePorts(ports: readonly ServicePort[]): Problem[] {
  if (ports.length === 0) {
    return [
      {
        path: 'ports',
        message: 'must contain a port',
        fix: 'add at least one port',
        says: 'spec.ports: Required value',
      },
    ];
  }
  return ports.flatMap((port, index) => checkPort(`ports[${index}]`, port, ports.slice(0, index)));
}

function checkPort(path: string, port: ServicePort, others: readonly ServicePort[]): Problem[] {
  return [
    ...checkPortNumbers(path, port),
    ...checkTargetPortName(path, port),
    ...checkPortName(path, port, others),
    ...checkPortTwin(path, port, others),
  ];
}

function checkPortNumbers(
  path: string,
  { port, targetPort, nodePort }: ServicePort,
): readonly Problem[] {
  return Object.entries({ port, targetPort, nodePort })
    .filter(([, value]) => value !== undefined && !isPortNumber(value))
    .map(([field, value]) => ({
      path: `${path}.${field}`,
      value,
      ...NO_PORT,
      says: `must be between 1 and ${MAX_PORT}, inclusive`,
    }));
}

function isPortNumber(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= MAX_PORT;
}

function* checkTargetPortName(
  path: string,
  { targetPort, targetPortName }: ServicePort,
): Iterable<Problem> {
  if (targetPortName === undefined) {
    return;
  }
  const at = { path: `${path}.targetPortName`, value: targetPortName };
  if (targetPort !== undefined) {
    yield {
      ...at,
      message: 'cannot be combined with targetPort',
      fix: 'remove one of them',
    };
  }
  if (!TARGET_NAME.test(targetPortName)) {
    yield {
      ...at,
      message: 'must be a valid name of a container port',
      fix: 'use at most 15 of a-z, 0-9 and hyphens, with a letter',
    };
  }
}

function* checkPortName(
  path: string,
  { name }: ServicePort,
  others: readonly ServicePort[],
): Iterable<Problem> {
  if (name === undefined) {
    return;
  }
  const at = { path: `${path}.name`, value: name };
  if (!SERVICE_PORT_NAME.test(name)) {
    yield {
      ...at,
      message: 'must be a valid name of a port',
      fix: PORT_NAME_FIX,
    };
  }
  if (others.some((other) => other.name === name)) {
    yield {
      ...at,
      message: 'must be unique: another port has this name',
      fix: 'choose a different name',
      says: 'Duplicate value',
    };
  }
}

function checkPortTwin(
  path: string,
  { port, protocol = 'TCP' }: ServicePort,
  others: readonly ServicePort[],
): Problem[] {
  const twin = others.find(
    (other) => other.port === port && (other.protocol ?? 'TCP') === protocol,
  );
  if (!twin) {
    return [];
  }
  return [
    {
      path: `${path}.port`,
      value: port,
      message: 'must be unique per protocol: another port has this number',
      fix: 'list each port once',
      says: 'Duplicate value',
    },
  ];
}

const LISTENERS = 'spec.listeners';

/**
 * The protocol of a listener that names none.
 * @see harvester/charts:charts/harvester-load-balancer/templates/crds, the definition that Harvester installs
 */
export const DEFAULT_PROTOCOL = 'TCP';

/**
 * The ports of a listener in the server's words, and what to do if another listener has the same.
 */
const PORTS = [
  ['port', 'port', 'choose a different port'],
  ['backendPort', 'backend port', 'choose a different port on the virtual machines'],
] as const;

interface Listener {
  readonly path: string;
  readonly name: string;
  readonly protocol: unknown;
  readonly port: unknown;
  readonly backendPort: unknown;
}

/** Whether a LoadBalancer belongs to the cloud provider, and so has no listeners. */
export function isClusterBalancer(manifest: Manifest): boolean {
  return valueAt(manifest, 'spec', 'workloadType') === WORKLOAD_CLUSTER;
}

/**
 * Checks the listeners of a load balancer for virtual machines.
 * @see harvester/load-balancer-harvester:pkg/webhook/loadbalancer/validator.go checkListeners
 */
export function checkListeners(manifest: Manifest): Problem[] {
  if (isClusterBalancer(manifest)) {
    return [];
  }
  const listeners = listenersOf(manifest);
  if (listeners.length === 0) {
    const says = 'the loadbalancer needs to have at least one listener';
    return [
      {
        path: LISTENERS,
        message: 'must contain a listener',
        fix: 'add at least one listener',
        says,
      },
    ];
  }
  return listeners.flatMap((listener, index) => [
    ...checkTaken(listener, listeners.slice(0, index)),
    ...checkPorts(listener),
  ]);
}

function checkTaken(listener: Listener, others: readonly Listener[]): Problem[] {
  const { path, name, protocol } = listener;
  const problems: Problem[] = [];
  const twin = others.find((other) => other.name === name);
  if (twin) {
    problems.push({
      path: `${path}.name`,
      value: name,
      message: `must be unique: ${twin.path} has ${name === '' ? 'no name either' : 'this name'}`,
      fix: 'choose a different name',
      says: `listener has duplicate name ${name}`,
    });
  }
  for (const [field, words, fix] of PORTS) {
    const value = listener[field];
    const other =
      value === undefined
        ? undefined
        : others.find((each) => each.protocol === protocol && each[field] === value);
    if (other) {
      problems.push({
        path: `${path}.${field}`,
        value,
        message: `must be unique per protocol: ${other.path} has this port`,
        fix,
        says: `listener ${name} has duplicate ${words} ${protocol ?? ''}:${value ?? 0} with listener ${other.name}`,
      });
    }
  }
  return problems;
}

function checkPorts(listener: Listener): Problem[] {
  return PORTS.flatMap(([field, words]): Problem[] => {
    const value = listener[field];
    if (typeof value !== 'number' || (value >= 1 && value <= MAX_PORT)) {
      return [];
    }
    const limit = value < 1 ? '>= 1' : `<= ${MAX_PORT}`;
    return [
      {
        path: `${listener.path}.${field}`,
        value,
        ...NO_PORT,
        says: `listener ${words} ${value} must ${limit}`,
      },
    ];
  });
}

/**
 * Checks the health check of a load balancer for virtual machines.
 * @see harvester/load-balancer-harvester:pkg/webhook/loadbalancer/validator.go checkHealthyCheck
 */
export function checkHealthCheck(manifest: Manifest): Problem[] {
  const check = valueAt(manifest, 'spec', 'healthCheck');
  const port = valueAt(check, 'port');
  if (isClusterBalancer(manifest) || !isRecord(check) || typeof port !== 'number' || port === 0) {
    return [];
  }
  const behind = listenersOf(manifest).filter(({ backendPort }) => backendPort === port);
  if (behind.some(({ protocol }) => protocol === 'TCP')) {
    return [];
  }
  return [
    {
      path: 'spec.healthCheck.port',
      value: port,
      message: 'must be the backend port of a TCP listener',
      fix: 'set the backendPort of a TCP listener',
      says: `healthcheck port ${port} ${behind.length > 0 ? 'can only be a TCP backend port' : 'is not in listener backend port list'}`,
    },
  ];
}

function listenersOf(manifest: Manifest): Listener[] {
  return itemsAt(manifest, 'spec', 'listeners').map((listener, index) => {
    const name = valueAt(listener, 'name');
    return {
      path: `${LISTENERS}[${index}]`,
      name: textOrEmpty(name),
      protocol: valueAt(listener, 'protocol') ?? DEFAULT_PROTOCOL,
      port: valueAt(listener, 'port'),
      backendPort: valueAt(listener, 'backendPort'),
    };
  });
}

/**
 * Checks for a selector that matches all machines, or that the controller cannot parse.
 * @see harvester/load-balancer-harvester:pkg/utils/selector.go NewSelector
 */
export function checkBackendSelector(manifest: Manifest): Problem[] {
  const selector = valueAt(manifest, 'spec', 'backendServerSelector') ?? {};
  const path = 'spec.backendServerSelector';
  if (isClusterBalancer(manifest) || !isRecord(selector)) {
    return [];
  }
  if (Object.keys(selector).length === 0) {
    return [
      {
        path,
        level: 'warning',
        message: `is empty, so that every virtual machine of namespace ${manifest.metadata.namespace ?? 'default'} receives traffic`,
        fix: 'set labels of the virtual machines, each with a list of values',
      },
    ];
  }
  return Object.entries(selector).flatMap(([key, values]): Problem[] => {
    const at = { path: `${path}[${key}]` };
    if (Array.isArray(values) && values.length === 0) {
      return [
        {
          ...at,
          message: 'must contain a value',
          fix: 'add the values of the label',
          says: "for 'in', 'notin' operators, values set can't be empty",
        },
      ];
    }
    const wrong = itemsAt(values).find(
      (value) => typeof value === 'string' && !isLate(value) && labelValueFault(value),
    );
    return [
      ...(labelNameFault(key)
        ? [
            {
              ...at,
              message: 'must be a valid label name: otherwise no VM matches',
              fix: LABEL_NAME_FIX,
            },
          ]
        : []),
      ...(wrong === undefined
        ? []
        : [
            {
              ...at,
              value: wrong,
              message: 'must be a valid label value: otherwise no VM matches',
              fix: LABEL_VALUE_FIX,
            },
          ]),
    ];
  });
}

/**
 * Whether a load balancer's selector matches the labels of a virtual machine: every key, with one
 * of its values.
 */
export function selectorMatches(
  selector: { readonly [key: string]: unknown },
  labels: { readonly [key: string]: unknown },
): boolean {
  const fits = (value: unknown, label: unknown) =>
    value === label || isLate(value) || isLate(label);
  return Object.entries(selector).every(([key, values]) =>
    itemsAt(values).some((value) => fits(value, labels[key])),
  );
}

const REQUIRED = ['port', 'backendPort'] as const;
/** Fields that the server reads as unsigned numbers. */
const COUNTS = [
  'port',
  'successThreshold',
  'failureThreshold',
  'periodSeconds',
  'timeoutSeconds',
] as const;
const PROTOCOLS: readonly unknown[] = ['TCP', 'UDP', 'SCTP'];

/**
 * Checks that listeners are complete, also where the load balancer exists, and that no number of
 * the health check is negative.
 */
export function* checkBalancerFields(manifest: Manifest): Iterable<Problem> {
  for (const [index, listener] of records(manifest, 'spec', 'listeners')) {
    for (const field of REQUIRED.filter((key) => (listener[key] ?? undefined) === undefined)) {
      const path = `spec.listeners[${index}].${field}`;
      yield {
        path,
        message: 'must be set',
        fix: 'set port and backendPort of every listener',
        says: `${path}: Required value`,
      };
    }
  }
  yield* checkHealthNumbers(manifest, (value) => value >= 0);
}

/** Checks the numbers of a health check. */
export function* checkHealthNumbers(
  manifest: Manifest,
  isValid: (value: number) => boolean,
): Iterable<Problem> {
  const check = valueAt(manifest, 'spec', 'healthCheck');
  for (const field of COUNTS) {
    const value = valueAt(check, field);
    if (typeof value !== 'number' || isValid(value)) {
      continue;
    }
    yield {
      path: `spec.healthCheck.${field}`,
      value,
      message: 'must be a whole number of 1 or more',
      fix: 'set 1 or more',
      ...(value < 0
        ? {
            says: `json: cannot unmarshal number ${value} into Go struct field HealthCheck.${field} of type uint`,
          }
        : {}),
    };
  }
}

/**
 * Checks the Service that Harvester creates for a load balancer of virtual machines, with the same
 * name and a port for each listener. The server accepts a load balancer without a valid Service,
 * which never gets an address.
 *
 * @see harvester/load-balancer-harvester:pkg/lb/servicelb/manager.go constructService
 */
export function* checkBalancerService(manifest: Manifest): Iterable<Problem> {
  if (isClusterBalancer(manifest)) {
    return;
  }
  const { name } = manifest.metadata;
  if (!BALANCER_NAME.test(name) && !isLate(name)) {
    yield {
      path: 'metadata.name',
      value: name,
      message: 'must be a valid name of a Service, since Harvester creates one of that name',
      fix: 'use at most 63 of a-z, 0-9 and hyphens, with a letter first',
      says: "fail to create service, error: … a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character",
    };
  }
  for (const [index, { name: port, protocol }] of records(manifest, 'spec', 'listeners')) {
    if (typeof port === 'string' && port !== '' && !isLate(port) && !SERVICE_PORT_NAME.test(port)) {
      yield {
        path: `spec.listeners[${index}].name`,
        value: port,
        message:
          'must be a valid name of a port, since Harvester creates a port of a Service for it',
        fix: PORT_NAME_FIX,
        says: "fail to create service, error: … a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'",
      };
    }
    if (typeof protocol === 'string' && !isLate(protocol) && !PROTOCOLS.includes(protocol)) {
      yield {
        path: `spec.listeners[${index}].protocol`,
        value: protocol,
        message: 'must be a protocol of a Service',
        fix: 'set TCP or UDP, in upper case',
        says: `Unsupported value: ${JSON.stringify(protocol)}: supported values: "SCTP", "TCP", "UDP"`,
      };
    }
  }
}
