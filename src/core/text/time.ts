const UNIT_SECONDS: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
};
// the longest unit first, or `m` would eat the start of `ms`
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;
/** The longest duration that Go can hold: 2^63 nanoseconds. */
const MAX_SECONDS = 9223372036.854775807;

/**
 * A duration as Go's time.ParseDuration reads it, e.g. `336h`, `1h30m`, `-1.5s`, in seconds;
 * undefined where it reads none.
 *
 * There is no unit longer than the hour: `14d` is none.
 *
 * @see https://pkg.go.dev/time#ParseDuration
 */
export function goDuration(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1;
  const rest = text.replace(/^[+-]/, '');
  // a bare zero is the only number without a unit
  if (rest === '0') {
    return 0;
  }
  if (rest === '') {
    return undefined;
  }
  let seconds = 0;
  PART.lastIndex = 0;
  while (PART.lastIndex < rest.length) {
    const part = PART.exec(rest);
    if (!part) {
      return undefined;
    }
    seconds += Number(part[1]) * UNIT_SECONDS[part[2]];
  }
  return seconds > MAX_SECONDS ? undefined : sign * seconds;
}

/**
 * A duration as Go prints it, so that no server writes it in another form: `1h0m0s`, `1.5s`,
 * `500ms`.
 * @see https://pkg.go.dev/time#Duration.String
 */
export function goDurationText(milliseconds: number): string {
  if (milliseconds > 0 && milliseconds < 1000) {
    return `${milliseconds}ms`;
  }
  const [hours, minutes] = [
    Math.floor(milliseconds / 3_600_000),
    Math.floor((milliseconds % 3_600_000) / 60_000),
  ];
  return `${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${(milliseconds % 60_000) / 1000}s`;
}

const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,]\d+)?(?:Z|[+-](\d{2}):(\d{2}))$/;

/**
 * Whether Go reads a text as a date and time of RFC 3339, e.g. `2023-11-29T00:00:00Z`: T and Z in
 * capitals, a zone, a day that exists.
 * @see https://pkg.go.dev/time#pkg-constants
 */
export function isRfc3339(text: string): boolean {
  const match = DATE_TIME.exec(text);
  if (!match) {
    return false;
  }
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number);
  const [zoneHour, zoneMinute] = [match[7] ?? '0', match[8] ?? '0'].map(Number);
  // Go is as lenient with zones as this
  if (zoneHour > 24 || zoneMinute > 60) {
    return false;
  }
  return (
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysOf(year, month) &&
    hour < 24 &&
    minute < 60 &&
    second < 60
  );
}

function daysOf(year: number, month: number): number {
  // the years below 100 mean themselves, which Date.UTC does not do
  const date = new Date(0);
  date.setUTCFullYear(year, month, 0);
  return date.getUTCDate();
}
