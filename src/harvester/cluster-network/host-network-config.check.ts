import { checkClusterNetworkName } from './cluster-network.check';
import { BRIDGE_SUFFIX, MAX_DEVICE_NAME } from './cluster-network.kind';
import { parseCidr, printNetwork } from '../../core/go/go-ip';
import { isLate } from '../../core/late/late-token';
import { isRecord } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { checkLabelSelector } from '../../core/text/label';
import { given, plainText } from '../../core/text/plain-text';

/** The sources of a host's address. */
export const HOST_NETWORK_MODE = { STATIC: 'static', DHCP: 'dhcp' } as const;

const MAX_ADDRESSES = 500;
const MAX_VLAN = 4094;

/**
 * Checks a HostNetworkConfig on its own.
 * @see harvester/network-controller-harvester:pkg/webhook/hostnetworkconfig/validator.go; pkg/utils/bridge.go IsHostNetworkIntfNameValid
 */
export function* checkHostNetworkConfig(spec: { readonly [field: string]: unknown }): Iterable<Problem> {
  const { clusterNetwork, vlanID: vlan, mode, ips } = spec;
  yield* checkClusterNetworkName('spec.clusterNetwork', clusterNetwork);
  yield* checkVlan(clusterNetwork, vlan);
  if (!isLate(mode) && mode !== HOST_NETWORK_MODE.STATIC && mode !== HOST_NETWORK_MODE.DHCP) {
    yield { path: 'spec.mode', ...given(mode), message: 'must be static or dhcp', fix: 'choose a mode', says: `Unsupported value: "${plainText(mode)}": supported values: "static", "dhcp"` };
  }
  yield* checkLabelSelector('spec.nodeSelector', spec.nodeSelector);
  const entries = isRecord(ips) ? Object.entries(ips) : [];
  if (mode === HOST_NETWORK_MODE.STATIC && entries.length === 0) {
    yield {
      path: 'spec.ips', message: 'must be set for the mode static', fix: 'set the address of each node as a CIDR', says: 'spec.ips must be specified and non-empty when mode is static',
    };
  }
  if (entries.length > MAX_ADDRESSES) {
    yield { path: 'spec.ips', message: `must have at most ${MAX_ADDRESSES} entries, got ${entries.length}`, fix: 'remove entries', says: `must have at most ${MAX_ADDRESSES} items` };
  }
  if (mode === HOST_NETWORK_MODE.DHCP && entries.length > 0) {
    yield { path: 'spec.ips', level: 'warning', message: 'has no effect in the mode dhcp', fix: 'remove ips, or set the mode static' };
  }
  yield* checkAddresses(entries);
}

function* checkVlan(clusterNetwork: unknown, vlan: unknown): Iterable<Problem> {
  if (isLate(vlan)) { return; }
  if (typeof vlan !== 'number' || !Number.isInteger(vlan) || vlan < 1 || vlan > MAX_VLAN) {
    const bound = typeof vlan === 'number' && vlan > MAX_VLAN ? `less than or equal to ${MAX_VLAN}` : 'greater than or equal to 1';
    yield { path: 'spec.vlanID', ...given(vlan), message: `must be 1 to ${MAX_VLAN}`, fix: 'set a VLAN ID', says: `spec.vlanID in body should be ${bound}` };
    return;
  }
  const device = `${plainText(clusterNetwork)}${BRIDGE_SUFFIX}.${String(vlan)}`;
  if (typeof clusterNetwork === 'string' && !isLate(clusterNetwork) && device.length > MAX_DEVICE_NAME) {
    yield {
      path: 'spec.vlanID',
      value: vlan,
      message: `cannot be used: the name of the interface ${device} may have at most ${MAX_DEVICE_NAME} characters`,
      fix: `use a cluster network whose name has at most ${MAX_DEVICE_NAME - device.length + clusterNetwork.length} characters`,
      says: `host network interface name ${device} length ${device.length} is more than ${MAX_DEVICE_NAME}`,
    };
  }
}

// the server compares the addresses of existing nodes, which will be these
function* checkAddresses(entries: readonly (readonly [string, unknown])[]): Iterable<Problem> {
  let first: { readonly node: string; readonly network: string } | undefined;
  const holders = new Map<string, string>();
  for (const [node, text] of entries) {
    if (typeof text !== 'string' || isLate(text)) { continue; }
    const path = `spec.ips[${node}]`;
    const cidr = parseCidr(text);
    if (!cidr) {
      yield { path, value: text, message: 'must be a CIDR', fix: 'set the address with its prefix length, e.g. 10.20.0.11/24', says: 'Invalid CIDR format' };
      continue;
    }
    const network = printNetwork(cidr);
    first ??= { node, network };
    if (network !== first.network) {
      yield {
        path,
        value: text,
        // it ignores nodes that do not exist or are not selected
        level: 'warning',
        message: `must be in ${first.network}, the network of ${first.node}`,
        fix: 'use addresses in one network for all nodes',
        says: 'static IPs are not in the same subnet',
      };
    }
    const holder = holders.get(`${cidr.family} ${cidr.address}`);
    if (holder !== undefined) { yield { path, value: text, level: 'warning', message: `must be unique, and ${holder} has this address`, fix: 'use a different address for each node' }; }
    holders.set(`${cidr.family} ${cidr.address}`, node);
  }
}
