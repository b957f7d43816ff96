import { AssemblyTarget } from '../../core/output/assembly';
import { Cluster } from '../cluster/cluster';
import { ListedObjects } from '../cluster/listed-objects';
import { Written } from '../secret/digest';

/** An object that earlier applies of the app wrote to a cluster. */
export interface InventoryEntry {
  /** The ID of the object in the assembly. */
  readonly id: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** The UID of the written object; undefined if it was only about to be written. */
  readonly uid?: string;
  /** The deletion policy when it was written. */
  readonly policy: 'delete' | 'reset' | 'keep';
  /** The reason for the policy. */
  readonly reason?: string;
  readonly construct?: string;
  /** Digest of the last write: distinguishes edits of the program from edits on the cluster in fields that others rewrite. */
  readonly written?: Written;
}

/** What earlier runs recorded of a target. */
export interface KnownTarget {
  readonly kind: AssemblyTarget['kind'];
  /** The declared version. */
  readonly version: string;
  /** IDs of the Clusters on Rancher that import a Harvester. */
  readonly imports?: readonly string[];
  /** IDs of the objects on other targets that are deleted with a Harvester: its import, and what needs it. */
  readonly parts?: readonly string[];
}

/** The inventory of an app on one cluster: the listed objects, and the selector of its label. */
export interface Inventory {
  readonly entries: readonly InventoryEntry[];
  /** Selects the objects of the app by their label. */
  readonly labelSelector: string;
  /** The UIDs of kube-system of all targets, as seen by runs. @default - unknown */
  readonly clusterUids?: { readonly [target: string]: string };
  /** The targets of earlier runs. @default - unknown: earlier versions did not record them */
  readonly targets?: { readonly [target: string]: KnownTarget };
}

/** A cluster that reads objects of the inventory by lists. */
export function listedObjects(cluster: Cluster, { entries, labelSelector }: Inventory): ListedObjects {
  // only members have the label
  return new ListedObjects(cluster, labelSelector, entries.filter(({ uid, policy }) => uid !== undefined && policy === 'delete'));
}

/** Reads the inventory of an app on a cluster; undefined if it was never applied there. Throws if the ConfigMap belongs to another tool. */
export type InventoryReader = (cluster: Cluster, target: AssemblyTarget, signal?: AbortSignal) => Promise<Inventory | undefined>;
