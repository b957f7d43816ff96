/** Numbers, of which the smallest is taken first. */
export class Heap {
  private readonly items: number[] = [];

  public get size(): number {
    return this.items.length;
  }

  public push(item: number): void {
    const { items } = this;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = Math.floor((at - 1) / 2);
      if (items[parent] <= item) { break; }
      items[at] = items[parent];
      at = parent;
    }
    items[at] = item;
  }

  public pop(): number | undefined {
    const { items } = this;
    const first = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) { return first; }
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) { break; }
      if (child + 1 < items.length && items[child + 1] < items[child]) { child++; }
      if (items[child] >= last) { break; }
      items[at] = items[child];
      at = child;
    }
    items[at] = last;
    return first;
  }
}
