import { isRecord } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { NoYaml, readYaml } from '../../core/yaml/yaml-reader';

type Section = { readonly [key: string]: unknown };

/**
 * Checks the decoded network data of a machine. The node driver checks version 1 completely, and of version 2 only that it is a map.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/config.go checkNetworkData
 */
export function* checkNetworkData(path: string, text: string): Iterable<Problem> {
  let root: unknown;
  try {
    root = readYaml(text)[0];
  } catch (error) {
    if (!(error instanceof NoYaml)) { throw error; }
    yield { path, message: `is not valid YAML: ${error.message}`, fix: 'correct the text' };
    return;
  }
  const network = isRecord(root) && root.network !== undefined ? root.network : root;
  if (!isRecord(network)) {
    yield { path, message: 'must be a YAML map', fix: 'write version: 2 and ethernets, or version: 1 and config', says: 'yaml: unmarshal errors' };
    return;
  }
  if (network.version === undefined || network.version === null) {
    yield { ...missing(path, 'version'), fix: 'write version: 1 or version: 2' };
  } else if (!Number.isInteger(network.version)) {
    yield {
      path: `${path}.version`,
      value: network.version,
      message: 'must be a number: otherwise the node driver crashes',
      fix: 'write version: 1 or version: 2',
    };
  } else if (network.version === 1) {
    yield* checkVersion1(path, network);
  } else if (network.version !== 2) {
    yield { path: `${path}.version`, value: network.version, level: 'warning', message: 'must be 1 or 2', fix: 'write version: 1 or version: 2' };
  }
}

function* checkVersion1(path: string, network: Section): Iterable<Problem> {
  if (!Array.isArray(network.config)) {
    yield missing(path, 'config');
    return;
  }
  let [gateways, dhcps, nameservers] = [0, 0, 0];
  for (const [index, config] of network.config.entries()) {
    const at = `${path}.config[${index}]`;
    if (!isRecord(config) || typeof config.type !== 'string') {
      yield missing(at, 'type');
    } else if (config.type === 'physical') {
      if (!Array.isArray(config.subnets)) {
        yield missing(at, 'subnets');
        continue;
      }
      for (const [number, subnet] of config.subnets.entries()) {
        if (!isRecord(subnet) || typeof subnet.type !== 'string') {
          yield missing(`${at}.subnets[${number}]`, 'type');
        } else if (subnet.type === 'dhcp') {
          dhcps++;
        } else if (subnet.type === 'static' && typeof subnet.gateway === 'string' && subnet.gateway !== '') {
          gateways++;
        }
      }
    } else if (config.type === 'nameserver') {
      if (Array.isArray(config.address)) { nameservers += config.address.length; } else { yield missing(at, 'address'); }
    }
  }
  if (gateways > 1) {
    yield {
      path,
      value: gateways,
      message: 'must have at most one default gateway',
      fix: 'keep one gateway',
      says: `the number of default gateway cannot greater than 1, but get: ${gateways}`,
    };
  }
  if (gateways === 0 && dhcps === 0) {
    yield {
      path,
      message: 'must have a gateway or DHCP',
      fix: 'set a gateway for one static subnet, or use dhcp',
      says: 'static gateway or dhcp is not configured',
    };
  }
  if (nameservers + dhcps === 0) {
    yield {
      path,
      message: 'must have a name server',
      fix: 'add an entry of type nameserver with a list of addresses',
      says: 'nameserver is not configured',
    };
  }
}

function missing(path: string, section: string): Problem {
  return {
    path: `${path}.${section}`,
    message: 'must be set, in a valid form',
    fix: `set ${section}`,
    says: `missing section: ${section}`,
  };
}

/**
 * Whether network data contains a static address, which the machines of a pool would share.
 */
export function hasStaticAddress(text: string): boolean {
  try {
    const [root] = readYaml(text);
    const network = isRecord(root) && isRecord(root.network) ? root.network : root;
    return isRecord(network) && (hasStaticSubnet(network) || hasAddresses(network));
  } catch {
    // the check reports invalid YAML
    return false;
  }
}

function hasStaticSubnet({ config }: Section): boolean {
  const entries: unknown[] = Array.isArray(config) ? config : [];
  const subnets = entries.flatMap((entry): unknown[] => (isRecord(entry) && Array.isArray(entry.subnets) ? entry.subnets : []));
  return subnets.some((subnet) => isRecord(subnet) && typeof subnet.type === 'string' && subnet.type.startsWith('static'));
}

function hasAddresses({ ethernets }: Section): boolean {
  const devices = isRecord(ethernets) ? Object.values(ethernets) : [];
  return devices.some((device) => isRecord(device) && Array.isArray(device.addresses) && device.addresses.length > 0);
}
