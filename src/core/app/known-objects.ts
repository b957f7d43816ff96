import { IConstruct } from 'constructs';
import { attach, attached } from './scope';
import { ITarget } from './target';

/** An object that the program refers to and does not write: one that is there, or that another program makes. No more than its name is known. */
export interface KnownObject {
  readonly target: ITarget;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

const KNOWN = Symbol.for('cdk8s-harvester.KnownObjects');

/** Declares that a construct refers to an existing object: rules treat it as existing. It is neither written nor checked. */
export function know(construct: IConstruct, object: KnownObject): void {
  attach(construct, KNOWN, object);
}

/** The existing objects that a construct refers to. */
export function knownObjectsOf(construct: IConstruct): readonly KnownObject[] {
  return attached(construct, KNOWN);
}
