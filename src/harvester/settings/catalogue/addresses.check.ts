import { SettingContext, SettingEntry, VALIDATOR, jsonCheck, syncer, warn } from './entry';
import { DUAL_STACK_SINCE } from './networks.check';
import { isIpv4, parseCidr, parseIp } from '../../../core/go/go-ip';
import { STRING, map, slice, struct } from '../../../core/go/go-json-decode';
import { isLate } from '../../../core/late/late-token';
import { Problem } from '../../../core/rule/problem';
import { SETTING } from '../harvester-setting.kind';

const VIP_FORMAT = '{"<namespace>":"10.0.0.0/24,10.0.1.0/24"} or {"<namespace>":"10.0.0.5-10.0.0.9"}';

function checkVipPools(pools: ReadonlyMap<string, string>, context: SettingContext): Problem[] {
  const problems = [...pools].flatMap(([namespace, pool]) => (isLate(pool) ? [] : checkVipPool(namespace, pool, context)));
  return problems.length > 0 ? problems : vipPoolOverlaps(pools);
}

function checkVipPool(namespace: string, pool: string, context: SettingContext): Problem[] {
  const at = { path: `value.${namespace}`, value: pool, fix: `give ${VIP_FORMAT}` };
  if (pool.includes('-') && pool.includes('/')) {
    return [{ ...at, message: 'mixes ranges and CIDRs', says: `invalid Pool value ${pool} of ${namespace}, error: IP Range and CIDR cannot be used together` }];
  }
  return pool.split(',').flatMap((entry): Problem[] => {
    const ends = entry.split('-');
    if (entry.startsWith('-') || entry.endsWith('-') || ends.length > 2) {
      return [{ ...at, message: 'holds a range that is none', says: `invalid IP Range value ${pool} of ${namespace}` }];
    }
    if (ends.length === 1) {
      return parseCidr(entry) ? [] : [{
        ...at, message: 'holds a part that is no CIDR', says: `invalid CIDR value ${pool} of ${namespace}, error: invalid CIDR address: ${entry}`,
      }];
    }
    const [start, end] = ends.map(parseIp);
    if (!start || !end) { return [{ ...at, message: 'holds an end of a range that is no address', says: `invalid IP value ${pool} of ${namespace}` }]; }
    if (!isIpv4(start) || !isIpv4(end)) {
      const problem: Problem = { ...at, message: 'holds a range that is not of IPv4', says: `invalid IP value ${pool} of ${namespace}` };
      // dual stack lets a range be of IPv6 as long as both ends are
      return isIpv4(start) === isIpv4(end) && context.atLeast(DUAL_STACK_SINCE) !== false ? [warn(problem)] : [problem];
    }
    return start.bits <= end.bits ? [] : [warn({ ...at, message: 'holds a range that ends before it starts', fix: 'give the lower address first' })];
  });
}

function vipPoolOverlaps(pools: ReadonlyMap<string, string>): Problem[] {
  const spans = [...pools].filter(([, pool]) => !isLate(pool)).flatMap(([namespace, pool]) => pool.split(',').map((entry) => {
    const cidr = parseCidr(entry);
    const [start, end] = cidr ? [cidr.first, cidr.last] : entry.split('-').map((text) => parseIp(text)?.bits ?? 0n);
    return { namespace, entry, start: start!, end: end! };
  }));
  return spans.flatMap((span, index) => {
    const other = spans.slice(0, index).find(({ start, end }) => span.start <= end && start <= span.end);
    return other ? [warn({
      path: `value.${span.namespace}`,
      value: span.entry,
      message: `overlaps ${other.entry} of ${other.namespace}, so that one address is given out twice`,
      fix: 'give every address to one pool',
    })] : [];
  });
}

const NTP_FORMAT = '{"ntpServers":["0.pool.ntp.org","10.0.0.1"]}';

function checkNtp({ ntpServers }: { readonly ntpServers?: readonly string[] }): Problem[] {
  if (ntpServers === undefined) {
    return [{ path: 'value.ntpServers', message: 'is missing', fix: `give ${NTP_FORMAT}, or "" for none`, says: 'NTP servers can\'t be nil' }];
  }
  return ntpServers.flatMap((server, index): Problem[] => {
    const at = { path: `value.ntpServers[${index}]`, value: server, fix: 'give a host name or an IP address' };
    if (isLate(server)) { return []; }
    if (/^https?:\/\//.test(server)) { return [{ ...at, message: 'is a URL', says: `ntp server ${server} should not start with http:// or https://` }]; }
    if (ntpServers.indexOf(server) < index) { return [{ ...at, message: 'is given twice', fix: 'leave one of them out', says: `duplicate NTP server: [${server}]` }]; }
    if (server === '') { return [warn({ ...at, message: 'is empty' })]; }
    // the server's expression takes a long time for some texts; this one takes the same ones at once
    const name = /^[-a-zA-Z0-9_]+(\.[-a-zA-Z0-9_]+)*\.?$/.test(server);
    return name || parseIp(server) ? [] : [{ ...at, message: 'is no host name and no IP address', says: `invalid NTP server: ${server}` }];
  });
}

export const ADDRESS_FAMILY: readonly SettingEntry[] = [
  {
    name: SETTING.VIP_POOLS,
    what: 'addresses for load balancers by namespace; deprecated, use IP pools',
    format: VIP_FORMAT,
    default: '',
    judgesDefault: 'always',
    level: 'error',
    controller: syncer({ value: '{}' }),
    source: 'harvester/harvester:pkg/controller/master/setting/vip_pools_config.go ValidateCIDRs',
    check: jsonCheck<ReadonlyMap<string, string> | undefined>({
      format: VIP_FORMAT, type: map(STRING), judge: (pools, context) => checkVipPools(pools ?? new Map(), context),
    }),
  },
  {
    name: SETTING.NTP_SERVERS,
    since: '1.2.0',
    what: 'the time servers of all nodes',
    format: NTP_FORMAT,
    default: '',
    judgesDefault: 'always',
    level: 'error',
    controller: syncer({ value: '{"ntpServers":[]}', until: '1.4.0' }),
    source: VALIDATOR,
    check: jsonCheck<{ readonly ntpServers?: readonly string[] }>({
      format: NTP_FORMAT, type: struct('util.NTPSettings', { ntpServers: slice(STRING) }), says: (error) => `failed to parse NTP settings: ${error}`, judge: checkNtp,
    }),
  },
];
