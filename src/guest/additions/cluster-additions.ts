import { compare } from '../../core/text/values';
import { MachineSelector } from '../machine-file/machine-file';
import { MachinePool } from '../machine-pool/machine-pool';
import { ClusterFields } from '../parts/cluster-parts';

/** A pool that the program adds, and what it becomes in Rancher. */
export interface AddedPool {
  readonly pool: MachinePool;
  /** Entries of `rkeConfig.machinePools`. */
  readonly entries: readonly ClusterFields[];
  /** The pools of Rancher that it becomes, by the name that the program gives each. */
  readonly names: readonly string[];
  /** The machine sets of the control plane. */
  readonly controlPlane: readonly string[];
}

/**
 * What other parts of a program add to a cluster after its constructor. It follows what the
 * constructor got, sorted by what it is: Rancher compares bytes, and the order in which parts of a
 * program run must not replace machines.
 */
export class ClusterAdditions {
  private readonly addedPools: AddedPool[] = [];
  private readonly addedManifests: unknown[] = [];
  private readonly addedSelectors: MachineSelector[] = [];
  private readonly addedFiles: ClusterFields[] = [];

  public get pools(): readonly AddedPool[] {
    return sorted(this.addedPools, ({ pool }) => pool.name);
  }

  public get manifests(): readonly unknown[] {
    return sorted(this.addedManifests, JSON.stringify);
  }

  public get selectors(): readonly MachineSelector[] {
    return sorted(this.addedSelectors, JSON.stringify);
  }

  /** Entries of `rkeConfig.machineSelectorFiles`. */
  public get selectorFiles(): readonly ClusterFields[] {
    return sorted(this.addedFiles, JSON.stringify);
  }

  public get isEmpty(): boolean {
    const { addedPools, addedManifests, addedSelectors, addedFiles } = this;
    return [addedPools, addedManifests, addedSelectors, addedFiles].every(
      ({ length }) => length === 0,
    );
  }

  public addPool(pool: AddedPool): void {
    this.addedPools.push(pool);
  }

  public addManifest(manifest: unknown): void {
    this.addedManifests.push(manifest);
  }

  public addSelector(selector: MachineSelector): void {
    this.addedSelectors.push(selector);
  }

  public addSelectorFiles(files: readonly ClusterFields[]): void {
    this.addedFiles.push(...files);
  }
}

function sorted<T>(items: readonly T[], textOf: (item: T) => string): readonly T[] {
  return items
    .map((item) => [textOf(item), item] as const)
    .sort(([a], [b]) => compare(a, b))
    .map(([, item]) => item);
}
