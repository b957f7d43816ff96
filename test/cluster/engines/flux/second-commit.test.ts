import { Flux } from './flux';
import { REPOSITORY, kustomization } from './objects';
import { Delivery } from '../../../../src/delivery/delivery';
import { tempFolder } from '../../../support/temp';
import { describeCluster } from '../../clusters';
import { Platform } from '../../doubles/platform';
import { Commit, POOL, uidsOf, writeCommit } from '../bed/second-commit';

const DELIVERY = Delivery.flux({ sourceName: REPOSITORY.metadata.name, path: 'dist-shop' });

describeCluster('Flux, with commits that add and remove stages', () => {
  const folder = tempFolder();
  let platform: Platform;
  let flux: Flux;

  beforeAll(async () => {
    platform = await Platform.start({ audit: true });
    platform.harvester.isComplete = true;
    flux = await Flux.start(platform);
    await flux.connect('harvester', 'dc1-kubeconfig');
    await flux.apply([REPOSITORY, kustomization('platform', './dist-shop/flux')]);
  });

  afterAll(async () => {
    await flux?.stop();
    await platform?.stop();
  });

  async function deliver(commit: Commit) {
    const manifests = writeCommit(folder, commit, DELIVERY);
    await flux.push(folder);
    await flux.untilReady();
    return manifests;
  }

  test('delivers what is added, and deletes nothing', async () => {
    const client = platform.clients.harvester;
    const tenant = await deliver('a tenant');
    const before = await uidsOf(client, tenant);
    expect(before).not.toContain(undefined);
    flux.forgetWrites();
    const more = await deliver('a tenant with more');
    expect(await uidsOf(client, more)).not.toContain(undefined);
    expect(await uidsOf(client, tenant)).toEqual(before);
    expect(flux.writes('harvester').filter((line) => line.startsWith('delete'))).toEqual([]);
  });

  test('deletes the last object of a stage, and nothing else', async () => {
    const client = platform.clients.harvester;
    flux.forgetWrites();
    const left = await deliver('the same without the pool');
    while ((await uidsOf(client, [POOL]))[0] !== undefined) {
      await flux.untilReady();
    }
    expect(await uidsOf(client, left)).not.toContain(undefined);
    expect(flux.writes('harvester').filter((line) => line.startsWith('delete'))).toEqual([
      'delete ippools addresses',
    ]);
  });
});
