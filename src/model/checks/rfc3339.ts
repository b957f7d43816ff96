const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,]\d+)?(?:Z|[+-](\d{2}):(\d{2}))$/;

/**
 * Whether Go reads a text as a date and time of RFC 3339, e.g. `2023-11-29T00:00:00Z`: T and Z in capitals, a zone, a day that exists.
 * @see https://pkg.go.dev/time#pkg-constants
 */
export function isRfc3339(text: string): boolean {
  const match = DATE_TIME.exec(text);
  if (!match) { return false; }
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number);
  const [zoneHour, zoneMinute] = [match[7] ?? '0', match[8] ?? '0'].map(Number);
  // Go is as lenient with zones as this
  if (zoneHour > 24 || zoneMinute > 60) { return false; }
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month) && hour < 24 && minute < 60 && second < 60;
}

function daysOf(year: number, month: number): number {
  // the years below 100 mean themselves, which Date.UTC does not do
  const date = new Date(0);
  date.setUTCFullYear(year, month, 0);
  return date.getUTCDate();
}
