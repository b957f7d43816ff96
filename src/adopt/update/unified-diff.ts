/** Lines around a change. */
const CONTEXT = 3;

/** A unified diff of a file, as `git apply` reads it, relative to the current folder. Undefined where nothing changes. @param before undefined for a new file */
export function unifiedDiff(path: string, before: string | undefined, after: string): string | undefined {
  if (before === after) { return undefined; }
  const [old, changed] = [linesOf(before ?? ''), linesOf(after)];
  const shortest = Math.min(old.length, changed.length);
  let start = 0;
  while (start < shortest && old[start] === changed[start]) { start++; }
  let end = 0;
  while (end < shortest - start && old[old.length - 1 - end] === changed[changed.length - 1 - end]) { end++; }
  const from = Math.max(0, start - CONTEXT);
  const rest = Math.max(0, end - CONTEXT);
  const hunk = [
    ...old.slice(from, start).map((line) => ` ${line}`),
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...changed.slice(start, changed.length - end).map((line) => `+${line}`),
    ...old.slice(old.length - end, old.length - rest).map((line) => ` ${line}`),
  ];
  const range = (lines: readonly string[]): string => {
    const count = lines.length - from - rest;
    return `${count === 0 ? from : from + 1},${count}`;
  };
  return `--- ${before === undefined ? '/dev/null' : `a/${path}`}\n+++ b/${path}\n@@ -${range(old)} +${range(changed)} @@\n${hunk.map((line) => `${line}\n`).join('')}`;
}

/** The lines of a text; the last one keeps the mark of Git if it does not end. */
function linesOf(text: string): string[] {
  if (text === '') { return []; }
  const lines = text.split('\n');
  return lines[lines.length - 1] === '' ? lines.slice(0, -1) : [...lines.slice(0, -1), `${lines[lines.length - 1]}\n\\ No newline at end of file`];
}
