import {
  CONF,
  NetConf,
  VlanTrunk,
  CNI,
  KUBE_OVN_SOCKET,
  LABEL_NETWORK_TYPE,
  LABEL_VLAN_ID,
  NETWORK_TYPE,
  ROUTE,
} from './vm-network.kind';
import { parseCidr, parseIp } from '../../core/go/go-ip';
import { unmarshal } from '../../core/go/go-json';
import { isLate } from '../../core/late/late-token';
import { Problem } from '../../core/problem/problem';
import { givenValue, plainText } from '../../core/text/plain-text';
import {
  BRIDGE_SUFFIX,
  LABEL_CLUSTER_NETWORK,
  MAX_DEVICE_NAME,
  MGMT_CLUSTER_NETWORK,
} from '../cluster-network/cluster-network.kind';

/** The input of a bridge network's config. */
interface BridgeNetwork {
  readonly name: string;
  readonly clusterNetwork: string;
  /** Undefined: untagged, or a trunk, with which it cannot be combined. */
  readonly vlan?: number;
  readonly vlanTrunk?: readonly VlanTrunk[];
  readonly mtu?: number;
}

/**
 * The `spec.config` of a bridge network, with the keys in the order of Harvester's UI, and the MTU
 * last, as the server writes it.
 */
export function bridgeConfig({
  name,
  clusterNetwork,
  vlan,
  vlanTrunk,
  mtu,
}: BridgeNetwork): string {
  return JSON.stringify({
    cniVersion: CNI.VERSION,
    name,
    type: CNI.BRIDGE,
    bridge: `${clusterNetwork}${BRIDGE_SUFFIX}`,
    promiscMode: true,
    vlan: vlanTrunk ? (vlan ?? 0) : vlan,
    ipam: {},
    vlanTrunk,
    mtu,
  });
}

/** The provider of an overlay network, by which Subnets of Kube-OVN refer to it. */
export function overlayProvider(name: string, namespace: string): string {
  return `${name}.${namespace}.ovn`;
}

/** The `spec.config` of an overlay network. */
export function overlayConfig(name: string, namespace: string): string {
  return JSON.stringify({
    cniVersion: CNI.VERSION,
    name,
    type: CNI.KUBE_OVN,
    provider: overlayProvider(name, namespace),
    server_socket: KUBE_OVN_SOCKET,
  });
}

/**
 * The content of the annotation network.harvesterhci.io/route.
 * @see harvester/network-controller-harvester:pkg/utils/nad.go Layer3NetworkConf
 */
export interface RouteConfig {
  readonly mode: string;
  readonly cidr?: string;
  readonly gateway?: string;
  readonly serverIPAddr?: string;
}

const FIX = 'set {"mode":"auto"}, or {"mode":"manual","cidr":"10.0.0.0/24","gateway":"10.0.0.1"}';

/** The text of the annotation, with the keys in the order of Harvester. */
export function printRoute({ mode, cidr, gateway, serverIPAddr }: RouteConfig): string {
  return JSON.stringify({ mode, cidr, gateway, serverIPAddr });
}

/**
 * Checks the text of a network's route.
 * @see harvester/network-controller-harvester:pkg/utils/nad.go NewLayer3NetworkConf
 */
export function* checkRouteText(path: string, text: unknown): Iterable<Problem> {
  if (typeof text !== 'string' || text === '' || isLate(text)) {
    return;
  }
  const result = unmarshal<RouteConfig>(text, ROUTE);
  if ('error' in result) {
    yield { path, value: text, message: `must be the JSON of a route: ${result.error}`, fix: FIX };
  } else {
    yield* checkRoute(path, result.config);
  }
}

/** Checks a network's route. */
export function* checkRoute(path: string, route: RouteConfig): Iterable<Problem> {
  const { mode, serverIPAddr = '' } = route;
  if (mode !== '' && mode !== 'auto' && mode !== 'manual') {
    yield {
      path: `${path}.mode`,
      value: mode,
      message: 'must be auto or manual',
      fix: 'choose a mode',
      says: `unknown mode ${mode}`,
    };
  }
  // the server does not check it, and its DHCP helper fails
  if (serverIPAddr !== '' && !isLate(serverIPAddr) && !parseIp(serverIPAddr)) {
    yield {
      path: `${path}.serverIPAddr`,
      value: serverIPAddr,
      level: 'warning',
      message: 'must be the IP address of a DHCP server',
      fix: 'set an IP address, or remove it to use any server',
    };
  }
  if (mode === 'manual') {
    yield* checkManualRoute(path, route);
  }
}

function* checkManualRoute(
  path: string,
  { cidr = '', gateway = '' }: RouteConfig,
): Iterable<Problem> {
  const network = parseCidr(cidr);
  if (!isLate(cidr) && (!network || network.prefix === 0)) {
    yield {
      path: `${path}.cidr`,
      ...givenValue(cidr),
      message: 'must be a CIDR',
      fix: 'set a range such as 10.0.0.0/24',
      says: `the CIDR ${cidr} is invalid`,
    };
  }
  const address = parseIp(gateway);
  if (!isLate(gateway) && !address) {
    yield {
      path: `${path}.gateway`,
      ...givenValue(gateway),
      message: 'must be an IP address',
      fix: 'set the IP address of the gateway',
      says: `the gateway ${gateway} is invalid`,
    };
  } else if (
    network &&
    address &&
    network.family === address.family &&
    (address.bits < network.first || address.bits > network.last)
  ) {
    yield {
      path: `${path}.gateway`,
      value: gateway,
      level: 'warning',
      message: `must be in ${cidr}: otherwise the gateway is unreachable`,
      fix: 'set an address in that range',
    };
  }
}

const MAX_VLAN = 4094;
const PATH = 'spec.config';

/** The cluster network of a network; undefined if its config has none. */
export function clusterNetworkOf({ type, bridge }: NetConf): string | undefined {
  if (type === CNI.KUBE_OVN) {
    return MGMT_CLUSTER_NETWORK;
  }
  return bridge.endsWith(BRIDGE_SUFFIX) && bridge.length > BRIDGE_SUFFIX.length
    ? bridge.slice(0, -BRIDGE_SUFFIX.length)
    : undefined;
}

/** The type of a network by its config. */
function networkTypeOf({ type, vlan, vlanTrunk = [] }: NetConf): string {
  if (type === CNI.KUBE_OVN) {
    return NETWORK_TYPE.OVERLAY;
  }
  if (vlan !== 0) {
    return NETWORK_TYPE.VLAN;
  }
  return vlanTrunk.length > 0 ? NETWORK_TYPE.TRUNK : NETWORK_TYPE.UNTAGGED;
}

/** The network that a config belongs to. */
interface Attachment {
  readonly name: string;
  readonly namespace: string;
  readonly labels: { readonly [key: string]: unknown };
}

/**
 * Messages on features that the network's Harvester lacks. Undefined if it has them, or its version
 * is not known.
 */
interface NetworkContext {
  readonly lacksTrunk?: string;
  /** Whether the network is on the server already. */
  readonly exists?: boolean;
  /** Whether another network carries a VLAN on an uplink. Undefined if other networks are not known. */
  readonly isCarried?: (vlan: number) => boolean;
  readonly lacksOverlay?: string;
  /**
   * Whether Harvester writes the cluster network of overlay networks itself, over any label (1.8.0
   * and later).
   */
  readonly overlayAnywhere?: boolean;
}

/**
 * Checks the config of a network.
 * @see harvester/network-controller-harvester:pkg/webhook/nad/validator.go; pkg/utils/nad.go IsVlanConfigValid; pkg/utils/bridge.go
 */
export function* checkAttachment(
  config: unknown,
  attachment: Attachment,
  context: NetworkContext,
): Iterable<Problem> {
  if (isLate(config)) {
    return;
  }
  if (typeof config !== 'string' || config === '') {
    yield {
      path: PATH,
      message:
        config === undefined || config === null || config === ''
          ? 'must be set'
          : 'must be a string with JSON',
      fix: 'set the CNI configuration as a string with JSON',
      says: 'config is empty',
    };
    return;
  }
  const result = unmarshal<NetConf>(config, CONF);
  if ('error' in result) {
    yield {
      path: PATH,
      value: config,
      message: `must be the JSON of a CNI configuration: ${result.error}`,
      fix: 'write valid JSON, with whole numbers for vlan and mtu',
    };
    return;
  }
  const conf = result.config;
  yield* conf.type === CNI.KUBE_OVN
    ? checkOverlay(conf, attachment, context)
    : checkBridge(conf, attachment, context);
  // Multus fills in a missing name
  if (conf.name !== '' && conf.name !== attachment.name && !isLate(conf.name)) {
    yield {
      path: `${PATH}.name`,
      value: conf.name,
      level: 'warning',
      message: `must be the name of the network, ${attachment.name}: otherwise logs and interfaces show a wrong name`,
      fix: `set ${attachment.name}`,
    };
  }
  yield* checkLabels(conf, attachment.labels, context);
}

function* checkOverlay(
  { provider }: NetConf,
  { name, namespace, labels }: Attachment,
  { lacksOverlay, overlayAnywhere }: NetworkContext,
): Iterable<Problem> {
  if (lacksOverlay) {
    yield {
      path: `${PATH}.type`,
      message: lacksOverlay,
      fix: 'use a VLAN network, or upgrade Harvester',
    };
  }
  const clusterNetwork = labels[LABEL_CLUSTER_NETWORK];
  if (
    !overlayAnywhere &&
    typeof clusterNetwork === 'string' &&
    clusterNetwork !== '' &&
    clusterNetwork !== MGMT_CLUSTER_NETWORK &&
    !isLate(clusterNetwork)
  ) {
    yield {
      path: `metadata.labels[${LABEL_CLUSTER_NETWORK}]`,
      value: clusterNetwork,
      message: `must be ${MGMT_CLUSTER_NETWORK}, the only cluster network for overlay networks`,
      fix: 'remove the label',
      says: 'nad with kubeovn type can only be part of mgmt cluster',
    };
  }
  const wanted = overlayProvider(name, namespace);
  if (provider !== wanted && !isLate(provider)) {
    yield {
      path: `${PATH}.provider`,
      value: provider,
      message: `must be ${wanted}, which identifies this network`,
      fix: `set ${wanted}`,
      says: `invalid provider name ${provider} for nad ${name} ${namespace}`,
    };
  }
}

function* checkBridge(
  conf: NetConf,
  { labels }: Attachment,
  context: NetworkContext,
): Iterable<Problem> {
  yield* checkVlans(conf, context);
  const { bridge } = conf;
  if (isLate(bridge)) {
    return;
  }
  const fix = `set <cluster network>${BRIDGE_SUFFIX}, at most ${MAX_DEVICE_NAME} characters`;
  const at = { path: `${PATH}.bridge`, value: bridge, fix };
  if (bridge.length <= BRIDGE_SUFFIX.length) {
    yield {
      ...at,
      message: 'must be the bridge of a cluster network',
      says: `the length of bridge name ${bridge} is less than ${BRIDGE_SUFFIX.length}`,
    };
  } else if (Buffer.byteLength(bridge) > MAX_DEVICE_NAME) {
    yield {
      ...at,
      message: `must have at most ${MAX_DEVICE_NAME} characters`,
      says: `the length of the bridge name ${bridge} can't be more than ${MAX_DEVICE_NAME}`,
    };
  } else if (!bridge.endsWith(BRIDGE_SUFFIX)) {
    yield {
      ...at,
      message: 'must be the bridge of a cluster network',
      says: `the bridge name ${bridge} does not include suffix ${BRIDGE_SUFFIX}`,
    };
  }
  const label = labels[LABEL_CLUSTER_NETWORK];
  const carrier = clusterNetworkOf(conf);
  if (
    typeof label === 'string' &&
    label !== '' &&
    carrier !== undefined &&
    label !== carrier &&
    !isLate(label)
  ) {
    yield {
      path: `metadata.labels[${LABEL_CLUSTER_NETWORK}]`,
      value: label,
      fix: `set ${carrier}, or remove the label`,
      // the mutator corrects the label of a network that exists; seen on 1.8.2
      ...(context.exists
        ? {
            level: 'warning' as const,
            message: `must be ${carrier}, the cluster network of the bridge ${bridge}: Harvester overwrites it`,
          }
        : {
            message: `must be ${carrier}, the cluster network of the bridge ${bridge}`,
            says: `the nad label ${label} does not match bridge name ${carrier}`,
          }),
    };
  }
}

/** Checks the VLAN ID of a network. */
export function* checkVlanId(path: string, vlan: number): Iterable<Problem> {
  if (vlan >= 1 && vlan <= MAX_VLAN) {
    return;
  }
  const says = vlan === 0 ? {} : { says: `vlan ${vlan} is out of range [0 .. ${MAX_VLAN}]` };
  yield {
    path,
    value: vlan,
    message: `must be 1 to ${MAX_VLAN}`,
    fix: 'set a VLAN ID, or remove vlan for an untagged network',
    ...says,
  };
}

function* checkVlans(
  { vlan, vlanTrunk = [] }: NetConf,
  { lacksTrunk, isCarried }: NetworkContext,
): Iterable<Problem> {
  // 0 is the server's word for an untagged network
  if (vlan !== 0) {
    yield* checkVlanId(`${PATH}.vlan`, vlan);
  }
  if (vlanTrunk.length === 0) {
    return;
  }
  if (lacksTrunk) {
    yield* checkEarlyTrunk(vlanTrunk, lacksTrunk, isCarried);
    return;
  }
  if (vlan !== 0) {
    yield {
      path: `${PATH}.vlan`,
      value: vlan,
      message: 'cannot be combined with a trunk',
      fix: 'remove vlan or vlanTrunk',
      says: 'vlan can only be 0 when vlanTrunk is set',
    };
  }
  for (const [index, entry] of vlanTrunk.entries()) {
    if (entry) {
      yield* checkTrunk(`${PATH}.vlanTrunk[${index}]`, entry);
    }
  }
}

/** More VLANs of a trunk than these are named by their range. */
const MAX_NAMED = 8;

/**
 * A trunk on a Harvester without the feature. The webhook does not read it, and the bridge plugin
 * of CNI sets the VLANs on the port of the VM, but nothing opens them on the uplink.
 * @see harvester/network-controller-harvester:pkg/webhook/nad/validator.go at v1.6.1; harvester/harvester#766
 */
function* checkEarlyTrunk(
  trunk: NonNullable<NetConf['vlanTrunk']>,
  lacksTrunk: string,
  isCarried: NetworkContext['isCarried'],
): Iterable<Problem> {
  const path = `${PATH}.vlanTrunk`;
  if (!isCarried) {
    yield {
      path,
      message: lacksTrunk,
      fix: 'declare a network for each VLAN, or upgrade Harvester',
    };
    return;
  }
  const closed = vlansOf(trunk).filter((vlan) => !isCarried(vlan));
  if (closed.length > 0) {
    const names =
      closed.length > MAX_NAMED ? `${closed[0]} to ${closed.at(-1)}` : closed.join(', ');
    yield {
      path,
      level: 'warning',
      message: `has VLANs that Harvester does not open on the uplink: ${lacksTrunk}`,
      fix: `declare a network for each VLAN (${names}), or upgrade Harvester`,
    };
  }
}

function vlansOf(trunk: NonNullable<NetConf['vlanTrunk']>): number[] {
  const vlans = trunk.flatMap((entry) => {
    const { id, minID, maxID } = entry ?? {};
    const first = Math.max(minID ?? 1, 1);
    const last = Math.min(maxID ?? 0, MAX_VLAN);
    const range = minID === undefined ? [] : Array.from({ length: Math.max(last - first + 1, 0) });
    return [...(id === undefined ? [] : [id]), ...range.map((_, index) => first + index)];
  });
  return [...new Set(vlans)];
}

function* checkTrunk(path: string, { minID, maxID, id }: VlanTrunk): Iterable<Problem> {
  const fix = 'set minID and maxID, or id';
  const notVlan = `must be 1 to ${MAX_VLAN}`;
  const isVlan = (value: number) => value >= 1 && value <= MAX_VLAN;
  if ((minID === undefined) !== (maxID === undefined)) {
    const missing = minID === undefined ? 'minID' : 'maxID';
    yield {
      path: `${path}.${missing}`,
      message: 'must be set',
      fix,
      says: `minID and maxID should be configured simultaneously, ${missing} is missing`,
    };
  } else if (minID !== undefined && maxID !== undefined) {
    if (!isVlan(minID)) {
      yield {
        path: `${path}.minID`,
        value: minID,
        message: notVlan,
        fix,
        says: `incorrect trunk minID parameter ${minID}`,
      };
    }
    if (!isVlan(maxID)) {
      yield {
        path: `${path}.maxID`,
        value: maxID,
        message: notVlan,
        fix,
        says: `incorrect trunk maxID parameter ${maxID}`,
      };
    }
    if (isVlan(minID) && isVlan(maxID) && maxID < minID) {
      yield {
        path: `${path}.maxID`,
        value: maxID,
        message: `must be at least minID, ${minID}`,
        fix: 'swap minID and maxID',
        says: `minID ${minID} is greater than maxID ${maxID} in trunk parameter`,
      };
    }
  }
  if (id !== undefined && !isVlan(id)) {
    yield {
      path: `${path}.id`,
      value: id,
      message: notVlan,
      fix,
      says: `incorrect trunk id parameter ${id}`,
    };
  }
  if (minID === undefined && maxID === undefined && id === undefined) {
    yield {
      path,
      message: 'must contain a VLAN',
      fix,
      says: 'all fields in this VlanTrunk are empty',
    };
  }
}

// the controller derives them from the config, so a wrong one is a permanent difference
function* checkLabels(
  conf: NetConf,
  labels: { readonly [key: string]: unknown },
  { lacksTrunk }: NetworkContext,
): Iterable<Problem> {
  // versions without trunks do not read vlanTrunk
  const type = networkTypeOf(lacksTrunk ? { ...conf, vlanTrunk: [] } : conf);
  const vlan = type === NETWORK_TYPE.VLAN ? String(conf.vlan) : undefined;
  const wanted: [string, string | undefined][] = [
    [LABEL_NETWORK_TYPE, type],
    [LABEL_VLAN_ID, vlan],
  ];
  for (const [label, value] of wanted) {
    const current = labels[label];
    if (current === undefined || current === value || isLate(current)) {
      continue;
    }
    yield {
      path: `metadata.labels[${label}]`,
      value: current,
      level: 'warning',
      message:
        value === undefined
          ? 'contradicts the config: Harvester removes it'
          : `must be ${plainText(value)} by the config: Harvester overwrites it`,
      fix:
        value === undefined ? 'remove the label' : `set ${plainText(value)}, or remove the label`,
    };
  }
}
