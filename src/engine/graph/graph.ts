import { inverted, reach } from '../../core/graph/reach';
import { AssemblyLateValue, AssemblyObject } from '../../core/output/assembly';

/**
 * What a node waits for in another one. `ended` requires only an order: the other one is done,
 * failed or skipped.
 */
export type EdgeKind = 'applied' | 'value' | 'ready' | 'gone' | 'ended';

/** An edge to a node that another one waits for. */
export interface GraphEdge {
  readonly to: string;
  readonly kind: EdgeKind;
  /**
   * Of an implied edge, which follows from the objects (a Namespace before its objects): in a
   * cycle, the one with the smallest weight is dropped.
   * @default - the program declares the edge
   */
  readonly weight?: number;
}

/**
 * One object or one late value. A node with neither is a group of objects that an edge names as
 * one: nothing is done with it, and workers never see it.
 */
export interface GraphNode {
  /** The ID of the object, `late:<id>`, or `group:<…>`. */
  readonly id: string;
  /** Empty for groups, and for late values composed of others. */
  readonly target: string;
  readonly object?: AssemblyObject;
  readonly late?: AssemblyLateValue;
  readonly after: readonly GraphEdge[];
  /** Order of nodes without dependencies: kinds that others need come first. */
  readonly rank: number;
  /** Whether it begins even if what it waits for failed. @default false */
  readonly goesOn?: boolean;
}

/** An order of deletion: `from` after `to`. */
export interface GoneEdge {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** The nodes of all clusters and their dependencies, without cycles. */
export interface ApplyGraph {
  /** By ID, with dependencies first. */
  readonly nodes: ReadonlyMap<string, GraphNode>;
  /** Order that the program declares only for deletion. */
  readonly whenGone?: readonly GoneEdge[];
}

/** The edges of a node to what it needs; one that only waits for an order does not need the other. */
export function neededEdges(node?: GraphNode): readonly GraphEdge[] {
  return (node?.after ?? []).filter(({ kind }) => kind !== 'ended');
}

/** Nodes with all that they need. */
export function withNeeds(ids: Iterable<string>, { nodes }: ApplyGraph): ReadonlySet<string> {
  return reach(ids, (id) => neededEdges(nodes.get(id)).map(({ to }) => to));
}

/** Nodes with all that needs them. */
export function withDependents(ids: Iterable<string>, { nodes }: ApplyGraph): ReadonlySet<string> {
  const after = inverted(
    [...nodes.values()].flatMap((node) =>
      neededEdges(node).map(({ to }) => [node.id, to] as const),
    ),
  );
  return reach(ids, (id) => after.get(id) ?? []);
}
