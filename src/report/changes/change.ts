import { AccessChange } from './access-changes';
import { ChangeGroup } from './object-changes';
import { TargetChange } from './target-changes';
import { Finding } from '../../core/rule/finding';
import { FitRow } from '../fits/fit-table';
import { Impact } from '../impact/impact';

/** What a change of a program does to one of its environments, or to all of them. */
export interface Change {
  /** What it does to the targets: their versions, addresses, and names. */
  readonly targets: readonly TargetChange[];
  /** What it does to the objects of the output, by what belongs together. */
  readonly objects: readonly ChangeGroup[];
  /**
   * What changes, and what is around it, as a flowchart of Mermaid.
   * @default - nothing changes, too much does, or the sides are plain manifests
   */
  readonly picture?: string;
  /** Who gains and who loses access. */
  readonly access: readonly AccessChange[];
  /** What it does to machines, and to what holds data or tenants. */
  readonly impacts: readonly Impact[];
  /** What it adds to the findings. */
  readonly findings: readonly Finding[];
  /** How many findings the base has, too. */
  readonly known: number;
  /** The limits that machines and load balancers use. */
  readonly fits: readonly FitRow[];
}

/** What a change does to one of several environments. */
export interface EnvironmentChange extends Change {
  /**
   * Its output folder, from the folder that contains all of them; empty for manifests in no output.
   */
  readonly name: string;
}

/** Several changes as one. */
export function joinedChanges(changes: readonly Change[]): Change {
  const [first] = changes;
  return {
    // the pictures of several environments are theirs
    ...(changes.length === 1 && first?.picture !== undefined ? { picture: first.picture } : {}),
    targets: changes.flatMap(({ targets }) => targets),
    objects: changes.flatMap(({ objects }) => objects),
    access: changes.flatMap(({ access }) => access),
    impacts: changes.flatMap(({ impacts }) => impacts),
    findings: changes.flatMap(({ findings }) => findings),
    known: changes.reduce((sum, { known }) => sum + known, 0),
    fits: changes.flatMap(({ fits }) => fits),
  };
}
