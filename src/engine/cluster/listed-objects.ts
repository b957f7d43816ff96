import { Cluster, LiveObject, ObjectRef, RequestOptions } from './cluster';
import { ApiError, FailureClass } from '../transport/api';

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
 * Reads the objects of an app, many of a kind with one list, which saves thousands of requests. An object is taken from the list once; another read wants its
 * current state. If a kind cannot be listed, each object is read.
 */
export class ListedObjects {
  private readonly kinds = new Map<string, KindListing>();

  /**
   * @param labelSelector selects the objects of the app
   * @param expected objects that probably exist and match the selector
   */
  public constructor(
    private readonly cluster: Cluster, private readonly labelSelector: string, expected: readonly ObjectRef[],
    private readonly now: () => number = () => performance.now(),
  ) {
    for (const ref of expected) {
      const kind = this.kinds.get(typeOf(ref)) ?? { left: 0, listedAt: -Infinity, objects: NOTHING };
      kind.left++;
      this.kinds.set(typeOf(ref), kind);
    }
  }

  /** Undefined where the object, or its kind, is not there. */
  public async read(ref: ObjectRef, options: RequestOptions = {}): Promise<LiveObject | undefined> {
    const kind = this.kinds.get(typeOf(ref));
    if (kind) {
      if (this.now() - kind.listedAt > FRESH_MS) {
        kind.listedAt = this.now();
        kind.objects = kind.left >= LIST_FROM ? this.list(kind, ref, options) : NOTHING;
      }
      kind.left--;
      const objects = await kind.objects;
      const found = objects.get(nameOf(ref));
      objects.delete(nameOf(ref));
      if (found) { return found; }
    }
    // it may exist without the label
    return this.cluster.read(ref, options);
  }

  private async list(kind: KindListing, ref: ObjectRef, options: RequestOptions): Promise<Map<string, LiveObject>> {
    try {
      const objects = await this.cluster.list(ref.apiVersion, ref.kind, { ...options, labelSelector: this.labelSelector });
      return new Map(objects.map((object) => [nameOf(object.metadata), object]));
    } catch (error) {
      if (!(error instanceof ApiError) || ENDS.includes(error.failure)) { throw error; }
      kind.left = 0;
      return new Map();
    }
  }
}

const NOTHING = Promise.resolve(new Map<string, LiveObject>());

function typeOf({ apiVersion, kind }: ObjectRef): string {
  return `${apiVersion} ${kind}`;
}

function nameOf({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
  return `${namespace ?? ''}/${name}`;
}
