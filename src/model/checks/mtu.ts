import { plainText } from './plain-text';
import { isLate } from '../late-token';
import { Problem } from '../problem';

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
