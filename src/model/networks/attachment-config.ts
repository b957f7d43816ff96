import { BRIDGE_SUFFIX, CNI, KUBE_OVN_SOCKET } from '../infrastructure-names';

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
