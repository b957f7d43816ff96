import { Manifest } from '../../manifest/manifest';

/**
 * How objects of the kind and others name each other: the order of an apply, of a removal, and of
 * stages.
 */
export interface KindReferences {
  /**
   * Whether and how the content refers to other objects.
   * @default - by the fields that `namedBy` of other kinds lists
   */
  readonly refers?: 'nothing' | 'also to its own kind';
  /** References that no single field names, e.g. those within JSON. @default - none */
  readonly references?: (manifest: Manifest) => readonly FoundReference[];
  /**
   * How other objects of the same cluster name an object of the kind.
   * @default - not by a field of their own
   */
  readonly namedBy?: NamedBy;
  /**
   * The object that a controller makes from one of the kind: who refers to that one needs this one.
   * @default - none that others refer to
   */
  readonly makes?: (manifest: Manifest) => MadeObject | undefined;
  /**
   * The kind, as `group/Kind`, whose objects do not work without those that refer to them, such as
   * a network without uplinks.
   * @default - every object works alone
   */
  readonly completes?: string;
  /** Whether it names cloud credentials and the Secrets of machine configs. @default false */
  readonly usesCredentials?: boolean;
  /**
   * How to keep an object in its file that now waits for a late value of an object of this kind.
   * @default - by resolving the late value
   */
  readonly lateFix?: (name: string, before: Manifest) => string | undefined;
}

/** How a text names an object. */
export type NameForm =
  /** The name, in the namespace of the object that refers. */
  | 'name'
  /** `<namespace>/<name>`, or the name alone. */
  | 'namespace/name'
  /** `<namespace>:<name>`. */
  | 'namespace:name';

/**
 * The fields of other objects that name an object of a kind. A text that names nothing of the
 * program orders nothing, so a key may also belong to unrelated fields.
 */
export interface NamedBy {
  /** Fields and annotations, by their key at any depth, whose value is a name. */
  readonly fields?: { readonly [key: string]: NameForm };
  /** Fields, by their key at any depth, whose value is `{ name, namespace? }`. */
  readonly objects?: readonly string[];
  /** Fields, by their key at any depth, whose value is a list of `{ name }`. */
  readonly lists?: readonly string[];
  /**
   * Top-level fields of objects of the same group whose value is a name or a list of names.
   * Rancher's webhook looks each of them up.
   */
  readonly peers?: readonly string[];
}

/** An object of the same cluster that another one names. */
export interface FoundReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  /**
   * Where to look for it.
   * @default - the namespace of the object that refers, and objects without a namespace
   */
  readonly namespaces?: readonly string[];
}

/** An object that a controller makes from another one. */
export interface MadeObject {
  /** As far as it is known: unknown values are placeholders of late values. */
  readonly manifest: Manifest;
  /** Whether it remains when the other one is deleted. */
  readonly stays: boolean;
}
