import { Cluster, LiveObject, ObjectRef, RequestOptions } from './cluster';
import { ApiError, FailureClass } from '../transport/api';

/** From so many objects of a kind on, a list of them costs less than a read of each. */
const LIST_FROM = 10;

/** What a list says is as good as a read for so long. */
const FRESH_MS = 15_000;

/** A list that is refused or fails is no reason to fail: each object can still be read, with its own words where that fails too. */
const ENDS: readonly FailureClass[] = ['auth', 'aborted', 'connection'];

/** The objects of a kind: how many are yet to be asked for, and what the last list of them gave and nobody took. */
interface KindListing {
  left: number;
  listedAt: number;
  objects: Promise<Map<string, LiveObject>>;
}

/**
 * Reads the objects of an app, many of a kind with one list: who reads thousands of objects would otherwise mostly wait for the network. An object
 * is taken from the list once; who looks again wants to know what it is by now. Where kinds may not be listed, each object is read.
 */
export class ListedObjects {
  private readonly kinds = new Map<string, KindListing>();

  /**
   * @param labelSelector what the objects have in common
   * @param expected those that are probably there, and have it
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
    // it may be there without the label
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
