import { own } from './compare-desired';
import { FieldPath } from '../../model/field-path';
import { isRecord } from '../../model/manifest';

/** One field that differs between two forms of an object. */
export interface FieldDiff {
  readonly path: FieldPath;
  readonly before: unknown;
  readonly after: unknown;
}

/** All fields in which two values differ, as deep as both have the same form. Items of lists are met by their names, where all have one. */
export function fieldDiff(before: unknown, after: unknown, path: FieldPath = []): FieldDiff[] {
  if (isRecord(before) && isRecord(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => fieldDiff(own(before, key), own(after, key), [...path, key]));
  }
  if (Array.isArray(before) && Array.isArray(after)) { return listDiff(before, after, path); }
  if (isRecord(before ?? after) && (before === undefined || after === undefined)) {
    const entries = Object.keys((before ?? after) as object);
    if (entries.length > 0) { return fieldDiff(before ?? {}, after ?? {}, path); }
  }
  return before === after || (before ?? after) === null || JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
}

function listDiff(before: readonly unknown[], after: readonly unknown[], path: FieldPath): FieldDiff[] {
  const [old, now] = [named(before), named(after)];
  if (old && now) {
    const kept = [...now].flatMap(([name, [item, index]]) => fieldDiff(old.get(name)?.[0], item, [...path, index]));
    const gone = [...old].filter(([name]) => !now.has(name)).map(([, [item, index]]) => ({ path: [...path, index], before: item, after: undefined }));
    return [...kept, ...gone];
  }
  if (before.length === after.length && before.some(isRecord)) {
    return before.flatMap((item, index) => fieldDiff(item, after[index], [...path, index]));
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
}

// the items by name with their places; undefined where some have none, or share one
function named(list: readonly unknown[]): Map<string, [item: unknown, index: number]> | undefined {
  const byName = new Map<string, [unknown, number]>();
  for (const [index, item] of list.entries()) {
    if (!isRecord(item) || typeof item.name !== 'string' || byName.has(item.name)) { return undefined; }
    byName.set(item.name, [item, index]);
  }
  return list.length > 0 ? byName : undefined;
}
