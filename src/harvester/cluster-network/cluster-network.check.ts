import { BRIDGE_SUFFIX, MAX_DEVICE_NAME, MGMT_CLUSTER_NETWORK } from './cluster-network.kind';
import { parseCidr, printNetwork } from '../../core/go/go-ip';
import { isLate } from '../../core/late/late-token';
import { isRecord, valueAt, itemsAt } from '../../core/manifest/manifest';
import { checkLabelSelector } from '../../core/problem/label';
import { Problem } from '../../core/problem/problem';
import { matches } from '../../core/rule/kit/values';
import { isBase64 } from '../../core/shape/limits';
import { givenValue, plainText } from '../../core/text/plain-text';

/**
 * Checks a VlanConfig on its own.
 * @see harvester/network-controller-harvester:pkg/webhook/vlanconfig/validator.go; pkg/apis/network.harvesterhci.io/v1beta1/vlanconfig.go
 */
export function* checkVlanConfig(spec: { readonly [field: string]: unknown }): Iterable<Problem> {
  const { clusterNetwork, uplink } = spec;
  yield* checkClusterNetworkName('spec.clusterNetwork', clusterNetwork);
  if (clusterNetwork === MGMT_CLUSTER_NETWORK) {
    yield {
      path: 'spec.clusterNetwork',
      value: clusterNetwork,
      message: 'cannot have a VlanConfig: its uplinks come from the installer',
      fix: 'declare a ClusterNetwork',
      says: `users can't create vlanConfig for ${MGMT_CLUSTER_NETWORK} cluster network`,
    };
  }
  if (!isRecord(uplink)) {
    return;
  }
  yield* checkNics(uplink.nics);
  yield* HARDWARE_ADDRESS(
    'spec.uplink.linkAttributes.hardwareAddr',
    valueAt(uplink, 'linkAttributes', 'hardwareAddr'),
  );
  yield* checkMtu('spec.uplink.linkAttributes.mtu', valueAt(uplink, 'linkAttributes', 'mtu'));
}

/** A field that Go reads into bytes. */
const HARDWARE_ADDRESS = matches(isBase64, {
  message: 'must be the base64 of the bytes of a MAC address',
  fix: 'write e.g. UlQAEjRW for 52:54:00:12:34:56, or remove it',
  says: 'illegal base64 data at input byte',
});

const MAC = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i;

/** Checks the MAC address of a bond. */
export function checkBondAddress(path: string, address: string | undefined): Problem[] {
  return address === undefined || MAC.test(address)
    ? []
    : [
        {
          path,
          value: address,
          message: 'must be a MAC address',
          fix: 'set six pairs of hexadecimal digits with colons, e.g. 52:54:00:12:34:56',
        },
      ];
}

/**
 * A MAC address as VlanConfig has it: the base64 of its bytes.
 * @see harvester/network-controller-harvester:pkg/apis/network.harvesterhci.io/v1beta1/vlanconfig.go LinkAttrs
 */
export function hardwareAddress(address: string): string {
  return Buffer.from(address.replaceAll(':', ''), 'hex').toString('base64');
}

/** The MAC address in a VlanConfig; undefined where there is none. */
export function macAddressOf(bytes: unknown): string | undefined {
  return typeof bytes === 'string' && bytes !== ''
    ? Buffer.from(bytes, 'base64')
        .toString('hex')
        .replace(/..(?!$)/g, '$&:')
    : undefined;
}

// the server accepts an uplink without interfaces, but the network never becomes ready on the nodes
function* checkNics(nics: unknown): Iterable<Problem> {
  const path = 'spec.uplink.nics';
  const names = itemsAt(nics);
  if (names.length === 0) {
    yield {
      path,
      level: 'warning',
      message: 'must contain an interface: otherwise the cluster network has no uplink',
      fix: 'add the interfaces of the nodes, e.g. enp2s0',
    };
  }
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) !== index) {
      yield {
        path: `${path}[${index}]`,
        value: name,
        level: 'warning',
        message: 'must be unique',
        fix: 'list each interface once',
      };
    }
  }
}

/** The sources of a host's address. */
export const HOST_NETWORK_MODE = { STATIC: 'static', DHCP: 'dhcp' } as const;

/**
 * Checks a HostNetworkConfig on its own.
 * @see harvester/network-controller-harvester:pkg/webhook/hostnetworkconfig/validator.go; pkg/utils/bridge.go IsHostNetworkIntfNameValid
 */
export function* checkHostNetworkConfig(spec: {
  readonly [field: string]: unknown;
}): Iterable<Problem> {
  const { clusterNetwork, vlanID: vlan, mode, ips } = spec;
  yield* checkClusterNetworkName('spec.clusterNetwork', clusterNetwork);
  yield* checkVlan(clusterNetwork, vlan);
  yield* checkLabelSelector('spec.nodeSelector', spec.nodeSelector);
  const entries = isRecord(ips) ? Object.entries(ips) : [];
  if (mode === HOST_NETWORK_MODE.DHCP && entries.length > 0) {
    yield {
      path: 'spec.ips',
      level: 'warning',
      message: 'has no effect in the mode dhcp',
      fix: 'remove ips, or set the mode static',
    };
  }
  yield* checkAddresses(entries);
}

function* checkVlan(clusterNetwork: unknown, vlan: unknown): Iterable<Problem> {
  if (typeof vlan !== 'number') {
    return;
  }
  const device = `${plainText(clusterNetwork)}${BRIDGE_SUFFIX}.${String(vlan)}`;
  if (
    typeof clusterNetwork === 'string' &&
    !isLate(clusterNetwork) &&
    device.length > MAX_DEVICE_NAME
  ) {
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
    if (typeof text !== 'string' || isLate(text)) {
      continue;
    }
    const path = `spec.ips[${node}]`;
    const cidr = parseCidr(text);
    if (!cidr) {
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
    if (holder !== undefined) {
      yield {
        path,
        value: text,
        level: 'warning',
        message: `must be unique: ${holder} has this address`,
        fix: 'use a different address for each node',
      };
    }
    holders.set(`${cidr.family} ${cidr.address}`, node);
  }
}

/**
 * The default MTU of a cluster network.
 * @see harvester/network-controller-harvester:pkg/utils/consts.go DefaultMTU
 */
export const DEFAULT_MTU = 1500;

const MIN = 576;
const MAX = 9000;

/**
 * Checks the MTU of a cluster network. 0 is the default.
 * @see harvester/network-controller-harvester:pkg/utils/mtu.go IsValidMTU
 */
export function* checkMtu(path: string, mtu: unknown): Iterable<Problem> {
  if (mtu === undefined || mtu === null || mtu === 0 || isLate(mtu)) {
    return;
  }
  if (!Number.isInteger(mtu) || Number(mtu) < MIN || Number(mtu) > MAX) {
    yield {
      path,
      value: mtu,
      message: `must be ${MIN} to ${MAX}`,
      fix: `set an MTU, or remove it for ${DEFAULT_MTU}`,
      says: `the MTU ${plainText(mtu)} is out of range [0, ${MIN}..${MAX}]`,
    };
  }
}

/** The MTU in effect. */
export function effectiveMtu(mtu: unknown): number {
  return typeof mtu === 'number' && mtu !== 0 ? mtu : DEFAULT_MTU;
}

const MAX_LENGTH = MAX_DEVICE_NAME - BRIDGE_SUFFIX.length;

/**
 * Checks the name of a cluster network, which with the suffix `-br` names a Linux bridge.
 * @see harvester/network-controller-harvester:pkg/utils/clusternetwork.go IsClusterNetworkNameValid
 */
export function* checkClusterNetworkName(path: string, name: unknown): Iterable<Problem> {
  if (isLate(name)) {
    return;
  }
  if (typeof name !== 'string' || name === '') {
    yield {
      path,
      ...givenValue(name),
      message: 'must be the name of a cluster network',
      fix: `set a name such as ${MGMT_CLUSTER_NETWORK}`,
    };
  } else if (Buffer.byteLength(name) > MAX_LENGTH) {
    yield {
      path,
      value: name,
      message: `must have at most ${MAX_LENGTH} characters: the name of the bridge ${name}${BRIDGE_SUFFIX} may have ${MAX_DEVICE_NAME}`,
      fix: 'choose a shorter name',
      says: `the length of the clusterNetwork name ${name} is more than ${MAX_LENGTH}`,
    };
  }
}
