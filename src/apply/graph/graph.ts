import { AssemblyLateValue, AssemblyObject } from '../../model/assembly';

/**
 * What a step of an apply waits for in another. `ended` asks only for an order: it is enough that the other was tried, whether it is done, failed or was
 * skipped.
 */
export type EdgeKind = 'applied' | 'value' | 'ready' | 'gone' | 'ended';

export interface GraphEdge {
  readonly to: string;
  readonly kind: EdgeKind;
  /** Made up by us (a Namespace before what lies in it): left out where it would close a circle. */
  readonly implied?: boolean;
}

/**
 * One object, or one late value. A node with neither only holds others together (a group of objects that an edge names as one): nothing is done
 * with it, and workers never see it.
 */
export interface GraphNode {
  /** The id of the object, `late:<id>`, or `group:<…>`. */
  readonly id: string;
  /** Empty where no cluster is asked: groups, and late values that are put together from others. */
  readonly target: string;
  readonly object?: AssemblyObject;
  readonly late?: AssemblyLateValue;
  readonly after: readonly GraphEdge[];
  /** Place among nodes that wait for nothing: kinds that others need come first. */
  readonly rank: number;
}

/** Some nodes go after others are gone. */
export interface GoneEdge {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** What is to be done and what waits for what, over all clusters; without circles. */
export interface ApplyGraph {
  /** By id, in an order in which everything comes after what it waits for. */
  readonly nodes: ReadonlyMap<string, GraphNode>;
  /** Order that the program asks for only where things are taken away: `from` go after `to` are gone. */
  readonly whenGone?: readonly GoneEdge[];
}
