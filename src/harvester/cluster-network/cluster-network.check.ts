import { BRIDGE_SUFFIX, MAX_DEVICE_NAME, MGMT_CLUSTER_NETWORK } from './cluster-network.kind';
import { isLate } from '../../core/late/late-token';
import { Problem } from '../../core/rule/problem';
import { given, plainText } from '../../core/text/plain-text';

/** The MTU of a cluster network that names none. @see harvester/network-controller-harvester:pkg/utils/consts.go DefaultMTU */
export const DEFAULT_MTU = 1500;

const MIN = 576;
const MAX = 9000;

/** What is no MTU of a cluster network; 0 is the default. @see harvester/network-controller-harvester:pkg/utils/mtu.go IsValidMTU */
export function* checkMtu(path: string, mtu: unknown): Iterable<Problem> {
  if (mtu === undefined || mtu === null || mtu === 0 || isLate(mtu)) { return; }
  if (!Number.isInteger(mtu) || Number(mtu) < MIN || Number(mtu) > MAX) {
    yield { path, value: mtu, message: 'is no MTU', fix: `use ${MIN} to ${MAX}, or leave it out for ${DEFAULT_MTU}`, says: `the MTU ${plainText(mtu)} is out of range [0, ${MIN}..${MAX}]` };
  }
}

/** The MTU that counts. */
export function effectiveMtu(mtu: unknown): number {
  return typeof mtu === 'number' && mtu !== 0 ? mtu : DEFAULT_MTU;
}

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
