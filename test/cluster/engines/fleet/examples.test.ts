import { join } from 'path';
import { Fleet } from './fleet';
import { Delivery } from '../../../../src/delivery/delivery';
import { tempFolder } from '../../../support/temp';
import { describeCluster } from '../../clusters';
import { Platform } from '../../doubles/platform';
import { readManifests } from '../../manifests';
import { Delivered, examplesFor, missing, prepare, writeDelivered } from '../bed/delivered-output';

const DELIVERY = Delivery.fleet({
  repository: 'https://git.example.com/platform.git',
  path: 'dist',
});

describeCluster('Fleet, with the output for it', () => {
  let platform: Platform;
  let fleet: Fleet;

  beforeEach(async () => {
    platform = await Platform.start({ audit: true });
    platform.harvester.isComplete = true;
    fleet = await Fleet.start(platform);
  });

  afterEach(async () => {
    await fleet?.stop();
    await platform?.stop();
  });

  const writes = ({ targets }: Delivered): string[] =>
    targets.flatMap(({ kind }) => fleet.writes(kind));

  test.each(examplesFor('fleet'))(
    'delivers %s from its output alone, and then writes nothing',
    async (example) => {
      const folder = tempFolder();
      const delivered = writeDelivered(
        example,
        DELIVERY,
        join(folder, 'dist'),
        'on the same target',
      );
      await prepare(platform, example);
      const repositories = readManifests(join(folder, 'dist', 'fleet'));
      for (const {
        metadata: { name, namespace },
        spec,
      } of repositories) {
        const [{ clusterName }] = (spec as { targets: { clusterName: string }[] }).targets;
        await fleet.connect(
          delivered.targets.find((target) => target.name === name)!.kind,
          clusterName,
          namespace!,
        );
      }
      await fleet.apply(repositories);
      // folders that wait for `resolve` are an error of their GitRepo where it has no others
      const names = repositories.map(({ metadata: { name } }) => name);
      expect(fleet.push(folder)).toEqual(names.filter((name) => !delivered.inFiles.has(name)));
      await fleet.untilDeployed();
      expect(await missing(platform, delivered)).toEqual([]);

      fleet.forgetWrites();
      fleet.push(folder);
      await fleet.untilDeployed();
      expect(writes(delivered)).toEqual([]);
      expect(platform.problems).toEqual([]);
    },
  );
});
