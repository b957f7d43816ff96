import { IConstruct } from 'constructs';
import { fail } from '../problem/problem';

const SYNTHESIZED = Symbol.for('cdk8s-harvester.Synthesized');

/** Keeps that the output of a program is written. */
export function markSynthesized(root: IConstruct): void {
  Object.defineProperty(root, SYNTHESIZED, { value: true, configurable: true });
}

/** Refuses an addition to a construct whose objects are written. */
export function requireOpen(construct: IConstruct, method: string): void {
  if (SYNTHESIZED in (construct.node.root as object)) {
    fail(construct, [
      {
        path: method,
        message: 'cannot add to what is synthesized: the output does not contain it',
        fix: 'call it before app.synth()',
      },
    ]);
  }
}
