/**
 * The name that was probably meant; undefined where none is near.
 *
 * @param typed what someone wrote
 * @param names what there is
 * @param farthest how many characters may differ; the default is one of four
 */
export function nearestName(typed: string, names: readonly string[], farthest = Math.max(1, typed.length / 4)): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[-_]/g, '');
  const [nearest] = names.map((name) => ({ name, distance: distance(plain(typed), plain(name)) })).sort((a, b) => a.distance - b.distance);
  return nearest && nearest.distance <= farthest ? nearest.name : undefined;
}

// Levenshtein's, on one row
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}
