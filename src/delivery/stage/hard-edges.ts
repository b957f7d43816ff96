import { kindOf } from '../../core/kind/all-kinds';
import { groupOf, kindKey } from '../../core/manifest/manifest';
import { AssemblyObject } from '../../core/output/assembly';
import { GraphEdge, GraphNode } from '../../engine/graph/graph';

/** Weight of an implied edge to an object that is only referred to: both recover once they exist. */
const REFERRED = 1;

const keyOf = ({ apiVersion, kind }: Pick<AssemblyObject, 'apiVersion' | 'kind'>): string => kindKey(groupOf(apiVersion), kind);

/** A node of an object. */
export type ObjectNode = GraphNode & { readonly object: AssemblyObject };

/** What decides whether a stage must end between two nodes. */
interface EdgeContext {
  /** The targets of the objects that wait by a group, by the ID of its node. */
  readonly waiters: ReadonlyMap<string, ReadonlySet<string>>;
  /** The weights of implied edges, by `<from> <to>`. */
  readonly weights: ReadonlyMap<string, number>;
}

/**
 * Whether the object that waits must be in a later stage than the one that it waits for. Otherwise engines order both within one apply, or both recover.
 */
export function isHard(from: GraphNode, to: ObjectNode, { kind, implied }: GraphEdge, context: EdgeContext): boolean {
  const { object, late } = from;
  if (kind === 'ready' || late) { return true; }
  if (object && lookedUpKinds(object).has(keyOf(to.object))) { return true; }
  const targets = object ? new Set([object.target]) : context.waiters.get(from.id) ?? new Set();
  const isSameTarget = targets.size === 1 && targets.has(to.target);
  if (isSameTarget && kindOf(to.object)?.appliedFirst) { return false; }
  return !implied || (context.weights.get(`${from.id} ${to.id}`) ?? 0) > REFERRED;
}

/** The kinds of which a webhook looks up the objects that an object refers to: it refuses the object before they exist. */
function lookedUpKinds(object: AssemblyObject): ReadonlySet<string> {
  const { looksUp = [], passing = [] } = kindOf(object) ?? {};
  const missed = passing.flatMap(({ missing }) => missing?.(ANY_MATCH) ?? []).filter(({ going }) => going !== true);
  return new Set([...looksUp, ...missed.map(({ kind }) => kind)]);
}

// only the kind is asked for, which no match decides
const ANY_MATCH = Object.assign(['', '', ''], { index: 0, input: '' }) as unknown as RegExpExecArray;
