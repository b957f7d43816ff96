import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FieldsNode, rootNode, ShapeFile } from './shape-node';

/** The entry of a kind in the index of shapes. */
interface KindEntry {
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  /** Whether the kind has a status subresource. */
  readonly status: boolean;
  /** The product whose version decides which shape applies. */
  readonly product: 'rancher' | 'harvester' | 'guest';
  /** Whether a product creates objects of the kind itself, so that a manifest can be a part of one. */
  readonly partial?: boolean;
  /** Files, by the first version of the product that they hold for; `0.0.0` where they hold for all earlier ones too. */
  readonly shapes: { readonly [from: string]: string };
}

/** One shape of a kind. */
export interface VersionShape {
  readonly from: string;
  readonly file: string;
  /** The shape for comparisons; read when it is first asked for. */
  readonly node: () => FieldsNode;
}

/** A kind whose structure is known. */
export interface KnownKind extends Omit<KindEntry, 'shapes'> {
  /** In the order of the versions. */
  readonly versions: readonly VersionShape[];
}

// the path is the same below lib as below src
const FOLDER = join(__dirname, '..', '..', '..', 'schema', 'shapes');

let kinds: ReadonlyMap<string, KnownKind> | undefined;

/** The kinds whose structure is known, by `<apiVersion>/<kind>`. */
export function knownKinds(): ReadonlyMap<string, KnownKind> {
  return kinds ??= new Map(Object.entries(readShapes('index.json') as { readonly [kind: string]: KindEntry }).map(([kind, entry]) => [kind, knownKind(entry)]));
}

/** The names of the fields of a kind in its newest version, besides those that every object has. */
export function fieldsOfKind(apiVersion: string, kind: string): string[] {
  const file = knownKinds().get(`${apiVersion}/${kind}`)?.versions.at(-1)?.file;
  return file === undefined ? [] : Object.keys(readShape(file).shape.fields ?? {}).map((name) => name.replace('!', ''));
}

/** The file of a shape. */
export function readShape(file: string): ShapeFile {
  return readShapes(file) as ShapeFile;
}

function knownKind({ shapes, ...entry }: KindEntry): KnownKind {
  const versions = Object.entries(shapes).map(([from, file]): VersionShape => {
    let node: FieldsNode | undefined;
    return { from, file, node: () => node ??= rootNode(readShape(file), entry.status) };
  });
  return { ...entry, versions };
}

/** Read as a file: some loaders take a JSON module with a computed name for an ES module. */
function readShapes(file: string): unknown {
  return JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
}
