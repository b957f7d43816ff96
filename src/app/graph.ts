/**
 * Order over many things in linear time: objects, late values, and groups of objects that edges name as one.
 */
export class OrderGraph {
  private readonly successors = new Map<string, string[]>();
  private readonly waits = new Map<string, number>();

  /** Adds a thing; where edges leave a choice, the one added first comes first. */
  public add(id: string): void {
    if (!this.waits.has(id)) {
      this.waits.set(id, 0);
      this.successors.set(id, []);
    }
  }

  /** Adds an edge: `later` waits for `earlier`. */
  public after(later: string, earlier: string): void {
    this.add(later);
    this.add(earlier);
    this.successors.get(earlier)!.push(later);
    this.waits.set(later, this.waits.get(later)! + 1);
  }

  /**
   * One cycle, as the things along it, the first again at the end; undefined where there is none.
   */
  public cycle(): string[] | undefined {
    const stuck = this.stuck();
    let current = stuck.values().next().value;
    if (current === undefined) { return undefined; }

    // what is stuck may only wait for a cycle: every stuck thing has a stuck predecessor, so walking backwards ends on the cycle itself
    const predecessor = new Map<string, string>();
    for (const id of stuck) {
      for (const successor of this.successors.get(id)!) {
        if (stuck.has(successor)) { predecessor.set(successor, id); }
      }
    }
    const seen = new Set<string>();
    while (!seen.has(current)) {
      seen.add(current);
      current = predecessor.get(current)!;
    }
    const cycle = [current];
    for (let id = predecessor.get(current)!; id !== current; id = predecessor.get(id)!) { cycle.push(id); }
    return [...cycle, current];
  }

  /** Some things and all that wait for them, directly or not. */
  public waitingFor(ids: Iterable<string>): ReadonlySet<string> {
    // a set is walked in the order of its insertion, and what is added meanwhile is walked too
    const found = new Set(ids);
    for (const id of found) {
      for (const successor of this.successors.get(id) ?? []) { found.add(successor); }
    }
    return found;
  }

  // what never becomes ready; the list grows while it is walked: no recursion, a chain of 100,000 is as good as any
  private stuck(): Set<string> {
    const waits = new Map(this.waits);
    const ready = [...waits.keys()].filter((id) => waits.get(id) === 0);
    for (let next = 0; next < ready.length; next++) {
      for (const successor of this.successors.get(ready[next])!) {
        const left = waits.get(successor)! - 1;
        waits.set(successor, left);
        if (left === 0) { ready.push(successor); }
      }
    }
    const done = new Set(ready);
    return new Set([...waits.keys()].filter((id) => !done.has(id)));
  }
}
