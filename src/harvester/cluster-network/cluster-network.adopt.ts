import { HOST_NETWORK_MODE } from './cluster-network.check';
import {
  CLUSTER_NETWORK_KIND,
  LABEL_CLUSTER_NETWORK,
  MGMT_CLUSTER_NETWORK,
} from './cluster-network.kind';
import { VLAN_CONFIG_FIELDS } from './vlan-config';
import {
  call,
  booleanAt,
  declare,
  Inverse,
  inverseOf,
  listAt,
  mapAt,
  numberAt,
  refer,
  textAt,
  unless,
} from '../../core/draft/draft';
import { valueAt } from '../../core/manifest/manifest';
import { GROUP_HARVESTER_NETWORK } from '../../core/manifest/names';
import { requirements } from '../affinity/vm-affinity.adopt';
import { descriptionProp, isListedOnly, listedDescriptionProp } from '../harvester-object.adopt';

/** From a ClusterNetwork to the construct. */
export const CLUSTER_NETWORK_INVERSE: Inverse = {
  kinds: [CLUSTER_NETWORK_KIND],
  drafts: (object) => declare(object, 'ClusterNetwork', descriptionProp(object)),
  existing: ({ name }) =>
    name === MGMT_CLUSTER_NETWORK
      ? { type: 'ClusterNetwork', method: 'mgmt', takesNoId: true, props: {} }
      : { type: 'ClusterNetwork', method: 'fromName', props: { name } },
};

/** From a VlanConfig to the construct. */
export const VLAN_CONFIG_INVERSE = inverseOf(
  'VlanConfig',
  `${GROUP_HARVESTER_NETWORK}/VlanConfig`,
  (manifest, object) => {
    const mode = textAt(manifest, 'spec', 'uplink', 'bondOptions', 'mode');
    const asWritten = mode === undefined || isListedOnly(manifest);
    return {
      ...listedDescriptionProp(object),
      ...VLAN_CONFIG_FIELDS.read(object, asWritten),
      adopted: asWritten ? { asWritten } : undefined,
    };
  },
  // @see harvester/network-controller-harvester:pkg/webhook/vlanconfig/mutator.go getCnLabelPatch
  { filled: [`metadata.labels[${LABEL_CLUSTER_NETWORK}]`] },
);

/** From a HostNetworkConfig to the construct. */
export const HOST_NETWORK_CONFIG_INVERSE = inverseOf(
  'HostNetworkConfig',
  `${GROUP_HARVESTER_NETWORK}/HostNetworkConfig`,
  (manifest, object) => {
    const addresses = Object.entries(mapAt(manifest, 'spec', 'ips') ?? {}).map(
      ([node, address]) => ({ node: refer(object, '/Node', node), address: String(address) }),
    );
    const isStatic = textAt(manifest, 'spec', 'mode') === HOST_NETWORK_MODE.STATIC;
    return {
      ...listedDescriptionProp(object),
      clusterNetwork: refer(
        object,
        CLUSTER_NETWORK_KIND,
        textAt(manifest, 'spec', 'clusterNetwork') ?? '',
      ),
      vlan: numberAt(manifest, 'spec', 'vlanID'),
      addresses: isStatic ? call('HostAddresses', 'fixed', addresses) : undefined,
      nodeSelector: mapAt(manifest, 'spec', 'nodeSelector', 'matchLabels'),
      nodeRequirements:
        listAt(manifest, 'spec', 'nodeSelector', 'matchExpressions').length > 0
          ? requirements(valueAt(manifest, 'spec', 'nodeSelector', 'matchExpressions'))
          : undefined,
      underlay: unless(booleanAt(manifest, 'spec', 'underlay'), false),
    };
  },
);
