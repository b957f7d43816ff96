import { join } from 'path';
import {
  Delivery,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  Principal,
  ProjectMember,
  RancherChart,
  TenantProject,
  TokenSource,
} from '../../src';
import { Manifest } from '../../src/core/manifest/manifest';
import { readManifests } from '../../src/engine/files/documents';
import { HarvesterSetting } from '../../src/settings';
import { tempFolder } from '../support/temp';

export interface Platform {
  readonly app: HarvesterApp;
  readonly rancher: RancherChart;
  readonly dc1: HarvesterChart;
}

/** A Rancher with a tenant on an imported Harvester, whose registration waits for a late value. */
export function platform(delivery: Delivery, folder = tempFolder()): Platform {
  const app = new HarvesterApp({ outdir: folder, printWarnings: false, delivery });
  const rancher = new RancherChart(app, 'rancher', {
    version: '2.13.8',
    serverUrl: 'https://rancher.example.com',
  });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
  const cluster = new HarvesterImport(rancher, 'import-dc1', {
    harvester: dc1,
    registrationToken: TokenSource.secret({ name: 'crt-token-gitops' }),
  });
  new TenantProject(rancher, 'payments', {
    cluster,
    members: [ProjectMember.owner(Principal.user('okta_user://ana'))],
  });
  HarvesterSetting.ntpServers(dc1, 'ntp', ['0.pool.ntp.org']);
  return { app, rancher, dc1 };
}

/** The objects of a file of the output. */
export function objectsOf(folder: string, ...path: readonly string[]): Manifest[] {
  return readManifests(join(folder, ...path)).map(({ manifest }) => manifest);
}
