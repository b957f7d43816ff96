import { newApp, newHarvester, newRancher } from './programs';
import { HarvesterApp } from '../../src/core/app/harvester-app';
import { HarvesterChart } from '../../src/harvester/harvester-chart';
import { ClusterId } from '../../src/rancher/cluster/managed-cluster';
import { HarvesterImport } from '../../src/rancher/import/harvester-import';
import { RancherChart } from '../../src/rancher/rancher-chart';

/** A Rancher with a Harvester that it imports: where tenants are. */
export interface TenantWorld {
  readonly app: HarvesterApp;
  readonly rancher: RancherChart;
  readonly dc1: HarvesterChart;
  readonly cluster: HarvesterImport;
}

/** The world of a tenant; the Harvester does not register, so that nothing is late. */
export function tenantWorld(version = '2.13.8', id = ClusterId.fixed('c-m-harvdc05')): TenantWorld {
  const app = newApp();
  const rancher = newRancher(app, version);
  const dc1 = newHarvester(app);
  return {
    app,
    rancher,
    dc1,
    cluster: new HarvesterImport(rancher, 'import', {
      harvester: dc1,
      clusterId: id,
      register: false,
    }),
  };
}
