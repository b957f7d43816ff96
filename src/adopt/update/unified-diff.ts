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
  const [removed] = structuredPatch(from, to, before, '').hunks;
  const [added] = structuredPatch(from, to, '', after).hunks;
  const patch = structuredPatch(from, to, '', '');
  const hunk = {
    oldStart: removed.oldStart,
    oldLines: removed.oldLines,
    newStart: added.newStart,
    newLines: added.newLines,
    lines: [...removed.lines, ...added.lines],
  };
  return { ...patch, hunks: [hunk] };
}
