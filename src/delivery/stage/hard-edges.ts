import { kindOf } from '../../core/kind/all-kinds';
import { groupOf, kindKey } from '../../core/manifest/manifest';
import { AssemblyObject } from '../../core/output/assembly';
import { WEIGHT } from '../../engine/graph/build-graph';
import { GraphEdge, GraphNode } from '../../engine/graph/graph';

const keyOf = ({ apiVersion, kind }: Pick<AssemblyObject, 'apiVersion' | 'kind'>): string => kindKey(groupOf(apiVersion), kind);

/** A node of an object. */
export type ObjectNode = GraphNode & { readonly object: AssemblyObject };

/**
 * Whether the object that waits must be in a later stage than the one that it waits for. Otherwise engines order both within one apply, or both recover.
 *
 * @param waiters the targets of the objects that wait by a group, by the ID of its node
 */
export function isHard(
  from: GraphNode, to: ObjectNode, { kind, weight = Infinity }: GraphEdge, waiters: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  const { object, late } = from;
  // a controller needs time for what others refer to
  if (kind === 'ready' || late || kindOf(to.object)?.makes) { return true; }
  if (object && lookedUpKinds(object).has(keyOf(to.object))) { return true; }
  const targets = object ? new Set([object.target]) : waiters.get(from.id) ?? new Set();
  const isSameTarget = targets.size === 1 && targets.has(to.target);
  if (isSameTarget && kindOf(to.object)?.appliedFirst) { return false; }
  return weight > WEIGHT.REFERRED;
}

/** The kinds of which a webhook looks up the objects that an object refers to: it refuses the object before they exist. */
function lookedUpKinds(object: AssemblyObject): ReadonlySet<string> {
  const { looksUp = [], passing = [] } = kindOf(object) ?? {};
  const missed = passing.flatMap(({ missing }) => missing?.(ANY_MATCH) ?? []).filter(({ going }) => going !== true);
  return new Set([...looksUp, ...missed.map(({ kind }) => kind)]);
}

// only the kind is asked for, which no match decides
const ANY_MATCH = Object.assign(['', '', ''], { index: 0, input: '' }) as unknown as RegExpExecArray;
