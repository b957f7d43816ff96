import { setTimeout as timer } from 'timers/promises';
import { ApiError, FailureClass, reworded } from './api';
import { grouped } from '../../core/text/values';

/** A clock, which tests replace. */
export interface Clock {
  /** Monotonic, in milliseconds. */
  now(): number;
  /** Waits; throws if the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The monotonic clock of the process: the wall clock may jump. */
export const PROCESS_CLOCK: Clock = {
  now: () => performance.now(),
  sleep: async (ms, signal) => timer(ms, undefined, { signal }),
};

/** Whether an error comes from an abort. */
export function isAbort(error: unknown): boolean {
  return error instanceof ApiError
    ? error.failure === 'aborted'
    : error instanceof Error && error.name === 'AbortError';
}

/**
 * Processes items concurrently, with a limit per target, until the first failure. Results are in
 * the order of the items.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  targetOf: (item: T) => string,
  concurrency: number,
  act: (item: T) => Promise<R>,
  signal?: AbortSignal,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  const queues = grouped(items.keys(), (index) => targetOf(items[index]));
  let failed = false;
  const work = async (queue: readonly number[], next: { at: number }): Promise<void> => {
    while (!failed && next.at < queue.length) {
      signal?.throwIfAborted();
      const index = queue[next.at++];
      try {
        results[index] = await act(items[index]);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(
    [...queues.values()].flatMap((queue) => {
      const next = { at: 0 };
      return Array.from({ length: Math.min(concurrency, queue.length) }, async () =>
        work(queue, next),
      );
    }),
  );
  return results;
}

/** How a run waits. */
export interface Pacing {
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Ends all waiting. */
  readonly signal?: AbortSignal;
}

/** Pauses between reads while waiting: the first, and the longest. */
const LOOK_MS = { FIRST: 500, LONGEST: 10_000 } as const;

/** How long a 403 may come from a new role that servers do not enforce yet. */
const FORBIDDEN_MS = 60_000;

const MAY_PASS: ReadonlySet<FailureClass> = new Set<FailureClass>(['blocked', 'transient']);

/**
 * Repeats `look` with growing pauses until it returns a value. Throws the error of `late` after the
 * timeout.
 */
export async function until<T>(
  look: (passedMs: number) => Promise<T | undefined>,
  timeoutMs: number,
  late: () => Error | Promise<Error>,
  { clock, random, signal }: Pacing,
  longestMs: number = LOOK_MS.LONGEST,
): Promise<T> {
  const start = clock.now();
  for (let pause: number = LOOK_MS.FIRST; ; pause = Math.min(pause * 1.5, longestMs)) {
    const found = await look(clock.now() - start);
    if (found !== undefined) {
      return found;
    }
    const left = timeoutMs - (clock.now() - start);
    if (left <= 0) {
      throw await late();
    }
    await clock.sleep(Math.min(left, pause * (0.5 + random())), signal);
  }
}

interface RetryOptions {
  readonly timeoutMs: number;
  /** Receives the reason for waiting. */
  readonly onWait: (why: string) => void;
  /** Whether new roles were written, which servers enforce only after some time. */
  readonly mayBeForbidden?: () => boolean;
}

/**
 * Retries an action that may be too early: a dependency does not exist yet, or the server is
 * unavailable. Other failures are final.
 */
export async function patiently<T>(
  act: () => Promise<T>,
  { timeoutMs, onWait, mayBeForbidden }: RetryOptions,
  pacing: Pacing,
): Promise<T> {
  let latest: unknown;
  const { result } = await until<{ readonly result: T }>(
    async (passedMs) => {
      try {
        return { result: await act() };
      } catch (error) {
        const passes =
          error instanceof ApiError &&
          (MAY_PASS.has(error.failure) ||
            (error.failure === 'forbidden' &&
              passedMs < FORBIDDEN_MS &&
              mayBeForbidden?.() === true));
        if (!passes) {
          throw error;
        }
        latest = error;
        onWait(error.message);
        return undefined;
      }
    },
    timeoutMs,
    () => reworded(latest, `${(latest as Error).message}; waited for ${inWords(timeoutMs)}`),
    pacing,
  );
  return result;
}

/** `45 s`, `5 min`, `2.5 min` */
export function inWords(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 6) / 10} min`;
}
