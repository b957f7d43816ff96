import { given } from './plain-text';
import { BRIDGE_SUFFIX, MAX_DEVICE_NAME, MGMT_CLUSTER_NETWORK } from '../infrastructure-names';
import { isLate } from '../late-token';
import { Problem } from '../problem';

const MAX_LENGTH = MAX_DEVICE_NAME - BRIDGE_SUFFIX.length;

/**
 * What can be no name of a cluster network: a bridge of Linux gets it, with `-br` behind.
 * @see harvester/network-controller-harvester:pkg/utils/clusternetwork.go IsClusterNetworkNameValid
 */
export function* checkClusterNetworkName(path: string, name: unknown): Iterable<Problem> {
  if (isLate(name)) { return; }
  if (typeof name !== 'string' || name === '') {
    yield { path, ...given(name), message: 'is no name of a cluster network', fix: `name one, e.g. ${MGMT_CLUSTER_NETWORK}` };
  } else if (Buffer.byteLength(name) > MAX_LENGTH) {
    yield {
      path,
      value: name,
      message: `has ${name.length} characters, and the bridge ${name}${BRIDGE_SUFFIX} may have ${MAX_DEVICE_NAME}`,
      fix: `use up to ${MAX_LENGTH}`,
      says: `the length of the clusterNetwork name ${name} is more than ${MAX_LENGTH}`,
    };
  }
}
