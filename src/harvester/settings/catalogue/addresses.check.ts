import { DUAL_STACK_SINCE } from './network-range.check';
import { isIpv4, parseCidr, parseIp } from '../../../core/go/go-ip';
import { STRING, map, slice, struct } from '../../../core/go/go-json';
import { isLate } from '../../../core/late/late-token';
import { Problem } from '../../../core/rule/problem';
import { SettingContext, VALIDATOR, json, setting, syncer, warn } from '../setting-entry.check';

const VIP_FORMAT = '{"<namespace>":"10.0.0.0/24,10.0.1.0/24"} or {"<namespace>":"10.0.0.5-10.0.0.9"}';

function checkVipPools(pools: ReadonlyMap<string, string>, context: SettingContext): Problem[] {
  const problems = [...pools].flatMap(([namespace, pool]) => (isLate(pool) ? [] : checkVipPool(namespace, pool, context)));
  return problems.length > 0 ? problems : vipPoolOverlaps(pools);
}

function checkVipPool(namespace: string, pool: string, context: SettingContext): Problem[] {
  const at = { path: `value.${namespace}`, value: pool, fix: `give ${VIP_FORMAT}` };
  if (pool.includes('-') && pool.includes('/')) {
    return [{ ...at, message: 'cannot mix ranges and CIDRs', says: `invalid Pool value ${pool} of ${namespace}, error: IP Range and CIDR cannot be used together` }];
  }
  return pool.split(',').flatMap((entry): Problem[] => {
    const ends = entry.split('-');
    if (entry.startsWith('-') || entry.endsWith('-') || ends.length > 2) {
      return [{ ...at, message: 'must be ranges <first>-<last>', says: `invalid IP Range value ${pool} of ${namespace}` }];
    }
    if (ends.length === 1) {
      return parseCidr(entry) ? [] : [{ ...at, message: 'must be networks in CIDR form', says: `invalid CIDR value ${pool} of ${namespace}, error: invalid CIDR address: ${entry}` }];
    }
    const [start, end] = ends.map(parseIp);
    if (!start || !end) { return [{ ...at, message: 'must have an IP address at both ends of a range', says: `invalid IP value ${pool} of ${namespace}` }]; }
    if (!isIpv4(start) || !isIpv4(end)) {
      const problem: Problem = { ...at, message: 'must have ranges of IPv4', says: `invalid IP value ${pool} of ${namespace}` };
      // dual stack accepts a range of IPv6 if both ends are of IPv6
      return isIpv4(start) === isIpv4(end) && context.atLeast(DUAL_STACK_SINCE) !== false ? [warn(problem)] : [problem];
    }
    return start.bits <= end.bits ? [] : [warn({ ...at, message: 'must have the lower address of a range first', fix: 'give the lower address first' })];
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
      message: `cannot overlap ${other.entry} of ${other.namespace}: an address is assigned twice`,
      fix: 'give each address to one pool',
    })] : [];
  });
}

const NTP_FORMAT = '{"ntpServers":["0.pool.ntp.org","10.0.0.1"]}';

function checkNtp({ ntpServers }: { readonly ntpServers?: readonly string[] }): Problem[] {
  if (ntpServers === undefined) {
    return [{ path: 'value.ntpServers', message: 'is missing', fix: `give ${NTP_FORMAT}, or "" for no servers`, says: 'NTP servers can\'t be nil' }];
  }
  return ntpServers.flatMap((server, index): Problem[] => {
    const at = { path: `value.ntpServers[${index}]`, value: server, message: 'must be a host name or an IP address', fix: 'give a host name or an IP address' };
    if (isLate(server)) { return []; }
    if (/^https?:\/\//.test(server)) { return [{ ...at, says: `ntp server ${server} should not start with http:// or https://` }]; }
    if (ntpServers.indexOf(server) < index) {
      return [{ ...at, message: 'must be given once', fix: 'remove one of them', says: `duplicate NTP server: [${server}]` }];
    }
    if (server === '') { return [warn(at)]; }
    // the server's expression takes a long time for some texts; this one accepts the same ones at once
    const name = /^[-a-zA-Z0-9_]+(\.[-a-zA-Z0-9_]+)*\.?$/.test(server);
    return name || parseIp(server) ? [] : [{ ...at, says: `invalid NTP server: ${server}` }];
  });
}

/** The settings that list addresses. */
export const ADDRESS_FAMILY = {
  'vip-pools': setting<{ readonly [namespace: string]: readonly string[] }>({
    what: 'addresses of load balancers by namespace; deprecated in favor of IP pools',
    format: VIP_FORMAT,
    default: '',
    judgesDefault: 'always',
    level: 'error',
    carriesGuests: true,
    print: (pools) => Object.fromEntries(Object.entries(pools).map(([namespace, entries]) => [namespace, entries.join(',')])),
    controller: syncer({ value: '{}' }),
    source: 'harvester/harvester:pkg/controller/master/setting/vip_pools_config.go ValidateCIDRs',
    check: json<ReadonlyMap<string, string> | undefined>({
      type: map(STRING), judge: (pools, context) => checkVipPools(pools ?? new Map(), context),
    }),
  }),
  'ntp-servers': setting<readonly string[]>({
    since: '1.2.0',
    what: 'the time servers of all nodes',
    format: NTP_FORMAT,
    default: '',
    judgesDefault: 'always',
    level: 'error',
    print: (ntpServers) => ({ ntpServers }),
    controller: syncer({ value: '{"ntpServers":[]}', until: '1.4.0' }),
    source: VALIDATOR,
    check: json<{ readonly ntpServers?: readonly string[] }>({ type: struct({ ntpServers: slice(STRING) }), judge: checkNtp }),
  }),
};
