import { ApiObject } from 'cdk8s';
import { ISecretDelivery } from './delivery-step';
import { Suppression } from './suppressions';
import { DeclaredEdge } from '../construct/edge';
import { ObjectNotes } from '../construct/object-notes';
import { OwnedPart } from '../construct/ownership';
import { ITarget, KnownObject } from '../construct/target';
import { DeletionNote } from '../kind/description/removal';
import { Manifest } from '../manifest/manifest';
import { AssemblyEffect } from '../output/assembly';
import { Problem, show } from '../problem/problem';
import { Finding, FindingLevel } from '../rule/finding';
import { objectOf } from '../rule/judge';
import { Rule } from '../rule/rule';
import { LateValue } from '../value/late-value';

/** One object of the program, rendered. */
export interface ProgramObject {
  /**
   * `<target>/<group>/<Kind>/<namespace>/<name>`, as declared: late values in names are
   * placeholders.
   */
  readonly id: string;
  /** The id as the object is now: with the late values that are known. */
  readonly key: string;
  readonly target: ITarget;
  readonly source: ApiObject;
  /** The path of the source. */
  readonly construct: string;
  readonly manifest: Manifest;
  readonly notes: ObjectNotes;
  /** What deleting it means. */
  readonly deletion?: DeletionNote;
  /** Late values that it waits for, sorted. */
  readonly lateIds: readonly string[];
  /** As it is written with placeholders for secrets, and the sources of these. */
  readonly placeholders?: { readonly manifest: Manifest; readonly secrets: readonly string[] };
  /** Where secrets of the program are, e.g. `spec.password`. */
  readonly secretPlaces?: readonly string[];
  /** As it is with the markers of secrets, if it has any. */
  readonly marked?: Manifest;
  /** How the program keeps its secrets in the output. @default - as those of all other objects */
  readonly secrets?: ISecretDelivery;
  /** Its YAML, as it is while no late value changes it; none for objects with late values. */
  readonly yaml?: string;
}

/** The whole program as data: what a walk over the construct tree found. */
export interface Program {
  readonly targets: readonly ITarget[];
  readonly objects: readonly ProgramObject[];
  readonly lateValues: readonly LateValue[];
  /** The existing objects that constructs refer to. */
  readonly known: readonly { readonly object: KnownObject; readonly construct: string }[];
  readonly edges: readonly DeclaredEdge[];
  /** What constructs note of the deletion of objects below them. */
  readonly effects: readonly AssemblyEffect[];
  readonly suppressions: readonly Suppression[];
  /** What constructs wrote into the charts of other clusters. */
  readonly parts: readonly OwnedPart[];
  /** Secrets of the program that are in the output: what findings must not show. */
  readonly secrets: readonly string[];
  /** The problems of the program itself. */
  readonly findings: readonly Finding[];
}

/** A finding of the program itself, about a construct and, where there is one, its object. */
export function programFinding(
  rule: Rule,
  construct: string,
  problem: Problem,
  object?: { target: ITarget; manifest: Manifest },
): Finding {
  return {
    rule: rule.id,
    level: rule.level as FindingLevel,
    message: problem.message,
    ...(object ? { object: objectOf(object.manifest), target: object.target.targetName } : {}),
    path: problem.path,
    ...(problem.value === undefined ? {} : { value: show(problem.value) }),
    fix: problem.fix,
    source: rule.source,
    ...(problem.cause === undefined ? {} : { cause: problem.cause }),
    construct,
  };
}
