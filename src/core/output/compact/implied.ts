import { lateIdsIn } from '../../late/late-text';
import { isLate } from '../../late/late-token';
import { refId } from '../../manifest/manifest';
import { compare, escapeRegExp, grouped } from '../../text/values';
import { AssemblyEdge, AssemblyGroup, AssemblyLateObject, AssemblyObject } from '../assembly';

/** How the ID of a late value begins as an end of an edge. */
export const LATE_NODE = 'late:';

/** How a late value is named as an end of an edge. */
export function lateNode(id: string): string {
  return `${LATE_NODE}${id}`;
}

/** A late value with what its edges follow from. */
interface Sourced {
  readonly id: string;
  readonly source: Pick<AssemblyLateObject, 'target' | 'apiVersion' | 'kind' | 'namespace' | 'name'> | { readonly text: string } | { readonly resolver: string };
}

/** The edges that late values imply: what contains one waits for it, and it waits for the object that it is read from. */
export function lateEdges(objects: readonly Pick<AssemblyObject, 'id' | 'lateValues'>[], lateValues: readonly Sourced[]): AssemblyEdge[] {
  if (lateValues.length === 0) { return []; }
  const edges: AssemblyEdge[] = [];
  const written = new Set<string>();
  for (const { id, lateValues: ids = [] } of objects) {
    written.add(id);
    for (const late of ids) { edges.push({ from: id, to: lateNode(late), type: 'value' }); }
  }
  for (const { id, source } of lateValues) {
    const from = lateNode(id);
    const within = 'target' in source ? `${source.namespace ?? ''}/${source.name}` : 'text' in source ? source.text : '';
    for (const inner of isLate(within) ? lateIdsIn(within) : []) { edges.push({ from, to: lateNode(inner), type: 'value' }); }
    if (!('target' in source)) { continue; }
    const object = refId(source.target, source);
    // an object that the server creates is not a node; the edges of the construct name the object that causes it
    if (written.has(object)) { edges.push({ from, to: object, type: 'applied' }); }
  }
  return edges;
}

/** Each edge once, in an order that does not depend on the program. */
export function uniqueEdges(edges: readonly AssemblyEdge[]): AssemblyEdge[] {
  const byStart = grouped(edges, ({ from }) => from);
  return [...byStart.keys()].sort().flatMap((from) => {
    const list = byStart.get(from)!;
    if (list.length === 1) { return list; }
    const sorted = list.sort((a, b) => compare(a.type, b.type) || compare(a.to, b.to));
    return sorted.filter(({ type, to }, index) => index === 0 || type !== sorted[index - 1].type || to !== sorted[index - 1].to);
  });
}

/** The groups that edges imply: an end that is neither an object nor a late value is the path of a construct above several objects. */
export function impliedGroups(objects: readonly Pick<AssemblyObject, 'id' | 'construct'>[], edges: readonly AssemblyEdge[]): AssemblyGroup[] {
  const ids = new Set(objects.map(({ id }) => id));
  const members = new Map<string, string[]>();
  for (const end of edges.flatMap(({ from, to }) => [from, to])) {
    if (!ids.has(end) && !end.startsWith(LATE_NODE)) { members.set(end, []); }
  }
  if (members.size === 0) { return []; }
  for (const { id, construct } of objects) {
    for (let path = construct; path !== ''; path = path.slice(0, Math.max(path.lastIndexOf('/'), 0))) { members.get(path)?.push(id); }
  }
  return [...members].flatMap(([id, list]) => (list.length > 1 ? [{ id, objects: list.sort(compare) }] : []));
}

/** In the reason of a deletion: the name that the objects of a construct have in common. */
const SHARED_NAME = '<name>';

type Reasoned = Pick<AssemblyObject, 'construct' | 'name' | 'deletion'>;

/**
 * The reasons of deletions without the names that the objects of a construct have in common, such as that of the guest cluster whose account they are: the
 * objects of a kind then have the same reason, which is written once.
 */
export function shortReasons(objects: readonly Reasoned[]): (object: Reasoned) => AssemblyObject['deletion'] {
  return withReasons(objects, (reason, name) => (
    reason.includes(name) ? reason.replace(new RegExp(`(?<![\\w.-])${escapeRegExp(name)}(?![\\w.-])`, 'g'), SHARED_NAME) : reason));
}

/** Objects with the reasons that `shortReasons` made short. */
export function withWholeReasons(objects: readonly AssemblyObject[]): readonly AssemblyObject[] {
  const isShort = ({ deletion }: AssemblyObject): boolean => deletion?.reason.includes(SHARED_NAME) === true;
  if (!objects.some(isShort)) { return objects; }
  const deletionOf = withReasons(objects, (reason, name) => reason.replaceAll(SHARED_NAME, () => name));
  return objects.map((object) => (isShort(object) ? { ...object, deletion: deletionOf(object) } : object));
}

function withReasons(
  objects: readonly Reasoned[], reasonOf: (reason: string, shared: string) => string,
): (object: Reasoned) => AssemblyObject['deletion'] {
  const scopeOf = ({ construct }: Reasoned): string => construct.slice(0, Math.max(construct.lastIndexOf('/'), 0));
  const shortest = new Map<string, string>();
  for (const object of objects) {
    const [scope, { name }] = [scopeOf(object), object];
    const known = shortest.get(scope);
    if (known === undefined || name.length < known.length) { shortest.set(scope, name); }
  }
  return (object) => {
    const { name, deletion } = object;
    const shared = shortest.get(scopeOf(object))!;
    return deletion && name.includes(shared) ? { ...deletion, reason: reasonOf(deletion.reason, shared) } : deletion;
  };
}
