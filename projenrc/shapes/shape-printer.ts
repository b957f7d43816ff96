import {
  DetailedShape,
  merged,
  Shape,
  ShapeChange,
  ShapeFile,
} from '../../src/core/shape/shape-node';

const WIDTH = 140;
/** A part that is shorter than this costs less written out than by its name. */
const MIN_SHARED = 60;

/**
 * Writes each part that occurs more than once as a type with a name, after the field that has it
 * first.
 */
export function shareParts(shape: DetailedShape): ShapeFile {
  const counts = new Map<string, number>();
  count(shape, counts);
  const types: Record<string, Shape> = {};
  const names = new Map<string, string>();
  const share = (part: Shape, field: string): Shape => {
    const { bare, nullable } = bareOf(part);
    const text = JSON.stringify(bare);
    if ((counts.get(text) ?? 0) < 2 || text.length < MIN_SHARED) {
      return mapChildren(part, share, field);
    }
    let name = names.get(text);
    if (name === undefined) {
      name = freeName(field, new Set(names.values()));
      names.set(text, name);
      types[name] = mapChildren(bare, share, field);
    }
    return nullable ? `#${name}?` : `#${name}`;
  };
  const shared = mapChildren(shape, share, 'root') as DetailedShape;
  return {
    types: Object.fromEntries(Object.entries(types).sort(([a], [b]) => (a < b ? -1 : 1))),
    shape: shared,
  };
}

/**
 * The content of a file: the shape, or what differs from the version before where that is shorter.
 */
export function contentOf(
  shape: ShapeFile,
  before?: { readonly file: string; readonly shape: ShapeFile },
): ShapeFile | ShapeChange {
  if (!before) {
    return shape;
  }
  const change: ShapeChange = {
    like: before.file,
    with: patchOf(before.shape, shape) as ShapeChange['with'],
  };
  const isWhole = sorted(merged(before.shape, change.with)) === sorted(shape);
  return isWhole && printShape(change).length < printShape(shape).length / 2 ? change : shape;
}

/** The JSON merge patch from one value to another. */
function patchOf(before: unknown, now: unknown): unknown {
  if (!isMap(before) || !isMap(now)) {
    return now;
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return Object.fromEntries(
    names
      .filter((name) => sorted(before[name]) !== sorted(now[name]))
      .map((name) => [name, name in now ? patchOf(before[name], now[name]) : null]),
  );
}

function isMap(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// JSON with its keys in one order
function sorted(value: unknown): string | undefined {
  return JSON.stringify(value, (_, part: unknown) =>
    isMap(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** JSON with one line for what fits into one. */
export function printShape(value: unknown, indent = ''): string {
  const text = JSON.stringify(value);
  if (indent.length + text.length <= WIDTH || typeof value !== 'object' || value === null) {
    return text;
  }
  const inner = `${indent} `;
  const lines = Array.isArray(value)
    ? value.map((item) => inner + printShape(item, inner))
    : Object.entries(value).map(
        ([key, item]) => `${inner}${JSON.stringify(key)}: ${printShape(item, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

/** Counts each part; the contents of a part that was counted before are shared with it. */
function count(part: Shape, counts: Map<string, number>): void {
  const text = JSON.stringify(bareOf(part).bare);
  const before = counts.get(text) ?? 0;
  counts.set(text, before + 1);
  if (before === 0) {
    mapChildren(
      part,
      (child) => {
        count(child, counts);
        return child;
      },
      '',
    );
  }
}

function bareOf(part: Shape): { readonly bare: Shape; readonly nullable: boolean } {
  if (typeof part === 'string' || Array.isArray(part)) {
    return { bare: part, nullable: false };
  }
  const { nullable, ...bare } = part as DetailedShape;
  return { bare, nullable: nullable === true };
}

function mapChildren(
  part: Shape,
  change: (child: Shape, field: string) => Shape,
  field: string,
): Shape {
  if (typeof part === 'string') {
    return part;
  }
  if (Array.isArray(part)) {
    return [change(part[0], field)];
  }
  const { fields, map, list, ...others } = part as DetailedShape;
  return {
    ...(fields && {
      fields: Object.fromEntries(
        Object.entries(fields).map(([name, child]) => [
          name,
          change(child, name.replace(/[!+]$/, '')),
        ]),
      ),
    }),
    ...(map !== undefined && { map: change(map, field) }),
    ...(list !== undefined && { list: change(list, field) }),
    ...others,
  };
}

function freeName(field: string, taken: ReadonlySet<string>): string {
  const base = field[0].toUpperCase() + field.slice(1).replace(/[^A-Za-z0-9]/g, '');
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}${number}`;
    if (!taken.has(name)) {
      return name;
    }
  }
}
