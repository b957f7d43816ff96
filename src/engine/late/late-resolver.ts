import { Look, explain, lookUpOnce, placeOf } from './look-up';
import { ResolvedValues, complete, lateIdsIn, mismatch } from '../../core/late/late-text';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, objectLabel } from '../../core/manifest/manifest';
import { Assembly, AssemblyLateObject, AssemblyLateSource, AssemblyLateText, AssemblyLateValue } from '../../core/output/assembly';
import { sensitiveIds } from '../../core/secret/sensitive-late-values';
import { BoundTargets } from '../cluster/cluster';
import { ApiError, FailureClass, reworded } from '../transport/api';
import { Clock, PROCESS_CLOCK, isAbort } from '../transport/pace';

export interface LateResolverOptions {
  /** How long one value is waited for, in milliseconds. @default 300000 */
  readonly timeoutMs?: number;
  /** Ends all waiting. */
  readonly signal?: AbortSignal;
  /** @default - that of the process */
  readonly clock?: Clock;
  /** From 0 to 1. @default Math.random */
  readonly random?: () => number;
}

const TIMEOUT_MS = 300_000;
/** Pauses between looks: the first, and the longest. */
const PAUSE_MS = { FIRST: 500, LONGEST: 8_000 } as const;
/** For how long a 403 may be a role that was just made and is not known everywhere yet. */
const FORBIDDEN_MS = 60_000;

/** Where Rancher says what its controllers do. */
const RANCHER_LOG = 'Deployment cattle-system/rancher';

/** Failures after which another look may find more. */
const MAY_PASS: ReadonlySet<FailureClass> = new Set<FailureClass>(['transient', 'blocked', 'not-found', 'forbidden']);

/**
 * Finds the late values of an assembly on the live clusters. Values are kept in memory, and in no message.
 */
export class LateResolver {
  private readonly byId: ReadonlyMap<string, AssemblyLateValue>;
  private readonly sensitive: ReadonlySet<string>;
  private readonly found = new Map<string, string>();
  private readonly asked = new Map<string, Promise<void>>();
  private readonly clock: Clock;
  private readonly random: () => number;

  public constructor(assembly: Assembly, private readonly targets: BoundTargets, private readonly options: LateResolverOptions = {}) {
    this.byId = new Map(assembly.lateValues.map((late) => [late.id, late]));
    this.sensitive = sensitiveIds(assembly.lateValues);
    this.clock = options.clock ?? PROCESS_CLOCK;
    this.random = options.random ?? Math.random;
  }

  /** What is known by now, by id. Holds secrets: never print it. */
  public get values(): ResolvedValues {
    return this.found;
  }

  /** What must never be shown, in each encoding that an object may hold it in. */
  public get secrets(): readonly string[] {
    const values = [...this.found].filter(([id]) => this.isSensitive(id)).map(([, value]) => value);
    return [...new Set(values.flatMap((value) => [value, Buffer.from(value, 'utf8').toString('base64'), JSON.stringify(value).slice(1, -1)]))];
  }

  /** Whether a value is a credential: it says so itself, is read from a Secret, or is made of one that is. */
  public isSensitive(id: string): boolean {
    return this.sensitive.has(id);
  }

  /**
   * Waits until a value is there and of its type, and first of all for those that its own names or its text hold. Asked again, it gives what
   * it found, or tries again where it found none.
   *
   * @param id without `late:`
   */
  public async resolve(id: string): Promise<void> {
    // before anything waits: two that wait for each other would wait for ever
    const circle = this.circleFrom(id, []);
    if (circle) { throw new Error(`late values that are made of each other: ${circle.join(' → ')}; name another in one of them`); }
    return this.ask(id);
  }

  /** One look, without waiting: whether the value is known now. For plans, which show what is not as known after apply. */
  public async tryResolve(id: string): Promise<boolean> {
    if (this.found.has(id)) { return true; }
    if (this.circleFrom(id, [])) { return false; }
    const late = this.lateValue(id);
    for (const inner of lateIdsIn(late.source)) {
      if (!(await this.tryResolve(inner))) { return false; }
    }
    try {
      return this.keep(late, await this.look(late)) === undefined;
    } catch (error) {
      if (isAbort(error)) { throw error; }
      return false;
    }
  }

  /** A copy of an object with all its late values in it. Throws where one is not known: no placeholder ever reaches a cluster. */
  public complete(manifest: Manifest): Manifest {
    const completed = this.completed(manifest);
    const missing = lateIdsIn(completed).map((id) => this.byId.get(id)?.description ?? id);
    if (missing.length > 0 || holdsLate(completed)) {
      const what = missing.join(', ') || 'a late value whose placeholder is damaged';
      throw new Error(`${objectLabel(manifest)}: waits for ${what}, which is not known; it was not written`);
    }
    return completed;
  }

  private completed(manifest: Manifest): Manifest {
    try {
      return this.completeKnown(manifest);
    } catch (error) {
      throw new Error(`${objectLabel(manifest)}: ${(error as Error).message}`);
    }
  }

  /** The same where placeholders may stay. */
  public completeKnown<T>(value: T): T {
    return complete(value, this.found);
  }

  // one waiting for everybody who asks; a failure is told to all of them and not remembered
  private async ask(id: string): Promise<void> {
    if (this.found.has(id)) { return; }
    const asked = this.asked.get(id);
    if (asked) { return asked; }
    const asking = this.wait(this.lateValue(id));
    this.asked.set(id, asking);
    try { await asking; } finally { this.asked.delete(id); }
  }

  private circleFrom(id: string, trail: readonly string[]): string[] | undefined {
    if (trail.includes(id)) { return [...trail.slice(trail.indexOf(id)), id]; }
    for (const inner of lateIdsIn(this.lateValue(id).source)) {
      const circle = this.circleFrom(inner, [...trail, id]);
      if (circle) { return circle; }
    }
    return undefined;
  }

  private async wait(late: AssemblyLateValue): Promise<void> {
    await Promise.all(lateIdsIn(late.source).map(async (inner) => this.ask(inner)));
    const { timeoutMs = TIMEOUT_MS, signal } = this.options;
    const start = this.clock.now();
    for (let pause: number = PAUSE_MS.FIRST; ; pause = Math.min(pause * 1.5, PAUSE_MS.LONGEST)) {
      const passed = this.clock.now() - start;
      const missing = this.keep(late, await this.lookAgain(late, passed));
      if (missing === undefined) { return; }
      const left = timeoutMs - (this.clock.now() - start);
      // nothing that a text is made of changes
      if (left <= 0 || isText(late.source)) { throw new Error(`${titleOf(late)}: ${await this.missingText(late.source, missing, timeoutMs)}`); }
      await this.clock.sleep(Math.min(left, pause * (0.5 + this.random())), signal);
    }
  }

  private async lookAgain(late: AssemblyLateValue, passedMs: number): Promise<Look> {
    try {
      return await this.look(late);
    } catch (error) {
      if (isAbort(error)) { throw error; }
      const waits = error instanceof ApiError && MAY_PASS.has(error.failure) && (error.failure !== 'forbidden' || passedMs < FORBIDDEN_MS);
      if (!waits) { throw this.failed(late, error as Error); }
      return { missing: (error as Error).message };
    }
  }

  private async look({ source, construct }: AssemblyLateValue): Promise<Look> {
    if (isText(source)) { return { value: complete(source.text, this.found) }; }
    const bound = this.targets.get(source.target);
    if (!bound) { throw new Error(`its target "${source.target}" is bound to no cluster (${construct}); name its context`); }
    const { signal } = this.options;
    const cluster = await bound.cluster(signal);
    return lookUpOnce({
      cluster, source: this.named(source), serverUrl: bound.target.properties.serverUrl, options: { ...(signal ? { signal } : {}) },
    });
  }

  /** Keeps what was found, if it can be the value; what is wrong otherwise. */
  private keep(late: AssemblyLateValue, look: Look): string | undefined {
    if (!('value' in look)) { return look.missing; }
    const why = mismatch(late.type, look.value);
    if (why !== undefined) { return `what is there ${why}`; }
    this.found.set(late.id, look.value);
    return undefined;
  }

  private async missingText(source: AssemblyLateSource, missing: string, timeoutMs: number): Promise<string> {
    if (isText(source)) { return `${missing}; correct the text in the program`; }
    const bound = this.targets.get(source.target);
    const by = bound === undefined ? '' : ` (${bound.by})`;
    const known = (await this.known(source)).map((words) => `; ${words}`).join('');
    const log = bound?.target.kind === 'rancher' ? `, and in the log of Rancher (${RANCHER_LOG}),` : '';
    return `not known after ${Math.round(timeoutMs / 1000)} s; looked at ${placeOf(this.named(source))}${by}: ${missing}${known}; `
      + `see there${log} what keeps it, or give it more time, and run this again`;
  }

  /** What the object says itself, and others of it. */
  private async known(source: AssemblyLateObject): Promise<readonly string[]> {
    const { signal } = this.options;
    const cluster = await this.targets.get(source.target)?.cluster(signal).catch(() => undefined);
    if (!cluster) { return []; }
    const { apiVersion, kind, namespace, name } = this.named(source);
    return explain(cluster, { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) }, signal ? { signal } : {});
  }

  private failed(late: AssemblyLateValue, error: Error): Error {
    const place = isText(late.source) ? '' : `${placeOf(this.named(late.source))}: `;
    const message = `${titleOf(late)}: ${place}${error.message}`;
    return reworded(error, message);
  }

  private named(source: AssemblyLateObject): AssemblyLateObject {
    return this.completeKnown(source);
  }

  private lateValue(id: string): AssemblyLateValue {
    const late = this.byId.get(id);
    if (!late) { throw new Error(`assembly: there is no late value "${id}"; synthesize again`); }
    return late;
  }
}

function isText(source: AssemblyLateSource): source is AssemblyLateText {
  return source.resolver === 'text';
}

function titleOf({ description, construct }: AssemblyLateValue): string {
  return `late value "${description}" (${construct})`;
}

function holdsLate(value: unknown): boolean {
  if (typeof value === 'string') { return isLate(value); }
  if (Array.isArray(value)) { return value.some(holdsLate); }
  return isRecord(value) && Object.entries(value).some(([key, inner]) => isLate(key) || holdsLate(inner));
}
