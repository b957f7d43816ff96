import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import { ApiObject } from 'cdk8s';
import { FLUX_NAMESPACE, Flux } from './flux';
import { REPOSITORY, kustomization } from './objects';
import { Delivery, HarvesterApp, HarvesterChart, SecretDelivery } from '../../../../src';
import { Manifest } from '../../../../src/core/manifest/manifest';
import { tempFolder } from '../../../support/temp';
import { describeCluster } from '../../clusters';
import { Platform } from '../../doubles/platform';
import { enginePath } from '../bed/engine-folder';
import { newAgeKey } from '../bed/secret-tools';

const PASSWORD = 'hunter2-hunter2-hunter2';
const LOGIN: Manifest = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login', namespace: 'default' }, type: 'Opaque', stringData: { password: PASSWORD } };
const PROXY: Manifest = {
  apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', metadata: { name: 'http-proxy' }, value: JSON.stringify({ httpProxy: `http://me:${PASSWORD}@proxy.example.com:3128` }),
};

describeCluster('Flux, with an output that SOPS encrypts', () => {
  let platform: Platform;
  let flux: Flux;

  beforeAll(async () => {
    platform = await Platform.start({ audit: true });
    flux = await Flux.start(platform);
    await flux.connect('harvester', 'dc1-kubeconfig');
  }, 180_000);

  afterAll(async () => {
    await flux?.stop();
    await platform?.stop();
  });

  test('delivers its secrets in plain text, shows them nowhere, and then writes nothing', async () => {
    const [folder, key] = [tempFolder(), newAgeKey()];
    const outdir = join(folder, 'dist');
    const app = new HarvesterApp({
      outdir,
      printWarnings: false,
      delivery: Delivery.flux({ repository: REPOSITORY.metadata.name, path: 'dist' }),
      secrets: SecretDelivery.sops({ recipients: [key.recipient], program: enginePath('secrets', 'sops') }),
    });
    const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
    for (const manifest of [LOGIN, PROXY]) { new ApiObject(dc1, manifest.metadata.name, manifest as never); }
    app.synth();
    const files = readdirSync(outdir, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(yaml|json)$/.test(file));
    expect(files.map((file) => readFileSync(join(outdir, file), 'utf8')).join()).not.toContain('hunter2');

    await flux.apply([
      REPOSITORY,
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'sops-age', namespace: FLUX_NAMESPACE }, stringData: { 'age.agekey': key.identity } },
      kustomization('platform', './dist/flux'),
    ]);
    await flux.push(folder);
    await flux.untilReady();
    const { harvester } = platform.clients;
    expect(Buffer.from((await harvester.read(LOGIN)).body.data.password as string, 'base64').toString()).toBe(PASSWORD);
    expect((await harvester.read(PROXY)).body.value).toBe(PROXY.value);

    flux.forgetWrites();
    await flux.reconcile();
    expect(flux.writes('harvester')).toEqual([]);
    expect([flux.log, ...await flux.events()].join('\n')).not.toMatch(/hunter2/);
  });
});
