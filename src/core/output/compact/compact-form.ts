import { Finding } from '../../rule/finding';
import { Assembly, AssemblyEdge, AssemblyLateValue, AssemblyObject, AssemblyTarget } from '../assembly';

/**
 * The form of `assembly.json`: what several entries have in common is written once, as the first item of a section, and what other parts imply is
 * left out. An entry is a line, and its line depends on nothing but the entry.
 */
export interface CompactAssembly extends Omit<Assembly, 'targets' | 'objects' | 'groups' | 'edges' | 'lateValues' | 'findings'> {
  readonly targets: readonly CompactTarget[];
  readonly objects: readonly Section<ObjectHead, ObjectLine>[];
  readonly groups: readonly GroupLine[];
  readonly lateValues: readonly Section<LateHead, LateLine>[];
  readonly findings: readonly Section<FindingHead, FindingLine>[];
}

/** What entries have in common, and what each of them has beyond that. */
export type Section<H, L> = readonly [H, ...L[]];

/** The folder of a target has its name. */
export type CompactTarget = Omit<AssemblyTarget, 'folder'>;

/** What an entry waits for: IDs of objects, groups, or `late:<id>`. What late values imply is left out. */
export interface Waits {
  readonly after?: readonly string[];
  readonly ready?: readonly string[];
  readonly value?: readonly string[];
  readonly gone?: readonly string[];
}

/** The field that holds the edges of a type. */
export const FIELD_OF = { applied: 'after', ready: 'ready', value: 'value', gone: 'gone' } as const satisfies { [type in AssemblyEdge['type']]: keyof Waits };

type InHead = 'apiVersion' | 'kind' | 'onlyApply' | 'deletion' | 'othersWrite' | 'kept' | 'derived';

export interface ObjectHead extends Pick<AssemblyObject, InHead> {
  /** The name of the file in its folder; `*` in place of `<namespace>_<name>`. */
  readonly file?: string;
}

export interface ObjectLine extends Waits, Pick<AssemblyObject, 'construct' | 'template' | 'stage' | 'lateValues' | 'kept' | 'needs' | 'digest' | 'digests'> {
  /** `<target>/<namespace>/<name>`: the ID without what the section has of it. */
  readonly object: string;
  /** @default - the name in `object` */
  readonly name?: string;
  /** The namespace next to `name`. */
  readonly namespace?: string;
  /** The folder of the file. @default - that of the target */
  readonly folder?: string;
  /** The whole path. @default - from `folder` and the file of the section */
  readonly file?: string;
}

export interface GroupLine extends Waits {
  readonly id: string;
  /** @default - the objects below the construct */
  readonly objects?: readonly string[];
}

export interface LateHead extends Pick<AssemblyLateValue, 'type' | 'sensitive'> {
  readonly resolver: string;
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly path?: string;
}

export interface LateLine extends Waits, Pick<AssemblyLateValue, 'description' | 'construct'> {
  /** @default - from the construct path */
  readonly id?: string;
  /** `<target>/<namespace>/<name>` of the object that the value is read from. */
  readonly object?: string;
  readonly text?: string;
  readonly name?: string;
  readonly keepTrailingNewline?: boolean;
}

export type FindingHead = Pick<Finding, 'rule' | 'level' | 'fix' | 'source'>;

export interface FindingLine extends Omit<Finding, keyof FindingHead | 'path'> {
  /** The ID of the object, in place of `object`, `target`, and `construct`. */
  readonly of?: string;
  /** @default - the whole object */
  readonly path?: string;
}
