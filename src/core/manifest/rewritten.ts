import { FieldPath, FieldPattern, Manifest, coverOf, isRecord, patternOf } from './manifest';

/** Of patterns of fields that others write, those of fields that a manifest sets. */
export function rewrittenIn(manifest: Manifest, patterns: readonly string[]): string[] {
  if (patterns.length === 0) { return []; }
  const leaves = leavesOf(manifest, [], true);
  return patterns.filter((pattern) => { const fields = patternOf(pattern); return leaves.some((path) => isRewritten(fields, path)); });
}

/** The fields of a manifest that others write. */
export function rewrittenFields(manifest: Manifest, patterns: readonly string[]): FieldPath[] {
  if (patterns.length === 0) { return []; }
  const fields = patterns.map(patternOf);
  return leavesOf(manifest).filter((path) => fields.some((pattern) => isRewritten(pattern, path)));
}

/** Labels, annotations and finalizers are shared: declared ones belong to the program, unless the pattern names that exact one. */
export function isRewritten(pattern: FieldPattern, path: FieldPath): boolean {
  const cover = coverOf(pattern, path);
  return cover === 'exact' || (cover === 'above' && path[0] !== 'metadata');
}

/** @param withEmpty also maps without entries */
function leavesOf(value: unknown, path: FieldPath = [], withEmpty = false): FieldPath[] {
  if (Array.isArray(value)) { return [path, ...value.flatMap((item, index) => leavesOf(item, [...path, index], withEmpty))]; }
  if (!isRecord(value) || (withEmpty && Object.keys(value).length === 0)) { return [path]; }
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key], withEmpty));
}
