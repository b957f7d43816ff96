import type { DraftProps, DraftValue, FoundObject } from '../draft/draft';
import { valueAt } from '../manifest/manifest';

/** A value of a manifest, and the object that it is of. */
export interface FieldSource {
  readonly object: FoundObject;
  /** Whether defaults are neither written nor left out, since the object remains as it is. */
  readonly asWritten: boolean;
}

/** What a prop of type T is in a manifest. */
export interface Field<T> {
  /**
   * The path below the map that the table describes, e.g. `uplink.linkAttributes.mtu`. An empty one
   * is the map itself: the parts of the prop are next to its other fields.
   */
  readonly path: string;
  /** Written where the prop is not set, and read as no prop. @default - nothing is written */
  readonly byDefault?: T;
  /** The parts of a prop that is a struct, or a list of structs. */
  readonly parts?: FieldTable<any>;
  /** Whether the field is a list of structs. */
  readonly isList?: boolean;
  /** The value of the field. Undefined is not written. */
  write(value: T, asWritten: boolean): unknown;
  /** What a program writes for the prop. Undefined is left out. */
  read(value: unknown, source: FieldSource): DraftValue;
}

/** A field for each prop. */
export type PropFields<P> = { readonly [K in keyof P]-?: Field<NonNullable<P[K]>> };

interface Row {
  readonly prop: string;
  readonly keys: readonly string[];
  readonly field: Field<unknown>;
}

/**
 * The fields of an object by the props that set them: the construct writes them, its inverse reads
 * them back, and findings name the prop.
 */
export class FieldTable<P extends object> {
  private readonly root: readonly string[];
  private readonly rows: readonly Row[];
  private foundNames?: { readonly [path: string]: string };

  /** @param root the path of the map that has the fields, e.g. `spec` */
  constructor(root: string, fields: PropFields<P>) {
    this.root = keysOf(root);
    this.rows = Object.entries<Field<any>>(fields).map(([prop, field]) => ({
      prop,
      keys: keysOf(field.path),
      field,
    }));
  }

  /** The map with the fields that props set. */
  public write(props: P, asWritten = false): { [field: string]: unknown } {
    const map: { [field: string]: unknown } = {};
    for (const { prop, keys, field } of this.rows) {
      const given = (props as { readonly [prop: string]: unknown })[prop];
      const value = given ?? (asWritten ? undefined : field.byDefault);
      const written = value === undefined ? undefined : field.write(value, asWritten);
      if (written !== undefined) {
        place(map, keys, written);
      }
    }
    return map;
  }

  /** The props that set the fields of an object. */
  public read(object: FoundObject, asWritten = false): DraftProps {
    return this.readMap(valueAt(object.manifest, ...this.root), { object, asWritten });
  }

  /** The props that set the fields of a map. */
  public readMap(map: unknown, source: FieldSource): DraftProps {
    const props: { [prop: string]: DraftValue } = {};
    for (const { prop, keys, field } of this.rows) {
      props[prop] = field.read(valueAt(map, ...keys), source);
    }
    return props;
  }

  /** The props by the paths of their fields, where the names differ: a note of the object. */
  public get names(): { readonly [path: string]: string } {
    return (this.foundNames ??= this.findNames());
  }

  private findNames(): { readonly [path: string]: string } {
    const names: { [path: string]: string } = {};
    const seen = new Set<string>();
    this.collectNames(this.root.join('.'), '', (path, prop) => {
      if (!seen.has(path) && path !== prop && path !== `spec.${prop}`) {
        names[path] = prop;
      }
      seen.add(path);
    });
    return names;
  }

  private collectNames(
    root: string,
    parent: string,
    collect: (path: string, prop: string) => void,
  ): void {
    for (const { prop, field } of this.rows) {
      const path = joined(root, field.path);
      const name = joined(parent, prop);
      if (field.path !== '') {
        collect(path, name);
      }
      const index = field.isList ? '[]' : '';
      field.parts?.collectNames(`${path}${index}`, `${name}${index}`, collect);
    }
  }
}

function keysOf(path: string): readonly string[] {
  return path === '' ? [] : path.split('.');
}

function joined(parent: string, child: string): string {
  return parent === '' || child === '' ? `${parent}${child}` : `${parent}.${child}`;
}

/** Puts a value into a map; without keys, the fields of the value. */
function place(map: { [field: string]: unknown }, keys: readonly string[], value: unknown): void {
  if (keys.length === 0) {
    Object.assign(map, value);
    return;
  }
  let parent = map;
  const last = keys.length - 1;
  for (let index = 0; index < last; index++) {
    parent = (parent[keys[index]!] ??= {}) as { [field: string]: unknown };
  }
  parent[keys[last]!] = value;
}
