import { Looked } from './look';
import { LATE_TOKEN } from '../../../core/late/late-token';
import { objectLabel } from '../../../core/manifest/manifest';
import { ApplyGraph } from '../../graph/graph';

/** Dependencies that do not exist yet: what needs them cannot be tested with a dry run. */
export class MissingDependencies {
  /** The labels of declared objects that do not exist, by ID. */
  private readonly missing: ReadonlyMap<string, string>;
  /** The label of a missing object below a group or a late value, which many objects share. */
  private readonly belowGroups = new Map<string, string | undefined>();

  public constructor(
    private readonly graph: ApplyGraph,
    looked: readonly Looked[],
  ) {
    const absent = looked.filter(({ live, unreadable }) => !live && unreadable === undefined);
    this.missing = new Map(
      absent.map(({ object, manifest }) => [object.id, objectLabel(manifest)]),
    );
  }

  /** Why a dry run of an object is not possible: a dependency does not exist yet. */
  public blocking(id: string): string | undefined {
    const label = this.missingBelow(id);
    if (label === undefined) {
      return undefined;
    }
    return `${label.replace(new RegExp(LATE_TOKEN), '(late)')} is created by this plan`;
  }

  private missingBelow(node: string): string | undefined {
    for (const { to, kind } of this.graph.nodes.get(node)?.after ?? []) {
      if (kind === 'gone') {
        continue;
      }
      const found = this.graph.nodes.get(to)?.object
        ? this.missing.get(to)
        : this.missingBelowGroup(to);
      if (found) {
        return found;
      }
    }
    return undefined;
  }

  // groups and late values are shared by many objects, so they are visited once
  private missingBelowGroup(group: string): string | undefined {
    if (!this.belowGroups.has(group)) {
      this.belowGroups.set(group, this.missingBelow(group));
    }
    return this.belowGroups.get(group);
  }
}
