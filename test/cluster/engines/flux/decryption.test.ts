import { mkdirSync, writeFileSync } from 'fs';
import { join } from 'path';
import { FLUX_NAMESPACE, Flux } from './flux';
import { REPOSITORY, kustomization } from './objects';
import { Manifest } from '../../../../src/core/manifest/manifest';
import { toYaml } from '../../../../src/core/yaml/yaml-writer';
import { tempFolder } from '../../../support/temp';
import { describeCluster } from '../../clusters';
import { Platform } from '../../doubles/platform';
import { encryptFields, newAgeKey } from '../bed/secret-tools';

const PASSWORD = 'hunter2-hunter2-hunter2';

const LOGIN: Manifest = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login', namespace: 'default' }, type: 'Opaque', stringData: { password: PASSWORD } };
const MESSAGE: Manifest = { apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', metadata: { name: 'ui-source' }, value: 'bundled' };

describeCluster('Flux, with a folder that sops encrypted', () => {
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

  test('delivers Secrets and the values of Settings in plain text, shows them nowhere, and then writes nothing', async () => {
    const [folder, key] = [tempFolder(), newAgeKey()];
    mkdirSync(join(folder, 'dc1'));
    const files = { 'secret.yaml': encryptFields(toYaml(LOGIN), key, '^(data|stringData)$'), 'setting.yaml': encryptFields(toYaml(MESSAGE), key, '^value$') };
    Object.entries(files).forEach(([name, text]) => writeFileSync(join(folder, 'dc1', name), text));
    expect(Object.values(files).join()).not.toMatch(/hunter2|bundled/);

    await flux.apply([
      REPOSITORY,
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'sops-age', namespace: FLUX_NAMESPACE }, stringData: { 'age.agekey': key.identity } },
      kustomization('dc1', './dc1', { kubeConfig: { secretRef: { name: 'dc1-kubeconfig' } }, decryption: { provider: 'sops', secretRef: { name: 'sops-age' } } }),
    ]);
    await flux.push(folder);
    await flux.untilReady();
    const { harvester } = platform.clients;
    expect(Buffer.from((await harvester.read(LOGIN)).body.data.password as string, 'base64').toString()).toBe(PASSWORD);
    expect((await harvester.read(MESSAGE)).body.value).toBe('bundled');

    flux.forgetWrites();
    await flux.reconcile();
    expect(flux.writes('harvester')).toEqual([]);
    expect([flux.log, ...await flux.events()].join('\n')).not.toMatch(/hunter2/);
  });
});
