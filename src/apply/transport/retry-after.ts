import { RawAnswer } from './https-try';

/** How long a server asks to be left alone; undefined where it does not. */
export function retryAfterMs({ headers }: RawAnswer): number | undefined {
  const value = headers['retry-after']?.trim();
  if (value === undefined) { return undefined; }
  if (/^\d{1,7}$/.test(value)) { return Number(value) * 1000; }
  // a date: against the server's own clock, which need not be ours
  const [until, now] = [Date.parse(value), Date.parse(headers.date ?? '')];
  return Number.isNaN(until) ? undefined : Math.max(0, until - (Number.isNaN(now) ? Date.now() : now));
}
