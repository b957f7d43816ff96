import { cronFault } from '../checks/cron';
import { goDuration } from '../checks/go-duration';

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
