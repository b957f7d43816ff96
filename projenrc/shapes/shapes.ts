// Turns custom resource definitions into the compact shapes of `schema/shapes`:
//
//   npx projen shapes DEFINITIONS [--verify]
//
// DEFINITIONS is a folder with a folder for each source, see `sources.ts`. With --verify nothing is
// written: the shapes are compared with the
// definitions that they were made from. Nothing in the project needs the definitions. Run this when
// a product has a new version.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { rootShape } from './shape-of-schema';
import { contentOf, printShape, shareParts } from './shape-printer';
import {
  Definition,
  kindOf,
  PARTIAL,
  readDefinitions,
  Source,
  SOURCES,
  stored,
  UNBOUNDED,
} from './sources';
import { verify } from './verify';
import { DetailedShape, KindEntry, ShapeFile } from '../../src/core/shape/shape-node';

const SHAPES = path.resolve(__dirname, '..', '..', 'schema', 'shapes');

interface Version {
  readonly from: string;
  readonly shape: DetailedShape;
}

interface Read {
  readonly source: Source;
  readonly definition: Definition;
}

const [folder, ...options] = process.argv.slice(2);
if (folder === undefined) {
  throw new Error('usage: npx projen shapes DEFINITIONS [--verify]');
}
if (options.includes('--verify')) {
  verify(folder);
} else {
  generate(folder);
}

function generate(root: string): void {
  fs.rmSync(SHAPES, { recursive: true, force: true });
  const index: Record<string, KindEntry> = {};
  for (const [kind, read] of [...byKind(root)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    index[kind] = writeKind(kind, read);
  }
  write('index.json', printShape(index));
}

function byKind(root: string): Map<string, Read[]> {
  const kinds = new Map<string, Read[]>();
  for (const source of SOURCES) {
    for (const definition of readDefinitions(root, source)) {
      const kind = kindOf(definition);
      kinds.set(kind, [...(kinds.get(kind) ?? []), { source, definition }]);
    }
  }
  return kinds;
}

function writeKind(kind: string, read: readonly Read[]): KindEntry {
  const { spec } = read[0].definition;
  let before: { readonly file: string; readonly shape: ShapeFile } | undefined;
  const files = versionsOf(kind, read).map(({ from, shape: whole }) => {
    const file = `${spec.group}/${spec.names.kind}${from === '0.0.0' ? '' : `.${from}`}.json`;
    const shape = shareParts(whole);
    write(file, printShape(contentOf(shape, before)));
    before = { file, shape };
    return [from, file] as const;
  });
  return {
    plural: spec.names.plural,
    scope: spec.scope,
    status: stored(read[0].definition).subresources?.status !== undefined,
    product: read[0].source.product,
    ...(PARTIAL.includes(kind) && { partial: true }),
    shapes: Object.fromEntries(files),
  };
}

/** The versions that differ from the one before. */
function versionsOf(kind: string, read: readonly Read[]): Version[] {
  const known = read.map(({ source, definition }, index): Version => ({
    from: index === 0 && UNBOUNDED.includes(kind) ? '0.0.0' : source.from,
    shape: rootShape(stored(definition).schema.openAPIV3Schema),
  }));
  return known.filter(
    ({ shape }, index) =>
      index === 0 || JSON.stringify(shape) !== JSON.stringify(known[index - 1].shape),
  );
}

function write(file: string, text: string): void {
  fs.mkdirSync(path.dirname(path.join(SHAPES, file)), { recursive: true });
  fs.writeFileSync(path.join(SHAPES, file), `${text}\n`);
}
