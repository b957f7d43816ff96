import { AssemblyTarget } from '../../model/assembly';
import { Cluster } from '../cluster/cluster';

/** A target of the assembly and the cluster that it is. */
export interface BoundTarget {
  readonly target: AssemblyTarget;
  /** What it is reached by, for people: `context prod-rancher`, `Secret fleet-default/shop-kubeconfig on rancher`. */
  readonly by: string;
  /**
   * The cluster, checked once to be what the target says (product, version, server URL, the uid of kube-system that an earlier run saw). Guests of a
   * cluster that is yet to be made are connected when they are first asked for.
   */
  cluster(signal?: AbortSignal): Promise<Cluster>;
}

/** All targets that a command works on, by name. */
export type BoundTargets = ReadonlyMap<string, BoundTarget>;
