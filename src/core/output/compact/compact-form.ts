import { DeletionNote } from '../../kind/description/removal';
import { KubeconfigParts } from '../../late/kubeconfig';
import { Manifest } from '../../manifest/manifest';
import { Finding } from '../../rule/finding';
import {
  Assembly,
  AssemblyEdge,
  AssemblyEffect,
  AssemblyLateValue,
  AssemblyObject,
  AssemblyStage,
  AssemblyTarget,
  KeptByEngine,
} from '../assembly';

/**
 * The form of `assembly.json`: what several entries have in common is written once, as the first
 * item of a section, and what other parts, the descriptions of kinds, or rules imply is left out.
 * An entry is a line, and its line depends on nothing but the entry.
 *
 * What decides about the objects of a cluster is always written, since another version of the
 * library may describe a kind otherwise: policies of deletions, ranks of files, API versions. Only
 * texts come from the descriptions.
 */
export interface CompactAssembly extends Omit<
  Assembly,
  | 'schemaVersion'
  | 'targets'
  | 'objects'
  | 'groups'
  | 'edges'
  | 'lateValues'
  | 'effects'
  | 'known'
  | 'stages'
  | 'engineFiles'
  | 'findings'
> {
  readonly schemaVersion: '2';
  readonly targets: readonly CompactTarget[];
  readonly objects: readonly Section<ObjectHead | ObjectHead['kind'], ObjectLine>[];
  readonly groups?: readonly GroupLine[];
  readonly lateValues?: readonly Section<LateHead, LateLine>[];
  readonly effects?: readonly EffectLine[];
  readonly known?: readonly KnownLine[];
  readonly stages?: readonly StageLine[];
  readonly engineFiles?: readonly string[];
  readonly findings?: readonly Section<FindingHead, FindingLine>[];
}

/** What entries have in common, and what each of them has beyond that. */
export type Section<H, L> = readonly [H, ...L[]];

/** The other fields are the properties of the target. Its folder has its name. */
export interface CompactTarget extends Pick<AssemblyTarget, 'name' | 'kind' | 'version'> {
  /** The path of the target chart. @default - the name */
  readonly at?: string;
  readonly [property: string]: string | undefined;
}

/**
 * What an entry waits for: IDs of objects, groups, or `late:<id>`. What late values imply is left
 * out. In the entry of an object, `/` at the beginning is its target.
 */
export interface Waits {
  readonly after?: readonly string[];
  readonly ready?: readonly string[];
  readonly value?: readonly string[];
  readonly gone?: readonly string[];
}

/** The field that holds the edges of a type. */
export const FIELD_OF = {
  applied: 'after',
  ready: 'ready',
  value: 'value',
  gone: 'gone',
} as const satisfies { [type in AssemblyEdge['type']]: keyof Waits };

/** Only the kind where there is nothing else. */
export interface ObjectHead extends Pick<AssemblyObject, 'onlyApply' | 'derived'> {
  /** `<rank>-<API version>/<Kind>`; names of files begin with the rank. */
  readonly kind: string;
  /**
   * Each object has a file of its own, which ends with this before `.yaml`.
   * @default - the objects of a kind have one file
   */
  readonly own?: string;
  /**
   * `reset`, `keep <name>`, or `<name>` of one that deletes, as the description of the kind has it;
   * otherwise the whole note.
   * @default - deleted, with the effect that a construct or the kind describes
   */
  readonly deletion?: string | DeletionNote;
  /** Why the engine keeps the objects; true for the reason of `deletion`. */
  readonly kept?: string | true;
}

/**
 * An object: `<target>/<namespace>/<name>`, the ID without its kind, and what differs from what the
 * rest implies.
 */
export type ObjectLine = readonly [object: string, details?: ObjectDetails];

export interface ObjectDetails
  extends
    Waits,
    Pick<AssemblyObject, 'lateValues' | 'needs' | 'digest' | 'digests' | 'othersWrite'> {
  /**
   * The path of the construct: `/` at its beginning is the target chart, and at its end the child
   * `Resource`. @default - `/<name>/`
   */
  readonly at?: string;
  /** @default - the name in the ID */
  readonly name?: string;
  /** The namespace next to `name`. */
  readonly namespace?: string;
  /**
   * The folder of the file, or of the stage of an object that waits, below that of the target.
   * @default - that of the target
   */
  readonly folder?: string;
  /** How many others of its rank come before its file. */
  readonly level?: number;
  /** The whole path. @default - from the section and the folder */
  readonly file?: string;
  /** Without API version, kind, namespace and name, where they are in the usual order. */
  readonly template?: Partial<Manifest>;
  readonly kept?: KeptByEngine;
}

export interface GroupLine extends Waits {
  readonly id: string;
  /** @default - the objects below the construct */
  readonly objects?: readonly string[];
}

export interface LateHead {
  readonly resolver: string;
  /** `<API version>/<Kind>`. */
  readonly kind?: string;
  readonly path?: string;
  /** @default string */
  readonly type?: AssemblyLateValue['type'];
  /** @default true */
  readonly sensitive?: boolean;
}

export interface LateLine extends Waits, Pick<AssemblyLateValue, 'description'> {
  /** The path of the construct, as that of an object in the target that the value is read from. */
  readonly at: string;
  /** @default - from the construct path */
  readonly id?: string;
  /** `<target>/<namespace>/<name>` of the object that the value is read from. */
  readonly object?: string;
  readonly text?: string;
  /**
   * In place of a text that is one. `ca` and `token` are left out where they are late values next
   * to this one.
   */
  readonly kubeconfig?: Partial<KubeconfigParts>;
  readonly name?: string;
  readonly keepTrailingNewline?: boolean;
}

export interface EffectLine extends Pick<AssemblyEffect, 'effect'> {
  /** The path of the construct. */
  readonly at: string;
}

/** `<target>/<namespace>/<name>`, `<API version>/<Kind>`, and the path of the construct. */
export type KnownLine = readonly [object: string, kind: string, construct: string];

export interface StageLine extends Pick<AssemblyStage, 'folder' | 'late'> {
  /** @default - none */
  readonly after?: readonly string[];
}

export interface FindingHead extends Pick<Finding, 'rule' | 'level' | 'fix'> {
  /** @default - that of the rule */
  readonly source?: string;
}

export interface FindingLine extends Omit<Finding, 'rule' | 'level' | 'fix' | 'source' | 'path'> {
  /** The ID of the object, in place of `object`, `target`, and `construct`. */
  readonly of?: string;
  /** @default - the whole object */
  readonly path?: string;
}
