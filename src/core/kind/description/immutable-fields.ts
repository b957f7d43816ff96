import { TargetKind } from '../../construct/target';
import { Manifest } from '../../manifest/manifest';
import { GateId } from '../../version/feature-gate';

/**
 * Fields that keep the values of the creation of an object. The rule of a row compares them in
 * every edit.
 */
export interface ImmutableFields {
  /** ID of the rule. */
  readonly id: string;
  /** `warning` if the server accepts a change and ignores it. @default error */
  readonly level?: 'warning';
  /** What the rule holds, as a sentence. */
  readonly what: string;
  /** The server's own words, where all fields have the same. */
  readonly says?: string;
  readonly source: string;
  readonly fields: readonly ImmutableField[];
  /** The targets on which the fields are immutable. @default - every target */
  readonly on?: readonly TargetKind[];
  /** The gate of the versions in which the fields are immutable. @default - every version */
  readonly since?: GateId;
  /** The edits to which the row applies. @default - every edit */
  readonly when?: (now: Manifest, before: Manifest) => boolean;
  /** The message about a change. @default - the field cannot be changed from its previous value */
  readonly message?: string;
  /** What to do. */
  readonly fix: string;
  /** Whether findings yield to those of other rules about the same field. @default false */
  readonly general?: true;
}

/** A field that keeps its value. */
export interface ImmutableField {
  /**
   * The path of the field: `spec.clusterName`, `metadata.annotations[field.cattle.io/creatorId]`.
   */
  readonly path: string;
  /**
   * The value, where it is not that of the path, such as one within JSON. Undefined: the field is
   * not compared.
   * @default - the value at the path
   */
  readonly read?: (manifest: Manifest) => unknown;
  /**
   * The value that the server assumes if the field is not set.
   * @default - there is no such value
   */
  readonly default?: unknown;
  /** The part of a value that the server compares. @default - the value */
  readonly compared?: (value: unknown) => unknown;
  /** The edits in which the server compares it. @default - every edit */
  readonly when?: (now: Manifest, before: Manifest) => boolean;
  /** Whether it can be set later if it was not set at creation. @default false */
  readonly addable?: boolean;
  /**
   * An edit without the field: it keeps the value, or it is a change.
   * @default - a change, unless the previous object was read from a server, which fills in fields,
   * and the previous manifest did not set it
   */
  readonly omitted?: 'keeps' | 'changes';
  /**
   * Whether the field is a map whose keys are compared one by one, except those listed.
   * @default - the field is compared as a whole
   */
  readonly keys?: { readonly except?: readonly string[] };
  /** Whether findings leave out the values. @default false */
  readonly hidden?: boolean;
  /** What to do about this field. @default - the fix of the row */
  readonly fix?: string;
  /** The server's own words about this field. @default - those of the row */
  readonly says?: string | ((previous: string, now: string) => string);
  /**
   * The gate of the versions that refuse a change; before them a change is a warning.
   * @default - every version does
   */
  readonly since?: GateId;
}
