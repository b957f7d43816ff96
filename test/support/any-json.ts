import { Manifest, isManifest, isRecord } from '../../src/core/manifest/manifest';

/** What no rule expects; String() of the last two throws. */
export const JUNK: readonly unknown[] = [
  'x',
  '',
  // members of every object
  'constructor',
  '__proto__',
  '${late:x}',
  5,
  -1.5,
  true,
  null,
  [],
  [null, 'a'],
  {},
  { a: null, b: [1] },
  { toString: 1, valueOf: 1 },
  [{ toString: 1, valueOf: 1 }],
];

/** How a text shows what is not text, if JavaScript makes it one. */
export const UNREADABLE = /\bundefined\b|\[object |\bNaN\b|\[native code\]/;

/** A value with something else in every place of it in turn, and in its own. */
export function* replaced(value: unknown, junk: unknown): Iterable<unknown> {
  yield junk;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const other of replaced(item, junk)) {
        yield value.map((old: unknown, at) => (at === index ? other : old));
      }
    }
  } else if (isRecord(value)) {
    for (const key of Object.keys(value)) {
      for (const other of replaced(value[key], junk)) {
        yield { ...value, [key]: other };
      }
    }
  } else if (typeof value === 'string' && /^[[{]/.test(value)) {
    for (const other of replaced(JSON.parse(value), junk)) {
      yield JSON.stringify(other);
    }
  }
}

/** A manifest with something else in every place, as far as the reader of files accepts it. */
export function* oddManifests(manifest: Manifest, junk: unknown): Iterable<Manifest> {
  for (const odd of replaced(manifest, junk)) {
    if (isManifest(odd) && ['string', 'undefined'].includes(typeof odd.metadata.namespace)) {
      yield odd;
    }
  }
}
