import { setTimeout as sleep } from 'node:timers/promises';
import { Manifest } from '../../../src/model/manifest';
import { Answer, Client, ObjectRef } from '../client';

/** An object as a server has it; looked into at will. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Live = Manifest & { readonly [field: string]: any };

/** What a controller does about the objects of one kind: called for each again and again, so it must come to rest. */
export interface Reconciler {
  readonly apiVersion: string;
  readonly kind: string;
  readonly reconcile: (object: Live) => Promise<void>;
}

const LOOK_MS = 150;

/**
 * Test doubles of the controllers of one product, on one API server: what they do is what the facts say that the real ones do, and no more.
 */
export abstract class Controllers {
  /** What the real ones would only log: a test that ends with some here has done something wrong. */
  public readonly problems: string[] = [];
  /** Objects that are looked after; others are left as they are. */
  public only?: (object: Live) => boolean;
  protected abstract readonly reconcilers: readonly Reconciler[];
  private readonly manager: string;
  private running?: Promise<void>;
  private stopped = false;

  protected constructor(protected readonly client: Client, manager: string) {
    this.manager = manager;
  }

  /** What the product brings along. */
  public abstract seed(): Promise<void>;

  public start(): void {
    this.stopped = false;
    this.running = this.loop();
  }

  public async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  /** Says a problem, once. */
  protected problem(text: string): void {
    if (!this.problems.includes(text)) { this.problems.push(text); }
  }

  /** Makes an object unless it is there. */
  protected async ensure(object: Live): Promise<void> {
    const path = await this.client.pathOf(object);
    if ((await this.client.get(path)).status !== 404) { return; }
    expectDone(await this.client.request('POST', path.slice(0, path.lastIndexOf('/')), { body: object, query: { fieldManager: this.manager } }), 409);
  }

  /** Writes fields, as an update of the product's own manager; nothing where they are as they shall be. */
  protected async write(object: Live, fields: object): Promise<void> {
    if (holds(object, fields)) { return; }
    expectDone(await this.patch(await this.client.pathOf(object), fields), 404, 409);
  }

  protected async writeStatus(object: Live, status: object): Promise<void> {
    if (holds(object.status ?? {}, status)) { return; }
    const path = await this.client.pathOf(object);
    const answer = await this.patch(`${path}/status`, { status });
    // most of Rancher's and Harvester's kinds have no status subresource
    expectDone(answer.status === 404 ? await this.patch(path, { status }) : answer, 404, 409);
  }

  protected async addFinalizer(object: Live, name: string): Promise<void> {
    const finalizers = object.metadata.finalizers as string[] | undefined ?? [];
    if (finalizers.includes(name) || object.metadata.deletionTimestamp) { return; }
    await this.setFinalizers(object, [...finalizers, name]);
  }

  protected async removeFinalizer(object: Live, name: string): Promise<void> {
    const finalizers = object.metadata.finalizers as string[] | undefined ?? [];
    if (finalizers.includes(name)) { await this.setFinalizers(object, finalizers.filter((other) => other !== name)); }
  }

  protected async remove(object: ObjectRef): Promise<void> {
    expectDone(await this.client.delete(object), 404, 409);
  }

  protected async read(apiVersion: string, kind: string, name: string, namespace?: string): Promise<Live | undefined> {
    const answer = await this.client.read({ apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}) } });
    return answer.status === 200 ? answer.body as Live : undefined;
  }

  protected async list(apiVersion: string, kind: string, namespace?: string): Promise<Live[]> {
    const { body } = await this.client.list(apiVersion, kind, namespace);
    return ((body.items ?? []) as Live[]).map((item) => ({ ...item, apiVersion, kind }));
  }

  private async setFinalizers({ apiVersion, kind, metadata }: Live, finalizers: string[]): Promise<void> {
    const { name, namespace, resourceVersion } = metadata as { name: string; namespace?: string; resourceVersion: string };
    const path = await this.client.pathOf({ apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}) } });
    // with the version, since a list is replaced as a whole
    expectDone(await this.patch(path, { metadata: { finalizers, resourceVersion } }), 404, 409);
  }

  private async patch(path: string, body: object): Promise<Answer> {
    return this.client.request('PATCH', path, { contentType: 'application/merge-patch+json', body, query: { fieldManager: this.manager } });
  }

  private async loop(): Promise<void> {
    while (!this.stopped) {
      for (const { apiVersion, kind, reconcile } of this.reconcilers) {
        for (const object of await this.list(apiVersion, kind)) {
          if (this.stopped) { return; }
          if (this.only && !this.only(object)) { continue; }
          await reconcile(object).catch((error: Error) => this.problem(`${kind} ${object.metadata.name}: ${error.message}`));
        }
      }
      await sleep(LOOK_MS);
    }
  }
}

/** A condition as Rancher and Harvester write it. */
export function condition(type: string, status: 'True' | 'False', message = ''): object {
  return { type, status, ...(message ? { message } : {}) };
}

/** How long ago something was made, or began to go. */
export function ageMs(time: unknown): number {
  return Date.now() - Date.parse(String(time));
}

function holds(object: unknown, fields: unknown): boolean {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) { return JSON.stringify(object) === JSON.stringify(fields); }
  if (typeof object !== 'object' || object === null) { return false; }
  return Object.entries(fields).every(([key, value]) => holds((object as { [key: string]: unknown })[key], value));
}

/** Others write at the same time, and things go: then the next look does it. */
function expectDone({ status, body }: Answer, ...also: number[]): void {
  if (status >= 300 && !also.includes(status)) { throw new Error(`${status} ${body?.message ?? JSON.stringify(body)}`); }
}
