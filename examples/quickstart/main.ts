import { HarvesterApp, HarvesterChart, HarvesterImport, RancherChart } from 'cdk8s-harvester';
import { HarvesterSetting } from 'cdk8s-harvester/settings';

const app = new HarvesterApp();
const rancher = new RancherChart(app, 'rancher', {
  version: '2.13.8',
  serverUrl: 'https://rancher.example.com',
});
const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });

// Rancher creates the registration token: no secret is in the program or in its output, and apply
// reads it
new HarvesterImport(rancher, 'import-dc1', {
  harvester: dc1,
  description: 'Harvester of data center 1',
});

HarvesterSetting.ntpServers(dc1, 'ntp', ['0.pool.ntp.org', '1.pool.ntp.org']);
HarvesterSetting.overcommitConfig(dc1, 'overcommit', {
  cpuPercent: 800,
  memoryPercent: 120,
  storagePercent: 150,
});

app.synth();
