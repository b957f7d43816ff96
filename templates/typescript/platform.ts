import { Size } from 'cdk8s';
import {
  Cpu,
  HarvesterChart,
  HarvesterImport,
  Principal,
  ProjectMember,
  RancherChart,
  TenantProject,
  type HarvesterApp,
} from 'cdk8s-harvester';
import { HarvesterSetting } from 'cdk8s-harvester/settings';

/** Declares everything on all clusters. */
export function platform(app: HarvesterApp): void {
  // your versions and addresses
  const rancher = new RancherChart(app, 'rancher', {
    version: '2.15.0',
    serverUrl: 'https://rancher.example.com',
  });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.9.0', vip: '10.10.0.10' });

  const harvester = new HarvesterImport(rancher, 'import-dc1', { harvester: dc1 });

  HarvesterSetting.ntpServers(dc1, 'ntp', ['0.pool.ntp.org', '1.pool.ntp.org']);

  // a team: its members, its namespace for machines, and how much it may use
  new TenantProject(rancher, 'payments', {
    cluster: harvester,
    tenantNamespaces: [{ name: 'payments-vms' }],
    quota: { limitsCpu: Cpu.units(32), limitsMemory: Size.gibibytes(128) },
    members: [ProjectMember.owner(Principal.group('okta_group://payments'))],
  });
}
