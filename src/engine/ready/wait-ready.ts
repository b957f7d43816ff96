import { readinessOf, readyTimeoutMs } from './readiness';
import { Readiness } from '../../core/kind/readiness';
import { ReadyContext } from '../../core/kind/readiness';
import { Cluster, LiveObject, ObjectRef } from '../cluster/cluster';
import { ApiError } from '../transport/api';
import { Pacing, inWords, until } from '../transport/pace';

/** Controllers say for some time that something failed and then go on: only what stays so is a failure. */
const FAILING_MS = 120_000;

/** When the reason is looked for elsewhere, in milliseconds since the wait began, and how often. */
const FURTHER_MS = { FIRST: 5_000, EVERY: 15_000 } as const;

export interface WaitReadyOptions extends Pacing {
  /** Of the cluster that the object is on. */
  readonly about?: ReadyContext;
  /** @default - by its kind */
  readonly timeoutMs?: number;
  /** Looks for the reason elsewhere, where the object itself does not say it. Asked now and then, and never at once. */
  readonly lookFurther?: (live: LiveObject) => Promise<string | undefined>;
  /** Told whenever the reason changes. */
  readonly onWait: (why: string) => void;
  /** What must not be shown of a status. */
  readonly scrub: (text: string) => string;
}

/** Waits until an object is ready. Throws where it fails for good, or is not ready in time, and says why. */
export async function waitReady(cluster: Cluster, ref: ObjectRef, options: WaitReadyOptions): Promise<void> {
  const { clock, signal, about, timeoutMs = readyTimeoutMs(ref), onWait, scrub } = options;
  let last: { readonly why: string; readonly state: Readiness['state']; readonly since: number } | undefined;
  const further = new FurtherLook(options);
  await until(async (passedMs) => {
    const live = await look(cluster, ref, signal);
    const { state, why } = judged(live, about);
    if (state === 'ready') { return true; }
    const more = typeof live === 'object' ? await further.at(live, passedMs) : undefined;
    const words = scrub(more === undefined ? why : `${why}; ${more}`);
    if (state === 'failed') { throw new Error(`failed: ${words}`); }
    if (last?.why !== words || last.state !== state) {
      last = { why: words, state, since: clock.now() };
      onWait(words);
    }
    if (state === 'failing' && clock.now() - last.since >= FAILING_MS) { throw new Error(`has been failing for ${inWords(FAILING_MS)}: ${words}`); }
    return undefined;
  }, timeoutMs, () => new Error(`not ready after ${inWords(timeoutMs)}: ${last?.why ?? 'nobody knows why'}; run this again to go on waiting`), options);
}

/** Looks further after some seconds, which things take that are well, and not at every turn. */
class FurtherLook {
  private next: number = FURTHER_MS.FIRST;
  private found?: string;

  public constructor(private readonly options: Pick<WaitReadyOptions, 'lookFurther'>) {}

  public async at(live: LiveObject, passedMs: number): Promise<string | undefined> {
    if (this.options.lookFurther && passedMs >= this.next) {
      this.next = passedMs + FURTHER_MS.EVERY;
      this.found = await this.options.lookFurther(live);
    }
    return this.found;
  }
}

function judged(live: LiveObject | undefined | string, about?: ReadyContext): Readiness {
  if (typeof live === 'string') { return { state: 'waiting', why: live }; }
  return live ? readinessOf(live, about) : { state: 'waiting', why: 'is not there any more' };
}

// a server that is away for some minutes is no failure of what it holds
async function look(cluster: Cluster, ref: ObjectRef, signal?: AbortSignal): Promise<LiveObject | undefined | string> {
  try {
    return await cluster.read(ref, { signal });
  } catch (error) {
    if (error instanceof ApiError && (error.failure === 'transient' || error.failure === 'blocked')) { return error.message; }
    throw error;
  }
}
