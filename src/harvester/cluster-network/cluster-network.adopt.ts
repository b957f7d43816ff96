import { MGMT_CLUSTER_NETWORK } from './cluster-network.kind';
import { Inverse, declare } from '../../core/draft/inverse';
import { GROUP_HARVESTER_NETWORK } from '../../core/manifest/names';
import { descriptionProp } from '../harvester-object.adopt';

/** From a ClusterNetwork to the construct. */
export const CLUSTER_NETWORK_INVERSE: Inverse = {
  kinds: [`${GROUP_HARVESTER_NETWORK}/ClusterNetwork`],
  drafts: (object) => declare(object, 'ClusterNetwork', descriptionProp(object)),
  existing: ({ name }) => (name === MGMT_CLUSTER_NETWORK
    ? { type: 'ClusterNetwork', method: 'mgmt', takesNoId: true, props: {} }
    : { type: 'ClusterNetwork', method: 'fromName', props: { name } }),
};
