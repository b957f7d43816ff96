import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'fs';
import { join } from 'path';
import { ApiObject } from 'cdk8s';
import { FLUX_NAMESPACE, Flux } from './flux';
import { REPOSITORY, kustomization } from './objects';
import { Delivery, HarvesterApp, HarvesterChart, SecretDelivery } from '../../../../src';
import { Manifest } from '../../../../src/core/manifest/manifest';
import { toYaml } from '../../../../src/core/yaml/yaml-writer';
import { tempFolder } from '../../../support/temp';
import { describeCluster } from '../../clusters';
import { Platform } from '../../doubles/platform';
import { enginePath } from '../bed/engine-folder';
import { AgeKey, encryptFields, newAgeKey } from '../bed/secret-tools';

const PASSWORD = 'hunter2-hunter2-hunter2';
const LOGIN: Manifest = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'login', namespace: 'default' },
  type: 'Opaque',
  stringData: { password: PASSWORD },
};
const PROXY: Manifest = {
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'Setting',
  metadata: { name: 'http-proxy' },
  value: JSON.stringify({ httpProxy: `http://me:${PASSWORD}@proxy.example.com:3128` }),
};

/** Writes the output of a program that encrypts, and returns what delivers it. */
function encryptedOutput(folder: string, { recipient }: AgeKey): Manifest {
  const app = new HarvesterApp({
    outdir: join(folder, 'dist'),
    printWarnings: false,
    delivery: Delivery.flux({ sourceName: REPOSITORY.metadata.name, path: 'dist' }),
    secrets: SecretDelivery.sops({
      recipients: [recipient],
      program: enginePath('secrets', 'sops'),
    }),
  });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
  for (const manifest of [LOGIN, PROXY]) {
    new ApiObject(dc1, manifest.metadata.name, manifest as never);
  }
  app.synth();
  return kustomization('platform', './dist/flux');
}

/** Writes manifests that sops encrypted without the library, and returns what delivers them. */
function encryptedByHand(folder: string, key: AgeKey): Manifest {
  mkdirSync(join(folder, 'dc1'));
  writeFileSync(
    join(folder, 'dc1', 'secret.yaml'),
    encryptFields(toYaml(LOGIN), key, '^(data|stringData)$'),
  );
  writeFileSync(join(folder, 'dc1', 'setting.yaml'), encryptFields(toYaml(PROXY), key, '^value$'));
  return kustomization('dc1', './dc1', {
    kubeConfig: { secretRef: { name: 'dc1-kubeconfig' } },
    decryption: { provider: 'sops', secretRef: { name: 'sops-age' } },
  });
}

describeCluster('Flux, with what sops encrypted', () => {
  let platform: Platform;
  let flux: Flux;

  beforeEach(async () => {
    platform = await Platform.start({ audit: true });
    flux = await Flux.start(platform);
    await flux.connect('harvester', 'dc1-kubeconfig');
  });

  afterEach(async () => {
    await flux?.stop();
    await platform?.stop();
  });

  test.each([
    ['the output of a program', encryptedOutput],
    ['a folder', encryptedByHand],
  ])(
    'delivers the secrets of %s in plain text, shows them nowhere, and then writes nothing',
    async (_, writeTo) => {
      const [folder, key] = [tempFolder(), newAgeKey()];
      const entry = writeTo(folder, key);
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
        /\.(yaml|json)$/.test(file),
      );
      expect(files.map((file) => readFileSync(join(folder, file), 'utf8')).join()).not.toContain(
        'hunter2',
      );
      expect(files.length).toBeGreaterThan(1);

      const age = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'sops-age', namespace: FLUX_NAMESPACE },
        stringData: { 'age.agekey': key.identity },
      };
      await flux.apply([REPOSITORY, age, entry]);
      await flux.push(folder);
      await flux.untilReady();
      const { harvester } = platform.clients;
      expect(
        Buffer.from(
          (await harvester.read(LOGIN)).body.data.password as string,
          'base64',
        ).toString(),
      ).toBe(PASSWORD);
      expect((await harvester.read(PROXY)).body.value).toBe(PROXY.value);

      flux.forgetWrites();
      await flux.reconcile();
      expect(flux.writes('harvester')).toEqual([]);
      expect([flux.log, ...(await flux.events())].join('\n')).not.toMatch(/hunter2/);
    },
  );
});
