import { given } from '../checks/plain-text';
import { parseCidr, parseIp } from '../harvester-settings/go-ip';
import { BOOL, named, STRING, struct, unmarshal } from '../harvester-settings/go-json-decode';
import { isLate } from '../late-token';
import { Problem } from '../problem';

/** What the annotation network.harvesterhci.io/route says. @see harvester/network-controller-harvester:pkg/utils/nad.go Layer3NetworkConf */
export interface RouteConfig {
  readonly mode: string;
  readonly cidr?: string;
  readonly gateway?: string;
  readonly serverIPAddr?: string;
}

const ROUTE = struct('utils.Layer3NetworkConf', {
  mode: named('utils.Mode'), cidr: STRING, gateway: STRING, serverIPAddr: STRING, connectivity: named('utils.Connectivity'), outdated: BOOL,
});

const FIX = 'give {"mode":"auto"}, or {"mode":"manual","cidr":"10.0.0.0/24","gateway":"10.0.0.1"}';

/** The annotation as text, with the keys that are given, in the order in which Harvester writes them. */
export function printRoute({ mode, cidr, gateway, serverIPAddr }: RouteConfig): string {
  return JSON.stringify({ mode, cidr, gateway, serverIPAddr });
}

/** What Harvester refuses as the route of a network. @see harvester/network-controller-harvester:pkg/utils/nad.go NewLayer3NetworkConf */
export function* checkRouteText(path: string, text: unknown): Iterable<Problem> {
  if (typeof text !== 'string' || text === '' || isLate(text)) { return; }
  const result = unmarshal<RouteConfig>(text, ROUTE);
  if ('error' in result) {
    yield { path, value: text, message: 'can not be read', fix: FIX, says: `unmarshal ${text} faield, error: ${result.error}` };
  } else {
    yield* checkRoute(path, result.config);
  }
}

/** The same for a route that is no text yet. */
export function* checkRoute(path: string, { mode, cidr = '', gateway = '', serverIPAddr = '' }: RouteConfig): Iterable<Problem> {
  if (mode !== '' && mode !== 'auto' && mode !== 'manual') {
    yield { path: `${path}.mode`, value: mode, message: 'is no mode of a route', fix: 'use auto or manual', says: `unknown mode ${mode}` };
  }
  // the server asks nothing of it, and its DHCP helper fails
  if (serverIPAddr !== '' && !isLate(serverIPAddr) && !parseIp(serverIPAddr)) {
    yield { path: `${path}.serverIPAddr`, value: serverIPAddr, level: 'warning', message: 'is no address of a DHCP server', fix: 'give an address, or leave it out to ask all servers' };
  }
  if (mode !== 'manual') { return; }
  const network = parseCidr(cidr);
  if (!isLate(cidr) && (!network || network.prefix === 0)) {
    yield { path: `${path}.cidr`, ...given(cidr), message: 'is no range of addresses', fix: 'give it in CIDR form, e.g. 10.0.0.0/24', says: `the CIDR ${cidr} is invalid` };
  }
  const address = parseIp(gateway);
  if (!isLate(gateway) && !address) {
    yield { path: `${path}.gateway`, ...given(gateway), message: 'is no address', fix: 'give the address of the gateway', says: `the gateway ${gateway} is invalid` };
  } else if (network && address && network.family === address.family && (address.bits < network.first || address.bits > network.last)) {
    yield { path: `${path}.gateway`, value: gateway, level: 'warning', message: `lies outside of ${cidr}, so nothing reaches it`, fix: 'give an address of that range' };
  }
}
