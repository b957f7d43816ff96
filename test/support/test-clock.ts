import { Clock } from '../../src/engine/transport/pace';

/**
 * A clock that no machine slows down: time passes by pauses alone. A pause that nothing can end is
 * over at once, and time has passed by its length; one that can be ended, such as the time limit of
 * a request, lasts until other pauses or `pass` reach its end.
 */
export class TestClock implements Clock {
  /** How often `now` was called. */
  public looks = 0;
  private time = 0;
  private readonly pending = new Set<{ readonly until: number; readonly end: () => void }>();

  public now(): number {
    this.looks++;
    return this.time;
  }

  public async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (!signal) {
      return this.pass(ms);
    }
    return new Promise((resolve, reject) => {
      const pause = {
        until: this.time + ms,
        end: () => {
          this.pending.delete(pause);
          signal.removeEventListener('abort', abort);
          resolve();
        },
      };
      const abort = (): void => {
        this.pending.delete(pause);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', abort, { once: true });
      this.pending.add(pause);
    });
  }

  /** Lets time pass. */
  public pass(ms: number): void {
    this.time += ms;
    for (const { until, end } of [...this.pending]) {
      if (until <= this.time) {
        end();
      }
    }
  }
}

/** Waits until something is so, however long this machine takes: the limit is that of the test. */
export async function eventually(is: () => boolean): Promise<void> {
  while (!is()) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
