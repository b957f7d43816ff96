import { ApiObject, ApiObjectMetadataDefinition, Chart, Lazy } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { OrderingType, Ordering } from '../construct/edge';
import { ObjectNotes, note } from '../construct/object-notes';
import { giveMetadata } from '../construct/owned-metadata';
import { keepPlace } from '../construct/program-place';
import {
  anyTargetOf,
  INamespace,
  IResource,
  isTarget,
  ITarget,
  know,
  KnownObject,
  TargetKind,
} from '../construct/target';
import { GrowingProps } from '../growing/growing-props';
import { DEFAULT_NAMESPACE, RFC1123_LABEL } from '../manifest/names';
import { DNS_SUBDOMAIN, kebabCase } from '../problem/label';
import { asProps, checkLiteral, collectProblems, fail, failOnErrors } from '../problem/problem';
import { checkValues } from '../shape/check-values';
import { Match, nameOfMatch } from '../value/late-value';

/** Options that every construct that writes objects has. */
export interface ResourceOptions {
  /**
   * Additional labels of all objects that the construct writes, on every cluster. Those that the
   * construct itself sets take precedence.
   * @default - only those of the construct
   */
  readonly labels?: { readonly [key: string]: string };
  /**
   * Additional annotations of all objects that the construct writes, on every cluster. Those that
   * the construct itself sets take precedence.
   * @default - only those of the construct
   */
  readonly annotations?: { readonly [key: string]: string };
}

/** Properties that every construct has that writes an object with a name of its own. */
export interface ResourceProps extends ResourceOptions {
  /**
   * The name of the object (`metadata.name`).
   * @default - the path of the construct below its target chart, joined by hyphens, in kebab case: `web` of `new VirtualMachine(dc1, 'web', …)`, `site-a-web-server` of a `WebServer` in an own construct `site-a`
   */
  readonly name?: string;
}

/** Options of a reference to an existing object. */
export interface ExistingResourceOptions {
  /** The name of the object (`metadata.name`). */
  readonly name: string;
}

/** Options of a reference to an existing object in a namespace. */
export interface ExistingNamespacedResourceOptions extends ExistingResourceOptions {
  /** The name of its namespace. @default - the namespace of the chart, otherwise `default` */
  readonly namespace?: string;
}

/** Options of a reference to an existing object by the name that the UI shows. */
export interface DisplayNameOptions {
  /**
   * The name that the UI shows, which only this object has. Commands fail if several objects have
   * it, and name them.
   */
  readonly displayName: string;
}

/** Labels or annotations. */
export type TextMap = { readonly [key: string]: string };

/** The kind of an existing object, and its namespace where it is always the same. */
export type ObjectKind = Pick<KnownObject, 'apiVersion' | 'kind' | 'namespace'>;

/**
 * How the program refers to an existing object: by its name, or by a value that only this object
 * has.
 */
export interface ObjectReference {
  readonly name?: string;
  readonly match?: Match;
}

/**
 * An object as its construct describes it: without the name, labels, and annotations that all
 * constructs have.
 */
export interface ResourceManifest {
  readonly apiVersion: string;
  readonly kind: string;
  /**
   * The namespace, labels, and annotations that the construct sets itself. `name` is for parts: by
   * default the main object has the name of the construct.
   */
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly labels?: TextMap;
    readonly annotations?: TextMap;
    readonly [key: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/**
 * A construct that writes objects, or composes constructs that do, and has no object that is the
 * main one. @internal
 */
export abstract class ResourceGroup extends Construct {
  /** The cluster that its objects are on. */
  public readonly target: ITarget;
  /** The additional labels that the program gave the construct. */
  public readonly labels: { readonly [key: string]: string };
  /** The additional annotations that the program gave the construct. */
  public readonly annotations: { readonly [key: string]: string };

  protected constructor(scope: Construct, id: string, props: ResourceOptions = {}) {
    super(scope, id);
    keepPlace(this);
    this.target = this._requireTarget();
    this.labels = props.labels ?? NONE;
    this.annotations = props.annotations ?? NONE;
    giveMetadata(this, props);
  }

  /** The target, or an error. Runs before the fields of a subclass have values. @internal */
  public abstract _requireTarget(): ITarget;

  /**
   * The labels and annotations of the program, with those of the construct, which take precedence.
   * @internal
   */
  public _metadata(own: ResourceManifest['metadata'] = {}): ResourceManifest['metadata'] {
    return {
      ...own,
      ...merged('labels', this.labels, own.labels),
      ...merged('annotations', this.annotations, own.annotations),
    };
  }

  /**
   * Writes an object of the construct, with the labels and annotations that the program gave it.
   * Throws the collected problems of the construct, and values that the definition of the kind
   * refuses.
   * @internal
   */
  public _writePart(id: string, manifest: ResourceManifest, notes?: ObjectNotes): ApiObject {
    this._failOnValues(manifest, notes);
    return this._writeChecked(id, manifest, notes);
  }

  /** Throws the collected problems, and values that the definition of the kind refuses. @internal */
  protected _failOnValues(manifest: ResourceManifest, notes?: ObjectNotes): void {
    const problems = checkValues(manifest, this.target);
    failOnErrors(this, problems.length === 0 ? problems : asProps(problems, notes?.props));
  }

  /** Writes an object whose values are in order. @internal */
  protected _writeChecked(id: string, manifest: ResourceManifest, notes?: ObjectNotes): ApiObject {
    const isPlain = this.labels === NONE && this.annotations === NONE;
    const object = new ApiObject(
      this,
      id,
      isPlain ? manifest : { ...manifest, metadata: this._metadata(manifest.metadata) },
    );
    if (notes) {
      note(object, notes);
    }
    return object;
  }
}

/**
 * The base class of the constructs that write an object on a cluster.
 *
 * `apiObject` is that object, for `addJsonPatch`; `metadata` adds labels and annotations later. The
 * other objects of a construct are below it in the tree of constructs.
 */
export abstract class Resource extends ResourceGroup implements IResource {
  /** The name of the object (`metadata.name`). */
  public readonly name: string;
  private written?: ApiObject;

  protected constructor(scope: Construct, id: string, props: ResourceProps = {}) {
    super(scope, id, props);
    this.name = this._nameOf(props);
  }

  /** The object that the construct writes. */
  public get apiObject(): ApiObject {
    return (
      this.written ??
      fail(this, [
        {
          path: 'apiObject',
          message: 'is not written yet',
          fix: 'use it after the construct is complete',
        },
      ])
    );
  }

  /** The metadata of the object, for labels and annotations that are added later. */
  public get metadata(): ApiObjectMetadataDefinition {
    return this.apiObject.metadata;
  }

  /**
   * The name. Collects what is wrong with it. Runs before the fields of a subclass have values.
   * @internal
   */
  public _nameOf(props: ResourceProps): string {
    return objectName(this, props.name);
  }

  /** Writes the object of the construct. @internal */
  public _write(manifest: ResourceManifest, notes?: ObjectNotes, id = 'Resource'): ApiObject {
    return this._adopt(this._writePart(id, this.completed(manifest), notes));
  }

  /**
   * Writes the object of the construct with the lists of its props as they are at synthesis.
   * @internal
   */
  public _writeGrowing<P extends object>(props: GrowingProps<P>, notes?: ObjectNotes): ApiObject {
    return this._writeLate(props.written as ResourceManifest, props.fields(), notes);
  }

  /**
   * Writes the object of the construct, some fields of which are computed at synthesis. Their
   * values at present are checked.
   * @internal
   */
  public _writeLate(
    manifest: ResourceManifest,
    fields: { readonly [field: string]: () => unknown },
    notes?: ObjectNotes,
  ): ApiObject {
    const written: { [field: string]: unknown } = this.completed(manifest);
    this._failOnValues(written as ResourceManifest, notes);
    for (const [field, produce] of Object.entries(fields)) {
      written[field] = Lazy.any({ produce });
    }
    return this._adopt(this._writeChecked('Resource', written as ResourceManifest, notes));
  }

  /** Takes an object that another construct wrote for the object of this construct. @internal */
  public _adopt(object: ApiObject): ApiObject {
    this.written = object;
    return object;
  }

  /** The metadata of the object, of which the construct gives a part. @internal */
  public _completedMetadata(given: ResourceManifest['metadata']): ResourceManifest['metadata'] {
    return { name: this.name, ...given };
  }

  private completed(manifest: ResourceManifest): ResourceManifest {
    return { ...manifest, metadata: this._completedMetadata(manifest.metadata) };
  }
}

/** The base class of the constructs that write an object on a cluster of any kind. @internal */
export abstract class ClusterResource extends Resource {
  /** @internal */
  public _requireTarget(): ITarget {
    return anyTargetOf(this);
  }
}

/** An object that the program refers to and does not write. */
export abstract class ExistingResource extends Construct implements IResource {
  public readonly name: string;
  public readonly target: ITarget;
  /**
   * The class that declares such objects, which tells references apart whose members are the same.
   * @internal
   */
  public readonly _refersTo: string;

  /** @param method the method that refers to it, e.g. `IpPool.fromName` */
  constructor(
    scope: Construct,
    id: string,
    method: string,
    kind: ObjectKind,
    { match, name }: ObjectReference,
  ) {
    super(scope, id);
    keepPlace(this);
    [this._refersTo] = method.split('.');
    this.target = this._requireTarget(method);
    if (kind.namespace !== undefined) {
      objectName(this, kind.namespace, 'namespace');
    }
    if (match) {
      this.name = nameOfMatch(this, { target: this.target, ...kind }, match);
    } else {
      this.name = objectName(this, name);
      failOnErrors(this);
      know(this, { target: this.target, ...kind, name: this.name });
    }
  }

  /** @internal */
  public abstract _requireTarget(method: string): ITarget;
}

/** An object on a cluster of any kind that the program refers to by its name. */
export class ExistingClusterResource extends ExistingResource {
  /** @internal */
  public _requireTarget(method: string): ITarget {
    return anyTargetOf(this, method);
  }
}

const NONE: TextMap = {};

function merged(
  key: 'labels' | 'annotations',
  given: TextMap,
  own: TextMap | undefined,
): { readonly [key: string]: TextMap } | undefined {
  return given === NONE ? undefined : { [key]: { ...given, ...own } };
}

const MAX_LENGTH = 253;

/** What a name must be. */
interface NameForm {
  readonly fits: (name: string) => boolean;
  readonly message: string;
  readonly fix: string;
}

const SUBDOMAIN: NameForm = {
  fits: (name) => name.length <= MAX_LENGTH && DNS_SUBDOMAIN.test(name),
  message: 'must be a valid object name',
  fix: 'set a name of a-z, 0-9, hyphens and dots that begins and ends with a letter or digit',
};

const LABEL = {
  fits: (name: string) => RFC1123_LABEL.test(name),
  message: 'must have at most 63 characters of a-z, 0-9 and hyphens',
};

const LITERAL: NameForm = { fits: () => true, message: '', fix: '' };

/**
 * The name of an object: as given, otherwise from the path of its construct. Collects what is wrong
 * with it.
 * @param path the prop of the name
 */
export function objectName(
  construct: IConstruct,
  given: string | undefined,
  path = 'name',
): string {
  return nameOf(construct, given, path, SUBDOMAIN);
}

/**
 * The name of an object that is an RFC 1123 label: as given, otherwise from the path of its
 * construct. Collects what is wrong with it.
 * @param example a name of this kind of object
 * @param path the prop of the name
 */
export function labelName(
  construct: IConstruct,
  given: string | undefined,
  example: string,
  path = 'name',
): string {
  return nameOf(construct, given, path, {
    ...LABEL,
    fix: `use a-z, 0-9 and hyphens, e.g. ${example}`,
  });
}

/**
 * The name of an object whose form its construct checks: as given, otherwise from the path of its
 * construct. Collects the problem of a late name.
 */
export function literalName(construct: IConstruct, given: string | undefined): string {
  return nameOf(construct, given, 'name', LITERAL);
}

/** IDs of the part of a construct that is what the construct is about, as in AWS CDK. */
const UNNAMED: readonly string[] = ['Default', 'Resource'];

/**
 * The name of an object by default: the path of its construct below the target chart, joined by
 * hyphens, in kebab case. A construct of a program that contains others can so be used twice.
 */
export function defaultName(construct: IConstruct): string {
  const ids: string[] = [];
  for (
    let scope: IConstruct | undefined = construct;
    scope && !isTarget(scope);
    scope = scope.node.scope
  ) {
    ids.unshift(scope.node.id);
  }
  const named = ids.filter((id) => id !== '' && !UNNAMED.includes(id));
  return (named.length > 0 ? named : ids.slice(-1)).map(kebabCase).join('-');
}

function nameOf(
  construct: IConstruct,
  given: string | undefined,
  path: string,
  { fits, message, fix }: NameForm,
): string {
  const name = given ?? defaultName(construct);
  const ofText = checkLiteral(path, name);
  if (ofText.length > 0) {
    collectProblems(construct, ofText);
  } else if (!fits(name)) {
    const origin = given === undefined ? ' (the path of the construct is the default)' : '';
    collectProblems(construct, [{ path, value: name, message: `${message}${origin}`, fix }]);
  }
  return name;
}

const CLUSTER_WORD: Record<TargetKind, string> = {
  [TargetKind.RANCHER]: 'Rancher',
  [TargetKind.HARVESTER]: 'Harvester',
  [TargetKind.GUEST]: 'guest cluster',
};

/**
 * The namespace of an object without one: that of its chart, as for any ApiObject, otherwise
 * `default`.
 */
export function defaultNamespace(construct: IConstruct): string {
  return Chart.of(construct).namespace ?? DEFAULT_NAMESPACE;
}

/**
 * The name of a namespace that a construct was given. Its objects wait for it if the program
 * declares it. Collects what is wrong with it.
 * @param instead the construct that refers to an existing one
 */
export function namespaceOf(
  construct: IConstruct,
  target: ITarget,
  namespace: INamespace,
  instead: string,
): string {
  // only a program in JavaScript gets this far
  if (typeof namespace === 'string') {
    collectProblems(construct, [
      {
        path: 'namespace',
        value: namespace,
        message: 'must be a namespace object, not a name',
        fix: `use ${instead}`,
      },
    ]);
    return namespace;
  }
  if (namespace.target !== target) {
    collectProblems(construct, [
      {
        path: 'namespace',
        value: namespace.name,
        message: `must be on the ${CLUSTER_WORD[target.targetKind]} of the object, ${target.targetName}: it is on ${namespace.target.targetName}`,
        fix: `use a namespace on ${target.targetName}`,
      },
    ]);
  }
  Ordering.of(construct)._add(namespace, OrderingType.APPLIED);
  return namespace.name;
}
