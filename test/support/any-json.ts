import { isRecord } from '../../src/core/manifest/manifest';

/** What no rule expects; String() of the last two throws. */
export const JUNK: readonly unknown[] = ['hello', '', 5, -1.5, true, null, [], ['a', null], {}, { a: [1] }, { toString: 1, valueOf: 1 }, [{ toString: 1, valueOf: 1 }]];

/** A value with something else in every place of it in turn, and in its own. */
export function* replaced(value: unknown, junk: unknown): Iterable<unknown> {
  yield junk;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const other of replaced(item, junk)) { yield value.map((old: unknown, at) => (at === index ? other : old)); }
    }
  } else if (isRecord(value)) {
    for (const key of Object.keys(value)) {
      for (const other of replaced(value[key], junk)) { yield { ...value, [key]: other }; }
    }
  }
}
