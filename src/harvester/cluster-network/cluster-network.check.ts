import { BRIDGE_SUFFIX, MAX_DEVICE_NAME, MGMT_CLUSTER_NETWORK } from './cluster-network.kind';
import { isLate } from '../../core/late/late-token';
import { Problem } from '../../core/rule/problem';
import { given, plainText } from '../../core/text/plain-text';

/** The default MTU of a cluster network. @see harvester/network-controller-harvester:pkg/utils/consts.go DefaultMTU */
export const DEFAULT_MTU = 1500;

const MIN = 576;
const MAX = 9000;

/** Checks the MTU of a cluster network. 0 is the default. @see harvester/network-controller-harvester:pkg/utils/mtu.go IsValidMTU */
export function* checkMtu(path: string, mtu: unknown): Iterable<Problem> {
  if (mtu === undefined || mtu === null || mtu === 0 || isLate(mtu)) { return; }
  if (!Number.isInteger(mtu) || Number(mtu) < MIN || Number(mtu) > MAX) {
    yield { path, value: mtu, message: `must be ${MIN} to ${MAX}`, fix: `set an MTU, or remove it for ${DEFAULT_MTU}`, says: `the MTU ${plainText(mtu)} is out of range [0, ${MIN}..${MAX}]` };
  }
}

/** The MTU in effect. */
export function effectiveMtu(mtu: unknown): number {
  return typeof mtu === 'number' && mtu !== 0 ? mtu : DEFAULT_MTU;
}

const MAX_LENGTH = MAX_DEVICE_NAME - BRIDGE_SUFFIX.length;

/**
 * Checks the name of a cluster network, which with the suffix `-br` names a Linux bridge.
 * @see harvester/network-controller-harvester:pkg/utils/clusternetwork.go IsClusterNetworkNameValid
 */
export function* checkClusterNetworkName(path: string, name: unknown): Iterable<Problem> {
  if (isLate(name)) { return; }
  if (typeof name !== 'string' || name === '') {
    yield { path, ...given(name), message: 'must be the name of a cluster network', fix: `set a name such as ${MGMT_CLUSTER_NETWORK}` };
  } else if (Buffer.byteLength(name) > MAX_LENGTH) {
    yield {
      path,
      value: name,
      message: `must have at most ${MAX_LENGTH} characters: the name of the bridge ${name}${BRIDGE_SUFFIX} may have ${MAX_DEVICE_NAME}`,
      fix: 'choose a shorter name',
      says: `the length of the clusterNetwork name ${name} is more than ${MAX_LENGTH}`,
    };
  }
}
