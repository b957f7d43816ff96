import { isLate } from '../../core/late/late-token';
import { isRecord } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { cronFault } from '../../core/text/cron';
import { goDuration } from '../../core/text/time';

const DAY = 24 * 60;
const DESCRIPTORS: { readonly [name: string]: string } = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** When a schedule runs, in minutes. */
export interface ScheduleTimes {
  /** The pauses between its runs, each once. */
  readonly gaps: readonly number[];
  /** The minutes of a day at which it runs; undefined where it runs by the time since something. */
  readonly minutes?: readonly number[];
  /** On which days, as the expression says. */
  readonly days?: string;
}

/** When a cron expression runs; undefined where it is none, or runs never. */
export function scheduleTimes(expression: string): ScheduleTimes | undefined {
  if (cronFault(expression) !== undefined) { return undefined; }
  if (expression.startsWith('@every ')) {
    const seconds = goDuration(expression.slice('@every '.length));
    // the library makes whole seconds of it, one at least
    return seconds === undefined ? undefined : { gaps: [Math.max(1, Math.floor(seconds)) / 60] };
  }
  const fields = (DESCRIPTORS[expression] ?? expression).split(/\s+/).filter((field) => field !== '');
  const [minute, hour, ...days] = fields as [string, string, ...string[]];
  const times = values(hour, 23).flatMap((hours) => values(minute, 59).map((minutes) => hours * 60 + minutes));
  if (times.length === 0) { return undefined; }
  const everyDay = days.every((field) => field === '*' || field === '?');
  const within = times.slice(1).map((time, index) => time - times[index]!);
  // over the days: at least until the same time of the next day's first run
  const over = times[0]! + DAY - times[times.length - 1]!;
  return { gaps: [...new Set([...within, everyDay || within.length === 0 ? over : DAY])], minutes: times, days: days.join(' ') };
}

/** The numbers that a field of a valid expression stands for, in order; names of months and days are not asked for. */
function values(field: string, max: number): number[] {
  const all = new Set(field.split(',').filter((part) => part !== '').flatMap((part) => {
    const [range, step] = part.split('/') as [string, string?];
    const [from, to] = range.split('-') as [string, string?];
    const open = from === '*' || from === '?';
    const first = open ? 0 : Number(from);
    const last = open ? max : to === undefined ? (step === undefined ? first : max) : Number(to);
    const numbers: number[] = [];
    for (let number = first; number <= last; number += Number(step ?? 1)) { numbers.push(number); }
    return numbers;
  }));
  return [...all].sort((a, b) => a - b);
}

/** The numbers that Harvester takes, and those that it fills in. */
export const SCHEDULE_LIMITS = {
  minRetain: 2, maxRetain: 250, retain: 8, minMaxFailure: 2, maxFailure: 4, granularityMinutes: 60, offsetMinutes: 10,
} as const;

/**
 * What Harvester refuses in a schedule of backups by itself.
 * @see harvester/harvester:pkg/webhook/resources/schedulevmbackup/validator.go
 *
 * @param skipsCronCheck whether the annotation for it is there
 */
export function* checkSchedule(spec: unknown, skipsCronCheck: boolean): Iterable<Problem> {
  if (!isRecord(spec)) { return; }
  yield* checkCron(spec.cron, skipsCronCheck);
  const { retain = SCHEDULE_LIMITS.retain, maxFailure = SCHEDULE_LIMITS.maxFailure } = spec;
  if (typeof retain === 'number' && (retain < SCHEDULE_LIMITS.minRetain || retain > SCHEDULE_LIMITS.maxRetain)) {
    yield {
      path: 'spec.retain',
      value: retain,
      message: 'is no number of backups to keep',
      fix: `give ${SCHEDULE_LIMITS.minRetain} to ${SCHEDULE_LIMITS.maxRetain}`,
      says: `spec.retain in body should be ${retain < SCHEDULE_LIMITS.minRetain ? 'greater than or equal to 2' : 'less than or equal to 250'}`,
    };
  }
  if (typeof maxFailure === 'number' && maxFailure < SCHEDULE_LIMITS.minMaxFailure) {
    yield {
      path: 'spec.maxFailure',
      value: maxFailure,
      message: 'is too low',
      fix: `give ${SCHEDULE_LIMITS.minMaxFailure} or more`,
      says: 'spec.maxFailure in body should be greater than or equal to 2',
    };
  }
  if (typeof retain === 'number' && typeof maxFailure === 'number' && maxFailure >= retain) {
    yield {
      path: 'spec.maxFailure',
      value: maxFailure,
      message: `is not less than retain, which is ${retain}`,
      fix: 'lower it, or keep more',
      says: 'max failure should be less than retain',
    };
  }
}

function* checkCron(cron: unknown, skipsCronCheck: boolean): Iterable<Problem> {
  if (typeof cron !== 'string' || isLate(cron)) { return; }
  const path = 'spec.cron';
  const fault = cronFault(cron);
  if (fault !== undefined) {
    yield { path, value: cron, message: `is no cron expression: ${fault}`, fix: 'give five fields, e.g. "0 2 * * *"', says: 'invalid cron format' };
    return;
  }
  const { gaps = [] } = scheduleTimes(cron) ?? {};
  const short = gaps.filter((gap) => gap < SCHEDULE_LIMITS.granularityMinutes);
  if (skipsCronCheck || short.length === 0) { return; }
  const shortest = Math.min(...short);
  const always = short.length === gaps.length;
  yield {
    path,
    value: cron,
    // the server looks at the two runs that come next
    ...(always ? {} : { level: 'warning' as const }),
    message: `has runs only ${goMinutes(shortest)} apart${always ? '' : ', and is refused whenever such runs come next'}`,
    fix: 'let an hour or more pass between runs',
    says: `schedule granularity ${goMinutes(shortest)} less than 1h0m0s`,
  };
}

function goMinutes(minutes: number): string {
  const seconds = Math.round((minutes % 1) * 60);
  return minutes < 1 ? `${seconds}s` : `${Math.floor(minutes)}m${seconds}s`;
}
