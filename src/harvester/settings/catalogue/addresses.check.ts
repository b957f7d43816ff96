import { isIpv4, parseCidr, parseIp, Cidr, overlaps, printNetwork } from '../../../core/go/go-ip';
import { STRING, map, slice, goStruct, BOOL, GoType, UINT16 } from '../../../core/go/go-json';
import { isLate } from '../../../core/late/late-token';
import { Problem } from '../../../core/problem/problem';
import { MGMT_CLUSTER_NETWORK } from '../../cluster-network/cluster-network.kind';
import { VALIDATOR, json, settingEntry, syncer, warn, since } from '../entry/setting-entry.check';
import { readJson } from '../entry/setting-text.facts';
import { SettingContext } from '../entry/setting.facts';

const VIP_FORMAT =
  '{"<namespace>":"10.0.0.0/24,10.0.1.0/24"} or {"<namespace>":"10.0.0.5-10.0.0.9"}';

function checkVipPools(pools: ReadonlyMap<string, string>, context: SettingContext): Problem[] {
  const problems = [...pools].flatMap(([namespace, pool]) =>
    isLate(pool) ? [] : checkVipPool(namespace, pool, context),
  );
  return problems.length > 0 ? problems : vipPoolOverlaps(pools);
}

function checkVipPool(namespace: string, pool: string, context: SettingContext): Problem[] {
  if (pool.includes('-') && pool.includes('/')) {
    return [
      {
        ...vipPlace(namespace, pool),
        message: 'cannot mix ranges and CIDRs',
        says: `invalid Pool value ${pool} of ${namespace}, error: IP Range and CIDR cannot be used together`,
      },
    ];
  }
  return pool.split(',').flatMap((entry) => checkVipEntry(namespace, pool, entry, context));
}

function vipPlace(namespace: string, pool: string): Pick<Problem, 'path' | 'value' | 'fix'> {
  return { path: `value.${namespace}`, value: pool, fix: `give ${VIP_FORMAT}` };
}

function checkVipEntry(
  namespace: string,
  pool: string,
  entry: string,
  context: SettingContext,
): Problem[] {
  const at = vipPlace(namespace, pool);
  const ends = entry.split('-');
  if (entry.startsWith('-') || entry.endsWith('-') || ends.length > 2) {
    return [
      {
        ...at,
        message: 'must be ranges <first>-<last>',
        says: `invalid IP Range value ${pool} of ${namespace}`,
      },
    ];
  }
  if (ends.length > 1) {
    return checkVipRange(namespace, pool, ends, context);
  }
  if (parseCidr(entry)) {
    return [];
  }
  return [
    {
      ...at,
      message: 'must be networks in CIDR form',
      says: `invalid CIDR value ${pool} of ${namespace}, error: invalid CIDR address: ${entry}`,
    },
  ];
}

function checkVipRange(
  namespace: string,
  pool: string,
  ends: readonly string[],
  context: SettingContext,
): Problem[] {
  const at = vipPlace(namespace, pool);
  const says = `invalid IP value ${pool} of ${namespace}`;
  const [start, end] = ends.map(parseIp);
  if (!start || !end) {
    return [{ ...at, message: 'must have an IP address at both ends of a range', says }];
  }
  if (!isIpv4(start) || !isIpv4(end)) {
    const problem: Problem = { ...at, message: 'must have ranges of IPv4', says };
    // dual stack accepts a range of IPv6 if both ends are of IPv6
    return isIpv4(start) === isIpv4(end) && context.atLeast(DUAL_STACK_SINCE) !== false
      ? [warn(problem)]
      : [problem];
  }
  if (start.bits <= end.bits) {
    return [];
  }
  return [
    warn({
      ...at,
      message: 'must have the lower address of a range first',
      fix: 'give the lower address first',
    }),
  ];
}

function vipPoolOverlaps(pools: ReadonlyMap<string, string>): Problem[] {
  const spans = [...pools]
    .filter(([, pool]) => !isLate(pool))
    .flatMap(([namespace, pool]) =>
      pool.split(',').map((entry) => {
        const cidr = parseCidr(entry);
        const [start, end] = cidr
          ? [cidr.first, cidr.last]
          : entry.split('-').map((text) => parseIp(text)?.bits ?? 0n);
        return { namespace, entry, start: start!, end: end! };
      }),
    );
  return spans.flatMap((span, index) => {
    const other = spans
      .slice(0, index)
      .find(({ start, end }) => span.start <= end && start <= span.end);
    if (other) {
      return [
        warn({
          path: `value.${span.namespace}`,
          value: span.entry,
          message: `cannot overlap ${other.entry} of ${other.namespace}: an address is assigned twice`,
          fix: 'give each address to one pool',
        }),
      ];
    }
    return [];
  });
}

const NTP_FORMAT = '{"ntpServers":["0.pool.ntp.org","10.0.0.1"]}';

function checkNtp({ ntpServers }: { readonly ntpServers?: readonly string[] }): Problem[] {
  if (ntpServers === undefined) {
    return [
      {
        path: 'value.ntpServers',
        message: 'is missing',
        fix: `give ${NTP_FORMAT}, or "" for no servers`,
        says: "NTP servers can't be nil",
      },
    ];
  }
  const seen = new Set<string>();
  return ntpServers.flatMap((server, index): Problem[] => {
    const isFirst = !seen.has(server);
    seen.add(server);
    const at = {
      path: `value.ntpServers[${index}]`,
      value: server,
      message: 'must be a host name or an IP address',
      fix: 'give a host name or an IP address',
    };
    if (isLate(server)) {
      return [];
    }
    if (/^https?:\/\//.test(server)) {
      return [{ ...at, says: `ntp server ${server} should not start with http:// or https://` }];
    }
    if (!isFirst) {
      return [
        {
          ...at,
          message: 'must be given once',
          fix: 'remove one of them',
          says: `duplicate NTP server: [${server}]`,
        },
      ];
    }
    if (server === '') {
      return [warn(at)];
    }
    // the server's expression takes a long time for some texts; this one accepts the same ones at
    // once
    const name = /^[-a-zA-Z0-9_]+(\.[-a-zA-Z0-9_]+)*\.?$/.test(server);
    return name || parseIp(server) ? [] : [{ ...at, says: `invalid NTP server: ${server}` }];
  });
}

/** The settings that list addresses. */
export const ADDRESS_FAMILY = {
  'vip-pools': settingEntry<{ readonly [namespace: string]: readonly string[] }>({
    what: 'addresses of load balancers by namespace; deprecated in favor of IP pools',
    format: VIP_FORMAT,
    judgesDefault: 'always',
    carriesGuests: true,
    print: (pools) =>
      Object.fromEntries(
        Object.entries(pools).map(([namespace, entries]) => [namespace, entries.join(',')]),
      ),
    adopt: readJson((pools) =>
      Object.fromEntries(
        Object.entries(pools).map(([namespace, entries]) => [namespace, entries.split(',')]),
      ),
    ),
    controller: syncer({ value: '{}' }),
    source: 'harvester/harvester:pkg/controller/master/setting/vip_pools_config.go ValidateCIDRs',
    check: json<ReadonlyMap<string, string> | undefined>({
      type: map(STRING),
      judge: (pools, context) => checkVipPools(pools ?? new Map(), context),
    }),
  }),
  'ntp-servers': settingEntry<readonly string[]>({
    since: '1.2.0',
    what: 'the time servers of all nodes',
    format: NTP_FORMAT,
    judgesDefault: 'always',
    print: (ntpServers) => ({ ntpServers }),
    adopt: readJson(({ ntpServers }) => ntpServers),
    controller: syncer({ value: '{"ntpServers":[]}', until: '1.4.0' }),
    source: VALIDATOR,
    check: json<{ readonly ntpServers?: readonly string[] }>({
      type: goStruct({ ntpServers: slice(STRING) }),
      judge: checkNtp,
    }),
  }),
};

/**
 * A network for some of Harvester's own traffic.
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

/**
 * The version whose networks may have a second range, of IPv6. Not released when this was written.
 */
export const DUAL_STACK_SINCE = '1.9.0';

const MIN_PREFIX = 16;
const SINGLE_STACK = {
  clusterNetwork: STRING,
  vlan: UINT16,
  exclusiveVlan: BOOL,
  range: STRING,
  exclude: slice(STRING),
};

/** The type of a network, by version. */
export function networkType(context: SettingContext): GoType {
  return goStruct(
    context.atLeast(DUAL_STACK_SINCE) === false
      ? SINGLE_STACK
      : { ...SINGLE_STACK, rangeV6: STRING, rangeV6Start: STRING, rangeV6End: STRING },
  );
}

/** The problems of a network, at the path of the network. */
export function checkNetwork(
  path: string,
  config: NetworkConfig,
  context: SettingContext,
): Problem[] {
  return [
    ...checkVlan(path, config),
    ...checkClusterNetwork(path, config),
    ...checkRange(path, config, context),
    ...checkRangeV6(path, config),
  ];
}

function checkVlan(path: string, { vlan, clusterNetwork }: NetworkConfig): Problem[] {
  const at = { path: `${path}.vlan`, value: vlan };
  if (vlan > 4094) {
    return [
      {
        ...at,
        message: 'must be a VLAN ID from 0 to 4094',
        fix: 'give 0 (untagged) to 4094',
        says: 'the valid value range for VLAN IDs is 0 to 4094',
      },
    ];
  }
  if (vlan <= 1 && clusterNetwork === MGMT_CLUSTER_NETWORK) {
    return [
      {
        ...at,
        message: `must be a VLAN ID from 2 to 4094 on the cluster network ${MGMT_CLUSTER_NETWORK}, whose untagged VLAN carries the management traffic`,
        fix: 'give 2 to 4094, or another cluster network',
        says: `network with vlan id ${vlan} not allowed on ${MGMT_CLUSTER_NETWORK} cluster`,
      },
    ];
  }
  return [];
}

function checkClusterNetwork(path: string, { clusterNetwork }: NetworkConfig): Problem[] {
  if (clusterNetwork === '') {
    return [
      {
        path: `${path}.clusterNetwork`,
        message: 'is missing',
        fix: 'give the name of a ClusterNetwork that spans all nodes, e.g. mgmt',
        says: 'cluster network  not found because clusternetworks.network.harvesterhci.io "" not found',
      },
    ];
  }
  return [];
}

function checkRange(path: string, config: NetworkConfig, context: SettingContext): Problem[] {
  const { range } = config;
  if (isLate(range)) {
    return [];
  }
  const at = {
    path: `${path}.range`,
    value: range,
    fix: 'give the first address of an IPv4 network and its prefix length, e.g. 192.168.0.0/24',
  };
  const network = parseCidr(range);
  if (!network) {
    return [
      { ...at, message: 'must be a network in CIDR form', says: `invalid CIDR address: ${range}` },
    ];
  }
  if (network.address !== network.first) {
    const whole = printNetwork(network);
    return [
      {
        ...at,
        message: 'must be a network, not an address of it',
        fix: `give ${whole}`,
        says: `range should be subnet CIDR ${whole}`,
      },
    ];
  }
  if (network.prefix < MIN_PREFIX) {
    return [
      {
        ...at,
        message: `must be /${MIN_PREFIX} or smaller`,
        says: `min supported prefix length for network is ${MIN_PREFIX}, include Range PrefixLen received ${network.prefix}`,
      },
    ];
  }
  const v6: Problem[] =
    network.family === 4
      ? []
      : [
          since(DUAL_STACK_SINCE, context, {
            ...at,
            message: 'must be of IPv4',
            says: 'range must be an IPv4 CIDR; use rangeV6 for dual-stack IPv6 (IPv4 Family First)',
          }),
        ];
  return [...v6, ...checkExcludes(path, config, network), ...checkUsable(path, config)];
}

function checkExcludes(path: string, config: NetworkConfig, network: Cidr): Problem[] {
  const { exclude = [] } = config;
  return exclude.flatMap((text, index) =>
    isLate(text)
      ? []
      : checkExclude(`${path}.exclude[${index}]`, text, exclude[index - 1], config, network),
  );
}

function checkExclude(
  path: string,
  text: string,
  previous: string | undefined,
  { range }: NetworkConfig,
  network: Cidr,
): Problem[] {
  const at = {
    path,
    value: text,
    fix: `give a part of ${range} in CIDR form, e.g. one address with /32`,
  };
  const excluded = parseCidr(text);
  const before = previous === undefined ? undefined : parseCidr(previous);
  if (!excluded) {
    return [
      { ...at, message: 'must be a network in CIDR form', says: `invalid CIDR address: ${text}` },
    ];
  }
  if (excluded.prefix < MIN_PREFIX) {
    return [
      {
        ...at,
        message: `must be /${MIN_PREFIX} or smaller`,
        says: `min supported prefix length for network is ${MIN_PREFIX}, exclude Range PrefixLen received ${excluded.prefix}`,
      },
    ];
  }
  if (!overlaps(network, excluded)) {
    return [
      {
        ...at,
        message: 'must be a part of the range',
        says: `exclude range ${text} do not overlap include range ${range}`,
      },
    ];
  }
  if (excluded.prefix <= network.prefix) {
    return [
      {
        ...at,
        message: 'cannot exclude the whole range',
        says: `exclude Range ${text} includes include Range ${range}, no allocatable ip addresses`,
      },
    ];
  }
  if (!before || !overlaps(before, excluded)) {
    return [];
  }
  return [
    {
      ...at,
      message: 'cannot overlap the exclusion before it',
      fix: 'remove one of them',
      says: `exclude ranges have overlapping subnets ${text} ${previous}`,
    },
  ];
}

function checkUsable(path: string, config: NetworkConfig): Problem[] {
  if (usableCount(config) === 0) {
    return [
      warn({
        path: `${path}.range`,
        value: config.range,
        message: 'has no address left for the nodes',
        fix: 'give a larger range, or exclude less',
        says: 'allocatable IP address range is < 1, allocate sufficient range',
      }),
    ];
  }
  return [];
}

function checkRangeV6(path: string, config: NetworkConfig): Problem[] {
  const { rangeV6 } = config;
  if (!rangeV6 || isLate(rangeV6)) {
    return [];
  }
  const network = parseCidr(rangeV6);
  const at = {
    path: `${path}.rangeV6`,
    value: rangeV6,
    fix: 'give the first address of an IPv6 network and its prefix length',
  };
  if (!network) {
    return [
      {
        ...at,
        message: 'must be a network in CIDR form',
        says: `invalid rangeV6: invalid CIDR address: ${rangeV6}`,
      },
    ];
  }
  if (network.family === 4) {
    return [{ ...at, message: 'must be of IPv6', says: 'rangeV6 must be an IPv6 CIDR' }];
  }
  if (network.address !== network.first) {
    return [
      {
        ...at,
        message: 'must be a network, not an address of it',
        says: 'rangeV6 must be a subnet CIDR',
      },
    ];
  }
  return checkWindowV6(at, config, network);
}

/** Checks the addresses of a network of IPv6 that can be assigned. */
function checkWindowV6(
  at: Pick<Problem, 'path' | 'value'>,
  { rangeV6Start: start, rangeV6End: end }: NetworkConfig,
  network: Cidr,
): Problem[] {
  if (!start || !end) {
    return [
      {
        ...at,
        message: 'needs the addresses to use',
        fix: 'give rangeV6Start and rangeV6End',
        says: 'rangeV6Start and rangeV6End are required alongside rangeV6: name one contiguous allocatable window',
      },
    ];
  }
  const [first, last] = [parseIp(start), parseIp(end)];
  const isInside =
    first?.family === 6 &&
    last?.family === 6 &&
    first.bits >= network.first &&
    last.bits <= network.last &&
    first.bits <= last.bits;
  if (isInside) {
    return [];
  }
  return [
    {
      ...at,
      message: 'must contain rangeV6Start to rangeV6End',
      fix: 'give two addresses of the network, the lower one first',
    },
  ];
}

/**
 * The number of addresses of a network, as the webhook counts: without the first and, of IPv4, the
 * last; undefined where the range is not known.
 */
export function usableCount({ range, exclude }: NetworkConfig): number | undefined {
  const network = isLate(range) ? undefined : parseCidr(range);
  if (!network) {
    return undefined;
  }
  const ends = network.family === 4 ? 2n : 1n;
  const total = network.last - network.first + 1n;
  const excluded = (exclude ?? [])
    .map(parseCidr)
    .filter(
      (cidr): cidr is Cidr =>
        cidr !== undefined && overlaps(network, cidr) && cidr.prefix >= network.prefix,
    );
  const left =
    (total > ends ? total - ends : 0n) -
    excluded.reduce((sum, cidr) => sum + cidr.last - cidr.first + 1n, 0n);
  return Number(left > 0n ? left : 0n);
}

/** Whether two networks could assign the same address. */
export function shareAddresses(a: NetworkConfig, b: NetworkConfig): boolean {
  const [one, other] = [parseCidr(a.range), parseCidr(b.range)];
  if (!one || !other || one.family !== other.family) {
    return false;
  }
  // the first address of a network is never assigned, of IPv4 the last one neither
  const lastOf = (cidr: Cidr) => cidr.last - (cidr.family === 4 ? 1n : 0n);
  let from = (one.first > other.first ? one.first : other.first) + 1n;
  const to = lastOf(one) < lastOf(other) ? lastOf(one) : lastOf(other);
  const excluded = [...(a.exclude ?? []), ...(b.exclude ?? [])]
    .map(parseCidr)
    .filter((cidr): cidr is Cidr => cidr?.family === one.family)
    .sort((x, y) => (x.address < y.address ? -1 : 1));
  for (const { address, last } of excluded) {
    // the server begins an exclusion at the address that was written, not at the start of its
    // network
    if (address > from) {
      break;
    }
    if (last >= from) {
      from = last + 1n;
    }
  }
  return from <= to;
}
