import { join } from 'path';
import { ArgoCd } from './argo-cd';
import { Delivery } from '../../../../src/delivery/delivery';
import { tempFolder } from '../../../support/temp';
import { describeCluster } from '../../clusters';
import { Platform } from '../../doubles/platform';
import { readManifests } from '../../manifests';
import { Commit, POOL, uidsOf, writeCommit } from '../bed/second-commit';

describeCluster('Argo CD, with commits that add and remove stages', () => {
  const folder = tempFolder();
  let platform: Platform;
  let argoCd: ArgoCd;

  beforeAll(async () => {
    platform = await Platform.start({ audit: true });
    platform.harvester.isComplete = true;
    argoCd = await ArgoCd.start(platform);
    await argoCd.connect('harvester', 'dc1');
  });

  afterAll(async () => {
    await argoCd?.stop();
    await platform?.stop();
  });

  function push(commit: Commit) {
    const manifests = writeCommit(
      folder,
      commit,
      Delivery.argoCd({ repository: argoCd.repository, revision: 'main', path: 'dist-shop' }),
    );
    argoCd.push(folder);
    return manifests;
  }

  test('delivers what is added by the Application that was applied once, and deletes nothing', async () => {
    const client = platform.clients.harvester;
    const tenant = push('a tenant');
    await argoCd.apply(readManifests(join(folder, 'dist-shop', 'argo-cd')));
    await argoCd.untilSynced();
    const before = await uidsOf(client, tenant);
    expect(before).not.toContain(undefined);
    argoCd.forgetWrites();
    const more = push('a tenant with more');
    await argoCd.refresh();
    await argoCd.untilSynced();
    expect(await uidsOf(client, more)).not.toContain(undefined);
    expect(await uidsOf(client, tenant)).toEqual(before);
    expect(argoCd.writes('harvester').filter((line) => line.startsWith('delete'))).toEqual([]);
  });

  test('deletes the last object of a stage, and nothing else', async () => {
    argoCd.forgetWrites();
    const left = push('the same without the pool');
    await argoCd.refresh();
    await argoCd.untilSynced();
    expect(await uidsOf(platform.clients.harvester, [POOL])).toEqual([undefined]);
    expect(await uidsOf(platform.clients.harvester, left)).not.toContain(undefined);
    expect(argoCd.writes('harvester').filter((line) => line.startsWith('delete'))).toEqual([
      'delete ippools addresses',
    ]);
  });
});
