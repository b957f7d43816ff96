/** The nodes with all that can be reached from them, in the order of discovery. Without recursion: chains may be long. */
export function reach<T>(nodes: Iterable<T>, next: (node: T) => Iterable<T>): Set<T> {
  // a set is walked in the order of insertion, including what is added on the way
  const reached = new Set(nodes);
  for (const node of reached) {
    for (const other of next(node)) { reached.add(other); }
  }
  return reached;
}

/** The nodes from which edges lead to each node. */
export function inverted<F, T>(edges: Iterable<readonly [from: F, to: T]>): Map<T, F[]> {
  const sources = new Map<T, F[]>();
  for (const [from, to] of edges) {
    const list = sources.get(to);
    if (list) { list.push(from); } else { sources.set(to, [from]); }
  }
  return sources;
}
