import { Family } from './family';
import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import { VlanConfig } from '../../../src/harvester/cluster-network/vlan-config';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { IpPool } from '../../../src/harvester/ip-pool/ip-pool';
import { VmNetwork } from '../../../src/harvester/network/vm-network';

/** Names of cluster networks have at most 12 letters. */
const FABRIC = (prefix: string): string => prefix.slice(0, 8);

/** Of the first pool: one that no pool of a lab has. */
const PRIORITY = 918_273;

/** Networks of machines and pools of addresses. */
export const NETWORKS: Family = {
  title: 'networks',
  products: ['harvester'],
  base: ({ dc1, fixed }) => {
    ['one', 'two'].forEach((name) => new HarvesterNamespace(dc1, name, { name: fixed(name) }));
  },
  declare: ({ dc1, name, fixed, variation }, copy) => {
    const { isEdited, isReplaced, namespace: into, suffix } = variation;
    const namespace = HarvesterNamespace.fromName(dc1, `in-${copy}`, { name: fixed(into) });
    // the renamed pool has other addresses, and the priority of the one that leaves
    const subnet = copy * 2 + (isEdited ? 1 : 0) + (suffix === '' ? 0 : 4);
    const mgmt = ClusterNetwork.mgmt(dc1);
    const network = new VmNetwork(dc1, `vlan-${copy}`, {
      name: name('vlan'),
      namespace,
      clusterNetwork: mgmt,
      vlan: isReplaced ? 4001 : 4000 + 10 * copy,
      description: isEdited ? 'edited' : undefined,
    });
    new IpPool(dc1, `pool-${copy}`, {
      name: name('pool'),
      network,
      ranges: [{ subnet: `198.18.${subnet}.0/24` }],
      priority: PRIORITY + copy,
    });
  },
};

/** Uplinks of nodes: one that exists on no node, so that nothing happens to the network of the lab. */
export const UPLINKS: Family = {
  title: 'uplinks',
  products: ['harvester'],
  declare: ({ dc1, name, variation }, copy) => {
    const { isEdited } = variation;
    const fabric = new ClusterNetwork(dc1, `fabric-${copy}`, {
      name: FABRIC(name('')) + copy + (variation.suffix ? 'b' : ''),
      description: isEdited ? 'edited' : undefined,
    });
    new VlanConfig(dc1, `uplink-${copy}`, {
      name: name('uplink'),
      clusterNetwork: fabric,
      nics: isEdited ? ['none1', 'none2'] : ['none1'],
      nodeSelector: { 'kubernetes.io/hostname': 'no-such-node' },
    });
  },
};
