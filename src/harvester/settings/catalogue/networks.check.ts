import { SettingContext, SettingEntry, VALIDATOR, jsonCheck, networkController, since, warn } from './entry';
import { Cidr, overlaps, parseCidr, parseIp, printNetwork } from '../../../core/go/go-ip';
import { BOOL, GoType, STRING, UINT16, decodeStrict, pointer, slice, struct, unmarshal } from '../../../core/go/go-json-decode';
import { isLate } from '../../../core/late/late-token';
import { Problem } from '../../../core/rule/problem';
import { MGMT_CLUSTER_NETWORK } from '../../cluster-network/cluster-network.kind';
import { SETTING } from '../harvester-setting.kind';

/**
 * A network that Harvester moves some traffic to.
 *
 * @see harvester/harvester:pkg/util/network/common.go Config
 */
export interface NetworkConfig {
  readonly clusterNetwork: string;
  readonly vlan: number;
  readonly exclusiveVlan: boolean;
  readonly range: string;
  readonly exclude?: readonly string[];
  readonly rangeV6: string;
  readonly rangeV6Start: string;
  readonly rangeV6End: string;
}

export { MGMT_CLUSTER_NETWORK };

/** The version whose networks may have a second range, of IPv6. Not released when this was written. */
export const DUAL_STACK_SINCE = '1.9.0';

const MIN_PREFIX = 16;
const SINGLE_STACK = { clusterNetwork: STRING, vlan: UINT16, exclusiveVlan: BOOL, range: STRING, exclude: slice(STRING) };

/** The Go type, by version. */
export function networkType(context: SettingContext): GoType {
  return struct('network.Config', context.atLeast(DUAL_STACK_SINCE) === false
    ? SINGLE_STACK
    : { ...SINGLE_STACK, rangeV6: STRING, rangeV6Start: STRING, rangeV6End: STRING });
}

/** What holds for every network; paths begin with that of the network. */
export function checkNetwork(path: string, config: NetworkConfig, context: SettingContext): Problem[] {
  return [...checkVlan(path, config), ...checkClusterNetwork(path, config), ...checkRange(path, config, context), ...checkRangeV6(path, config)];
}

function checkVlan(path: string, { vlan, clusterNetwork }: NetworkConfig): Problem[] {
  if (vlan > 4094) {
    return [{
      path: `${path}.vlan`, value: vlan, message: 'is no VLAN id', fix: 'give 0 (untagged) to 4094', says: 'the valid value range for VLAN IDs is 0 to 4094',
    }];
  }
  return vlan <= 1 && clusterNetwork === MGMT_CLUSTER_NETWORK ? [{
    path: `${path}.vlan`,
    value: vlan,
    message: `a network on the cluster network ${MGMT_CLUSTER_NETWORK} must be tagged, its untagged VLAN carries the management traffic`,
    fix: 'give 2 to 4094, or another cluster network',
    says: `network with vlan id ${vlan} not allowed on ${MGMT_CLUSTER_NETWORK} cluster`,
  }] : [];
}

function checkClusterNetwork(path: string, { clusterNetwork }: NetworkConfig): Problem[] {
  return clusterNetwork === '' ? [{
    path: `${path}.clusterNetwork`,
    message: 'is missing',
    fix: 'give the name of a ClusterNetwork that spans all nodes, e.g. mgmt',
    says: 'cluster network  not found because clusternetworks.network.harvesterhci.io "" not found',
  }] : [];
}

function checkRange(path: string, config: NetworkConfig, context: SettingContext): Problem[] {
  const { range } = config;
  if (isLate(range)) { return []; }
  const fix = 'give the first address of an IPv4 network and its prefix length, e.g. 192.168.0.0/24';
  const network = parseCidr(range);
  if (!network) {
    return [{ path: `${path}.range`, value: range, message: 'is no network in CIDR form', fix, says: `invalid CIDR address: ${range}` }];
  }
  if (network.address !== network.first) {
    return [{
      path: `${path}.range`,
      value: range,
      message: 'is an address within a network, not the network itself',
      fix: `give ${printNetwork(network)}`,
      says: `range should be subnet CIDR ${printNetwork(network)}`,
    }];
  }
  if (network.prefix < MIN_PREFIX) {
    return [{
      path: `${path}.range`,
      value: range,
      message: `is too large, /${MIN_PREFIX} is the largest that is allowed`,
      fix,
      says: `min supported prefix length for network is ${MIN_PREFIX}, include Range PrefixLen received ${network.prefix}`,
    }];
  }
  const v6: Problem[] = network.family === 4 ? [] : [since(DUAL_STACK_SINCE, context, {
    path: `${path}.range`, value: range, message: 'must be of IPv4', fix, says: 'range must be an IPv4 CIDR; use rangeV6 for dual-stack IPv6 (IPv4 Family First)',
  })];
  return [...v6, ...checkExcludes(path, config, network), ...checkUsable(path, config)];
}

function checkExcludes(path: string, { range, exclude }: NetworkConfig, network: Cidr): Problem[] {
  const problems: Problem[] = [];
  let previous: string | undefined;
  (exclude ?? []).forEach((text, index) => {
    const at = { path: `${path}.exclude[${index}]`, value: text };
    const fix = `give a part of ${range} in CIDR form, e.g. one address with /32`;
    const excluded = isLate(text) ? undefined : parseCidr(text);
    const before = previous === undefined ? undefined : parseCidr(previous);
    if (isLate(text)) { return; }
    if (!excluded) {
      problems.push({ ...at, message: 'is no network in CIDR form', fix, says: `invalid CIDR address: ${text}` });
    } else if (excluded.prefix < MIN_PREFIX) {
      problems.push({ ...at, message: `is larger than /${MIN_PREFIX}`, fix, says: `min supported prefix length for network is ${MIN_PREFIX}, exclude Range PrefixLen received ${excluded.prefix}` });
    } else if (!overlaps(network, excluded)) {
      problems.push({ ...at, message: 'lies outside of the range', fix, says: `exclude range ${text} do not overlap include range ${range}` });
    } else if (excluded.prefix <= network.prefix) {
      problems.push({ ...at, message: 'leaves nothing of the range', fix, says: `exclude Range ${text} includes include Range ${range}, no allocatable ip addresses` });
    } else if (before && overlaps(before, excluded)) {
      problems.push({ ...at, message: 'overlaps the one before it', fix: 'leave one of them out', says: `exclude ranges have overlapping subnets ${text} ${previous}` });
    }
    previous = text;
  });
  return problems;
}

function checkUsable(path: string, config: NetworkConfig): Problem[] {
  return usableCount(config) === 0 ? [warn({
    path: `${path}.range`,
    value: config.range,
    message: 'leaves no address to give out, and every node needs some',
    fix: 'give a larger range, or exclude less',
    says: 'allocatable IP address range is < 1, allocate sufficient range',
  })] : [];
}

function checkRangeV6(path: string, config: NetworkConfig): Problem[] {
  const { rangeV6, rangeV6Start: start, rangeV6End: end } = config;
  if (!rangeV6 || isLate(rangeV6)) { return []; }
  const network = parseCidr(rangeV6);
  const at = { path: `${path}.rangeV6`, value: rangeV6, fix: 'give the first address of an IPv6 network and its prefix length' };
  if (!network) { return [{ ...at, message: 'is no network in CIDR form', says: `invalid rangeV6: invalid CIDR address: ${rangeV6}` }]; }
  if (network.family === 4) { return [{ ...at, message: 'must be of IPv6', says: 'rangeV6 must be an IPv6 CIDR' }]; }
  if (network.address !== network.first) { return [{ ...at, message: 'is an address within a network', says: 'rangeV6 must be a subnet CIDR' }]; }
  if (!start || !end) {
    return [{
      ...at,
      message: 'needs a window of addresses to give out',
      fix: 'give rangeV6Start and rangeV6End',
      says: 'rangeV6Start and rangeV6End are required alongside rangeV6: name one contiguous allocatable window',
    }];
  }
  const [first, last] = [parseIp(start), parseIp(end)];
  const inside = first?.family === 6 && last?.family === 6
    && first.bits >= network.first && last.bits <= network.last && first.bits <= last.bits;
  return inside ? [] : [{ ...at, message: 'does not hold the window rangeV6Start to rangeV6End', fix: 'give two addresses of the network, the lower one first' }];
}

/** How many addresses a network gives out, as the webhook counts: without the first and, of IPv4, the last; undefined where it can not be told. */
export function usableCount({ range, exclude }: NetworkConfig): number | undefined {
  const network = isLate(range) ? undefined : parseCidr(range);
  if (!network) { return undefined; }
  const ends = network.family === 4 ? 2n : 1n;
  const total = network.last - network.first + 1n;
  const excluded = (exclude ?? []).map(parseCidr)
    .filter((cidr): cidr is Cidr => cidr !== undefined && overlaps(network, cidr) && cidr.prefix >= network.prefix);
  const left = (total > ends ? total - ends : 0n) - excluded.reduce((sum, cidr) => sum + cidr.last - cidr.first + 1n, 0n);
  return Number(left > 0n ? left : 0n);
}

/** Whether two networks could give out the same address. */
export function shareAddresses(a: NetworkConfig, b: NetworkConfig): boolean {
  const [one, other] = [parseCidr(a.range), parseCidr(b.range)];
  if (!one || !other || one.family !== other.family) { return false; }
  // the first address of a network is never given out, of IPv4 the last one neither
  const lastOf = (cidr: Cidr) => cidr.last - (cidr.family === 4 ? 1n : 0n);
  let from = (one.first > other.first ? one.first : other.first) + 1n;
  const to = lastOf(one) < lastOf(other) ? lastOf(one) : lastOf(other);
  const excluded = [...(a.exclude ?? []), ...(b.exclude ?? [])].map(parseCidr)
    .filter((cidr): cidr is Cidr => cidr?.family === one.family)
    .sort((x, y) => (x.address < y.address ? -1 : 1));
  for (const { address, last } of excluded) {
    // the server counts an exclusion from the address that was written, not from the start of its network
    if (address > from) { break; }
    if (last >= from) { from = last + 1n; }
  }
  return from <= to;
}

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
