import { AssemblyTarget } from '../../core/output/assembly';
import { Cluster } from '../cluster/cluster';
import { ListedObjects } from '../cluster/listed-objects';
import { Written } from '../secret/digest';

/** One object that earlier applies of this app wrote to a cluster. */
export interface InventoryEntry {
  /** The id of the object in the assembly that wrote it. */
  readonly id: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** Of the object that was written; undefined where it was only about to be. */
  readonly uid?: string;
  /** What taking it away means, as the assembly said when it was written. */
  readonly policy: 'delete' | 'reset' | 'keep';
  /** Why the policy is what it is. */
  readonly reason?: string;
  readonly construct?: string;
  /** What was written last: tells an edit of the program from one on the cluster where others rewrite our fields. */
  readonly written?: Written;
}

/** What is known of a target of earlier runs. */
export interface KnownTarget {
  readonly kind: AssemblyTarget['kind'];
  /** As the program named it. */
  readonly version: string;
  /** Ids of the Clusters on Rancher that a Harvester is imported as. */
  readonly imports?: readonly string[];
  /** Ids of the objects on other targets that go with a Harvester: its import, and what needs it. */
  readonly parts?: readonly string[];
}

/** What earlier applies of this app left on one cluster: the objects of the list, and those that carry its label. */
export interface Inventory {
  readonly entries: readonly InventoryEntry[];
  /** Selects the objects of the app by their label. */
  readonly labelSelector: string;
  /** The uids of kube-system of all targets, as runs saw them. @default - none is known */
  readonly clusterUids?: { readonly [target: string]: string };
  /** The targets that the app had. @default - earlier versions did not write them down */
  readonly targets?: { readonly [target: string]: KnownTarget };
}

/** Reads what an app wrote to a cluster before. */
export function listedObjects(cluster: Cluster, { entries, labelSelector }: Inventory): ListedObjects {
  // only what goes with the app has its label
  return new ListedObjects(cluster, labelSelector, entries.filter(({ uid, policy }) => uid !== undefined && policy === 'delete'));
}

/** Reads what an app has on a cluster; undefined where it was never applied there. Throws where the list is another tool's. */
export type InventoryReader = (cluster: Cluster, target: AssemblyTarget, signal?: AbortSignal) => Promise<Inventory | undefined>;
