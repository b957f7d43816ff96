import { isRecord } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { NoYaml, readYaml } from '../../core/yaml/yaml-reader';

type Section = { readonly [key: string]: unknown };

/**
 * What is wrong with the network data of a machine, decoded. The node driver judges version 1 in full, of version 2 it only asks for a map.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/config.go checkNetworkData
 */
export function* checkNetworkData(path: string, text: string): Iterable<Problem> {
  let root: unknown;
  try {
    root = readYaml(text)[0];
  } catch (error) {
    if (!(error instanceof NoYaml)) { throw error; }
    yield { path, message: `is no YAML: ${error.message}`, fix: 'mend the text' };
    return;
  }
  const network = isRecord(root) && root.network !== undefined ? root.network : root;
  if (!isRecord(network)) {
    yield { path, message: 'is no YAML map', fix: 'write version: 2 and ethernets, or version: 1 and config', says: 'yaml: unmarshal errors' };
    return;
  }
  if (network.version === undefined || network.version === null) {
    yield { ...missing(path, 'version'), fix: 'write version: 1 or version: 2' };
  } else if (!Number.isInteger(network.version)) {
    yield {
      path: `${path}.version`,
      value: network.version,
      message: 'is no number, which crashes the node driver',
      fix: 'write version: 1 or version: 2',
    };
  } else if (network.version === 1) {
    yield* checkVersion1(path, network);
  } else if (network.version !== 2) {
    yield { path: `${path}.version`, value: network.version, level: 'warning', message: 'is no version that cloud-init knows', fix: 'use 1 or 2' };
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
      message: 'is the number of default gateways',
      fix: 'give one gateway',
      says: `the number of default gateway cannot greater than 1, but get: ${gateways}`,
    };
  }
  if (gateways === 0 && dhcps === 0) {
    yield {
      path,
      message: 'has neither a gateway nor DHCP',
      fix: 'give a gateway to one static subnet, or use dhcp',
      says: 'static gateway or dhcp is not configured',
    };
  }
  if (nameservers + dhcps === 0) {
    yield {
      path,
      message: 'has no name server',
      fix: 'add an entry of type nameserver with a list of addresses',
      says: 'nameserver is not configured',
    };
  }
}

function missing(path: string, section: string): Problem {
  return {
    path: `${path}.${section}`,
    message: 'is missing, or is not of the right form',
    fix: `give ${section}`,
    says: `missing section: ${section}`,
  };
}

/**
 * Whether network data gives a machine a fixed address, which the machines of a pool would share.
 */
export function hasStaticAddress(text: string): boolean {
  try {
    const [root] = readYaml(text);
    const network = isRecord(root) && isRecord(root.network) ? root.network : root;
    return isRecord(network) && (hasStaticSubnet(network) || hasAddresses(network));
  } catch {
    // what is no YAML is said elsewhere
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
