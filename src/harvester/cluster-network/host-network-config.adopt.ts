import { HOST_NETWORK_MODE } from './cluster-network.check';
import { call } from '../../core/draft/draft';
import { Inverse, booleanAt, listAt, mapAt, numberAt, refer, textAt, unless, byName, declare } from '../../core/draft/inverse';
import { valueAt } from '../../core/manifest/manifest';
import { GROUP_HARVESTER_NETWORK } from '../../core/manifest/names';
import { listedDescriptionProp } from '../harvester-object.adopt';
import { requirements } from '../machine/vm-affinity.adopt';

/** From a HostNetworkConfig to the construct. */
export const HOST_NETWORK_CONFIG_INVERSE: Inverse = {
  kinds: [`${GROUP_HARVESTER_NETWORK}/HostNetworkConfig`],
  drafts: (object) => {
    const { manifest } = object;
    const addresses = Object.entries(mapAt(manifest, 'spec', 'ips') ?? {}).map(([node, address]) => ({ node: refer(object, '/Node', node), address: String(address) }));
    const isStatic = textAt(manifest, 'spec', 'mode') === HOST_NETWORK_MODE.STATIC;
    return declare(object, 'HostNetworkConfig', {
      ...listedDescriptionProp(object),
      clusterNetwork: refer(object, `${GROUP_HARVESTER_NETWORK}/ClusterNetwork`, textAt(manifest, 'spec', 'clusterNetwork') ?? ''),
      vlan: numberAt(manifest, 'spec', 'vlanID'),
      addresses: isStatic ? call('HostAddresses', 'fixed', addresses) : undefined,
      nodeSelector: mapAt(manifest, 'spec', 'nodeSelector', 'matchLabels'),
      nodeRequirements: listAt(manifest, 'spec', 'nodeSelector', 'matchExpressions').length > 0 ? requirements(valueAt(manifest, 'spec', 'nodeSelector', 'matchExpressions')) : undefined,
      underlay: unless(booleanAt(manifest, 'spec', 'underlay'), false),
    });
  },
  existing: byName('HostNetworkConfig'),
};
