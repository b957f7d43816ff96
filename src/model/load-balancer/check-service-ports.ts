import { Problem } from '../problem';

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
