import { join } from 'path';
import { Flux } from './flux';
import { REPOSITORY, kustomization } from './objects';
import { objectLabel } from '../../../../src/core/manifest/manifest';
import { Delivery } from '../../../../src/delivery/delivery';
import { tempFolder } from '../../../support/temp';
import { ClusterKind, describeCluster } from '../../clusters';
import { Platform } from '../../doubles/platform';
import { Delivered, EXAMPLE_NAMES, PRECONDITIONS, writeDelivered } from '../bed/delivered-output';
import { write } from '../bed/write';

const DELIVERY = Delivery.flux({ repository: REPOSITORY.metadata.name, path: 'dist' });

/** Harvester's webhook adds a label at the first update of a network, not at its creation, so the first dry run of an update differs: test/recordings. */
const LABELED_AT_UPDATE = /^patch network-attachment-definitions /;

describeCluster('Flux, with the output for it', () => {
  let platform: Platform;
  let flux: Flux;

  beforeEach(async () => {
    platform = await Platform.start({ audit: true });
    platform.harvester.isComplete = true;
    flux = await Flux.start(platform);
  });

  afterEach(async () => {
    await flux?.stop();
    await platform?.stop();
  });

  /** Labels of the objects that are on no server. */
  async function missing({ objects }: Delivered): Promise<string[]> {
    const answers = await Promise.all(objects.map(async ({ target: { kind }, manifest }) => platform.clients[kind].read(manifest)));
    return objects.filter((_, index) => answers[index].status !== 200).map(({ manifest }) => objectLabel(manifest));
  }

  const writes = ({ targets }: Delivered): string[] => targets.flatMap(({ kind }) => flux.writes(kind));

  test.each(EXAMPLE_NAMES)('delivers %s from its output alone, and then writes nothing', async (example) => {
    const folder = tempFolder();
    const delivered = writeDelivered(example, DELIVERY, join(folder, 'dist'));
    for (const [kind, manifests] of Object.entries(PRECONDITIONS[example] ?? {})) {
      for (const manifest of manifests) { await write(platform.clients[kind as ClusterKind], manifest); }
    }
    for (const { name, kind } of delivered.targets) { await flux.connect(kind, `${name}-kubeconfig`); }
    await flux.apply([REPOSITORY, kustomization('platform', './dist/flux')]);
    await flux.push(folder);
    await flux.untilReady();
    expect(await missing(delivered)).toEqual([]);

    flux.forgetWrites();
    expect((await flux.reconcile()).map(({ status }) => status)).not.toContain('False');
    expect(writes(delivered).filter((line) => !LABELED_AT_UPDATE.test(line))).toEqual([]);

    flux.forgetWrites();
    await flux.reconcile();
    expect(writes(delivered)).toEqual([]);
    expect(platform.problems).toEqual([]);
  });
});
