import { IConstruct } from 'constructs';

/** Whether a construct is another one or below it. */
export function isBelow(inner: IConstruct, outer: IConstruct): boolean {
  return isPathBelow(inner.node.path, outer.node.path);
}

/** Whether the path of a construct is that of another one or below it. */
export function isPathBelow(inner: string, outer: string): boolean {
  return outer === '' || inner === outer || inner.startsWith(`${outer}/`);
}

/**
 * Attaches a value to a construct, under a symbol from the registry (`Symbol.for`): two copies of
 * the library in one program read what the other one attached.
 */
export function attach<T>(construct: IConstruct, kind: symbol, item: T): void {
  const holder = construct as unknown as { [kind: symbol]: T[] | undefined };
  const items = holder[kind];
  if (items) {
    items.push(item);
  } else {
    holder[kind] = [item];
  }
}

/**
 * The values that are attached to a construct under a symbol, in the order in which they were
 * added.
 */
export function attached<T>(construct: IConstruct, kind: symbol): readonly T[] {
  return (construct as unknown as { [kind: symbol]: T[] })[kind] ?? [];
}

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
 * The validation error of a construct that needs a HarvesterApp as its root; empty if the root is
 * one.
 *
 * @param what needs it
 * @param why it is needed: what only HarvesterApp does
 */
export function needsApp(construct: IConstruct, what: string, why: string): string[] {
  if (isMarkedApp(construct.node.root)) {
    return [];
  }
  return [
    `${what} needs HarvesterApp as the program's root: only it ${why}; replace \`new App()\` by \`new HarvesterApp()\``,
  ];
}

const TEST_APP = Symbol.for('cdk8s-harvester.TestApp');

/** Marks an app as one for tests: placeholders replace the secrets outside of the program. */
export function markTestApp(app: IConstruct): void {
  Object.defineProperty(app, TEST_APP, { value: true });
}

/** Whether a root is an app for tests. */
export function isTestApp(root: IConstruct): boolean {
  return TEST_APP in (root as object);
}

const ID_SALT = Symbol.for('cdk8s-harvester.IdSalt');

/** Keeps the salt of an app. */
export function saltIds(app: IConstruct, salt: string): void {
  attach(app, ID_SALT, salt);
}

/** The salt of IDs that the library derives; undefined if the app has none. */
export function idSaltOf(construct: IConstruct): string | undefined {
  return attached<string>(construct.node.root, ID_SALT)[0];
}
