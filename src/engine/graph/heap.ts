/** A priority queue of numbers, smallest first. */
export class Heap {
  /** A binary heap: the items at 2n+1 and 2n+2 are at least as large as that at n. */
  private readonly items: number[] = [];

  public get size(): number {
    return this.items.length;
  }

  public push(item: number): void {
    this.items.push(item);
    this.moveUp(this.items.length - 1);
  }

  public pop(): number | undefined {
    const first: number | undefined = this.items[0];
    const last = this.items.pop();
    if (last !== undefined && this.items.length > 0) {
      this.items[0] = last;
      this.moveDown(0);
    }
    return first;
  }

  private moveUp(start: number): void {
    let at = start;
    while (at > 0) {
      const parent = Math.floor((at - 1) / 2);
      if (this.items[parent] <= this.items[at]) {
        return;
      }
      this.swap(at, parent);
      at = parent;
    }
  }

  private moveDown(start: number): void {
    let at = start;
    for (;;) {
      const child = this.smallerChild(at);
      if (child === undefined || this.items[child] >= this.items[at]) {
        return;
      }
      this.swap(at, child);
      at = child;
    }
  }

  private smallerChild(at: number): number | undefined {
    const left = 2 * at + 1;
    const right = left + 1;
    if (left >= this.items.length) {
      return undefined;
    }
    return right < this.items.length && this.items[right] < this.items[left] ? right : left;
  }

  private swap(a: number, b: number): void {
    const item = this.items[a];
    this.items[a] = this.items[b];
    this.items[b] = item;
  }
}
