import { join } from 'path';
import { Flux } from './flux';
import { REPOSITORY, kustomization } from './objects';
import { TargetKind } from '../../../../src/core/construct/target';
import { Delivery } from '../../../../src/delivery/delivery';
import { loadAssembly } from '../../../../src/engine/read/load-assembly';
import { tempFolder } from '../../../support/temp';
import { describeCluster } from '../../clusters';
import { Platform } from '../../doubles/platform';
import {
  Delivered,
  EXAMPLES,
  LABELED_AT_UPDATE,
  examplesFor,
  missing,
  prepare,
  writeDelivered,
} from '../bed/delivered-output';

const DELIVERY = Delivery.flux({ sourceName: REPOSITORY.metadata.name, path: 'dist' });

/** Whether an example has guest clusters, which the longest of them have. */
function hasGuests(example: string): boolean {
  const { assembly } = loadAssembly(join(EXAMPLES, example, 'dist'));
  return assembly.targets.some(({ kind }) => kind === TargetKind.GUEST);
}

/**
 * Tests the delivery of the examples with guest clusters, or of those without: two files, since a
 * file runs by itself.
 */
export function testExamples(withGuests: boolean): void {
  const title = `Flux, with the output for it, ${withGuests ? 'with' : 'without'} guest clusters`;
  const examples = examplesFor('flux').filter((example) => hasGuests(example) === withGuests);
  describeCluster(title, () => testDelivery(examples));
}

function testDelivery(examples: readonly string[]): void {
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

  const writes = ({ targets }: Delivered): string[] =>
    targets.flatMap(({ kind }) => flux.writes(kind));

  test.each(examples)(
    'delivers %s from its output alone, and then writes nothing',
    async (example) => {
      const folder = tempFolder();
      const delivered = writeDelivered(example, DELIVERY, join(folder, 'dist'), 'on all targets');
      await prepare(platform, example);
      for (const { name, kind } of delivered.targets) {
        await flux.connect(kind, `${name}-kubeconfig`);
      }
      await flux.apply([REPOSITORY, kustomization('platform', './dist/flux')]);
      await flux.push(folder);
      await flux.untilReady();
      expect(await missing(platform, delivered)).toEqual([]);

      flux.forgetWrites();
      const reconciled = await flux.reconcile();
      expect(reconciled.filter(({ status }) => status === 'False')).toEqual([]);
      expect(writes(delivered).filter((line) => !LABELED_AT_UPDATE.test(line))).toEqual([]);

      flux.forgetWrites();
      await flux.reconcile();
      expect(writes(delivered)).toEqual([]);
      expect(platform.problems).toEqual([]);
    },
  );
}
