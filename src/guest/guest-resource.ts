import { Construct } from 'constructs';
import {
  ExistingNamespacedResourceOptions,
  ExistingResource,
  ObjectKind,
  Resource,
  ResourceManifest,
  ResourceProps,
  defaultNamespace,
  namespaceOf,
} from '../core/app/resource';
import { IGuestTarget, INamespace, guestTargetOf, IResource } from '../core/construct/target';

/** An object in a guest cluster: declared by the program, or existing. */
export interface IGuestResource extends IResource {
  /** The guest cluster of the object. */
  readonly guest: IGuestTarget;
}

/** An object in a namespace of a guest cluster: declared by the program, or existing. */
export interface INamespacedGuestResource extends IGuestResource {
  /** The name of its namespace. */
  readonly namespace: string;
}

/** Properties that every construct has that writes an object in a namespace of a guest cluster. */
export interface NamespacedGuestResourceProps extends ResourceProps {
  /**
   * The namespace of the object.
   * @default - the namespace of the chart, otherwise `default`; `kube-system` for Helm charts, and
   * the namespace of the workload for a load balancer with one
   */
  readonly namespace?: INamespace;
}

/** The base class of the constructs that write an object in a guest cluster. @internal */
export abstract class GuestResource extends Resource implements IGuestResource {
  /** The guest cluster of the object. */
  public get guest(): IGuestTarget {
    return this.target as IGuestTarget;
  }

  /** @internal */
  public _requireTarget(): IGuestTarget {
    return guestTargetOf(this);
  }
}

/** The base class of the constructs that write an object in a namespace of a guest cluster. @internal */
export abstract class NamespacedGuestResource
  extends GuestResource
  implements INamespacedGuestResource
{
  /** The name of its namespace. */
  public readonly namespace: string;

  protected constructor(scope: Construct, id: string, props: NamespacedGuestResourceProps = {}) {
    super(scope, id, props);
    this.namespace = props.namespace
      ? namespaceOf(this, this.guest, props.namespace, 'GuestNamespace.fromName')
      : this._defaultNamespace(props);
  }

  /**
   * The namespace of an object without one. Runs before the fields of a subclass have values.
   * @internal
   */
  public _defaultNamespace(_props: NamespacedGuestResourceProps): string {
    return defaultNamespace(this);
  }

  /** @internal */
  public _completedMetadata(given: ResourceManifest['metadata']): ResourceManifest['metadata'] {
    return super._completedMetadata({ ...given, namespace: this.namespace });
  }
}

/** An object in a guest cluster that the program refers to by its name. */
export class ExistingGuestResource extends ExistingResource implements IGuestResource {
  public get guest(): IGuestTarget {
    return this.target as IGuestTarget;
  }

  /** @internal */
  public _requireTarget(method: string): IGuestTarget {
    return guestTargetOf(this, method);
  }
}

/** An object in a namespace of a guest cluster that the program refers to by its name. */
export class ExistingNamespacedGuestResource
  extends ExistingGuestResource
  implements INamespacedGuestResource
{
  public readonly namespace: string;

  constructor(
    scope: Construct,
    id: string,
    method: string,
    kind: ObjectKind,
    { name, namespace = defaultNamespace(scope) }: ExistingNamespacedResourceOptions,
  ) {
    super(scope, id, method, { ...kind, namespace }, { name });
    this.namespace = namespace;
  }
}
