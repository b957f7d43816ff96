import { Construct } from 'constructs';
import { LateType } from './late-text';
import { LateMatchedObject, LateSource, LateValue } from './late-value';
import { failOnErrors } from '../rule/problem';

/** How the program refers to an existing object whose name it does not know: by a value that only this object has. */
export interface Match {
  /** The prop with the value, e.g. `displayName`. */
  readonly prop: string;
  /** The path of the field, e.g. `spec.displayName`. */
  readonly field: string;
  readonly value: string;
  /** The form of the names of such objects. @default LateType.STRING */
  readonly type?: LateType;
}

/** The kind of the objects that one is looked up among. */
export type MatchedKind = Pick<LateMatchedObject, 'target' | 'apiVersion' | 'kind' | 'namespace'>;

/** The look-up of an object by the name that the UI shows. */
export function byDisplayName(value: string, field = 'spec.displayName'): Match {
  return { prop: 'displayName', field, value };
}

/** The name of the object that a construct looks up, as a late value below the construct. Fails on a value that no object has. */
export function nameOfMatch(construct: Construct, kind: MatchedKind, match: Match): string {
  const { prop, value } = match;
  failOnErrors(construct, value === '' ? [{ path: prop, value, message: 'must not be empty', fix: 'set the text that the UI shows' }] : []);
  return lookUp(construct, { id: 'Name', path: 'metadata.name' }, kind, match);
}

/**
 * A field of the object that a construct looks up, as a late value below the construct, created once.
 *
 * @param late the ID of the late value, and the path of the field
 */
export function lookUp(
  construct: Construct, { id, path }: { readonly id: string; readonly path: string }, kind: MatchedKind, { prop, field, value, type }: Match,
): string {
  const known = construct.node.tryFindChild(id) as LateValue | undefined;
  return (known ?? new LateValue(construct, id, {
    description: `${path.split('|')[0].split('.').at(-1)} of the ${kind.kind} with ${prop} "${value}"`,
    type,
    source: LateSource.matchedField({ ...kind, field, value }, path),
  })).token;
}
