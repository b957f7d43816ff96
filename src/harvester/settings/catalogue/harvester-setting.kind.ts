import { FoundReference, KindDescription, ON_HARVESTER } from '../../../core/kind/kind';
import { Manifest } from '../../../core/manifest/manifest';
import { GROUPS, GROUP_HARVESTER_NETWORK } from '../../../core/manifest/names';
import { NETWORK_SETTINGS, SETTING } from '../harvester-setting.kind';

/** Harvester's Setting. @see harvester/harvester:pkg/apis/harvesterhci.io/v1beta1/setting.go; seen on Harvester 1.7.2 */
export const HARVESTER_SETTING_DESCRIPTION: KindDescription = {
  group: GROUPS.HARVESTER,
  version: 'v1beta1',
  kind: 'Setting',
  scope: 'Cluster',
  targets: ON_HARVESTER,
  rank: 12,
  rankOf: ({ metadata: { name } }) => {
    // after ClusterNetworks and VlanConfigs: Harvester refuses a network setting whose cluster network does not exist
    if (NETWORK_SETTINGS.includes(name)) { return 24; }
    // after Secrets: Harvester refuses it without the Secret that leads to Rancher
    return name === SETTING.RANCHER_CLUSTER ? 16 : undefined;
  },
  references: clusterNetworkOf,
  writtenByOthers: ['default', 'customized', 'source', 'metadata.annotations', 'metadata.finalizers'],
  kept: [{ never: true, says: 'a Setting is Harvester\'s: it is reset, never deleted' }],
};

/** The cluster network that a network setting names in its JSON. */
function clusterNetworkOf({ metadata: { name: setting }, value }: Manifest): FoundReference[] {
  if (!NETWORK_SETTINGS.includes(setting) || typeof value !== 'string') { return []; }
  const name = /"clusterNetwork"\s*:\s*"([^"]+)"/.exec(value)?.[1];
  return name === undefined ? [] : [{ group: GROUP_HARVESTER_NETWORK, kind: 'ClusterNetwork', name }];
}
