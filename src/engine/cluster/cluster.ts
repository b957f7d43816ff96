import { Manifest } from '../../core/manifest/manifest';
import { AssemblyTarget } from '../../core/output/assembly';
import { ApiError, FailureClass, StreamedBody } from '../transport/api';
import { Clock, PROCESS_CLOCK } from '../transport/pace';

/** A reference to an object. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** The reference to an object. */
export function refOf({ apiVersion, kind, metadata }: Manifest): ObjectRef {
  const { namespace, name } = metadata;
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** An object from a server. */
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
    readonly managedFields?: readonly {
      readonly manager: string;
      readonly operation: string;
      readonly [field: string]: unknown;
    }[];
  };
}

export interface ApplyRequest {
  readonly fieldManager: string;
  /** Do not write anything. */
  readonly dryRun?: boolean;
  /** Take fields from other field managers. */
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

/** What an upload sends. */
export interface Upload extends StreamedBody {
  readonly query: { readonly [name: string]: string };
  readonly contentType: string;
}

/** One Kubernetes API with its discovery. Throws ApiErrors. */
export interface Cluster {
  /** The object; undefined if it or its kind does not exist. */
  read(ref: ObjectRef, options?: RequestOptions): Promise<LiveObject | undefined>;
  /** Lists objects in pages, of all namespaces by default. Empty if the kind does not exist. */
  list(
    apiVersion: string,
    kind: string,
    options?: RequestOptions & { readonly namespace?: string; readonly labelSelector?: string },
  ): Promise<LiveObject[]>;
  /** Server-side apply with strict field validation. */
  apply(manifest: Manifest, options: ApplyRequest): Promise<ApplyAnswer>;
  /**
   * Applies a JSON patch that tests the resourceVersion; throws `blocked` if the object changed.
   */
  patch(
    ref: ObjectRef,
    operations: readonly JsonPatchOperation[],
    options: RequestOptions & { readonly fieldManager: string },
  ): Promise<LiveObject>;
  /** Deletes the object with this UID in the background; does nothing if it no longer exists. */
  delete(ref: ObjectRef, uid: string, options?: RequestOptions): Promise<void>;
  /**
   * Whether the API serves a kind, and whether it is namespaced; discovery is cached, and read
   * again for a missing kind.
   */
  kind(
    apiVersion: string,
    kind: string,
    options?: RequestOptions,
  ): Promise<{ readonly namespaced: boolean; readonly plural: string } | undefined>;
  /** Any GET, e.g. `/version`. */
  get(path: string, options?: RequestOptions): Promise<any>;
  /** Sends a body piece by piece, once: a failure is not retried. */
  upload(path: string, body: Upload, options?: RequestOptions): Promise<void>;
  /**
   * Creates a review that the API does not store, e.g. a `SelfSubjectAccessReview`, and returns its
   * status.
   */
  review(apiVersion: string, kind: string, spec: object, options?: RequestOptions): Promise<any>;
  close(): void;
}

/**
 * The identity of a cluster: the UID of its kube-system, independent of names, addresses and
 * certificates.
 */
export async function clusterUid(cluster: Cluster, options: RequestOptions = {}): Promise<string> {
  const { metadata } = await cluster.get('/api/v1/namespaces/kube-system', options);
  return metadata.uid;
}

/** A target of the assembly and its cluster. */
export interface BoundTarget {
  readonly target: AssemblyTarget;
  /**
   * How it is reached, for messages: `context prod-rancher`, `Secret fleet-default/shop-kubeconfig
   * on rancher`.
   */
  readonly by: string;
  /**
   * The cluster, connected on first use and checked once to match the target (product, version,
   * server URL, the UID of kube-system in an earlier run).
   */
  cluster(signal?: AbortSignal): Promise<Cluster>;
}

/** The bound targets of a command by name. */
export type BoundTargets = ReadonlyMap<string, BoundTarget>;

/** The number of objects of a kind from which a list costs less than single reads. */
const LIST_FROM = 10;

/** How long a list is as good as a read. */
const FRESH_MS = 15_000;

/** Failures of a list after which each object is read: it fails with its own message, if at all. */
const ENDS: readonly FailureClass[] = ['auth', 'aborted', 'connection'];

/** The objects of a kind: the number of expected reads, and the unread objects of the last list. */
interface KindListing {
  left: number;
  listedAt: number;
  objects: Promise<Map<string, LiveObject>>;
}

/**
 * Reads the objects of an app, many of a kind with one list, which saves thousands of requests. An
 * object is taken from the list once; another read wants its current state. If a kind cannot be
 * listed, each object is read.
 */
export class ListedObjects {
  private readonly kinds = new Map<string, KindListing>();

  /**
   * @param labelSelector selects the objects of the app
   * @param expected objects that probably exist and match the selector
   */
  public constructor(
    private readonly cluster: Cluster,
    private readonly labelSelector: string,
    expected: readonly ObjectRef[],
    private readonly clock: Clock = PROCESS_CLOCK,
  ) {
    for (const ref of expected) {
      const kind = this.kinds.get(typeOf(ref)) ?? {
        left: 0,
        listedAt: -Infinity,
        objects: NOTHING,
      };
      kind.left++;
      this.kinds.set(typeOf(ref), kind);
    }
  }

  /** Undefined where the object, or its kind, is not there. */
  public async read(ref: ObjectRef, options: RequestOptions = {}): Promise<LiveObject | undefined> {
    const kind = this.kinds.get(typeOf(ref));
    if (kind) {
      if (this.clock.now() - kind.listedAt > FRESH_MS) {
        kind.listedAt = this.clock.now();
        kind.objects = kind.left >= LIST_FROM ? this.list(kind, ref, options) : NOTHING;
      }
      kind.left--;
      const objects = await kind.objects;
      const found = objects.get(nameOf(ref));
      objects.delete(nameOf(ref));
      if (found) {
        return found;
      }
    }
    // it may exist without the label
    return this.cluster.read(ref, options);
  }

  private async list(
    kind: KindListing,
    ref: ObjectRef,
    options: RequestOptions,
  ): Promise<Map<string, LiveObject>> {
    try {
      const objects = await this.cluster.list(ref.apiVersion, ref.kind, {
        ...options,
        labelSelector: this.labelSelector,
      });
      return new Map(objects.map((object) => [nameOf(object.metadata), object]));
    } catch (error) {
      if (!(error instanceof ApiError) || ENDS.includes(error.failure)) {
        throw error;
      }
      kind.left = 0;
      return new Map();
    }
  }
}

const NOTHING = Promise.resolve(new Map<string, LiveObject>());

function typeOf({ apiVersion, kind }: ObjectRef): string {
  return `${apiVersion} ${kind}`;
}

function nameOf({
  namespace,
  name,
}: {
  readonly namespace?: string;
  readonly name: string;
}): string {
  return `${namespace ?? ''}/${name}`;
}
