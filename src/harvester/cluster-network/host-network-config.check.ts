import { checkClusterNetworkName } from './cluster-network.check';
import { BRIDGE_SUFFIX, MAX_DEVICE_NAME } from './cluster-network.kind';
import { parseCidr, printNetwork } from '../../core/go/go-ip';
import { isLate } from '../../core/late/late-token';
import { isRecord } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { checkLabelSelector } from '../../core/text/label';
import { given, plainText } from '../../core/text/plain-text';

/** How a host gets its address. */
export const HOST_NETWORK_MODE = { STATIC: 'static', DHCP: 'dhcp' } as const;

const MAX_ADDRESSES = 500;
const MAX_VLAN = 4094;

/**
 * What Harvester refuses in a HostNetworkConfig by itself.
 * @see harvester/network-controller-harvester:pkg/webhook/hostnetworkconfig/validator.go; pkg/utils/bridge.go IsHostNetworkIntfNameValid
 */
export function* checkHostNetworkConfig(spec: { readonly [field: string]: unknown }): Iterable<Problem> {
  const { clusterNetwork, vlanID: vlan, mode, ips } = spec;
  yield* checkClusterNetworkName('spec.clusterNetwork', clusterNetwork);
  yield* checkVlan(clusterNetwork, vlan);
  if (!isLate(mode) && mode !== HOST_NETWORK_MODE.STATIC && mode !== HOST_NETWORK_MODE.DHCP) {
    yield { path: 'spec.mode', ...given(mode), message: 'is no way to get addresses', fix: 'use static or dhcp', says: `Unsupported value: "${plainText(mode)}": supported values: "static", "dhcp"` };
  }
  yield* checkLabelSelector('spec.nodeSelector', spec.nodeSelector);
  const entries = isRecord(ips) ? Object.entries(ips) : [];
  if (mode === HOST_NETWORK_MODE.STATIC && entries.length === 0) {
    yield {
      path: 'spec.ips', message: 'is missing, and the mode is static', fix: 'give each node its address in CIDR form', says: 'spec.ips must be specified and non-empty when mode is static',
    };
  }
  if (entries.length > MAX_ADDRESSES) {
    yield { path: 'spec.ips', message: `has ${entries.length} entries`, fix: `give up to ${MAX_ADDRESSES}`, says: `must have at most ${MAX_ADDRESSES} items` };
  }
  if (mode === HOST_NETWORK_MODE.DHCP && entries.length > 0) {
    yield { path: 'spec.ips', level: 'warning', message: 'does nothing in the mode dhcp', fix: 'leave it out, or use the mode static' };
  }
  yield* checkAddresses(entries);
}

function* checkVlan(clusterNetwork: unknown, vlan: unknown): Iterable<Problem> {
  if (isLate(vlan)) { return; }
  if (typeof vlan !== 'number' || !Number.isInteger(vlan) || vlan < 1 || vlan > MAX_VLAN) {
    const bound = typeof vlan === 'number' && vlan > MAX_VLAN ? `less than or equal to ${MAX_VLAN}` : 'greater than or equal to 1';
    yield { path: 'spec.vlanID', ...given(vlan), message: 'is no VLAN', fix: `use 1 to ${MAX_VLAN}`, says: `spec.vlanID in body should be ${bound}` };
    return;
  }
  const device = `${plainText(clusterNetwork)}${BRIDGE_SUFFIX}.${String(vlan)}`;
  if (typeof clusterNetwork === 'string' && !isLate(clusterNetwork) && device.length > MAX_DEVICE_NAME) {
    yield {
      path: 'spec.vlanID',
      value: vlan,
      message: `makes the interface ${device}, which has ${device.length} characters, and Linux takes ${MAX_DEVICE_NAME}`,
      fix: `use a cluster network whose name has up to ${MAX_DEVICE_NAME - device.length + clusterNetwork.length} characters`,
      says: `host network interface name ${device} length ${device.length} is more than ${MAX_DEVICE_NAME}`,
    };
  }
}

// the server compares the addresses of the nodes that it has; those that are given here are what it will find
function* checkAddresses(entries: readonly (readonly [string, unknown])[]): Iterable<Problem> {
  let first: { readonly node: string; readonly network: string } | undefined;
  const holders = new Map<string, string>();
  for (const [node, text] of entries) {
    if (typeof text !== 'string' || isLate(text)) { continue; }
    const path = `spec.ips[${node}]`;
    const cidr = parseCidr(text);
    if (!cidr) {
      yield { path, value: text, message: 'is no address in CIDR form', fix: 'give the address with the length of its network, e.g. 10.20.0.11/24', says: 'Invalid CIDR format' };
      continue;
    }
    const network = printNetwork(cidr);
    first ??= { node, network };
    if (network !== first.network) {
      yield {
        path,
        value: text,
        // of nodes that are not there or not selected it asks nothing
        level: 'warning',
        message: `lies in ${network}, and the address of ${first.node} in ${first.network}`,
        fix: 'give all nodes addresses of one network',
        says: 'static IPs are not in the same subnet',
      };
    }
    const holder = holders.get(`${cidr.family} ${cidr.address}`);
    if (holder !== undefined) { yield { path, value: text, level: 'warning', message: `is the address of ${holder} too`, fix: 'give each node an address of its own' }; }
    holders.set(`${cidr.family} ${cidr.address}`, node);
  }
}
