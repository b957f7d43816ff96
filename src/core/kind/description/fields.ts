import { ImmutableFields } from './immutable-fields';
import { FieldPath, Manifest } from '../../manifest/manifest';
import { StructuredText } from '../../yaml/structured-text';

/**
 * Whose the fields are, and when two values of a field are the same: plan, drift, adoption, masks.
 */
export interface KindFields {
  /**
   * Fields that controllers and webhooks write: not a change where the program does not set them.
   * @default - only the fields of every object
   */
  readonly writtenByOthers?: readonly string[];
  /**
   * Those of them that are rewritten although the program sets them: the live values are kept until
   * the program changes its own.
   * @default - none
   */
  readonly rewritten?: readonly string[];
  /**
   * Fields that keep the values of the creation: a change is refused, or has no effect.
   * @default - all fields can be changed
   */
  readonly immutable?: readonly ImmutableFields[];
  /**
   * Fields whose values are JSON or YAML: a live text with the same value is kept, whatever its
   * layout.
   * @default - texts are compared as they are
   */
  readonly texts?: readonly StructuredText[];
  /**
   * Texts of this kind whose JSON has the fields of another kind, which constructs set by the same
   * props.
   * @default - none
   */
  readonly fieldsOfOthers?: readonly FieldOfOther[];
  /**
   * Fields with limits that a review shows of an added object.
   * @default - only that it is added
   */
  readonly shownWhenAdded?: readonly FieldPath[];
  /**
   * Whether the product reads a value of a live object as the value of the program.
   * @default - only where they are equal
   */
  readonly meansTheSame?: (
    live: Manifest,
    path: string,
    before: unknown,
    desired: unknown,
  ) => boolean;
  /**
   * Keeps values of the live object where the program only derived one.
   * @default - derived values are applied
   */
  readonly keepLive?: (
    manifest: Manifest,
    live: Manifest,
    derived: readonly string[],
  ) => KeptValues;
  /**
   * Fields of a manifest that are written at creation only, and belong to another program from then
   * on: the value of the live object is kept. Items of lists are found by their names.
   * @default - none
   */
  readonly writtenOnce?: (manifest: Manifest) => readonly WrittenOnce[];
  /**
   * How secret the value of a field is, where its keys do not show it.
   * @default - by the keys of its path
   */
  readonly secrecyOf?: (path: FieldPath, manifest: Manifest) => 'private' | 'public' | undefined;
  /**
   * Whether a controller is about to write the object without the record of who set which fields.
   * An apply waits for it, and sets its fields again: only what is recorded as the app's is reset
   * or deleted later.
   * @default - no controller does
   */
  readonly losesRecord?: (live: Manifest) => boolean;
}

/** A text whose JSON has the fields of a field of another kind. */
export interface FieldOfOther {
  /** The path of the text, e.g. `metadata.annotations[field.cattle.io/resourceQuota]`. */
  readonly path: string;
  /** `group/Kind` of the other kind. */
  readonly kind: string;
  /** The path of its field. */
  readonly field: string;
}

/** A field that is written at creation only. */
export interface WrittenOnce {
  readonly path: FieldPath;
  /** The program that it belongs to from then on, as a noun phrase. */
  readonly owner: string;
  /** What the field is, for people: `the quantity of pool work`. */
  readonly what: string;
}

/** A manifest with values of the live object in place of derived ones. */
export interface KeptValues {
  readonly manifest: Manifest;
  /**
   * The values that were kept, as text: `card nic-0 keeps its hardware address 52:54:00:12:34:56`.
   */
  readonly kept: readonly string[];
}
