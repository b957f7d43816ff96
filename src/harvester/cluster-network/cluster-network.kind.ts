import { PassingRefusal, REFUSED } from '../../core/kind/description/refusals';
import { called, deletes } from '../../core/kind/description/removal';
import { KindDescription, ON_HARVESTER } from '../../core/kind/kind';
import { byConditions } from '../../core/kind/ready/readiness';
import { kindKey } from '../../core/manifest/manifest';
import { GROUP_HARVESTER_NETWORK } from '../../core/manifest/names';
import { HarvesterGate } from '../version/harvester-version';

/** The API of cluster networks and their configuration. */
export const API_HARVESTER_NETWORK = 'network.harvesterhci.io/v1beta1';

/** The kind of cluster networks. */
export const CLUSTER_NETWORK_KIND = kindKey(GROUP_HARVESTER_NETWORK, 'ClusterNetwork');

/**
 * The cluster network that every Harvester has.
 * @see harvester/network-controller-harvester:pkg/utils/consts.go ManagementClusterNetworkName
 */
export const MGMT_CLUSTER_NETWORK = 'mgmt';

/**
 * The suffix of a cluster network's bridge.
 * @see harvester/network-controller-harvester:pkg/utils/consts.go BridgeSuffix
 */
export const BRIDGE_SUFFIX = '-br';

/**
 * The maximum length of the name of a Linux network interface.
 * @see harvester/network-controller-harvester:pkg/utils/consts.go MaxDeviceNameLen
 */
export const MAX_DEVICE_NAME = 15;

/**
 * Label of a VlanConfig or a network: its cluster network.
 * @see harvester/network-controller-harvester:pkg/utils/consts.go KeyClusterNetworkLabel
 */
export const LABEL_CLUSTER_NETWORK = 'network.harvesterhci.io/clusternetwork';

/**
 * Annotation of a cluster network: the MTU of its uplinks.
 * @see harvester/network-controller-harvester:pkg/utils/consts.go KeyUplinkMTU
 */
export const ANNOTATION_UPLINK_MTU = 'network.harvesterhci.io/uplink-mtu';

/**
 * Label of nodes that only vote in etcd: they carry no cluster network.
 * @see harvester/network-controller-harvester:pkg/utils/node.go
 */
export const LABEL_WITNESS = 'node-role.harvesterhci.io/witness';

const NETWORK = {
  group: GROUP_HARVESTER_NETWORK,
  version: 'v1beta1',
  scope: 'Cluster',
  targets: ON_HARVESTER,
} as const;

/** Harvester refuses objects of a cluster network that does not exist yet. */
export const CLUSTER_NETWORK_NOT_YET: readonly PassingRefusal[] = [
  {
    status: [...REFUSED, 404],
    words: /clusternetworks\.network\.harvesterhci\.io "([^"]+)" not found/,
    missing: ([, name]) => ({ kind: CLUSTER_NETWORK_KIND, name }),
    source: 'seen on Harvester 1.7.2',
  },
];

/**
 * ClusterNetwork, VlanConfig and HostNetworkConfig.
 * @see harvester/network-controller-harvester:pkg/apis/network.harvesterhci.io/v1beta1
 */
export const CLUSTER_NETWORK_DESCRIPTIONS: readonly KindDescription[] = [
  {
    ...NETWORK,
    kind: 'ClusterNetwork',
    part: { noun: 'cluster network', order: 100 },
    rank: 20,
    stage: 'cluster-networks',
    deletion: deletes('Harvester refuses it while VlanConfigs or networks use it'),
    alwaysThere: MGMT_CLUSTER_NETWORK,
    ready: byConditions('ready'),
    passing: [
      {
        // until the network controller has written annotation uplink-mtu
        status: REFUSED,
        words: /but the vlanconfigs \S+ has another MTU/,
        source:
          'seen on Harvester 1.7.2; harvester/network-controller-harvester:pkg/webhook/clusternetwork/validator.go',
      },
    ],
    namedBy: { fields: { clusterNetwork: 'name' } },
    kept: [
      {
        never: true,
        says: 'is the network of the nodes themselves',
        when: called(MGMT_CLUSTER_NETWORK),
      },
    ],
  },
  {
    ...NETWORK,
    kind: 'VlanConfig',
    part: { noun: 'VLAN config', order: 110 },
    rank: 21,
    stage: 'uplinks',
    completes: CLUSTER_NETWORK_KIND,
    passing: CLUSTER_NETWORK_NOT_YET,
    deletion: deletes(
      'removes the cluster network from its nodes; Harvester refuses it while virtual machines there use it',
    ),
  },
  {
    ...NETWORK,
    kind: 'HostNetworkConfig',
    rank: 23,
    // after the VlanConfigs, which the stage of uplinks holds
    stage: 'networks',
    served: HarvesterGate.HOST_NETWORK_CONFIG,
    deletion: deletes(
      'removes the addresses from the nodes; with underlay: true Harvester refuses it',
    ),
    passing: CLUSTER_NETWORK_NOT_YET,
    immutable: [
      {
        id: 'host-network/update',
        what: 'cluster network and VLAN of a HostNetworkConfig are immutable, and an underlay cannot be deleted',
        says: 'cannot update clusterNetwork or vlanID field,instead delete the old hostnetworkconfig and create a new one',
        source: 'harvester/network-controller-harvester:pkg/webhook/hostnetworkconfig/validator.go',
        fields: [
          { path: 'spec.clusterNetwork', omitted: 'changes' },
          { path: 'spec.vlanID', omitted: 'changes' },
        ],
        fix: 'create a HostNetworkConfig with a different name, and delete this one',
      },
    ],
  },
];
