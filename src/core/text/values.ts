const QUANTITY = /^([+-]?)(\d+\.?\d*|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?\d+)?$/;
const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};

/**
 * The number of a Kubernetes quantity, e.g. 0.5 for `500m`, 1024 for `1Ki`; undefined if the text
 * is not a quantity.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export function quantityOf(value: unknown): number | undefined {
  return typeof value === 'number' || typeof value === 'string'
    ? parsedQuantity(String(value))
    : undefined;
}

const parsedQuantity = byText((text): number | undefined => {
  const [, sign, digits, suffix = ''] = QUANTITY.exec(text) ?? [];
  if (digits === undefined) {
    return undefined;
  }
  const number = Number(digits) * (sign === '-' ? -1 : 1);
  if (BINARY.includes(suffix)) {
    return number * 1024 ** (BINARY.indexOf(suffix) + 1);
  }
  // by exponent and not by a factor: 1000m must be 1 and not almost 1
  const exponent = suffix in DECIMAL ? DECIMAL[suffix] : Number(suffix.slice(1) || 0);
  return Number(`${number}e${exponent}`);
});

/** The order of two texts by code unit: the same on every machine, whatever its language. */
export function compare(a: string, b: string): number {
  if (a < b) {
    return -1;
  }
  if (a > b) {
    return 1;
  }
  return 0;
}

/** A text as a regular expression that matches exactly the text. */
export function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Items by a key, both in the order of the items. */
export function grouped<T, K>(items: Iterable<T>, by: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = by(item);
    const group = groups.get(key);
    if (group) {
      group.push(item);
    } else {
      groups.set(key, [item]);
    }
  }
  return groups;
}

/** The fields that have a value, in their order. */
export function defined<T>(fields: { readonly [key: string]: T | undefined }): {
  [key: string]: T;
} {
  const filled: { [key: string]: T } = {};
  for (const key of Object.keys(fields)) {
    const value = fields[key];
    if (value !== undefined) {
      filled[key] = value;
    }
  }
  return filled;
}

/** Fields of which one at least has a value; undefined where none has. */
export function filledFields<T extends object>(fields: T): T | undefined {
  return Object.values(fields).some((value) => value !== undefined) ? fields : undefined;
}

/** A list that is not empty; undefined for an empty one. */
export function filledList<T>(items?: readonly T[]): T[] | undefined {
  return items && items.length > 0 ? [...items] : undefined;
}

/** What a function returns; undefined if it throws. */
export function attempt<T>(compute: () => T): T | undefined {
  try {
    return compute();
  } catch {
    return undefined;
  }
}

/** The value of a text that is JSON; undefined for anything else. */
export function jsonOf(text: unknown): unknown {
  return typeof text === 'string' ? attempt((): unknown => JSON.parse(text)) : undefined;
}

/**
 * A table that is read by names that others chose. Other tables have what every object has, so that
 * they give something for `constructor`.
 */
export function tableByName<T extends object>(entries: T): T {
  return Object.assign(Object.create(null) as T, entries);
}

/** A value that is computed when it is first used. */
export function lazily<T>(compute: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= compute());
}

/**
 * A function of a text that computes once for a text, since many objects have the same one. What it
 * returns is shared and frozen.
 *
 * @param longest texts that it remembers the result of
 * @param room for all these texts; when it is used up, the function forgets them
 */
export function byText<T>(
  compute: (text: string) => T,
  longest = 8_000,
  room = 1_000_000,
): (text: string) => T {
  const results = new Map<string, T>();
  let used = 0;
  return (text) => {
    if (text.length > longest) {
      return compute(text);
    }
    const known = results.get(text);
    if (known !== undefined) {
      return known;
    }
    const result = frozen(compute(text));
    if (used + text.length > room) {
      results.clear();
      used = 0;
    }
    results.set(text, result);
    used += text.length;
    return result;
  };
}

/** The value of a key, which is computed when it is first asked for. */
export function remembered<K, T>(known: Map<K, T>, key: K, compute: () => T): T {
  let value = known.get(key);
  if (value === undefined) {
    known.set(key, (value = compute()));
  }
  return value;
}

/** A function of an object that computes once for it, such as an index of a world. */
export function byObject<K extends object, T>(compute: (object: K) => T): (object: K) => T {
  const results = new WeakMap<K, T>();
  return (object) => {
    let known = results.get(object);
    // a result may be undefined
    if (known === undefined && !results.has(object)) {
      known = compute(object);
      results.set(object, known);
    }
    return known as T;
  };
}

/** Freezes a value with everything in it. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) {
      frozen(inner);
    }
  }
  return value;
}
