// Turns custom resource definitions into the compact shapes of `schema/shapes`:
//
//   npx projen shapes DEFINITIONS [--verify]
//   npx projen shapes --openapi DOCUMENTS
//
// DEFINITIONS is a folder with a folder for each source, see `sources.ts`. With --verify nothing is
// written: the shapes are compared with the definitions that they were made from. DOCUMENTS is a
// folder with the OpenAPI documents of API servers, see `open-api.ts`: they describe the kinds of
// Kubernetes itself. Nothing in the project needs the definitions or the documents. Run this when a
// product has a new version.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { readOpenApi } from './open-api';
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
import { grouped } from '../../src/core/text/values';

const SHAPES = path.resolve(__dirname, '..', '..', 'schema', 'shapes');

interface Version {
  readonly from: string;
  readonly shape: DetailedShape;
}

/** A definition of a kind, and the versions that it holds for. */
interface Read {
  readonly source: Pick<Source, 'product' | 'from'>;
  readonly definition: Definition;
}

type Index = Record<string, KindEntry>;

const {
  values: { openapi, verify: isVerified },
  positionals: [folder],
} = parseArgs({
  options: { openapi: { type: 'string' }, verify: { type: 'boolean' } },
  allowPositionals: true,
});
if (openapi !== undefined) {
  generate(readDocuments(openapi), ({ product }) => product === 'kubernetes');
} else if (folder === undefined) {
  throw new Error('usage: npx projen shapes DEFINITIONS [--verify], or --openapi DOCUMENTS');
} else if (isVerified) {
  verify(folder);
} else {
  generate(readAll(folder), ({ product }) => product !== 'kubernetes');
}

/** Writes the shapes of what was read, in place of those that the same source wrote before. */
function generate(read: readonly Read[], isReplaced: (entry: KindEntry) => boolean): void {
  const written = Object.entries(
    JSON.parse(fs.readFileSync(path.join(SHAPES, 'index.json'), 'utf8')) as Index,
  );
  for (const file of written
    .filter(([, entry]) => isReplaced(entry))
    .flatMap(([, { shapes }]) => Object.values(shapes))) {
    fs.rmSync(path.join(SHAPES, file), { force: true });
  }
  const entries = [...grouped(read, ({ definition }) => kindOf(definition))].map(
    ([kind, all]) => [kind, writeKind(kind, all)] as const,
  );
  const index = [...written.filter(([, entry]) => !isReplaced(entry)), ...entries].sort(
    ([a], [b]) => (a < b ? -1 : 1),
  );
  write('index.json', printShape(Object.fromEntries(index)));
}

function readAll(root: string): Read[] {
  return SOURCES.flatMap((source) =>
    readDefinitions(root, source).map((definition) => ({ source, definition })),
  );
}

function readDocuments(root: string): Read[] {
  return readOpenApi(root).flatMap(({ from, definitions }) =>
    definitions.map((definition) => ({ source: { product: 'kubernetes', from }, definition })),
  );
}

function writeKind(kind: string, read: readonly Read[]): KindEntry {
  const { spec } = read[0].definition;
  let before: { readonly file: string; readonly shape: ShapeFile } | undefined;
  const files = versionsOf(kind, read).map(({ from, shape: whole }) => {
    const file = `${spec.group || 'core'}/${spec.names.kind}${from === '0.0.0' ? '' : `.${from}`}.json`;
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
