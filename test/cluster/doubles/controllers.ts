import { Admission, Webhook } from './admission';
import { Live } from './live';
import { Answer, Client, ObjectRef } from '../client';

/**
 * What a controller does with the objects of one kind. It does only the next step: its own write
 * triggers it again.
 */
export interface Reconciler {
  readonly apiVersion: string;
  readonly kind: string;
  /**
   * Returns after how many milliseconds to look again, if no change of the object will trigger it.
   */
  readonly reconcile: (object: Live) => Promise<number | void>;
}

/** How soon a controller looks again at what it could not do. */
export const AGAIN_MS = 150;

interface Job {
  readonly object: Live;
  readonly reconciler: Reconciler;
  readonly due: number;
}

/**
 * Test doubles of the controllers and webhooks of one product, on one API server. They do what the
 * recordings show (test/recordings), which test/cluster/replay checks, and nothing else. Behavior
 * that no recording shows names its source.
 */
export abstract class Controllers {
  /**
   * What the real ones would only log: a test that ends with some here has done something wrong.
   */
  public readonly problems: string[] = [];
  /** Objects that are looked after, asked each time; others are left as they are. */
  public only?: (object: Live) => boolean;
  /** Time between two writes to one object, so that a reader sees each state. */
  public paceMs = 60;
  protected abstract readonly reconcilers: readonly Reconciler[];
  protected readonly webhooks: readonly Webhook[] = [];
  private readonly jobs = new Map<string, Job>();
  private readonly written = new Map<string, number>();
  private admission?: Admission;
  private running?: Promise<void>;
  private stopped = false;
  private wake?: () => void;

  protected constructor(
    protected readonly client: Client,
    private readonly manager: string,
  ) {}

  /** Creates the objects of the product, then its webhooks. */
  public async seed(): Promise<void> {
    await this.bring();
    if (this.webhooks.length > 0) {
      this.admission = await Admission.start(this.client, this.manager, this.webhooks);
    }
  }

  public start(): void {
    this.stopped = false;
    this.running = this.work();
  }

  /** Ends the controllers. The webhooks go on, as they do where a controller is down. */
  public async stop(): Promise<void> {
    this.stopped = true;
    this.wake?.();
    await this.running;
  }

  /** Ends the webhooks, too. */
  public async close(): Promise<void> {
    await this.stop();
    await this.admission?.close();
  }

  /** Objects that a new installation has. */
  protected abstract bring(): Promise<void>;

  /** Reports a problem, once. */
  protected problem(text: string): void {
    if (!this.problems.includes(text)) {
      this.problems.push(text);
    }
  }

  /** Makes an object unless it is there. */
  protected async ensure(
    object: ObjectRef & { [field: string]: unknown },
    manager = this.manager,
  ): Promise<void> {
    const path = await this.client.pathOf(object);
    if ((await this.client.get(path)).status !== 404) {
      return;
    }
    expectDone(
      await this.client.request('POST', path.slice(0, path.lastIndexOf('/')), {
        body: object,
        query: { fieldManager: manager },
      }),
      409,
    );
  }

  /**
   * Changes an object as the controllers do: read, change, write as a whole, under a manager of
   * their own.
   *
   * @returns whether there was something to write
   */
  protected async update(
    object: Live,
    change: (draft: Live) => void,
    { manager = this.manager, subresource = '' } = {},
  ): Promise<boolean> {
    const before = JSON.stringify(object);
    const draft = JSON.parse(before) as Live;
    change(draft);
    if (JSON.stringify(draft) === before) {
      return false;
    }
    this.written.set(keyOf(object), Date.now());
    const path = `${await this.client.pathOf(object)}${subresource && `/${subresource}`}`;
    // someone else was faster: the watch delivers the new state
    expectDone(
      await this.client.request('PUT', path, { body: draft, query: { fieldManager: manager } }),
      404,
      409,
    );
    return true;
  }

  protected async updateStatus(
    object: Live,
    change: (status: Live['status']) => void,
    manager?: string,
  ): Promise<boolean> {
    return this.update(object, (draft) => change((draft.status ??= {})), {
      manager,
      subresource: 'status',
    });
  }

  /** Lets a deleted object go. */
  protected async release(object: Live, finalizer: string, manager?: string): Promise<boolean> {
    return this.update(
      object,
      ({ metadata }) => {
        const { finalizers } = metadata as { finalizers?: string[] };
        if (finalizers?.includes(finalizer)) {
          (metadata as { finalizers?: string[] }).finalizers = finalizers.filter(
            (name) => name !== finalizer,
          );
        }
      },
      { manager },
    );
  }

  protected async remove(object: ObjectRef): Promise<void> {
    expectDone(await this.client.delete(object), 404, 409);
  }

  protected async read(
    apiVersion: string,
    kind: string,
    name: string,
    namespace?: string,
  ): Promise<Live | undefined> {
    const answer = await this.client.read({
      apiVersion,
      kind,
      metadata: { name, ...(namespace ? { namespace } : {}) },
    });
    return answer.status === 200 ? (answer.body as Live) : undefined;
  }

  protected async list(apiVersion: string, kind: string, namespace?: string): Promise<Live[]> {
    const { body } = await this.client.list(apiVersion, kind, namespace);
    return ((body.items ?? []) as Live[]).map((item) => ({ ...item, apiVersion, kind }));
  }

  private queue(reconciler: Reconciler, object: Live): void {
    const last = this.written.get(keyOf(object));
    this.jobs.set(keyOf(object), {
      object,
      reconciler,
      due: last === undefined ? 0 : last + this.paceMs,
    });
    this.wake?.();
  }

  private async work(): Promise<void> {
    const watches = await Promise.all(
      this.reconcilers.map(async (reconciler) =>
        this.client.watch(reconciler.apiVersion, reconciler.kind, ({ type, object }) => {
          if (type !== 'DELETED') {
            return this.queue(reconciler, object);
          }
          this.jobs.delete(keyOf(object));
          this.written.delete(keyOf(object));
        }),
      ),
    );
    while (!this.stopped) {
      const [key, job] = this.next();
      if (!job || job.due > Date.now()) {
        await this.slept(job ? job.due - Date.now() : AGAIN_MS);
        continue;
      }
      if (this.only && !this.only(job.object)) {
        // perhaps later
        if (this.jobs.get(key) === job) {
          this.jobs.set(key, { ...job, due: Date.now() + AGAIN_MS });
        }
        continue;
      }
      await this.reconcile(job);
      // unless it was changed in the meantime
      if (this.jobs.get(key) === job) {
        this.jobs.delete(key);
      }
    }
    watches.forEach((end) => end());
    this.jobs.clear();
  }

  /** What is due first; nothing where there is nothing to do. */
  private next(): [key: string, job?: Job] {
    let first: [string, Job?] = [''];
    for (const entry of this.jobs) {
      if (!first[1] || entry[1].due < first[1].due) {
        first = entry;
      }
    }
    return first;
  }

  private async reconcile({ reconciler, object }: Job): Promise<void> {
    let again: number | void;
    try {
      again = await reconciler.reconcile(object);
    } catch (error) {
      this.problem(`${object.kind} ${object.metadata.name}: ${(error as Error).message}`);
      again = AGAIN_MS;
    }
    const key = keyOf(object);
    if (again !== undefined && this.jobs.get(key)?.object === object) {
      this.jobs.set(key, { object, reconciler, due: Date.now() + again });
    }
  }

  private async slept(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Now, as Kubernetes writes times. */
export function now(): string {
  return new Date().toISOString().replace(/\.\d+/, '');
}

/** How long ago something was made, or began to go. */
export function ageMs(time: unknown): number {
  return Date.now() - Date.parse(String(time));
}

interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastUpdateTime?: string;
}

/**
 * Writes a condition as the products do: the time is that of the last change; one that has the
 * value already is not written.
 */
export function setCondition(
  conditions: Condition[],
  { type, status, reason, message }: Omit<Condition, 'lastUpdateTime'>,
): void {
  const at = conditions.findIndex((condition) => condition.type === type);
  const former = conditions[at] as Condition | undefined;
  if (
    former &&
    former.status === status &&
    former.message === message &&
    former.reason === reason
  ) {
    return;
  }
  const condition = {
    type,
    status,
    ...(reason ? { reason } : {}),
    ...(message ? { message } : {}),
    lastUpdateTime: now(),
  };
  if (former) {
    conditions[at] = condition;
  } else {
    conditions.push(condition);
  }
}

interface Texts {
  readonly [key: string]: string;
}

/** Adds a finalizer and annotations, which controllers do as one. */
export function mark(
  { metadata }: Live,
  finalizer: string | undefined,
  annotations: Texts = {},
  labels: Texts = {},
): void {
  const { finalizers = [] } = metadata as { finalizers?: string[] };
  const writable = metadata as { [field: string]: unknown };
  if (finalizer && !finalizers.includes(finalizer)) {
    writable.finalizers = [...finalizers, finalizer];
  }
  if (Object.keys(annotations).length > 0) {
    writable.annotations = { ...metadata.annotations, ...annotations };
  }
  if (Object.keys(labels).length > 0) {
    writable.labels = { ...metadata.labels, ...labels };
  }
}

function keyOf({ kind, metadata: { namespace = '', name } }: Live): string {
  return `${kind}/${namespace}/${name}`;
}

/** Others write at the same time, and objects are deleted: the next event handles it. */
function expectDone({ status, body }: Answer, ...also: number[]): void {
  if (status >= 300 && !also.includes(status)) {
    throw new Error(`${status} ${body?.message ?? JSON.stringify(body)}`);
  }
}
