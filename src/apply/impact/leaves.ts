import { isRecord } from '../../model/manifest';
import { sameValue } from '../../model/same-value';

/** The places where two values differ, as deep as both are maps or lists. */
export function leaves(path: string, was: unknown, is: unknown): Array<[path: string, was: unknown, is: unknown]> {
  if (sameValue(was, is)) { return []; }
  if (Array.isArray(was) && Array.isArray(is)) {
    return [...Array(Math.max(was.length, is.length)).keys()].flatMap((index) => leaves(`${path}[${index}]`, was[index], is[index]));
  }
  if (!isRecord(was) || !isRecord(is)) { return [[path, was, is]]; }
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].sort().flatMap((key) => leaves(`${path}.${key}`, was[key], is[key]));
}
