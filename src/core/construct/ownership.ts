import { IConstruct } from 'constructs';
import { isPathBelow } from './scope';
import { isTarget, targetOf } from './target';

/**
 * Who wrote what: a construct owns the constructs below it, and those that it creates in the charts
 * of other clusters. What a program chooses for a construct applies to all that it owns.
 */

const OWNER = Symbol.for('cdk8s-harvester.Owner');

/** Keeps that a construct created another one in the chart of another cluster. */
export function own<T extends IConstruct>(owner: IConstruct, part: T): T {
  Object.defineProperty(part, OWNER, { value: owner });
  return part;
}

/** The construct that created this one from the chart of another cluster. */
export function ownerOf(construct: IConstruct): IConstruct | undefined {
  return (construct as { [OWNER]?: IConstruct })[OWNER];
}

/**
 * The construct and all that own it, the nearest first, apart from targets: what is chosen for a
 * cluster applies to the objects on that cluster.
 */
export function ownersFrom(construct: IConstruct): readonly IConstruct[] {
  const owners: IConstruct[] = [];
  addOwners(owners, construct);
  return owners;
}

function addOwners(owners: IConstruct[], construct: IConstruct): void {
  for (
    let scope: IConstruct | undefined = construct;
    scope && !isTarget(scope);
    scope = scope.node.scope
  ) {
    owners.push(scope);
    const owner = ownerOf(scope);
    if (owner) {
      addOwners(owners, owner);
    }
  }
}

/** A part in the chart of another cluster than that of its owner, by the paths of both. */
export interface OwnedPart {
  readonly part: string;
  readonly owner: string;
  /** The target of the owner, whose own choices do not reach the part. */
  readonly target: string;
}

/** The part that a construct is, where another construct owns it. */
export function ownedPart(construct: IConstruct, path: string): OwnedPart | undefined {
  const owner = ownerOf(construct);
  return owner && { part: path, owner: owner.node.path, target: targetOf(owner)?.node.path ?? '' };
}

/** Whether what is chosen for a construct applies to another one, by their paths. */
export function reaches(chosen: string, path: string, parts: readonly OwnedPart[]): boolean {
  return (
    isPathBelow(path, chosen) ||
    parts.some(
      ({ part, owner, target }) =>
        isPathBelow(path, part) &&
        chosen !== target &&
        isPathBelow(chosen, target) &&
        reaches(chosen, owner, parts),
    )
  );
}
