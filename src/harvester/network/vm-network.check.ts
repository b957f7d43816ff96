import { CNI, KUBE_OVN_SOCKET, LABEL_NETWORK_TYPE, LABEL_VLAN_ID, NETWORK_TYPE } from './vm-network.kind';
import { parseCidr, parseIp } from '../../core/go/go-ip';
import { ANY, BOOL, INT, STRING, pointer, slice, struct, unmarshal } from '../../core/go/go-json';
import { isLate } from '../../core/late/late-token';
import { Problem } from '../../core/rule/problem';
import { given, plainText } from '../../core/text/plain-text';
import { BRIDGE_SUFFIX, LABEL_CLUSTER_NETWORK, MAX_DEVICE_NAME, MGMT_CLUSTER_NETWORK } from '../cluster-network/cluster-network.kind';

/** One entry of a trunk: a range of VLANs, or one. */
export interface VlanTrunk {
  readonly minID?: number;
  readonly maxID?: number;
  readonly id?: number;
}

/** What a bridge network is made of. */
export interface BridgeNetwork {
  readonly name: string;
  readonly clusterNetwork: string;
  /** Left out: untagged, or a trunk. */
  readonly vlan?: number;
  readonly vlanTrunk?: readonly VlanTrunk[];
  readonly mtu?: number;
}

/** The `spec.config` of a bridge network: keys in the order in which the UI of Harvester writes them, the MTU last, where the server puts it. */
export function bridgeConfig({ name, clusterNetwork, vlan, vlanTrunk, mtu }: BridgeNetwork): string {
  return JSON.stringify({
    cniVersion: CNI.VERSION,
    name,
    type: CNI.BRIDGE,
    bridge: `${clusterNetwork}${BRIDGE_SUFFIX}`,
    promiscMode: true,
    vlan: vlanTrunk ? 0 : vlan,
    ipam: {},
    vlanTrunk,
    mtu,
  });
}

/** The provider of an overlay network, by which subnets of Kube-OVN find it. */
export function overlayProvider(name: string, namespace: string): string {
  return `${name}.${namespace}.ovn`;
}

/** The `spec.config` of an overlay network. */
export function overlayConfig(name: string, namespace: string): string {
  return JSON.stringify({
    cniVersion: CNI.VERSION, name, type: CNI.KUBE_OVN, provider: overlayProvider(name, namespace), server_socket: KUBE_OVN_SOCKET,
  });
}

/** What the annotation network.harvesterhci.io/route says. @see harvester/network-controller-harvester:pkg/utils/nad.go Layer3NetworkConf */
export interface RouteConfig {
  readonly mode: string;
  readonly cidr?: string;
  readonly gateway?: string;
  readonly serverIPAddr?: string;
}

const ROUTE = struct({
  mode: STRING, cidr: STRING, gateway: STRING, serverIPAddr: STRING, connectivity: STRING, outdated: BOOL,
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
    yield { path, value: text, message: `cannot be read: ${result.error}`, fix: FIX };
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

const MAX_VLAN = 4094;
const PATH = 'spec.config';

/** What Harvester reads of the config of a network. @see harvester/network-controller-harvester:pkg/utils/nad.go NetConf */
export interface NetConf {
  readonly name: string;
  readonly type: string;
  readonly bridge: string;
  readonly vlan: number;
  readonly vlanTrunk?: readonly (VlanTrunk | undefined)[];
  readonly mtu: number;
  readonly provider: string;
}

const TRUNK = struct({ minID: pointer(INT), maxID: pointer(INT), id: pointer(INT) });
const CONF = struct({
  cniVersion: STRING,
  name: STRING,
  type: STRING,
  capabilities: ANY,
  ipam: ANY,
  dns: ANY,
  bridge: STRING,
  isGateway: BOOL,
  isDefaultGateway: BOOL,
  forceAddress: BOOL,
  ipMasq: BOOL,
  mtu: INT,
  hairpinMode: BOOL,
  promiscMode: BOOL,
  vlan: INT,
  provider: STRING,
  vlanTrunk: slice(pointer(TRUNK)),
});

/** The config of a network, as far as it can be read. */
export function netConfOf(config: unknown): NetConf | undefined {
  if (typeof config !== 'string' || isLate(config)) { return undefined; }
  const result = unmarshal<NetConf>(config, CONF);
  return 'error' in result ? undefined : result.config;
}

/** The cluster network that carries a network; undefined for none, and where it can not be read. */
export function clusterNetworkOf({ type, bridge }: NetConf): string | undefined {
  if (type === CNI.KUBE_OVN) { return MGMT_CLUSTER_NETWORK; }
  return bridge.endsWith(BRIDGE_SUFFIX) && bridge.length > BRIDGE_SUFFIX.length ? bridge.slice(0, -BRIDGE_SUFFIX.length) : undefined;
}

/** What a network is by its config. */
export function networkTypeOf({ type, vlan, vlanTrunk = [] }: NetConf): string {
  if (type === CNI.KUBE_OVN) { return NETWORK_TYPE.OVERLAY; }
  if (vlan !== 0) { return NETWORK_TYPE.VLAN; }
  return vlanTrunk.length > 0 ? NETWORK_TYPE.TRUNK : NETWORK_TYPE.UNTAGGED;
}

/** The network that a config belongs to. */
export interface Attachment {
  readonly name: string;
  readonly namespace: string;
  readonly labels: { readonly [key: string]: unknown };
}

/** What the Harvester of a network lacks, in words; undefined where it has it, or its version is not known. */
export interface NetworkContext {
  readonly lacksTrunk?: string;
  readonly lacksOverlay?: string;
  /** Whether Harvester writes the cluster network of overlay networks itself, over any label (1.8.0 and later). */
  readonly overlayAnywhere?: boolean;
}

/**
 * What Harvester refuses as the config of a network.
 * @see harvester/network-controller-harvester:pkg/webhook/nad/validator.go; pkg/utils/nad.go IsVlanConfigValid; pkg/utils/bridge.go
 */
export function* checkAttachment(config: unknown, attachment: Attachment, context: NetworkContext): Iterable<Problem> {
  if (isLate(config)) { return; }
  if (typeof config !== 'string' || config === '') {
    yield {
      path: PATH,
      message: config === undefined || config === null || config === '' ? 'is missing' : 'must be text, with JSON in it',
      fix: 'give the CNI configuration as JSON in a text',
      says: 'config is empty',
    };
    return;
  }
  const result = unmarshal<NetConf>(config, CONF);
  if ('error' in result) {
    yield { path: PATH, value: config, message: `cannot be read: ${result.error}`, fix: 'give JSON with whole numbers for vlan and mtu, without quotes' };
    return;
  }
  const conf = result.config;
  yield* conf.type === CNI.KUBE_OVN ? checkOverlay(conf, attachment, context) : checkBridge(conf, attachment, context);
  // Multus fills in the name of one without
  if (conf.name !== '' && conf.name !== attachment.name && !isLate(conf.name)) {
    yield {
      path: `${PATH}.name`, value: conf.name, level: 'warning', message: `is not ${attachment.name}, the name of the network: logs and interfaces name the wrong one`, fix: 'give both one name',
    };
  }
  yield* checkLabels(conf, attachment.labels);
}

function* checkOverlay(
  { provider }: NetConf, { name, namespace, labels }: Attachment, { lacksOverlay, overlayAnywhere }: NetworkContext,
): Iterable<Problem> {
  if (lacksOverlay) { yield { path: `${PATH}.type`, value: CNI.KUBE_OVN, message: lacksOverlay, fix: 'use a VLAN, or upgrade Harvester' }; }
  const clusterNetwork = labels[LABEL_CLUSTER_NETWORK];
  if (!overlayAnywhere && typeof clusterNetwork === 'string' && clusterNetwork !== '' && clusterNetwork !== MGMT_CLUSTER_NETWORK && !isLate(clusterNetwork)) {
    yield {
      path: `metadata.labels[${LABEL_CLUSTER_NETWORK}]`,
      value: clusterNetwork,
      message: `can not carry an overlay network, only ${MGMT_CLUSTER_NETWORK} does`,
      fix: 'leave the label out',
      says: 'nad with kubeovn type can only be part of mgmt cluster',
    };
  }
  const wanted = overlayProvider(name, namespace);
  if (provider !== wanted && !isLate(provider)) {
    yield {
      path: `${PATH}.provider`,
      value: provider,
      message: 'does not name this network',
      fix: `give ${wanted}`,
      says: `invalid provider name ${provider} for nad ${name} ${namespace}`,
    };
  }
}

function* checkBridge(conf: NetConf, { labels }: Attachment, { lacksTrunk }: NetworkContext): Iterable<Problem> {
  yield* checkVlans(conf, lacksTrunk);
  const { bridge } = conf;
  if (isLate(bridge)) { return; }
  const fix = `give the name of the cluster network with ${BRIDGE_SUFFIX} behind, up to ${MAX_DEVICE_NAME} characters`;
  const at = { path: `${PATH}.bridge`, value: bridge, fix };
  if (bridge.length <= BRIDGE_SUFFIX.length) {
    yield { ...at, message: 'is no bridge of a cluster network', says: `the length of bridge name ${bridge} is less than ${BRIDGE_SUFFIX.length}` };
  } else if (Buffer.byteLength(bridge) > MAX_DEVICE_NAME) {
    yield { ...at, message: `has ${bridge.length} characters`, says: `the length of the bridge name ${bridge} can't be more than ${MAX_DEVICE_NAME}` };
  } else if (!bridge.endsWith(BRIDGE_SUFFIX)) {
    yield { ...at, message: 'is no bridge of a cluster network', says: `the bridge name ${bridge} does not include suffix ${BRIDGE_SUFFIX}` };
  }
  const label = labels[LABEL_CLUSTER_NETWORK];
  const carrier = clusterNetworkOf(conf);
  if (typeof label === 'string' && label !== '' && carrier !== undefined && label !== carrier && !isLate(label)) {
    yield {
      path: `metadata.labels[${LABEL_CLUSTER_NETWORK}]`,
      value: label,
      message: `is not ${carrier}, the cluster network of the bridge ${bridge}`,
      fix: `give ${carrier}, or leave the label out`,
      says: `the nad label ${label} does not match bridge name ${carrier}`,
    };
  }
}

function* checkVlans({ vlan, vlanTrunk = [] }: NetConf, lacksTrunk: string | undefined): Iterable<Problem> {
  if (vlan < 0 || vlan > MAX_VLAN) {
    yield { path: `${PATH}.vlan`, value: vlan, message: 'is no VLAN', fix: `use 1 to ${MAX_VLAN}, or leave it out for an untagged network`, says: `vlan ${vlan} is out of range [0 .. ${MAX_VLAN}]` };
  }
  if (vlanTrunk.length === 0) { return; }
  if (lacksTrunk) { yield { path: `${PATH}.vlanTrunk`, message: lacksTrunk, fix: 'write a network for each VLAN, or upgrade Harvester' }; }
  if (vlan !== 0) {
    yield { path: `${PATH}.vlan`, value: vlan, message: 'does not go with a trunk', fix: 'give vlan or vlanTrunk', says: 'vlan can only be 0 when vlanTrunk is set' };
  }
  for (const [index, entry] of vlanTrunk.entries()) {
    if (entry) { yield* checkTrunk(`${PATH}.vlanTrunk[${index}]`, entry); }
  }
}

function* checkTrunk(path: string, { minID, maxID, id }: VlanTrunk): Iterable<Problem> {
  const fix = `give minID and maxID, or id, of 1 to ${MAX_VLAN}`;
  const isVlan = (value: number) => value >= 1 && value <= MAX_VLAN;
  if ((minID === undefined) !== (maxID === undefined)) {
    const missing = minID === undefined ? 'minID' : 'maxID';
    yield { path: `${path}.${missing}`, message: 'is missing', fix, says: `minID and maxID should be configured simultaneously, ${missing} is missing` };
  } else if (minID !== undefined && maxID !== undefined) {
    if (!isVlan(minID)) { yield { path: `${path}.minID`, value: minID, message: 'is no VLAN', fix, says: `incorrect trunk minID parameter ${minID}` }; }
    if (!isVlan(maxID)) { yield { path: `${path}.maxID`, value: maxID, message: 'is no VLAN', fix, says: `incorrect trunk maxID parameter ${maxID}` }; }
    if (isVlan(minID) && isVlan(maxID) && maxID < minID) {
      yield { path: `${path}.maxID`, value: maxID, message: `is less than minID ${minID}`, fix: 'give the lower one as minID', says: `minID ${minID} is greater than maxID ${maxID} in trunk parameter` };
    }
  }
  if (id !== undefined && !isVlan(id)) { yield { path: `${path}.id`, value: id, message: 'is no VLAN', fix, says: `incorrect trunk id parameter ${id}` }; }
  if (minID === undefined && maxID === undefined && id === undefined) {
    yield { path, message: 'names no VLAN', fix, says: 'all fields in this VlanTrunk are empty' };
  }
}

// the controller writes them as the config says, so a wrong one is a difference that never goes away
function* checkLabels(conf: NetConf, labels: { readonly [key: string]: unknown }): Iterable<Problem> {
  const type = networkTypeOf(conf);
  const vlan = type === NETWORK_TYPE.VLAN ? String(conf.vlan) : undefined;
  const wanted: [string, string | undefined][] = [[LABEL_NETWORK_TYPE, type], [LABEL_VLAN_ID, vlan]];
  for (const [label, value] of wanted) {
    const stands = labels[label];
    if (stands === undefined || stands === value || isLate(stands)) { continue; }
    yield {
      path: `metadata.labels[${label}]`,
      value: stands,
      level: 'warning',
      message: `does not go with the config, so Harvester ${value === undefined ? 'removes it' : `writes ${plainText(value)}`} over it`,
      fix: value === undefined ? 'leave it out' : `give ${plainText(value)}, or leave it out`,
    };
  }
}
