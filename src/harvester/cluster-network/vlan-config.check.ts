import { checkClusterNetworkName, checkMtu } from './cluster-network.check';
import { MGMT_CLUSTER_NETWORK } from './cluster-network.kind';
import { isLate } from '../../core/late/late-token';
import { isRecord, valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { plainText } from '../../core/text/plain-text';

/** The bond modes of an uplink. @see https://www.kernel.org/doc/Documentation/networking/bonding.txt */
const BOND_MODES = ['balance-rr', 'active-backup', 'balance-xor', 'broadcast', '802.3ad', 'balance-tlb', 'balance-alb'] as const;

/**
 * Checks a VlanConfig on its own.
 * @see harvester/network-controller-harvester:pkg/webhook/vlanconfig/validator.go; pkg/apis/network.harvesterhci.io/v1beta1/vlanconfig.go
 */
export function* checkVlanConfig(spec: { readonly [field: string]: unknown }): Iterable<Problem> {
  const { clusterNetwork, uplink } = spec;
  yield* checkClusterNetworkName('spec.clusterNetwork', clusterNetwork);
  if (clusterNetwork === MGMT_CLUSTER_NETWORK) {
    yield {
      path: 'spec.clusterNetwork',
      value: clusterNetwork,
      message: 'cannot have a VlanConfig: its uplinks come from the installer',
      fix: 'declare a ClusterNetwork',
      says: `users can't create vlanConfig for ${MGMT_CLUSTER_NETWORK} cluster network`,
    };
  }
  if (!isRecord(uplink)) {
    yield { path: 'spec.uplink', message: 'must be set', fix: 'set the interfaces in uplink.nics', says: 'spec.uplink: Required value' };
    return;
  }
  yield* checkNics(uplink.nics);
  yield* checkMtu('spec.uplink.linkAttributes.mtu', valueAt(uplink, 'linkAttributes', 'mtu'));
  const mode = valueAt(uplink, 'bondOptions', 'mode');
  if (mode !== undefined && mode !== null && !isLate(mode) && !BOND_MODES.some((known) => known === mode)) {
    yield { path: 'spec.uplink.bondOptions.mode', value: mode, message: `must be one of ${BOND_MODES.join(', ')}`, fix: 'choose a bond mode', says: `Unsupported value: "${plainText(mode)}"` };
  }
  for (const path of [['bondOptions', 'miimon'], ['linkAttributes', 'txQLen']]) {
    const value = valueAt(uplink, ...path);
    if (value !== undefined && value !== null && !isLate(value) && (!Number.isInteger(value) || Number(value) < -1)) {
      yield { path: `spec.uplink.${path.join('.')}`, value, message: 'must be a whole number of 0 or more, or -1 for the default', fix: 'set 0 or more, or remove it', says: 'should be greater than or equal to -1' };
    }
  }
}

// the server accepts an uplink without interfaces, but the network never becomes ready on the nodes
function* checkNics(nics: unknown): Iterable<Problem> {
  const path = 'spec.uplink.nics';
  const names = Array.isArray(nics) ? nics : [];
  if (names.length === 0) {
    yield { path, level: 'warning', message: 'must contain an interface: otherwise the cluster network has no uplink', fix: 'add the interfaces of the nodes, e.g. enp2s0' };
  }
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) !== index) { yield { path: `${path}[${index}]`, value: name, level: 'warning', message: 'must be unique', fix: 'list each interface once' }; }
  }
}
