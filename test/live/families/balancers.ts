import { Family } from './family';
import { Ipam } from '../../../src/guest/balancer/service-address';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { IpPool } from '../../../src/harvester/ip-pool/ip-pool';
import { VmLoadBalancer } from '../../../src/harvester/load-balancer/vm-load-balancer';

/** Load balancers of virtual machines, which have no machines. */
export const BALANCERS: Family = {
  title: 'balancers',
  products: ['harvester'],
  base: ({ dc1, fixed }) => {
    ['one', 'two'].forEach((name) => new HarvesterNamespace(dc1, name, { name: fixed(name) }));
  },
  declare: ({ dc1, name, fixed, variation }, copy) => {
    const { isEdited, isReplaced, namespace: into } = variation;
    const place = 10 * copy + (variation.suffix ? 5 : 0);
    const pool = IpPool.singleAddress(dc1, `address-${copy}`, {
      name: name('address'),
      address: `198.18.200.${100 + place}`,
    });
    new VmLoadBalancer(dc1, `balancer-${copy}`, {
      name: name('balancer'),
      namespace: HarvesterNamespace.fromName(dc1, `in-${copy}`, { name: fixed(into) }),
      ipam: isReplaced ? Ipam.dhcp() : Ipam.pool(pool),
      listeners: [{ port: 5432, ...(isEdited ? { backendPort: 15432 } : {}) }],
      backendSelector: { app: [isEdited ? 'mysql' : 'postgres'] },
    });
  },
};
