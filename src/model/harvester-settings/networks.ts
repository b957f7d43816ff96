import { isLate } from '../late-token';
import { Problem } from '../problem';
import { jsonCheck, since, warn } from './checks';
import { networkController, SettingContext, SettingEntry, VALIDATOR } from './entry';
import { overlaps, parseCidr, printNetwork } from './go-ip';
import { BOOL, decodeStrict, GoType, pointer, STRING, struct, unmarshal } from './go-json-decode';
import { SETTING } from './names';
import { checkNetwork, DUAL_STACK_SINCE, NetworkConfig, networkType, usableCount } from './network-config';

const NETWORK_FORMAT = '{"vlan":100,"clusterNetwork":"storage","range":"192.168.0.0/24","exclude":["192.168.0.1/32"]}';
const RWX_FORMAT = `{"share-storage-network":true} or {"share-storage-network":false,"network":${NETWORK_FORMAT}}`;
const SETTING_SINCE_VM_MIGRATION = '1.6.0';
const SETTING_SINCE_RWX = '1.8.0';

/** What rwx-network says. @see harvester/harvester:pkg/settings/settings_helper.go RWXNetworkConfig */
export interface RwxConfig {
  readonly 'share-storage-network': boolean;
  readonly 'network'?: NetworkConfig;
  readonly 'hostIPRange'?: string;
  readonly 'vipRange'?: string;
}


/** The network that a setting's value gives to its traffic; undefined for none of its own, and for a value that can not be read. */
export function networkOf(name: string, value: string, context: SettingContext): NetworkConfig | undefined {
  if (value === '') { return undefined; }
  if (name === SETTING.RWX_NETWORK) {
    const rwx = rwxOf(value, context);
    return rwx?.['share-storage-network'] ? undefined : rwx?.network;
  }
  const result = unmarshal<NetworkConfig>(value, networkType(context));
  return 'error' in result ? undefined : result.config;
}

/** What a value of rwx-network says; undefined where it can not be read. */
export function rwxOf(value: string, context: SettingContext): RwxConfig | undefined {
  const result = decodeStrict<RwxConfig>(value, rwxType(context));
  return 'error' in result ? undefined : result.config;
}

function rwxType(context: SettingContext): GoType {
  const ranges: { readonly [key: string]: GoType } = context.atLeast(DUAL_STACK_SINCE) === false ? {} : { hostIPRange: STRING, vipRange: STRING };
  return struct('settings.RWXNetworkConfig', { 'share-storage-network': BOOL, 'network': pointer(networkType(context)), ...ranges });
}

function networkFailed(error: string, value: string): string {
  return `failed to unmarshal the setting value ${value}, ${error}`;
}

function checkExclusive(config: NetworkConfig, context: SettingContext): Problem[] {
  if (!config.exclusiveVlan || config.vlan > 1) { return []; }
  const problem: Problem = {
    path: 'value.exclusiveVlan',
    value: true,
    message: `the VLAN ${config.vlan} can not be kept for one network`,
    fix: 'give a vlan of 2 to 4094, or leave exclusiveVlan out',
    says: `exclusive vlan cannot be enabled for vlan ${config.vlan}`,
  };
  // the release that began to check it was not read
  return [context.atLeast(DUAL_STACK_SINCE) === true ? problem : warn(problem)];
}

// the server adds room for workloads that nobody counted
const RWX_EXTRA_ADDRESSES = 32;

function checkRwx(config: RwxConfig, context: SettingContext): Problem[] {
  const problems: Problem[] = [];
  const { network } = config;
  if (network) {
    problems.push(...checkNetwork('value.network', network, context));
    const usable = usableCount(network);
    if (usable !== undefined && usable < RWX_EXTRA_ADDRESSES) {
      problems.push({
        path: 'value.network.range',
        value: network.range,
        message: `leaves ${usable} addresses, and ${RWX_EXTRA_ADDRESSES} and one for each node are needed`,
        fix: 'give a larger range, or exclude less',
        says: `allocatable IP address range is < ${RWX_EXTRA_ADDRESSES} (nodes: 0 + ${RWX_EXTRA_ADDRESSES} extra), allocate sufficient range`,
      });
    }
  }
  return [...problems, ...checkReserved(config)];
}

function checkReserved({ hostIPRange = '', vipRange = '', network, ...rest }: RwxConfig): Problem[] {
  if (!hostIPRange && !vipRange) { return []; }
  if (!hostIPRange || !vipRange) {
    return [{
      path: hostIPRange ? 'value.vipRange' : 'value.hostIPRange',
      message: 'is missing',
      fix: 'give both, or none',
      says: 'hostIPRange and vipRange must be set together',
    }];
  }
  if (rest['share-storage-network']) { return []; }
  if (!network?.range) {
    return [{
      path: 'value.hostIPRange',
      message: 'needs a network to lie in',
      fix: 'give network, or share-storage-network: true',
      says: 'hostIPRange and vipRange require a dedicated network or share-storage-network',
    }];
  }
  const tag: Problem[] = network.vlan < 2 ? [{
    path: 'value.network.vlan',
    value: network.vlan,
    message: 'hosts join only a tagged network',
    fix: 'give 2 to 4094',
    says: `hostIPRange and vipRange require a tagged VLAN (2-4094), got ${network.vlan}`,
  }] : [];
  const reserved = [['hostIPRange', hostIPRange], ['vipRange', vipRange]] as const;
  const problems = reserved.flatMap(([key, text]) => checkReservedRange(key, text, network));
  const [host, vip] = [parseCidr(hostIPRange), parseCidr(vipRange)];
  const both: Problem[] = host && vip && overlaps(host, vip) ? [{
    path: 'value.vipRange', value: vipRange, message: 'overlaps hostIPRange', fix: 'give ranges apart', says: `hostIPRange ${hostIPRange} overlaps vipRange ${vipRange}`,
  }] : [];
  return [...tag, ...problems, ...both];
}

function checkReservedRange(key: string, text: string, network: NetworkConfig): Problem[] {
  const [range, subnet] = [parseCidr(text), parseCidr(network.range)];
  if (isLate(text) || !subnet) { return []; }
  const at = { path: `value.${key}`, value: text, fix: `give a part of ${network.range} in CIDR form, without its first and last address` };
  if (!range) { return [{ ...at, message: 'is no network in CIDR form', says: `invalid ${key} "${text}"` }]; }
  if (range.family !== 4) { return [{ ...at, message: 'must be of IPv4', says: `${key} ${text} must be an IPv4 CIDR` }]; }
  if (range.address !== range.first) { return [{ ...at, message: 'is an address within a network', says: `${key} should be subnet CIDR ${printNetwork(range)}` }]; }
  if (range.prefix < subnet.prefix || !overlaps(subnet, range)) {
    return [{ ...at, message: 'lies outside of the range', says: `${key} ${text} is not within range ${network.range}` }];
  }
  if (range.first === subnet.first || range.last === subnet.last) {
    return [{ ...at, message: 'holds the first or last address of the range', says: `${key} ${text} must not include the network or broadcast address of ${network.range}` }];
  }
  const clash = (network.exclude ?? []).find((other) => { const cidr = parseCidr(other); return cidr && overlaps(range, cidr); });
  return clash === undefined ? [] : [{ ...at, message: `overlaps the exclusion ${clash}`, says: `${key} ${text} overlaps exclude entry ${clash}` }];
}

const JSON_NETWORK = { format: NETWORK_FORMAT, type: networkType, says: networkFailed };

/** What the settings that hold one network have in common. */
const NETWORK_ENTRY = {
  format: NETWORK_FORMAT, default: '', undeletable: true, judgesLate: true, judgesDefault: 'always', level: 'error', source: VALIDATOR,
} as const;

export const NETWORK_FAMILY: readonly SettingEntry[] = [
  {
    name: SETTING.STORAGE_NETWORK,
    what: 'the network of Longhorn\'s traffic; all virtual machines must be stopped to change it',
    ...NETWORK_ENTRY,
    controller: networkController(SETTING.STORAGE_NETWORK, 'harvester/harvester:pkg/controller/master/storagenetwork/storage_network.go'),
    check: jsonCheck<NetworkConfig>({
      ...JSON_NETWORK, judge: (config, context) => [...checkNetwork('value', config, context), ...checkExclusive(config, context)],
    }),
  },
  {
    name: SETTING.VM_MIGRATION_NETWORK,
    since: SETTING_SINCE_VM_MIGRATION,
    what: 'the network of live migrations',
    ...NETWORK_ENTRY,
    controller: networkController(SETTING.VM_MIGRATION_NETWORK, 'harvester/harvester:pkg/controller/master/kubevirt/vm_migration_network.go'),
    check: jsonCheck<NetworkConfig>({ ...JSON_NETWORK, judge: (config, context) => checkNetwork('value', config, context) }),
  },
  {
    name: SETTING.RWX_NETWORK,
    since: SETTING_SINCE_RWX,
    what: 'the network of volumes that many pods mount at once',
    format: RWX_FORMAT,
    default: '{"share-storage-network":false}',
    // its digest is of a part of the value: its condition says enough
    undeletable: true,
    judgesLate: true,
    judgesDefault: 'effective',
    level: 'error',
    source: VALIDATOR,
    check: jsonCheck<RwxConfig>({
      format: RWX_FORMAT, type: rwxType, decode: decodeStrict, says: (error) => `invalid JSON for ${SETTING.RWX_NETWORK}: ${error}`, judge: checkRwx,
    }),
  },
];

/** The version from which on the webhook compares the networks with each other; the one before was not read. */
export const OVERLAP_SINCE = '1.7.0';

/** Two networks that share addresses, as the problem of the first. */
export function overlapProblem(name: string, config: NetworkConfig, other: string, context: SettingContext): Problem {
  return since(OVERLAP_SINCE, context, {
    path: name === SETTING.RWX_NETWORK ? 'value.network.range' : 'value.range',
    value: config.range,
    message: `shares addresses with the setting ${other}`,
    fix: 'give each of the networks a range of its own, or exclude what they share',
    says: `${name}: the network configuration is overlapped with ${other}`,
  });
}
