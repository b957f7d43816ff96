import { enumValue } from '../../core/draft/draft';
import { Inverse, listAt, mapAt, numberAt, refer, textAt, unless, byName, declare } from '../../core/draft/inverse';
import { GROUP_HARVESTER_NETWORK } from '../../core/manifest/names';
import { listedDescriptionProp } from '../harvester-object.adopt';

/** From a VlanConfig to the construct. */
export const VLAN_CONFIG_INVERSE: Inverse = {
  kinds: [`${GROUP_HARVESTER_NETWORK}/VlanConfig`],
  drafts: (object) => {
    const { manifest } = object;
    const mode = textAt(manifest, 'spec', 'uplink', 'bondOptions', 'mode');
    const hardware = textAt(manifest, 'spec', 'uplink', 'linkAttributes', 'hardwareAddr');
    return declare(object, 'VlanConfig', {
      ...listedDescriptionProp(object),
      clusterNetwork: refer(object, `${GROUP_HARVESTER_NETWORK}/ClusterNetwork`, textAt(manifest, 'spec', 'clusterNetwork') ?? ''),
      nics: listAt(manifest, 'spec', 'uplink', 'nics'),
      nodeSelector: mapAt(manifest, 'spec', 'nodeSelector'),
      bondMode: enumValue('BondMode', unless(mode, 'active-backup')),
      bondMiimon: numberAt(manifest, 'spec', 'uplink', 'bondOptions', 'miimon'),
      mtu: numberAt(manifest, 'spec', 'uplink', 'linkAttributes', 'mtu'),
      macAddress: hardware && Buffer.from(hardware, 'base64').toString('hex').replace(/..(?!$)/g, '$&:'),
      txQueueLength: numberAt(manifest, 'spec', 'uplink', 'linkAttributes', 'txQLen'),
    });
  },
  existing: byName('VlanConfig'),
};
