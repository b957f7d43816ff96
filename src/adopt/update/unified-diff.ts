import { FILE_HEADERS_ONLY, StructuredPatch, formatPatch, structuredPatch } from 'diff';

/** The most lines that are removed and added: where more differ, all of them are replaced. */
const MAX_EDITS = 2_000;

/**
 * A unified diff of a file, as `git apply` reads it, relative to the current folder. Undefined
 * where nothing changes. @param before undefined for a new file
 */
export function unifiedDiff(
  path: string,
  before: string | undefined,
  after: string,
): string | undefined {
  if (before === after) {
    return undefined;
  }
  const [from, to] = [before === undefined ? '/dev/null' : `a/${path}`, `b/${path}`];
  const patch =
    structuredPatch(from, to, before ?? '', after, undefined, undefined, {
      context: 3,
      maxEditLength: MAX_EDITS,
    }) ?? replaced(from, to, before ?? '', after);
  return formatPatch(patch, FILE_HEADERS_ONLY);
}

/** A patch that removes all lines and adds the others. */
function replaced(from: string, to: string, before: string, after: string): StructuredPatch {
  const added = structuredPatch(from, to, '', after);
  const [removal] = structuredPatch(from, to, before, '').hunks;
  // a new file has no lines to remove, and an emptied one none to add
  const [addition] = added.hunks;
  if (removal === undefined || addition === undefined) {
    return { ...added, hunks: [removal ?? addition] };
  }
  const { oldStart, oldLines } = removal;
  const lines = [...removal.lines, ...addition.lines];
  return { ...added, hunks: [{ ...addition, oldStart, oldLines, lines }] };
}
