import { ANY, BOOL, INT, STRING, pointer, slice, goStruct, unmarshal } from '../../core/go/go-json';
import { FoundReference } from '../../core/kind/description/references';
import { deletes } from '../../core/kind/description/removal';
import { KindDescription } from '../../core/kind/kind';
import { isLate } from '../../core/late/late-token';
import { kindKey, Manifest, sameValue, valueAt } from '../../core/manifest/manifest';
import { GROUP_HARVESTER_NETWORK, GROUPS } from '../../core/manifest/names';
import { BRIDGE_SUFFIX, CLUSTER_NETWORK_NOT_YET } from '../cluster-network/cluster-network.kind';
import { HarvesterGate } from '../version/harvester-version';

/** One entry of a trunk: a range of VLANs, or one. */
export interface VlanTrunk {
  readonly minID?: number;
  readonly maxID?: number;
  readonly id?: number;
}

/**
 * The part of a network's config that Harvester reads.
 * @see harvester/network-controller-harvester:pkg/utils/nad.go NetConf
 */
export interface NetConf {
  readonly name: string;
  readonly type: string;
  readonly bridge: string;
  readonly vlan: number;
  readonly vlanTrunk?: readonly (VlanTrunk | undefined)[];
  readonly mtu: number;
  readonly provider: string;
}

const TRUNK = goStruct({ minID: pointer(INT), maxID: pointer(INT), id: pointer(INT) });
/** The fields that Harvester reads from the config of a network. */
export const CONF = goStruct({
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

/** The config of a network; undefined if it cannot be parsed. */
export function netConfOf(config: unknown): NetConf | undefined {
  if (typeof config !== 'string' || isLate(config)) {
    return undefined;
  }
  const result = unmarshal<NetConf>(config, CONF);
  return 'error' in result ? undefined : result.config;
}

/** The fields of a network's route. */
export const ROUTE = goStruct({
  mode: STRING,
  cidr: STRING,
  gateway: STRING,
  serverIPAddr: STRING,
  connectivity: STRING,
  outdated: BOOL,
});

/**
 * The API of NetworkAttachmentDefinitions.
 * @see k8snetworkplumbingwg/network-attachment-definition-client
 */
export const GROUP_ATTACHMENT = 'k8s.cni.cncf.io';
export const API_ATTACHMENT = `${GROUP_ATTACHMENT}/v1`;
export const KIND_NETWORK_ATTACHMENT = 'NetworkAttachmentDefinition';

/** The kind of VM networks. */
export const ATTACHMENT_KIND = kindKey(GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT);

/**
 * Label of a network: its type, see NETWORK_TYPE.
 * @see harvester/network-controller-harvester:pkg/utils/consts.go KeyNetworkType
 */
export const LABEL_NETWORK_TYPE = 'network.harvesterhci.io/type';

/**
 * Label of a network: its VLAN.
 * @see harvester/network-controller-harvester:pkg/utils/consts.go KeyVlanLabel
 */
export const LABEL_VLAN_ID = 'network.harvesterhci.io/vlan-id';

/**
 * Annotation of a network: its gateway and range, as JSON.
 * @see harvester/network-controller-harvester:pkg/utils/consts.go KeyNetworkRoute
 */
export const ANNOTATION_ROUTE = 'network.harvesterhci.io/route';

/**
 * The types of VM networks.
 * @see harvester/network-controller-harvester:pkg/utils/consts.go NetworkType
 */
export const NETWORK_TYPE = {
  VLAN: 'L2VlanNetwork',
  UNTAGGED: 'UntaggedNetwork',
  TRUNK: 'L2VlanTrunkNetwork',
  OVERLAY: 'OverlayNetwork',
} as const;

/** The CNI plug-ins of VM networks. */
export const CNI = { VERSION: '0.3.1', BRIDGE: 'bridge', KUBE_OVN: 'kube-ovn' } as const;

/**
 * The socket of Kube-OVN's daemon.
 * @see harvester/harvester-ui-extension:pkg/harvester/edit/network.harvesterhci.io.vpc
 */
export const KUBE_OVN_SOCKET = '/run/openvswitch/kube-ovn-daemon.sock';

/**
 * The networks that Harvester creates for its settings: their namespace, and the setting by the
 * prefix of their names.
 * @see harvester/network-controller-harvester:pkg/utils/nad.go IsSystemNetworkNad
 */
export const SYSTEM_NETWORKS = {
  NAMESPACE: 'harvester-system',
  SETTINGS: { 'storage-network': 'storagenetwork-', 'rwx-network': 'rwx-network-' },
} as const;

/**
 * The setting that Harvester creates a network for: its name has the prefix, or it has the
 * annotation. Undefined for others.
 */
export function systemNetworkOf({
  metadata,
}: Manifest): keyof typeof SYSTEM_NETWORKS.SETTINGS | undefined {
  const { namespace, name, annotations } = metadata;
  if (namespace !== SYSTEM_NETWORKS.NAMESPACE) {
    return undefined;
  }
  const settings = Object.entries(SYSTEM_NETWORKS.SETTINGS) as [
    keyof typeof SYSTEM_NETWORKS.SETTINGS,
    string,
  ][];
  return settings.find(
    ([setting, prefix]) =>
      name.startsWith(prefix) ||
      annotations?.[`${setting}.settings.${GROUPS.HARVESTER}`] === 'true',
  )?.[0];
}

/**
 * NetworkAttachmentDefinition of Multus, which any cluster may serve: Harvester's network of
 * virtual machines.
 */
export const VM_NETWORK_DESCRIPTION: KindDescription = {
  group: 'k8s.cni.cncf.io',
  version: 'v1',
  kind: 'NetworkAttachmentDefinition',
  part: { noun: 'VM network', order: 90 },
  // @see k8snetworkplumbingwg/network-attachment-definition-client:artifacts
  resource: 'network-attachment-definitions',
  scope: 'Namespaced',
  rank: 22,
  writtenByOthers: ['metadata.labels', 'metadata.annotations', 'spec.config'],
  rewritten: [`metadata.annotations[${ANNOTATION_ROUTE}]`, 'spec.config'],
  deletion: deletes('Harvester refuses it while virtual machines are on it'),
  deletions: { overlay: deletes('Harvester refuses it while a Subnet of Kube-OVN uses it') },
  // Harvester refuses to delete a network in use: that holds back only what is in its namespace
  stage: ({ metadata }) => ({ stage: 'networks', part: metadata.namespace }),
  namedBy: { fields: { networkName: 'namespace/name', network: 'namespace/name' } },
  references: clusterNetworkOf,
  passing: CLUSTER_NETWORK_NOT_YET,
  texts: [{ path: 'spec.config' }],
  meansTheSame,
  immutable: [
    {
      id: 'network-attachment/update',
      what: 'type and bridge of a network are immutable',
      source:
        'harvester/network-controller-harvester:pkg/webhook/nad/validator.go checkNadTypes, checkNadConfigBridgeName; the bridge since Harvester 1.6.1',
      fields: [
        {
          path: 'spec.config.type',
          read: (network) => confOf(network)?.type,
          says: (previous, now) =>
            `nad cannot be updated from network type ${previous} to network type ${now}`,
        },
        {
          path: 'spec.config.bridge',
          read: (network) => confOf(network)?.bridge,
          when: (now, before) => confOf(now)?.type === confOf(before)?.type,
          since: HarvesterGate.CLUSTER_NETWORK_MUST_EXIST,
          says: (previous, now) => `nad bridge name can't be changed from ${previous} to ${now}`,
        },
      ],
      fix: 'create a network with a different name',
    },
  ],
  looksAt: {
    group: GROUP_HARVESTER_NETWORK,
    kind: 'VlanConfig',
    own: (network) => clusterNetworkOf(network)[0]?.name,
    other: (config) => valueAt(config, 'spec', 'clusterNetwork'),
    source:
      'harvester/network-controller-harvester:pkg/webhook/nad/validator.go checkNadConfig: the MTU comes from the VlanConfigs of the cluster network',
  },
};

/**
 * Whether Harvester reads a live text as that of the program: it compares decoded configs, and
 * fills in the MTU, and the route that it finds by DHCP.
 * @see harvester/network-controller-harvester:pkg/webhook/nad/validator.go Update, mutator.go patchMTU
 */
function meansTheSame(_: Manifest, path: string, before: unknown, desired: unknown): boolean {
  if (typeof before !== 'string' || typeof desired !== 'string') {
    return false;
  }
  if (path === 'spec.config') {
    const [live, own] = [before, desired].map((text) => unmarshal<NetConf>(text, CONF));
    // other plug-ins may read fields that Harvester ignores
    if ('error' in live || 'error' in own || live.unknown.length + own.unknown.length > 0) {
      return false;
    }
    return sameValue(
      { ...live.config, mtu: own.config.mtu === 0 ? 0 : live.config.mtu },
      own.config,
    );
  }
  if (path !== `metadata.annotations[${ANNOTATION_ROUTE}]`) {
    return false;
  }
  const [live, own] = [before, desired].map((text) =>
    unmarshal<{ readonly [field: string]: string | boolean }>(text, ROUTE),
  );
  return (
    !('error' in live) &&
    !('error' in own) &&
    Object.entries(own.config).every(([field, value]) => !value || value === live.config[field])
  );
}

function confOf(network: Manifest): NetConf | undefined {
  return netConfOf(valueAt(network, 'spec', 'config'));
}

/** Harvester's webhook reads the cluster network from the name of the bridge. */
function clusterNetworkOf({ spec }: Manifest): FoundReference[] {
  const config = valueAt(spec, 'config');
  const name =
    typeof config === 'string' ? /"bridge"\s*:\s*"([^"]+)"/.exec(config)?.[1] : undefined;
  if (!name?.endsWith(BRIDGE_SUFFIX)) {
    return [];
  }
  return [
    {
      group: GROUP_HARVESTER_NETWORK,
      kind: 'ClusterNetwork',
      name: name.slice(0, -BRIDGE_SUFFIX.length),
    },
  ];
}
