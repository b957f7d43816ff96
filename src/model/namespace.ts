import { IConstruct } from 'constructs';
import { ITarget } from './target';

/**
 * A Namespace on one of the clusters: one that the program declares, or one that is there.
 */
export interface INamespace extends IConstruct {
  /** The name of the Namespace. */
  readonly namespaceName: string;
  /** The cluster that it is on. */
  readonly target: ITarget;
}
