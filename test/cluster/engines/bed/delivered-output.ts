import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'fs';
import { dirname, join, resolve } from 'path';
import { write } from './write';
import { IDelivery } from '../../../../src/core/app/delivery-step';
import { Manifest, objectLabel } from '../../../../src/core/manifest/manifest';
import { AssemblyTarget, OutputLayout } from '../../../../src/core/output/assembly';
import { loadAssembly } from '../../../../src/engine/read/load-assembly';
import { ClusterKind } from '../../clusters';
import { Platform } from '../../doubles/platform';

/** The folder of the examples. */
export const EXAMPLES = resolve(__dirname, '..', '..', '..', '..', 'examples');

const ALL = readdirSync(EXAMPLES).filter((name) => existsSync(join(EXAMPLES, name, 'dist', 'assembly.json'))).sort();

/** The examples whose output is for no engine, and the one that is for this engine. */
export function examplesFor(engine: 'flux' | 'argocd' | 'fleet'): string[] {
  return ALL.filter((name) => name === `gitops-${engine}` || loadAssembly(join(EXAMPLES, name, 'dist')).assembly.stages === undefined);
}

/** An object that an engine delivers. */
export interface DeliveredObject {
  readonly target: AssemblyTarget;
  readonly manifest: Manifest;
}

/** What an example delivers. */
export interface Delivered {
  readonly targets: readonly AssemblyTarget[];
  /** The objects in files; those that wait for late values, and those that wait for these, are in none. */
  readonly objects: readonly DeliveredObject[];
}

/** What must be on the clusters before an example: what it refers to, but does not declare. */
const PRECONDITIONS: { readonly [example: string]: { readonly [kind in ClusterKind]?: readonly Manifest[] } } = {
  'rke2-production': { harvester: [{ apiVersion: 'network.harvesterhci.io/v1beta1', kind: 'ClusterNetwork', metadata: { name: 'prod' } }] },
};

/** Writes the committed output of an example into an empty folder as an engine gets it; one that is for the engine already is copied. */
export function writeDelivered(example: string, delivery: IDelivery, folder: string): Delivered {
  const { assembly, manifests } = loadAssembly(join(EXAMPLES, example, 'dist'));
  const { assembly: { objects, targets }, files } = assembly.stages
    ? { assembly, files: filesOf(join(EXAMPLES, example, 'dist')) } : delivery._deliver({ assembly, manifests, layout: OutputLayout.FILE_PER_KIND })!;
  for (const [name, text] of [...files]) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const inFiles = objects.filter(({ file }) => file !== undefined);
  const targetOf = (target: string): AssemblyTarget => targets.find(({ name }) => name === target)!;
  return { targets, objects: inFiles.map(({ id, target }) => ({ target: targetOf(target), manifest: manifests.get(id)! })) };
}

function filesOf(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile());
  return new Map(entries.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

/** Creates what an example refers to, but does not declare. */
export async function prepare(platform: Platform, example: string): Promise<void> {
  for (const [kind, manifests] of Object.entries(PRECONDITIONS[example] ?? {})) {
    for (const manifest of manifests) { await write(platform.clients[kind as ClusterKind], manifest); }
  }
}

/** Labels of the objects that are on no server. */
export async function missing(platform: Platform, { objects }: Delivered): Promise<string[]> {
  const answers = await Promise.all(objects.map(async ({ target: { kind }, manifest }) => platform.clients[kind].read(manifest)));
  return objects.filter((_, index) => answers[index].status !== 200).map(({ manifest }) => objectLabel(manifest));
}

/** Harvester's webhook adds a label at the first update of a network, not at its creation, so the first dry run of an update differs: test/recordings. */
export const LABELED_AT_UPDATE = /^patch network-attachment-definitions /;
