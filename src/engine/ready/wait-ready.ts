import { KindReadiness } from '../../core/kind/description/readiness';
import { kindOf } from '../../core/kind/kinds';
import {
  conditionOf,
  MINUTE,
  Readiness,
  READY,
  ReadyContext,
  conditionText,
  waiting,
} from '../../core/kind/ready/readiness';
import { groupOf, Manifest, valueAt } from '../../core/manifest/manifest';
import { AssemblyTarget } from '../../core/output/assembly';
import { Cluster, LiveObject, ObjectRef, RequestOptions } from '../cluster/cluster';
import { onFailure } from '../transport/api';
import { inWords, Pacing, until } from '../transport/pace';

/** What an event of a node that waits contains besides its reason. */
export interface WaitNotes {
  /** What usually causes a long wait, and what to do. @default - it is not known */
  readonly hint?: string;
  /** How long the run waits in all, in seconds. @default - it is not known */
  readonly limitSeconds?: number;
}

/** The versions of a target for readiness checks. */
export function readyContext({
  kind,
  version,
}: Pick<AssemblyTarget, 'kind' | 'version'>): ReadyContext {
  // the version of a target that is no longer declared may be unknown
  return kind === 'harvester' && version !== '' ? { harvesterVersion: version } : {};
}

/**
 * The readiness of a live object, by its status and by the object that shows what its status does
 * not.
 */
export async function readinessOn(
  cluster: Cluster,
  live: LiveObject,
  about: ReadyContext,
  options: RequestOptions = {},
): Promise<Readiness> {
  const own = readinessOf(live, about);
  const ref = own.state === 'ready' ? kindOf<KindReadiness>(live)?.ready?.and?.(live) : undefined;
  if (!ref) {
    return own;
  }
  const other = await cluster.read(ref, options);
  return other
    ? readinessOf(other, about)
    : waiting(`its ${ref.apiVersion} ${ref.kind} ${ref.name} does not exist`);
}

/** The readiness of an object by its own status. */
export function readinessOf(live: LiveObject, about: ReadyContext = {}): Readiness {
  if (live.metadata.deletionTimestamp !== undefined) {
    return { state: 'waiting', why: 'is being deleted' };
  }
  const observed = valueAt(live, 'status', 'observedGeneration');
  if (
    typeof observed === 'number' &&
    live.metadata.generation !== undefined &&
    observed < live.metadata.generation
  ) {
    return waiting('its controller has not seen the latest change yet');
  }
  return (kindOf<KindReadiness>(live)?.ready?.judge ?? byCommonConditions)(live, about);
}

/** How long to wait for an object, in milliseconds. */
export function readyTimeoutMs(live: Pick<Manifest, 'apiVersion' | 'kind'>): number {
  return kindOf<KindReadiness>(live)?.ready?.timeoutMs ?? 5 * MINUTE;
}

/**
 * Kinds without a rule: the conventions of most controllers.
 * @see sigs.k8s.io/cli-utils:pkg/kstatus/status/generic.go
 */
function byCommonConditions(live: Manifest): Readiness {
  const [reconciling, stalled, ready] = ['Reconciling', 'Stalled', 'Ready'].map((type) =>
    conditionOf(live, type),
  );
  if (reconciling?.status === 'True') {
    return waiting(conditionText(reconciling));
  }
  if (stalled?.status === 'True') {
    return { state: 'failed', why: conditionText(stalled) };
  }
  return ready && ready.status !== 'True' ? waiting(conditionText(ready)) : READY;
}

/** Controllers may report a failure and recover: only a lasting failure counts. */
const FAILING_MS = 120_000;

/** When and how often the reason is searched elsewhere, in milliseconds. */
const FURTHER_MS = { FIRST: 5_000, EVERY: 15_000 } as const;

/** How to wait for an object. */
export interface WaitReadyOptions extends Pacing {
  /** The versions of the object's cluster. */
  readonly about?: ReadyContext;
  /** How long to wait, in milliseconds. @default - depends on the kind */
  readonly timeoutMs?: number;
  /**
   * Searches the reason elsewhere, if the object does not contain it. Called at intervals, and not
   * at once.
   */
  readonly lookFurther?: (live: LiveObject) => Promise<string | undefined>;
  /** Called when the reason changes. */
  readonly onWait: (why: string, notes: WaitNotes) => void;
  /** Removes secrets from the message of a status. */
  readonly scrub: (text: string) => string;
}

/** Waits until an object is ready. Throws with the reason if it fails, or is not ready in time. */
export async function waitReady(
  cluster: Cluster,
  ref: ObjectRef,
  options: WaitReadyOptions,
): Promise<void> {
  const { clock, signal, about, timeoutMs = readyTimeoutMs(ref), onWait, scrub } = options;
  let last:
    | { readonly why: string; readonly state: Readiness['state']; readonly since: number }
    | undefined;
  let hint: string | undefined;
  const further = new FurtherLook(options);
  await until(
    async (passedMs) => {
      // an unavailable server is not a failure of its objects
      const live = await cluster
        .read(ref, { signal })
        .catch(onFailure(['transient', 'blocked'], ({ message }) => message));
      const { state, why, fix } = await judged(cluster, live, about, signal);
      hint = fix ?? hintOf(ref, live) ?? hint;
      if (state === 'ready') {
        return true;
      }
      const more = typeof live === 'object' ? await further.at(live, passedMs) : undefined;
      const words = scrub(more === undefined ? why : `${why}; ${more}`);
      if (state === 'failed') {
        throw new Error(`failed: ${words}${fix === undefined ? '' : `. Fix: ${fix}`}`);
      }
      if (last?.why !== words || last.state !== state) {
        last = { why: words, state, since: clock.now() };
        onWait(words, { hint, limitSeconds: Math.round(timeoutMs / 1000) });
      }
      if (state === 'failing' && clock.now() - last.since >= FAILING_MS) {
        throw new Error(`has been failing for ${inWords(FAILING_MS)}: ${words}`);
      }
      return undefined;
    },
    timeoutMs,
    () =>
      new Error(
        `not ready after ${inWords(timeoutMs)}: ${last?.why ?? 'for an unknown reason'}. ${hint === undefined ? '' : `${hint}. `}` +
          'Fix: run the command again to continue waiting',
      ),
    options,
  );
}

/**
 * What usually causes a long wait for an object, and what to do; undefined if the object could not
 * be read.
 */
function hintOf(ref: ObjectRef, live: LiveObject | undefined | string): string | undefined {
  if (typeof live !== 'object') {
    return undefined;
  }
  return kindOf<KindReadiness>(live)?.ready?.hint?.(live) ?? whereToLook(ref);
}

/** How to read what an object reports. */
export function whereToLook({ apiVersion, kind, namespace, name }: ObjectRef): string {
  const group = groupOf(apiVersion);
  const resource = `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}`;
  const place = namespace === undefined ? '' : ` -n ${namespace}`;
  return `Its conditions and events show more: kubectl describe ${resource} ${name}${place}`;
}

/**
 * Searches the reason elsewhere only after some seconds, since most objects become ready soon, and
 * not in each round.
 */
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

async function judged(
  cluster: Cluster,
  live: LiveObject | undefined | string,
  about: ReadyContext = {},
  signal?: AbortSignal,
): Promise<Readiness> {
  if (typeof live === 'string') {
    return waiting(live);
  }
  if (!live) {
    return waiting('no longer exists');
  }
  return readinessOn(cluster, live, about, { signal }).catch(
    onFailure(['transient', 'blocked'], ({ message }) => waiting(message)),
  );
}
