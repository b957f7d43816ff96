/** Lines around a change. */
const CONTEXT = 3;

/** The most pairs of lines that are compared: where more differ, all of them are replaced. */
const MAX_PAIRS = 4_000_000;

/** A line that is kept, removed, or added. */
interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

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
  const lines = diffLines(linesOf(before ?? ''), linesOf(after));
  // a tab ends a name with spaces
  const name = path.includes(' ') ? `${path}\t` : path;
  const head = `--- ${before === undefined ? '/dev/null' : `a/${name}`}\n+++ b/${name}\n`;
  return (
    head +
    hunksOf(lines)
      .map(([from, to]) => hunkText(lines, from, to))
      .join('')
  );
}

/** The lines of a text; the last one keeps the mark of Git if it does not end. */
function linesOf(text: string): string[] {
  if (text === '') {
    return [];
  }
  const lines = text.split('\n');
  return lines[lines.length - 1] === ''
    ? lines.slice(0, -1)
    : [...lines.slice(0, -1), `${lines[lines.length - 1]}\n\\ No newline at end of file`];
}

/** The lines of two texts, of which those that both have in this order are kept. */
function diffLines(old: readonly string[], changed: readonly string[]): readonly DiffLine[] {
  const shortest = Math.min(old.length, changed.length);
  let start = 0;
  while (start < shortest && old[start] === changed[start]) {
    start++;
  }
  let end = 0;
  while (
    end < shortest - start &&
    old[old.length - 1 - end] === changed[changed.length - 1 - end]
  ) {
    end++;
  }
  const kept = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ sign: ' ', text }));
  return [
    ...kept(old.slice(0, start)),
    ...middle(old.slice(start, old.length - end), changed.slice(start, changed.length - end)),
    ...kept(old.slice(old.length - end)),
  ];
}

/** The longest common subsequence is kept. */
function middle(old: readonly string[], changed: readonly string[]): readonly DiffLine[] {
  const [rows, columns] =
    old.length * changed.length > MAX_PAIRS ? [0, 0] : [old.length, changed.length];
  const width = columns + 1;
  const common = new Uint32Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      const [at, below] = [i * width + j, (i + 1) * width + j];
      common[at] =
        old[i] === changed[j] ? common[below + 1] + 1 : Math.max(common[below], common[at + 1]);
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < rows && j < columns) {
    if (old[i] === changed[j]) {
      lines.push({ sign: ' ', text: old[i] });
      i++;
      j++;
    } else if (common[(i + 1) * width + j] >= common[i * width + j + 1]) {
      lines.push({ sign: '-', text: old[i++] });
    } else {
      lines.push({ sign: '+', text: changed[j++] });
    }
  }
  for (; i < old.length; i++) {
    lines.push({ sign: '-', text: old[i] });
  }
  for (; j < changed.length; j++) {
    lines.push({ sign: '+', text: changed[j] });
  }
  return lines;
}

/** The ranges of lines that hunks show: changes with the lines around them. */
function hunksOf(lines: readonly DiffLine[]): readonly (readonly [from: number, to: number])[] {
  const hunks: [number, number][] = [];
  lines.forEach(({ sign }, index) => {
    if (sign === ' ') {
      return;
    }
    const last = hunks[hunks.length - 1];
    const [from, to] = [Math.max(0, index - CONTEXT), Math.min(lines.length, index + CONTEXT + 1)];
    if (last !== undefined && from <= last[1]) {
      last[1] = to;
    } else {
      hunks.push([from, to]);
    }
  });
  return hunks;
}

function hunkText(lines: readonly DiffLine[], from: number, to: number): string {
  const shown = lines.slice(from, to);
  const range = (without: DiffLine['sign']): string => {
    const count = (some: readonly DiffLine[]): number =>
      some.filter(({ sign }) => sign !== without).length;
    const [before, length] = [count(lines.slice(0, from)), count(shown)];
    return `${length === 0 ? before : before + 1},${length}`;
  };
  return `@@ -${range('+')} +${range('-')} @@\n${shown.map(({ sign, text }) => `${sign}${text}\n`).join('')}`;
}
