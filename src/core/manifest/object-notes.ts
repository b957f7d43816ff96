import { ApiObject } from 'cdk8s';
import { Manifest } from './manifest';
import { PassedChecks } from './passed-checks';

/** What deleting an object means, for apply and for people who prune by other engines. */
export interface DeletionNote {
  /**
   * `delete`: the object belongs to the program, and deleting it does what one expects.
   * `reset`: the object is the server's, only our fields are taken back (a Setting: `value: ""`).
   * `keep`: left alone; another program owns it, or it is deleted with another object.
   */
  readonly policy: 'delete' | 'reset' | 'keep';
  /** Why, and what else must not be touched. */
  readonly reason: string;
  /** Whether the program chose `delete`, against the default of the kind. @default false */
  readonly chosen?: true;
}

/** What a construct knows of an object beyond its manifest. */
export interface ObjectNotes {
  readonly deletion?: DeletionNote;
  /** JSON paths of the fields that controllers of the live cluster write; ignored when comparing. A function where the rendered manifest decides. */
  readonly othersWrite?: readonly string[] | ((manifest: Manifest) => readonly string[]);
  /** Fields that have derived values. If the object exists already, its own value is kept. */
  readonly derived?: readonly DerivedField[];
  /** The props that set fields, by the paths of the fields: findings name the prop. A field below has the same steps below the prop. */
  readonly props?: { readonly [path: string]: string };
  /** What its construct checked already. */
  readonly passed?: PassedChecks;
}

/** A field whose value the library derived. One that has another value in the manifest was patched, and is the program's. */
interface DerivedField {
  /** E.g. `spec.interfaces[0].macAddress`. */
  readonly path: string;
  readonly value: string;
}

const NOTES = Symbol.for('cdk8s-harvester.ObjectNotes');

const NONE: ObjectNotes = {};

/** Attaches notes to an object; they are next to it in the assembly. */
export function note(object: ApiObject, notes: ObjectNotes): void {
  const holder = object as { [NOTES]?: ObjectNotes };
  holder[NOTES] = holder[NOTES] ? { ...holder[NOTES], ...notes } : notes;
}

/** The notes of an object. */
export function notesOf(object: ApiObject): ObjectNotes {
  return (object as { [NOTES]?: ObjectNotes })[NOTES] ?? NONE;
}
