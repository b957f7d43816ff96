import { join } from 'path';
import { Flux } from './flux';
import { REPOSITORY, kustomization } from './objects';
import { objectLabel } from '../../../../src/core/manifest/manifest';
import { describeCluster } from '../../clusters';
import { Platform } from '../../doubles/platform';
import { readManifests } from '../../manifests';
import { EXAMPLES } from '../bed/delivered-output';
import { delivered } from '../bed/write';

describeCluster('Flux, with the output for no engine', () => {
  let platform: Platform;
  let flux: Flux;

  beforeAll(async () => {
    platform = await Platform.start({ audit: true });
    flux = await Flux.start(platform);
  });

  afterAll(async () => {
    await flux?.stop();
    await platform?.stop();
  });

  test('never delivers tenants: the dry run of one Kustomization is refused, again and again', async () => {
    const folder = join(EXAMPLES, 'three-tenants', 'dist', 'rancher');
    const manifests = readManifests(folder);
    await flux.apply([REPOSITORY, kustomization('rancher', '.')]);
    await flux.push(folder);
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await flux.reconcile()).toEqual([
        expect.objectContaining({ status: 'False', reason: 'ReconciliationFailed' }),
      ]);
    }
    expect(await delivered(platform.clients.rancher, manifests)).toEqual(
      manifests.filter(({ kind }) => kind === 'Namespace').map(objectLabel),
    );
  });
});
