import { IConstruct } from 'constructs';
import { needsApp, attach, attached, isBelow } from './scope';
import { fail } from '../problem/problem';

/** The state that an object must have before another one is applied. */
export enum OrderingType {
  /** Its API server has accepted the object. */
  APPLIED = 'applied',
  /** A late value of the object is known. */
  VALUE = 'value',
  /** The object is ready, as defined for its kind. */
  READY = 'ready',
  /** The object is deleted, with its finalizers. */
  GONE = 'gone',
}

/** A declared edge between constructs; each represents all objects below it. */
export interface DeclaredEdge {
  readonly from: IConstruct;
  readonly to: IConstruct;
  readonly type: OrderingType;
  /**
   * Whether the program declared it, not a construct of this library, whose other end may already
   * exist.
   */
  readonly asked?: boolean;
}

const EDGES = Symbol.for('cdk8s-harvester.Edges');

/**
 * The order between objects of all targets.
 *
 * Unlike cdk8s dependencies, edges can go from Rancher to Harvester and back, and are cheap in
 * large programs. The assembly contains them, for apply and for GitOps engines. Needs HarvesterApp.
 *
 * @example
 * const log = HarvesterSetting.logLevel(dc1, 'log', HarvesterLogLevel.DEBUG);
 * Ordering.of(log).after(harvester, OrderingType.READY);
 */
export class Ordering {
  /** The edges that start at a construct. */
  public static of(construct: IConstruct): Ordering {
    return new Ordering(construct);
  }

  private constructor(private readonly construct: IConstruct) {}

  /**
   * Makes all objects below this construct wait for all objects below another one. Neither may be
   * below the other.
   *
   * @param other the construct to wait for
   * @param type the state to wait for
   */
  public after(other: IConstruct, type: OrderingType): void {
    if (isBelow(this.construct, other) || isBelow(other, this.construct)) {
      fail(this.construct, [
        {
          path: 'Ordering.after',
          value: other.node.path,
          message:
            'must not be above or below the construct itself: objects would wait for themselves',
          fix: 'wait for a single object',
        },
      ]);
    }
    // once a construct, however many edges
    if (this._declared().length === 0) {
      this.construct.node.addValidation({
        validate: () => needsApp(this.construct, 'Ordering.after', 'records edges'),
      });
    }
    this.declare({ from: this.construct, to: other, type, asked: true });
  }

  /**
   * The same for edges that only help apply: the manifests do not need them, so a plain cdk8s App
   * ignores them. @internal
   */
  public _add(other: IConstruct, type: OrderingType): void {
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
