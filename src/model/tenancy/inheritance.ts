/** What inherits what: the names that a role inherits; unknown ones inherit nothing. */
export type Inherited = (role: string) => readonly string[];

/** As many circles are told of roles that are all tangled up in each other: mending these changes the others. */
const MOST_CIRCLES = 10;

/**
 * The circles in what roles inherit from each other, each as the names along it, from the smallest on and with that again at its end.
 *
 * Every step that is part of a circle is in one of them, but for the most tangled. Takes no recursion: a chain may be as long as it likes.
 *
 * @param roles where to begin
 * @see rancher/webhook:pkg/resources/management.cattle.io/v3/roletemplate/validator.go checkCircularRef
 */
export function inheritanceCircles(roles: Iterable<string>, inherited: Inherited): string[][] {
  return tangles(roles, inherited).flatMap((tangle) => circlesIn(tangle, inherited));
}

interface Visit { readonly role: string; readonly heirs: readonly string[]; at: number }

// strongly connected roles, by the algorithm of Tarjan: in each, every role inherits every other one
function tangles(roles: Iterable<string>, inherited: Inherited): string[][] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const way: Visit[] = [];
  const enter = (role: string) => {
    order.set(role, order.size);
    lowest.set(role, order.get(role)!);
    open.push(role);
    isOpen.add(role);
    way.push({ role, heirs: inherited(role), at: 0 });
  };
  const lower = (role: string, by: number) => { lowest.set(role, Math.min(lowest.get(role)!, by)); };
  const leave = (role: string) => {
    if (lowest.get(role) !== order.get(role)) { return; }
    const tangle = open.splice(open.lastIndexOf(role));
    for (const member of tangle) { isOpen.delete(member); }
    if (tangle.length > 1 || inherited(role).includes(role)) { found.push(tangle); }
  };

  for (const start of roles) {
    if (order.has(start)) { continue; }
    enter(start);
    while (way.length > 0) {
      const visit = way[way.length - 1];
      const { role, heirs } = visit;
      if (visit.at < heirs.length) {
        const next = heirs[visit.at++];
        if (!order.has(next)) { enter(next); } else if (isOpen.has(next)) { lower(role, order.get(next)!); }
      } else {
        way.pop();
        leave(role);
        if (way.length > 0) { lower(way[way.length - 1].role, lowest.get(role)!); }
      }
    }
  }
  return found;
}

// a shortest circle for each step that none of the former ones has
function circlesIn(tangle: readonly string[], inherited: Inherited): string[][] {
  const members = new Set(tangle);
  const told = new Set<string>();
  const circles: string[][] = [];
  for (const role of [...tangle].sort()) {
    for (const next of inherited(role)) {
      if (circles.length === MOST_CIRCLES) { return circles; }
      if (!members.has(next) || told.has(`${role} ${next}`)) { continue; }
      const circle = fromSmallest([role, ...shortestWay(next, role, members, inherited)]);
      for (const [index, from] of circle.slice(0, -1).entries()) { told.add(`${from} ${circle[index + 1]}`); }
      circles.push(circle);
    }
  }
  return circles;
}

// from one role to another, without the last one itself
function shortestWay(from: string, to: string, members: ReadonlySet<string>, inherited: Inherited): string[] {
  const before = new Map<string, string | undefined>([[from, undefined]]);
  const queue = [from];
  for (const role of queue) {
    if (role === to) { break; }
    for (const next of inherited(role)) {
      if (!members.has(next) || before.has(next)) { continue; }
      before.set(next, role);
      queue.push(next);
    }
  }
  const way: string[] = [];
  for (let role = before.get(to); role !== undefined; role = before.get(role)) { way.unshift(role); }
  return way;
}

function fromSmallest(circle: readonly string[]): string[] {
  const smallest = circle.reduce((least, name, index) => (name < circle[least] ? index : least), 0);
  const turned = [...circle.slice(smallest), ...circle.slice(0, smallest)];
  return [...turned, turned[0]];
}
