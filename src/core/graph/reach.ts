/**
 * The nodes with all that can be reached from them, in the order of discovery. Without recursion:
 * chains may be long.
 */
export function reach<T>(nodes: Iterable<T>, next: (node: T) => Iterable<T>): Set<T> {
  // a set is walked in the order of insertion, including what is added on the way
  const reached = new Set(nodes);
  for (const node of reached) {
    for (const other of next(node)) {
      reached.add(other);
    }
  }
  return reached;
}

/** The nodes from which edges lead to each node. */
export function inverted<F, T>(edges: Iterable<readonly [from: F, to: T]>): Map<T, F[]> {
  const sources = new Map<T, F[]>();
  for (const [from, to] of edges) {
    const list = sources.get(to);
    if (list) {
      list.push(from);
    } else {
      sources.set(to, [from]);
    }
  }
  return sources;
}

/**
 * The nodes of circles, and those between two circles; empty where no node leads back to itself.
 */
export function inCircles<T>(nodes: Iterable<T>, next: (node: T) => Iterable<T>): Set<T> {
  const all = [...nodes];
  const edges = all.flatMap((from) => [...next(from)].map((to) => [from, to] as const));
  const [sources, ends] = [
    inverted(edges),
    inverted(edges.map(([from, to]) => [to, from] as const)),
  ];
  const left = new Set(all);
  const peel = (
    before: ReadonlyMap<T, readonly T[]>,
    after: ReadonlyMap<T, readonly T[]>,
  ): void => {
    const counts = new Map(
      all.map((node) => [node, (before.get(node) ?? []).filter((other) => left.has(other)).length]),
    );
    const free = all.filter((node) => left.has(node) && counts.get(node) === 0);
    // a list is walked with what is added on the way
    for (const node of free) {
      left.delete(node);
      for (const other of after.get(node) ?? []) {
        counts.set(other, counts.get(other)! - 1);
        if (counts.get(other) === 0) {
          free.push(other);
        }
      }
    }
  };
  peel(ends, sources);
  peel(sources, ends);
  return left;
}
