import { Construct, IConstruct } from 'constructs';
import { IRancherTarget, ITarget, rancherTargetOf } from '../model/target';

/**
 * A cluster that Rancher manages, by its management cluster id.
 */
export interface IManagedCluster extends IConstruct {
  /**
   * The id of the management cluster, e.g. `c-m-harvdc05`: the namespace of its registration tokens and projects, the first half of a project id.
   * May hold a late value.
   */
  readonly clusterId: string;
  /** The Rancher that manages it. */
  readonly rancher: IRancherTarget;
  /**
   * The target that the cluster itself is: where its Namespaces and other objects go.
   * @default - the cluster is no target of the program
   */
  readonly target?: ITarget;
}

/**
 * A cluster that Rancher manages and the program may or may not declare.
 * @internal
 */
export abstract class ManagedCluster extends Construct implements IManagedCluster {
  public abstract readonly clusterId: string;
  public abstract readonly target?: ITarget;
  public readonly rancher: IRancherTarget;

  protected constructor(scope: Construct, id: string, what: string) {
    super(scope, id);
    this.rancher = rancherTargetOf(this, what);
  }

  /**
   * Writes the namespace of the cluster's tokens once, where the program declares the cluster: without it an apply right after the Cluster races
   * Rancher's creation of it.
   * @internal
   */
  public abstract _ensureNamespace(): void;
}
