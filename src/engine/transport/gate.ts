import { Clock, PROCESS_CLOCK } from './pace';

/** How retries are paced, and when a server gets a break. */
export interface Pace {
  /** The longest pause before the first retry; doubles with each. */
  readonly baseMs: number;
  /** The longest pause at all. */
  readonly capMs: number;
  /** The number of consecutive transient failures after which the server gets a break. */
  readonly breakAfter: number;
  /** The length of the break, in milliseconds. */
  readonly breakMs: number;
}

export const DEFAULT_PACE: Pace = { baseMs: 250, capMs: 30_000, breakAfter: 20, breakMs: 30_000 };

/** Failures within this time halve the limit only once. */
const HALVE_ONCE_MS = 1_000;

/**
 * Limits concurrent requests: half as many after each answer that the server is busy, one more
 * after each success. The limits of p-limit and the like do not follow the answers.
 */
export class Gate {
  /** The words of the last temporary failure. */
  public lastFailure = '';
  private running = 0;
  private limit: number;
  private failures = 0;
  private pausedUntil = 0;
  private halvedAt = -Infinity;
  private downSince?: number;
  private waking = false;
  private readonly waiting: (() => void)[] = [];

  public constructor(
    private readonly max: number,
    private readonly pace: Pace,
    private readonly onNotice: (message: string) => void,
    private readonly clock: Clock = PROCESS_CLOCK,
  ) {
    this.limit = max;
  }

  /**
   * Waits for a place; rejects if the signal aborts. Each place must be released by `leave`.
   *
   * @param deadline how long to wait during a break
   * @returns whether there was a place in time
   */
  public async enter(signal?: AbortSignal, deadline = Infinity): Promise<boolean> {
    if (signal?.aborted) {
      throw signal.reason;
    }
    if (this.isOpen() && this.waiting.length === 0) {
      this.running++;
      return true;
    }
    // the break ends too late
    if (this.pausedUntil > deadline) {
      return false;
    }
    return new Promise<boolean>((resolve, reject) => {
      const go = (): void => {
        signal?.removeEventListener('abort', abort);
        this.running++;
        resolve(true);
      };
      const abort = (): void => {
        this.waiting.splice(this.waiting.indexOf(go), 1);
        reject(signal!.reason);
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.waiting.push(go);
      this.wake();
    });
  }

  public leave(): void {
    this.running--;
    this.wake();
  }

  /** The server answered. */
  public good(): void {
    if (this.downSince !== undefined) {
      this.onNotice(`answers again after ${pauseText(this.clock.now() - this.downSince)}`);
    }
    this.downSince = undefined;
    this.failures = 0;
    this.limit = Math.min(this.max, this.limit + 1);
    this.wake();
  }

  /** The server or the network failed temporarily. */
  public bad(words: string): void {
    this.lastFailure = words;
    this.failures++;
    if (this.failures < this.pace.breakAfter) {
      return;
    }
    this.failures = 0;
    this.downSince ??= this.clock.now();
    this.halve();
    this.pausedUntil = Math.max(this.pausedUntil, this.clock.now() + this.pace.breakMs);
    const since = this.clock.now() - this.downSince;
    this.onNotice(
      `unavailable${since >= 1000 ? ` for ${pauseText(since)}` : ''}, trying again in ${pauseText(this.pace.breakMs)}: ${words}`,
    );
  }

  /** The server requests a pause: all requests wait. */
  public busy(ms: number): void {
    this.halve();
    this.pausedUntil = Math.max(this.pausedUntil, this.clock.now() + ms);
  }

  private halve(): void {
    if (this.clock.now() - this.halvedAt < HALVE_ONCE_MS) {
      return;
    }
    this.halvedAt = this.clock.now();
    this.limit = Math.max(1, Math.floor(this.limit / 2));
  }

  private isOpen(): boolean {
    return this.running < this.limit && this.clock.now() >= this.pausedUntil;
  }

  private wake(): void {
    while (this.waiting.length > 0 && this.isOpen()) {
      this.waiting.shift()!();
    }
    if (this.waiting.length === 0 || this.waking || this.clock.now() >= this.pausedUntil) {
      return;
    }
    this.waking = true;
    void this.clock.sleep(Math.ceil(this.pausedUntil - this.clock.now()) + 1).then(() => {
      this.waking = false;
      this.wake();
    });
  }
}

/** `2m10s`, `45s`, `0.2s` */
export function pauseText(ms: number): string {
  if (ms < 10_000) {
    return `${Number((ms / 1000).toFixed(1))}s`;
  }
  const seconds = Math.round(ms / 1000);
  return seconds < 60
    ? `${seconds}s`
    : `${Math.floor(seconds / 60)}m${seconds % 60 === 0 ? '' : `${seconds % 60}s`}`;
}
