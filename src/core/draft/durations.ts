import { StaticCall, call } from './draft';

const UNITS: readonly (readonly [method: string, seconds: number])[] = [
  ['days', 86400],
  ['hours', 3600],
  ['minutes', 60],
];

/**
 * A number of seconds as a program writes it: `Duration.minutes(5)`; undefined for what is not one.
 */
export function durationOf(seconds: unknown): StaticCall | undefined {
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds < 0) {
    return undefined;
  }
  const [method, unit] = UNITS.find(
    ([, each]) => seconds >= each && Number.isInteger(seconds / each),
  ) ?? ['seconds', 1];
  return call('Duration', method, seconds / unit);
}

const PARTS = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?$/;

/**
 * A duration of Go as a program writes it; undefined for what is not one.
 * @see https://pkg.go.dev/time#ParseDuration
 */
export function goDurationOf(text: unknown): StaticCall | undefined {
  const [, hours, minutes, seconds] =
    typeof text === 'string' && text !== '' ? (PARTS.exec(text) ?? []) : [];
  if (hours === undefined && minutes === undefined && seconds === undefined) {
    return undefined;
  }
  return durationOf(Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0));
}
