import { WaitNotes } from '../../engine/ready/wait-ready';
import { DONE_STATES, NodeState, RunEvent } from '../../engine/run/context/events';

/** An event of a node. */
type NodeEvent = RunEvent & { type: 'node' };

/** States that end a node. */
export const ENDS: ReadonlySet<NodeState> = new Set<NodeState>([
  ...DONE_STATES,
  'failed',
  'skipped',
  'ready',
]);

/** What is running. */
export interface Active extends WaitNotes {
  readonly id: string;
  readonly target: string;
  readonly state: NodeState;
  readonly message?: string;
  readonly since: number;
}

/** How often it is checked whether something is to be reported again. */
export const TICK_MS = 5_000;

/**
 * After how long something that runs is reported again: within the first half minute, then less and
 * less often.
 */
const REPORT_MS: readonly number[] = [20_000, 60_000, 120_000, 240_000, 420_000];

/** How often after that: systems that run pipelines end those that print nothing for 10 minutes. */
const REPORT_EVERY_MS = 300_000;

/** A time that people read, e.g. `2 min 5 s`. */
function timeText(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `${hours > 0 ? `${hours} h ` : ''}${seconds >= 60 ? `${minutes} min ` : ''}${hours > 0 ? '' : `${seconds % 60} s`}`.trimEnd();
}

/** What has begun and not ended, and since when. */
export class Work {
  private readonly active = new Map<string, Active>();
  /** How often each was reported again. */
  private readonly reported = new Map<string, number>();
  private readonly begin: number;

  public constructor(private readonly now: () => number = () => performance.now()) {
    this.begin = now();
  }

  /** Follows an event of a node. Returns whether it is news: a retry has the same reason again. */
  public on({ id, target, state, message, hint, limitSeconds }: NodeEvent): boolean {
    const before = this.active.get(id);
    if (ENDS.has(state)) {
      this.active.delete(id);
      this.reported.delete(id);
      return true;
    }
    this.active.set(id, {
      id,
      target,
      state,
      since: before?.since ?? this.now(),
      ...(message ? { message } : {}),
      ...(hint === undefined ? {} : { hint }),
      ...(limitSeconds === undefined ? {} : { limitSeconds }),
    });
    return before?.state !== state || before.message !== message;
  }

  /**
   * What runs on a target, or on all; what takes longest is what people ask for, so it is first.
   */
  public of(target?: string): Active[] {
    return [...this.active.values()]
      .filter((each) => target === undefined || each.target === target)
      .sort((a, b) => a.since - b.since);
  }

  /** What has run for so long that it is to be reported again, each once for each of its times. */
  public due(): Active[] {
    return this.of().filter((each) => {
      const count = this.reported.get(each.id) ?? 0;
      const isDue = this.now() - each.since >= nextReport(count);
      if (isDue) {
        this.reported.set(each.id, count + 1);
      }
      return isDue;
    });
  }

  public get elapsed(): string {
    return timeText(this.now() - this.begin);
  }

  public timeOf({ since, limitSeconds }: Active): string {
    const limit = limitSeconds === undefined ? '' : ` of at most ${timeText(limitSeconds * 1000)}`;
    return `${timeText(this.now() - since)}${limit}`;
  }

  public secondsOf({ since }: Active): number {
    return Math.floor((this.now() - since) / 1000);
  }

  /** Whether something has run for so long that people ask what to do. */
  public isLong({ since }: Active): boolean {
    return this.now() - since >= REPORT_MS[0]!;
  }
}

function nextReport(count: number): number {
  const last = REPORT_MS.length - 1;
  return REPORT_MS[count] ?? REPORT_MS[last]! + (count - last) * REPORT_EVERY_MS;
}
