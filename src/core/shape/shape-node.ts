import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Limit, Limits, limitsOf } from './limits';
import { isRecord } from '../manifest/manifest';

/**
 * What the definition of a kind requires of the structure of its objects, in few words: the
 * language of the files in `schema/shapes`.
 *
 * - Text is a scalar: a type (`string`, `integer`, `number`, `boolean`, `int-or-string`), a format
 *   (`date-time`, `byte`, `int32`, `int64`, `quantity`),
 *   `object` for an object without declared fields, which the server keeps empty, `any` for every
 *   value, or `#Name` for an entry of `types`.
 *   A question mark at the end allows null.
 * - A list of one shape is a list of such items.
 * - Everything else is a `DetailedShape`.
 */
export type Shape = string | readonly [Shape] | DetailedShape;

/**
 * A shape with more to it than its type. Exactly one of `type`, `fields`, `map` and `list` is set.
 */
export interface DetailedShape {
  readonly type?: string;
  /**
   * The fields of an object. An exclamation mark at the end of the name makes the field required. A
   * plus sign marks an object that a server takes for an empty one where it is not set, so that its
   * own required fields are missing then.
   */
  readonly fields?: { readonly [name: string]: Shape };
  /** The values of an object whose keys are the author's own. */
  readonly map?: Shape;
  readonly list?: Shape;
  /** Names of the fields that identify an item of a list. */
  readonly keys?: readonly string[];
  /** Whether each item of a list occurs once. */
  readonly set?: boolean;
  /** Whether an object takes fields that are not declared. */
  readonly open?: boolean;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  /** Whether server-side apply treats an object as one value. */
  readonly atomic?: boolean;
  /** What the server fills in. */
  readonly default?: unknown;
  /** Constraints on the value, with the keywords of OpenAPI. */
  readonly limits?: Limits;
}

/** A file of `schema/shapes`: the shape of one kind in one version of its product. */
export interface ShapeFile {
  /** Parts that the shape refers to by name. */
  readonly types: { readonly [name: string]: Shape };
  /**
   * The fields of an object besides `apiVersion`, `kind` and `metadata`, which the server checks by
   * itself.
   */
  readonly shape: DetailedShape;
}

/**
 * A file of a later version: what differs from the version before, as a JSON merge patch.
 * @see https://www.rfc-editor.org/rfc/rfc7386
 */
export interface ShapeChange {
  /** The file of the version before. */
  readonly like: string;
  readonly with: { readonly [field: string]: unknown };
}

/** The types of JSON, as an API server names them in its errors. */
export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

/** The types that a definition can ask for. */
export type ExpectedType =
  'string' | 'integer' | 'number' | 'boolean' | 'int-or-string' | 'quantity' | 'array' | 'object';

interface NodeBase {
  readonly nullable: boolean;
  readonly enum?: readonly unknown[];
  readonly limits?: readonly Limit[];
  /** Whether the server fills in a value. */
  readonly hasDefault?: true;
}

export interface AnyNode extends NodeBase {
  readonly of: 'any';
}

export interface ScalarNode extends NodeBase {
  readonly of: 'scalar';
  readonly type: ExpectedType;
  readonly format?: string;
}

export interface ListNode extends NodeBase {
  readonly of: 'list';
  readonly item: ShapeNode;
  readonly keys?: readonly string[];
  readonly set: boolean;
}

interface MapNode extends NodeBase {
  readonly of: 'map';
  readonly value: ShapeNode;
}

export interface FieldsNode extends NodeBase {
  readonly of: 'fields';
  readonly fields: ReadonlyMap<string, ShapeNode>;
  readonly required: readonly string[];
  /** The objects that a server takes for empty ones where they are not set. */
  readonly always?: readonly string[];
  readonly open: boolean;
  /**
   * Whether objects are of a kind of Kubernetes itself, which a server reads into a type of Go. Only
   * the node of a whole object has it.
   */
  readonly native?: boolean;
}

/**
 * A shape in the form that comparisons walk: references are resolved, names are split from their
 * marks.
 */
export type ShapeNode = AnyNode | ScalarNode | ListNode | MapNode | FieldsNode;

const ANY: ShapeNode = { of: 'any', nullable: true };

/**
 * The metadata of an object in an object, such as `spec.template` of a VirtualMachine: definitions
 * leave them open, and webhooks read them into a type of Go.
 * @see kubernetes/apimachinery:pkg/apis/meta/v1/types.go ObjectMeta
 */
const EMBEDDED_METADATA: Shape = {
  open: true,
  nullable: true,
  fields: {
    name: 'string?',
    generateName: 'string?',
    namespace: 'string?',
    uid: 'string?',
    resourceVersion: 'string?',
    creationTimestamp: 'string?',
    labels: { map: 'string?', nullable: true },
    annotations: { map: 'string?', nullable: true },
    finalizers: { list: 'string?', nullable: true },
  },
};

const SCALARS: { readonly [type: string]: Pick<ScalarNode, 'type' | 'format'> } = {
  'string': { type: 'string' },
  'integer': { type: 'integer' },
  'number': { type: 'number' },
  'boolean': { type: 'boolean' },
  'int-or-string': { type: 'int-or-string' },
  'quantity': { type: 'quantity' },
  'date-time': { type: 'string', format: 'date-time' },
  'byte': { type: 'string', format: 'byte' },
  'int32': { type: 'integer', format: 'int32' },
  'int64': { type: 'integer', format: 'int64' },
};

/**
 * The API server does not compare numbers with this format of a definition, but webhooks and
 * controllers cannot read the object.
 */
const INT32 = { goType: 'int32' };

/**
 * The scalars of kinds of Kubernetes itself: a server reads them into types of Go, whose limits they
 * have. @see kubernetes/apimachinery:pkg/apis/meta/v1/time.go, pkg/api/resource/quantity.go
 */
const NATIVE_SCALARS: { readonly [type: string]: Pick<DetailedShape, 'type' | 'limits'> } = {
  'date-time': { type: 'string', limits: { format: 'date-time' } },
  'byte': { type: 'string', limits: { format: 'go-bytes' } },
  'quantity': { type: 'quantity', limits: { format: 'quantity' } },
  'int32': { type: 'integer', limits: INT32 },
  'int64': { type: 'integer' },
  'int-or-string': { type: 'int-or-string', limits: INT32 },
};

/**
 * The limits of scalars of definitions, by their format.
 * @see kubernetes/kube-openapi:pkg/validation/strfmt/default.go IsBase64
 */
const DEFINED_LIMITS: { readonly [type: string]: DetailedShape['limits'] } = {
  byte: { format: 'byte' },
  int32: INT32,
};

/**
 * Prepares the shape of a kind for comparisons.
 *
 * @param hasStatus whether the kind has a status subresource: the server then ignores the status of what is written
 */
export function rootNode(
  { types, shape }: ShapeFile,
  hasStatus: boolean,
  isNative = false,
): FieldsNode {
  const root = new Compiler(types, isNative).detailed(shape) as FieldsNode;
  // the metadata have rules of their own
  const fields = new Map([
    ...root.fields,
    ...['apiVersion', 'kind', 'metadata', ...(hasStatus ? ['status'] : [])].map(
      (name) => [name, ANY] as const,
    ),
  ]);
  return { ...root, fields, ...(isNative && { native: true }) };
}

class Compiler {
  private readonly named = new Map<string, ShapeNode>();

  constructor(
    private readonly types: ShapeFile['types'],
    private readonly isNative: boolean,
  ) {}

  public node(shape: Shape): ShapeNode {
    if (typeof shape === 'string') {
      return this.named.get(shape) ?? this.remember(shape);
    }
    if (Array.isArray(shape)) {
      return { of: 'list', nullable: false, item: this.node(shape[0] as Shape), set: false };
    }
    return this.detailed(shape as DetailedShape);
  }

  public detailed(shape: DetailedShape): ShapeNode {
    const limits = limitsOf(shape.type === 'int32' ? { ...INT32, ...shape.limits } : shape.limits);
    const base = {
      nullable: shape.nullable === true,
      ...(shape.enum && { enum: shape.enum }),
      ...(limits && { limits }),
      ...('default' in shape && { hasDefault: true as const }),
    };
    if (shape.fields) {
      return this.fieldsNode(shape.fields, base, shape.open === true);
    }
    if (shape.map !== undefined) {
      return { ...base, of: 'map', value: this.node(shape.map) };
    }
    if (shape.list !== undefined) {
      return {
        ...base,
        of: 'list',
        item: this.node(shape.list),
        set: shape.set === true,
        ...(shape.keys && { keys: shape.keys }),
      };
    }
    return { ...this.scalar(shape.type!), ...base };
  }

  private remember(name: string): ShapeNode {
    const nullable = name.endsWith('?');
    const bare = nullable ? name.slice(0, -1) : name;
    const node: ShapeNode = {
      ...(bare.startsWith('#') ? this.node(this.types[bare.slice(1)]) : this.scalar(bare)),
      ...(nullable && { nullable }),
    };
    this.named.set(name, node);
    return node;
  }

  private scalar(name: string): ShapeNode {
    const native = this.isNative ? NATIVE_SCALARS[name] : undefined;
    const limits = limitsOf(native?.limits ?? DEFINED_LIMITS[name]);
    return { ...simple(native?.type ?? name), ...(limits && { limits }) };
  }

  private fieldsNode(
    fields: NonNullable<DetailedShape['fields']>,
    base: NodeBase,
    open: boolean,
  ): FieldsNode {
    const required = marked(fields, '!');
    const always = marked(fields, '+');
    const nodes = Object.entries(fields).map(([name, field]) => {
      const bare = name.replace(/[!+]$/, '');
      return [bare, this.node(isOpenMetadata(bare, field) ? EMBEDDED_METADATA : field)] as const;
    });
    return {
      ...base,
      of: 'fields',
      fields: new Map(nodes),
      required,
      ...(always.length > 0 && { always }),
      open,
    };
  }
}

function isOpenMetadata(name: string, shape: Shape): boolean {
  return name === 'metadata' && (shape === 'open' || shape === 'open?');
}

/** The names of fields that have a mark. */
function marked(fields: object, mark: string): string[] {
  return Object.keys(fields)
    .filter((name) => name.endsWith(mark))
    .map((name) => name.slice(0, -1));
}

function simple(name: string): ShapeNode {
  if (name === 'any') {
    return ANY;
  }
  if (name === 'object' || name === 'open') {
    return {
      of: 'fields',
      nullable: false,
      fields: new Map(),
      required: [],
      open: name === 'open',
    };
  }
  return { of: 'scalar', nullable: false, ...SCALARS[name] };
}

/** The entry of a kind in the index of shapes. */
export interface KindEntry {
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  /** Whether the kind has a status subresource. */
  readonly status: boolean;
  /** The product whose version decides which shape applies. */
  readonly product: 'rancher' | 'harvester' | 'guest' | 'kubernetes';
  /**
   * Whether a product creates objects of the kind itself, so that a manifest can be a part of one.
   */
  readonly partial?: boolean;
  /**
   * Files, by the first version of the product that they hold for; `EVERY_VERSION` where they hold
   * for all earlier ones too.
   */
  readonly shapes: { readonly [from: string]: string };
}

/** The version of a shape that holds for all earlier versions of the product, too. */
export const EVERY_VERSION = '0.0.0';

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
  return (kinds ??= new Map(
    Object.entries(readShapes('index.json') as { readonly [kind: string]: KindEntry }).map(
      ([kind, entry]) => [kind, knownKind(entry)],
    ),
  ));
}

/** The shape in a file. */
export function readShape(file: string): ShapeFile {
  const read = readShapes(file) as ShapeFile | ShapeChange;
  return 'like' in read ? (merged(readShape(read.like), read.with) as ShapeFile) : read;
}

/** A value after a JSON merge patch. */
export function merged(value: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) {
    return patch;
  }
  const result: { [name: string]: unknown } = isRecord(value) ? { ...value } : {};
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) {
      delete result[name];
    } else {
      result[name] = merged(result[name], change);
    }
  }
  return result;
}

function knownKind({ shapes, ...entry }: KindEntry): KnownKind {
  const versions = Object.entries(shapes).map(([from, file]): VersionShape => {
    let node: FieldsNode | undefined;
    return {
      from,
      file,
      node: () =>
        (node ??= rootNode(readShape(file), entry.status, entry.product === 'kubernetes')),
    };
  });
  return { ...entry, versions };
}

/** Read as a file: some loaders take a JSON module with a computed name for an ES module. */
function readShapes(file: string): unknown {
  return JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
}
