import { cronFault } from '../../core/go/cron';
import { isLate } from '../../core/late/late-token';
import { isRecord } from '../../core/manifest/manifest';
import { Problem } from '../../core/problem/problem';
import { goDuration } from '../../core/text/time';
import { tableByName } from '../../core/text/values';

const DAY = 24 * 60;
const DESCRIPTORS: { readonly [name: string]: string } = tableByName({
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
});

/** The times of a schedule, in minutes. */
interface ScheduleTimes {
  /** The distinct intervals between its runs. */
  readonly gaps: readonly number[];
  /** The minutes of a day at which it runs. Undefined for intervals such as `@every 2h`. */
  readonly minutes?: readonly number[];
  /** The fields of the days in the expression. */
  readonly days?: string;
}

/** The times of a cron expression. Undefined if it is not valid, or never runs. */
export function scheduleTimes(expression: string): ScheduleTimes | undefined {
  if (cronFault(expression) !== undefined) {
    return undefined;
  }
  if (expression.startsWith('@every ')) {
    const seconds = goDuration(expression.slice('@every '.length));
    // the library rounds to whole seconds, at least one
    return seconds === undefined ? undefined : { gaps: [Math.max(1, Math.floor(seconds)) / 60] };
  }
  const fields = (DESCRIPTORS[expression] ?? expression)
    .split(/\s+/)
    .filter((field) => field !== '');
  const [minute, hour, ...days] = fields as [string, string, ...string[]];
  const times = values(hour, 23).flatMap((hours) =>
    values(minute, 59).map((minutes) => hours * 60 + minutes),
  );
  if (times.length === 0) {
    return undefined;
  }
  const everyDay = days.every((field) => field === '*' || field === '?');
  const within = times.slice(1).map((time, index) => time - times[index]!);
  // across days: at least until the first run of the next day
  const over = times[0]! + DAY - times[times.length - 1]!;
  return {
    gaps: [...new Set([...within, everyDay || within.length === 0 ? over : DAY])],
    minutes: times,
    days: days.join(' '),
  };
}

/**
 * The numbers of a field in a valid expression, in order. Names of months and days are not needed.
 */
function values(field: string, max: number): number[] {
  const all = new Set(
    field
      .split(',')
      .filter((part) => part !== '')
      .flatMap((part) => {
        const [range, step] = part.split('/') as [string, string?];
        const [from, to] = range.split('-') as [string, string?];
        const open = from === '*' || from === '?';
        const first = open ? 0 : Number(from);
        // one number with a step is a range without an end
        const otherwise = open || step !== undefined ? max : first;
        const last = open || to === undefined ? otherwise : Number(to);
        const numbers: number[] = [];
        for (let number = first; number <= last; number += Number(step ?? 1)) {
          numbers.push(number);
        }
        return numbers;
      }),
  );
  return [...all].sort((a, b) => a - b);
}

/** The limits and defaults of Harvester. */
export const SCHEDULE_LIMITS = {
  retain: 8,
  minMaxFailure: 2,
  maxFailure: 4,
  granularityMinutes: 60,
  offsetMinutes: 10,
} as const;

/** The times of a schedule with even intervals, in minutes. */
export interface EvenTimes {
  readonly granularity: number;
  readonly minute: number;
  readonly days: string;
}

/**
 * The times of a schedule with even intervals. The server compares others differently each time.
 */
export function evenTimesOf(cron: unknown): EvenTimes | undefined {
  const times = typeof cron === 'string' && !isLate(cron) ? scheduleTimes(cron) : undefined;
  const [granularity] = times?.gaps ?? [];
  if (!times?.minutes || times.gaps.length !== 1 || granularity === undefined) {
    return undefined;
  }
  return { granularity, minute: times.minutes[0]! % granularity, days: times.days ?? '' };
}

/** Whether the server refuses one of two schedules, since both run at nearly the same time. */
export function areTooClose(a: EvenTimes | undefined, b: EvenTimes | undefined): boolean {
  if (!a || !b || a.granularity !== b.granularity || a.days !== b.days) {
    return false;
  }
  const offset = Math.abs(a.minute - b.minute);
  return Math.min(offset, a.granularity - offset) < SCHEDULE_LIMITS.offsetMinutes;
}

/**
 * Checks a backup schedule on its own.
 * @see harvester/harvester:pkg/webhook/resources/schedulevmbackup/validator.go
 *
 * @param skipsCronCheck whether the annotation that skips the check of times is set
 */
export function* checkSchedule(spec: unknown, skipsCronCheck: boolean): Iterable<Problem> {
  if (!isRecord(spec)) {
    return;
  }
  yield* checkCron(spec.cron, skipsCronCheck);
  const { retain = SCHEDULE_LIMITS.retain, maxFailure = SCHEDULE_LIMITS.maxFailure } = spec;
  if (typeof retain === 'number' && typeof maxFailure === 'number' && maxFailure >= retain) {
    yield {
      path: 'spec.maxFailure',
      value: maxFailure,
      message: `must be less than retain, ${retain}`,
      fix: 'lower maxFailure, or raise retain',
      says: 'max failure should be less than retain',
    };
  }
}

function* checkCron(cron: unknown, skipsCronCheck: boolean): Iterable<Problem> {
  if (typeof cron !== 'string' || isLate(cron)) {
    return;
  }
  const path = 'spec.cron';
  const fault = cronFault(cron);
  if (fault !== undefined) {
    yield {
      path,
      value: cron,
      message: `must be a cron expression: ${fault}`,
      fix: 'set five fields, e.g. "0 2 * * *"',
      says: 'invalid cron format',
    };
    return;
  }
  const { gaps = [] } = scheduleTimes(cron) ?? {};
  const short = gaps.filter((gap) => gap < SCHEDULE_LIMITS.granularityMinutes);
  if (skipsCronCheck || short.length === 0) {
    return;
  }
  const shortest = Math.min(...short);
  const always = short.length === gaps.length;
  yield {
    path,
    value: cron,
    // the server compares the next two runs
    ...(always ? {} : { level: 'warning' as const }),
    message: `must run at most once an hour: it has runs ${goMinutes(shortest)} apart${always ? '' : ', so that it is refused whenever such runs are next'}`,
    fix: 'choose times at least an hour apart',
    says: `schedule granularity ${goMinutes(shortest)} less than 1h0m0s`,
  };
}

function goMinutes(minutes: number): string {
  const seconds = Math.round((minutes % 1) * 60);
  return minutes < 1 ? `${seconds}s` : `${Math.floor(minutes)}m${seconds}s`;
}
