import { ExistingResource, Resource } from '../core/app/resource';
import { IRancherTarget, rancherTargetOf, IResource } from '../core/construct/target';

/** An object on the Rancher management cluster: declared by the program, or existing. */
export interface IRancherResource extends IResource {
  /** The Rancher of the object. */
  readonly rancher: IRancherTarget;
}

/** The base class of the constructs that write an object on the Rancher management cluster. @internal */
export abstract class RancherResource extends Resource implements IRancherResource {
  /** The Rancher of the object. */
  public get rancher(): IRancherTarget {
    return this.target as IRancherTarget;
  }

  /** @internal */
  public _requireTarget(): IRancherTarget {
    return rancherTargetOf(this);
  }
}

/** An object on Rancher that the program refers to. */
export class ExistingRancherResource extends ExistingResource implements IRancherResource {
  public get rancher(): IRancherTarget {
    return this.target as IRancherTarget;
  }

  /** @internal */
  public _requireTarget(method: string): IRancherTarget {
    return rancherTargetOf(this, method);
  }
}
