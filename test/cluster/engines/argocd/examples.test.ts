import { join } from 'path';
import { ArgoCd } from './argo-cd';
import { Manifest } from '../../../../src/core/manifest/manifest';
import { Delivery } from '../../../../src/delivery/delivery';
import { tempFolder } from '../../../support/temp';
import { describeCluster } from '../../clusters';
import { Platform } from '../../doubles/platform';
import { readManifests } from '../../manifests';
import { Delivered, examplesFor, missing, prepare, writeDelivered } from '../bed/delivered-output';

/** An Application of an example, with the repository of the test. */
function inRepository(manifest: Manifest, repoURL: string): Manifest {
  const { source, ...spec } = (manifest.spec ?? {}) as { source?: object };
  return source ? { ...manifest, spec: { ...spec, source: { ...source, repoURL } } } : manifest;
}

describeCluster('Argo CD, with the output for it', () => {
  let platform: Platform;
  let argoCd: ArgoCd;

  beforeEach(async () => {
    platform = await Platform.start({ audit: true });
    platform.harvester.isComplete = true;
    argoCd = await ArgoCd.start(platform);
  });

  afterEach(async () => {
    await argoCd?.stop();
    await platform?.stop();
  });

  const writes = ({ targets }: Delivered): string[] =>
    targets.flatMap(({ kind }) => argoCd.writes(kind));

  test.each(examplesFor('argocd'))(
    'delivers %s from its output alone, and then writes nothing',
    async (example) => {
      const folder = tempFolder();
      const delivered = writeDelivered(
        example,
        Delivery.argoCd({ repository: argoCd.repository, revision: 'main', path: 'dist' }),
        join(folder, 'dist'),
        'nowhere',
      );
      await prepare(platform, example);
      for (const { name, kind } of delivered.targets.filter(
        (target) => target.kind !== 'rancher',
      )) {
        await argoCd.connect(kind, name);
      }
      argoCd.push(folder);
      await argoCd.apply(
        readManifests(join(folder, 'dist', 'argo-cd')).map((manifest) =>
          inRepository(manifest, argoCd.repository),
        ),
      );
      await argoCd.untilSynced();
      expect(await missing(platform, delivered)).toEqual([]);

      argoCd.forgetWrites();
      const states = await argoCd.refresh();
      expect(states.flatMap(({ outOfSync }) => outOfSync)).toEqual([]);
      expect(writes(delivered)).toEqual([]);
      expect(platform.problems).toEqual([]);
    },
  );
});
