import { Manifest } from '../../core/manifest/manifest';
import { AssemblyTarget } from '../../core/output/assembly';

/** Which object: what a path is made of. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** An object as a server gives it. */
export interface LiveObject extends Manifest {
  readonly metadata: Manifest['metadata'] & {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly labels?: { readonly [key: string]: string };
    readonly annotations?: { readonly [key: string]: string };
    readonly ownerReferences?: readonly { readonly [field: string]: unknown }[];
    readonly managedFields?: readonly { readonly manager: string; readonly operation: string; readonly [field: string]: unknown }[];
  };
}

export interface ApplyOptions {
  readonly fieldManager: string;
  /** Nothing is written. */
  readonly dryRun?: boolean;
  /** Takes fields from other managers. */
  readonly force?: boolean;
  readonly signal?: AbortSignal;
  readonly deadlineMs?: number;
}

export interface ApplyAnswer {
  readonly object: LiveObject;
  readonly created: boolean;
  readonly warnings: readonly string[];
}

/** One step of a JSON patch. @see https://www.rfc-editor.org/rfc/rfc6902 */
export type JsonPatchOperation =
  | { readonly op: 'test' | 'add'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

export interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly deadlineMs?: number;
}

/** One Kubernetes API with its discovery. Throws ApiErrors. */
export interface Cluster {
  /** Undefined where the object, or its kind, is not there. */
  read(ref: ObjectRef, options?: RequestOptions): Promise<LiveObject | undefined>;
  /** In pages; all namespaces where none is given. Empty where the kind is not there. */
  list(
    apiVersion: string, kind: string, options?: RequestOptions & { readonly namespace?: string; readonly labelSelector?: string },
  ): Promise<LiveObject[]>;
  /** Server-side apply with strict field validation. */
  apply(manifest: Manifest, options: ApplyOptions): Promise<ApplyAnswer>;
  /** Carries out a JSON patch that tests the resourceVersion; blocked where the object is another one by now. */
  patch(ref: ObjectRef, operations: readonly JsonPatchOperation[], options: RequestOptions & { readonly fieldManager: string }): Promise<LiveObject>;
  /** In the background, only the object of this uid. Nothing happens where it is gone. */
  delete(ref: ObjectRef, uid: string, options?: RequestOptions): Promise<void>;
  /** Whether the API serves a kind, and whether it is namespaced; discovery is read once, and again where a kind is missing. */
  kind(apiVersion: string, kind: string, options?: RequestOptions): Promise<{ readonly namespaced: boolean; readonly plural: string } | undefined>;
  /** Any GET, e.g. `/version`. */
  get(path: string, options?: RequestOptions): Promise<any>;
  /** Asks a question that the API answers and keeps nothing of, e.g. a `SelfSubjectAccessReview`; gives its status. */
  review(apiVersion: string, kind: string, spec: object, options?: RequestOptions): Promise<any>;
  close(): void;
}

/** What a cluster is known by over time: the uid of its kube-system, which no name, address or certificate changes. */
export async function clusterUid(cluster: Cluster, options: RequestOptions = {}): Promise<string> {
  const { metadata } = await cluster.get('/api/v1/namespaces/kube-system', options);
  return metadata.uid;
}

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
