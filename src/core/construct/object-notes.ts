import { ApiObject } from 'cdk8s';
import { IConstruct } from 'constructs';
import {
  coverOf,
  FieldPath,
  FieldPattern,
  isRecord,
  Manifest,
  patternOf,
} from '../manifest/manifest';
import { Problem } from '../problem/problem';

/** What a construct knows of an object beyond its manifest. */
export interface ObjectNotes {
  /**
   * What deleting the object means, by its name in `deletions` of the kind.
   * @default - from a construct above it, or from the kind
   */
  readonly deletion?: string;
  /**
   * Paths of fields that controllers rewrite although the program sets them; `writtenByOthers` of
   * the kind has those that it does not set. A function where the rendered manifest decides.
   */
  readonly othersWrite?: readonly string[] | ((manifest: Manifest) => readonly string[]);
  /** Fields that have derived values. If the object exists already, its own value is kept. */
  readonly derived?: readonly DerivedField[];
  /**
   * The props that set fields, by the paths of the fields: findings name the prop. A field below
   * has the same steps below the prop.
   */
  readonly props?: { readonly [path: string]: string };
  /**
   * Texts of the live object that the program gives and that its construct left out, since they
   * mean something else.
   * @default - all are written
   */
  readonly outdated?: readonly Problem[];
}

/**
 * A field whose value the library derived. One that has another value in the manifest was patched,
 * and is the program's.
 */
interface DerivedField {
  /** E.g. `spec.interfaces[0].macAddress`. */
  readonly path: string;
  readonly value: string;
}

const NOTES = Symbol.for('cdk8s-harvester.ObjectNotes');
const EFFECT = Symbol.for('cdk8s-harvester.DeletionEffect');

const NONE: ObjectNotes = {};

/** Attaches notes to an object; they are next to it in the assembly. */
export function note(object: ApiObject, notes: ObjectNotes): void {
  const holder = object as { [NOTES]?: ObjectNotes };
  holder[NOTES] = holder[NOTES] ? { ...holder[NOTES], ...notes } : notes;
}

/**
 * Notes what the deletion of the objects below a construct means, apart from those that have notes
 * of their own.
 */
export function noteEffect(construct: IConstruct, effect: string): void {
  Object.defineProperty(construct, EFFECT, { value: effect });
}

/** What `noteEffect` noted. */
export function effectOf(construct: IConstruct): string | undefined {
  return (construct as { [EFFECT]?: string })[EFFECT];
}

/**
 * The props of a setting whose value a typed method prints: those of its argument, which has the
 * name of the setting where it is a single value.
 *
 * @param printed the value as text, whose keys the props begin with: `cpu` for `cpuPercent`
 */
export function settingProps(
  name: string,
  value: unknown,
  printed: string,
): { readonly [path: string]: string } {
  // a size, a duration, or a construct is a single value
  const props =
    isRecord(value) && Object.getPrototypeOf(value) === Object.prototype ? Object.keys(value) : [];
  const keys = props.length === 0 ? [] : [...printed.matchAll(/"(\w+)":/g)].map(([, key]) => key!);
  const own = keys.flatMap((key) => {
    const prop = props.find((each) => each === key) ?? props.find((each) => each.startsWith(key));
    return prop === undefined ? [] : [[`value.${key}`, prop] as const];
  });
  return { ...Object.fromEntries(own), value: name };
}

/** The fields of a rendered object that others write, by its notes. */
export function othersWriteOf(
  { othersWrite = [] }: ObjectNotes,
  manifest: Manifest,
): readonly string[] {
  return typeof othersWrite === 'function' ? othersWrite(manifest) : othersWrite;
}

/** The notes of an object. */
export function notesOf(object: ApiObject): ObjectNotes {
  return (object as { [NOTES]?: ObjectNotes })[NOTES] ?? NONE;
}

/** Of patterns of fields that others write, those of fields that a manifest sets. */
export function rewrittenIn(manifest: Manifest, patterns: readonly string[]): string[] {
  if (patterns.length === 0) {
    return [];
  }
  const leaves = leavesOf(manifest, [], true);
  return patterns.filter((pattern) => {
    const fields = patternOf(pattern);
    return leaves.some((path) => isRewrittenField(fields, path));
  });
}

/** The fields of a manifest that others write. */
export function rewrittenFields(manifest: Manifest, patterns: readonly string[]): FieldPath[] {
  if (patterns.length === 0) {
    return [];
  }
  const fields = patterns.map(patternOf);
  return leavesOf(manifest).filter((path) =>
    fields.some((pattern) => isRewrittenField(pattern, path)),
  );
}

/**
 * Labels, annotations and finalizers are shared: declared ones belong to the program, unless the
 * pattern names that exact one.
 */
export function isRewrittenField(pattern: FieldPattern, path: FieldPath): boolean {
  const cover = coverOf(pattern, path);
  return cover === 'exact' || (cover === 'above' && path[0] !== 'metadata');
}

/** @param withEmpty also maps without entries */
function leavesOf(value: unknown, path: FieldPath = [], withEmpty = false): FieldPath[] {
  if (Array.isArray(value)) {
    return [path, ...value.flatMap((item, index) => leavesOf(item, [...path, index], withEmpty))];
  }
  if (!isRecord(value) || (withEmpty && Object.keys(value).length === 0)) {
    return [path];
  }
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key], withEmpty));
}
