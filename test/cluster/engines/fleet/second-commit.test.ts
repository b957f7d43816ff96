import { join } from 'path';
import { Fleet } from './fleet';
import { Delivery } from '../../../../src/delivery/delivery';
import { tempFolder } from '../../../support/temp';
import { describeCluster } from '../../clusters';
import { Platform } from '../../doubles/platform';
import { readManifests } from '../../manifests';
import { Commit, POOL, uidsOf, writeCommit } from '../bed/second-commit';

const DELIVERY = Delivery.fleet({
  repository: 'https://git.example.com/platform.git',
  path: 'dist-shop',
});

describeCluster('Fleet, with commits that add and remove stages', () => {
  const folder = tempFolder();
  let platform: Platform;
  let fleet: Fleet;

  beforeAll(async () => {
    platform = await Platform.start({ audit: true });
    platform.harvester.isComplete = true;
    fleet = await Fleet.start(platform);
    await fleet.connect('harvester', 'dc1', 'fleet-default');
  });

  afterAll(async () => {
    await fleet?.stop();
    await platform?.stop();
  });

  async function deliver(commit: Commit, isFirst = false) {
    const manifests = writeCommit(folder, commit, DELIVERY);
    if (isFirst) {
      await fleet.apply(readManifests(join(folder, 'dist-shop', 'fleet')));
    }
    fleet.push(folder);
    await fleet.untilDeployed();
    return manifests;
  }

  test('delivers what is added by the GitRepo that was applied once, and deletes nothing', async () => {
    const client = platform.clients.harvester;
    const tenant = await deliver('a tenant', true);
    const before = await uidsOf(client, tenant);
    expect(before).not.toContain(undefined);
    fleet.forgetWrites();
    const more = await deliver('a tenant with more');
    expect(await uidsOf(client, more)).not.toContain(undefined);
    expect(await uidsOf(client, tenant)).toEqual(before);
    expect(fleet.writes('harvester').filter((line) => line.startsWith('delete'))).toEqual([]);
  });

  test('deletes the last object of a stage, and nothing else', async () => {
    const client = platform.clients.harvester;
    fleet.forgetWrites();
    const left = await deliver('the same without the pool');
    while ((await uidsOf(client, [POOL]))[0] !== undefined) {
      await fleet.deployments();
    }
    expect(await uidsOf(client, left)).not.toContain(undefined);
    expect(fleet.writes('harvester').filter((line) => line.startsWith('delete'))).toEqual([
      'delete ippools addresses',
    ]);
  });
});
