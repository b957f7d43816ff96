import { IConstruct } from 'constructs';
import { isMarkedApp } from '../model/app-mark';

/**
 * What a construct says in its validation when the program's root is no HarvesterApp; nothing where it is.
 *
 * @param what needs it
 * @param why it is needed: what only HarvesterApp does
 */
export function needsApp(construct: IConstruct, what: string, why: string): string[] {
  if (isMarkedApp(construct.node.root)) { return []; }
  return [`${what} needs HarvesterApp as the program's root: only it ${why}; replace \`new App()\` by \`new HarvesterApp()\``];
}
