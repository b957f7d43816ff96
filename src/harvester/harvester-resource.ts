import { Construct } from 'constructs';
import { objectNamespace } from './harvester-object';
import { IHarvesterResource, INamespacedHarvesterResource } from './harvester-resource-ref';
import {
  ExistingResource,
  ObjectKind,
  ObjectReference,
  Resource,
  ResourceManifest,
  ResourceProps,
  defaultNamespace,
} from '../core/app/resource';
import { IHarvesterTarget, INamespace, harvesterTargetOf } from '../core/construct/target';
import { ANNOTATION_DESCRIPTION } from '../core/manifest/names';

/** Properties that every construct has that writes an object on a Harvester. */
export interface HarvesterResourceProps extends ResourceProps {
  /** The description that the UI shows. @default - no description */
  readonly description?: string;
}

/** Values that keep an existing object unchanged when you adopt it. */
export interface AdoptedObject {
  /**
   * Whether the object has nothing but its props, for one whose manifest was written by hand: without
   * what Harvester's UI adds. A description is then in the field of the object alone, not in the
   * annotation that forms of the UI read.
   * @default false
   */
  readonly asWritten?: boolean;
}

/** The props of an object with a field for its description, which replaces the annotation. */
export function listedProps<
  T extends HarvesterResourceProps & { readonly adopted?: AdoptedObject },
>(props: T): T {
  return props.adopted?.asWritten ? { ...props, description: undefined } : props;
}

/** Properties that every construct has that writes an object in a namespace of a Harvester. */
export interface NamespacedHarvesterResourceProps extends HarvesterResourceProps {
  /**
   * The namespace. All users can read the objects in `harvester-public`.
   * @default - the namespace of the chart, otherwise `default`
   */
  readonly namespace?: INamespace;
}

/** The base class of the constructs that write an object on a Harvester. @internal */
export abstract class HarvesterResource extends Resource implements IHarvesterResource {
  private readonly description?: string;

  protected constructor(scope: Construct, id: string, props: HarvesterResourceProps = {}) {
    super(scope, id, props);
    this.description = props.description;
  }

  /** The Harvester of the object. */
  public get harvester(): IHarvesterTarget {
    return this.target as IHarvesterTarget;
  }

  /** @internal */
  public _requireTarget(): IHarvesterTarget {
    return harvesterTargetOf(this);
  }

  /** @internal */
  public _completedMetadata(given: ResourceManifest['metadata']): ResourceManifest['metadata'] {
    if (this.description === undefined) {
      return super._completedMetadata(given);
    }
    const annotations = { [ANNOTATION_DESCRIPTION]: this.description, ...given?.annotations };
    return super._completedMetadata({ ...given, annotations });
  }
}

/** The base class of the constructs that write an object in a namespace of a Harvester. @internal */
export abstract class NamespacedHarvesterResource
  extends HarvesterResource
  implements INamespacedHarvesterResource
{
  /** The name of its namespace. */
  public readonly namespace: string;

  protected constructor(
    scope: Construct,
    id: string,
    props: NamespacedHarvesterResourceProps = {},
  ) {
    super(scope, id, props);
    this.namespace = this._namespaceOf(props);
  }

  /**
   * The namespace. Collects what is wrong with it. Runs before the fields of a subclass have
   * values. @internal
   */
  public _namespaceOf({ namespace }: NamespacedHarvesterResourceProps): string {
    return objectNamespace(this, this.harvester, namespace);
  }

  /** @internal */
  public _completedMetadata(given: ResourceManifest['metadata']): ResourceManifest['metadata'] {
    return super._completedMetadata({ ...given, namespace: this.namespace });
  }
}

/** An object on a Harvester that the program refers to. */
export class ExistingHarvesterResource extends ExistingResource implements IHarvesterResource {
  public get harvester(): IHarvesterTarget {
    return this.target as IHarvesterTarget;
  }

  /** @internal */
  public _requireTarget(method: string): IHarvesterTarget {
    return harvesterTargetOf(this, method);
  }
}

/** An object in a namespace of a Harvester that the program refers to. */
export class ExistingNamespacedHarvesterResource
  extends ExistingHarvesterResource
  implements INamespacedHarvesterResource
{
  public readonly namespace: string;

  constructor(
    scope: Construct,
    id: string,
    method: string,
    kind: ObjectKind,
    {
      namespace = defaultNamespace(scope),
      ...reference
    }: ObjectReference & { readonly namespace?: string },
  ) {
    super(scope, id, method, { ...kind, namespace }, reference);
    this.namespace = namespace;
  }
}
