import { MGMT_CLUSTER_NETWORK } from '../infrastructure-names';
import { isLate } from '../late-token';
import { Problem } from '../problem';
import { since, warn } from './checks';
import { SettingContext } from './entry';
import { Cidr, overlaps, parseCidr, parseIp, printNetwork } from './go-ip';
import { BOOL, GoType, slice, STRING, struct, UINT16 } from './go-json-decode';

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
