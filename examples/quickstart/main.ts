import { HarvesterApp, HarvesterChart, HarvesterImport, HarvesterSetting, RancherChart, SecretValue, TokenSource } from 'cdk8s-harvester';

const app = new HarvesterApp();
const rancher = new RancherChart(app, 'rancher', { version: '2.13.8', serverUrl: 'https://rancher.example.com' });
const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });

// one commit is enough: the management cluster ID is fixed, the token is in the program, and nothing is read back from a cluster
new HarvesterImport(rancher, 'import-dc1', {
  harvester: dc1,
  description: 'Harvester of data center 1',
  // an example token; create yours with `openssl rand -hex 27` and keep it out of the source: SecretValue.fromEnv, or TokenSource.secret
  token: TokenSource.value(SecretValue.unsafePlainText('exampleonly0123456789abcdefghijklmnopqrstuvwxyz012345')),
});

HarvesterSetting.ntpServers(dc1, 'ntp', ['0.pool.ntp.org', '1.pool.ntp.org']);
HarvesterSetting.overcommitConfig(dc1, 'overcommit', { cpuPercent: 800, memoryPercent: 120, storagePercent: 150 });

app.synth();
