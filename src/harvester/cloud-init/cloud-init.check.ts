import { isRecord, sameValue, itemsAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/problem/problem';
import { permissionsText, plainText } from '../../core/text/plain-text';
import { byText } from '../../core/text/values';
import { tryYaml } from '../../core/yaml/yaml-reader';

/** The header of cloud-init user data. */
export const CLOUD_CONFIG_HEADER = '#cloud-config\n';

/**
 * The one form of a jinja header that the node driver keeps.
 * @see harvester/docker-machine-driver-harvester:harvester/cloudinit.go userDataHeaderTemplateJinja
 */
export const JINJA_HEADER = '## template: jinja\n';

/**
 * The package and service by which Harvester learns a machine's addresses.
 * @see rancher/dashboard:pkg/harvester-manager/machine-config/harvester.vue QGA_JSON
 */
export const GUEST_AGENT_PACKAGE = 'qemu-guest-agent';

export const GUEST_AGENT_SERVICE = 'qemu-guest-agent.service';

/**
 * Label of a ConfigMap that the UI offers as cloud-init (`user` or `network`), and of Secrets of
 * cloud-init.
 * @see harvester/harvester-ui-extension:pkg/harvester/edit/harvesterhci.io.cloudtemplate.vue
 */
export const LABEL_CLOUD_INIT_TEMPLATE = 'harvesterhci.io/cloud-init-template';

/** The key of the text in such a ConfigMap. */
export const CLOUD_INIT_KEY = 'cloudInit';

/**
 * The suffix of the names of cloud-init Secrets.
 * @see harvester/docker-machine-driver-harvester:harvester/create.go
 */
export const CLOUD_INIT_SUFFIX = '-cloudinit';

/** The keys of the Secret of cloud-init. @see kubevirt/kubevirt:pkg/cloud-init/cloud-init.go */
export const CLOUD_INIT_KEYS = { USER: 'userdata', NETWORK: 'networkdata' } as const;

/**
 * The value of the label on such a Secret, as the UI writes it.
 * @see harvester/harvester-ui-extension:pkg/harvester/mixins/harvester-vm/index.js saveSecret
 */
export const CLOUD_INIT_LABEL_VALUE = 'harvester';

/**
 * The node name in the registration command of user data; undefined without one.
 * @see rancher/system-agent:install.sh parse_args
 */
export function nodeNameIn(userData: string): string | undefined {
  const [, single, double, plain] =
    /(?:^|\s)--?node-name[ =](?:'([^']*)'|"([^"]*)"|([^\s'"]+))/m.exec(userData) ?? [];
  return single ?? double ?? plain;
}

/** The map of a `#cloud-config`. */
export interface CloudConfig {
  readonly [key: string]: unknown;
}

/**
 * The order of the keys of a `#cloud-config`. Other keys follow in their own order. It is a
 * contract: a different order is a different text, and replaces the machines of a pool.
 */
const ORDER = [
  'hostname',
  'timezone',
  'ntp',
  'ca_certs',
  'growpart',
  'users',
  'ssh_authorized_keys',
  'ssh_pwauth',
  'bootcmd',
  'write_files',
  'package_update',
  'package_upgrade',
  'packages',
  'runcmd',
];

/** A `#cloud-config` with ordered keys. */
export function orderedCloudConfig(config: CloudConfig): CloudConfig {
  const known = ORDER.filter((key) => config[key] !== undefined);
  return Object.fromEntries(
    [...known, ...Object.keys(config).filter((key) => !ORDER.includes(key))].map((key) => [
      key,
      config[key],
    ]),
  );
}

/**
 * Merges several `#cloud-config`: lists are joined, without duplicates in packages, users and keys.
 *
 * @param configs the maps, in the order of their lists
 * @param lastWins keys for which the last value is used
 */
export function mergeCloudConfigs(
  configs: readonly CloudConfig[],
  lastWins: readonly string[] = [],
): { fields: CloudConfig; problems: Problem[] } {
  const fields: { [key: string]: unknown } = {};
  const problems: Problem[] = [];
  for (const config of configs) {
    for (const [key, value] of Object.entries(config)) {
      const merged = mergeValue(fields[key], value, key);
      if (merged === undefined && !lastWins.includes(key)) {
        problems.push({
          path: key,
          message: 'cannot have two different values',
          fix: 'set it in one of the user data',
        });
      }
      fields[key] = merged ?? value;
    }
  }
  return { fields, problems };
}

const SETS = ['packages', 'users', 'ssh_authorized_keys'];

/** Undefined if both contradict each other. */
function mergeValue(above: unknown, below: unknown, key: string): unknown {
  if (above === undefined || above === null) {
    return below;
  }
  if (Array.isArray(above) && Array.isArray(below)) {
    return [
      ...above,
      ...(SETS.includes(key)
        ? below.filter((item) => !above.some((other) => sameValue(other, item)))
        : below),
    ];
  }
  if (sameValue(above, below)) {
    return above;
  }
  if (isRecord(above) && isRecord(below)) {
    const merged: { [field: string]: unknown } = { ...above };
    for (const [field, value] of Object.entries(below)) {
      const one = mergeValue(above[field], value, field);
      if (one === undefined) {
        return undefined;
      }
      merged[field] = one;
    }
    return merged;
  }
  return undefined;
}

type Section = { readonly [key: string]: unknown };

/**
 * Checks the decoded network data of a machine. The node driver checks version 1 completely, and of
 * version 2 only that it is a map.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/config.go checkNetworkData
 */
export function* checkNetworkData(path: string, text: string): Iterable<Problem> {
  const { documents, fault } = tryYaml(text);
  if (!documents) {
    yield { path, message: `is not valid YAML: ${fault}`, fix: 'correct the text' };
    return;
  }
  const [root] = documents;
  const network = isRecord(root) && root.network !== undefined ? root.network : root;
  if (!isRecord(network)) {
    yield {
      path,
      message: `must be a YAML map${isRecord(root) ? ': otherwise the node driver crashes' : ''}`,
      fix: 'write version: 2 and ethernets, or version: 1 and config',
      ...(isRecord(root) ? {} : { says: 'error unmarshaling JSON: json: cannot unmarshal' }),
    };
    return;
  }
  if (network.version === undefined || network.version === null) {
    yield { ...missing(path, 'version', undefined), fix: 'write version: 1 or version: 2' };
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
    yield {
      path: `${path}.version`,
      value: network.version,
      level: 'warning',
      message: 'must be 1 or 2',
      fix: 'write version: 1 or version: 2',
    };
  }
}

function* checkVersion1(path: string, { config }: Section): Iterable<Problem> {
  if (!Array.isArray(config)) {
    yield missing(path, 'config', config);
    return;
  }
  for (const [index, entry] of config.entries()) {
    yield* checkEntry(`${path}.config[${index}]`, entry);
  }
  const subnets = ofType(config, 'physical').flatMap((entry) => itemsAt(entry, 'subnets'));
  const gateways = ofType(subnets, 'static').filter(hasGateway).length;
  const isByDhcp = ofType(subnets, 'dhcp').length > 0;
  const nameservers = ofType(config, 'nameserver').flatMap((entry) => itemsAt(entry, 'address'));
  if (gateways > 1) {
    yield {
      path,
      value: gateways,
      message: 'must have at most one default gateway',
      fix: 'keep one gateway',
      says: `the number of default gateway cannot greater than 1, but get: ${gateways}`,
    };
  }
  if (gateways === 0 && !isByDhcp) {
    yield {
      path,
      message: 'must have a gateway or DHCP',
      fix: 'set a gateway for one static subnet, or use dhcp',
      says: 'static gateway or dhcp is not configured',
    };
  }
  if (nameservers.length === 0 && !isByDhcp) {
    yield {
      path,
      message: 'must have a name server',
      fix: 'add an entry of type nameserver with a list of addresses',
      says: 'nameserver is not configured',
    };
  }
}

/** Checks the form of an entry of version 1. */
function* checkEntry(path: string, entry: unknown): Iterable<Problem> {
  if (!isTyped(entry)) {
    yield missing(path, 'type', isRecord(entry) ? entry.type : entry);
    return;
  }
  const { type, subnets, address } = entry;
  if (type === 'physical') {
    yield* checkSubnets(path, subnets);
  }
  if (type === 'nameserver' && !Array.isArray(address)) {
    yield missing(path, 'address', address);
  }
}

function* checkSubnets(path: string, subnets: unknown): Iterable<Problem> {
  if (!Array.isArray(subnets)) {
    yield missing(path, 'subnets', subnets);
    return;
  }
  for (const [index, subnet] of subnets.entries()) {
    if (!isTyped(subnet)) {
      const type = isRecord(subnet) ? subnet.type : subnet;
      yield missing(`${path}.subnets[${index}]`, 'type', type);
    }
  }
}

function isTyped(value: unknown): value is Section & { readonly type: string } {
  return isRecord(value) && typeof value.type === 'string';
}

function ofType(list: readonly unknown[], type: string): readonly Section[] {
  return list.filter(isTyped).filter((each) => each.type === type);
}

function hasGateway({ gateway }: Section): boolean {
  return typeof gateway === 'string' && gateway !== '';
}

/** A section that is missing, or has another type than the node driver takes for granted. */
function missing(path: string, section: string, value: unknown): Problem {
  const isMissing = value === undefined || value === null;
  return {
    path: `${path}.${section}`,
    message: isMissing
      ? 'must be set'
      : 'must be set, in a valid form: otherwise the node driver crashes',
    fix: `set ${section}`,
    ...(isMissing ? { says: `missing section: ${section}` } : {}),
  };
}

/** Whether network data contains a static address, which the machines of a pool would share. */
export function hasStaticAddress(text: string): boolean {
  return staticAddresses(text).length > 0;
}

/**
 * The static addresses in network data, as they are written; an empty text for one that is missing.
 */
export const staticAddresses = byText((text: string): readonly string[] => {
  // the check reports invalid YAML
  const root = tryYaml(text).documents?.[0];
  const network = isRecord(root) && isRecord(root.network) ? root.network : root;
  return isRecord(network) ? [...addressesInSubnets(network), ...addressesOfDevices(network)] : [];
});

function addressesInSubnets({ config }: Section): string[] {
  const subnets = itemsAt(config).flatMap((entry) => itemsAt(entry, 'subnets'));
  return subnets.flatMap((subnet) =>
    isRecord(subnet) && typeof subnet.type === 'string' && subnet.type.startsWith('static')
      ? [plainText(subnet.address ?? '')]
      : [],
  );
}

function addressesOfDevices({ ethernets }: Section): string[] {
  const devices = isRecord(ethernets) ? Object.values(ethernets) : [];
  return devices.flatMap((device) =>
    isRecord(device) && Array.isArray(device.addresses) ? device.addresses.map(plainText) : [],
  );
}

const HEADER = '#cloud-config';
/** Lists to which the node driver and Rancher add items, and what they must be. @see harvester/docker-machine-driver-harvester:harvester/cloudinit.go mergeYaml */
const LISTS: { readonly [key: string]: string } = {
  write_files: 'must be a list',
  runcmd: 'must be a list',
  packages: 'must be a list: otherwise cloud-init installs nothing',
  ssh_authorized_keys: 'must be a list: otherwise it is silently dropped',
};
/** Those that the driver cannot merge with what Rancher appends. */
const APPENDED = ['write_files', 'runcmd'];

const AGENT = 'qemu-guest-agent';

/**
 * Linux limits one argument of a process, as which user data is passed, to this size: 131,071 bytes
 * are taken, and one more is refused. The name of the flag counts, and base64 as it is written.
 *
 * @see rancher/rancher:pkg/controllers/capr/machineprovision/args.go
 */
const MAX_BYTES = 128 * 1024;

/**
 * Checks the decoded user data of a machine, which is parsed as a YAML map and merged with that of
 * the node driver and Rancher.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/cloudinit.go
 * @see rancher/machine:commands/create.go
 */
export function* checkUserData(path: string, text: string): Iterable<Problem> {
  const first = text.split('\n', 1)[0].trim();
  if (Buffer.byteLength(text) > MAX_BYTES) {
    yield {
      path,
      level: 'warning',
      message: `must have at most ${MAX_BYTES} bytes, got ${Buffer.byteLength(text)}: one argument of a process cannot contain more`,
      fix: 'shorten the user data, or download parts of it at boot',
    };
  }
  const map = yield* readMap(path, text, first);
  if (!map) {
    return;
  }
  if (first !== HEADER && first !== '## template: jinja') {
    yield {
      path,
      level: 'warning',
      message: `must begin with ${HEADER}, got ${JSON.stringify(first.slice(0, 40))}`,
      fix: `add ${HEADER} as the first line`,
    };
  }
  for (const key of Object.keys(LISTS)) {
    // what is null is as good as missing
    if (Array.isArray(map[key] ?? [])) {
      continue;
    }
    yield {
      path: `${path}.${key}`,
      message: LISTS[key],
      fix: 'write each item after a hyphen',
      ...(APPENDED.includes(key) ? { says: 'cannot append two slices with different type' } : {}),
    };
  }
  if (map.bootcmd !== undefined && !Array.isArray(map.bootcmd)) {
    yield {
      path: `${path}.bootcmd`,
      level: 'warning',
      message: 'must be a list: otherwise cloud-init runs no command',
      fix: 'write each command after a hyphen',
    };
  }
  yield* checkHostname(path, map);
  yield* checkFiles(`${path}.write_files`, map.write_files);
  yield* checkGuestAgent(path, text);
}

/**
 * Checks that user data installs the guest agent, which reports the address of a machine to
 * Rancher.
 */
export function* checkGuestAgent(path: string, text: string | undefined): Iterable<Problem> {
  if (text?.includes(AGENT)) {
    return;
  }
  yield {
    path,
    level: 'warning',
    message: `must install ${AGENT}: without it the machine reports no address, and Rancher replaces it after ten minutes`,
    fix: `add ${AGENT} to packages and start it in runcmd, unless the image contains it`,
  };
}

function* readMap(
  path: string,
  text: string,
  first: string,
): Generator<Problem, { readonly [key: string]: unknown } | undefined> {
  if (first.startsWith('#!')) {
    yield {
      path,
      message: 'must be a YAML map, not a script: the node driver parses it',
      fix: `begin with ${HEADER}, and move the script to runcmd or write_files`,
      says: 'error unmarshaling JSON: json: cannot unmarshal',
    };
    return undefined;
  }
  if (/^(Content-Type|MIME-Version):/i.test(first)) {
    yield {
      path,
      message: 'must be a YAML map, not a MIME archive: the node driver parses it',
      fix: `combine its parts into one ${HEADER}`,
      says: 'error converting YAML to JSON',
    };
    return undefined;
  }
  const { documents, fault } = tryYaml(text);
  if (!documents) {
    yield { path, message: `is not valid YAML: ${fault}`, fix: 'correct the text' };
    return undefined;
  }
  const [map] = documents;
  if (isRecord(map)) {
    return map;
  }
  // only the header: Go silently parses nothing as a map
  if (map === undefined || map === null) {
    return {};
  }
  yield {
    path,
    message: 'must be a YAML map',
    fix: `begin with ${HEADER}, and add keys such as packages, runcmd, write_files`,
    says: 'error unmarshaling JSON: json: cannot unmarshal',
  };
  return undefined;
}

function* checkHostname(path: string, map: { readonly [key: string]: unknown }): Iterable<Problem> {
  for (const key of ['hostname', 'fqdn']) {
    if (map[key] !== undefined) {
      yield { ...hostnameOfAll(`${path}.${key}`, map[key]), level: 'warning' };
    }
  }
}

/** The problem of a host name in the user data of the machines of a pool. */
export function hostnameOfAll(path: string, value: unknown): Problem {
  return {
    path,
    value,
    message:
      'overrides the name from Rancher: all machines of the pool get this one, and the cloud provider cannot find the VM of a node',
    fix: 'remove it: the host name is that of the virtual machine',
  };
}

function* checkFiles(path: string, files: unknown): Iterable<Problem> {
  for (const [index, file] of itemsAt(files).entries()) {
    if (isRecord(file) && typeof file.permissions === 'number') {
      yield {
        path: `${path}[${index}].permissions`,
        value: file.permissions,
        level: 'warning',
        message: 'must be a string: cloud-init does not read a number as octal',
        fix: `write it in quotes: '${permissionsText(file.permissions)}'`,
      };
    }
    if (isRecord(file) && (typeof file.path !== 'string' || !file.path.startsWith('/'))) {
      yield {
        path: `${path}[${index}].path`,
        value: file.path,
        level: 'warning',
        message: 'must be an absolute path',
        fix: 'set the path of the file',
      };
    }
  }
}
