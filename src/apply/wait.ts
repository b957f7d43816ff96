import { setTimeout as timer } from 'timers/promises';
import { ApiError } from './transport/api';

/** How time passes: another one in tests. */
export interface Clock {
  /** Monotonic, in milliseconds. */
  now(): number;
  /** Throws where the signal ends it. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The clock of the process; the wall clock may jump. */
export const PROCESS_CLOCK: Clock = {
  now: () => performance.now(),
  sleep: async (ms, signal) => timer(ms, undefined, { signal }),
};

/** Whether something ended since we wanted it to. */
export function isAbort(error: unknown): boolean {
  return error instanceof ApiError ? error.failure === 'aborted' : error instanceof Error && error.name === 'AbortError';
}
