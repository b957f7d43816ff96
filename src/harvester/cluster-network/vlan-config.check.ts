import { checkClusterNetworkName, checkMtu } from './cluster-network.check';
import { MGMT_CLUSTER_NETWORK } from './cluster-network.kind';
import { isLate } from '../../core/late/late-token';
import { isRecord, valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { plainText } from '../../core/text/plain-text';

/** How the interfaces of an uplink share the traffic. @see https://www.kernel.org/doc/Documentation/networking/bonding.txt */
export const BOND_MODES = ['balance-rr', 'active-backup', 'balance-xor', 'broadcast', '802.3ad', 'balance-tlb', 'balance-alb'] as const;

/**
 * What Harvester refuses in a VlanConfig by itself.
 * @see harvester/network-controller-harvester:pkg/webhook/vlanconfig/validator.go; pkg/apis/network.harvesterhci.io/v1beta1/vlanconfig.go
 */
export function* checkVlanConfig(spec: { readonly [field: string]: unknown }): Iterable<Problem> {
  const { clusterNetwork, uplink } = spec;
  yield* checkClusterNetworkName('spec.clusterNetwork', clusterNetwork);
  if (clusterNetwork === MGMT_CLUSTER_NETWORK) {
    yield {
      path: 'spec.clusterNetwork',
      value: clusterNetwork,
      message: 'has the uplinks that the installer gave it, and takes no VlanConfig',
      fix: 'make a ClusterNetwork of your own',
      says: `users can't create vlanConfig for ${MGMT_CLUSTER_NETWORK} cluster network`,
    };
  }
  if (!isRecord(uplink)) {
    yield { path: 'spec.uplink', message: 'is missing', fix: 'name the interfaces: uplink.nics', says: 'spec.uplink: Required value' };
    return;
  }
  yield* checkNics(uplink.nics);
  yield* checkMtu('spec.uplink.linkAttributes.mtu', valueAt(uplink, 'linkAttributes', 'mtu'));
  const mode = valueAt(uplink, 'bondOptions', 'mode');
  if (mode !== undefined && mode !== null && !isLate(mode) && !BOND_MODES.some((known) => known === mode)) {
    yield { path: 'spec.uplink.bondOptions.mode', value: mode, message: 'is no mode of a bond', fix: `use ${BOND_MODES.join(', ')}`, says: `Unsupported value: "${plainText(mode)}"` };
  }
  for (const path of [['bondOptions', 'miimon'], ['linkAttributes', 'txQLen']]) {
    const value = valueAt(uplink, ...path);
    if (value !== undefined && value !== null && !isLate(value) && (!Number.isInteger(value) || Number(value) < -1)) {
      yield { path: `spec.uplink.${path.join('.')}`, value, message: 'is out of range', fix: 'use a whole number from 0, or -1 for the default', says: 'should be greater than or equal to -1' };
    }
  }
}

// the server takes an uplink without interfaces: the network never becomes ready on the nodes
function* checkNics(nics: unknown): Iterable<Problem> {
  const path = 'spec.uplink.nics';
  const names = Array.isArray(nics) ? nics : [];
  if (names.length === 0) {
    yield { path, level: 'warning', message: 'names no interface: the cluster network leads nowhere', fix: 'name the interfaces of the nodes, e.g. enp2s0' };
  }
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) !== index) { yield { path: `${path}[${index}]`, value: name, level: 'warning', message: 'is named twice', fix: 'name each interface once' }; }
  }
}
