import { readFileSync } from 'fs';
import { join } from 'path';
import {
  AdditionalCa, HarvesterApp, HarvesterChart, HarvesterImport, HarvesterSetting, ManagementClusterId, NodeImages, RancherChart, RancherSetting,
  TokenSource,
} from 'cdk8s-harvester';

const REGISTRY = 'registry.internal.example.com';
const ca = readFileSync(join(__dirname, 'ca.pem'), 'utf8');

const app = new HarvesterApp();
const rancher = new RancherChart(app, 'rancher', { version: '2.13.8', serverUrl: 'https://rancher.internal.example.com', caCertificates: ca });
const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });

// the agent images come from the registry inside
RancherSetting.systemDefaultRegistry(rancher, 'registry', REGISTRY);

// the token comes from a SealedSecret or ExternalSecret `crt-token-sealed`, so that Git holds none; the Setting with the URL is a late value
new HarvesterImport(rancher, 'import-dc1', {
  harvester: dc1,
  managementClusterId: ManagementClusterId.fixed('c-m-dc1'),
  token: TokenSource.secret({ name: 'sealed' }),
  agentEnvVars: { HTTPS_PROXY: 'http://proxy.internal.example.com:3128', NO_PROXY: '127.0.0.0/8,10.0.0.0/8,.svc,.cluster.local,.internal.example.com' },
});

// the registry is signed by the same private authority
AdditionalCa.of(dc1).trust(ca);
HarvesterSetting.containerdRegistry(dc1, 'registry', {
  mirrors: { 'docker.io': { endpoints: [`https://${REGISTRY}`] } },
});
HarvesterSetting.httpProxy(dc1, 'proxy', {
  httpProxy: 'http://proxy.internal.example.com:3128',
  httpsProxy: 'http://proxy.internal.example.com:3128',
  noProxy: ['10.0.0.0/8', '.internal.example.com'],
});

// what the registry can not serve before the nodes trust it: loaded when they boot
new NodeImages(dc1, 'images', {
  archives: [{ url: 'https://files.internal.example.com/rancher-import-images.tar' }],
});

app.synth();
