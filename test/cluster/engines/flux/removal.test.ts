import { rmSync } from 'fs';
import { join } from 'path';
import { Flux } from './flux';
import { REPOSITORY, kustomization } from './objects';
import { OutputLayout } from '../../../../src/core/output/assembly';
import { Delivery } from '../../../../src/delivery/delivery';
import { Fate, whatBecomes } from '../../../../src/engine/removal/removal';
import { Output, applied, example, without } from '../../../engine/removal/_outputs';
import { tempFolder } from '../../../support/temp';
import { describeCluster } from '../../clusters';
import { Platform } from '../../doubles/platform';
import { prepare, writeFiles } from '../bed/delivered-output';

const DELIVERY = Delivery.flux({ sourceName: REPOSITORY.metadata.name, path: 'dist' });

describeCluster('Flux, with objects that leave the output', () => {
  const folder = tempFolder();
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

  async function deliver({ assembly, manifests }: Output): Promise<void> {
    rmSync(join(folder, 'dist'), { recursive: true, force: true });
    writeFiles(
      join(folder, 'dist'),
      DELIVERY._deliver({ assembly, manifests, layout: OutputLayout.FILE_PER_KIND })!.files,
    );
    await flux.push(folder);
    await flux.untilReady();
  }

  /** Whether an object is on its cluster and remains there. */
  async function fateOf({ assembly, manifests }: Output, id: string): Promise<Fate> {
    const kind = assembly.targets.find(
      ({ name }) => name === assembly.objects.find((object) => object.id === id)!.target,
    )!.kind;
    const { status, body } = await platform.clients[kind].read(manifests.get(id)!);
    return status === 200 &&
      (body as { metadata: { deletionTimestamp?: string } }).metadata.deletionTimestamp ===
        undefined
      ? 'kept'
      : 'deleted';
  }

  test.each([
    [
      'a tenant',
      'three-tenants',
      ['deleted', 'kept'],
      (construct: string) => construct.includes('payments'),
    ],
    [
      'all but the settings',
      'three-tenants',
      ['deleted', 'kept'],
      (_: string, kind: string) => kind !== 'Setting',
    ],
    // all of it is for the cluster, which is kept
    [
      'a guest cluster with all that is for it',
      'rke2-production',
      ['kept'],
      (_: string, kind: string) => kind !== 'StorageClass',
    ],
  ])('keeps and deletes by the one answer, when %s leaves', async (_, name, fates, leaves) => {
    const {
      assembly: { stages: __, engineFiles: ___, ...assembly },
      manifests,
    } = applied(example(name));
    const before: Output = { assembly, manifests };
    await prepare(platform, name);
    for (const target of assembly.targets) {
      await flux.connect(target.kind, `${target.name}-kubeconfig`);
    }
    await flux.apply([REPOSITORY, kustomization('platform', './dist/flux')]);
    await deliver(before);
    const removed = assembly.objects
      .filter(({ construct, kind }) => leaves(construct, kind))
      .map(({ id }) => id);
    expect(removed.length).toBeGreaterThan(4);
    const found = async (): Promise<[id: string, fate: Fate][]> =>
      Promise.all(removed.map(async (id) => [id, await fateOf(before, id)]));
    expect((await found()).filter(([, fate]) => fate !== 'kept')).toEqual([]);

    const answer = whatBecomes({
      assembly,
      manifests,
      way: 'flux',
      removed: new Set(removed),
      judges: false,
    });
    const expected = removed.map((id) => [id, answer.get(id)!.fate]);
    expect([...new Set(expected.map(([, fate]) => fate))].sort()).toEqual(fates);
    await deliver(without(before, new Set(removed)));
    for (
      let round = 0;
      round < 20 && JSON.stringify(await found()) !== JSON.stringify(expected);
      round++
    ) {
      await flux.reconcile();
    }
    expect(await found()).toEqual(expected);
  });
});
