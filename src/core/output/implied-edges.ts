import { AssemblyEdge, AssemblyGroup, AssemblyLateObject, AssemblyObject } from './assembly';
import { lateIdsIn } from '../late/late-text';
import { isLate } from '../late/late-token';
import { refId } from '../manifest/manifest';
import { compare, grouped } from '../text/values';

/** How the ID of a late value begins as an end of an edge. */
export const LATE_NODE = 'late:';

/** How a late value is named as an end of an edge. */
export function lateNode(id: string): string {
  return `${LATE_NODE}${id}`;
}

/** Whether an end of an edge is a late value. */
export function isLateNode(end: string): boolean {
  return end.startsWith(LATE_NODE);
}

/** A late value with what its edges follow from. */
interface Sourced {
  readonly id: string;
  readonly source:
    | Pick<AssemblyLateObject, 'target' | 'apiVersion' | 'kind' | 'namespace' | 'name'>
    | { readonly text: string }
    | { readonly resolver: string };
}

/** The text of a source that may contain late values. */
function textIn(source: Sourced['source']): string {
  if ('target' in source) {
    return `${source.namespace ?? ''}/${source.name}`;
  }
  return 'text' in source ? source.text : '';
}

/**
 * The edges that late values imply: what contains one waits for it, and it waits for the object
 * that it is read from.
 */
export function lateEdges(
  objects: readonly Pick<AssemblyObject, 'id' | 'lateValues'>[],
  lateValues: readonly Sourced[],
): AssemblyEdge[] {
  if (lateValues.length === 0) {
    return [];
  }
  const edges: AssemblyEdge[] = [];
  const written = new Set<string>();
  for (const { id, lateValues: ids = [] } of objects) {
    written.add(id);
    for (const late of ids) {
      edges.push({ from: id, to: lateNode(late), type: 'value' });
    }
  }
  for (const { id, source } of lateValues) {
    const from = lateNode(id);
    const within = textIn(source);
    for (const inner of isLate(within) ? lateIdsIn(within) : []) {
      edges.push({ from, to: lateNode(inner), type: 'value' });
    }
    if (!('target' in source)) {
      continue;
    }
    const object = refId(source.target, source);
    // an object that the server creates is not a node; the edges of the construct name the object
    // that causes it
    if (written.has(object)) {
      edges.push({ from, to: object, type: 'applied' });
    }
  }
  return edges;
}

/** Each edge once, in an order that does not depend on the program. */
export function uniqueEdges(edges: readonly AssemblyEdge[]): AssemblyEdge[] {
  const byStart = grouped(edges, ({ from }) => from);
  return [...byStart.keys()].sort().flatMap((from) => {
    const list = byStart.get(from)!;
    if (list.length === 1) {
      return list;
    }
    const sorted = list.sort((a, b) => compare(a.type, b.type) || compare(a.to, b.to));
    return sorted.filter(
      ({ type, to }, index) =>
        index === 0 || type !== sorted[index - 1].type || to !== sorted[index - 1].to,
    );
  });
}

/** The path of a construct, and those above it. */
export function pathsUpwards(construct: string): string[] {
  const scopes: string[] = [];
  for (
    let path = construct;
    path !== '';
    path = path.slice(0, Math.max(path.lastIndexOf('/'), 0))
  ) {
    scopes.push(path);
  }
  return scopes;
}

/**
 * The groups that edges imply: an end that is neither an object nor a late value is the path of a
 * construct above some objects.
 */
export function impliedGroups(
  objects: readonly Pick<AssemblyObject, 'id' | 'construct'>[],
  edges: readonly AssemblyEdge[],
): AssemblyGroup[] {
  const ids = new Set(objects.map(({ id }) => id));
  const members = new Map<string, string[]>();
  const note = (end: string): void => {
    if (!ids.has(end) && !isLateNode(end)) {
      members.set(end, []);
    }
  };
  for (const { from, to } of edges) {
    note(from);
    note(to);
  }
  if (members.size === 0) {
    return [];
  }
  for (const { id, construct } of objects) {
    for (const path of pathsUpwards(construct)) {
      members.get(path)?.push(id);
    }
  }
  return [...members].flatMap(([id, list]) =>
    list.length > 0 ? [{ id, objects: list.sort(compare) }] : [],
  );
}
