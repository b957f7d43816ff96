import { readFileSync } from 'fs';
import { join } from 'path';
import {
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  ClusterId,
  NodeImages,
  RancherChart,
  TokenSource,
} from 'cdk8s-harvester';
import { AdditionalCa, HarvesterSetting, RancherSetting } from 'cdk8s-harvester/settings';

const REGISTRY = 'registry.internal.example.com';
const ca = readFileSync(join(__dirname, 'ca.pem'), 'utf8');

const app = new HarvesterApp();
const rancher = new RancherChart(app, 'rancher', {
  version: '2.13.8',
  serverUrl: 'https://rancher.internal.example.com',
  caCertificates: ca,
});
const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });

// agent images come from the internal registry
RancherSetting.systemDefaultRegistry(rancher, 'registry', REGISTRY);

// a SealedSecret or ExternalSecret `crt-token-sealed` contains the token, so it is not in Git; the
// Setting with the URL waits for it
new HarvesterImport(rancher, 'import-dc1', {
  harvester: dc1,
  clusterId: ClusterId.fixed('c-m-dc1'),
  registrationToken: TokenSource.secret({ name: 'sealed' }),
  agentEnvVars: {
    HTTPS_PROXY: 'http://proxy.internal.example.com:3128',
    NO_PROXY: '127.0.0.0/8,10.0.0.0/8,.svc,.cluster.local,.internal.example.com',
  },
});

// the same private authority signs the certificate of the registry
AdditionalCa.of(dc1).add(ca);
HarvesterSetting.containerdRegistry(dc1, 'registry', {
  mirrors: { 'docker.io': { endpoints: [`https://${REGISTRY}`] } },
});
HarvesterSetting.httpProxy(dc1, 'proxy', {
  httpProxy: 'http://proxy.internal.example.com:3128',
  httpsProxy: 'http://proxy.internal.example.com:3128',
  noProxy: ['10.0.0.0/8', '.internal.example.com'],
});

// images that the nodes load at boot, since they do not trust the registry yet
new NodeImages(dc1, 'images', {
  archives: [{ url: 'https://files.internal.example.com/rancher-import-images.tar' }],
});

app.synth();
