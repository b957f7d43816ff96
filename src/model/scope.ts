import { IConstruct } from 'constructs';

/** Whether a construct is another one or lies below it. */
export function isBelow(inner: IConstruct, outer: IConstruct): boolean {
  return isPathBelow(inner.node.path, outer.node.path);
}

/** The same by paths. */
export function isPathBelow(inner: string, outer: string): boolean {
  return outer === '' || inner === outer || inner.startsWith(`${outer}/`);
}
