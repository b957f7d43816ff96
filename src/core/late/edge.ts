import { IConstruct } from 'constructs';
import { needsApp } from '../app/app-mark';
import { attach, attached, isBelow } from '../app/scope';
import { fail } from '../rule/problem';

/**
 * What must have happened to one thing before another may be applied.
 */
export enum EdgeType {
  /** The other was accepted by its API server. */
  APPLIED = 'applied',
  /** A value of the other is known. */
  VALUE = 'value',
  /** The other is ready, by the rules of its kind. */
  READY = 'ready',
  /** The other is gone, with its finalizers. */
  GONE = 'gone',
}

/** An edge as it was declared: between constructs, each standing for all objects below it. */
export interface DeclaredEdge {
  readonly from: IConstruct;
  readonly to: IConstruct;
  readonly type: EdgeType;
  /** Whether the program asked for it, rather than a construct of ours, whose other end may be there already. */
  readonly asked?: boolean;
}

const EDGES = Symbol.for('cdk8s-harvester.Edges');

/**
 * Order between objects, over all targets: what waits for what.
 *
 * Unlike cdk8s' own dependencies, edges may lead from Rancher to a Harvester and back, and cost nothing in large programs. They stand in the
 * assembly, for apply and for GitOps engines. Needs HarvesterApp.
 */
export class Edges {
  /** The edges that start at a construct. */
  public static of(construct: IConstruct): Edges {
    return new Edges(construct);
  }

  private constructor(private readonly construct: IConstruct) {}

  /**
   * All objects below this construct wait for all objects below another. Neither may lie below the other.
   *
   * @param other what is waited for
   * @param type what must have happened to it
   */
  public after(other: IConstruct, type: EdgeType): void {
    if (isBelow(this.construct, other) || isBelow(other, this.construct)) {
      fail(this.construct, [{
        path: 'Edges.after',
        value: other.node.path,
        message: 'one of both lies below the other, so objects would wait for themselves',
        fix: 'name the object itself that is waited for',
      }]);
    }
    // once a construct, however many edges
    if (this._declared().length === 0) {
      this.construct.node.addValidation({ validate: () => needsApp(this.construct, 'Edges.after', 'writes down what waits for what') });
    }
    this.declare({ from: this.construct, to: other, type, asked: true });
  }

  /**
   * The same for edges that only help apply: the manifests are right without them, so below a plain cdk8s App they are left out.
   * @internal
   */
  public _add(other: IConstruct, type: EdgeType): void {
    this.declare({ from: this.construct, to: other, type });
  }

  /** @internal */
  public _declared(): readonly DeclaredEdge[] {
    return attached(this.construct, EDGES);
  }

  private declare(edge: DeclaredEdge): void {
    attach<DeclaredEdge>(this.construct, EDGES, edge);
  }
}
