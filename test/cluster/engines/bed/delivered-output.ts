import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'fs';
import { dirname, join, resolve } from 'path';
import { write } from './write';
import { inverted, reach } from '../../../../src/core/graph/reach';
import { Manifest, objectLabel } from '../../../../src/core/manifest/manifest';
import { Assembly, AssemblyTarget, OutputLayout } from '../../../../src/core/output/assembly';
import { Delivery } from '../../../../src/delivery/delivery';
import { loadAssembly } from '../../../../src/engine/read/load-assembly';
import { ClusterKind } from '../../clusters';
import { Platform } from '../../doubles/platform';

/** The folder of the examples. */
export const EXAMPLES = resolve(__dirname, '..', '..', '..', '..', 'examples');

const ALL = readdirSync(EXAMPLES)
  .filter((name) => existsSync(join(EXAMPLES, name, 'dist', 'assembly.json')))
  .sort();

/**
 * They need charts, add-ons and devices that the doubles lack, so that no stage after them is
 * delivered; `test/cluster/examples.test.ts` judges their objects.
 */
const NOT_DELIVERED = ['platform-day-one', 'virtual-machines'];

/** The examples whose output is for no engine, and the one that is for this engine. */
export function examplesFor(engine: 'flux' | 'argocd' | 'fleet'): string[] {
  return ALL.filter((name) => !NOT_DELIVERED.includes(name)).filter(
    (name) =>
      name === `gitops-${engine}` ||
      loadAssembly(join(EXAMPLES, name, 'dist')).assembly.stages === undefined,
  );
}

/** An object that an engine delivers. */
export interface DeliveredObject {
  readonly target: AssemblyTarget;
  readonly manifest: Manifest;
}

/** What an example delivers. */
export interface Delivered {
  readonly targets: readonly AssemblyTarget[];
  /**
   * The objects in files, without those that the engine holds back until `resolve` has written what
   * they need.
   */
  readonly objects: readonly DeliveredObject[];
  /** The names of the targets with objects in files, whether the engine holds them back or not. */
  readonly inFiles: ReadonlySet<string>;
}

/** What must be on the clusters before an example: what it refers to, but does not declare. */
const PRECONDITIONS: {
  readonly [example: string]: { readonly [kind in ClusterKind]?: readonly Manifest[] };
} = {
  'rke2-production': {
    harvester: [
      {
        apiVersion: 'network.harvesterhci.io/v1beta1',
        kind: 'ClusterNetwork',
        metadata: { name: 'prod' },
      },
    ],
  },
};

/** Where stages wait for objects that `resolve` has not written yet. */
export type WaitsForLate = 'on all targets' | 'on the same target' | 'nowhere';

/** The folders of the stages that wait for `resolve`. */
function waitingFolders({ stages = [] }: Assembly, waits: WaitsForLate): ReadonlySet<string> {
  const targets = new Map(stages.map(({ folder, target }) => [folder, target]));
  const waiting = inverted(
    stages.flatMap(({ folder, target, after }) =>
      after
        .filter(
          (other) =>
            waits === 'on all targets' ||
            (waits === 'on the same target' && targets.get(other) === target),
        )
        .map((other) => [folder, other] as const),
    ),
  );
  return reach(
    stages.filter(({ late }) => late).map(({ folder }) => folder),
    (folder) => waiting.get(folder) ?? [],
  );
}

/**
 * Writes the committed output of an example into an empty folder as an engine gets it; one that is
 * for the engine already is copied.
 */
export function writeDelivered(
  example: string,
  delivery: Delivery,
  folder: string,
  waits: WaitsForLate,
): Delivered {
  const { assembly, manifests } = loadAssembly(join(EXAMPLES, example, 'dist'));
  const { assembly: written, files } = assembly.stages
    ? { assembly, files: filesOf(join(EXAMPLES, example, 'dist')) }
    : delivery._deliver({ assembly, manifests, layout: OutputLayout.FILE_PER_KIND })!;
  writeFiles(folder, files);
  const { objects, targets } = written;
  const waiting = waitingFolders(written, waits);
  const inFiles = objects.filter(({ file }) => file !== undefined && !waiting.has(dirname(file)));
  const targetOf = (target: string): AssemblyTarget => targets.find(({ name }) => name === target)!;
  const withFiles = new Set(
    objects.filter(({ file }) => file !== undefined).map(({ target }) => target),
  );
  return {
    targets,
    inFiles: withFiles,
    objects: inFiles.map(({ id, target }) => ({
      target: targetOf(target),
      manifest: manifests.get(id)!,
    })),
  };
}

/** Writes files by their path below a folder. */
export function writeFiles(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [name, text] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

function filesOf(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  return new Map(entries.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

/** Creates what an example refers to, but does not declare. */
export async function prepare(platform: Platform, example: string): Promise<void> {
  for (const [kind, manifests] of Object.entries(PRECONDITIONS[example] ?? {})) {
    for (const manifest of manifests) {
      await write(platform.clients[kind as ClusterKind], manifest);
    }
  }
}

/** Labels of the objects that are on no server. */
export async function missing(
  platform: Platform,
  { objects }: Pick<Delivered, 'objects'>,
): Promise<string[]> {
  const answers = await Promise.all(
    objects.map(async ({ target: { kind }, manifest }) => platform.clients[kind].read(manifest)),
  );
  return objects
    .filter((_, index) => answers[index].status !== 200)
    .map(({ manifest }) => objectLabel(manifest));
}

/**
 * Harvester's webhook adds a label at the first update of a network, not at its creation, so the
 * first dry run of an update differs: test/recordings.
 */
export const LABELED_AT_UPDATE = /^patch network-attachment-definitions /;
