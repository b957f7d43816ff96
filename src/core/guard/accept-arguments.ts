import { ApiTable, isInstance, isStructLike, isToken, Parameters } from './argument-type';
import { RTTI } from '../text/class-name';

/**
 * The fast answer to whether the arguments of a call are in order, which they nearly always are. It
 * keeps no paths and looks up nothing that it looked up before. A no leads to the slow check, which
 * finds the problems, and may find none.
 */
export type Accepts = (args: readonly unknown[]) => boolean;

/** Whether a value is of a type. */
type Fits = (value: unknown) => boolean;

const TYPES = new WeakMap<ApiTable, Map<string, Fits>>();

/** What accepts the arguments of a call, for all calls of the same function. */
export function accepts(table: ApiTable, parameters: Parameters): Accepts {
  const checks = parameters.map(([, code]): Fits => {
    if (code[0] === '*') {
      return fitsType(code.slice(1), table);
    }
    return code[0] === '?' ? optional(fitsType(code.slice(1), table)) : fitsType(code, table);
  });
  const last = parameters.length - 1;
  const isVariadic = parameters.at(-1)?.[1].startsWith('*') ?? false;
  const named = isVariadic ? last : checks.length;
  return (args) => {
    for (let index = 0; index < named; index++) {
      if (!checks[index]!(args[index])) {
        return false;
      }
    }
    for (let index = named; index < args.length; index++) {
      const value = args[index];
      if (
        isVariadic
          ? value === undefined || value === null || !checks[last]!(value)
          : value !== undefined
      ) {
        return false;
      }
    }
    return true;
  };
}

const optional =
  (inner: Fits): Fits =>
  (value) =>
    value === undefined || inner(value);

/** What accepts the values of a type, which is made once. */
export function fitsType(code: string, table: ApiTable): Fits {
  let known = TYPES.get(table);
  if (!known) {
    TYPES.set(table, (known = new Map()));
  }
  let fit = known.get(code);
  if (!fit) {
    known.set(code, (fit = fitsOf(code, table)));
  }
  return fit;
}

function fitsOf(code: string, table: ApiTable): Fits {
  switch (code[0]) {
    case 'a':
      return () => true;
    case 's':
      return (value) => typeof value === 'string' || isToken(value);
    case 'n':
      return (value) => Number.isFinite(value) || isToken(value);
    case 'b':
      return (value) => typeof value === 'boolean' || isToken(value);
    case '[':
      return listOf(fitsType(code.slice(1), table));
    case '{':
      return mapOf(fitsType(code.slice(1), table));
    default:
      return namedType(code, table);
  }
}

function listOf(item: Fits): Fits {
  return (value) => {
    if (!Array.isArray(value)) {
      return false;
    }
    for (let index = 0; index < value.length; index++) {
      const each: unknown = value[index];
      if (each === undefined || each === null || !item(each)) {
        return false;
      }
    }
    return true;
  };
}

function mapOf(item: Fits): Fits {
  return (value) => {
    if (isToken(value)) {
      return true;
    }
    if (!isStructLike(value)) {
      return false;
    }
    for (const key of Object.keys(value)) {
      if (!item(value[key])) {
        return false;
      }
    }
    return true;
  };
}

function namedType(code: string, table: ApiTable): Fits {
  const { props, required, values } = table[code]!;
  if (props) {
    return structOf(props, required!, table);
  }
  if (values) {
    const all = new Set<unknown>(Object.values(values));
    return (value) => all.has(value);
  }
  return instanceOf(code, table);
}

function structOf(
  props: { readonly [prop: string]: string },
  required: readonly string[],
  table: ApiTable,
): Fits {
  // filled at first use: a struct may contain itself
  const checks = Object.create(null) as { [prop: string]: Fits | undefined };
  return (value) => {
    if (!isStructLike(value)) {
      return false;
    }
    for (const key in value) {
      const item = value[key];
      // undefined is how a program takes a prop out of what it spreads
      if (item === undefined) {
        continue;
      }
      let check = checks[key];
      if (!check) {
        if (!Object.hasOwn(props, key)) {
          return false;
        }
        check = checks[key] = fitsType(props[key]!, table);
      }
      if (!check(item)) {
        return false;
      }
    }
    for (const prop of required) {
      if (value[prop] === undefined || value[prop] === null) {
        return false;
      }
    }
    return true;
  };
}

/**
 * Objects of a class that were accepted once are accepted without a look at their members. A class
 * whose objects refer to existing ones is not: what an object refers to differs.
 */
function instanceOf(code: string, table: ApiTable): Fits {
  const accepted = new WeakSet<object>();
  return (value) => {
    if (typeof value !== 'object' || value === null) {
      return false;
    }
    const prototype = Object.getPrototypeOf(value) as object | null;
    if (prototype !== null && accepted.has(prototype)) {
      return true;
    }
    if (!isInstance(code, table, value)) {
      return false;
    }
    const { constructor } = prototype ?? {};
    // the members of other objects may be their own
    const isOfLibrary = constructor !== undefined && Object.hasOwn(constructor, RTTI);
    if (prototype !== null && isOfLibrary && !('_refersTo' in value)) {
      accepted.add(prototype);
    }
    return true;
  };
}
