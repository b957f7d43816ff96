import { ApiObject } from 'cdk8s';
import { Manifest, isRecord } from './manifest';
import { PassedChecks } from './passed-checks';
import { Problem } from '../rule/problem';

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
  /** Texts of the live object that the program gives and that its construct left out, since they mean something else. @default - all are written */
  readonly outdated?: readonly Problem[];
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

/**
 * The props of a setting whose value a typed method prints: those of its argument, which has the name of the setting where it is a single value.
 *
 * @param printed the value as text, whose keys the props begin with: `cpu` for `cpuPercent`
 */
export function settingProps(name: string, value: unknown, printed: string): { readonly [path: string]: string } {
  // a size, a duration, or a construct is a single value
  const props = isRecord(value) && Object.getPrototypeOf(value) === Object.prototype ? Object.keys(value) : [];
  const keys = props.length === 0 ? [] : [...printed.matchAll(/"(\w+)":/g)].map(([, key]) => key!);
  const own = keys.flatMap((key) => {
    const prop = props.find((each) => each === key) ?? props.find((each) => each.startsWith(key));
    return prop === undefined ? [] : [[`value.${key}`, prop] as const];
  });
  return { ...Object.fromEntries(own), value: name };
}

/** The notes of an object. */
export function notesOf(object: ApiObject): ObjectNotes {
  return (object as { [NOTES]?: ObjectNotes })[NOTES] ?? NONE;
}
