import { IConstruct } from 'constructs';

// a symbol from the registry, so that two copies of the library in one program know each other's app
const HARVESTER_APP = Symbol.for('cdk8s-harvester.HarvesterApp');

/** Marks the root that keeps late values and runs the rules. */
export function markApp(app: IConstruct): void {
  Object.defineProperty(app, HARVESTER_APP, { value: true });
}

/** Whether a root is a HarvesterApp. */
export function isMarkedApp(root: IConstruct): boolean {
  return HARVESTER_APP in (root as object);
}

/**
 * The validation error of a construct that needs a HarvesterApp as its root; empty if the root is one.
 *
 * @param what needs it
 * @param why it is needed: what only HarvesterApp does
 */
export function needsApp(construct: IConstruct, what: string, why: string): string[] {
  if (isMarkedApp(construct.node.root)) { return []; }
  return [`${what} needs HarvesterApp as the program's root: only it ${why}; replace \`new App()\` by \`new HarvesterApp()\``];
}
